//===- CandidateSession.h - One candidate on one device -------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What happens inside the candidate's process, whatever the device: buffers
// between red zones, poison that differs from run to run, launches, checks of
// the zones and of the inputs.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Device/Device.h"

#include <deque>

namespace kgen::device {

/// How one run of the whole plan is made. Verification and timing make the same request.
struct RunRequest {
  uint32_t poison = 0;         ///< seed of what outputs, workspace and red zones hold before the run (Poison.h)
  bool descending = false;     ///< reverse order of threads, where the device can
  unsigned buffers = 0;        ///< which set of buffers, modulo their number
  bool cold = true;            ///< caches are overwritten before it
  double waitNanoseconds = -1; ///< see RunOrder
  uint64_t key = 0;            ///< of the outputs' digests
  bool copy = false;           ///< outputs go to the parent
  bool fresh = false;          ///< with a fresh module, where the candidate has variables
  bool empty = false;          ///< nothing is launched: what a run costs by itself
  bool graph = false;          ///< launched as one CUDA graph; Unsupported where the device has none
};

/// What one run showed.
struct RunReport {
  RunTimes times;
  std::vector<uint64_t> digests; ///< one per output
  bool keepsState = false;       ///< the candidate's own variables are not what they were when it was loaded
};

/// Bytes before and after every buffer that nobody may write.
constexpr size_t redZoneBytes = 4096;

class CandidateSession {
public:
  /// Buffer sets differ in addresses and in what surrounds a buffer: a zone on both sides, then the end of
  /// the mapping right before it, then right after it.
  static constexpr unsigned bufferSets = 3;

  /// PLAN outlives the session. Loads the artifact and allocates every buffer, WANTED sets if they fit.
  static llvm::Expected<std::unique_ptr<CandidateSession>>
  create(Device &device, const candidate::LaunchPlan &plan, llvm::StringRef artifact, unsigned wanted = bufferSets);

  /// Memory of so many bytes, from a multiple of 256 on, that outlives a session.
  using Lender = llvm::function_ref<llvm::Expected<DeviceAddress>(size_t bytes)>;
  /// One buffer set of just the bytes that the plan names, without zones, for tools that watch accesses; each buffer is
  /// the device's own, or what LEND gives.
  static llvm::Expected<std::unique_ptr<CandidateSession>> createBare(Device &device, const candidate::LaunchPlan &plan,
                                                                      llvm::StringRef artifact, Lender lend = nullptr);
  llvm::Error writeInput(unsigned index, const char *bytes);
  /// Launches and waits, nothing else.
  llvm::Error runBare();
  /// Where a buffer of the first set lies.
  DeviceAddress inputAddress(unsigned index) const { return sets[0].inputs[index].data; }
  DeviceAddress outputAddress(unsigned index) const { return sets[0].outputs[index].data; }

  /// The bytes of every input for buffer set BUFFERS, in order. They stay where they are until others come.
  llvm::Error setInputs(unsigned buffers, llvm::ArrayRef<const char *> inputs);
  /// The same from memory that the device imported, each input at its offset.
  llvm::Error setInputs(unsigned buffers, unsigned import, llvm::ArrayRef<size_t> offsets);

  /// Poisons, launches, waits, checks red zones and inputs. PROGRESS receives the index of the launch
  /// under way, for whoever looks after a crash.
  llvm::Expected<RunReport> run(const RunRequest &request, volatile int *progress);

  /// A fresh module: nothing is left of what earlier runs wrote to the candidate's variables.
  llvm::Error reload();

  /// Copies output I of the last run out.
  llvm::Error readOutput(unsigned index, void *to);
  /// Copies all outputs of the last run to memory that the device imported.
  llvm::Error shareOutputs(unsigned import, llvm::ArrayRef<size_t> offsets);

  unsigned setCount() const { return unsigned(sets.size()); }

private:
  struct Buffer {
    DeviceAddress data = 0;
    size_t bytes = 0, padded = 0; ///< payload; payload rounded up so that the zone starts aligned
    size_t before = 0, after = 0; ///< red zones
    std::string name;
    uint32_t salt = 0; ///< of its poison
    DeviceAddress whole() const { return data - before; }
    /// Where the zone after the payload begins, to four bytes, and how long it is.
    DeviceAddress end() const { return data + (bytes + 3) / 4 * 4; }
    size_t behind() const { return data + padded + after - end(); }
    /// The poison from AT on; every word of the mapping has its own place in the stream.
    Poison poisonAt(DeviceAddress at, uint32_t seed) const { return {seed, salt, (at - whole()) / 4}; }
  };
  struct BufferSet {
    std::vector<Buffer> inputs, outputs, workspace, prepared;
    /// A network's workspaces lie in an arena, the one buffer of WORKSPACE. In the first set each has its own memory
    /// and zones, so that what one leaves to the next is never what a kernel needs.
    bool inArena = false;
    std::vector<uint64_t> inputDigests;
    std::vector<const char *> sources; ///< instead, where runs happen apart: the inputs' bytes
    /// Where inputs that are no weights come from again, after what prepares ran without them: bytes, or an import.
    std::vector<const char *> bytes;
    unsigned import = 0;
    std::vector<size_t> importOffsets;
    std::vector<std::vector<uint64_t>> values; ///< one slot per argument of each launch
    std::deque<TensorMapBytes> maps;           ///< what arguments that are tensor maps point at
    std::vector<std::vector<void *>> valuePointers;
  };

  CandidateSession(Device &device, const candidate::LaunchPlan &plan);
  llvm::Expected<BufferSet> allocateSet(unsigned which);
  /// Whether a network's workspaces find room side by side.
  bool fitsApart();
  llvm::Error allocate(Buffer &buffer, std::string name, size_t bytes, unsigned which);
  llvm::Error poison(const Buffer &buffer, uint32_t seed, bool payload);
  void lookAt(const Buffer &buffer, uint32_t seed);
  llvm::Error explainZones(const Buffer &buffer, uint32_t seed);
  /// ERROR, of a run with SET: says by which buffer a fault was.
  static llvm::Error explainFault(llvm::Error error, const BufferSet &set);
  llvm::Error prepareValues(BufferSet &set);
  llvm::Error rememberState();
  llvm::Error rememberInputs(BufferSet &set);
  void giveScript();
  llvm::Error launchAll(const RunOrder &order);
  /// Fills what SET keeps prepared, with nothing but weights at hand. TIMES receives how long it took.
  llvm::Error prepare(BufferSet &set, const RunRequest &request, const RunOrder &order, RunReport &report);
  llvm::Error hideInputs(uint32_t seed);
  llvm::Error showInputs(BufferSet &set);
  /// Gives the outputs of SET that are inputs written in place what those inputs hold.
  llvm::Error showUpdated(BufferSet &set);
  /// Compares what each of BUFFERS' zones holds with its poison; SEEN[i] are the results of the jobs from FIRST on.
  llvm::Error checkZones(llvm::ArrayRef<const std::vector<Buffer> *> lists, llvm::ArrayRef<uint64_t> seen,
                         uint32_t seed);
  /// Where SET has workspace INDEX of the plan.
  DeviceAddress workspaceAddress(const BufferSet &set, unsigned index) const;

  Device &device;
  const candidate::LaunchPlan &plan;
  std::vector<BufferSet> sets;
  uint32_t bufferCount = 0; ///< of all sets, so far
  bool bare = false;
  Lender lend = nullptr;        ///< of a bare one while it begins
  unsigned last = 0;            ///< the set of the last run
  uint64_t key;                 ///< of digests that stay in this process
  std::vector<DigestJob> state; ///< the candidate's variables
  std::vector<uint64_t> initialState;
  std::vector<DigestJob> jobs;                  ///< of the run under way
  std::vector<size_t> slots;                    ///< by workspace: which of those that are prepared, or of the others
  std::vector<uint64_t> preparedDigests;        ///< of the run under way
  std::vector<std::vector<char>> preparedBytes; ///< instead, where runs happen apart
  volatile int *progress = nullptr;
};

} // namespace kgen::device
