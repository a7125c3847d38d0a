//===- BuiltinVariants.cpp - Ways to carry an idea out --------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A plan that was tried is never proposed again.
//
//===----------------------------------------------------------------------===//

#include "BuiltinSession.h"
#include "Prior.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace llvm;

namespace kgen::propose {

static std::string printIntegers(ArrayRef<int64_t> values) {
  std::string text = "[";
  for (size_t i = 0; i < values.size(); ++i)
    text += (i ? ", " : "") + std::to_string(values[i]);
  return text + "]";
}

/// Lays VARIANT ("key=value; -key") over SETTINGS.
static void overlay(ScheduleSettings &settings, StringRef variant, const ideas::DispatchFacts &facts) {
  int64_t width = std::min<int64_t>(128, std::max<int64_t>(16, (facts.n + 15) / 16 * 16));
  for (const auto &[key, value] : parseSettings(variant)) {
    if (key[0] == '-') {
      settings.erase(key.substr(1));
      continue;
    }
    std::string text = value;
    if (size_t at = text.find("$N"); at != std::string::npos)
      text.replace(at, 2, std::to_string(width));
    settings[key] = text;
  }
}

static double bytesOf(const graph::TensorFact &tensor) {
  double bits = 0;
  StringRef digits = StringRef(tensor.dtype).drop_while([](char c) { return c < '0' || c > '9'; });
  digits.getAsDouble(bits);
  return double(productOf(tensor.shape)) * std::max(bits, 8.0) / 8;
}

/// Whether kernels of products with SETTINGS read matrices behind views.
static bool readsMatricesApart(const ScheduleSettings &settings) {
  if (settings.count("split_at") || settings.count("rows_per_block") || settings.count("persistent"))
    return false;
  auto mma = settings.find("mma");
  return mma == settings.end() || mma->second != "wgmma";
}

/// Marks in TAKEN what kernels of attention, and those of PRODUCTS, read as strides: views in front of them alone; and
/// a permutation behind attention. FAMILY is that of the dispatch an op is the anchor of.
static void takeViews(ArrayRef<graph::OpFact> ops, const std::map<int, StringRef> &family,
                      const std::set<int> &products, std::set<int> &taken) {
  constexpr StringLiteral views[] = {"aten.view",         "aten.reshape",     "aten.flatten.using_ints",
                                     "aten.unsqueeze",    "aten.squeeze.dim", "aten.transpose.int",
                                     "aten.permute",      "aten.expand",      "aten.narrow",
                                     "aten.slice.Tensor", "aten.select.int"};
  auto isAttention = [&](int op) {
    auto it = family.find(op);
    return it != family.end() && it->second == "attention";
  };
  std::set<int> inFront;
  for (int op = int(ops.size()); op-- > 0;)
    if (!ops[op].users.empty() && is_contained(views, StringRef(ops[op].name)) && all_of(ops[op].users, [&](int user) {
          return isAttention(user) || products.count(user) || inFront.count(user);
        }))
      inFront.insert(op);
  taken.insert(inFront.begin(), inFront.end());
  for (const auto &[op, name] : family)
    if (isAttention(op) && ops[op].users.size() == 1)
      if (StringRef behind = ops[ops[op].users[0]].name; behind == "aten.transpose.int" || behind == "aten.permute")
        taken.insert(ops[op].users[0]);
}

/// Whether kernels of rows with SETTINGS read rows that lie apart: those that copy whole rows to shared memory do not.
static bool readsApart(const ScheduleSettings &settings) {
  auto resident = settings.find("resident");
  return resident == settings.end() || resident->second == "reg" || resident->second == "none";
}

/// Marks in TAKEN views in front of ROWS, ops of row dispatches that read behind them, and of what is marked already.
static void takeRowViews(ArrayRef<graph::OpFact> ops, const std::set<int> &rows, std::set<int> &taken) {
  auto isView = [&](int op) { return ops[op].readInPlace && taken.count(op); };
  for (int op = int(ops.size()); op-- > 0;)
    if (ops[op].readInPlace && !ops[op].users.empty() &&
        all_of(ops[op].users, [&](int user) { return rows.count(user) || isView(user); }))
      taken.insert(op);
}

/// Whether an op of NAME gives what it reads other sizes, in the same memory.
static bool keepsMemory(StringRef name) {
  return is_contained({"aten.view", "aten.reshape", "aten.flatten.using_ints", "aten.unsqueeze", "aten.squeeze.dim"},
                      name);
}

double estimatePlan(const SchedulePlan &plan, const ProposalContext &context) {
  double us = 0;
  std::set<int> taken;
  std::map<int, StringRef> families;
  std::set<int> rows, products;
  ideas::DispatchFacts facts;
  facts.device = context.device;
  const std::vector<graph::OpFact> &ops = factsOf(plan, context.facts).ops;
  for (const PlannedDispatch &dispatch : plan.dispatches) {
    facts = lookAt(dispatch, plan, context);
    double bytes = 0;
    for (const graph::TensorFact &operand : ops[dispatch.anchor].operands)
      bytes += bytesOf(operand);
    if (const graph::OpFact &last = ops[dispatch.ops.back()]; !last.results.empty())
      bytes += bytesOf(last.results[0]);
    us += estimateDispatch(facts, dispatch.settings, bytes);
    taken.insert(dispatch.ops.begin(), dispatch.ops.end());
    families[dispatch.anchor] = dispatch.family;
    if (dispatch.family == "row" && readsApart(dispatch.settings))
      rows.insert(dispatch.ops.begin(), dispatch.ops.end());
    if (dispatch.family == "gemm" && readsMatricesApart(dispatch.settings))
      products.insert(dispatch.anchor);
  }
  takeViews(ops, families, products, taken);
  takeRowViews(ops, rows, taken);
  for (size_t i = 0; i < ops.size(); ++i) {
    double bytes = 0;
    for (const graph::TensorFact &operand : ops[i].operands)
      bytes += bytesOf(operand);
    for (const graph::TensorFact &result : ops[i].results)
      bytes += bytesOf(result);
    if (!taken.count(int(i)) && !keepsMemory(ops[i].name))
      us += estimateGeneric(facts, bytes);
  }
  return us;
}

/// Puts variants that the prior holds for much slower than its favourite behind the others; the
/// catalogue's own order stays otherwise, because it knows more than the prior.
static void demoteSlow(std::vector<PlanVariant> &variants, const ProposalContext &context) {
  double least = 0;
  for (PlanVariant &variant : variants) {
    variant.priorUs = estimatePlan(variant.plan, context);
    least = least == 0 ? variant.priorUs : std::min(least, variant.priorUs);
  }
  const double muchSlower = context.device == "host" ? 4 : 2;
  std::vector<PlanVariant> first, last;
  for (PlanVariant &variant : variants)
    (variant.priorUs <= muchSlower * least ? first : last).push_back(std::move(variant));
  first.insert(first.end(), std::make_move_iterator(last.begin()), std::make_move_iterator(last.end()));
  variants = std::move(first);
}

/// Whether SETTINGS leave a convolution to the one schedule that folds its outputs, or pools transposed ones.
static bool shiftsPixels(const ScheduleSettings &settings) {
  auto isOr = [&](const char *key, StringRef value) {
    auto it = settings.find(key);
    return it == settings.end() || it->second == value;
  };
  return isOr("mma", "wgmma") && isOr("im2col", "halo") && !settings.count("pipeline");
}

std::vector<PlanVariant> BuiltinSession::expandEntry(const ideas::CatalogueEntry &entry) const {
  std::vector<PlanVariant> variants;
  // Variants by number: each dispatch has derived ones of its own, and behind them the entry's.
  ArrayRef<const char *> listed = onHost() ? entry.hostVariants : entry.cudaVariants;
  auto textsOf = [&](const ideas::DispatchFacts &facts, const ScheduleSettings &settings) {
    std::vector<std::string> texts;
    if (entry.derive && !onHost())
      texts = entry.derive(facts);
    texts.insert(texts.end(), listed.begin(), listed.end());
    llvm::erase_if(texts, [&](const std::string &text) {
      ScheduleSettings laid = entry.restart ? ScheduleSettings() : settings;
      overlay(laid, text, facts);
      return entry.fits && !entry.fits(facts, laid);
    });
    return texts;
  };
  for (size_t number = 0, count = 1; number < count; ++number) {
    PlanVariant variant{entry.pools && base.fusion != graph::Fusion::Pool ? regroup(graph::Fusion::Pool, true) : base,
                        ""};
    bool any = false;
    for (PlannedDispatch &dispatch : variant.plan.dispatches) {
      if (!is_contained(entry.families, dispatch.family))
        continue;
      ideas::DispatchFacts facts = lookAt(dispatch, variant.plan, context);
      if (entry.applies && !entry.applies(facts))
        continue;
      std::vector<std::string> texts = textsOf(facts, dispatch.settings);
      count = std::max(count, texts.size());
      if (number >= texts.size())
        continue;
      StringRef text = texts[number];
      ScheduleSettings alone, settings;
      if (!entry.restart)
        settings = dispatch.settings;
      overlay(alone, text, facts);
      overlay(settings, text, facts);
      if (facts.onlyShiftsPixels() && !shiftsPixels(settings))
        continue;
      dispatch.settings = std::move(settings);
      if (!any)
        variant.label = (!entry.pools        ? ""
                         : facts.foldFollows ? "reduction fused; "
                                             : "pooling fused; ") +
                        printSettings(alone);
      any = true;
    }
    if (any)
      variants.push_back(std::move(variant));
  }
  return variants;
}

std::vector<PlanVariant> BuiltinSession::expandStructure(StringRef key) const {
  std::vector<PlanVariant> variants;
  auto add = [&](graph::Fusion fusion, bool keepSettings, const char *label) {
    variants.push_back({regroup(fusion, keepSettings), label});
  };
  auto poolJoins = [&] {
    // What else joins a convolution has an idea of its own.
    const SchedulePlan pooled = groupOps(context.facts, graph::Fusion::Pool, base.rewrite);
    const size_t folds = llvm::count_if(pooled.dispatches, [&](const PlannedDispatch &dispatch) {
      return lookAt(dispatch, pooled, context).onlyShiftsPixels();
    });
    return pooled.dispatches.size() + folds <
           groupOps(context.facts, graph::Fusion::Epilogue, base.rewrite).dispatches.size();
  };
  if (key == "families") {
    add(graph::Fusion::Epilogue, false, "epilogues fused");
    add(graph::Fusion::None, false, "one kernel per op");
  } else if (key == "fuse-pool" && poolJoins() && base.fusion != graph::Fusion::Pool) {
    add(graph::Fusion::Pool, false, "pooling fused");
    if (parent)
      add(graph::Fusion::Pool, true, "pooling fused, settings kept");
  } else if (key == "unfuse") {
    add(graph::Fusion::None, true, "one kernel per op");
  }
  return variants;
}

std::vector<PlanVariant> BuiltinSession::expandRewrite(const RewriteIdea &idea) const {
  std::vector<PlanVariant> variants;
  if (!base.rewrite.empty() || !context.facts.findForm(idea.rewrite))
    return variants;
  variants.push_back({group(graph::Fusion::Epilogue, idea.rewrite), idea.rewrite});
  variants.push_back({group(graph::Fusion::None, idea.rewrite), idea.rewrite + "; one kernel per op"});
  return variants;
}

std::vector<PlanVariant> BuiltinSession::expandRefinement(StringRef key) const {
  std::vector<PlanVariant> variants;
  auto [indexText, setting] = key.split(':');
  size_t index = 0;
  if (!parent || indexText.getAsInteger(10, index) || index >= parent->dispatches.size())
    return variants;
  auto found = parent->dispatches[index].settings.find(setting.str());
  if (found == parent->dispatches[index].settings.end())
    return variants;
  bool isList = StringRef(found->second).starts_with("[");
  std::vector<int64_t> values = readIntegers(found->second);
  ArrayRef<int64_t> steps = getNeighbours(setting);
  for (size_t i = 0; i < values.size(); ++i)
    for (bool larger : {true, false}) {
      // The closest listed value on that side.
      std::vector<int64_t> moved = values;
      if (larger) {
        auto it = llvm::upper_bound(steps, values[i]);
        if (it == steps.end())
          continue;
        moved[i] = *it;
      } else {
        auto it = llvm::lower_bound(steps, values[i]);
        if (it == steps.begin())
          continue;
        moved[i] = *std::prev(it);
      }
      std::string value = isList ? printIntegers(moved) : std::to_string(moved[0]);
      PlanVariant variant{*parent, setting.str() + "=" + value};
      variant.plan.dispatches[index].settings[setting.str()] = value;
      variants.push_back(std::move(variant));
    }
  // Which neighbour first is the seed's choice.
  std::vector<std::pair<double, size_t>> order;
  for (size_t i = 0; i < variants.size(); ++i)
    order.push_back({jitter(variants[i].label), i});
  llvm::sort(order);
  std::vector<PlanVariant> shuffled;
  for (auto [weight, i] : order)
    shuffled.push_back(std::move(variants[i]));
  return shuffled;
}

std::vector<PlanVariant> BuiltinSession::expandCombination(StringRef branch) const {
  std::vector<PlanVariant> variants;
  const TriedBranch *other = nullptr;
  for (const TriedBranch &tried : context.history)
    if (tried.id == branch)
      other = &tried;
  if (!parent || !other)
    return variants;
  auto plan = parsePlan(other->notes, context.facts);
  if (!plan) {
    consumeError(plan.takeError());
    return variants;
  }
  if (plan->rewrite != parent->rewrite)
    return variants; // its ops are others
  // Its settings where the parent has none; then, its settings everywhere.
  for (bool theirs : {false, true}) {
    PlanVariant variant{*parent, ""};
    ScheduleSettings added;
    for (PlannedDispatch &dispatch : variant.plan.dispatches)
      for (const PlannedDispatch &from : plan->dispatches)
        if (from.anchor == dispatch.anchor && from.family == dispatch.family)
          for (const auto &[key, value] : from.settings) {
            auto [it, isNew] = dispatch.settings.try_emplace(key, value);
            if (!isNew && theirs)
              it->second = value;
            if (isNew || theirs)
              added[key] = value;
          }
    variant.label = printSettings(added);
    variants.push_back(std::move(variant));
  }
  return variants;
}

std::vector<PlanVariant> BuiltinSession::expand(StringRef key) const {
  std::vector<PlanVariant> variants;
  StringRef rest = key;
  if (rest.consume_front("refine:"))
    variants = expandRefinement(rest);
  else if (rest.consume_front("combine:"))
    variants = expandCombination(rest);
  else if (key == "families" || key == "fuse-pool" || key == "unfuse")
    variants = expandStructure(key);
  else {
    for (const RewriteIdea &one : rewriteIdeas())
      if (key == one.idea.key)
        variants = expandRewrite(one);
    for (const ideas::CatalogueEntry &entry : ideas::getCatalogue())
      if (key == entry.key)
        variants = expandEntry(entry);
  }
  std::set<std::string> mine = seen;
  if (parent)
    mine.insert(printPlan(*parent));
  std::vector<PlanVariant> fresh;
  auto isKnown = [&](const SchedulePlan &plan) {
    return llvm::all_of(plan.dispatches, [&](const PlannedDispatch &dispatch) {
      return isLegal(dispatch) &&
             (!lookAt(dispatch, plan, context).onlyShiftsPixels() || (!onHost() && shiftsPixels(dispatch.settings)));
    });
  };
  for (PlanVariant &variant : variants)
    if (!variant.plan.dispatches.empty() && isKnown(variant.plan) && mine.insert(printPlan(variant.plan)).second)
      fresh.push_back(std::move(variant));
  demoteSlow(fresh, context);
  return fresh;
}

std::vector<PlanVariant> BuiltinSession::expandSome(StringRef key, int n) const {
  std::vector<PlanVariant> variants = expand(key);
  constexpr size_t opening = 2;
  constexpr double aboutAsFast = 1.1; // the prior is no better
  if (!parent && size_t(n) == opening && variants.size() > opening) {
    auto byPrior = [](const PlanVariant &a, const PlanVariant &b) { return a.priorUs < b.priorUs; };
    auto favourite = std::min_element(variants.begin(), variants.end(), byPrior);
    auto first = std::min_element(variants.begin(), variants.begin() + opening, byPrior);
    if (favourite->priorUs > 0 && first->priorUs > aboutAsFast * favourite->priorUs)
      std::swap(variants[opening - 1], *favourite);
  }
  variants.resize(std::min(variants.size(), size_t(std::max(n, 0))));
  return variants;
}

std::vector<PlanVariant> BuiltinSession::neighbours() const {
  std::vector<PlanVariant> all;
  // Those that are still open first: of settings that the prior holds for equal, they are the new ones.
  for (size_t i = 0; parent && i < parent->dispatches.size(); ++i)
    for (const OpenKnob &knob : getOpenKnobs(parent->dispatches[i]))
      for (StringRef value : knob.values) {
        PlanVariant variant{*parent, (knob.key + "=" + value).str()};
        variant.plan.dispatches[i].settings[knob.key.str()] = value.str();
        variant.priorUs = estimatePlan(variant.plan, context);
        if (!seen.count(printPlan(variant.plan)))
          all.push_back(std::move(variant));
      }
  for (size_t i = 0; parent && i < parent->dispatches.size(); ++i)
    for (const auto &[key, value] : parent->dispatches[i].settings)
      if (!getNeighbours(key).empty())
        for (PlanVariant &variant : expand("refine:" + std::to_string(i) + ":" + key))
          all.push_back(std::move(variant));
  llvm::stable_sort(all, [](const PlanVariant &a, const PlanVariant &b) { return a.priorUs < b.priorUs; });
  return all;
}

} // namespace kgen::propose
