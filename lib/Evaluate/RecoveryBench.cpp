//===- RecoveryBench.cpp - A thousand faults and hangs --------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Evaluate/RecoveryBench.h"

#include "kgen/Evaluate/Evaluator.h"
#include "kgen/Evaluate/Recovery.h"
#include "kgen/Toolchain/Cache.h"
#include "kgen/Toolchain/Process.h"
#include "kgen/Toolchain/Scratch.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <thread>
#include <unistd.h>

using namespace kgen;
using namespace kgen::evaluate;
namespace fs = llvm::sys::fs;

namespace {

/// One way to go wrong, with the verdict that it must get.
struct Mishap {
  const char *name, *body;
  candidate::Verdict verdict;
};

const Mishap mishaps[] = {
    // The first page is never mapped; another far address may be the driver's.
    {"far write", "((float *)0x10ull)[threadIdx.x] = x[threadIdx.x];", candidate::Verdict::Fault},
    {"far read", "out[threadIdx.x] = ((const float *)0x10ull)[threadIdx.x];", candidate::Verdict::Fault},
    {"trap", "if (x[0] == x[0]) __trap();", candidate::Verdict::Fault},
    {"near write", "out[1024 + threadIdx.x] = 1.0f;", candidate::Verdict::Fault},
    // Reads what it writes, so that no compiler finds out that the loop has no end.
    {"hang", "volatile float *o = out; while (o[0] == o[0] || o[1] != o[2]) o[0] = 1.0f;", candidate::Verdict::Timeout},
};
const size_t hangIndex = std::size(mishaps) - 1;

const char planText[] = R"json({"version": 1, "problem": "mishap", "arch": "any", "precision": "strict-fp32",
  "inputs": [{"name": "x", "dtype": "f32", "shape": [1024]}],
  "outputs": [{"name": "out0", "dtype": "f32", "shape": [1024]}], "workspace": [],
  "launches": [{"kernel": "mishap", "grid": [1, 1, 1], "block": [256, 1, 1], "shared_bytes": 0,
    "args": [{"buffer": "in0"}, {"buffer": "out0"}]}]})json";

class Bench {
public:
  Bench(const RecoveryBenchRequest &request, const Evaluator &evaluator)
      : request(request), evaluator(evaluator), plan(llvm::cantFail(candidate::LaunchPlan::parse(planText))) {}

  llvm::Error prepare() {
    auto made = toolchain::ScratchFolder::create("mishap");
    if (!made)
      return made.takeError();
    scratch = std::move(*made);
    planFile = scratch.path() + "/plan.json";
    if (llvm::Error error = toolchain::writeFileAtomically(planFile, plan.print()))
      return error;
    toolchain::CompileOptions options;
    options.arch = evaluator.arch();
    for (const Mishap &mishap : mishaps) {
      auto result = evaluator.compiler()->compile("extern \"C\" __global__ void mishap(const float *x, float *out) { " +
                                                      std::string(mishap.body) + " }\n",
                                                  options);
      if (!result)
        return result.takeError();
      if (auto *failed = std::get_if<toolchain::CompileFailed>(&*result))
        return llvm::createStringError(std::string(mishap.name) + " does not compile: " + failed->reason);
      artifacts.push_back(std::get<toolchain::Compiled>(*result).artifact);
    }
    return llvm::Error::success();
  }

  /// Mishaps until none are left, or the time is up; what went wrong, or "".
  std::string work() {
    RecoveringRunner runner(device::createProcessRunner(), evaluator.device(), evaluator.arch(), evaluator.compiler());
    std::string failure;
    if (llvm::Error error = runner.prepare())
      failure = llvm::toString(std::move(error));
    for (int i; failure.empty() && !stop && !timeIsUp() && (i = next++) < request.count;) {
      failure = one(runner, i);
      if (failure.empty())
        note(runner.recoverySeconds().back(), isHang(i));
    }
    if (!failure.empty())
      stop = true;
    return failure;
  }

  /// The smallest value that FRACTION of all do not exceed.
  double percentile(double fraction) {
    std::lock_guard<std::mutex> guard(lock);
    std::vector<double> sorted = seconds;
    std::sort(sorted.begin(), sorted.end());
    size_t rank = size_t(std::max(1.0, std::ceil(fraction * double(sorted.size()))));
    return sorted.empty() ? 0 : sorted[rank - 1];
  }

  std::vector<double> seconds; ///< from each kill to the right answer
  int hangs = 0;               ///< among them
  double start = toolchain::monotonicSeconds();

private:
  /// Hangs spread evenly over the whole.
  bool isHang(int index) const {
    return int64_t(index + 1) * request.hangs / request.count > int64_t(index) * request.hangs / request.count;
  }
  bool timeIsUp() const {
    return request.mostSeconds > 0 && toolchain::monotonicSeconds() - start > request.mostSeconds;
  }

  /// One more recovery: what is known so far goes to stderr every two seconds, and to the file.
  void note(double taken, bool hang) {
    {
      std::lock_guard<std::mutex> guard(lock);
      seconds.push_back(taken);
      hangs += hang;
      double now = toolchain::monotonicSeconds();
      if (now - told < 2)
        return;
      told = now;
    }
    tell();
  }

public:
  void tell() {
    size_t done;
    {
      std::lock_guard<std::mutex> guard(lock);
      done = seconds.size();
    }
    llvm::errs() << "kgen-eval: " << done << " of " << request.count << " recovered"
                 << llvm::format(" after %.1f s, p50 %.3f s", toolchain::monotonicSeconds() - start, percentile(0.5))
                 << llvm::format(", p99 %.3f s\n", percentile(0.99));
    if (request.out.empty())
      return;
    std::string text = "{\"device\": \"" + evaluator.device() + "\", \"jobs\": " + std::to_string(request.jobs) +
                       ", \"hangs\": " + std::to_string(hangs) + ", \"seconds\": [";
    {
      std::lock_guard<std::mutex> guard(lock);
      for (size_t i = 0; i < seconds.size(); ++i) {
        char number[24];
        snprintf(number, sizeof number, "%s%.4f", i ? ", " : "", seconds[i]);
        text += number;
      }
    }
    if (llvm::Error error = toolchain::writeFileAtomically(request.out, text + "]}\n"))
      llvm::errs() << "kgen-eval: " << llvm::toString(std::move(error)) << "\n";
  }

private:
  std::string one(RecoveringRunner &runner, int index) {
    bool hang = isHang(index);
    size_t which = hang ? hangIndex : size_t(index) % hangIndex;
    size_t bytes;
    device::packBuffers(plan.inputs, 0, bytes);
    auto input = device::SharedMemory::create(bytes);
    if (!input)
      return llvm::toString(input.takeError());
    device::CandidateJob job;
    job.device = evaluator.device();
    job.planFile = planFile;
    job.artifact = artifacts[which];
    job.plan = &plan;
    job.inputSets = {&*input};
    job.bufferSets = 1;
    job.runSeconds = hang ? request.hangSeconds : 10;
    std::unique_ptr<device::CandidateProcess> process;
    device::RunReport report;
    std::string name = mishaps[which].name;
    auto outcome = runner.start(job, process);
    if (outcome && !*outcome)
      outcome = process->run(0, device::RunRequest(), report);
    if (!outcome)
      return name + ": " + llvm::toString(outcome.takeError());
    if (!*outcome)
      return name + " passed";
    if ((*outcome)->verdict != mishaps[which].verdict)
      return name + " got " + candidate::verdictName((*outcome)->verdict).str() + ": " + (*outcome)->detail;
    return "";
  }

  const RecoveryBenchRequest &request;
  const Evaluator &evaluator;
  candidate::LaunchPlan plan;
  toolchain::ScratchFolder scratch; ///< holds planFile
  std::string planFile;
  std::vector<std::string> artifacts;
  std::atomic<int> next{0};
  std::atomic<bool> stop{false};
  std::mutex lock;
  double told = start; ///< when the last line went to stderr
};

} // namespace

llvm::Expected<double> kgen::evaluate::benchRecovery(const RecoveryBenchRequest &request) {
  auto evaluator = Evaluator::create(request.device);
  if (!evaluator)
    return evaluator.takeError();
  Bench bench(request, **evaluator);
  if (llvm::Error error = bench.prepare())
    return std::move(error);
  bench.start = toolchain::monotonicSeconds();
  std::vector<std::string> failures(size_t(std::max(1, request.jobs)));
  std::vector<std::thread> threads;
  for (std::string &failure : failures)
    threads.emplace_back([&] { failure = bench.work(); });
  for (std::thread &thread : threads)
    thread.join();
  double wall = toolchain::monotonicSeconds() - bench.start;
  bench.tell();
  llvm::outs() << "device      " << (*evaluator)->device() << "\n"
               << "mishaps     " << bench.seconds.size() << " of " << request.count << ", " << bench.hangs
               << " of them hangs killed after " << llvm::format("%.3g s, ", request.hangSeconds) << request.jobs
               << " at a time\n"
               << "recovered   " << bench.seconds.size()
               << ", each with the verdict that it must have and a right answer from a fresh process\n"
               << llvm::format("p50         %.3f s after the kill\n", bench.percentile(0.5))
               << llvm::format("p99         %.3f s\n", bench.percentile(0.99))
               << llvm::format("longest     %.3f s\n", bench.percentile(1))
               << llvm::format("wall        %.1f s\n", wall);
  for (const std::string &failure : failures)
    if (!failure.empty())
      return llvm::createStringError(failure);
  return bench.percentile(0.99);
}

int kgen::evaluate::runRecoveryBench(llvm::ArrayRef<std::string> arguments) {
  RecoveryBenchRequest request;
  for (size_t i = 0; i < arguments.size(); i += 2) {
    std::string text = i + 1 < arguments.size() ? arguments[i + 1] : "";
    llvm::StringRef name = arguments[i], value = text;
    bool bad = name == "--device"         ? (request.device = value.str()).empty()
               : name == "--count"        ? value.getAsInteger(10, request.count) || request.count < 1
               : name == "--hangs"        ? value.getAsInteger(10, request.hangs) || request.hangs < 0
               : name == "--jobs"         ? value.getAsInteger(10, request.jobs) || request.jobs < 1
               : name == "--out"          ? (request.out = value.str()).empty()
               : name == "--max-seconds"  ? value.getAsDouble(request.mostSeconds) || !(request.mostSeconds > 0)
               : name == "--hang-seconds" ? value.getAsDouble(request.hangSeconds) || !(request.hangSeconds > 0)
                                          : true;
    if (bad) {
      llvm::errs()
          << "kgen-eval: bench-recovery does not understand '" << name << " " << value
          << "'; it takes --device D --count N --hangs N --jobs N --hang-seconds S --max-seconds S --out FILE\n";
      return 2;
    }
  }
  request.hangs = std::min(request.hangs, request.count);
  auto slowest = benchRecovery(request);
  if (!slowest) {
    llvm::errs() << "kgen-eval: " << llvm::toString(slowest.takeError()) << "\n";
    return 1;
  }
  return *slowest < 1 ? 0 : 1;
}
