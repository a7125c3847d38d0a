//===- HostCompiler.cpp - g++ against the host headers --------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "CompileRecord.h"
#include "InspectLibrary.h"
#include "kgen/Support/Chip.h"
#include "kgen/Toolchain/Cache.h"
#include "kgen/Toolchain/HostText.h"
#include "kgen/Toolchain/Process.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Program.h"
#include "llvm/TargetParser/Host.h"

#include <algorithm>
#include <map>
#include <optional>
#include <unistd.h>

using namespace kgen;
using namespace kgen::toolchain;

namespace {

struct Header {
  const char *name, *text;
};
const Header headers[] = {
#include "HostHeaders.inc"
};

/// What a cache holds was compiled under the rules of its time: a new number where they get stricter.
const char *const rulesVersion = "rules 6";

/// -O3 and OpenMP's simd for the loops over threads, which alone become vector code: in a sum over what is read
/// backwards GCC before 12.4 and 13.2 counts elements twice (its bug 110381). No strict aliasing because kernels view
/// shared memory as other types; contraction as on the device; the two math flags cost nothing in accuracy, but that
/// GCC takes the cosine of an arctangent for 1 / sqrt(x * x + 1) where errno is not asked for, with 0 for NaN, unless
/// it does not know the functions.
const char *const flags[] = {"-std=gnu++17",
                             "-O3",
                             "-fno-tree-loop-vectorize",
                             "-fopenmp-simd",
                             "-fsimd-cost-model=dynamic",
                             "-march=native",
#if defined(__x86_64__)
                             "-mno-avx512vl", // GCC 12 reads all of what it should load a part of (vblendps)
#endif
                             "-fPIC",
                             "-shared",
                             "-fno-strict-aliasing",
                             "-ffp-contract=fast",
                             "-fno-math-errno",
                             "-fno-trapping-math",
                             "-fno-builtin-atan",
                             "-fno-builtin-atanf",
                             "-fno-builtin-atanh",
                             "-fno-builtin-atanhf",
                             "-fno-stack-protector",
                             "-fvisibility=hidden",
                             "-fno-semantic-interposition",
                             "-fno-exceptions",
                             "-fno-rtti",
                             "-fno-threadsafe-statics", // arrays of __half in shared memory; no lock is there to take
                             "-nostartfiles",
                             "-U_FORTIFY_SOURCE",
                             "-fcf-protection=none",
                             "-fstack-usage", // for largestFrame
                             "-w",
                             "-pipe"};

/// Of what macros may make of a kernel.
constexpr uint64_t mostText = 128u << 20;

/// What a thread of a card has of local memory.
constexpr uint64_t localBytes = 512 * 1024;

/// The function with the largest stack frame and its bytes, from what -fstack-usage left in FOLDER.
std::pair<std::string, uint64_t> largestFrame(const std::string &folder) {
  std::pair<std::string, uint64_t> largest;
  for (const char *name : {"/kernel.so-kernel.su", "/kernel.su"}) {
    auto text = readWholeFile(folder + name);
    if (!text) {
      llvm::consumeError(text.takeError());
      continue;
    }
    llvm::SmallVector<llvm::StringRef> lines;
    llvm::StringRef(*text).split(lines, '\n', -1, false);
    for (llvm::StringRef line : lines) {
      // file:line:column:function <tab> bytes <tab> kind
      auto [place, rest] = line.split('\t');
      uint64_t bytes;
      if (!rest.split('\t').first.getAsInteger(10, bytes) && bytes > largest.second)
        largest = {place.split(':').second.split(':').second.split(':').second.str(), bytes};
    }
  }
  return largest;
}

class HostCompiler : public Compiler {
public:
  HostCompiler(std::string program, std::string version, std::string include, FileRules files)
      : program(std::move(program)), versionText(std::move(version)), include(std::move(include)),
        files(std::move(files)) {}

  std::string version() override { return versionText; }

  llvm::Expected<CompileResult> compile(llvm::StringRef source, const CompileOptions &options) override {
    if (llvm::Error error = checkSource(source))
      return CompileResult(CompileFailed{llvm::toString(std::move(error)), "", false, false});
    auto text = rewriteForHost(source);
    if (!text)
      return CompileResult(CompileFailed{llvm::toString(text.takeError()), "", false, false});
    return compileCached(
        contentKey({"host", rulesVersion, versionText, text->text, text->launchers}),
        [&](const std::string &folder) { return build(*text, folder, options); },
        [&](const std::string &folder) {
          return build(llvm::cantFail(rewriteForHost(knownText)), folder, CompileOptions());
        });
  }

private:
  llvm::Expected<CompileResult> build(const HostText &text, const std::string &folder, const CompileOptions &options) {
    if (llvm::Error error = writeFileAtomically(folder + "/kernel.host.cpp", text.text))
      return std::move(error);
    FileRules rules = files;
    rules.write.push_back(folder);
    Jail jail(rules, CallRules::Program);
    CompileOptions left = options;
    auto run = [&](const std::vector<std::string> &arguments, ProcessResult &result) {
      return runStep(arguments, folder, jail, left, result);
    };
    ProcessResult result;
    auto failed = run({"-E", "-I" + include, "-include", "kgen_host.h", "kernel.host.cpp", "-o", "kernel.ii"}, result);
    if (!failed)
      return failed.takeError();
    if (*failed)
      return CompileResult(**failed);
    auto preprocessed = readWholeFile(folder + "/kernel.ii", mostText);
    if (!preprocessed)
      return CompileResult(CompileFailed{llvm::toString(preprocessed.takeError()), result.output, false, false});
    if (llvm::Error error = checkPreprocessed(*preprocessed))
      return CompileResult(CompileFailed{llvm::toString(std::move(error)), result.output, false, false});
    if (llvm::Error error =
            writeFileAtomically(folder + "/kernel.ii", *preprocessed + "\n# 1 \"launchers\"\n" + text.launchers))
      return std::move(error);
    const double first = result.seconds;
    left.wallSeconds = std::max(1.0, options.wallSeconds - first);
    failed = run({"kernel.ii", "-o", "kernel.so"}, result);
    if (!failed)
      return failed.takeError();
    if (*failed)
      return CompileResult(**failed);
    llvm::sys::fs::remove(folder + "/kernel.ii");
    std::map<std::string, uint64_t> sections;
    if (std::string why = inspectLibrary(folder + "/kernel.so", sections); !why.empty())
      return CompileResult(CompileFailed{"kernel.cu holds " + why, result.output, false, false});
    if (auto [function, bytes] = largestFrame(folder); bytes > localBytes)
      return CompileResult(CompileFailed{function + " keeps " + std::to_string(bytes) +
                                             " bytes of local variables, a thread has at most 524288",
                                         result.output, false, false});
    Compiled compiled;
    compiled.artifact = "kernel.so";
    compiled.log = result.output;
    compiled.seconds = first + result.seconds;
    for (const HostKernel &kernel : text.kernels) {
      candidate::KernelResources resources;
      resources.kernel = kernel.name;
      resources.sharedBytes = int(std::min<uint64_t>(sections["kgen_shared_" + kernel.name], INT32_MAX));
      // The card's limit, which its compiler would name.
      if (resources.sharedBytes > Chip::staticSharedBytes)
        return CompileResult(CompileFailed{kernel.name + " declares " + std::to_string(resources.sharedBytes) +
                                               " bytes of static shared memory, at most " +
                                               std::to_string(Chip::staticSharedBytes) + " exist",
                                           result.output, false, false});
      compiled.kernels.push_back(resources);
    }
    return CompileResult(compiled);
  }

  /// Runs the compiler with the flags and ARGUMENTS; what it says when it fails.
  llvm::Expected<std::optional<CompileFailed>> runStep(const std::vector<std::string> &arguments,
                                                       const std::string &folder, const Jail &jail,
                                                       const CompileOptions &options, ProcessResult &result) {
    ProcessRequest request;
    request.directory = folder;
    request.arguments = {program};
    for (const char *flag : flags)
      request.arguments.push_back(flag);
    request.arguments.insert(request.arguments.end(), arguments.begin(), arguments.end());
    // Its temporary files beside its output: there is no other place that it may write.
    request.extraEnvironment = {"TMPDIR=" + folder, "LC_ALL=C"};
    request.jail = &jail;
    auto run = runProcess(request, compileLimits(options));
    if (!run)
      return run.takeError();
    result = std::move(*run);
    if (result.end == ProcessResult::End::TimedOut)
      return CompileFailed{"the host compiler ran longer than " + std::to_string(int(options.wallSeconds)) + " s",
                           result.output, true, false};
    if (result.end == ProcessResult::End::Exited && result.code == 0)
      return std::nullopt;
    CompileFailed failed;
    failed.log = result.output;
    failed.unexplained = result.end != ProcessResult::End::Exited || !namesPlaceInText(result.output);
    failed.unsupported = llvm::StringRef(result.output).contains(hostAssemblyMark);
    failed.reason = failed.unsupported ? "kernel.cu holds inline assembly, which device host cannot run"
                                       : firstError(result.output);
    if (result.end != ProcessResult::End::Exited)
      failed.reason = "the host compiler died of signal " + std::to_string(result.code);
    else if (failed.reason.empty())
      failed.reason = "the host compiler ended with status " + std::to_string(result.code) + " and says nothing";
    return failed;
  }

  std::string program, versionText, include;
  FileRules files; ///< what the compiler consists of
};

/// The compiler's own files: it is asked where they are. Its libraries lie in the system's folders.
FileRules findOwnFiles(const std::string &program) {
  FileRules rules;
  auto ask = [&](const std::string &question) -> std::string {
    ProcessRequest request;
    request.arguments = {program, question};
    ProcessLimits limits;
    limits.wallSeconds = 10;
    auto run = runProcess(request, limits);
    if (!run) {
      llvm::consumeError(run.takeError());
      return "";
    }
    return run->output;
  };
  auto add = [&](std::vector<std::string> &list, llvm::StringRef path) {
    llvm::SmallString<256> real;
    // A home or a root in a search path must not open everything.
    if (path.starts_with("/") && !llvm::sys::fs::real_path(path, real) && llvm::StringRef(real).count('/') >= 2)
      list.push_back(real.str().str());
  };
  add(rules.execute, program);
  for (const char *part : {"cc1plus", "collect2", "as", "ld"}) {
    std::string at = llvm::StringRef(ask(std::string("-print-prog-name=") + part)).trim().str();
    if (at.find('/') == std::string::npos)
      if (auto found = llvm::sys::findProgramByName(at))
        at = *found;
    add(rules.execute, at);
  }
  std::string answer = ask("-print-search-dirs");
  llvm::SmallVector<llvm::StringRef> lines, folders;
  llvm::StringRef(answer).split(lines, '\n');
  for (llvm::StringRef line : lines)
    line.split(": ").second.ltrim('=').split(folders, ':', -1, false);
  for (llvm::StringRef folder : folders)
    add(rules.execute, folder);
  for (const char *folder : {"/usr/lib", "/usr/lib64", "/usr/libexec"})
    add(rules.execute, folder);
  for (const char *path : {"/lib", "/lib64"})
    rules.execute.push_back(path);
  rules.read = {"/usr/include", "/usr/local/include", "/etc/ld.so.cache", "/dev/urandom", "/proc/cpuinfo"};
  rules.write = {"/dev/null"};
  return rules;
}

/// The folder in the cache that holds the headers, which KEY names by their content.
llvm::Expected<std::string> placeHeaders(llvm::StringRef key) {
  ContentCache cache(cacheRoot(), "host-include");
  for (bool again = false;; again = true) {
    bool hit = false;
    auto folder = cache.get(key, hit, [](const std::string &folder) {
      for (const Header &header : headers)
        if (llvm::Error error = writeFileAtomically(folder + "/" + header.name, header.text))
          return llvm::Expected<bool>(std::move(error));
      return llvm::Expected<bool>(true);
    });
    if (!folder || !hit || again)
      return folder;
    bool whole = true;
    for (const Header &header : headers) {
      auto text = readWholeFile(*folder + "/" + header.name);
      whole = whole && text && *text == header.text;
      llvm::consumeError(text.takeError());
    }
    if (whole)
      return folder;
    if (llvm::Error error = cache.remove(key))
      return std::move(error);
  }
}

} // namespace

llvm::Expected<std::unique_ptr<Compiler>> kgen::toolchain::createHostCompiler() {
  const char *chosen = getenv("KGEN_HOST_CXX");
  auto program = llvm::sys::findProgramByName(chosen && *chosen ? chosen : "g++");
  if (!program)
    return llvm::createStringError("no host compiler: device host needs g++ on PATH (or KGEN_HOST_CXX), e.g. "
                                   "`apt-get install g++`");
  ProcessRequest request;
  request.arguments = {*program, "--version"};
  ProcessLimits limits;
  limits.wallSeconds = 10;
  auto run = runProcess(request, limits);
  if (!run)
    return run.takeError();
  if (run->end != ProcessResult::End::Exited || run->code != 0)
    return llvm::createStringError("the host compiler %s does not run", program->c_str());

  // The headers go to the cache under their content's name, once.
  std::vector<llvm::StringRef> parts;
  for (const Header &header : headers) {
    parts.push_back(header.name);
    parts.push_back(header.text);
  }
  std::string key = contentKey(parts);
  auto include = placeHeaders(key);
  if (!include)
    return include.takeError();
  std::string version = llvm::StringRef(run->output).split('\n').first.str() + " " + key;
  for (const char *flag : flags)
    version += std::string(" ") + flag;
  // -march=native: a cache shared between machines must tell processors apart.
  version += " " + llvm::sys::getHostCPUName().str();
  FileRules files = findOwnFiles(*program);
  files.read.push_back(*include);
  return std::make_unique<HostCompiler>(*program, version, *include, std::move(files));
}
