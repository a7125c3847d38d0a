//===- SideStreams.h - A run on several streams of a card -------*- C++ -*-===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// While a CUDA graph is captured, launches go to streams beside the one that is
// captured, which events fork from it and join to it again (CUDA programming
// guide, "Cross-stream Dependencies and Events").
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Runtime/CudaDriver.h"
#include "kgen/Runtime/LaunchBranches.h"

#include <vector>

namespace kgen::runtime {

/// What is known of a stream that may be being captured.
struct CaptureState {
  unsigned long long capture = 0; ///< a number of it; 0: nothing is captured there, or nobody can tell
  /// Whether what comes next comes right behind a kernel and nothing else. True where nothing is captured: a launch
  /// that may overlap waits for what else lies before it there.
  bool behindKernel = true;

  static CaptureState of(const cuda::Driver &driver, cuda::Stream stream);
};

/// The streams and events of runs by some actions, in the context in which they were made.
class SideStreams {
public:
  /// For runs by BRANCHES, on the current context of DRIVER, which must outlive this.
  SideStreams(const cuda::Driver &driver, const LaunchBranches &branches);
  SideStreams(const SideStreams &) = delete;
  /// Frees nothing: the driver may have shut down. See free().
  ~SideStreams() = default;
  /// Whether there are branches, the driver has what they need, and it made the streams.
  bool areThere() const { return !actions.empty(); }
  /// Whether a run on ORIGIN, whose capture CAPTURE is, may use them: those of another capture that has not ended may
  /// not.
  bool areFree(unsigned long long capture) const;
  void free();

private:
  friend class SideRun;
  bool make(unsigned streams, unsigned count);

  const cuda::Driver &driver;
  std::vector<StreamAction> actions;
  std::vector<cuda::Stream> sides; ///< stream N is sides[N - 1]
  std::vector<cuda::Event> events;
};

/// One run, whose launches are asked for one after the other. One at a time may use SIDES.
class SideRun {
public:
  SideRun(const SideStreams &sides, cuda::Stream origin) : sides(sides), stream(origin), origin(origin) {}
  /// Does what comes before the next launch, or behind the last one: all streams join the origin.
  cuda::Result advance();
  /// Whether there is a launch to be queued now, whose number is LAUNCH: on STREAM, with OVERLAPS as in StreamAction.
  bool isAtLaunch() const { return isAt; }

  const SideStreams &sides;
  size_t launch = 0;
  cuda::Stream stream;
  bool overlaps = false;

private:
  cuda::Stream streamOf(const StreamAction &action) const {
    return action.stream == 0 ? origin : sides.sides[action.stream - 1u];
  }

  cuda::Stream origin;
  bool isAt = false;
  size_t next = 0;
};

} // namespace kgen::runtime
