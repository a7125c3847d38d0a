//===- NetworkStandings.cpp - The networks put together so far ------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NetworkStandings.h"

using namespace llvm;

namespace kgen::search {

/// The tasks that have their first kernel in CHOICES and another one in TAKEN.
static std::vector<std::string> findNewFirsts(const TaskChoices &choices, const TaskChoices &taken) {
  std::vector<std::string> fresh;
  for (const auto &[task, branch] : choices) {
    auto before = taken.find(task);
    if (branch == firstKernel && (before == taken.end() || before->second != branch))
      fresh.push_back(task);
  }
  return fresh;
}

std::vector<std::string> findBlamed(const TaskChoices &choices, const TaskChoices &taken, StringRef detail) {
  auto isNamed = [&](const std::string &task) { return detail.starts_with("task " + task + " "); };
  std::vector<std::string> blamed = findNewFirsts(choices, taken);
  if (auto named = find_if(blamed, isNamed); named != blamed.end())
    return {*named};
  if (!blamed.empty()) // without them it is right
    return blamed;
  for (const auto &[task, branch] : choices) {
    if (isNamed(task))
      return {task};
    auto before = taken.find(task);
    if (before != taken.end() && before->second != branch)
      blamed.push_back(task);
  }
  return blamed;
}

Banned NetworkStandings::add(const trajectory::BranchRecord &branch, const candidate::Measurement &measurement,
                             const TaskChoices &choices, StringRef script) {
  const bool isAssembly = branch.idea.key == "assemble", isTrial = !findNewFirsts(choices, taken).empty();
  Banned fresh;
  if (measurement.passed()) {
    const bool isFaster = measurement.beats(bestUs());
    entries.push_back({branch.id, script.str(), measurement.timeUs, choices, !measurement.sanitizer.empty()});
    if (isFaster || (isAssembly && !isTrial))
      taken = choices;
    chooseBest();
  } else if (isAssembly && (branch.round > 0 || isTrial)) {
    for (const std::string &task : findBlamed(choices, taken, measurement.detail))
      if (auto kernel = choices.find(task); kernel != choices.end() && leftOut.insert(*kernel).second)
        fresh.insert(*kernel);
    chooseBest();
    // What was right before may hold a kernel that was found out only now.
    if (any_of(taken, [&](const auto &kernel) { return leftOut.count(kernel) > 0; }))
      taken = best ? entries[*best].choices : TaskChoices();
  }
  return fresh;
}

bool NetworkStandings::hadFirst(StringRef task) const {
  return any_of(entries, [&](const Entry &entry) {
    auto choice = entry.choices.find(task.str());
    return choice != entry.choices.end() && choice->second == firstKernel;
  });
}

bool NetworkStandings::isKnown(const TaskChoices &choices, StringRef script, bool checked) const {
  return any_of(entries, [&](const Entry &entry) {
    return entry.choices == choices && entry.script == script && (entry.checked || !checked);
  });
}

void NetworkStandings::chooseBest() {
  best.reset();
  for (size_t i = 0; i < entries.size(); ++i) {
    const Entry &entry = entries[i];
    // Of one network measured twice the time that counts is the one with more behind it.
    if (any_of(entry.choices, [&](const auto &kernel) { return leftOut.count(kernel) > 0; }) ||
        (!entry.checked && isKnown(entry.choices, entry.script, /*checked=*/true)))
      continue;
    if (!best || entry.us < entries[*best].us)
      best = i;
  }
}

} // namespace kgen::search
