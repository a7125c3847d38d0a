//===- Network.h - Tasks put together ---------------------------*- C++ -*-===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Data in, data out: from the plans of tasks to the plan of their network, and which task is worth the next round. No
// device, no run folder.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Candidate/LaunchPlan.h"
#include "kgen/Graph/Partition.h"
#include "kgen/Runtime/LaunchBranches.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace kgen::network {

/// partition.json: deterministic to the byte. PRECISIONS: each task's class.
std::string printPartition(const graph::NetworkPartition &partition, llvm::ArrayRef<std::string> precisions);

/// A piece of memory between kernels, in use from launch FIRST to launch LAST.
struct Lifetime {
  int64_t bytes = 0;
  size_t first = 0, last = 0;
};

/// The same where launches run side by side on several streams, by the places of launches in their streams.
struct BranchLife {
  runtime::StreamClock over; ///< the last that are over whoever of those that use it begins
  runtime::StreamClock last; ///< the last that use it

  BranchLife() {
    over.fill(INT32_MAX);
    last.fill(-1);
  }
};

/// An offset for each of LIVES, a multiple of 256, so that what is in use at the same time lies apart: large ones
/// first, each as low as it fits. With BRANCHES, one for each of them, also what may be in use at the same time, since
/// nobody waits for who uses it.
std::vector<int64_t> placeInArena(llvm::ArrayRef<Lifetime> lives, llvm::ArrayRef<BranchLife> branches = {});

/// The plan of a network (version 2): PLANS[i] is that of task i, whose text is file MODULES[i]. WHOLE says what the
/// network's inputs and outputs are, its name, class and architecture; its launches do not count. An Error where a plan
/// is not of its task's shape. Steps that prepare come first; what a run reads of theirs has memory of its own. Where
/// launches may run side by side in a CUDA graph, memory is shared so that they still may, if that takes little more.
llvm::Expected<candidate::LaunchPlan> assemble(const graph::NetworkPartition &partition,
                                               const candidate::LaunchPlan &whole,
                                               llvm::ArrayRef<candidate::LaunchPlan> plans,
                                               llvm::ArrayRef<std::string> modules);

/// What is known of a task when the next round is given away.
struct TaskState {
  int count = 0;              ///< steps of a run
  double floorUs = 0;         ///< 0: unknown
  std::vector<double> bestUs; ///< the best so far, after each of its rounds; [0] is round 0's
  bool exhausted = false;     ///< nobody has an idea for it any more
};

/// What another round of STATE is expected to save: its count times what lies above the floor, times the share that its
/// last rounds gained. A task that had no round after round 0 is expected to lose half of that.
double expectedGain(const TaskState &state);

/// The MOST tasks that another round buys most of, the dearest first and the first of equals before the others. Left
/// out are those that are exhausted or only prepare.
std::vector<size_t> chooseTasks(llvm::ArrayRef<TaskState> states, size_t most);

/// The first of these that are worth a round at the same time: at least FEWEST, and as many more, up to MOST, as gain a
/// fifth of what the first one does.
std::vector<size_t> chooseBatch(llvm::ArrayRef<TaskState> states, size_t fewest, size_t most);

/// When a network's search has to stop giving rounds away, so that its best kernels are put together, verified and
/// timed before its time is up. All in seconds.
struct ClosingTime {
  double limit = 0;    ///< of the whole search; 0: there is none
  double assembly = 0; ///< that the last network took to be verified and timed, right answers and sanitizer left out
  double checks = 0;   ///< that compute-sanitizer may take at the end
  double inFlight = 2; ///< that rounds on their way take to end
  double firsts = 0;   ///< that compiles of first kernels take, while a task may need one; a network is measured then

  /// What is kept for the end: half of the limit at most, so that a short search is one all the same.
  double reserve() const;
  /// Whether there is no time for more rounds once SPENT has passed. EXTRA networks are to be measured before the last.
  bool isOver(double spent, int extra = 0) const { return limit > 0 && spent + extra * assembly >= limit - reserve(); }
  /// Whether a trial of TRIAL seconds may begin once SPENT has passed, before any kernel is tuned: two fifths of the
  /// limit are for tuning and for the end.
  bool leavesTuning(double spent, double trial) const { return limit <= 0 || spent + trial <= 0.6 * limit; }
};

/// A line of a network's profile.
struct ProfileRow {
  std::string task;
  int count = 0; ///< steps of a run
  double genericUs = 0, bestUs = 0, floorUs = 0;
};

/// What the tasks of a network that takes TOTALUS take, the largest share first, as a table in markdown. SELF is the
/// task that it is told to; empty: the whole is asked about.
std::string printProfile(llvm::StringRef network, double totalUs, llvm::ArrayRef<ProfileRow> rows,
                         llvm::StringRef self);

/// Gives the tasks of PARTITION whose text is that of one of KNOWN the name of that, and the others numbers from
/// KNOWN's end on, which they join: so that a task has one run, however the network is cut.
void shareTasks(graph::NetworkPartition &partition, std::vector<graph::NetworkTask> &known);

/// Another way to cut a network.
struct PartitionIdea {
  std::string key, category, text;
  std::string directives;
  bool early = false;  ///< what it saves shows with any kernels, so it is tried before any is tuned
  std::string without; ///< a directive that leaves it nothing to gain
};

/// Those that kgen has, in the order in which they are tried. Which apply the compiler says.
llvm::ArrayRef<PartitionIdea> partitionCatalogue();

/// From how many steps on a graph is searched as a network, when nobody says.
constexpr size_t fewestSteps = 8;

} // namespace kgen::network
