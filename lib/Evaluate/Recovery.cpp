//===- Recovery.cpp - Does the device still answer? -----------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Evaluate/Recovery.h"

#include "kgen/Toolchain/Cache.h"
#include "kgen/Toolchain/Process.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"

#include <cstring>
#include <random>
#include <unistd.h>

using namespace kgen;
using namespace kgen::evaluate;

char DeviceLost::ID = 0;

namespace {

constexpr int Count = 1024;
constexpr double StartSeconds = 20, RunSeconds = 5;

const char kernelText[] = "extern \"C\" __global__ void kgen_known_answer(const float *x, float *out) {\n"
                          "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                          "  out[i] = 2.0f * x[i] + 1.0f;\n"
                          "}\n";

const char planText[] = R"json({"version": 1, "problem": "known_answer", "arch": "any", "precision": "strict-fp32",
  "inputs": [{"name": "x", "dtype": "f32", "shape": [1024]}],
  "outputs": [{"name": "out0", "dtype": "f32", "shape": [1024]}], "workspace": [],
  "launches": [{"kernel": "kgen_known_answer", "grid": [4, 1, 1], "block": [256, 1, 1], "shared_bytes": 0,
    "args": [{"buffer": "in0"}, {"buffer": "out0"}]}]})json";

/// Hands the runner every outcome of a process.
class WatchedProcess : public device::CandidateProcess {
public:
  WatchedProcess(std::unique_ptr<device::CandidateProcess> inner, RecoveringRunner &runner)
      : inner(std::move(inner)), runner(runner), name(this->inner->deviceName()) {}

  Outcome run(unsigned set, const device::RunRequest &request, device::RunReport &report) override {
    if (!inner)
      return llvm::createStringError("the candidate's process has ended");
    return runner.settle(inner->run(set, request, report), inner);
  }
  Outcome reload() override {
    if (!inner)
      return llvm::createStringError("the candidate's process has ended");
    return runner.settle(inner->reload(), inner);
  }
  void settleDevice() override {
    if (inner)
      inner->settleDevice();
  }
  candidate::Conditions conditions() override { return inner ? inner->conditions() : candidate::Conditions(); }
  const char *output(unsigned index) const override { return inner ? inner->output(index) : nullptr; }
  const device::SharedMemory *outputMemory() const override { return inner ? inner->outputMemory() : nullptr; }
  bool sharesOutputs() const override { return inner && inner->sharesOutputs(); }
  std::string deviceName() const override { return name; }

private:
  std::unique_ptr<device::CandidateProcess> inner;
  RecoveringRunner &runner;
  std::string name;
};

} // namespace

KnownAnswer::KnownAnswer(std::string device, std::string arch, std::shared_ptr<toolchain::Compiler> compiler)
    : device(std::move(device)), arch(std::move(arch)), compiler(std::move(compiler)),
      plan(llvm::cantFail(candidate::LaunchPlan::parse(planText))), state(std::random_device()()) {}

llvm::Error KnownAnswer::prepare() {
  if (!artifact.empty())
    return llvm::Error::success();
  toolchain::CompileOptions options;
  options.arch = arch;
  auto result = compiler->compile(kernelText, options);
  if (!result)
    return result.takeError();
  if (auto *failed = std::get_if<toolchain::CompileFailed>(&*result))
    return llvm::createStringError("the known-answer kernel does not compile: " + failed->reason);
  auto made = toolchain::ScratchFolder::create("known");
  if (!made)
    return made.takeError();
  planFile = made->path() + "/plan.json";
  if (llvm::Error error = toolchain::writeFileAtomically(planFile, plan.print()))
    return error;
  folder = std::move(*made);
  artifact = std::get<toolchain::Compiled>(*result).artifact;
  return llvm::Error::success();
}

llvm::Error KnownAnswer::check(device::CandidateRunner &runner) {
  if (llvm::Error error = prepare())
    return error;
  // Somebody may kill this process as well: that says nothing of the device.
  llvm::Error error = ask(runner);
  if (!error.isA<toolchain::ProcessLost>())
    return error;
  llvm::consumeError(std::move(error));
  error = ask(runner);
  if (!error.isA<toolchain::ProcessLost>())
    return error;
  std::string why = llvm::toString(std::move(error));
  return llvm::createStringError("the known-answer kernel of %s cannot be run: %s", device.c_str(), why.c_str());
}

llvm::Error KnownAnswer::ask(device::CandidateRunner &runner) {
  size_t bytes;
  device::packBuffers(plan.inputs, 0, bytes);
  auto input = device::SharedMemory::create(bytes);
  if (!input)
    return input.takeError();
  // New numbers each time: an answer that was left behind is not one.
  std::mt19937 random(++state);
  float *x = reinterpret_cast<float *>(input->data());
  for (int i = 0; i < Count; ++i)
    x[i] = float(int(random() % 65536) - 32768) / 256;
  device::CandidateJob job;
  job.device = device;
  job.planFile = planFile;
  job.artifact = artifact;
  job.plan = &plan;
  job.inputSets = {&*input};
  job.startSeconds = StartSeconds;
  job.bufferSets = 1;
  job.runSeconds = RunSeconds;
  auto lost = [&](std::string why) { return llvm::make_error<DeviceLost>(device, std::move(why)); };
  std::unique_ptr<device::CandidateProcess> process;
  auto outcome = runner.start(job, process);
  if (!outcome && outcome.errorIsA<toolchain::ProcessLost>())
    return outcome.takeError();
  if (!outcome)
    return lost(llvm::toString(outcome.takeError()));
  if (*outcome)
    return lost((*outcome)->detail);
  device::RunRequest request;
  request.poison = device::poisonSeed(0, uint32_t(state));
  request.cold = false;
  request.copy = true;
  device::RunReport report;
  outcome = process->run(0, request, report);
  if (!outcome && outcome.errorIsA<toolchain::ProcessLost>())
    return outcome.takeError();
  if (!outcome)
    return lost(llvm::toString(outcome.takeError()));
  if (*outcome)
    return lost((*outcome)->detail);
  const float *out = reinterpret_cast<const float *>(process->output(0));
  for (int i = 0; i < Count; ++i) {
    float value; // it may be poison, a signalling pattern, or anything
    memcpy(&value, out + i, sizeof value);
    if (!(value == 2 * x[i] + 1))
      return lost("element " + std::to_string(i) + " is " + std::to_string(value) + ", expected " +
                  std::to_string(2 * x[i] + 1));
  }
  return llvm::Error::success();
}

RecoveringRunner::RecoveringRunner(std::unique_ptr<device::CandidateRunner> inner, std::string device, std::string arch,
                                   std::shared_ptr<toolchain::Compiler> compiler)
    : inner(std::move(inner)), device(device), known(device, std::move(arch), std::move(compiler)) {}

device::CandidateProcess::Outcome RecoveringRunner::start(const device::CandidateJob &job,
                                                          std::unique_ptr<device::CandidateProcess> &process) {
  {
    std::lock_guard<std::mutex> guard(lock);
    if (!lostWhy.empty())
      return llvm::make_error<DeviceLost>(device, lostWhy);
  }
  std::unique_ptr<device::CandidateProcess> started;
  auto outcome = settle(inner->start(job, started), started);
  if (started)
    process = std::make_unique<WatchedProcess>(std::move(started), *this);
  return outcome;
}

device::CandidateProcess::Outcome RecoveringRunner::settle(device::CandidateProcess::Outcome outcome,
                                                           std::unique_ptr<device::CandidateProcess> &process) {
  if (outcome) {
    if (!*outcome ||
        ((*outcome)->verdict != candidate::Verdict::Fault && (*outcome)->verdict != candidate::Verdict::Timeout))
      return outcome;
  } else if (!outcome.errorIsA<toolchain::ProcessLost>() && !outcome.errorIsA<device::WorkerFailed>()) {
    return outcome;
  }
  std::lock_guard<std::mutex> guard(lock);
  double start = toolchain::monotonicSeconds();
  process.reset(); // SIGKILL, reaped
  if (llvm::Error error = known.check(*inner)) {
    if (!outcome)
      llvm::consumeError(outcome.takeError());
    if (error.isA<DeviceLost>())
      llvm::handleAllErrors(
          std::move(error), [&](const DeviceLost &lost) { lostWhy = lost.reason(); },
          [](const llvm::ErrorInfoBase &) {});
    else
      return std::move(error);
    return llvm::make_error<DeviceLost>(device, lostWhy);
  }
  seconds.push_back(toolchain::monotonicSeconds() - start);
  // A right answer by the same means: what became of the worker is the candidate's doing.
  if (!outcome && outcome.errorIsA<device::WorkerFailed>())
    return device::CandidateFailure{candidate::Verdict::Fault, llvm::toString(outcome.takeError())};
  return outcome;
}

std::vector<double> RecoveringRunner::recoverySeconds() {
  std::lock_guard<std::mutex> guard(lock);
  return seconds;
}
