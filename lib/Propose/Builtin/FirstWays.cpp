//===- FirstWays.cpp - What to do without measuring -----------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kgen/Propose/FirstWays.h"
#include "BuiltinSession.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace llvm;

namespace kgen::propose {

/// Whether PLAN multiplies f32 on tensor cores. Left alone, the families do so only where the class allows it.
static bool splitsOperands(const SchedulePlan &plan, const ProposalContext &context) {
  return any_of(plan.dispatches, [&](const PlannedDispatch &dispatch) {
    auto mma = dispatch.settings.find("mma");
    return mma != dispatch.settings.end() && mma->second != "none" && lookAt(dispatch, plan, context).f32;
  });
}

Expected<std::vector<FirstWay>> listFirstWays(const ProposalContext &context) {
  constexpr int all = 10000;
  constexpr double aboutAsFast = 1.1; // the prior is no better
  auto proposer = createBuiltinProposer();
  auto ideas = proposer->proposeIdeas(context, all);
  if (!ideas)
    return ideas.takeError();
  std::vector<FirstWay> ways;
  for (const Idea &idea : *ideas) {
    auto materializations = proposer->materialize(context, idea, all);
    if (!materializations)
      return materializations.takeError();
    for (Materialization &way : *materializations) {
      auto plan = parsePlan(way.notes, context.facts);
      if (!plan)
        return plan.takeError();
      if (context.precision != "strict-fp32" || !splitsOperands(*plan, context))
        ways.push_back({idea, std::move(way)});
    }
  }
  double least = 0;
  for (const FirstWay &one : ways)
    least = least == 0 ? one.way.priorUs : std::min(least, one.way.priorUs);
  auto slower = std::stable_partition(ways.begin(), ways.end(),
                                      [&](const FirstWay &one) { return one.way.priorUs <= aboutAsFast * least; });
  std::stable_sort(slower, ways.end(),
                   [](const FirstWay &a, const FirstWay &b) { return a.way.priorUs < b.way.priorUs; });
  return std::move(ways);
}

} // namespace kgen::propose
