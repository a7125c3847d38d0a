//===- CandidateProcess.h - A candidate in a process of its own -----------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parent's side and the child's side of one conversation. Commands and
// replies are lines on a socket; inputs and outputs lie in shared memory.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Device/CandidateSession.h"

#include <memory>
#include <optional>

namespace kgen::device {

/// Anonymous shared memory that a child can map. Moves, never copies.
class SharedMemory {
public:
  SharedMemory() = default;
  SharedMemory(SharedMemory &&other) noexcept { *this = std::move(other); }
  SharedMemory &operator=(SharedMemory &&other) noexcept;
  ~SharedMemory();
  static llvm::Expected<SharedMemory> create(size_t bytes);
  char *data() const { return base; }
  size_t size() const { return bytes; }
  int descriptor() const { return fd; }
  /// For a process that may read it only: what it maps of this cannot be made writable.
  int readOnlyDescriptor() const { return readFd >= 0 ? readFd : fd; }

private:
  char *base = nullptr;
  size_t bytes = 0;
  int fd = -1, readFd = -1;
};

/// Bytes of memory that nobody uses; a guess where the system does not say.
double availableMemory();

/// Offsets of buffers packed into one mapping, each on its own page, after HEADER bytes.
std::vector<size_t> packBuffers(llvm::ArrayRef<candidate::BufferSpec> specs, size_t header, size_t &total);

/// What went wrong with a candidate.
struct CandidateFailure {
  candidate::Verdict verdict = candidate::Verdict::Fault;
  std::string detail;
};

/// A worker that had a candidate ended, or gave up, for a reason that names neither the candidate nor the machine. Who
/// is to blame a kernel tells whose answer is known.
class WorkerFailed : public llvm::ErrorInfo<WorkerFailed> {
public:
  static char ID;
  explicit WorkerFailed(std::string why) : why(std::move(why)) {}
  void log(llvm::raw_ostream &os) const override { os << why; }
  std::error_code convertToErrorCode() const override { return llvm::inconvertibleErrorCode(); }

private:
  std::string why;
};

/// What to run, and where.
struct CandidateJob {
  std::string device;   ///< "host" or "cuda:N"
  std::string planFile; ///< plan.json, already checked
  std::string artifact;
  std::string trusted; ///< kgen's own kernels for the device, machine code; empty: it has none
  const candidate::LaunchPlan *plan = nullptr;
  std::vector<const SharedMemory *> inputSets; ///< packed with packBuffers(plan.inputs, 0)
  /// The same on the device, by descriptors for Device::importShared, and where its outputs go; empty: they travel
  /// through the host's memory.
  std::vector<int> inputsOnDevice;
  int outputsOnDevice = -1;
  /// Then INPUTSETS may be empty memory.
  bool sharesDevice() const { return outputsOnDevice >= 0 && inputsOnDevice.size() == inputSets.size(); }
  double runSeconds = 30;   ///< limit of one run, SIGKILL after it
  double startSeconds = 60; ///< limit of loading it
  unsigned bufferSets = CandidateSession::bufferSets;
};

/// A candidate under test. Errors are the machinery's; the candidate's own faults are values.
class CandidateProcess {
public:
  using Outcome = llvm::Expected<std::optional<CandidateFailure>>;
  virtual ~CandidateProcess() = default;
  /// Runs the plan on input set SET, in whichever phase: a candidate cannot tell them apart.
  virtual Outcome run(unsigned set, const RunRequest &request, RunReport &report) = 0;
  /// Loads the candidate anew: what it kept in variables of its own is gone.
  virtual Outcome reload() = 0;
  /// Waits until nothing of ours is at work on the device beside it: what follows is timed.
  virtual void settleDevice() {}
  /// Clock, power and temperature of the device now.
  virtual candidate::Conditions conditions() = 0;
  /// The bytes of output I after a run with `copy`.
  virtual const char *output(unsigned index) const = 0;
  /// The memory that those bytes lie in, packed with packBuffers(plan.outputs, 4096); null: none to share.
  virtual const SharedMemory *outputMemory() const { return nullptr; }
  /// Whether they went to the job's outputsOnDevice instead.
  virtual bool sharesOutputs() const { return false; }
  virtual std::string deviceName() const = 0;
};

/// Starts candidates; the outside effect that tests replace.
class CandidateRunner {
public:
  virtual ~CandidateRunner() = default;
  /// PROCESS stays empty when the candidate cannot be loaded, which the outcome explains.
  virtual CandidateProcess::Outcome start(const CandidateJob &job, std::unique_ptr<CandidateProcess> &process) = 0;
};

/// Exec's the worker binary (see workerBinary) for each candidate; on a card the next one's context is made while this
/// one is verified. The runner outlives its processes.
std::unique_ptr<CandidateRunner> createProcessRunner();

/// The child's side: `BINARY --kgen-candidate-worker DEVICE [PLAN]`, PLAN for who lists processes; the candidate comes
/// over descriptor 3.
int runCandidateWorker(llvm::ArrayRef<std::string> arguments);

} // namespace kgen::device
