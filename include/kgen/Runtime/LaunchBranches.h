//===- LaunchBranches.h - Launches that may run side by side ----*- C++ -*-===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches are listed in an order in which one stream may run them. What they
// read and write says which of them need not wait for each other: these go to
// several streams while a CUDA graph is captured. Data in, data out; shared by
// who measures networks and by the runtime of bundles.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace kgen::runtime {

/// Bytes that a launch uses, from BEGIN up to END. Who asks numbers the memories: bytes of two of them are never the
/// same. What is no memory at all, and one launch at a time may use, is a byte that each of them writes.
struct Access {
  unsigned memory = 0;
  int64_t begin = 0, end = 0;
  bool writes = false;
};

/// A piece of memory MEMORY from BEGIN up to END.
struct Extent {
  unsigned memory = 0;
  int64_t begin = 0, end = 0;
};

/// What a launch that points at byte AT of BUFFER uses of it, put behind TO. READS and WRITES are what its step has:
/// all of their extents that hold AT count, and may be written where one of WRITES does. Of a buffer that neither has
/// everything is used, and written but where it ISINPUT of the plan.
void addAccess(const Extent &buffer, int64_t at, bool isInput, const std::vector<Extent> &reads,
               const std::vector<Extent> &writes, std::vector<Access> &to);

/// The most streams of a run. The layers of a recurrent network are six at most in practice, an Inception block has
/// four branches, and more kernels seldom find room on a card.
constexpr unsigned mostStreams = 8;

/// For each stream the place of the last launch on it; -1: none.
using StreamClock = std::array<int32_t, mostStreams>;

/// How launches go to streams. A place is one in ORDER.
struct LaunchBranches {
  unsigned streams = 1;                     ///< 1: in order, as they are listed
  size_t depth = 0;                         ///< launches of the longest path, in these streams
  std::vector<uint32_t> order;              ///< the launches as they are queued
  std::vector<uint8_t> stream;              ///< by place; the first one is on stream 0
  std::vector<std::vector<uint32_t>> waits; ///< by place: those of other streams that it waits for, none in vain
  std::vector<StreamClock> past;            ///< by place: what is over when it begins, itself not counted
};

/// Gives LAUNCHES, by what each uses, to at most MOST streams, so that two are in order where one writes what the other
/// reads or writes. Those with the fewest launches in front of them come first, as on a card where each takes the same
/// time. Where the longest path has more than 85 % of the launches there is one stream, as events between streams have
/// their price. Takes time in proportion to the accesses, nearly.
LaunchBranches findBranches(const std::vector<std::vector<Access>> &launches, unsigned most = mostStreams);

/// What is done for a run on several streams, in this order.
struct StreamAction {
  enum class Kind {
    Launch, ///< launch INDEX on STREAM
    Record, ///< event INDEX stands for what was queued on STREAM so far
    Wait    ///< what is queued on STREAM from now on waits for event INDEX
  } kind = Kind::Launch;
  uint32_t index = 0;
  uint8_t stream = 0;
  /// Of a launch: all that it waits for is the kernel before it on its stream, so that it may be brought to the card
  /// while that runs. False for the first one: who launches knows what lies before.
  bool overlaps = false;
};

/// The actions of BRANCHES, which begin behind what is on stream 0 and end with everything in front of what follows
/// there.
std::vector<StreamAction> actionsOf(const LaunchBranches &branches);
/// How many events ACTIONS need: they are recorded again when nobody waits for them any more.
unsigned eventCount(const std::vector<StreamAction> &actions);

} // namespace kgen::runtime
