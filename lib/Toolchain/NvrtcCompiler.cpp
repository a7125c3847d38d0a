//===- NvrtcCompiler.cpp - NVRTC in one-shot child processes --------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "CompileRecord.h"
#include "kgen/Toolchain/Cache.h"
#include "kgen/Toolchain/GridWait.h"
#include "kgen/Toolchain/HostText.h"
#include "kgen/Toolchain/MachineCode.h"
#include "kgen/Toolchain/Process.h"
#include "kgen/Toolchain/Resources.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <algorithm>
#include <glob.h>

using namespace kgen;
using namespace kgen::toolchain;
namespace fs = llvm::sys::fs;

static std::vector<std::string> expand(const std::string &pattern) {
  std::vector<std::string> out;
  glob_t found;
  if (glob(pattern.c_str(), 0, nullptr, &found) == 0)
    out.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  globfree(&found);
  return out;
}

static std::string environment(const char *name) {
  const char *value = getenv(name);
  return value ? value : "";
}

/// Where pip puts packages: the virtual environment, the user's folder, the system's.
static std::vector<std::string> sitePackages() {
  std::vector<std::string> out;
  std::string home = environment("HOME"), venv = environment("VIRTUAL_ENV");
  auto add = [&](const std::string &pattern) {
    for (std::string &path : expand(pattern))
      out.push_back(std::move(path));
  };
  if (!venv.empty())
    add(venv + "/lib/python3*/site-packages");
  if (!home.empty())
    add(home + "/.local/lib/python3*/site-packages");
  for (const char *prefix : {"/usr/local/lib", "/usr/lib", "/opt/venv/lib", "/opt/conda/lib"}) {
    add(std::string(prefix) + "/python3*/site-packages");
    add(std::string(prefix) + "/python3*/dist-packages");
  }
  return out;
}

static std::string findLibrary() {
  if (std::string named = environment("KGEN_NVRTC"); !named.empty())
    return named;
  std::vector<std::string> folders;
  for (const char *name : {"CUDA_HOME", "CUDA_PATH"})
    if (std::string root = environment(name); !root.empty())
      folders.insert(folders.end(), {root + "/lib64", root + "/lib"});
  folders.insert(folders.end(), {"/usr/local/cuda/lib64", "/usr/lib/x86_64-linux-gnu"});
  llvm::SmallVector<llvm::StringRef> loader;
  std::string loaderPath = environment("LD_LIBRARY_PATH");
  llvm::StringRef(loaderPath).split(loader, ':', -1, false);
  for (llvm::StringRef folder : loader)
    folders.push_back(folder.str());
  for (const std::string &site : sitePackages())
    folders.insert(folders.end(), {site + "/nvidia/cu13/lib", site + "/nvidia/cuda_nvrtc/lib"});
  for (const char *name : {"libnvrtc.so.13", "libnvrtc.so.12"})
    for (const std::string &folder : folders)
      if (fs::exists(folder + "/" + name))
        return folder + "/" + name;
  return "";
}

/// Folders that hold cuda_fp16.h and its kin, best first.
static std::vector<std::string> findIncludes(const std::string &library) {
  std::vector<std::string> candidates, out;
  if (std::string named = environment("KGEN_CUDA_INCLUDE"); !named.empty())
    candidates.push_back(named);
  llvm::StringRef folder = llvm::sys::path::parent_path(library);
  candidates.push_back(llvm::sys::path::parent_path(folder).str() + "/include");
  for (const char *name : {"CUDA_HOME", "CUDA_PATH"})
    if (std::string root = environment(name); !root.empty())
      candidates.push_back(root + "/include");
  candidates.push_back("/usr/local/cuda/include");
  for (const std::string &path : expand("/usr/local/cuda-*/include"))
    candidates.push_back(path);
  for (const std::string &site : sitePackages()) {
    candidates.push_back(site + "/nvidia/cu13/include");
    candidates.push_back(site + "/nvidia/cuda_runtime/include");
  }
  for (std::string &path : candidates)
    if (fs::exists(path + "/cuda_fp16.h") && std::find(out.begin(), out.end(), path) == out.end())
      out.push_back(path);
  return out;
}

namespace {

class NvrtcCompiler : public Compiler {
public:
  NvrtcCompiler(std::string library, std::string version, std::vector<std::string> includes)
      : library(std::move(library)), versionText(std::move(version)), includes(std::move(includes)) {}

  std::string version() override { return versionText; }

  llvm::Expected<CompileResult> compile(llvm::StringRef given, const CompileOptions &options) override {
    if (llvm::Error error = checkSource(given))
      return CompileResult(CompileFailed{llvm::toString(std::move(error)), "", false, false});
    const std::string source = hasGridWait(options.arch) ? withGridWaits(given) : given.str();
    CompileOptions plain;
    plain.arch = options.arch;
    return compileCached(
        contentKey({"nvrtc", versionText, options.arch, source}),
        [&](const std::string &folder) { return build(source, folder, options); },
        [&](const std::string &folder) { return build(knownText, folder, plain); });
  }

private:
  llvm::Expected<CompileResult> build(llvm::StringRef source, const std::string &folder,
                                      const CompileOptions &options) {
    if (llvm::Error error = writeFileAtomically(folder + "/kernel.cu", source))
      return std::move(error);
    ProcessRequest request;
    request.directory = folder;
    request.arguments = {workerBinary(), "--kgen-compile-worker", library, options.arch, folder + "/kernel.cu", folder};
    request.arguments.insert(request.arguments.end(), includes.begin(), includes.end());
    // NVRTC opens its builtins library by name.
    std::string loader = environment("LD_LIBRARY_PATH");
    request.extraEnvironment = {"LD_LIBRARY_PATH=" + llvm::sys::path::parent_path(library).str() +
                                (loader.empty() ? "" : ":" + loader)};
    request.extraEnvironment.push_back("TMPDIR=" + folder);
    FileRules rules;
    rules.execute = {workerBinary(), llvm::sys::path::parent_path(library).str(), "/lib", "/lib64", "/usr/lib",
                     "/usr/lib64"};
    llvm::SmallVector<llvm::StringRef> folders;
    llvm::StringRef(loader).split(folders, ':', -1, false);
    for (llvm::StringRef path : folders)
      rules.execute.push_back(path.str());
    rules.read = {"/etc/ld.so.cache", "/dev/urandom", "/proc/cpuinfo", "/proc/meminfo", "/sys/devices/system/cpu"};
    rules.read.insert(rules.read.end(), includes.begin(), includes.end());
    rules.write = {folder, "/dev/null"};
    Jail jail(rules, CallRules::Program);
    request.jail = &jail;
    auto run = runProcess(request, compileLimits(options));
    if (!run)
      return run.takeError();
    CompileFailed failed;
    if (run->end == ProcessResult::End::TimedOut) {
      failed.timedOut = true;
      failed.reason = "NVRTC ran longer than " + std::to_string(int(options.wallSeconds)) + " s";
      return CompileResult(failed);
    }
    if (run->end == ProcessResult::End::Signalled) {
      failed.reason = "NVRTC died of signal " + std::to_string(run->code) + ", perhaps at its memory limit";
      failed.unexplained = true;
      return CompileResult(failed);
    }
    if (run->code == 2)
      return llvm::createStringError(llvm::StringRef(run->output).trim());
    std::string log;
    if (auto text = readWholeFile(folder + "/compile.log"))
      log = std::move(*text);
    else
      llvm::consumeError(text.takeError());
    // What is read here is all of it; what is kept for people is its beginning.
    std::string shown = log;
    if (shown.size() > 64 * 1024)
      shown = shown.substr(0, 64 * 1024) + "\n(cut at 64 KiB)\n";
    if (run->code != 0) {
      failed.log = log.empty() ? run->output : shown;
      failed.reason = firstError(failed.log);
      // NVRTC and ptxas name the text or a function of it; what is about neither begins so, or nothing came.
      failed.unexplained = log.empty() || llvm::StringRef(log).starts_with("error: NVRTC");
      if (llvm::StringRef(failed.log).contains("could not open source file") && includes.empty())
        failed.reason = "NVRTC finds no CUDA headers: install the toolkit's or set KGEN_CUDA_INCLUDE to the folder "
                        "that holds cuda_fp16.h";
      return CompileResult(failed);
    }
    failed.reason = findLostInstructions(log);
    if (!failed.reason.empty()) {
      failed.log = shown;
      return CompileResult(failed);
    }
    Compiled compiled;
    compiled.artifact = "kernel.cubin";
    compiled.log = shown;
    compiled.seconds = run->seconds;
    compiled.kernels = parsePtxasLog(log);
    auto ptx = readWholeFile(folder + "/kernel.ptx");
    if (!ptx)
      return ptx.takeError();
    markTensorCores(*ptx, compiled.kernels);
    auto cubin = readWholeFile(folder + "/kernel.cubin");
    if (!cubin)
      return cubin.takeError();
    failed.reason = findRuntimeCalls(*cubin);
    if (failed.reason.empty())
      failed.reason = findDriversRegisters(*ptx);
    if (!failed.reason.empty()) {
      failed.log = shown;
      return CompileResult(failed);
    }
    countInstructions(*cubin, compiled.kernels);
    return CompileResult(compiled);
  }

  std::string library, versionText;
  std::vector<std::string> includes;
};

} // namespace

llvm::Expected<std::unique_ptr<Compiler>> kgen::toolchain::createNvrtcCompiler() {
  std::string library = findLibrary();
  if (library.empty())
    return llvm::createStringError("NVRTC is not found: install it (`pip install nvidia-cuda-nvrtc`) or set KGEN_NVRTC "
                                   "to libnvrtc.so.13");
  fs::file_status status;
  if (std::error_code error = fs::status(library, status))
    return llvm::createStringError("KGEN_NVRTC names %s: %s", library.c_str(), error.message().c_str());
  llvm::SmallString<256> real;
  if (fs::real_path(library, real))
    real = library;
  std::vector<std::string> includes = findIncludes(real.str().str());
  // The library is not loaded here (the orchestrator stays free of it), so its size stands for its version.
  // The number at the end stands for the worker's options and what is recorded of its result: raise it with them.
  std::string version =
      "nvrtc " + llvm::sys::path::filename(real).str() + " " + std::to_string(status.getSize()) + " 5";
  for (const std::string &include : includes)
    version += " " + include;
  return std::make_unique<NvrtcCompiler>(real.str().str(), version, includes);
}
