//===- LaunchBranches.cpp - Launches that may run side by side ------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// First each launch's level, the length of the longest path to it, then one pass in the order of levels. There a launch
// has a clock: for each stream the last launch that is over when it begins (a vector clock, Fidge 1988). So what a
// launch has to wait for, who is over already, and who used some bytes last are as many numbers as there are streams,
// however many launches there are.
//
//===----------------------------------------------------------------------===//

#include "kgen/Runtime/LaunchBranches.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>
#include <utility>

namespace kgen::runtime {

void addAccess(const Extent &buffer, int64_t at, bool isInput, const std::vector<Extent> &reads,
               const std::vector<Extent> &writes, std::vector<Access> &to) {
  bool found = false;
  for (const auto *list : {&reads, &writes})
    for (const Extent &one : *list)
      if (one.memory == buffer.memory && one.begin <= at && at < one.end) {
        to.push_back({one.memory, one.begin, one.end, list == &writes});
        found = true;
      }
  if (!found)
    to.push_back({buffer.memory, buffer.begin, buffer.end, !isInput});
}

namespace {

constexpr int32_t none = -1;

StreamClock emptyClock() {
  StreamClock clock;
  clock.fill(none);
  return clock;
}

void join(StreamClock &into, const StreamClock &other) {
  for (unsigned s = 0; s < mostStreams; ++s)
    into[s] = std::max(into[s], other[s]);
}

/// Who wrote and read bytes last.
struct Users {
  int64_t end = 0;
  StreamClock writers = emptyClock(), readers = emptyClock();
};

/// The users of one memory, by where their bytes begin.
class Memory {
public:
  /// What a launch that uses BEGIN to END has to wait for, joined to NEEDED.
  void collect(int64_t begin, int64_t end, bool writes, StreamClock &needed) {
    split(begin);
    split(end);
    size_t pieces = 0;
    for (auto at = users.lower_bound(begin); at != users.end() && at->first < end; ++at, ++pieces) {
      join(needed, at->second.writers);
      if (writes)
        join(needed, at->second.readers);
    }
    if (pieces > mostPieces)
      merge(begin, end);
  }

  /// LAUNCH, on STREAM, uses BEGIN to END, which were collected: what it waits for counts for less than itself.
  void use(int64_t begin, int64_t end, bool writes, int32_t launch, unsigned stream) {
    // Once more: another access of this launch may have made one piece of several.
    split(begin);
    split(end);
    if (writes) {
      // It waits for all who used these bytes, so that who waits for it does, too.
      users.erase(users.lower_bound(begin), users.lower_bound(end));
      users[begin] = {end, emptyClock(), emptyClock()};
      users[begin].writers[stream] = launch;
      return;
    }
    int64_t done = begin;
    for (auto at = users.lower_bound(begin); at != users.end() && at->first < end; ++at) {
      addReader(done, at->first, launch, stream);
      at->second.readers[stream] = std::max(at->second.readers[stream], launch);
      done = at->second.end;
    }
    addReader(done, end, launch, stream);
  }

private:
  /// Of more than so many pieces that somebody reads at once one is made: who reads or writes a part of them later may
  /// wait for too much, and many who read them all take no time in proportion to the pieces.
  static constexpr size_t mostPieces = 64;

  /// Nobody has bytes on both sides of AT.
  void split(int64_t at) {
    auto next = users.upper_bound(at);
    if (next == users.begin())
      return;
    auto before = std::prev(next);
    if (before->first == at || before->second.end <= at)
      return;
    Users behind = before->second;
    before->second.end = at;
    users[at] = behind;
  }

  void addReader(int64_t begin, int64_t end, int32_t launch, unsigned stream) {
    if (begin >= end)
      return;
    Users one;
    one.end = end;
    one.readers[stream] = launch;
    users[begin] = one;
  }

  void merge(int64_t begin, int64_t end) {
    Users all;
    auto first = users.lower_bound(begin), last = users.lower_bound(end);
    const int64_t from = first->first;
    for (auto at = first; at != last; ++at) {
      join(all.writers, at->second.writers);
      join(all.readers, at->second.readers);
      all.end = at->second.end;
    }
    users.erase(first, last);
    users[from] = all;
  }

  std::map<int64_t, Users> users;
};

class Finder {
public:
  Finder(const std::vector<std::vector<Access>> &launches, unsigned most)
      : launches(launches), most(std::clamp(most, 1u, mostStreams)) {
    unsigned count = 0;
    for (const auto &accesses : launches)
      for (const Access &access : accesses)
        count = std::max(count, access.memory + 1);
    isWritten.resize(count);
    for (const auto &accesses : launches)
      for (const Access &access : accesses)
        isWritten[access.memory] = isWritten[access.memory] || access.writes;
  }

  LaunchBranches find() {
    sortByLevel();
    tails.fill(none);
    memories.assign(isWritten.size(), {});
    for (size_t i = 0; i < launches.size(); ++i)
      place(int32_t(i));
    out.streams = opened;
    out.depth = launches.size();
    size_t deepest = 0;
    for (unsigned s = 0; s < opened; ++s)
      deepest = std::max(deepest, depths[size_t(tails[s])]);
    constexpr double worthIt = 0.85;
    if (opened > 1 && double(deepest) <= worthIt * double(launches.size())) {
      out.depth = deepest;
      return std::move(out);
    }
    LaunchBranches chain;
    chain.depth = launches.size();
    chain.stream.resize(launches.size());
    chain.waits.resize(launches.size());
    for (size_t i = 0; i < launches.size(); ++i) {
      chain.order.push_back(uint32_t(i));
      chain.past.push_back(emptyClock());
      chain.past.back()[0] = int32_t(i) - 1;
    }
    return chain;
  }

private:
  /// Levels are clocks of one stream: who uses bytes is behind the highest of those that it waits for.
  void sortByLevel() {
    std::vector<int32_t> levels;
    memories.assign(isWritten.size(), {});
    for (const auto &accesses : launches) {
      StreamClock highest = emptyClock();
      for (const Access &access : accesses)
        if (isUsed(access))
          memories[access.memory].collect(access.begin, access.end, access.writes, highest);
      levels.push_back(highest[0] + 1);
      for (const Access &access : accesses)
        if (isUsed(access))
          memories[access.memory].use(access.begin, access.end, access.writes, levels.back(), 0);
    }
    out.order.resize(launches.size());
    std::iota(out.order.begin(), out.order.end(), 0u);
    std::stable_sort(out.order.begin(), out.order.end(), [&](uint32_t a, uint32_t b) { return levels[a] < levels[b]; });
  }

  /// What is over when the launch at place I is.
  StreamClock over(int32_t i) const {
    StreamClock clock = out.past[size_t(i)];
    clock[out.stream[size_t(i)]] = i;
    return clock;
  }

  void place(int32_t i) {
    StreamClock needed = emptyClock();
    const std::vector<Access> &accesses = launches[out.order[size_t(i)]];
    for (const Access &access : accesses)
      if (isUsed(access))
        memories[access.memory].collect(access.begin, access.end, access.writes, needed);
    // Of those that it needs, who is over when another one is goes without saying.
    StreamClock past = needed;
    for (unsigned s = 0; s < mostStreams; ++s)
      if (needed[s] != none)
        join(past, over(needed[s]));
    std::vector<uint32_t> waits;
    StreamClock direct = needed;
    for (unsigned s = 0; s < mostStreams; ++s)
      for (unsigned other = 0; other < mostStreams && direct[s] != none; ++other)
        if (other != s && needed[other] != none && out.past[size_t(needed[other])][s] >= needed[s])
          direct[s] = none;
    const unsigned stream = choose(past, direct);
    if (tails[stream] != none)
      join(past, over(tails[stream]));
    for (unsigned s = 0; s < mostStreams; ++s)
      if (s != stream && direct[s] != none && (tails[stream] == none || out.past[size_t(tails[stream])][s] < direct[s]))
        waits.push_back(uint32_t(direct[s]));
    std::sort(waits.begin(), waits.end());
    size_t depth = 0;
    for (unsigned s = 0; s < mostStreams; ++s)
      if (past[s] != none)
        depth = std::max(depth, depths[size_t(past[s])]);
    depths.push_back(depth + 1);
    out.past.push_back(past);
    out.stream.push_back(uint8_t(stream));
    out.waits.push_back(std::move(waits));
    tails[stream] = i;
    for (const Access &access : accesses)
      if (isUsed(access))
        memories[access.memory].use(access.begin, access.end, access.writes, i, stream);
  }

  /// What nobody writes orders nothing.
  bool isUsed(const Access &access) const { return isWritten[access.memory] && access.begin < access.end; }

  /// The stream of a launch that is behind PAST, and right behind DIRECT.
  unsigned choose(const StreamClock &past, const StreamClock &direct) {
    int best = -1;
    auto prefer = [&](unsigned s) {
      if (best < 0 || std::pair(depthOf(s), tails[s]) > std::pair(depthOf(unsigned(best)), tails[unsigned(best)]))
        best = int(s);
    };
    // Behind the kernel that it waits for, of several the one that is over last.
    for (unsigned s = 0; s < opened; ++s)
      if (direct[s] != none && direct[s] == tails[s])
        prefer(s);
    if (best >= 0)
      return unsigned(best);
    // Where all is over anyway; then where nothing is.
    for (unsigned s = 0; s < opened; ++s)
      if (tails[s] <= past[s])
        prefer(s);
    if (best >= 0)
      return unsigned(best);
    if (opened < most)
      return opened++;
    best = 0;
    for (unsigned s = 1; s < opened; ++s)
      if (depthOf(s) < depthOf(unsigned(best)))
        best = int(s);
    return unsigned(best);
  }

  size_t depthOf(unsigned stream) const { return depths[size_t(tails[stream])]; }

  const std::vector<std::vector<Access>> &launches;
  const unsigned most;
  unsigned opened = 0;
  StreamClock tails;
  std::vector<bool> isWritten;
  std::vector<Memory> memories;
  std::vector<size_t> depths; ///< by place: of the longest path that ends with it
  LaunchBranches out;
};

} // namespace

LaunchBranches findBranches(const std::vector<std::vector<Access>> &launches, unsigned most) {
  if (launches.empty())
    return {};
  return Finder(launches, most).find();
}

std::vector<StreamAction> actionsOf(const LaunchBranches &branches) {
  using Kind = StreamAction::Kind;
  std::vector<StreamAction> actions;
  const size_t count = branches.stream.size();
  std::vector<uint32_t> waiters(count);
  StreamClock tails = emptyClock();
  bool forks = false;
  for (size_t i = 0; i < count; ++i) {
    for (uint32_t other : branches.waits[i])
      ++waiters[other];
    const unsigned stream = branches.stream[i];
    forks = forks || (stream != 0 && tails[stream] == none && branches.waits[i].empty());
    tails[stream] = int32_t(i);
  }
  // The ends that nobody waits for: they come before what follows the run.
  std::vector<uint32_t> ends;
  for (unsigned s = 1; s < branches.streams; ++s) {
    bool isOver = false;
    for (unsigned other = 0; other < branches.streams; ++other)
      isOver = isOver || (other != s && branches.past[size_t(tails[other])][s] >= tails[s]);
    if (!isOver) {
      ends.push_back(uint32_t(tails[s]));
      ++waiters[ends.back()];
    }
  }
  uint32_t made = 0;
  std::vector<uint32_t> unused, eventOf(count);
  auto record = [&](unsigned stream) {
    if (unused.empty())
      unused.push_back(made++);
    const uint32_t event = unused.back();
    unused.pop_back();
    actions.push_back({Kind::Record, event, uint8_t(stream), false});
    return event;
  };
  auto wait = [&](unsigned stream, uint32_t launch) {
    actions.push_back({Kind::Wait, eventOf[launch], uint8_t(stream), false});
    if (--waiters[launch] == 0)
      unused.push_back(eventOf[launch]);
  };
  // It stands for what lies before the run, all the time.
  const uint32_t start = forks ? record(0) : 0;
  std::array<bool, mostStreams> begun{true};
  for (size_t i = 0; i < count; ++i) {
    const unsigned stream = branches.stream[i];
    const bool alone = !begun[stream] && branches.waits[i].empty();
    if (alone)
      actions.push_back({Kind::Wait, start, uint8_t(stream), false});
    for (uint32_t other : branches.waits[i])
      wait(stream, other);
    const bool overlaps = i > 0 && begun[stream] && branches.waits[i].empty();
    actions.push_back({Kind::Launch, branches.order[i], uint8_t(stream), overlaps});
    begun[stream] = true;
    if (waiters[i])
      eventOf[i] = record(stream);
  }
  for (uint32_t end : ends)
    wait(0, end);
  return actions;
}

unsigned eventCount(const std::vector<StreamAction> &actions) {
  unsigned count = 0;
  for (const StreamAction &action : actions)
    if (action.kind == StreamAction::Kind::Record)
      count = std::max(count, action.index + 1);
  return count;
}

} // namespace kgen::runtime
