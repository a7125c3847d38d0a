//===- BuiltinProposer.cpp - Ideas from the catalogue ---------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Deterministic: the answer depends on the context alone, whose times were
// recorded.
//
//===----------------------------------------------------------------------===//

#include "BuiltinSession.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace kgen::propose {

BuiltinSession::BuiltinSession(const ProposalContext &context) : context(context) {
  if (!context.parent.notes.empty()) {
    auto plan = parsePlan(context.parent.notes, context.facts);
    if (plan)
      parent = std::move(*plan);
    else
      consumeError(plan.takeError()); // a parent of another proposer: start from the families' defaults
  }
  base = parent ? *parent : group(graph::Fusion::Epilogue, "");
  for (const TriedBranch &tried : context.history)
    seen.insert(tried.notes);
}

SchedulePlan BuiltinSession::group(graph::Fusion fusion, const std::string &rewrite) const {
  SchedulePlan plan = groupOps(context.facts, fusion, rewrite);
  for (PlannedDispatch &dispatch : plan.dispatches)
    if (onHost() && is_contained({"attention", "conv", "gemm"}, dispatch.family))
      dispatch.settings["mma"] = "none";
  return plan;
}

SchedulePlan BuiltinSession::regroup(graph::Fusion fusion, bool keepSettings) const {
  SchedulePlan plan = group(fusion, base.rewrite);
  if (keepSettings)
    for (PlannedDispatch &dispatch : plan.dispatches)
      for (const PlannedDispatch &old : base.dispatches)
        if (old.anchor == dispatch.anchor && old.family == dispatch.family)
          dispatch.settings = old.settings;
  return plan;
}

namespace {

Materialization materializationOf(const PlanVariant &variant, const ProposalContext &context) {
  Materialization m;
  m.label = variant.label;
  m.directives = printDirectives(variant.plan, context.facts);
  m.notes = printPlan(variant.plan);
  m.priorUs = variant.priorUs;
  return m;
}

class BuiltinProposer : public Proposer {
public:
  Expected<std::vector<Idea>> proposeIdeas(const ProposalContext &context, int n) override;
  Expected<std::vector<Materialization>> materialize(const ProposalContext &context, const Idea &idea, int n) override;
  Expected<std::vector<Materialization>> tune(const ProposalContext &context, int n) override;
  bool canTune() const override { return true; }
  bool readsWords() const override { return false; }
};

Expected<std::vector<Materialization>> BuiltinProposer::tune(const ProposalContext &context, int n) {
  std::vector<Materialization> list;
  for (PlanVariant &variant : BuiltinSession(context).neighbours()) {
    if (int(list.size()) == n)
      break;
    variant.label = "tuned " + variant.label;
    list.push_back(materializationOf(variant, context));
  }
  return list;
}

Expected<std::vector<Idea>> BuiltinProposer::proposeIdeas(const ProposalContext &context, int n) {
  return BuiltinSession(context).rank(n);
}

Expected<std::vector<Materialization>> BuiltinProposer::materialize(const ProposalContext &context, const Idea &idea,
                                                                    int n) {
  std::vector<Materialization> list;
  for (PlanVariant &variant : BuiltinSession(context).expandSome(idea.key, n))
    list.push_back(materializationOf(variant, context));
  return list;
}

} // namespace

std::unique_ptr<Proposer> createBuiltinProposer() { return std::make_unique<BuiltinProposer>(); }

} // namespace kgen::propose
