//===- SchedulePlan.cpp - Plans, and plans as text ------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kgen/Propose/SchedulePlan.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

#include <nlohmann/json.hpp>

#include <set>

using namespace llvm;

namespace kgen::propose {

using Json = nlohmann::ordered_json;

const graph::GraphFacts &factsOf(const SchedulePlan &plan, const graph::GraphFacts &facts) {
  const graph::GraphFacts *form = facts.findForm(plan.rewrite);
  return form ? *form : facts;
}

SchedulePlan groupOps(const graph::GraphFacts &whole, graph::Fusion fusion, const std::string &rewrite) {
  SchedulePlan plan;
  plan.fusion = fusion;
  plan.rewrite = rewrite;
  const graph::GraphFacts &facts = factsOf(plan, whole);
  for (const graph::GroupFact &group : facts.getGroups(fusion))
    plan.dispatches.push_back({group, {}, {}});
  std::set<std::string> names;
  for (PlannedDispatch &dispatch : plan.dispatches) {
    StringRef op = facts.ops[dispatch.anchor].name;
    op.consume_front("aten.");
    std::string stem = op.split('.').first.str();
    if (dispatch.ops.size() > 1)
      stem += "_fused";
    std::string name = stem;
    for (int n = 1; !names.insert(name).second; ++n)
      name = stem + "_" + std::to_string(n);
    dispatch.name = name;
  }
  return plan;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

std::string printSettings(const ScheduleSettings &settings) {
  std::string text;
  for (const auto &[key, value] : settings)
    text += (text.empty() ? "" : "; ") + key + "=" + value;
  return text;
}

ScheduleSettings parseSettings(StringRef text) {
  ScheduleSettings settings;
  while (!text.empty()) {
    auto [entry, rest] = text.split(';');
    text = rest;
    auto [key, value] = entry.trim().split('=');
    if (!key.empty())
      settings[key.trim().str()] = value.trim().str();
  }
  return settings;
}

std::string printPlan(const SchedulePlan &plan) {
  Json dispatches = Json::array();
  for (const PlannedDispatch &dispatch : plan.dispatches)
    dispatches.push_back({{"name", dispatch.name},
                          {"family", dispatch.family},
                          {"anchor", dispatch.anchor},
                          {"ops", dispatch.ops},
                          {"settings", dispatch.settings}});
  Json json = {{"fusion", int(plan.fusion)}};
  if (!plan.rewrite.empty())
    json["rewrite"] = plan.rewrite;
  json["dispatches"] = std::move(dispatches);
  return json.dump();
}

/// VALUE as a whole number from 0 that is less than LIMIT, or -1.
static int indexOf(const Json &value, size_t limit) {
  // A number like 1e300 is a double, which must not be cast.
  bool fits = value.is_number_unsigned() && value.get<uint64_t>() < limit;
  return fits ? value.get<int>() : -1;
}

Expected<SchedulePlan> parsePlan(StringRef text, const graph::GraphFacts &whole) {
  SchedulePlan plan;
  try {
    Json json = Json::parse(text.begin(), text.end());
    int fusion = indexOf(json.at("fusion"), int(graph::Fusion::Pool) + 1);
    if (fusion < 0)
      return createStringError("unknown fusion in a recorded plan");
    plan.fusion = graph::Fusion(fusion);
    plan.rewrite = json.value("rewrite", "");
    if (!whole.findForm(plan.rewrite))
      return createStringError("a recorded plan rewrites the graph in a way that does not apply");
    const graph::GraphFacts &facts = factsOf(plan, whole);
    for (const Json &entry : json.at("dispatches")) {
      PlannedDispatch dispatch;
      dispatch.name = entry.at("name");
      dispatch.family = entry.at("family");
      dispatch.anchor = indexOf(entry.at("anchor"), facts.ops.size());
      for (const Json &op : entry.at("ops"))
        dispatch.ops.push_back(indexOf(op, facts.ops.size()));
      dispatch.settings = entry.at("settings").get<ScheduleSettings>();
      if (is_contained(dispatch.ops, -1) || !is_contained(dispatch.ops, dispatch.anchor))
        return createStringError("a recorded plan names ops that the graph does not have");
      plan.dispatches.push_back(std::move(dispatch));
    }
  } catch (const Json::exception &e) {
    return createStringError(std::string("a recorded plan cannot be read: ") + e.what());
  }
  return plan;
}

} // namespace kgen::propose
