//===- HostCompiler.cpp - g++ against the host headers --------------------===//
#include "CompileRecord.h"
#include "kgen/Toolchain/Cache.h"
#include "kgen/Toolchain/HostText.h"
#include "kgen/Toolchain/Process.h"

#include "llvm/Object/ELF.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Program.h"
#include "llvm/TargetParser/Host.h"

#include <map>
#include <unistd.h>

using namespace kgen;

namespace {

struct Header {
  const char *name, *text;
};
const Header headers[] = {
#include "HostHeaders.inc"
};

/// -O3 for the loops over threads; no strict aliasing because kernels view shared memory as other
/// types; contraction as on the device; the two math flags cost nothing in accuracy.
const char *const flags[] = {"-std=gnu++17",
                             "-O3",
                             "-march=native",
                             "-fPIC",
                             "-shared",
                             "-fno-strict-aliasing",
                             "-ffp-contract=fast",
                             "-fno-math-errno",
                             "-fno-trapping-math",
                             "-fno-stack-protector",
                             "-fvisibility=hidden",
                             "-fno-semantic-interposition",
                             "-fno-exceptions",
                             "-fno-rtti",
                             "-nostartfiles",
                             "-fcf-protection=none",
                             "-w",
                             "-pipe"};

/// What in a shared library runs before anyone calls it: a worker that loads it is not confined yet.
/// Empty: nothing. SIZES receives every section's.
std::string inspect(const std::string &path, std::map<std::string, uint64_t> &sizes) {
  auto text = readWholeFile(path);
  if (!text) {
    llvm::consumeError(text.takeError());
    return "no machine code";
  }
  auto file = llvm::object::ELF64LEFile::create(*text);
  if (!file) {
    llvm::consumeError(file.takeError());
    return "no machine code";
  }
  auto sections = file->sections();
  if (!sections) {
    llvm::consumeError(sections.takeError());
    return "no machine code";
  }
  for (const auto &section : *sections) {
    switch (section.sh_type) {
    case llvm::ELF::SHT_INIT_ARRAY:
    case llvm::ELF::SHT_PREINIT_ARRAY:
    case llvm::ELF::SHT_FINI_ARRAY:
      return "host code that runs when it is loaded (a global with a constructor?)";
    case llvm::ELF::SHT_RELA: {
      auto relocations = file->relas(section);
      if (!relocations) {
        llvm::consumeError(relocations.takeError());
        return "no machine code";
      }
      for (const auto &relocation : *relocations)
        if (relocation.getType(false) == llvm::ELF::R_X86_64_IRELATIVE)
          return "a function that is chosen when it is loaded";
      break;
    }
    default:
      break;
    }
    auto name = file->getSectionName(section);
    if (!name) {
      llvm::consumeError(name.takeError());
      continue;
    }
    if (*name == ".init" || *name == ".fini")
      return "host code that runs when it is loaded";
    sizes[name->str()] = section.sh_size;
  }
  return "";
}

class HostCompiler : public Compiler {
public:
  HostCompiler(std::string program, std::string version, std::string include)
      : program(std::move(program)), versionText(std::move(version)), include(std::move(include)) {}

  std::string version() override { return versionText; }

  llvm::Expected<CompileResult> compile(llvm::StringRef source, const CompileOptions &options) override {
    if (llvm::Error error = checkSource(source))
      return CompileResult(CompileFailed{llvm::toString(std::move(error)), "", false, false});
    auto text = rewriteForHost(source);
    if (!text)
      return CompileResult(CompileFailed{llvm::toString(text.takeError()), "", false, false});
    return compileCached(contentKey({"host", versionText, text->text}),
                         [&](const std::string &folder) { return build(*text, folder, options); });
  }

private:
  llvm::Expected<CompileResult> build(const HostText &text, const std::string &folder, const CompileOptions &options) {
    if (llvm::Error error = writeFileAtomically(folder + "/kernel.host.cpp", text.text))
      return std::move(error);
    ProcessRequest request;
    request.directory = folder;
    request.arguments = {program};
    for (const char *flag : flags)
      request.arguments.push_back(flag);
    request.arguments.insert(request.arguments.end(),
                             {"-I" + include, "-include", "kgen_host.h", "kernel.host.cpp", "-o", "kernel.so"});
    ProcessLimits limits;
    limits.wallSeconds = options.wallSeconds;
    limits.memoryBytes = options.memoryBytes;
    limits.fileBytes = 1ull << 30;
    auto run = runProcess(request, limits);
    if (!run)
      return run.takeError();
    if (run->end == ProcessResult::End::TimedOut)
      return CompileResult(
          CompileFailed{"the host compiler ran longer than " + std::to_string(int(options.wallSeconds)) + " s",
                        run->output, true, false});
    if (run->end != ProcessResult::End::Exited || run->code != 0) {
      CompileFailed failed;
      failed.log = run->output;
      failed.unsupported = llvm::StringRef(run->output).contains(hostAssemblyMark);
      failed.reason = failed.unsupported ? "kernel.cu holds inline assembly, which device host cannot run"
                                         : firstError(run->output);
      if (failed.reason.empty())
        failed.reason = "the host compiler died, perhaps at its memory limit";
      return CompileResult(failed);
    }
    std::map<std::string, uint64_t> sections;
    if (std::string why = inspect(folder + "/kernel.so", sections); !why.empty())
      return CompileResult(CompileFailed{"kernel.cu holds " + why, run->output, false, false});
    Compiled compiled;
    compiled.artifact = "kernel.so";
    compiled.log = run->output;
    compiled.seconds = run->seconds;
    for (const HostKernel &kernel : text.kernels) {
      KernelResources resources;
      resources.kernel = kernel.name;
      resources.sharedBytes = int(std::min<uint64_t>(sections["kgen_shared_" + kernel.name], INT32_MAX));
      // The card's limit, which its compiler would name.
      if (resources.sharedBytes > 48 * 1024)
        return CompileResult(CompileFailed{kernel.name + " declares " + std::to_string(resources.sharedBytes) +
                                               " bytes of static shared memory, at most 49152 exist",
                                           run->output, false, false});
      compiled.kernels.push_back(resources);
    }
    return CompileResult(compiled);
  }

  std::string program, versionText, include;
};

} // namespace

llvm::Expected<std::unique_ptr<Compiler>> kgen::createHostCompiler() {
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
  bool hit = false;
  auto include = ContentCache(cacheRoot(), "host-include").get(key, hit, [](const std::string &folder) {
    for (const Header &header : headers)
      if (llvm::Error error = writeFileAtomically(folder + "/" + header.name, header.text))
        return llvm::Expected<bool>(std::move(error));
    return llvm::Expected<bool>(true);
  });
  if (!include)
    return include.takeError();
  std::string version = llvm::StringRef(run->output).split('\n').first.str() + " " + key;
  for (const char *flag : flags)
    version += std::string(" ") + flag;
  // -march=native: a cache shared between machines must tell processors apart.
  version += " " + llvm::sys::getHostCPUName().str();
  return std::make_unique<HostCompiler>(*program, version, *include);
}
