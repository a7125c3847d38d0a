//===- CompilersTest.cpp - The real compilers, where they are -------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Runtime/LaunchForms.h"
#include "kgen/Toolchain/Cache.h"
#include "kgen/Toolchain/Compiler.h"
#include "kgen/Toolchain/Process.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "gtest/gtest.h"

using namespace kgen;
using namespace kgen::toolchain;

namespace {

const char right[] = "#include <cuda_fp16.h>\n#include <mma.h>\n#include <stdint.h>\n"
                     "extern \"C\" __global__ void __launch_bounds__(128) scale(const float *x, float *y) {\n"
                     "  __shared__ float tile[128];\n"
                     "  tile[threadIdx.x] = x[threadIdx.x];\n"
                     "  __syncthreads();\n"
                     "  y[threadIdx.x] = 2 * tile[threadIdx.x ^ 1] + __half2float(__float2half(x[0]));\n"
                     "}\n";
const char wrong[] = "extern \"C\" __global__ void scale(float *y) {\n  y[0] = undeclared;\n}\n";

/// A cache of its own, and kgen-eval as the worker: a test binary has no hidden sub-commands.
class CompilersTest : public ::testing::Test {
protected:
  llvm::SmallString<128> cache;
  std::error_code error;
  void SetUp() override {
    llvm::sys::fs::createUniqueDirectory("kgen-compilers", cache);
    setenv("KGEN_CACHE_DIR", cache.c_str(), 1);
    setenv("KGEN_WORKER", KGEN_EVAL_BINARY, 1);
  }
  void TearDown() override { llvm::sys::fs::remove_directories(cache); }

  void check(Compiler &compiler, int shared) {
    auto compiledFirst = compiler.compile(right, {});
    ASSERT_TRUE(bool(compiledFirst)) << llvm::toString(compiledFirst.takeError());
    CompileResult first = *compiledFirst;
    ASSERT_TRUE(std::holds_alternative<Compiled>(first)) << std::get<CompileFailed>(first).log;
    Compiled &compiled = std::get<Compiled>(first);
    EXPECT_FALSE(compiled.fromCache);
    EXPECT_TRUE(llvm::sys::fs::exists(compiled.artifact));
    ASSERT_EQ(compiled.kernels.size(), 1u);
    EXPECT_EQ(compiled.kernels[0].kernel, "scale");
    EXPECT_EQ(compiled.kernels[0].sharedBytes, shared);
    CompileResult second = llvm::cantFail(compiler.compile(right, {}));
    EXPECT_TRUE(std::get<Compiled>(second).fromCache);
    EXPECT_EQ(std::get<Compiled>(second).artifact, compiled.artifact);
    EXPECT_EQ(std::get<Compiled>(second).seconds, compiled.seconds);

    for (int i = 0; i < 2; ++i) { // a failure is remembered as well
      CompileResult failed = llvm::cantFail(compiler.compile(wrong, {}));
      ASSERT_TRUE(std::holds_alternative<CompileFailed>(failed));
      EXPECT_NE(std::get<CompileFailed>(failed).reason.find("kernel.cu"), std::string::npos);
      EXPECT_NE(std::get<CompileFailed>(failed).reason.find("undeclared"), std::string::npos);
    }
    // A cache is no proof of what was written into it: what is damaged is made again.
    for (const std::string &name : {llvm::sys::path::filename(compiled.artifact).str(), std::string("compile.json")})
      for (bool cut : {false, true}) {
        std::string path = llvm::sys::path::parent_path(compiled.artifact).str() + "/" + name;
        std::string text = llvm::cantFail(readWholeFile(path));
        text[text.size() / 2] ^= 1;
        llvm::cantFail(writeFileAtomically(path, cut ? text.substr(0, text.size() / 2) : text));
        CompileResult again = llvm::cantFail(compiler.compile(right, {}));
        ASSERT_TRUE(std::holds_alternative<Compiled>(again)) << name;
        EXPECT_FALSE(std::get<Compiled>(again).fromCache) << name;
        again = llvm::cantFail(compiler.compile(right, {}));
        EXPECT_TRUE(std::get<Compiled>(again).fromCache) << name;
      }
    CompileResult hostile = llvm::cantFail(compiler.compile("#include \"/etc/passwd\"\n", {}));
    EXPECT_TRUE(std::holds_alternative<CompileFailed>(hostile));
  }
};

} // namespace

TEST_F(CompilersTest, Host) {
  auto compiler = createHostCompiler();
  if (!compiler)
    GTEST_SKIP() << llvm::toString(compiler.takeError());
  check(**compiler, 512);
  // Its headers lie in the cache as well.
  for (llvm::sys::fs::recursive_directory_iterator entry((cache + "/host-include").str(), error), end;
       entry != end && !error; entry.increment(error))
    if (llvm::sys::path::filename(entry->path()) == "kgen_host.h")
      llvm::cantFail(writeFileAtomically(entry->path(), "damaged"));
  compiler = createHostCompiler();
  ASSERT_TRUE(bool(compiler)) << llvm::toString(compiler.takeError());
  CompileResult result = llvm::cantFail((*compiler)->compile(std::string(right) + "\n", {}));
  EXPECT_TRUE(std::holds_alternative<Compiled>(result));
}

TEST_F(CompilersTest, Nvrtc) {
  auto compiler = createNvrtcCompiler();
  if (!compiler)
    GTEST_SKIP() << llvm::toString(compiler.takeError());
  check(**compiler, 512);
  CompileResult result = llvm::cantFail((*compiler)->compile(right, {}));
  EXPECT_GT(std::get<Compiled>(result).kernels[0].registers, 0);
  EXPECT_NE(std::get<Compiled>(result).ptx.find(".entry scale"), std::string::npos);
  EXPECT_FALSE(std::get<Compiled>(result).kernels[0].tensorCore);
  // Out of the machine code itself, and the same out of the cache.
  EXPECT_GT(std::get<Compiled>(result).kernels[0].code.total, 4);
  EXPECT_EQ(std::get<Compiled>(result).kernels[0].code.kinds["STG.32"], 1);
}

TEST_F(CompilersTest, KernelsOfNewCardsWait) {
  auto compiler = createNvrtcCompiler();
  if (!compiler)
    GTEST_SKIP() << llvm::toString(compiler.takeError());
  for (auto [arch, waits] : {std::pair("sm_80", false), std::pair("sm_90a", true)}) {
    CompileOptions options;
    options.arch = arch;
    CompileResult result = llvm::cantFail((*compiler)->compile(right, options));
    ASSERT_TRUE(std::holds_alternative<Compiled>(result)) << std::get<CompileFailed>(result).log;
    std::string cubin = llvm::cantFail(readWholeFile(std::get<Compiled>(result).artifact));
    EXPECT_EQ(runtime::waitsForLaunches(cubin.data(), cubin.size(), "scale"), waits) << arch;
    EXPECT_FALSE(runtime::waitsForLaunches(cubin.data(), cubin.size(), "scal")) << arch;
    for (size_t bytes = 0; bytes < cubin.size(); bytes += 61) // cut off anywhere
      runtime::waitsForLaunches(cubin.data(), bytes, "scale");
  }
}

TEST_F(CompilersTest, TellsWhoKeepsVariables) {
  auto compiler = createNvrtcCompiler();
  if (!compiler)
    GTEST_SKIP() << llvm::toString(compiler.takeError());
  const std::string kernel = "extern \"C\" __global__ void k(int *x) { ";
  for (auto [text, keeps] :
       {std::pair("__constant__ int table[] = {1, 2};\n" + kernel + "x[0] = table[x[1] & 1]; }", false),
        {kernel + "__shared__ int s[32]; s[threadIdx.x] = x[threadIdx.x]; __syncthreads(); x[0] = s[x[1] & 31]; }",
         false},
        {"__device__ int count;\n" + kernel + "x[0] = atomicAdd(&count, 1); }", true},
        {"__device__ int count = 3;\n" + kernel + "x[0] = atomicAdd(&count, 1); }", true},
        {kernel + "static int count; x[0] = count++; }", true},
        {"constexpr int shift = 5;\nconstexpr float scale = 0.5f;\n" + kernel + "x[0] = x[shift] * scale; }", false},
        {"constexpr int shift = 5;\n__device__ int count;\n" + kernel + "x[shift] = 0; }\n" +
             "extern \"C\" __global__ void l(int *x) { x[shift] = count++; }",
         true},
        {"__device__ int count;\n__constant__ int *where = &count;\n" + kernel + "x[0] = (*where)++; }", true},
        {"__device__ int count;\n__device__ int *where = &count;\n" + kernel + "x[0] = (*where)++; }", true},
        {"__device__ int count;\n__device__ __noinline__ int next() { return count++; }\n" + kernel +
             "x[0] = next(); }",
         true}})
    for (const char *arch : {"sm_80", "sm_90a", "sm_120a"}) {
      CompileOptions options;
      options.arch = arch;
      CompileResult result = llvm::cantFail((*compiler)->compile(text, options));
      ASSERT_TRUE(std::holds_alternative<Compiled>(result)) << std::get<CompileFailed>(result).log;
      std::string cubin = llvm::cantFail(readWholeFile(std::get<Compiled>(result).artifact));
      EXPECT_EQ(runtime::keepsVariables(cubin.data(), cubin.size()), keeps) << arch << ": " << text;
      for (size_t bytes = 0; bytes < cubin.size(); bytes += 61) // cut off anywhere
        runtime::keepsVariables(cubin.data(), bytes);
    }
}

/// Names that C's headers give to numbers and types stand in kernels without any #include, and as constants.
static const char numbers[] =
    "constexpr float none = -INFINITY;\n"
    "constexpr double far = HUGE_VAL;\n"
    "static_assert(none == -HUGE_VALF && far > DBL_MAX && none < -FLT_MAX, \"infinite\");\n"
    "static_assert(!(NAN == NAN) && -NAN != 0, \"no number\");\n"
    "static_assert(sizeof(INFINITY) == 4 && sizeof(NAN) == 4 && sizeof(M_PI) == 8 && sizeof(FLT_MAX) == 4, "
    "\"types\");\n"
    "static_assert(FLT_MAX == 16777215.0f * 20282409603651670423947251286016.0f, \"the largest\");\n"
    "static_assert(1.0f + FLT_EPSILON != 1.0f && 1.0 + DBL_EPSILON != 1.0 && FLT_MIN > 0 && DBL_MIN > 0, \"small\");\n"
    "static_assert(INT_MAX == ~INT_MIN && LLONG_MAX == ~LLONG_MIN && LONG_MAX == ~LONG_MIN, \"integers\");\n"
    "static_assert(UINT_MAX == ~0u && ULLONG_MAX == ~0ull && ULONG_MAX == ~0ul, \"unsigned\");\n"
    "static_assert(SHRT_MAX + USHRT_MAX + SCHAR_MAX + UCHAR_MAX + CHAR_BIT == 98692, \"narrow\");\n"
    "static_assert(M_PI == 2 * M_PI_2 && M_SQRT2 == 2 * M_SQRT1_2 && M_LN2 * M_LOG2E > 0.999, \"constants\");\n"
    "static_assert(sizeof(uint32_t) == sizeof(uint) && sizeof(int64_t) == 8 && sizeof(ushort) == 2, \"widths\");\n"
    "extern \"C\" __global__ void k(const float *x, float *y) { y[0] = x[0] == INFINITY ? none : NAN; }\n";

TEST_F(CompilersTest, NumbersHaveTheirNamesOnBothDevices) {
  for (auto create : {createHostCompiler, createNvrtcCompiler}) {
    auto compiler = create();
    if (!compiler)
      GTEST_SKIP() << llvm::toString(compiler.takeError());
    for (const char *before :
         {"", "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n#include <mma.h>\n#include <stdint.h>\n",
          "typedef unsigned int uint;\n#define FLT_MAX 3.402823466e+38f\n"
          "#ifndef INFINITY\n#error unknown\n#endif\n"}) {
      CompileResult result = llvm::cantFail((*compiler)->compile(std::string(before) + numbers, {}));
      ASSERT_TRUE(std::holds_alternative<Compiled>(result)) << before << std::get<CompileFailed>(result).log;
    }
    // A place in a message is the place in the text, whatever stands in front of it.
    CompileResult failed = llvm::cantFail((*compiler)->compile("\n" + std::string(wrong), {}));
    EXPECT_NE(std::get<CompileFailed>(failed).log.find("kernel.cu"), std::string::npos);
    EXPECT_NE(std::get<CompileFailed>(failed).reason.find("3"), std::string::npos);
  }
}

/// Inline assembly can end the function that it stands in and declare what it likes.
TEST_F(CompilersTest, NvrtcKnowsEveryKernelOfALargeNetwork) {
  auto compiler = createNvrtcCompiler();
  if (!compiler)
    GTEST_SKIP() << llvm::toString(compiler.takeError());
  // What ptxas says of them is longer than what is kept of a log for people.
  std::string text;
  constexpr size_t count = 400;
  for (size_t i = 0; i < count; ++i)
    text += "extern \"C\" __global__ void a_network_s_kernel_with_a_longish_name_number_" + std::to_string(i) +
            "(float *y) { y[threadIdx.x] = " + std::to_string(i) + "; }\n";
  CompileResult result = llvm::cantFail((*compiler)->compile(text, {}));
  ASSERT_TRUE(std::holds_alternative<Compiled>(result)) << std::get<CompileFailed>(result).reason;
  const Compiled &compiled = std::get<Compiled>(result);
  EXPECT_EQ(compiled.kernels.size(), count);
  EXPECT_LT(compiled.log.size(), size_t(66 * 1024));
  EXPECT_GT(compiled.log.size(), size_t(64 * 1024));
}

TEST_F(CompilersTest, NvrtcFindsCallsOfTheDeviceRuntime) {
  auto compiler = createNvrtcCompiler();
  if (!compiler)
    GTEST_SKIP() << llvm::toString(compiler.takeError());
  const std::string kernel = "extern \"C\" __global__ void k(void **out) { ";
  const std::string reached =
      "__device__ __noinline__ void opener() {\n"
      "  asm volatile(\"ret;\\n}\\n.extern\\n.func (.param .b64 r) malloc (.param .b64 s);\\n.func closer() "
      "{\");\n}\n" +
      kernel +
      "opener(); asm volatile(\"{ .reg .b64 a; mov.u64 a, 64; .param .b64 r; .param .b64 s; st.param.b64 [s], a; "
      "call.uni (r), malloc, (s); ld.param.b64 %0, [r]; }\" : \"=l\"(out[0])); }\n";
  for (const std::string &text : {kernel + "out[0] = malloc(64); }\n", reached}) {
    CompileResult result = llvm::cantFail((*compiler)->compile(text, {}));
    ASSERT_TRUE(std::holds_alternative<CompileFailed>(result)) << text;
    EXPECT_EQ(std::get<CompileFailed>(result).reason, "kernel.cu calls malloc of CUDA's device runtime: what it leaves "
                                                      "behind would outlive the launch");
  }
  CompileResult harmless = llvm::cantFail((*compiler)->compile(
      kernel + "if (out[0]) { printf(\"%d\\n\", 1); __assertfail(\"\", \"\", 1, \"\", 1); } }\n", {}));
  EXPECT_TRUE(std::holds_alternative<Compiled>(harmless)) << std::get<CompileFailed>(harmless).log;
}

/// Texts that would take a compiler hours, or all memory: its worker's limits end them.
TEST_F(CompilersTest, BombsAreStopped) {
  std::string doubling, includes;
  for (int i = 1; i < 40; ++i)
    doubling += "#define C" + std::to_string(i) + "(x) C" + std::to_string(i - 1) + "(x x)\n";
  for (int i = 0; i < 100000; ++i)
    includes += "#include \"mma.h\"\n";
  const std::string kernel = "extern \"C\" __global__ void twice(const float *x, float *out) { ",
                    end = "out[0] = x[0]; }\n";
  const std::string bombs[] = {
      "#define S(x) #x\n" + doubling + "#define C0(x) S(x)\n" + kernel + "float s = C39(a)[0]; " + end,
      "constexpr unsigned long long spin(unsigned long long n) { unsigned long long s = 0; for (unsigned long long i = "
      "0; "
      "i < n; ++i) s += i * s + 1; return s; }\n" +
          kernel + "constexpr auto s = spin(1ull << 40); out[1] = float(s); " + end,
      includes + kernel + end,
  };
  auto compiler = createNvrtcCompiler();
  if (!compiler)
    GTEST_SKIP() << llvm::toString(compiler.takeError());
  CompileOptions options;
  options.wallSeconds = 1.5;
  for (const std::string &bomb : bombs) {
    double start = monotonicSeconds();
    CompileResult result = llvm::cantFail((*compiler)->compile(bomb, options));
    EXPECT_TRUE(std::holds_alternative<CompileFailed>(result)) << bomb.substr(0, 200);
    EXPECT_LT(monotonicSeconds() - start, 10);
  }
}

TEST_F(CompilersTest, NvrtcThatIsNotThere) {
  std::string old = getenv("KGEN_NVRTC") ? getenv("KGEN_NVRTC") : "";
  setenv("KGEN_NVRTC", "/no/libnvrtc.so.13", 1);
  auto compiler = createNvrtcCompiler();
  old.empty() ? unsetenv("KGEN_NVRTC") : setenv("KGEN_NVRTC", old.c_str(), 1);
  ASSERT_FALSE(bool(compiler));
  EXPECT_EQ(llvm::toString(compiler.takeError()), "KGEN_NVRTC names /no/libnvrtc.so.13: No such file or directory");
}

TEST_F(CompilersTest, HostCompilerThatIsNotThere) {
  setenv("KGEN_HOST_CXX", "no-such-compiler", 1);
  auto compiler = createHostCompiler();
  unsetenv("KGEN_HOST_CXX");
  ASSERT_FALSE(bool(compiler));
  EXPECT_NE(llvm::toString(compiler.takeError()).find("no host compiler"), std::string::npos);
}
