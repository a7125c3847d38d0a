//===- FakeGraphs.cpp - Streams, events and captures without a card -------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A part of the driver of FakeCuda.cpp. A node of a graph comes behind the nodes
// that its stream stands behind; who waits for an event stands behind those of the
// stream that it was recorded on, too.
//
//===----------------------------------------------------------------------===//
#include "FakeGraphs.h"

#include <cstddef>
#include <map>
#include <mutex>
#include <set>
#include <vector>

namespace {

enum { Success = 0, InvalidValue = 1, UnjoinedWork = 904 };

struct Captured {
  unsigned long long capture = 0;
  std::set<size_t> behind;
};
struct State {
  std::mutex lock;
  std::map<void *, Captured> streams, events;
  void *origin = nullptr;
  unsigned long long captures = 0;
  std::vector<std::pair<std::string, std::set<size_t>>> nodes;
  std::set<char *> made;
  std::set<void *> launched; ///< streams of launches that are not captured
  std::string last;          ///< the last graph
  bool takesBranches = true;
};
State &state() {
  static State *only = new State;
  return *only;
}

int make(void **slot) {
  std::lock_guard<std::mutex> guard(state().lock);
  *slot = *state().made.insert(new char).first;
  return Success;
}
int destroy(void *made) {
  std::lock_guard<std::mutex> guard(state().lock);
  state().streams.erase(made);
  state().events.erase(made);
  if (!state().made.erase(static_cast<char *>(made)))
    return InvalidValue;
  delete static_cast<char *>(made);
  return Success;
}

} // namespace

bool captureFakeLaunch(void *stream, const std::string &kernel) {
  State &s = state();
  std::lock_guard<std::mutex> guard(s.lock);
  auto found = s.streams.find(stream);
  if (found == s.streams.end() || !found->second.capture)
    return s.launched.insert(stream), false;
  s.nodes.push_back({kernel, found->second.behind});
  found->second.behind = {s.nodes.size() - 1};
  return true;
}

extern "C" {

/// The last graph: each node's kernel and, behind it, the numbers of the nodes that it waits for.
const char *fakeCudaGraph() { return state().last.c_str(); }
/// As if no graph had been launched yet.
void fakeCudaForgetGraph() { state().last.clear(); }
/// From now on graphs that are no chains are refused, or taken.
void fakeCudaTakeBranches(bool takes) { state().takesBranches = takes; }
/// Streams and events that are not destroyed.
size_t fakeCudaStreams() { return state().made.size(); }

int fakeCudaLaunchStreams() { return int(state().launched.size()); }

int cuStreamCreate(void **stream, unsigned) { return make(stream); }
int cuStreamDestroy_v2(void *stream) { return destroy(stream); }
int cuEventCreate(void **event, unsigned) { return make(event); }
int cuEventDestroy_v2(void *event) { return destroy(event); }
int cuEventSynchronize(void *) { return Success; }
int cuEventElapsedTime(float *time, void *, void *) { return *time = 1, Success; }
int cuEventRecord(void *event, void *stream) {
  std::lock_guard<std::mutex> guard(state().lock);
  state().events[event] = state().streams[stream];
  return Success;
}
int cuStreamWaitEvent(void *stream, void *event, unsigned) {
  std::lock_guard<std::mutex> guard(state().lock);
  const Captured &from = state().events[event];
  Captured &to = state().streams[stream];
  if (from.capture)
    to.capture = from.capture;
  to.behind.insert(from.behind.begin(), from.behind.end());
  return Success;
}
int cuStreamBeginCapture_v2(void *stream, int) {
  State &s = state();
  std::lock_guard<std::mutex> guard(s.lock);
  s.origin = stream;
  s.nodes.clear();
  s.streams[stream] = {++s.captures, {}};
  return Success;
}
int cuStreamEndCapture(void *stream, void **graph) {
  State &s = state();
  std::lock_guard<std::mutex> guard(s.lock);
  if (stream != s.origin)
    return InvalidValue;
  s.last.clear();
  std::set<size_t> ends = s.streams[stream].behind, seen = ends;
  for (size_t i = s.nodes.size(); i-- > 0;)
    if (seen.count(i))
      seen.insert(s.nodes[i].second.begin(), s.nodes[i].second.end());
  for (size_t i = 0; i < s.nodes.size(); ++i) {
    s.last += s.nodes[i].first;
    for (size_t other : s.nodes[i].second)
      s.last += " " + std::to_string(other);
    s.last += "\n";
  }
  for (auto &[each, captured] : s.streams)
    captured = {};
  *graph = &s;
  return seen.size() == s.nodes.size() ? Success : UnjoinedWork;
}
int cuStreamGetCaptureInfo_v2(void *stream, int *status, unsigned long long *id, void *, void ***nodes, size_t *count) {
  static void *some[64] = {};
  std::lock_guard<std::mutex> guard(state().lock);
  const Captured &captured = state().streams[stream];
  *status = captured.capture != 0;
  *id = captured.capture;
  *nodes = some;
  *count = captured.behind.size();
  return Success;
}
int cuGraphNodeGetType(void *, int *type) { return *type = 0, Success; }
int cuGraphInstantiateWithFlags(void **executable, void *graph, unsigned long long) {
  const auto &nodes = state().nodes;
  for (size_t i = 1; i < nodes.size() && !state().takesBranches; ++i)
    if (nodes[i].second != std::set<size_t>{i - 1})
      return InvalidValue;
  return *executable = graph, Success;
}
int cuGraphUpload(void *, void *) { return Success; }
int cuGraphLaunch(void *, void *) { return Success; }
int cuGraphExecDestroy(void *) { return Success; }
int cuGraphDestroy(void *) { return Success; }
}
