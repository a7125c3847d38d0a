//===- CompareCommands.cpp - Runs side by side ----------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SearchCommands.h"
#include "kgen/Candidate/UntrustedText.h"
#include "kgen/Report/Comparison.h"
#include "kgen/Report/PolicyComparison.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Path.h"

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

/// "softmax" of "softmax", "problems/softmax.mlir" and the like.
static std::string stemOf(StringRef problem) { return sys::path::stem(problem).str(); }

/// The searches of a comparison, one after the other; RUNS are their folders. The exit code.
static int runSearches(const SearchCommand &command, const SearchToolWorld &world, StringRef base,
                       std::vector<std::string> &runs) {
  std::vector<std::string> policies = command.policies;
  if (policies.empty())
    policies.assign(policyNames().begin(), policyNames().end());
  for (const std::string &problem : command.problems) {
    std::string first;
    for (int repeat = 0; repeat < command.repeats; ++repeat)
      for (const std::string &policy : policies) {
        SearchCommand one = command;
        one.problem = problem;
        one.policy = policy;
        one.seed = command.seed + repeat;
        one.sibling = first;
        one.network = "never"; // policies are compared on one kernel
        if (one.kernelLibrary.empty())
          one.kernelLibrary = "none"; // one search must not begin with what another found
        one.out = one.run = (base + "/" + stemOf(problem) + "/" + policy + "-" + Twine(one.seed)).str();
        one.kind = world.fs.exists(one.out + "/run.json") ? SearchCommand::Resume : SearchCommand::Search;
        runs.push_back(one.out);
        world.out << "\n== " << stemOf(problem) << ", policy " << policy << ", seed " << one.seed << "\n";
        if (int code = runSearchCommand(one, world))
          return code;
        if (first.empty())
          first = one.out;
      }
  }
  return 0;
}

Expected<int> comparePolicies(const SearchCommand &command, const SearchToolWorld &world) {
  std::vector<std::string> stems;
  for (const std::string &problem : command.problems) {
    if (is_contained(stems, stemOf(problem)))
      return createStringError("--problem " + problem + " has the name of another one, " + stemOf(problem));
    stems.push_back(stemOf(problem));
  }
  std::string base = command.out.empty() ? "runs/policies" : command.out;
  SearchCommand comparison = command;
  if (int code = runSearches(command, world, base, comparison.runs))
    return code;
  std::vector<report::RunReport> reports;
  for (const std::string &folder : comparison.runs) {
    auto run = trajectory::RunFolder::openForReading(world.fs, world.clock, folder);
    if (!run)
      return run.takeError();
    reports.push_back(report::summarizeRun(**run));
  }
  if (Error error = world.fs.writeAtomic(base + "/comparison.html", report::printPoliciesHtml(reports)))
    return std::move(error);
  if (Error error = world.fs.writeAtomic(base + "/comparison.json", report::printPoliciesJson(reports)))
    return std::move(error);
  if (command.format == "json") {
    world.out << report::printPoliciesJson(reports);
    return 0;
  }
  world.out << "\n";
  // The runs of one problem and seed also side by side, from branch to branch.
  if (command.problems.size() == 1 && command.repeats == 1) {
    auto code = compareRuns(comparison, world);
    if (!code)
      return code;
    world.out << "\n";
  }
  world.out << report::printPoliciesText(reports) << "\n" << base << "/comparison.html shows it\n";
  return 0;
}

} // namespace kgen::search
