//===- Directives.cpp - How transform.kgen.* is spelled -------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The script is the body of the named sequence, in which %f is the graph. Which
// directive sets a key, and how, stands in the table of schedule keys.
//
//===----------------------------------------------------------------------===//

#include "kgen/Propose/SchedulePlan.h"
#include "kgen/Schedule/Schedule.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

#include <set>

using namespace llvm;

namespace kgen::propose {

namespace {
void printKnobs(std::string &script, StringRef handle, const ScheduleSettings &settings) {
  for (const schedule::Directive &directive : schedule::directives()) {
    std::string arguments;
    for (const schedule::Key *key : schedule::keysOf(directive)) {
      // A key that several directives set is written at its own.
      auto it = settings.find(key->name.str());
      if (it == settings.end() || &schedule::directives()[key->directives.front()] != &directive)
        continue;
      arguments += " ";
      if (key != schedule::keysOf(directive).front() || !directive.firstIsBare)
        arguments += (key->name + " = ").str();
      arguments += it->second;
    }
    if (!arguments.empty())
      script += ("transform.kgen." + directive.mnemonic + " " + handle + arguments + "\n").str();
  }
}

/// The ops of DISPATCH that need its anchor's results; the others come in as producers.
size_t countConsumers(const PlannedDispatch &dispatch, const graph::GraphFacts &facts) {
  std::set<int> behind = {dispatch.anchor};
  for (int op : dispatch.ops) // ascending
    if (behind.count(op))
      for (int user : facts.ops[op].users)
        behind.insert(user);
  return llvm::count_if(dispatch.ops, [&](int op) { return op != dispatch.anchor && behind.count(op); });
}
} // namespace

std::string printDirectives(const SchedulePlan &plan, const graph::GraphFacts &whole) {
  const graph::GraphFacts &facts = factsOf(plan, whole);
  std::string script;
  if (!plan.rewrite.empty())
    script += "transform.kgen.rewrite %f as " + plan.rewrite + "\n";
  std::set<int> taken; // ops that are in a dispatch already: `number` does not count them
  for (size_t i = 0; i < plan.dispatches.size(); ++i) {
    const PlannedDispatch &dispatch = plan.dispatches[i];
    const std::string &anchor = facts.ops[dispatch.anchor].name;
    int number = 0;
    for (int op = 0; op < dispatch.anchor; ++op)
      number += facts.ops[op].name == anchor && !taken.count(op);
    std::string handle = "%d" + std::to_string(i);
    script += handle + " = transform.kgen.select \"" + anchor + "\"";
    if (number > 0)
      script += " number " + std::to_string(number);
    script += " in %f as " + dispatch.family + "\n";
    if (size_t consumers = countConsumers(dispatch, facts))
      script += "transform.kgen.fuse " + handle + " consumers " + std::to_string(consumers) + "\n";
    if (size_t producers = dispatch.ops.size() - 1 - countConsumers(dispatch, facts))
      script += "transform.kgen.fuse " + handle + " producers " + std::to_string(producers) + "\n";
    printKnobs(script, handle, dispatch.settings);
    taken.insert(dispatch.ops.begin(), dispatch.ops.end());
  }
  return script;
}

} // namespace kgen::propose
