//===- CandidateProcess.h - A candidate in a process of its own -----------===//
//
// The parent's side and the child's side of one conversation. Commands and
// replies are lines on a socket; inputs and outputs lie in shared memory.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Evaluate/CandidateSession.h"

#include <memory>
#include <optional>

namespace kgen {

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

/// Offsets of buffers packed into one mapping, each on its own page, after HEADER bytes.
std::vector<size_t> packBuffers(llvm::ArrayRef<BufferSpec> specs, size_t header, size_t &total);

/// What went wrong with a candidate.
struct CandidateFailure {
  Verdict verdict = Verdict::Fault;
  std::string detail;
};

/// What to run, and where.
struct CandidateJob {
  std::string device;   ///< "host" or "cuda:N"
  std::string planFile; ///< plan.json, already checked
  std::string artifact;
  const LaunchPlan *plan = nullptr;
  std::vector<const SharedMemory *> inputSets; ///< packed with packBuffers(plan.inputs, 0)
  double runSeconds = 30;                      ///< limit of one run, SIGKILL after it
  double startSeconds = 60;                    ///< limit of loading it
};

/// A candidate under test. Errors are the machinery's; the candidate's own faults are values.
class CandidateProcess {
public:
  using Outcome = llvm::Expected<std::optional<CandidateFailure>>;
  virtual ~CandidateProcess() = default;
  /// Runs the plan on input set SET. With COMPARE the outputs are compared bit by bit with the last ones
  /// and DIFFERS receives a sentence when they are not equal; without, they replace them.
  virtual Outcome run(unsigned set, const RunRequest &request, bool compare, std::string &differs) = 0;
  /// Times the plan on the set that ran last; DIFFERS as above, for the last timed run.
  virtual Outcome time(const TimingRequest &request, std::vector<double> &samples, std::string &differs) = 0;
  /// The bytes of output I after a run.
  virtual const char *output(unsigned index) const = 0;
  virtual std::string deviceName() const = 0;
};

/// Starts candidates; the outside effect that tests replace.
class CandidateRunner {
public:
  virtual ~CandidateRunner() = default;
  /// PROCESS stays empty when the candidate cannot be loaded, which the outcome explains.
  virtual CandidateProcess::Outcome start(const CandidateJob &job, std::unique_ptr<CandidateProcess> &process) = 0;
};

/// Exec's the worker binary (see workerBinary) for each candidate.
std::unique_ptr<CandidateRunner> createProcessRunner();

/// The child's side: `BINARY --kgen-candidate-worker DEVICE PLAN ARTIFACT SETS`.
int runCandidateWorker(llvm::ArrayRef<std::string> arguments);

/// Runs a hidden sub-command of kgen's binaries when ARGV names one; every tool that evaluates calls it
/// first in main().
std::optional<int> runWorkerIfAsked(int argc, char **argv);

} // namespace kgen
