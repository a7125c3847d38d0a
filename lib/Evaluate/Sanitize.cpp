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
#include "NetworkTasks.h"
#include "kgen/Device/CandidateProcess.h"
#include "kgen/Device/Parallel.h"
#include "kgen/Evaluate/Evaluator.h"
#include "kgen/Toolchain/Cache.h"
#include "kgen/Toolchain/Process.h"
#include "kgen/Toolchain/Scratch.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Program.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <condition_variable>
#include <cstring>
#include <mutex>
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
    report.words = "no answer within " + std::to_string(std::lround(run.seconds)) + " s";
    return report;
  }
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(run.output).split(lines, '\n');
  bool ran = false;
  std::string first, place;
  for (llvm::StringRef line : lines) {
    ran |= line.contains(finished);
    if (!line.consume_front("========="))
      continue;
    line = line.trim();
    // "at KERNEL+0x150 in FILE": of many kernels, which one.
    if (!first.empty() && place.empty() && line.starts_with("at "))
      place = line.split(" in ").first.str();
    if (first.empty() && !line.empty() && !line.starts_with("COMPUTE-SANITIZER") && !line.contains(" SUMMARY:"))
      first = line.str();
  }
  if (run.end == toolchain::ProcessResult::End::Exited && run.code == objection && !first.empty() &&
      !llvm::StringRef(first).starts_with("Internal") && !llvm::StringRef(first).contains("Target application")) {
    report.outcome = SanitizerReport::Objects;
    report.words = first + (place.empty() ? "" : " " + place);
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

double kgen::evaluate::expectedRacecheckSeconds(llvm::StringRef ptx, double us, double bytes) {
  // Some forty kernels on H200s (docs/trust.md), of which none without matrix instructions took long. Inputs are drawn
  // and copied first, and what threads store in shared memory costs more than what the card's copies bring.
  struct Cost {
    double start, slowdown;
  };
  constexpr Cost byTensorCopies = {1, 2500}, byCopies = {2, 15000}, byThreads = {5, 4500};
  constexpr double perByte = 0.4e-9;
  const bool hasGroups = ptx.contains("wgmma.mma_async");
  if (us <= 0 || (!hasGroups && !ptx.contains("mma.sync")))
    return 0;
  const Cost cost = !hasGroups || ptx.contains("cp.async.bulk.tensor") ? byTensorCopies
                    : ptx.contains("cp.async.bulk.shared")             ? byCopies
                                                                       : byThreads;
  return cost.start + perByte * bytes + cost.slowdown * us * 1e-6;
}

/// A plan and its machine code under one of the tools.
struct kgen::evaluate::SanitizerWatch {
  std::string task; ///< "" for the whole
  std::string tool, planFile, artifact;
  std::string key; ///< of what it would find
  double bytes = 0;
  bool prepares = false; ///< no run has it
  bool known = false;    ///< it was clean before
  bool started = false;  ///< there was time
  std::shared_ptr<llvm::Expected<toolchain::ProcessResult>> run;
};

namespace {

/// What a process that is watched takes on the card.
double bytesOf(const candidate::LaunchPlan &plan) {
  constexpr double context = 1e9; // with what a tool keeps beside it
  double bytes = context + plan.bufferBytes();
  for (const candidate::WorkspaceSpec &space : plan.workspace)
    bytes += double(space.bytes);
  return bytes;
}

/// Memory of the card for those who run beside each other; who alone is too large runs alone.
class Room {
public:
  explicit Room(double bytes) : left(bytes), all(bytes) {}
  void enter(double bytes) {
    std::unique_lock<std::mutex> guard(mutex);
    change.wait(guard, [&] { return bytes <= left || left == all; });
    left -= bytes;
  }
  void leave(double bytes) {
    std::lock_guard<std::mutex> guard(mutex);
    left += bytes;
    change.notify_all();
  }

private:
  std::mutex mutex;
  std::condition_variable change;
  double left;
  const double all;
};

/// "17 runs of memcheck", for a list.
std::string countTools(const std::vector<const SanitizerWatch *> &watches) {
  std::map<std::string, int> counts;
  for (const SanitizerWatch *watch : watches)
    ++counts[watch->tool];
  std::string words;
  for (const auto &[tool, count] : counts)
    words += (words.empty() ? "" : ", ") + tool + " of " + std::to_string(count);
  return words;
}

/// "03-linear (racecheck), the whole (memcheck)".
std::string listWatches(const std::vector<const SanitizerWatch *> &watches) {
  std::map<std::string, std::string> tools;
  for (const SanitizerWatch *watch : watches) {
    std::string &list = tools[watch->task.empty() ? "the whole" : watch->task];
    list += (list.empty() ? "" : ", ") + watch->tool;
  }
  std::string words;
  for (const auto &[task, list] : tools)
    words += (words.empty() ? "" : "; ") + task + " (" + list + ")";
  return words;
}

/// The name of the task of PLAN one of whose kernels WORDS name; "": none.
std::string findTask(const candidate::LaunchPlan &plan, llvm::StringRef words) {
  size_t launch = 0;
  for (const candidate::PlanStep &step : plan.steps)
    for (size_t end = launch + step.launches; launch < end; ++launch) {
      const std::string &kernel = plan.launches[launch].kernel;
      for (size_t at = words.find(kernel); at != llvm::StringRef::npos; at = words.find(kernel, at + 1)) {
        auto isWord = [](char c) { return isalnum(static_cast<unsigned char>(c)) || c == '_'; };
        const size_t after = at + kernel.size();
        if ((at == 0 || !isWord(words[at - 1])) && (after == words.size() || !isWord(words[after])))
          return step.task;
      }
    }
  return "";
}

} // namespace

/// Has PROGRAM watch all of WATCHES, as many at a time as threads and memory allow, until SECONDS have passed.
static void runWatches(std::vector<SanitizerWatch> &watches, const std::string &program, const std::string &device,
                       double memory, unsigned threads, double seconds) {
  // Other inputs than the secret ones: the seed of these stands on a command line.
  const std::string seed = std::to_string(std::random_device()());
  const double begin = toolchain::monotonicSeconds();
  Room room(memory / 2);
  auto watchOne = [&](SanitizerWatch &watch) {
    if (watch.known)
      return;
    room.enter(watch.bytes);
    constexpr double leastSeconds = 2; // a tool's own start
    const double left = seconds > 0 ? seconds - (toolchain::monotonicSeconds() - begin) : toolSeconds;
    if (left >= leastSeconds) {
      toolchain::ProcessRequest request;
      request.arguments = {program,         "--tool", watch.tool, "--error-exitcode", std::to_string(objection),
                           "--print-limit", "4"};
      if (watch.tool == "memcheck")
        request.arguments.insert(request.arguments.end(), {"--report-api-errors", "no"});
      if (watch.tool == "racecheck")
        request.arguments.insert(request.arguments.end(), {"--racecheck-report", "analysis", "--print-level", "error"});
      request.arguments.insert(request.arguments.end(),
                               {toolchain::workerBinary(), "--kgen-sanitize-worker", device, watch.planFile,
                                watch.artifact, seed, std::to_string(getpid())});
      toolchain::ProcessLimits limits;
      limits.wallSeconds = std::min(toolSeconds, left);
      watch.started = true;
      watch.run = std::make_shared<llvm::Expected<toolchain::ProcessResult>>(toolchain::runProcess(request, limits));
    }
    room.leave(watch.bytes);
  };
  // Most of a tool's time is its own start.
  device::parallelEach(watches.size(), std::clamp(threads / 2, 4u, 12u), [&](size_t i) { watchOne(watches[i]); });
}

/// The tasks of a network, each by itself, after those of the whole that are in WATCHES. FOLDER receives their plans.
llvm::Error Evaluator::addTaskWatches(const CandidateFiles &files, const candidate::LaunchPlan &plan,
                                      const std::string &folder, std::vector<SanitizerWatch> &watches) {
  auto tasks = readNetworkTasks(files.tasks);
  if (!tasks)
    return tasks.takeError();
  std::set<std::string> seen;
  size_t launch = 0;
  for (size_t step = 0; step < plan.steps.size(); launch += plan.steps[step++].launches) {
    const std::string &name = plan.steps[step].task;
    auto task = tasks->find(name);
    if (task == tasks->end() || !seen.insert(name).second)
      continue;
    // How its inputs are drawn is the graph's to say: an index has to be one.
    auto shape = parts.planOfGraph ? parts.planOfGraph(task->second.graph)
                                   : llvm::Expected<candidate::LaunchPlan>(task->second.shape);
    if (!shape)
      return shape.takeError();
    auto own = cutOutStep(plan, step, *shape);
    if (!own)
      return own.takeError();
    const std::string &text = files.modules[plan.launches[launch].module];
    toolchain::CompileOptions how;
    how.arch = parts.arch;
    auto compiled = parts.compiler->compile(text, how);
    if (!compiled)
      return compiled.takeError();
    auto *good = std::get_if<toolchain::Compiled>(&*compiled);
    if (!good)
      return llvm::createStringError("task %s does not compile again", name.c_str());
    SanitizerWatch watch;
    watch.task = name;
    watch.planFile = folder + "/" + std::to_string(step) + ".json";
    watch.artifact = good->artifact;
    watch.bytes = bytesOf(*own);
    watch.prepares = step < plan.prepareSteps;
    if (llvm::Error error = toolchain::writeFileAtomically(watch.planFile, own->print()))
      return error;
    for (const std::string &tool : sanitizerTools(good->ptx)) {
      watch.tool = tool;
      watch.key = toolchain::contentKey({tool, text, own->print()});
      watch.known = cleanTasks.count(watch.key) > 0;
      watches.push_back(watch);
    }
  }
  // What only this look can find comes first, and a run's kernels before those that prepare.
  auto isOwn = [](const SanitizerWatch &watch) { return watch.tool == "racecheck" || watch.tool == "synccheck"; };
  std::stable_sort(watches.begin(), watches.end(), [&](const SanitizerWatch &a, const SanitizerWatch &b) {
    auto rank = [&](const SanitizerWatch &watch) {
      return watch.task.empty() ? 0 : (isOwn(watch) ? 1 : 2) + (watch.prepares ? 2 : 0);
    };
    return rank(a) < rank(b);
  });
  return llvm::Error::success();
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
  auto working = parts.gate->work(); // slow, and nobody times it
  auto scratch = toolchain::ScratchFolder::create("plan");
  if (!scratch)
    return scratch.takeError();
  SanitizerWatch whole;
  whole.planFile = scratch->path() + "/plan.json";
  whole.artifact = artifact;
  whole.bytes = bytesOf(*plan);
  if (llvm::Error error = toolchain::writeFileAtomically(whole.planFile, plan->print()))
    return error;
  std::vector<std::string> tools = sanitizerTools(ptx);
  if (plan->isNetwork()) // the others take minutes on hundreds of kernels, and look at each task below
    tools = {"memcheck", "initcheck"};
  std::vector<SanitizerWatch> watches;
  std::string leftOut;
  const double raceSeconds =
      plan->isNetwork() ? 0 : expectedRacecheckSeconds(ptx, options.knownUs, plan->bufferBytes());
  for (const std::string &tool : tools) {
    if (tool == "racecheck" && options.checkSeconds > 0 && raceSeconds > options.checkSeconds) {
      char text[160];
      snprintf(text, sizeof text, "racecheck%sa kernel of %.3g ms is expected to take it %.0f s, and there are %.0f s",
               candidate::sanitizerLeftOut.data(), options.knownUs * 1e-3, raceSeconds, options.checkSeconds);
      leftOut = text;
      continue;
    }
    whole.tool = tool;
    watches.push_back(whole);
  }
  if (plan->isNetwork() && !files.tasks.empty())
    if (llvm::Error error = addTaskWatches(files, *plan, scratch->path(), watches))
      return error;
  const double begin = toolchain::monotonicSeconds();
  runWatches(watches, program, parts.device, double(parts.card.memoryBytes), parts.threads, options.checkSeconds);
  llvm::Error failed = takeWatches(watches, *plan, toolchain::monotonicSeconds() - begin, out);
  if (!leftOut.empty())
    out.sanitizer += (out.sanitizer.empty() ? "" : "; ") + leftOut;
  return failed;
}

/// Writes down what WATCHES of PLAN, which took SECONDS, said.
llvm::Error Evaluator::takeWatches(std::vector<SanitizerWatch> &watches, const candidate::LaunchPlan &plan,
                                   double seconds, candidate::Measurement &out) {
  std::string clean, rest;
  std::vector<const SanitizerWatch *> cleanTaskRuns, late, unknown;
  std::set<std::string> lookedAt;
  llvm::Error failed = llvm::Error::success();
  for (SanitizerWatch &watch : watches) {
    if (watch.run && !*watch.run) {
      failed = llvm::joinErrors(std::move(failed), watch.run->takeError());
      continue;
    }
    if (!watch.known && !watch.started) {
      late.push_back(&watch);
      continue;
    }
    SanitizerReport report;
    if (!watch.known)
      report = readSanitizerOutput(watch.tool, **watch.run);
    if (report.outcome == SanitizerReport::Clean) {
      if (watch.task.empty()) {
        char text[24];
        snprintf(text, sizeof text, " %.1f s", (*watch.run)->seconds);
        clean += (clean.empty() ? "" : ", ") + watch.tool + text;
        continue;
      }
      cleanTaskRuns.push_back(&watch);
      lookedAt.insert(watch.task);
      cleanTasks.insert(watch.key);
      continue;
    }
    if (report.outcome == SanitizerReport::Unknown && !watch.task.empty()) {
      unknown.push_back(&watch);
      continue;
    }
    const std::string who = watch.task.empty() ? findTask(plan, report.words) : watch.task;
    const std::string said = watch.tool + ": " + report.words;
    rest += (rest.empty() ? "" : "; ") + (who.empty() ? "" : "task " + who + ", ") + said;
    if (report.outcome == SanitizerReport::Objects && out.passed()) {
      out.verdict = report.verdict;
      out.detail = (who.empty() ? "" : "task " + who + " is at fault: ") + "compute-sanitizer's " + said;
    }
  }
  out.sanitizer = clean;
  if (!cleanTaskRuns.empty()) {
    char text[64];
    snprintf(text, sizeof text, "%zu tasks by themselves in %.1f s (", lookedAt.size(), seconds);
    out.sanitizer += (clean.empty() ? "" : "; ") + (text + countTools(cleanTaskRuns)) + ")";
  }
  if (!out.sanitizer.empty())
    out.sanitizer += ": nothing found";
  if (!rest.empty())
    out.sanitizer += (out.sanitizer.empty() ? "" : "; ") + rest;
  if (!late.empty())
    out.warnings.push_back("compute-sanitizer had no time for: " + listWatches(late));
  if (!unknown.empty())
    out.warnings.push_back("compute-sanitizer came to no end with: " + listWatches(unknown));
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
  auto made = device::createDevice(arguments[0]);
  if (!made)
    return fail(made.takeError());
  // It is never freed: after a fault the driver refuses that, too, and the tool would report each call.
  static device::Device *device;
  device = made->release();
  auto text = toolchain::readWholeFile(arguments[1]);
  if (!text)
    return fail(text.takeError());
  auto plan = candidate::LaunchPlan::parse(*text);
  if (!plan)
    return fail(plan.takeError());
  judge::InputSet set;
  llvm::StringRef(arguments[3]).getAsInteger(10, set.seed);
  auto session = device::CandidateSession::createBare(*device, *plan, arguments[2]);
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
