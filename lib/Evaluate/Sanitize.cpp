//===- Sanitize.cpp - A candidate under compute-sanitizer -----------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A plain process of ours loads the candidate, gives it buffers of just the
// bytes that the plan names, nothing poisoned, and launches it once. The tools
// watch that process: memcheck, initcheck, synccheck, racecheck.
//
//===----------------------------------------------------------------------===//
#include "kgen/Evaluate/Sanitize.h"
#include "kgen/Device/CandidateProcess.h"
#include "kgen/Evaluate/Evaluator.h"
#include "kgen/Toolchain/Cache.h"
#include "kgen/Toolchain/Process.h"
#include "kgen/Toolchain/Scratch.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Program.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <poll.h>
#include <random>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

using namespace kgen;
using namespace kgen::evaluate;
namespace fs = llvm::sys::fs;

static constexpr int objection = 86;
static constexpr double toolSeconds = 30;
static constexpr const char finished[] = "kgen: the candidate has run";

std::string kgen::evaluate::findSanitizer() {
  if (const char *named = getenv("KGEN_SANITIZER"); named && *named)
    return llvm::StringRef(named) == "off" ? "" : named;
  std::vector<std::string> folders;
  for (const char *name : {"CUDA_HOME", "CUDA_PATH"})
    if (const char *root = getenv(name); root && *root)
      folders.push_back(std::string(root) + "/bin");
  folders.push_back("/usr/local/cuda/bin");
  if (auto found = llvm::sys::findProgramByName("compute-sanitizer"))
    return *found;
  for (const std::string &folder : folders)
    if (fs::can_execute(folder + "/compute-sanitizer"))
      return folder + "/compute-sanitizer";
  return "";
}

SanitizerReport kgen::evaluate::readSanitizerOutput(llvm::StringRef tool, const toolchain::ProcessResult &run) {
  SanitizerReport report;
  if (run.end == toolchain::ProcessResult::End::TimedOut) {
    report.outcome = SanitizerReport::Unknown;
    report.words = "no answer within " + std::to_string(int(toolSeconds)) + " s";
    return report;
  }
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(run.output).split(lines, '\n');
  bool ran = false;
  std::string first;
  for (llvm::StringRef line : lines) {
    ran |= line.contains(finished);
    if (!line.consume_front("========="))
      continue;
    line = line.trim();
    if (first.empty() && !line.empty() && !line.starts_with("COMPUTE-SANITIZER") && !line.contains(" SUMMARY:"))
      first = line.str();
  }
  if (run.end == toolchain::ProcessResult::End::Exited && run.code == objection && !first.empty() &&
      !llvm::StringRef(first).starts_with("Internal") && !llvm::StringRef(first).contains("Target application")) {
    report.outcome = SanitizerReport::Objects;
    report.words = first;
    report.verdict = tool == "racecheck" ? candidate::Verdict::Race : candidate::Verdict::Fault;
  } else if (!ran) {
    report.outcome = SanitizerReport::Unknown;
    report.words = first.empty() ? "it could not run the candidate" : first;
  }
  return report;
}

std::vector<std::string> kgen::evaluate::sanitizerTools(llvm::StringRef ptx) {
  std::vector<std::string> tools = {"memcheck", "initcheck"};
  // Without its machine text nobody knows what a kernel uses.
  if (ptx.empty() || ptx.contains("bar.") || ptx.contains("barrier"))
    tools.push_back("synccheck");
  if (ptx.empty() || ptx.contains(".shared"))
    tools.push_back("racecheck");
  return tools;
}

llvm::Error Evaluator::sanitize(const CandidateFiles &files, const EvaluateOptions &options,
                                candidate::Measurement &out) {
  if (parts.device == "host" || !out.passed())
    return llvm::Error::success();
  std::string program = findSanitizer();
  if (program.empty()) {
    out.sanitizer =
        "compute-sanitizer is not installed, or KGEN_SANITIZER switches it off: nothing was checked with it";
    return llvm::Error::success();
  }
  std::string artifact;
  auto plan = compileAgain(files, options, artifact);
  if (!plan)
    return plan.takeError();
  auto scratch = toolchain::ScratchFolder::create("plan");
  if (!scratch)
    return scratch.takeError();
  std::string planFile = scratch->path() + "/plan.json";
  if (llvm::Error error = toolchain::writeFileAtomically(planFile, plan->print()))
    return error;
  // Other inputs than the secret ones: the seed of these stands on a command line.
  std::string seed = std::to_string(std::random_device()());
  std::vector<std::string> tools = sanitizerTools(ptx);
  if (plan->isNetwork()) // the others take minutes on hundreds of kernels
    tools = {"memcheck", "initcheck"};
  std::vector<std::optional<llvm::Expected<toolchain::ProcessResult>>> runs(tools.size());
  auto runTool = [&](size_t i) {
    toolchain::ProcessRequest request;
    request.arguments = {program,         "--tool", tools[i], "--error-exitcode", std::to_string(objection),
                         "--print-limit", "4"};
    if (tools[i] == "memcheck")
      request.arguments.insert(request.arguments.end(), {"--report-api-errors", "no"});
    if (tools[i] == "racecheck")
      request.arguments.insert(request.arguments.end(), {"--racecheck-report", "analysis", "--print-level", "error"});
    request.arguments.insert(request.arguments.end(),
                             {toolchain::workerBinary(), "--kgen-sanitize-worker", parts.device, planFile, artifact,
                              seed, std::to_string(getpid())});
    toolchain::ProcessLimits limits;
    limits.wallSeconds = toolSeconds;
    runs[i].emplace(toolchain::runProcess(request, limits));
  };
  // Most of a tool's time is its own start, so they run side by side where the card has room for all of them.
  double bytes = plan->bufferBytes();
  for (const candidate::WorkspaceSpec &space : plan->workspace)
    bytes += double(space.bytes);
  const bool sideBySide = 2 * bytes * double(tools.size()) < double(parts.card.memoryBytes);
  std::vector<std::thread> threads;
  for (size_t i = 0; i < tools.size(); ++i)
    if (sideBySide)
      threads.emplace_back(runTool, i);
    else
      runTool(i);
  for (std::thread &thread : threads)
    thread.join();
  std::string clean, rest;
  llvm::Error failed = llvm::Error::success();
  for (size_t i = 0; i < tools.size(); ++i) {
    if (!*runs[i]) {
      failed = llvm::joinErrors(std::move(failed), runs[i]->takeError());
      continue;
    }
    SanitizerReport report = readSanitizerOutput(tools[i], **runs[i]);
    if (report.outcome == SanitizerReport::Clean) {
      char seconds[24];
      snprintf(seconds, sizeof seconds, " %.1f s", (*runs[i])->seconds);
      clean += (clean.empty() ? "" : ", ") + tools[i] + seconds;
      continue;
    }
    rest += (rest.empty() ? "" : "; ") + tools[i] + ": " + report.words;
    if (report.outcome == SanitizerReport::Objects && out.passed()) {
      out.verdict = report.verdict;
      out.detail = "compute-sanitizer's " + tools[i] + ": " + report.words;
    }
  }
  out.sanitizer = clean.empty() ? rest : clean + ": nothing found" + (rest.empty() ? "" : "; " + rest);
  return failed;
}

/// Fills an input with draws that repeat every few million elements: accesses do not depend on them, and drawing a
/// gigabyte takes longer than the kernel.
static llvm::Error fillRepeating(const candidate::BufferSpec &spec, unsigned arg, const judge::InputSet &set,
                                 std::vector<char> &bytes) {
  constexpr int64_t period = 1 << 22;
  candidate::BufferSpec piece = spec;
  if (spec.elements() > period)
    piece.shape = {period};
  if (llvm::Error error =
          judge::fillInput(piece, arg, set, llvm::MutableArrayRef<char>(bytes.data(), piece.bytes()), 4))
    return error;
  for (size_t done = piece.bytes(); done < bytes.size();) {
    size_t more = std::min(done, bytes.size() - done);
    memcpy(bytes.data() + done, bytes.data(), more);
    done += more;
  }
  return llvm::Error::success();
}

/// Ends this process when OWNER ends: the tool between them would let it hold the card until its kernel is through.
static void endWith(pid_t owner) {
  int handle = int(syscall(SYS_pidfd_open, owner, 0));
  if (handle < 0)
    return;
  std::thread([handle] {
    pollfd descriptor = {handle, POLLIN, 0};
    while (poll(&descriptor, 1, -1) < 0 && errno == EINTR) {
    }
    _exit(1);
  }).detach();
}

int kgen::evaluate::runSanitizeWorker(llvm::ArrayRef<std::string> arguments) {
  auto fail = [](llvm::Error error) {
    fprintf(stderr, "kgen: %s\n", llvm::toString(std::move(error)).c_str());
    return 1;
  };
  if (arguments.size() != 5)
    return fail(
        llvm::createStringError("--kgen-sanitize-worker is kgen's own: it takes DEVICE PLAN ARTIFACT SEED OWNER"));
  pid_t owner = 0;
  llvm::StringRef(arguments[4]).getAsInteger(10, owner);
  endWith(owner);
  auto device = device::createDevice(arguments[0]);
  if (!device)
    return fail(device.takeError());
  auto text = toolchain::readWholeFile(arguments[1]);
  if (!text)
    return fail(text.takeError());
  auto plan = candidate::LaunchPlan::parse(*text);
  if (!plan)
    return fail(plan.takeError());
  judge::InputSet set;
  llvm::StringRef(arguments[3]).getAsInteger(10, set.seed);
  auto session = device::CandidateSession::createBare(**device, *plan, arguments[2]);
  if (!session)
    return fail(session.takeError());
  for (unsigned i = 0; i < plan->inputs.size(); ++i) {
    std::vector<char> bytes(plan->inputs[i].bytes());
    if (llvm::Error error = fillRepeating(plan->inputs[i], i, set, bytes))
      return fail(std::move(error));
    if (llvm::Error error = (*session)->writeInput(i, bytes.data()))
      return fail(std::move(error));
  }
  if (llvm::Error error = (*session)->runBare())
    return fail(std::move(error));
  puts(finished);
  fflush(stdout);
  return 0;
}
