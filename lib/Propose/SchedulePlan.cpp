//===- SchedulePlan.cpp - Grouping ops, and plans as text -----------------===//

#include "kgen/Propose/SchedulePlan.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/Twine.h"

#include <nlohmann/json.hpp>

#include <set>

using namespace llvm;

namespace kgen {

using Json = nlohmann::ordered_json;

std::string familyOf(const OpFact &op) {
  // "aten.max.dim" -> "max.dim"; the packet alone decides for most.
  StringRef name = StringRef(op.name);
  name.consume_front("aten.");
  StringRef packet = name.split('.').first;
  if (name == "max.dim" || name == "min.dim")
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

SchedulePlan groupOps(const GraphFacts &facts, Fusion fusion) {
  SchedulePlan plan;
  plan.fusion = fusion;
  std::set<int> taken;
  auto grow = [&](PlannedDispatch &dispatch) {
    int last = dispatch.ops.back();
    bool pooled = false;
    while (facts.ops[last].users.size() == 1) {
      int next = facts.ops[last].users[0];
      if (next <= last || size_t(next) >= facts.ops.size() || taken.count(next))
        return;
      bool isPool = familyOf(facts.ops[next]) == "pool";
      bool join =
          facts.ops[next].elementwise || (fusion == Fusion::Pool && dispatch.family == "conv" && isPool && !pooled);
      if (!join || (pooled && !isPool))
        return;
      pooled |= isPool;
      taken.insert(next);
      dispatch.ops.push_back(next);
      last = next;
    }
  };
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
      if (fusion != Fusion::None)
        grow(dispatch);
      plan.dispatches.push_back(std::move(dispatch));
    }
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

Expected<SchedulePlan> parsePlan(StringRef text, const GraphFacts &facts) {
  SchedulePlan plan;
  try {
    Json json = Json::parse(text.begin(), text.end());
    int fusion = json.at("fusion").get<int>();
    if (fusion < 0 || fusion > int(Fusion::Pool))
      return createStringError("unknown fusion " + Twine(fusion) + " in a recorded plan");
    plan.fusion = Fusion(fusion);
    for (const Json &entry : json.at("dispatches")) {
      PlannedDispatch dispatch;
      dispatch.name = entry.at("name");
      dispatch.family = entry.at("family");
      dispatch.anchor = entry.at("anchor");
      dispatch.ops = entry.at("ops").get<std::vector<int>>();
      dispatch.settings = entry.at("settings").get<ScheduleSettings>();
      auto exists = [&](int op) { return op >= 0 && size_t(op) < facts.ops.size(); };
      if (!all_of(dispatch.ops, exists) || !is_contained(dispatch.ops, dispatch.anchor))
        return createStringError("a recorded plan names ops that the graph does not have");
      plan.dispatches.push_back(std::move(dispatch));
    }
  } catch (const Json::exception &e) {
    return createStringError(std::string("a recorded plan cannot be read: ") + e.what());
  }
  return plan;
}

} // namespace kgen
