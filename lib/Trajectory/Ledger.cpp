//===- Ledger.cpp ---------------------------------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kgen/Trajectory/Ledger.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

#include <cmath>

using namespace llvm;

namespace kgen::trajectory {

double Price::of(const propose::TokenUsage &usage) const {
  return ((usage.input - usage.cached) * input + usage.cached * cached + usage.output * output) / 1e6;
}

Expected<PriceList> PriceList::parse(StringRef text, StringRef path) {
  Json json = Json::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || !json.contains("models") || !json["models"].is_object())
    return createStringError(Twine(path) + " is not a price file: expected an object with \"models\"");
  PriceList list;
  if (auto it = json.find("as_of"); it != json.end() && it->is_string())
    list.asOf = it->get<std::string>();
  for (const auto &entry : json["models"].items()) {
    Price price;
    for (auto [key, target] :
         {std::pair("input", &price.input), {"cached", &price.cached}, {"output", &price.output}}) {
      const Json &model = entry.value();
      auto it = model.is_object() ? model.find(key) : model.end();
      bool fits = model.is_object() && it != model.end() && it->is_number() && it->get<double>() >= 0 &&
                  std::isfinite(it->get<double>());
      if (!fits)
        return createStringError(Twine(path) + ": models[\"" + entry.key() + "\"]." + key +
                                 " is missing, expected dollars per million tokens");
      *target = it->get<double>();
    }
    list.models[entry.key()] = price;
  }
  return list;
}

std::optional<Price> PriceList::find(StringRef model) const {
  auto it = models.find(model.str());
  if (it == models.end())
    return std::nullopt;
  return it->second;
}

Json PriceList::toJson() const {
  Json json = {{"as_of", asOf}, {"models", Json::object()}};
  for (const auto &[name, price] : models)
    json["models"][name] = {{"input", price.input}, {"cached", price.cached}, {"output", price.output}};
  return json;
}

Json Costs::toJson() const {
  return {{"branches", branches},     {"requests", requests},
          {"input_tokens", input},    {"cached_tokens", cached},
          {"output_tokens", output},  {"reasoning_tokens", reasoning},
          {"usd", dollars},           {"device_seconds", deviceSeconds},
          {"ask_seconds", askSeconds}};
}

namespace {

/// A part of a question: a share of its tokens.
void addQuestion(Costs &costs, const propose::TokenUsage &usage, double dollars, double seconds, double share,
                 bool whole) {
  costs.requests += whole ? usage.requests : 0;
  costs.input += std::llround(usage.input * share);
  costs.cached += std::llround(usage.cached * share);
  costs.output += std::llround(usage.output * share);
  costs.reasoning += std::llround(usage.reasoning * share);
  costs.dollars += dollars * share;
  costs.askSeconds += seconds * share;
}

/// Whether what was asked at SLOT led to the branch whose reply is that of BRANCHSLOT: the reply itself,
/// or the ideas that it carries out one of.
bool ledTo(StringRef slot, StringRef branchSlot) {
  if (slot == branchSlot)
    return true;
  return slot.consume_back("/ideas") && branchSlot.starts_with(slot.str() + "/idea-");
}

} // namespace

Ledger addUp(const RunFolder &run) {
  Ledger ledger;
  ledger.seconds = run.getSecondsSpent();
  PriceList prices;
  if (auto it = run.getConfig().find("prices"); it != run.getConfig().end() && it->is_object()) {
    if (auto list = PriceList::parse(it->dump(), "run.json"))
      prices = std::move(*list);
    else
      consumeError(list.takeError());
  }

  std::map<std::string, std::string> slotOf; // branch id -> slot of its reply
  for (const BranchRecord &branch : run.getBranches()) {
    Costs &mine = ledger.branches[branch.id];
    // Round 0 comes of nobody's idea.
    Costs &category =
        ledger.categories[branch.round == 0 ? "round 0" : ideas::categoryName(branch.idea.category).str()];
    for (Costs *costs : {&ledger.total, &category, &mine}) {
      costs->branches += !branch.measurement.empty() && branch.duplicateOf.empty(); // as every report counts them
      costs->deviceSeconds += branch.deviceSeconds;
    }
    if (const ReplyRecord *reply = run.findReplyByHash(branch.reply))
      slotOf[branch.id] = reply->slot;
  }
  for (const Question &question : run.getQuestions()) {
    double dollars = 0;
    const propose::TokenUsage &usage = question.usage;
    if (auto price = prices.find(usage.model)) {
      dollars = price->of(usage);
      ledger.pricesAsOf = prices.asOf;
    } else if (usage.total() > 0 && !is_contained(ledger.unpriced, usage.model)) {
      ledger.unpriced.push_back(usage.model);
    }
    addQuestion(ledger.total, usage, dollars, question.seconds, 1, true);
    addQuestion(ledger.models[usage.model], usage, dollars, question.seconds, 1, true);
    std::vector<const BranchRecord *> children;
    for (const BranchRecord &branch : run.getBranches())
      if (auto it = slotOf.find(branch.id); it != slotOf.end() && ledTo(question.slot, it->second))
        children.push_back(&branch);
    if (children.empty())
      addQuestion(ledger.categories["none"], usage, dollars, question.seconds, 1, true);
    for (const BranchRecord *branch : children) {
      double share = 1.0 / children.size();
      bool first = branch == children.front();
      addQuestion(ledger.branches[branch->id], usage, dollars, question.seconds, share, first);
      addQuestion(ledger.categories[ideas::categoryName(branch->idea.category).str()], usage, dollars, question.seconds,
                  share, first);
    }
  }
  return ledger;
}

} // namespace kgen::trajectory
