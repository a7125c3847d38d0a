//===- Confine.cpp - What a candidate may ask of the system ---------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Device/Confine.h"

#include "kgen/Device/Device.h"

#include "kgen/Toolchain/Jail.h"

#include <csignal>
#include <dlfcn.h>
#include <fstream>
#include <glob.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace kgen;
using namespace kgen::device;

// AddressSanitizer maps terabytes.
#if __has_feature(address_sanitizer)
static constexpr bool sanitized = true;
#else
static constexpr bool sanitized = false;
#endif

std::string kgen::device::confineHostCandidate(uint64_t extraBytes) {
  rlimit none = {0, 0};
  setrlimit(RLIMIT_FSIZE, &none);
  uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  uint64_t bytes = pages * uint64_t(sysconf(_SC_PAGESIZE)) + extraBytes;
  rlimit memory = {bytes, bytes};
  if (pages && !sanitized)
    setrlimit(RLIMIT_AS, &memory);
  return toolchain::confineThisProcess(toolchain::FileRules(), toolchain::CallRules::NoPrograms);
}

std::string kgen::device::confineBeforeLoading(const std::string &artifact) {
  toolchain::FileRules rules;
  rules.execute = splitArtifacts(artifact);
  rules.execute.insert(rules.execute.end(), {"/lib", "/lib64", "/usr/lib", "/usr/lib64"});
  rules.read = {"/etc/ld.so.cache", "/proc/self", "/sys/devices/system/cpu"};
  return toolchain::confineThisProcess(rules, toolchain::CallRules::NoPrograms);
}

int kgen::device::confineRun() {
  // What writes past the limit ends there; whoever started kgen may have chosen otherwise.
  signal(SIGXFSZ, SIG_DFL);
  constexpr int firstOther = 3;
  if (syscall(SYS_close_range, firstOther, ~0u, 0) != 0)
    for (int fd = firstOther, most = int(sysconf(_SC_OPEN_MAX)); fd < most; ++fd)
      close(fd);
  return toolchain::confineCalls(toolchain::CallRules::Kernel);
}

std::string kgen::device::confineCardCandidate(const std::string &artifact) {
  // Kernels cannot call the system, but the driver parses the candidate's machine code. It keeps its devices, its
  // libraries and what the kernel says about the card; nobody's home, no /tmp, no run folder.
  toolchain::FileRules rules;
  rules.execute = {"/usr", "/lib", "/lib64", "/opt/nvidia"};
  Dl_info driver;
  if (void *handle = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD)) {
    void *symbol = dlsym(handle, "cuInit");
    if (symbol && dladdr(symbol, &driver) && driver.dli_fname)
      if (std::string path = driver.dli_fname; path.rfind('/') != std::string::npos && path.rfind('/') > 0)
        rules.execute.push_back(path.substr(0, path.rfind('/')));
  }
  rules.read = splitArtifacts(artifact);
  rules.read.insert(rules.read.end(), {"/etc/ld.so.cache", "/etc/nvidia", "/sys", "/proc/self", "/proc/driver",
                                       "/proc/devices", "/proc/cpuinfo", "/proc/stat", "/proc/meminfo", "/proc/modules",
                                       "/proc/sys/vm", "/proc/sys/kernel", "/proc/mounts"});
  // Not /dev as a whole: /dev/shm holds other processes' memory.
  rules.write = {"/dev/null", "/dev/zero", "/dev/urandom"};
  glob_t devices;
  if (glob("/dev/nvidia*", 0, nullptr, &devices) == 0)
    rules.write.insert(rules.write.end(), devices.gl_pathv, devices.gl_pathv + devices.gl_pathc);
  globfree(&devices);
  return toolchain::confineThisProcess(rules, toolchain::CallRules::OneProcess);
}
