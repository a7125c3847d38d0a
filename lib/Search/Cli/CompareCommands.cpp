//===- CompareCommands.cpp - Runs side by side ----------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SearchCommands.h"
#include "kgen/Candidate/UntrustedText.h"
#include "kgen/Report/Comparison.h"

#include "llvm/ADT/Twine.h"

using namespace llvm;

namespace kgen::search {

Expected<int> compareRuns(const SearchCommand &command, const SearchToolWorld &world) {
  std::vector<report::RunReport> reports;
  for (const std::string &folder : command.runs) {
    auto run = trajectory::RunFolder::openForReading(world.fs, world.clock, folder);
    if (!run)
      return run.takeError();
    reports.push_back(report::summarizeRun(**run));
    const report::RunReport &first = reports.front(), &last = reports.back();
    if (last.problem != first.problem || last.size != first.size || last.device != first.device)
      return createStringError(Twine(folder) + " is about " + last.problem + ", " + last.size + " size, on " +
                               last.device + ": it cannot be compared with " + command.runs.front() +
                               ", which is about " + first.problem + ", " + first.size + " size, on " + first.device);
  }
  world.out << candidate::printable(command.format == "md"     ? report::printComparisonMarkdown(reports)
                                    : command.format == "json" ? report::printComparisonJson(reports)
                                                               : report::printComparisonText(reports));
  return 0;
}

Expected<int> comparePolicies(const SearchCommand &command, const SearchToolWorld &world) {
  std::vector<std::string> policies = command.policies;
  if (policies.empty())
    policies.assign(policyNames().begin(), policyNames().end());
  SearchCommand comparison = command;
  std::string base = command.out;
  if (base.empty()) {
    StringRef stem = StringRef(command.problem).rsplit('/').second;
    stem = stem.empty() ? StringRef(command.problem) : stem;
    base = ("runs/policies-" + stem.split('.').first).str();
  }
  for (const std::string &policy : policies) {
    SearchCommand one = command;
    one.policy = policy;
    if (one.kernelLibrary.empty())
      one.kernelLibrary = "none"; // one search must not begin with what another found
    one.out = one.run = base + "/" + policy;
    comparison.runs.push_back(one.out);
    one.kind = world.fs.exists(one.out + "/run.json") ? SearchCommand::Resume : SearchCommand::Search;
    world.out << "\n== " << policy << "\n";
    if (int code = runSearchCommand(one, world))
      return code;
  }
  world.out << "\n";
  return compareRuns(comparison, world);
}

} // namespace kgen::search
