//===- SideStreams.cpp - A run on several streams of a card ---------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kgen/Runtime/SideStreams.h"

namespace kgen::runtime {

CaptureState CaptureState::of(const cuda::Driver &driver, cuda::Stream stream) {
  CaptureState state;
  if (!driver.captureInfo)
    return state;
  int status = 0;
  unsigned long long id = 0;
  cuda::Graph graph = nullptr;
  const cuda::GraphNode *nodes = nullptr;
  size_t count = 0;
  constexpr int active = 1, kernel = 0;
  if (driver.captureInfo(stream, &status, &id, &graph, &nodes, &count) || status != active)
    return state;
  state.capture = id;
  int type = kernel;
  state.behindKernel =
      count == 1 && (!driver.graphNodeType || !driver.graphNodeType(nodes[0], &type)) && type == kernel;
  return state;
}

SideStreams::SideStreams(const cuda::Driver &driver, const LaunchBranches &branches) : driver(driver) {
  if (branches.streams < 2 || !driver.streamWaitEvent || !driver.captureInfo)
    return;
  actions = actionsOf(branches);
  if (make(branches.streams, eventCount(actions)))
    return;
  free();
}

bool SideStreams::make(unsigned streams, unsigned count) {
  sides.resize(streams - 1);
  events.resize(count);
  for (cuda::Stream &side : sides)
    if (driver.streamCreate(&side, cuda::StreamNonBlocking))
      return side = nullptr, false;
  for (cuda::Event &event : events)
    if (driver.eventCreate(&event, cuda::EventWithoutTime))
      return event = nullptr, false;
  return true;
}

bool SideStreams::areFree(unsigned long long capture) const {
  for (cuda::Stream side : sides) {
    const unsigned long long other = CaptureState::of(driver, side).capture;
    if (other && other != capture)
      return false;
  }
  return true;
}

void SideStreams::free() {
  actions.clear();
  for (cuda::Event event : events)
    if (event)
      driver.eventDestroy(event);
  for (cuda::Stream side : sides)
    if (side)
      driver.streamDestroy(side);
  events.clear();
  sides.clear();
}

cuda::Result SideRun::advance() {
  isAt = false;
  while (next < sides.actions.size()) {
    const StreamAction &action = sides.actions[next++];
    if (action.kind == StreamAction::Kind::Launch) {
      launch = action.index;
      stream = streamOf(action);
      overlaps = action.overlaps;
      isAt = true;
      return 0;
    }
    const cuda::Event event = sides.events[action.index];
    if (cuda::Result error = action.kind == StreamAction::Kind::Record
                                 ? sides.driver.eventRecord(event, streamOf(action))
                                 : sides.driver.streamWaitEvent(streamOf(action), event, 0))
      return error;
  }
  return 0;
}

} // namespace kgen::runtime
