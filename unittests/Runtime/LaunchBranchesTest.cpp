//===- LaunchBranchesTest.cpp ---------------------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Orders.h"

#include "gtest/gtest.h"

#include <algorithm>

using namespace kgen::runtime;

namespace {

using Kind = StreamAction::Kind;

/// The order of LAUNCHES on several streams, held against every pair of them.
Order check(const Launches &launches, const LaunchBranches &branches) {
  const std::vector<StreamAction> actions = actionsOf(branches);
  std::set<size_t> free, loose;
  Order before = orderOf(actions, launches.size(), free, loose);
  EXPECT_TRUE(free.empty()) << "launch " << *free.begin() << " does not wait for what lies before the run";
  EXPECT_TRUE(loose.empty()) << "what follows the run does not wait for launch " << *loose.begin();
  size_t next = 0;
  for (const StreamAction &action : actions)
    if (action.kind == Kind::Launch)
      EXPECT_EQ(action.index, branches.order[next++]);
  EXPECT_EQ(next, launches.size());
  for (size_t j = 0; j < launches.size(); ++j)
    for (size_t i = 0; i < j; ++i) {
      if (areInConflict(launches[i], launches[j]))
        EXPECT_TRUE(before[j][i]) << i << " and " << j << " are not in order";
      // The clocks say the same, of places.
      EXPECT_EQ(branches.past[j][branches.stream[i]] >= int32_t(i), before[branches.order[j]][branches.order[i]])
          << i << " and " << j;
    }
  return before;
}

/// Whether the second of two launches waits for the first one, beside others that leave room for branches.
bool areInOrder(const std::vector<Access> &first, const std::vector<Access> &second) {
  Launches launches = {first, second};
  for (unsigned i = 0; i < 10; ++i)
    launches.push_back({{100 + i, 0, 1, true}});
  const LaunchBranches branches = findBranches(launches);
  EXPECT_GT(branches.streams, 1u);
  return check(launches, branches)[1][0];
}

TEST(LaunchBranches, WhatReadsWaitsForWhatWrites) {
  EXPECT_TRUE(areInOrder({{0, 0, 100, true}}, {{0, 0, 100, false}}));
  EXPECT_TRUE(areInOrder({{0, 0, 100, false}}, {{0, 0, 100, true}})); // and the other way round
  EXPECT_TRUE(areInOrder({{0, 0, 100, true}}, {{0, 0, 100, true}}));
  EXPECT_FALSE(areInOrder({{0, 0, 100, false}}, {{0, 0, 100, false}}));
  EXPECT_FALSE(areInOrder({{0, 0, 100, true}}, {{1, 0, 100, true}}));
}

TEST(LaunchBranches, PartsMeetWhereTheyShareAByte) {
  for (bool writes : {false, true}) {
    EXPECT_TRUE(areInOrder({{0, 100, 200, true}}, {{0, 199, 300, writes}}));
    EXPECT_TRUE(areInOrder({{0, 100, 200, true}}, {{0, 0, 101, writes}}));
    EXPECT_TRUE(areInOrder({{0, 100, 200, true}}, {{0, 0, 300, writes}}));
    EXPECT_TRUE(areInOrder({{0, 100, 200, true}}, {{0, 150, 160, writes}}));
    EXPECT_TRUE(areInOrder({{0, 100, 200, writes}}, {{0, 150, 160, true}}));
    EXPECT_FALSE(areInOrder({{0, 100, 200, true}}, {{0, 200, 300, writes}}));
    EXPECT_FALSE(areInOrder({{0, 100, 200, true}}, {{0, 0, 100, writes}}));
    EXPECT_FALSE(areInOrder({{0, 100, 100, true}}, {{0, 0, 300, writes}})); // no byte at all
  }
  // A launch that uses bytes twice, and the ends of what it used.
  EXPECT_TRUE(areInOrder({{0, 0, 100, true}, {0, 50, 150, true}}, {{0, 120, 130, false}}));
  EXPECT_TRUE(areInOrder({{0, 0, 100, true}, {0, 50, 150, true}}, {{0, 20, 30, false}}));
  EXPECT_TRUE(areInOrder({{0, 0, 100, false}, {0, 50, 150, true}}, {{0, 20, 30, true}}));
  EXPECT_TRUE(areInOrder({{0, 50, 150, true}, {0, 0, 100, false}}, {{0, 60, 70, false}}));
}

TEST(LaunchBranches, AChainIsOneStream) {
  Launches launches;
  for (unsigned i = 0; i < 20; ++i)
    launches.push_back({{i, 0, 8, false}, {i + 1, 0, 8, true}});
  LaunchBranches branches = findBranches(launches);
  EXPECT_EQ(branches.streams, 1u);
  EXPECT_EQ(branches.depth, 20u);
  check(launches, branches);
  const std::vector<StreamAction> actions = actionsOf(branches);
  ASSERT_EQ(actions.size(), 20u);
  EXPECT_FALSE(actions[0].overlaps);
  for (size_t i = 1; i < 20; ++i)
    EXPECT_TRUE(actions[i].overlaps);
  EXPECT_EQ(eventCount(actions), 0u);
  // Two of 22 beside it are not worth it, four of 24 are.
  for (unsigned i = 0; i < 2; ++i)
    launches.push_back({{100 + i, 0, 8, true}});
  EXPECT_EQ(findBranches(launches).streams, 1u);
  check(launches, findBranches(launches));
  for (unsigned i = 2; i < 4; ++i)
    launches.push_back({{100 + i, 0, 8, true}});
  branches = findBranches(launches);
  EXPECT_GT(branches.streams, 1u);
  EXPECT_EQ(branches.depth, 20u);
  // Nor with one stream.
  EXPECT_EQ(findBranches(launches, 1).streams, 1u);
  EXPECT_EQ(findBranches({}).streams, 1u);
}

TEST(LaunchBranches, LayersOfARecurrentNetworkFollowEachOther) {
  const Launches launches = recurrent(6, 64);
  const LaunchBranches branches = findBranches(launches);
  EXPECT_EQ(branches.streams, 6u);
  EXPECT_EQ(branches.depth, 64u + 5);
  check(launches, branches);
  // A layer is a stream; a step waits for the step in front of it and the layer below, and for nothing twice.
  for (size_t i = 0; i < launches.size(); ++i) {
    const uint32_t launch = branches.order[i];
    EXPECT_EQ(branches.stream[i], launch / 64);
    ASSERT_EQ(branches.waits[i].size(), launch < 64 ? 0u : 1u);
    if (launch >= 64)
      EXPECT_EQ(branches.order[branches.waits[i][0]], launch - 64);
  }
  // The first layer waits for nobody, so its kernels overlap; the others do not.
  const std::vector<StreamAction> actions = actionsOf(branches);
  for (const StreamAction &action : actions)
    if (action.kind == Kind::Launch)
      EXPECT_EQ(action.overlaps, action.index > 0 && action.index < 64) << action.index;
  // More layers than streams are in order all the same.
  const LaunchBranches many = findBranches(recurrent(12, 20));
  check(recurrent(12, 20), many);
  EXPECT_EQ(many.streams, mostStreams);
  EXPECT_LE(many.depth, 40u);
}

TEST(LaunchBranches, WhatIsListedLateBeginsEarly) {
  // Six layers, of which each begins with a product of 8 steps of the layer below, again and again: a stream is
  // nobody's for the time that the layers listed before take on it.
  Launches launches;
  constexpr int64_t steps = 64, some = 8, bytes = 256;
  for (unsigned l = 0; l < 6; ++l)
    for (int64_t t = 0; t < steps; ++t) {
      if (l && t % some == 0)
        launches.push_back({{l, t * bytes, (t + some) * bytes, false}, {100 + l, t * bytes, (t + some) * bytes, true}});
      std::vector<Access> uses = {{l + 1, t * bytes, (t + 1) * bytes, true}};
      if (l)
        uses.push_back({100 + l, t * bytes, (t + some) * bytes, false});
      if (t)
        uses.push_back({l + 1, (t - 1) * bytes, t * bytes, false});
      launches.push_back(uses);
    }
  const LaunchBranches branches = findBranches(launches);
  check(launches, branches);
  EXPECT_LE(branches.depth, 120u); // 109 with as many streams as one likes
}

TEST(LaunchBranches, EventsAreRecordedAgain) {
  // Four branches that meet, again and again.
  Launches launches;
  for (unsigned block = 0; block < 100; ++block) {
    const unsigned first = block * 6;
    std::vector<Access> meeting = {{first + 5, 0, 8, true}};
    launches.push_back({{first, 0, 8, true}});
    if (block)
      launches.back().push_back({first - 1, 0, 8, false});
    for (unsigned i = 1; i < 5; ++i) {
      launches.push_back({{first, 0, 8, false}, {first + i, 0, 8, true}});
      meeting.push_back({first + i, 0, 8, false});
    }
    launches.push_back(meeting);
  }
  const LaunchBranches branches = findBranches(launches);
  EXPECT_EQ(branches.streams, 4u);
  EXPECT_EQ(branches.depth, 300u);
  check(launches, branches);
  const std::vector<StreamAction> actions = actionsOf(branches);
  EXPECT_LE(eventCount(actions), 4u);
  // All meet in the last launch, so nobody else is waited for in the end.
  size_t behind = 0;
  while (actions[actions.size() - 1 - behind].kind != Kind::Launch)
    ++behind;
  EXPECT_LE(behind, 1u);
}

TEST(LaunchBranches, WaitsForNothingInVain) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    const Launches launches = randomLaunches(60, seed);
    const LaunchBranches branches = findBranches(launches, 1 + seed % mostStreams);
    if (branches.streams == 1)
      continue;
    const Order before = check(launches, branches);
    std::vector<int> last(mostStreams, -1);
    for (size_t i = 0; i < launches.size(); ++i) {
      std::vector<size_t> direct(branches.waits[i].begin(), branches.waits[i].end());
      int &tail = last[branches.stream[i]];
      if (tail >= 0)
        direct.push_back(size_t(tail));
      for (size_t one : branches.waits[i])
        for (size_t other : direct)
          EXPECT_FALSE(before[branches.order[other]][branches.order[one]])
              << i << " waits for " << one << " and for " << other;
      tail = int(i);
    }
  }
}

TEST(LaunchBranches, AnyLaunchesAreInOrder) {
  unsigned branched = 0;
  for (unsigned seed = 0; seed < 400; ++seed) {
    const Launches launches = randomLaunches(5 + seed % 90, seed);
    const LaunchBranches branches = findBranches(launches, 1 + seed % mostStreams);
    EXPECT_LE(branches.streams, 1 + seed % mostStreams);
    check(launches, branches);
    branched += branches.streams > 1;
    if (HasFailure())
      FAIL() << "with seed " << seed;
  }
  EXPECT_GT(branched, 200u);
}

TEST(LaunchBranches, PartsOfWhatSomebodyReadsAsAWholeHaveTheirUsers) {
  // Each of 100 parts has a reader; then all are read at once, and each is read or written again, at last, behind a
  // chain that has nothing to do with them.
  Launches launches;
  for (unsigned i = 0; i < 10; ++i)
    launches.push_back({{500 + i, 0, 8, false}, {501 + i, 0, 8, true}});
  for (int64_t i = 0; i < 100; ++i)
    launches.push_back({{0, i * 8, i * 8 + 8, true}});
  for (int64_t i = 0; i < 100; ++i)
    launches.push_back({{0, i * 8, i * 8 + 8, false}, {1 + unsigned(i), 0, 8, true}});
  launches.push_back({{0, 0, 800, false}, {101, 0, 8, true}});
  for (int64_t i = 0; i < 100; ++i)
    launches.push_back({{0, i * 8, i * 8 + 8, i % 2 == 0}, {102 + unsigned(i), 0, 8, true}, {510, 0, 8, false}});
  check(launches, findBranches(launches));
}

TEST(LaunchBranches, ManyPartsThatManyReadTakeNoTime) {
  // A value of 30,000 parts, all of which 30,000 others read, and a chain beside them.
  constexpr int64_t count = 30000;
  Launches launches;
  for (int64_t i = 0; i < count; ++i)
    launches.push_back({{0, i * 256, i * 256 + 256, true}});
  for (unsigned i = 0; i < count; ++i)
    launches.push_back({{0, 0, count * 256, false}, {1 + i, 0, 8, true}});
  const LaunchBranches branches = findBranches(launches);
  EXPECT_EQ(branches.streams, mostStreams);
  // All parts are there before anybody reads them.
  for (unsigned s = 0; s < mostStreams; ++s)
    EXPECT_GE(branches.past[size_t(count)][s], int32_t(count - mostStreams));
  EXPECT_LE(eventCount(actionsOf(branches)), 2 * mostStreams);
}

TEST(LaunchBranches, ALaunchUsesWhatItsStepHas) {
  const Extent buffer{3, 1000, 2000};
  auto used = [&](int64_t at, bool isInput, const std::vector<Extent> &reads, const std::vector<Extent> &writes) {
    std::vector<Access> to;
    addAccess(buffer, at, isInput, reads, writes, to);
    std::string text;
    for (const Access &one : to)
      text += (one.writes ? "w" : "r") + std::to_string(one.memory) + ":" + std::to_string(one.begin) + "-" +
              std::to_string(one.end) + " ";
    return text;
  };
  EXPECT_EQ(used(1500, false, {{3, 1000, 2000}}, {}), "r3:1000-2000 ");
  EXPECT_EQ(used(1500, false, {{3, 1000, 1500}}, {{3, 1500, 1600}}), "w3:1500-1600 ");
  EXPECT_EQ(used(1499, false, {{3, 1000, 1500}}, {{3, 1500, 1600}}), "r3:1000-1500 ");
  // All that it may mean.
  EXPECT_EQ(used(1300, false, {{3, 1000, 1500}, {3, 1200, 1700}, {4, 1000, 2000}}, {}), "r3:1000-1500 r3:1200-1700 ");
  // What no step declares: a workspace of its own, or an input.
  EXPECT_EQ(used(1700, false, {{3, 1000, 1500}}, {{3, 1500, 1600}}), "w3:1000-2000 ");
  EXPECT_EQ(used(1700, true, {}, {}), "r3:1000-2000 ");
}

} // namespace
