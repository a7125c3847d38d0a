//===- Device.h - Where a candidate runs ----------------------------------===//
//
// Used inside the candidate's own process only. Device `host` runs the shared
// library that the host compiler made; device `cuda` loads the Driver API at
// run time.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Evaluate/LaunchPlan.h"
#include "kgen/Evaluate/Measurement.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <functional>
#include <memory>

namespace kgen {

/// A fault that belongs to the candidate, with the verdict it earns: REJECT before anything ran, FAULT,
/// UNSUPPORTED. Any other llvm::Error means that the device itself is not usable.
class CandidateError : public llvm::ErrorInfo<CandidateError> {
public:
  static char ID;
  CandidateError(Verdict verdict, std::string text) : verdict(verdict), text(std::move(text)) {}
  void log(llvm::raw_ostream &os) const override { os << text; }
  std::error_code convertToErrorCode() const override { return llvm::inconvertibleErrorCode(); }

  Verdict verdict;
  std::string text;
};

/// An address in the device's memory.
using DeviceAddress = uint64_t;

/// An encoded tensor map, as the kernel gets it.
struct alignas(64) TensorMapBytes {
  uint64_t words[16];
};

struct TimingRequest {
  int samples = 30;         ///< at least this many, fewer when one run takes longer than 50 ms
  double budgetSeconds = 3; ///< stop early after this long, but not before 5 samples
  bool cold = true;         ///< overwrite the L2 cache between runs; device host ignores it
};

class Device {
public:
  virtual ~Device() = default;
  /// "host" or "cuda:0 NVIDIA H200".
  virtual std::string name() const = 0;

  /// Loads machine code and looks up every kernel of PLAN, checking what can be checked before a launch:
  /// names, parameter counts and sizes, shared memory.
  virtual llvm::Error load(llvm::StringRef artifact, const LaunchPlan &plan) = 0;

  /// Memory aligned to 256 bytes, freed with the device.
  virtual llvm::Expected<DeviceAddress> allocate(size_t bytes) = 0;
  virtual llvm::Error write(DeviceAddress to, const void *from, size_t bytes) = 0;
  virtual llvm::Error read(void *to, DeviceAddress from, size_t bytes) = 0;
  /// Repeats a 32-bit pattern over BYTES, a multiple of 4.
  virtual llvm::Error fill(DeviceAddress at, uint32_t pattern, size_t bytes) = 0;
  /// Makes host memory fast to copy from and to; may do nothing.
  virtual void registerHostMemory(void *, size_t) {}

  /// The tensor map SPEC with its buffer at BASE.
  virtual llvm::Expected<TensorMapBytes> encode(const TensorMapSpec &spec, DeviceAddress base) = 0;

  /// Queues launch INDEX of the plan. VALUES[i] points at the value of argument i. DESCENDING asks for
  /// the reverse order of threads and POISON for a byte (or -1) in shared memory, where the device can.
  virtual llvm::Error launch(size_t index, llvm::ArrayRef<void *> values, bool descending, int poison) = 0;
  virtual llvm::Error synchronize() = 0;

  /// Times RUN, which queues all launches, once per sample; microseconds.
  virtual llvm::Expected<std::vector<double>> time(const TimingRequest &request,
                                                   const std::function<llvm::Error()> &run) = 0;
};

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

} // namespace kgen
