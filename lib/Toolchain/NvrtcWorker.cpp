//===- NvrtcWorker.cpp - The child that loads NVRTC -----------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Only this process loads the library, compiles one text and exits. The limits
// on it are set by its parent.
//
//===----------------------------------------------------------------------===//
#include "kgen/Toolchain/Cache.h"
#include "kgen/Toolchain/Compiler.h"
#include "kgen/Toolchain/Jail.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <cstdio>
#include <dlfcn.h>

using namespace kgen;
using namespace kgen::toolchain;

namespace {

using Program = struct OpaqueProgram *;

/// The part of NVRTC's C interface that is used; see nvrtc.h.
struct Nvrtc {
  int (*version)(int *, int *);
  int (*create)(Program *, const char *, const char *, int, const char *const *, const char *const *);
  int (*compile)(Program, int, const char *const *);
  int (*logSize)(Program, size_t *);
  int (*log)(Program, char *);
  int (*cubinSize)(Program, size_t *);
  int (*cubin)(Program, char *);
  int (*ptxSize)(Program, size_t *);
  int (*ptx)(Program, char *);
  const char *(*errorString)(int);

  const char *load(const char *path) {
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
      return dlerror();
    auto get = [&](auto &slot, const char *name) {
      slot = reinterpret_cast<std::decay_t<decltype(slot)>>(dlsym(handle, name));
      return slot != nullptr;
    };
    bool whole = get(version, "nvrtcVersion") && get(create, "nvrtcCreateProgram") &&
                 get(compile, "nvrtcCompileProgram") && get(logSize, "nvrtcGetProgramLogSize") &&
                 get(log, "nvrtcGetProgramLog") && get(cubinSize, "nvrtcGetCUBINSize") && get(cubin, "nvrtcGetCUBIN") &&
                 get(ptxSize, "nvrtcGetPTXSize") && get(ptx, "nvrtcGetPTX") && get(errorString, "nvrtcGetErrorString");
    return whole ? nullptr : "it lacks a function that kgen calls";
  }
};

// NVRTC has no system headers; kernels may still spell the fixed-width types.
const char stdintText[] = "#pragma once\n"
                          "typedef signed char int8_t;\ntypedef unsigned char uint8_t;\ntypedef short int16_t;\n"
                          "typedef unsigned short uint16_t;\ntypedef int int32_t;\ntypedef unsigned int uint32_t;\n"
                          "typedef long long int64_t;\ntypedef unsigned long long uint64_t;\n"
                          "typedef unsigned long long uintptr_t;\ntypedef long long intptr_t;\n";
const char emptyText[] = "#pragma once\n";

// What C's headers call numbers and integers, which nvcc and device host put in front of every kernel: one text means
// the same on both devices. Constant expressions, as there.
const char numbersText[] = R"(#pragma once
#include "stdint.h"
typedef unsigned int uint;
typedef unsigned short ushort;
#define INFINITY (__builtin_bit_cast(float, 0x7f800000))
#define NAN (__builtin_bit_cast(float, 0x7fc00000))
#define HUGE_VALF INFINITY
#define HUGE_VAL (__builtin_bit_cast(double, 0x7ff0000000000000ll))
#define FLT_MAX 3.40282346638528859811704183484516925e+38F
#define FLT_MIN 1.17549435082228750796873653722224568e-38F
#define FLT_EPSILON 1.19209289550781250000000000000000000e-7F
#define DBL_MAX 1.79769313486231570814527423731704357e+308
#define DBL_MIN 2.22507385850720138309023271733240406e-308
#define DBL_EPSILON 2.22044604925031308084726333618164062e-16
#define CHAR_BIT 8
#define SCHAR_MAX 127
#define SCHAR_MIN (-SCHAR_MAX - 1)
#define UCHAR_MAX 255
#define SHRT_MAX 32767
#define SHRT_MIN (-SHRT_MAX - 1)
#define USHRT_MAX 65535
#define INT_MAX 2147483647
#define INT_MIN (-INT_MAX - 1)
#define UINT_MAX 4294967295U
#define LONG_MAX 9223372036854775807L
#define LONG_MIN (-LONG_MAX - 1L)
#define ULONG_MAX 18446744073709551615UL
#define LLONG_MAX 9223372036854775807LL
#define LLONG_MIN (-LLONG_MAX - 1LL)
#define ULLONG_MAX 18446744073709551615ULL
#define M_E 2.7182818284590452354
#define M_LOG2E 1.4426950408889634074
#define M_LOG10E 0.43429448190325182765
#define M_LN2 0.69314718055994530942
#define M_LN10 2.30258509299404568402
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_2_PI 0.63661977236758134308
#define M_2_SQRTPI 1.12837916709551257390
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440
)";

template <class Size, class Get>
std::string fetch(Program program, Size size, Get get) {
  size_t bytes = 0;
  if (size(program, &bytes) != 0 || bytes == 0)
    return "";
  std::string text(bytes, '\0');
  if (get(program, text.data()) != 0)
    return "";
  return text;
}

/// NVRTC opens its builtins by name at the first compile, when files are out of reach: maps them, and what they need,
/// now.
void loadBuiltins(llvm::StringRef folder) {
  std::error_code error;
  for (llvm::sys::fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    if (llvm::sys::path::filename(entry->path()).starts_with("libnvrtc-builtins.so."))
      dlopen(entry->path().c_str(), RTLD_NOW | RTLD_LOCAL);
}

int fail(const std::string &why) {
  fprintf(stderr, "%s\n", why.c_str());
  return 2;
}

} // namespace

int kgen::toolchain::runCompileWorker(llvm::ArrayRef<std::string> arguments) {
  if (arguments.size() < 4)
    return fail("--kgen-compile-worker is kgen's own: it takes LIBRARY ARCH SOURCE OUTDIR INCLUDE...");
  const std::string &library = arguments[0], &out = arguments[3];
  Nvrtc nvrtc;
  if (const char *why = nvrtc.load(library.c_str()))
    return fail("cannot load NVRTC from " + library + ": " + why);
  loadBuiltins(llvm::sys::path::parent_path(library));
  // The library is loaded: from here on only the text, the headers and the output.
  FileRules rules;
  rules.execute = {llvm::sys::path::parent_path(library).str()};
  rules.read.assign(arguments.begin() + 4, arguments.end());
  rules.read.insert(rules.read.end(), {arguments[2], "/proc/cpuinfo", "/proc/meminfo", "/sys/devices/system/cpu"});
  rules.write = {out};
  if (std::string why = confineThisProcess(rules, CallRules::OneProcess); !why.empty())
    return fail(why);
  auto source = readWholeFile(arguments[2]);
  if (!source)
    return fail(llvm::toString(source.takeError()));

  const char *texts[] = {stdintText, stdintText, emptyText, numbersText};
  const char *names[] = {"stdint.h", "cstdint", "cuda_runtime.h", "kgen_numbers.h"};
  Program program = nullptr;
  if (int error = nvrtc.create(&program, source->c_str(), "kernel.cu", 4, texts, names))
    return fail(std::string("NVRTC: ") + nvrtc.errorString(error));
  std::vector<std::string> options = {"--gpu-architecture=" + arguments[1], "--std=c++17", "--ptxas-options=-v",
                                      // Templates hold no host code, so a constexpr helper needs no annotation.
                                      "--device-as-default-execution-space", "--pre-include=kgen_numbers.h"};
  for (const std::string &include : arguments.drop_front(4))
    options.push_back("-I" + include);
  std::vector<const char *> pointers;
  for (const std::string &option : options)
    pointers.push_back(option.c_str());
  int error = nvrtc.compile(program, int(pointers.size()), pointers.data());

  std::string log = fetch(program, nvrtc.logSize, nvrtc.log);
  while (!log.empty() && log.back() == '\0')
    log.pop_back();
  // ptxas writes some 300 bytes for each kernel, and each is needed; people are shown less of it.
  if (log.size() > 8 << 20)
    log.resize(8 << 20);
  if (error && log.find("failed to open libnvrtc-builtins") != std::string::npos)
    return fail("NVRTC finds no libnvrtc-builtins beside " + library);
  if (error && log.empty())
    log = std::string("error: ") + nvrtc.errorString(error) + "\n";
  if (llvm::Error failed = writeFileAtomically(out + "/compile.log", log))
    return fail(llvm::toString(std::move(failed)));
  if (error)
    return 1;
  std::string cubin = fetch(program, nvrtc.cubinSize, nvrtc.cubin), ptx = fetch(program, nvrtc.ptxSize, nvrtc.ptx);
  while (!ptx.empty() && ptx.back() == '\0')
    ptx.pop_back();
  if (cubin.empty())
    return fail("NVRTC gave no machine code for " + arguments[1]);
  if (llvm::Error failed = writeFileAtomically(out + "/kernel.cubin", cubin))
    return fail(llvm::toString(std::move(failed)));
  if (llvm::Error failed = writeFileAtomically(out + "/kernel.ptx", ptx))
    return fail(llvm::toString(std::move(failed)));
  return 0;
}
