//===- SideStreamsTest.cpp ------------------------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Orders.h"

#include "kgen/Runtime/SideStreams.h"

#include "gtest/gtest.h"

#include <map>

using namespace kgen;
using namespace kgen::runtime;

namespace {

/// A driver that captures: a node comes behind the nodes that its stream stands behind, an event stands behind those of
/// the stream that it was recorded on, and who waits for it stands behind them, too.
struct FakeDriver : cuda::Driver {
  struct Captured {
    unsigned long long capture = 0;
    std::set<size_t> behind; ///< nodes
  };
  std::map<cuda::Stream, Captured> streams;
  std::map<cuda::Event, Captured> events;
  std::vector<std::set<size_t>> nodes; ///< what each comes behind
  std::set<void *> made;
  int created = 0, refusesAfter = 1000;
  int waitedForNothing = 0;
  int nodeType = 0;

  static FakeDriver *&current() {
    static FakeDriver *driver = nullptr;
    return driver;
  }

  FakeDriver() : cuda::Driver() {
    current() = this;
    streamCreate = [](cuda::Stream *stream, unsigned flags) {
      EXPECT_EQ(flags, unsigned(cuda::StreamNonBlocking));
      return current()->make(reinterpret_cast<void **>(stream));
    };
    eventCreate = [](cuda::Event *event, unsigned flags) {
      EXPECT_EQ(flags, unsigned(cuda::EventWithoutTime));
      return current()->make(reinterpret_cast<void **>(event));
    };
    streamDestroy = [](cuda::Stream stream) { return current()->made.erase(stream) ? 0 : 1; };
    eventDestroy = [](cuda::Event event) { return current()->made.erase(event) ? 0 : 1; };
    eventRecord = [](cuda::Event event, cuda::Stream stream) {
      current()->events[event] = current()->streams[stream];
      return 0;
    };
    streamWaitEvent = [](cuda::Stream stream, cuda::Event event, unsigned) {
      auto found = current()->events.find(event);
      if (found == current()->events.end())
        return ++current()->waitedForNothing, 0;
      Captured &to = current()->streams[stream];
      to.capture = found->second.capture;
      to.behind.insert(found->second.behind.begin(), found->second.behind.end());
      return 0;
    };
    captureInfo = [](cuda::Stream stream, int *status, unsigned long long *id, cuda::Graph *,
                     const cuda::GraphNode **list, size_t *count) {
      static const cuda::GraphNode some[8] = {};
      const Captured &known = current()->streams[stream];
      *status = known.capture != 0;
      *id = known.capture;
      *list = some;
      *count = known.behind.size();
      return 0;
    };
    graphNodeType = [](cuda::GraphNode, int *type) { return *type = current()->nodeType, 0; };
  }

  int make(void **slot) {
    if (created == refusesAfter)
      return 2;
    *slot = reinterpret_cast<void *>(uintptr_t(0x1000 + 16 * ++created));
    made.insert(*slot);
    return 0;
  }

  size_t launch(cuda::Stream stream) {
    nodes.push_back(streams[stream].behind);
    streams[stream].behind = {nodes.size() - 1};
    return nodes.size() - 1;
  }
  /// before[j][i]: node I is over when J begins.
  Order order() const {
    Order before(nodes.size(), std::vector<bool>(nodes.size()));
    for (size_t j = 0; j < nodes.size(); ++j)
      for (size_t i : nodes[j]) {
        before[j][i] = true;
        for (size_t k = 0; k < i; ++k)
          before[j][k] = before[j][k] || before[i][k];
      }
    return before;
  }
};

const cuda::Stream origin = reinterpret_cast<cuda::Stream>(uintptr_t(0x10));

/// A captured run between two other nodes.
struct CapturedRun {
  std::vector<size_t> nodeOf;   ///< by launch
  std::vector<size_t> overlaps; ///< launches
};

CapturedRun capture(FakeDriver &driver, const SideStreams &sides, size_t count) {
  driver.streams[origin].capture = 7;
  driver.launch(origin);
  CapturedRun captured;
  captured.nodeOf.resize(count);
  for (SideRun run(sides, origin);;) {
    EXPECT_EQ(run.advance(), 0);
    if (!run.isAtLaunch())
      break;
    captured.nodeOf[run.launch] = driver.launch(run.stream);
    if (run.overlaps)
      captured.overlaps.push_back(run.launch);
  }
  driver.launch(origin);
  EXPECT_EQ(driver.nodes.size(), count + 2);
  return captured;
}

TEST(SideStreams, AGraphHasTheOrderOfItsBytes) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    FakeDriver driver;
    const Launches launches = seed ? randomLaunches(80, seed) : recurrent(6, 20);
    SideStreams sides(driver, findBranches(launches));
    if (!sides.areThere())
      continue;
    const CapturedRun run = capture(driver, sides, launches.size());
    EXPECT_EQ(driver.waitedForNothing, 0);
    const Order before = driver.order();
    for (size_t j = 0; j < launches.size(); ++j) {
      EXPECT_TRUE(before[run.nodeOf[j]][0]) << "launch " << j << " may run before what lies in front";
      EXPECT_TRUE(before.back()[run.nodeOf[j]]) << "launch " << j << " may run behind what follows";
      for (size_t i = 0; i < j; ++i)
        if (areInConflict(launches[i], launches[j]))
          EXPECT_TRUE(before[run.nodeOf[j]][run.nodeOf[i]]) << i << " and " << j;
    }
    // Who waits for one kernel only may come to the card while that runs.
    for (size_t launch : run.overlaps) {
      const std::set<size_t> &behind = driver.nodes[run.nodeOf[launch]];
      EXPECT_EQ(behind.size(), 1u) << launch;
      EXPECT_NE(*behind.begin(), 0u) << launch;
    }
    // Once more in the same capture, and the streams are nobody's afterwards.
    EXPECT_TRUE(sides.areFree(7));
    EXPECT_FALSE(sides.areFree(8));
    sides.free();
    EXPECT_TRUE(driver.made.empty());
    if (HasFailure())
      FAIL() << "with seed " << seed;
  }
}

TEST(SideStreams, SomeOverlapAndSomeWait) {
  FakeDriver driver;
  const Launches launches = recurrent(3, 10);
  SideStreams sides(driver, findBranches(launches));
  ASSERT_TRUE(sides.areThere());
  std::vector<size_t> expected;
  for (size_t i = 1; i < 10; ++i)
    expected.push_back(i);
  const CapturedRun run = capture(driver, sides, launches.size());
  EXPECT_EQ(run.overlaps, expected);
  // The second layer begins while the first one is at its second step.
  EXPECT_TRUE(driver.order()[run.nodeOf[10]][run.nodeOf[0]]);
  EXPECT_FALSE(driver.order()[run.nodeOf[10]][run.nodeOf[1]]);
}

TEST(SideStreams, AreNotThereWithoutBranchesOrDriver) {
  FakeDriver driver;
  EXPECT_FALSE(SideStreams(driver, findBranches({{{0, 0, 8, true}}, {{0, 0, 8, true}}})).areThere());
  EXPECT_EQ(driver.created, 0);
  const LaunchBranches branches = findBranches(recurrent(3, 10));
  driver.streamWaitEvent = nullptr;
  EXPECT_FALSE(SideStreams(driver, branches).areThere());
  // Where the driver makes some and no more nothing is left of them.
  for (int most : {0, 1, 2, 3}) {
    FakeDriver refusing;
    refusing.refusesAfter = most;
    SideStreams sides(refusing, branches);
    EXPECT_FALSE(sides.areThere());
    EXPECT_EQ(refusing.created, most);
    EXPECT_TRUE(refusing.made.empty());
  }
}

TEST(SideStreams, TellWhatIsCaptured) {
  FakeDriver driver;
  EXPECT_EQ(CaptureState::of(driver, origin).capture, 0u);
  EXPECT_TRUE(CaptureState::of(driver, origin).behindKernel);
  driver.streams[origin].capture = 3;
  EXPECT_EQ(CaptureState::of(driver, origin).capture, 3u);
  EXPECT_FALSE(CaptureState::of(driver, origin).behindKernel) << "behind nothing";
  driver.launch(origin);
  EXPECT_TRUE(CaptureState::of(driver, origin).behindKernel);
  driver.nodeType = 1; // a copy
  EXPECT_FALSE(CaptureState::of(driver, origin).behindKernel);
  driver.nodeType = 0;
  driver.streams[origin].behind = {0, 1};
  EXPECT_FALSE(CaptureState::of(driver, origin).behindKernel) << "behind two kernels";
  driver.captureInfo = [](cuda::Stream, int *, unsigned long long *, cuda::Graph *, const cuda::GraphNode **,
                          size_t *) { return 906; };
  EXPECT_EQ(CaptureState::of(driver, origin).capture, 0u);
  driver.captureInfo = nullptr;
  EXPECT_EQ(CaptureState::of(driver, origin).capture, 0u);
}

} // namespace
