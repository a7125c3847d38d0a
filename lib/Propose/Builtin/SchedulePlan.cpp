//===- SchedulePlan.cpp - Grouping ops, and plans as text -----------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kgen/Propose/SchedulePlan.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/Twine.h"

#include <nlohmann/json.hpp>

#include <set>

using namespace llvm;

namespace kgen::propose {

using Json = nlohmann::ordered_json;

std::string familyOf(const graph::OpFact &op) {
  // "aten.max.dim" -> "max.dim"; the packet alone decides for most.
  StringRef name = StringRef(op.name);
  name.consume_front("aten.");
  StringRef packet = name.split('.').first;
  if (name == "max.dim" || name == "min.dim")
    return "row";
  // To one element, an adaptive average is the mean of a row.
  if (auto size = op.attributes.find("output_size");
      size != op.attributes.end() && StringRef(size->second).trim("[]").find_first_not_of("1, ") == StringRef::npos)
    return "row";
  if (op.elementwise)
    return "pointwise";
  return StringSwitch<std::string>(packet)
      .Cases({"linear", "matmul", "mm", "bmm", "addmm", "baddbmm", "mv"}, "gemm")
      .Case("scaled_dot_product_attention", "attention")
      .Cases({"conv1d", "conv2d", "conv3d", "convolution"}, "conv")
      .Cases({"conv_transpose1d", "conv_transpose2d", "conv_transpose3d"}, "conv")
      .Cases({"softmax", "log_softmax", "logsumexp", "layer_norm", "rms_norm", "group_norm", "instance_norm"}, "row")
      .Cases({"sum", "mean", "amax", "amin", "argmax", "argmin", "prod", "var", "std", "norm", "linalg_vector_norm"},
             "row")
      .Cases({"max", "min"}, "row")
      .Cases({"cumsum", "cumprod"}, "scan")
      .Cases({"max_pool1d", "max_pool2d", "max_pool3d", "avg_pool1d", "avg_pool2d", "avg_pool3d"}, "pool")
      .Cases({"adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_avg_pool3d"}, "pool")
      .Case("batch_norm", "pointwise")
      .Default("");
}

namespace {

/// Grows dispatches over the ops of a graph as transform.kgen.fuse does, which carries the plan out.
class Grouping {
public:
  Grouping(const graph::GraphFacts &facts, Fusion fusion) : facts(facts), fusion(fusion), producers(facts.ops.size()) {
    for (size_t op = 0; op < facts.ops.size(); ++op)
      for (int user : facts.ops[op].users)
        producers[user].push_back(int(op));
  }

  std::set<int> taken;

  /// Adds the element-wise ops behind DISPATCH, as many as leave one value for others; a pooling behind a convolution.
  void addConsumers(PlannedDispatch &dispatch) {
    std::set<int> group(dispatch.ops.begin(), dispatch.ops.end()), waiting;
    std::vector<int> grown = dispatch.ops;
    size_t legal = grown.size();
    bool pooled = false;
    for (int op = dispatch.anchor + 1; op < int(facts.ops.size()); ++op) {
      bool uses = any_of(producers[op], [&](int from) { return group.count(from) > 0; });
      bool blocked = any_of(producers[op], [&](int from) { return waiting.count(from) > 0; });
      bool pool = fusion == Fusion::Pool && dispatch.family == "conv" && familyOf(facts.ops[op]) == "pool" && !pooled;
      if (uses && !blocked && !taken.count(op) && (pool || canFollow(dispatch, op, group))) {
        pooled |= pool;
        group.insert(op);
        grown.push_back(op);
        if (liveOuts(group) <= 1)
          legal = grown.size();
      } else if (uses || blocked) {
        waiting.insert(op);
      }
    }
    grown.resize(legal);
    taken.insert(grown.begin(), grown.end());
    dispatch.ops = std::move(grown);
  }

  /// Adds the element-wise ops in front whose results nobody else needs.
  void addProducers(PlannedDispatch &dispatch) {
    std::set<int> group(dispatch.ops.begin(), dispatch.ops.end());
    for (int op = dispatch.ops.back() - 1; op >= 0; --op) {
      const std::vector<int> &users = facts.ops[op].users;
      if (facts.ops[op].elementwise && !taken.count(op) && !users.empty() &&
          all_of(users, [&](int user) { return group.count(user) > 0; }))
        group.insert(op);
    }
    dispatch.ops.assign(group.begin(), group.end());
    taken.insert(group.begin(), group.end());
  }

private:
  bool canFollow(const PlannedDispatch &dispatch, int op, const std::set<int> &group) const {
    if (!facts.ops[op].elementwise)
      return false;
    // Behind a row's statistic values broadcast along the row; elsewhere a result is written where it is computed.
    return dispatch.family == "row" || all_of(producers[op], [&](int from) {
             return !group.count(from) || facts.ops[from].results.empty() || facts.ops[op].results.empty() ||
                    facts.ops[from].results[0].shape == facts.ops[op].results[0].shape;
           });
  }
  int liveOuts(const std::set<int> &group) const {
    return llvm::count_if(group, [&](int op) {
      const std::vector<int> &users = facts.ops[op].users;
      return users.empty() || any_of(users, [&](int user) { return !group.count(user); });
    });
  }

  const graph::GraphFacts &facts;
  Fusion fusion;
  std::vector<std::vector<int>> producers; ///< of each op, the ops whose results it reads
};

} // namespace

SchedulePlan groupOps(const graph::GraphFacts &facts, Fusion fusion) {
  SchedulePlan plan;
  plan.fusion = fusion;
  Grouping grouping(facts, fusion);
  std::set<int> &taken = grouping.taken;
  // Anchors first: an element-wise op between two of them belongs to the one that it follows.
  for (bool pointwise : {false, true})
    for (size_t i = 0; i < facts.ops.size(); ++i) {
      std::string family = familyOf(facts.ops[i]);
      if (family.empty() || taken.count(i) || (family == "pointwise") != pointwise)
        continue;
      PlannedDispatch dispatch;
      dispatch.family = family;
      dispatch.anchor = i;
      dispatch.ops = {int(i)};
      taken.insert(i);
      if (fusion != Fusion::None) {
        grouping.addConsumers(dispatch);
        // A product or a window would compute what is in front of it once for each use.
        if (family == "row" || family == "pointwise")
          grouping.addProducers(dispatch);
      }
      plan.dispatches.push_back(std::move(dispatch));
    }
  // A script forms dispatches in this order, too, and each leaves what the earlier ones took: with producers that
  // counts.
  if (all_of(plan.dispatches, [](const PlannedDispatch &dispatch) { return dispatch.ops[0] == dispatch.anchor; }))
    llvm::sort(plan.dispatches, [](const PlannedDispatch &a, const PlannedDispatch &b) { return a.ops[0] < b.ops[0]; });
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
  return Json({{"fusion", int(plan.fusion)}, {"dispatches", std::move(dispatches)}}).dump();
}

/// VALUE as a whole number from 0 that is less than LIMIT, or -1.
static int indexOf(const Json &value, size_t limit) {
  // A number like 1e300 is a double, which must not be cast.
  bool fits = value.is_number_unsigned() && value.get<uint64_t>() < limit;
  return fits ? value.get<int>() : -1;
}

Expected<SchedulePlan> parsePlan(StringRef text, const graph::GraphFacts &facts) {
  SchedulePlan plan;
  try {
    Json json = Json::parse(text.begin(), text.end());
    int fusion = indexOf(json.at("fusion"), int(Fusion::Pool) + 1);
    if (fusion < 0)
      return createStringError("unknown fusion in a recorded plan");
    plan.fusion = Fusion(fusion);
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
