//===- Contest.cpp - Who of a round may be its best -----------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Contest.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <tuple>

using namespace llvm;

namespace kgen::search {

/// A time that was not taken on the reference may be so much too long.
static constexpr double margin = 1.01;
/// So many are timed again at most once all are measured, and so many compared.
static constexpr int mostTries = 6, mostComparisons = 12;
/// Of a round this small nobody leads before all are measured.
static constexpr size_t smallRound = 8;

void Contest::measured(StringRef id, double us, bool wasExpected) {
  if (wasExpected)
    --pending;
  auto at = partition_point(
      entries, [&](const Entry &entry) { return std::tie(entry.us, entry.id) < std::tuple(us, id.str()); });
  entries.insert(at, Entry{id.str(), us});
}

Contest::Entry *Contest::find(StringRef id) {
  auto it = find_if(entries, [&](const Entry &entry) { return entry.id == id; });
  return it == entries.end() ? nullptr : &*it;
}

double Contest::getFastestUs() const {
  double fastest = bestUs;
  for (const Entry &entry : entries)
    if (entry.state != Entry::Looked && (fastest == 0 || entry.us < fastest))
      fastest = entry.us;
  return fastest;
}

/// The next one for the reference: who is faster than the best by more than cards differ, else who won beside it by
/// most. Null: nobody, yet.
const Contest::Entry *Contest::findNextLeader() const {
  if (leader || (pending && (expected < smallRound || 2 * pending > expected)) || (!pending && tries >= mostTries))
    return nullptr;
  const Entry *next = nullptr;
  for (const Entry &entry : entries) {
    if (entry.state == Entry::Waiting && (bestUs == 0 || entry.us * margin < bestUs))
      return &entry;
    // Whoever is still under way may have won by more.
    if (entry.state == Entry::Comparing)
      return nullptr;
    if (entry.state == Entry::Won && (!next || entry.ratio > next->ratio))
      next = &entry;
  }
  return next;
}

/// Whether cards of one model may differ by more than US and RIVAL do.
static bool isAbout(double us, double rival) { return us < rival * margin && us * margin >= rival; }

/// Those about as fast as the leader, or, without one, as the best. Who is faster than that is the next leader.
void Contest::takeComparisons(std::vector<Step> &steps) {
  const std::string &rival = leader ? leader->id : bestId;
  const double us = leader ? leader->us : bestUs;
  for (Entry &entry : entries)
    if (entry.state == Entry::Waiting && isAbout(entry.us, us) && comparisons < mostComparisons) {
      ++comparisons;
      entry.state = Entry::Comparing;
      entry.rival = rival;
      steps.push_back({Kind::Compare, entry.id, rival});
    }
}

std::vector<Contest::Step> Contest::takeSteps() {
  std::vector<Step> steps;
  if (const Entry *next = findNextLeader()) {
    leader.emplace(Leader{next->id, next->us, {}, {}, 0});
    find(leader->id)->state = Entry::Looked;
    tries += pending == 0;
    steps.push_back({Kind::Retime, leader->id, ""});
    steps.push_back({Kind::Check, leader->id, ""});
  }
  if (pending == 0)
    takeComparisons(steps);
  return steps;
}

void Contest::retimed(Outcome outcome, double us) {
  leader->time = outcome;
  leader->retimedUs = us;
}

void Contest::checked(bool clean) { leader->clean = clean; }

bool Contest::leaderIsKnown() const { return leader && leader->time && leader->clean; }

Contest::Outcome Contest::settleLeader() {
  const Leader known = *leader;
  leader.reset();
  const Outcome outcome = known.clean == false ? Outcome::Wrong : *known.time;
  if (outcome == Outcome::Best) {
    bestId = known.id;
    bestUs = known.retimedUs;
  }
  // Whoever is no faster than one that is no faster than the best is none either. What is said of one that is not right
  // is of no use.
  for (Entry &entry : entries)
    if (outcome == Outcome::Wrong && entry.rival == known.id && entry.state == Entry::Out)
      entry.state = Entry::Waiting;
  // Who was faster than another one has yet to meet the best, if that is no match beyond doubt.
  for (Entry &entry : entries)
    if (entry.state == Entry::Won && entry.rival != bestId)
      entry.state = Entry::Waiting;
  return outcome;
}

void Contest::compared(StringRef id, double ratio) {
  Entry &entry = *find(id);
  entry.ratio = ratio;
  // The rival may have turned out to be another than it was taken for in the meantime.
  const bool counts = leader ? entry.rival == leader->id : entry.rival == bestId;
  entry.state = !counts ? Entry::Waiting : ratio > 1 ? Entry::Won : Entry::Out;
}

void Contest::dropped(StringRef id) { find(id)->state = Entry::Out; }

bool Contest::isOver() const {
  return pending == 0 && !leader && !findNextLeader() && none_of(entries, [&](const Entry &entry) {
           return entry.state == Entry::Comparing ||
                  (entry.state == Entry::Waiting && comparisons < mostComparisons && isAbout(entry.us, bestUs));
         });
}

std::vector<std::string> Contest::getPassedOver() const {
  std::vector<std::string> ids;
  for (const Entry &entry : entries)
    if (entry.state != Entry::Looked)
      ids.push_back(entry.id);
  return ids;
}

} // namespace kgen::search
