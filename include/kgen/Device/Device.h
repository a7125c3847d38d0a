//===- Device.h - Where a candidate runs ----------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Used inside the candidate's process and the judge's only. Device `host` runs the shared
// library that the host compiler made; device `cuda` loads the Driver API at
// run time.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Candidate/LaunchPlan.h"
#include "kgen/Candidate/Measurement.h"
#include "kgen/Device/Poison.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <functional>
#include <memory>
#include <optional>

namespace kgen::device {

/// A fault that belongs to the candidate, with the verdict it earns: REJECT before anything ran, FAULT,
/// UNSUPPORTED. Any other llvm::Error means that the device itself is not usable.
class CandidateError : public llvm::ErrorInfo<CandidateError> {
public:
  static char ID;
  CandidateError(candidate::Verdict verdict, std::string text) : verdict(verdict), text(std::move(text)) {}
  void log(llvm::raw_ostream &os) const override { os << text; }
  std::error_code convertToErrorCode() const override { return llvm::inconvertibleErrorCode(); }

  candidate::Verdict verdict;
  std::string text;
};

/// Where a candidate's code was when a signal ended its run, by its process's own word: it explains, and decides
/// nothing.
struct RunFault {
  bool isAccess = false;   ///< to memory; an instruction can also trap, or divide by zero
  uint64_t address = 0;    ///< of the access
  bool hasAddress = false; ///< the processor names none where it is not aligned as it must be, or not canonical
  bool writes = false;     ///< otherwise it reads
  bool isMissing = false;  ///< the memory is mapped, and the system could not provide it
  bool overflows = false;  ///< it is where the thread's stack ends
  std::string instruction; ///< "kernel.so+0x1c6f (0f b7 00)": file, offset and the bytes there; empty: unknown
};

/// The process of one run, which holds the candidate's code, was ended by a signal.
class RunKilled : public llvm::ErrorInfo<RunKilled> {
public:
  static char ID;
  explicit RunKilled(int signal, std::optional<RunFault> fault = std::nullopt)
      : signal(signal), fault(std::move(fault)) {}
  void log(llvm::raw_ostream &os) const override { os << "the run's process ended with signal " << signal; }
  std::error_code convertToErrorCode() const override { return llvm::inconvertibleErrorCode(); }

  const int signal;
  std::optional<RunFault> fault;
  std::string where; ///< FAULT in words, with the buffer that is nearest; the session's
};

/// How the detail of a FAULT begins that the card's driver tells of, and not kgen's own checks.
constexpr llvm::StringLiteral cardReports = "the card reports: ";

/// An address in the device's memory.
using DeviceAddress = uint64_t;

/// An encoded tensor map, as the kernel gets it.
struct alignas(64) TensorMapBytes {
  uint64_t words[16];
};

/// One run of a plan, timed; microseconds.
struct RunTimes {
  double launches = 0;     ///< all launches of the plan, or those of a run where it prepares
  double total = 0;        ///< with the preparation before them, by the same clock
  double wall = 0;         ///< what TOTAL covers and the wait for its end, by a clock out of the candidate's reach
  bool keepsState = false; ///< where the device sees to that itself: a variable is not what it was before the run
  double prepare = 0;      ///< the launches that prepare, where the plan has such; not in the others
};

/// A piece of memory to look at after a run.
struct DigestJob {
  DeviceAddress at = 0;
  size_t bytes = 0;
  uint64_t key = 0;             ///< of the digest (Digest.h)
  std::optional<Poison> poison; ///< instead: how many words are not this; BYTES is a multiple of 4
  const void *same = nullptr;   ///< instead: 0 when the bytes are these, here; on device host only
};

/// Memory of the device that another process can be given.
struct SharedBlock {
  DeviceAddress at = 0;
  int descriptor = -1;
};
/// A part of such memory, and where it goes or comes from.
struct SharedPiece {
  size_t offset = 0;
  DeviceAddress at = 0;
  size_t bytes = 0;
};

/// One run of the launches of a plan.
struct RunOrder {
  unsigned set = 0;            ///< of buffers
  bool descending = false;     ///< reverse order of threads, where the device can
  bool empty = false;          ///< nothing is launched
  bool cold = true;            ///< what lies in caches was overwritten before
  bool prepare = false;        ///< the launches that prepare, instead of those of a run
  bool graph = false;          ///< the launches as one CUDA graph, made before; where canCaptureGraphs()
  double waitNanoseconds = -1; ///< from 0 on: a kernel of ours after them takes that long
};

/// What happens in a run. It changes nothing but buffers: a device may have each run in another process.
struct RunScript {
  std::function<void(const RunOrder &)> announce;      ///< tells Device::expect what the run uses
  std::function<llvm::Error(const RunOrder &)> launch; ///< queues all launches
};

/// The files of machine code that ARTIFACT names, one for each module of a plan: a path in each line.
std::vector<std::string> splitArtifacts(llvm::StringRef artifact);

class Device {
public:
  virtual ~Device() = default;
  /// "host" or "cuda:0 NVIDIA H200".
  virtual std::string name() const = 0;

  /// Loads machine code and looks up every kernel of PLAN, checking what can be checked before a launch:
  /// names, parameter counts and sizes, shared memory. A plan with modules has as many lines in ARTIFACT.
  virtual llvm::Error load(llvm::StringRef artifact, const candidate::LaunchPlan &plan) = 0;

  /// Memory is mapped in pieces of this many bytes, a multiple of 256.
  virtual size_t granularity() const { return 256; }
  /// BYTES of memory, a multiple of granularity(), freed with the device. What lies right before and after it
  /// is not mapped, where the device can: an access there is a fault.
  virtual llvm::Expected<DeviceAddress> allocate(size_t bytes) = 0;
  /// allocate() gives just the bytes asked for from now on, as a program of its own would have them.
  virtual void usePlainMemory() {}
  /// What one process may allocate now; 0 = unknown.
  virtual size_t freeMemory() { return 0; }
  virtual llvm::Error write(DeviceAddress to, const void *from, size_t bytes) = 0;
  virtual llvm::Error read(void *to, DeviceAddress from, size_t bytes) = 0;
  /// The default goes through the host's memory, in pieces.
  virtual llvm::Error copy(DeviceAddress to, DeviceAddress from, size_t bytes);
  /// Fills BYTES, a multiple of 4. The default makes the words here and writes them.
  virtual llvm::Error fill(DeviceAddress at, const Poison &poison, size_t bytes);
  /// Makes host memory fast to copy from and to; may do nothing. Before it is freed it is unregistered.
  virtual void registerHostMemory(void *, size_t) {}
  virtual void unregisterHostMemory(void *) {}

  /// For sessions side by side in one process, each with a thread of its own: from now on all work but timedRun() is in
  /// order with what the calling thread asks of the same card, by whatever Device, and waits for nothing else there.
  virtual void useThreadOrder() {}

  /// Memory for another process; an Error where the device has none to share.
  virtual llvm::Expected<SharedBlock> allocateShared(size_t) {
    return llvm::createStringError("%s shares no memory", name().c_str());
  }
  /// Another process's memory of BYTES; a number for copyShared.
  virtual llvm::Expected<unsigned> importShared(int, size_t) {
    return llvm::createStringError("%s shares no memory", name().c_str());
  }
  /// Copies PIECES out of imported memory, or into it. It is mapped for that long only.
  virtual llvm::Error copyShared(unsigned, llvm::ArrayRef<SharedPiece>, bool /*into*/) {
    return llvm::createStringError("%s shares no memory", name().c_str());
  }

  /// The tensor map SPEC with its buffer at BASE.
  virtual llvm::Expected<TensorMapBytes> encode(const candidate::TensorMapSpec &spec, DeviceAddress base) = 0;

  /// Queues launch INDEX of the plan. VALUES[i] points at the value of argument i. DESCENDING asks for
  /// the reverse order of threads and POISON for what the last scrub() left in shared memory, where the device can.
  virtual llvm::Error launch(size_t index, llvm::ArrayRef<void *> values, bool descending, bool poison) = 0;
  virtual llvm::Error synchronize() = 0;

  /// Given once, before the first run.
  void setScript(RunScript given) { script = std::move(given); }
  /// The run that is announced uses this memory.
  virtual void expect(DeviceAddress, size_t) {}
  /// Times the launches of a run and waits for their end. On device host the run happens in a process of its own, which
  /// has no other buffers, and of which nothing is left afterwards; RunKilled when a signal ends it.
  virtual llvm::Expected<RunTimes> timedRun(const RunOrder &order) = 0;
  /// Whether the launches of a run can be one CUDA graph.
  virtual bool canCaptureGraphs() const { return false; }
  /// Whether a run has no buffers but those that were announced, and cannot leave anything elsewhere.
  virtual bool runsApart() const { return false; }

  /// Loads the kernels of trusted_kernels.cu; without them memory is looked at from the host.
  virtual llvm::Error loadTrusted(llvm::StringRef) { return llvm::Error::success(); }
  /// Gives the candidate's variables the values that they had when it was loaded, where runs can change them.
  virtual llvm::Error reload() { return llvm::Error::success(); }
  /// The candidate's own variables in the device's memory, which outlive a launch.
  virtual std::vector<DigestJob> variables() { return {}; }
  /// Overwrites what a kernel could have left outside every buffer, with poison of this SEED.
  virtual llvm::Error scrub(uint32_t /*seed*/) { return llvm::Error::success(); }
  /// RESULTS[i] for JOBS[i]. The default reads the memory back.
  virtual llvm::Error look(llvm::ArrayRef<DigestJob> jobs, llvm::MutableArrayRef<uint64_t> results);
  virtual candidate::Conditions conditions() { return {}; }

protected:
  RunScript script;
};

/// kgen's own kernels beside a candidate's, CUDA-C (lib/Device/trusted_kernels.cu), for Device::loadTrusted.
llvm::StringRef trustedKernelsText();

std::unique_ptr<Device> createHostDevice();
/// Fails with one sentence when there is no driver or no such card.
llvm::Expected<std::unique_ptr<Device>> createCudaDevice(int ordinal);
/// "host", "cuda:N".
llvm::Expected<std::unique_ptr<Device>> createDevice(llvm::StringRef spec);

/// Facts of a card, asked in a child-free way by loading the driver here; used by `--device auto`.
struct CardFacts {
  std::string name; ///< "NVIDIA H200"
  std::string arch; ///< "sm_90a"
  int multiprocessors = 0, sharedBytesPerBlock = 0;
  int64_t memoryBytes = 0, l2Bytes = 0;
  double peakBytesPerSecond = 0; ///< bus width times memory clock; 0 when the driver does not say
};

/// Card N as its driver describes it. Meant for a process that will not exec NVRTC forks later.
llvm::Expected<CardFacts> queryCard(int ordinal);

} // namespace kgen::device
