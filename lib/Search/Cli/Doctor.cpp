//===- Doctor.cpp - What this machine has ---------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The orchestrator loads no driver, here neither: the kgen-eval child asks it.
//
//===----------------------------------------------------------------------===//

#include "kgen/Search/ProblemSource.h"
#include "kgen/Search/SearchTool.h"
#include "kgen/Toolchain/Compiler.h"
#include "kgen/Toolchain/Jail.h"
#include "kgen/Toolchain/Process.h"
#include "kgen/Toolchain/Python.h"
#include "kgen/Trajectory/Journal.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Program.h"

using namespace llvm;

namespace kgen::search {
namespace {

/// One thing that a machine has or lacks.
struct Finding {
  std::string name;
  bool there = false;
  std::string detail; ///< what was found, or why it was not
  std::string use;    ///< what it is needed for
  std::string fix;    ///< the command that installs it
};

/// The output of a program that ended well.
Expected<std::string> outputOf(std::vector<std::string> arguments, double seconds = 60) {
  toolchain::ProcessRequest request;
  request.arguments = std::move(arguments);
  toolchain::ProcessLimits limits;
  limits.wallSeconds = seconds;
  auto run = toolchain::runProcess(request, limits);
  if (!run)
    return run.takeError();
  if (run->end == toolchain::ProcessResult::End::TimedOut)
    return createStringError("no answer within " + std::to_string(int(seconds)) + " s");
  if (run->end == toolchain::ProcessResult::End::Signalled)
    return createStringError("it died of signal " + std::to_string(run->code));
  if (run->end != toolchain::ProcessResult::End::Exited || run->code != 0)
    return createStringError(StringRef(run->output).trim().rsplit('\n').second.empty()
                                 ? StringRef(run->output).trim().take_front(200).str()
                                 : StringRef(run->output).trim().rsplit('\n').second.take_front(200).str());
  return StringRef(run->output).trim().str();
}

class Doctor {
public:
  explicit Doctor(const SearchToolWorld &world) : world(world) {}

  int examine(bool json) {
    programs();
    compilers();
    devices();
    python();
    tools();
    bool works = is("host compiler") && is("kgen-eval") && is("kgen-oracle") && is("device host") && is("problems");
    std::string verdict = "searching on device host works";
    if (!works)
      for (const Finding &finding : findings)
        if (!finding.there && finding.use.empty()) {
          verdict = "searching on device host does not work: " + finding.name + ": " + finding.detail;
          break;
        }
    json ? printJson(works, verdict) : printText(verdict);
    return works ? 0 : 1;
  }

private:
  void add(std::string name, bool there, std::string detail, std::string use = "", std::string fix = "") {
    findings.push_back({std::move(name), there, std::move(detail), std::move(use), std::move(fix)});
  }
  bool is(StringRef name) const {
    for (const Finding &finding : findings)
      if (finding.name == name)
        return finding.there;
    return false;
  }

  void programs() {
    for (const char *name : {"kgen-eval", "kgen-oracle"}) {
      std::string path = world.programFolder + "/" + name;
      bool there = sys::fs::can_execute(path);
      add(name, there, there ? path : "not beside kgen-search, in " + world.programFolder, "",
          "build the target " + std::string(name));
    }
    SourceFolders folders = findSourceFolders(world.fs, world.programFolder);
    size_t problems = listProblems(world.fs, folders).size();
    add("problems", problems > 0,
        problems ? std::to_string(problems) + " in " + folders.problems : "none beside kgen-search", "",
        "set KGEN_PROBLEMS to their folder");
  }

  void compilers() {
    auto host = toolchain::createHostCompiler();
    std::string version = host ? (*host)->version() : toString(host.takeError());
    // Behind it stand the headers' hash and the options.
    add("host compiler", bool(host), host ? StringRef(version).split(" -").first.rsplit(' ').first.str() : version, "",
        "apt-get install g++");
    auto nvrtc = toolchain::createNvrtcCompiler();
    std::string found = nvrtc ? (*nvrtc)->version() : toString(nvrtc.takeError());
    bool headers = StringRef(found).contains("/include");
    add("nvrtc", bool(nvrtc), nvrtc ? StringRef(found).split(" ").second.split(" ").first.str() : found,
        "compiling for a card", "pip install nvidia-cuda-nvrtc");
    add("CUDA headers", nvrtc && headers,
        headers ? ("/" + StringRef(found).split(" /").second.split(" ").first).str() : "cuda_fp16.h is not found",
        "kernels in fp16, bf16 or on tensor cores",
        "pip install nvidia-cuda-runtime nvidia-cuda-crt nvidia-cuda-cccl (or set KGEN_CUDA_INCLUDE)");
    const toolchain::Isolation &isolation = toolchain::supportedIsolation();
    add("isolation", isolation.confinesFiles() && isolation.calls, toolchain::describeIsolation(isolation),
        "compiling and running what a model wrote", "a kernel with Landlock (5.13) or user namespaces, and seccomp");
  }

  void devices() {
    // One process each: a driver that hangs or dies says nothing of the host.
    constexpr double patience = 60;
    trajectory::Json answer = trajectory::Json::object();
    for (auto [device, key] : {std::pair("host", "host"), std::pair("card", "driver")}) {
      auto text = outputOf({world.programFolder + "/kgen-eval", "--kgen-doctor", device}, patience);
      trajectory::Json one = text ? trajectory::parseStoredJson(*text) : trajectory::Json();
      if (one.is_object())
        answer.update(one);
      else
        answer[key] = text ? "kgen-eval answers with something else than JSON" : toString(text.takeError());
    }
    auto said = [&](const char *key) { return answer.value(key, std::string()); };
    add("device host", said("host") == "answers",
        said("host") == "answers" ? "answers its known-answer kernel" : said("host"));
    bool card = answer.contains("card");
    add("driver and card", card, card ? said("card") : said("driver"), "--device cuda",
        "the NVIDIA driver, e.g. apt-get install nvidia-driver");
    if (card)
      add("device cuda:0", said("cuda") == "answers",
          said("cuda") == "answers" ? "answers its known-answer kernel" : said("cuda"), "--device cuda",
          "the lines above; a card that hangs needs its administrator");
  }

  void python() {
    std::string program = toolchain::findPython();
    auto version = outputOf({program, "--version"});
    add("python", bool(version), version ? *version + ", " + program : toString(version.takeError()),
        "importing FILE.py, PyTorch's times", "apt-get install python3 python3-venv");
    auto torch = outputOf({program, "-c",
                           "import torch; print(torch.__version__, 'CUDA ' + torch.version.cuda if torch.version.cuda "
                           "else 'CPU only')"});
    // Whatever it warns of comes first.
    std::string said = torch ? StringRef(*torch).trim().split('\n').first.str() : toString(torch.takeError());
    if (torch && StringRef(*torch).contains('\n'))
      said = StringRef(*torch).rsplit('\n').second.str();
    add("torch", bool(torch), said, "importing FILE.py, PyTorch's times",
        "pip install torch, in a virtual environment .venv beside kgen, or in one that KGEN_PYTHON names");
  }

  void tools() {
    auto find = [&](const char *name, const char *use, const char *fix) {
      auto path = sys::findProgramByName(name);
      if (!path)
        path = sys::findProgramByName(name, {"/usr/local/cuda/bin"});
      add(name, bool(path), path ? *path : "not on PATH nor in /usr/local/cuda/bin", use, fix);
    };
    find("compute-sanitizer", "memory and race checks of a new best kernel", "apt-get install cuda-sanitizer-13-0");
    find("ncu", "hardware counters for diagnoses", "apt-get install cuda-nsight-compute-13-0");
    find("nvcc", "nothing in a search; comparing with the offline compiler", "apt-get install cuda-nvcc-13-0");
  }

  void printText(const std::string &verdict) {
    for (const Finding &finding : findings) {
      world.out << left_justify(finding.name, 18) << left_justify(finding.there ? "ok" : "missing", 9) << finding.detail
                << "\n";
      if (finding.there)
        continue;
      if (!finding.use.empty())
        world.out << left_justify("", 27) << "for: " << finding.use << "\n";
      if (!finding.fix.empty())
        world.out << left_justify("", 27) << "get: " << finding.fix << "\n";
    }
    world.out << "\n" << verdict << "\n";
  }

  void printJson(bool works, const std::string &verdict) {
    trajectory::Json list = trajectory::Json::array();
    for (const Finding &finding : findings)
      list.push_back({{"name", finding.name},
                      {"ok", finding.there},
                      {"detail", finding.detail},
                      {"for", finding.use},
                      {"get", finding.fix}});
    trajectory::Json all = {{"version", 1}, {"host_search_works", works}, {"verdict", verdict}, {"findings", list}};
    world.out << all.dump(2, ' ', false, trajectory::Json::error_handler_t::replace) << "\n";
  }

  const SearchToolWorld &world;
  std::vector<Finding> findings;
};

} // namespace

int runDoctor(const SearchCommand &command, const SearchToolWorld &world) {
  return Doctor(world).examine(command.format == "json");
}

} // namespace kgen::search
