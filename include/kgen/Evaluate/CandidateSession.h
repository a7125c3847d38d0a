//===- CandidateSession.h - One candidate on one device -------------------===//
//
// What happens inside the candidate's process, whatever the device: buffers
// between red zones, poison that differs from run to run, launches, checks of
// the zones and of the inputs.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Evaluate/Device.h"

#include <deque>

namespace kgen {

/// How one run of the whole plan is made.
struct RunRequest {
  uint32_t poison = 0;     ///< pattern of outputs, workspace and red zones before the run
  bool descending = false; ///< reverse order of threads, where the device can
};

/// Bytes before and after every buffer that nobody may write.
constexpr size_t redZoneBytes = 4096;

class CandidateSession {
public:
  /// PLAN outlives the session. Loads the artifact and allocates every buffer.
  static llvm::Expected<std::unique_ptr<CandidateSession>> create(Device &device, const LaunchPlan &plan,
                                                                  llvm::StringRef artifact);

  /// The bytes of every input, in order; they must stay valid until the next call.
  llvm::Error setInputs(llvm::ArrayRef<const char *> inputs);

  /// Poisons, launches, waits, checks red zones and inputs. PROGRESS receives the index of the launch
  /// under way, for whoever looks after a crash.
  llvm::Error run(const RunRequest &request, volatile int *progress);

  /// Copies output I out.
  llvm::Error readOutput(unsigned index, void *to);
  /// The first byte of output I that differs from EXPECTED, -1 when none does.
  llvm::Expected<int64_t> compareOutput(unsigned index, const char *expected);

  /// Times the plan on the current inputs.
  llvm::Expected<std::vector<double>> time(const TimingRequest &request);

private:
  struct Buffer {
    DeviceAddress whole = 0, data = 0; ///< with and without red zones
    size_t bytes = 0, padded = 0;      ///< payload; payload rounded up so that the zone starts aligned
    std::string name;
  };

  CandidateSession(Device &device, const LaunchPlan &plan) : device(device), plan(plan) {}
  llvm::Error allocate(Buffer &buffer, std::string name, size_t bytes);
  llvm::Error poison(const Buffer &buffer, uint32_t pattern, bool payload);
  llvm::Error checkZones(const Buffer &buffer, uint32_t pattern);
  llvm::Expected<int64_t> compare(const Buffer &buffer, const char *expected);
  llvm::Error launchAll(bool descending, int poison, volatile int *progress);
  llvm::Error prepareValues();

  Device &device;
  const LaunchPlan &plan;
  std::vector<Buffer> inputs, outputs, workspace;
  std::vector<const char *> originals;
  std::vector<char> staging;                 ///< what comparisons copy through, registered with the device
  std::vector<std::vector<uint64_t>> values; ///< one slot per argument of each launch
  std::deque<TensorMapBytes> maps;           ///< what arguments that are tensor maps point at
  std::vector<std::vector<void *>> valuePointers;
};

} // namespace kgen
