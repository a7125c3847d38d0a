//===- BuiltinProposer.cpp - Ideas from the catalogue ---------------------===//
//
// Deterministic: the answer depends on the context alone, whose times were
// recorded. What was tried, what it gained and the parent's diagnosis move an
// idea up or down; a plan that was tried is never proposed again.
//
//===----------------------------------------------------------------------===//

#include "Catalogue.h"
#include "Prior.h"
#include "kgen/Evaluate/Diagnosis.h"
#include "kgen/Propose/Proposer.h"
#include "kgen/Propose/SchedulePlan.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/xxhash.h"

#include <algorithm>
#include <numeric>
#include <set>

using namespace llvm;

namespace kgen {
namespace {

int64_t productOf(ArrayRef<int64_t> values) {
  return std::accumulate(values.begin(), values.end(), int64_t(1), std::multiplies<int64_t>());
}

/// Integers in TEXT, in order: "[4, 4]" -> 4, 4.
std::vector<int64_t> readIntegers(StringRef text) {
  std::vector<int64_t> values;
  while (!text.empty()) {
    size_t begin = text.find_first_of("-0123456789");
    if (begin == StringRef::npos)
      break;
    text = text.drop_front(begin);
    int64_t value = 0;
    if (text.consumeInteger(10, value)) {
      text = text.drop_front();
      continue;
    }
    values.push_back(value);
  }
  return values;
}

std::string printIntegers(ArrayRef<int64_t> values) {
  std::string text = "[";
  for (size_t i = 0; i < values.size(); ++i)
    text += (i ? ", " : "") + std::to_string(values[i]);
  return text + "]";
}

/// The integers of an attribute; none where it is not there.
std::vector<int64_t> integersOf(const OpFact &op, const char *attribute) {
  auto it = op.attributes.find(attribute);
  return it == op.attributes.end() ? std::vector<int64_t>() : readIntegers(it->second);
}

bool allOnes(ArrayRef<int64_t> values) {
  return llvm::all_of(values, [](int64_t value) { return value == 1; });
}

/// Whether OP is a maximum over windows, of which two share at most one row.
bool isRunningMaximum(const OpFact &op) {
  std::vector<int64_t> window = integersOf(op, "kernel_size"), stride = integersOf(op, "stride");
  if (!StringRef(op.name).starts_with("aten.max_pool") || window.empty() || window.size() > 2 ||
      !allOnes(integersOf(op, "dilation")) || window.back() > 32)
    return false;
  if (window.size() == 1)
    return true;
  int64_t rows = window[0], step = stride.empty() ? rows : stride[0];
  return rows == step || rows == step + 1;
}

DispatchFacts lookAt(const PlannedDispatch &dispatch, const ProposalContext &context) {
  DispatchFacts facts;
  const OpFact &anchor = context.facts.ops[dispatch.anchor];
  facts.dispatch = &dispatch;
  facts.anchor = &anchor;
  facts.device = context.device;
  facts.precision = context.precision;
  facts.multiprocessors = context.chip.multiprocessors;
  facts.hopper = context.device == "cuda" && context.chip.arch == "sm_90a";
  facts.f32 = anchor.operands.empty() || anchor.operands[0].dtype == "f32";
  facts.elementwiseFollows = dispatch.ops.size() > 1;
  for (int op : dispatch.ops)
    if (op != dispatch.anchor && familyOf(context.facts.ops[op]) == "pool") {
      facts.poolFollows = true;
      facts.runningMaximum = isRunningMaximum(context.facts.ops[op]);
    }
  const OpFact &last = context.facts.ops[dispatch.ops.back()];
  if (!last.results.empty())
    facts.elements = productOf(last.results[0].shape);
  if (anchor.results.empty() || anchor.operands.empty())
    return facts;
  const std::vector<int64_t> &in = anchor.operands[0].shape, &out = anchor.results[0].shape;
  int64_t outElements = productOf(out);
  if (dispatch.family == "conv" && out.size() >= 2 && anchor.operands.size() > 1) {
    const std::vector<int64_t> &weight = anchor.operands[1].shape;
    facts.n = out[1];
    facts.m = facts.n ? outElements / facts.n : 0;
    facts.k = weight.empty() || !weight[0] ? 0 : productOf(weight) / weight[0];
    bool transposed = StringRef(anchor.name).starts_with("aten.conv_transpose");
    facts.channels = in.size() > 1 ? in[1] : 0;
    facts.plainConvolution = !transposed && in.size() <= 4 && allOnes(integersOf(anchor, "groups")) &&
                             allOnes(integersOf(anchor, "dilation"));
  } else if (dispatch.family == "gemm" && !out.empty()) {
    facts.n = out.back();
    facts.m = out.size() > 1 ? out[out.size() - 2] : 1;
    facts.k = in.empty() ? 0 : in.back();
    if (StringRef(anchor.name).starts_with("aten.linear") && facts.n)
      facts.m = outElements / facts.n; // all leading dimensions are rows
  } else if (dispatch.family == "row" && !in.empty()) {
    // What is reduced: the normalised shape, the dim argument, or everything.
    int64_t all = productOf(in), columns = in.back();
    if (auto it = anchor.attributes.find("normalized_shape"); it != anchor.attributes.end())
      columns = productOf(readIntegers(it->second));
    else if (outElements > 0 && outElements < all)
      columns = all / outElements;
    else if (auto it = anchor.attributes.find("dim"); it != anchor.attributes.end())
      if (std::vector<int64_t> dims = readIntegers(it->second); dims.size() == 1) {
        int64_t dim = dims[0] < 0 ? dims[0] + int64_t(in.size()) : dims[0];
        if (dim >= 0 && dim < int64_t(in.size()))
          columns = in[dim];
      }
    facts.columns = columns;
    facts.rows = columns ? all / columns : 0;
  }
  return facts;
}

/// Lays VARIANT ("key=value; -key") over SETTINGS.
void overlay(ScheduleSettings &settings, StringRef variant, const DispatchFacts &facts) {
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

/// A way to carry an idea out, before it is text.
struct Variant {
  SchedulePlan plan;
  std::string label;
  double priorUs = 0;
};

double bytesOf(const TensorFact &tensor) {
  double bits = 0;
  StringRef digits = StringRef(tensor.dtype).drop_while([](char c) { return c < '0' || c > '9'; });
  digits.getAsDouble(bits);
  return double(productOf(tensor.shape)) * std::max(bits, 8.0) / 8;
}

/// What PLAN may take by the prior, all of it in microseconds.
double estimatePlan(const SchedulePlan &plan, const ProposalContext &context) {
  double us = 0;
  std::set<int> taken;
  DispatchFacts facts;
  facts.device = context.device;
  for (const PlannedDispatch &dispatch : plan.dispatches) {
    facts = lookAt(dispatch, context);
    double bytes = 0;
    for (const TensorFact &operand : context.facts.ops[dispatch.anchor].operands)
      bytes += bytesOf(operand);
    if (const OpFact &last = context.facts.ops[dispatch.ops.back()]; !last.results.empty())
      bytes += bytesOf(last.results[0]);
    us += estimateDispatch(facts, dispatch.settings, bytes);
    taken.insert(dispatch.ops.begin(), dispatch.ops.end());
  }
  for (size_t i = 0; i < context.facts.ops.size(); ++i) {
    double bytes = 0;
    for (const TensorFact &operand : context.facts.ops[i].operands)
      bytes += bytesOf(operand);
    for (const TensorFact &result : context.facts.ops[i].results)
      bytes += bytesOf(result);
    if (!taken.count(int(i)))
      us += estimateGeneric(facts, bytes);
  }
  return us;
}

/// Puts variants that the prior holds for much slower than its favourite behind the others; the
/// catalogue's own order stays otherwise, because it knows more than the prior.
void demoteSlow(std::vector<Variant> &variants, const ProposalContext &context) {
  double least = 0;
  for (Variant &variant : variants) {
    variant.priorUs = estimatePlan(variant.plan, context);
    least = least == 0 ? variant.priorUs : std::min(least, variant.priorUs);
  }
  const double muchSlower = context.device == "host" ? 4 : 2;
  std::vector<Variant> first, last;
  for (Variant &variant : variants)
    (variant.priorUs <= muchSlower * least ? first : last).push_back(std::move(variant));
  first.insert(first.end(), std::make_move_iterator(last.begin()), std::make_move_iterator(last.end()));
  variants = std::move(first);
}

Materialization materializationOf(const Variant &variant, const ProposalContext &context) {
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

/// One question: the context and what follows from it.
class Session {
public:
  explicit Session(const ProposalContext &context) : context(context) {
    if (!context.parent.notes.empty()) {
      auto plan = parsePlan(context.parent.notes, context.facts);
      if (plan)
        parent = std::move(*plan);
      else
        consumeError(plan.takeError()); // a parent of another proposer: start from the families' defaults
    }
    base = parent ? *parent : group(Fusion::Epilogue);
    for (const TriedBranch &tried : context.history)
      seen.insert(tried.notes);
  }

  std::vector<Idea> rank(int n);
  /// Every variant of the idea that was not tried, best guess first.
  std::vector<Variant> expand(StringRef key) const;
  /// The parent with one setting moved to a neighbour, all that were not tried.
  std::vector<Variant> neighbours() const;

private:
  /// Dispatches with their families' own choices, except that nobody multiplies by emulated tensor
  /// cores on the host. Families that turned out not to exist stay with the generic path.
  SchedulePlan group(Fusion fusion) const {
    SchedulePlan plan = groupOps(context.facts, fusion);
    llvm::erase_if(plan.dispatches, [&](const PlannedDispatch &dispatch) {
      return any_of(context.history, [&](const TriedBranch &tried) {
        return StringRef(tried.detail).contains("no kernel family '" + dispatch.family + "'");
      });
    });
    for (PlannedDispatch &dispatch : plan.dispatches)
      if (onHost() && is_contained({"attention", "conv", "gemm"}, dispatch.family))
        dispatch.settings["mma"] = "none";
    return plan;
  }

  /// The ops grouped anew, each dispatch with the base's settings for the same op or with none.
  SchedulePlan regroup(Fusion fusion, bool keepSettings) const {
    SchedulePlan plan = group(fusion);
    if (keepSettings)
      for (PlannedDispatch &dispatch : plan.dispatches)
        for (const PlannedDispatch &old : base.dispatches)
          if (old.anchor == dispatch.anchor && old.family == dispatch.family)
            dispatch.settings = old.settings;
    return plan;
  }

  struct Scored {
    Idea idea;
    double score;
  };

  bool onHost() const { return context.device == "host"; }
  /// 0 to 1, the same for the same question.
  double jitter(StringRef key) const {
    std::string text = std::to_string(context.seed) + "/" + context.slot + "/" + key.str();
    return double(xxh3_64bits(text) >> 11) / double(uint64_t(1) << 53);
  }
  double conditionOn(StringRef key) const;
  bool diagnosisNames(StringRef words) const;
  void addEntries(std::vector<Scored> &scored) const;
  void addStructure(std::vector<Scored> &scored) const;
  void addRefinements(std::vector<Scored> &scored) const;
  void addCombinations(std::vector<Scored> &scored) const;
  void add(std::vector<Scored> &scored, Idea idea, double score) const {
    if (!expand(idea.key).empty())
      scored.push_back({std::move(idea), score});
  }

  std::vector<Variant> expandEntry(const CatalogueEntry &entry) const;
  std::vector<Variant> expandStructure(StringRef key) const;
  std::vector<Variant> expandRefinement(StringRef key) const;
  std::vector<Variant> expandCombination(StringRef branch) const;

  const ProposalContext &context;
  std::optional<SchedulePlan> parent; ///< none when the parent is round 0
  SchedulePlan base;
  std::set<std::string> seen;
};

//===----------------------------------------------------------------------===//
// Ideas
//===----------------------------------------------------------------------===//

/// What the history says of the ideas with this key.
double Session::conditionOn(StringRef key) const {
  double score = 0;
  auto timeOf = [&](StringRef id) {
    for (const TriedBranch &tried : context.history)
      if (tried.id == id)
        return tried.timeUs;
    return context.genericUs;
  };
  bool gained = false;
  for (const TriedBranch &tried : context.history) {
    if (tried.idea.key != key)
      continue;
    double before = timeOf(tried.parent);
    if (tried.verdict == "PENDING")
      score -= 30; // a sibling does it already
    else if (tried.verdict != "PASS")
      score -= 25;
    else if (before > 0 && tried.timeUs < 0.98 * before)
      gained = true;
    else
      score -= 12;
  }
  return score + (gained ? 8 : 0);
}

bool Session::diagnosisNames(StringRef words) const {
  // Facts about the machine code name everything that there is; only what comes before them is a judgement.
  std::string diagnosis = StringRef(context.parent.diagnosis).split(machineCodeMark).first.lower();
  while (!words.empty()) {
    auto [word, rest] = words.split('|');
    words = rest;
    if (!word.empty() && StringRef(diagnosis).contains(word))
      return true;
  }
  return false;
}

void Session::addEntries(std::vector<Scored> &scored) const {
  for (const CatalogueEntry &entry : getCatalogue()) {
    int promise = onHost() ? entry.onHost : entry.onCuda;
    if (promise == 0)
      continue;
    double score = promise + conditionOn(entry.key) + (diagnosisNames(entry.diagnosis) ? 25 : 0);
    add(scored, {entry.key, entry.text, entry.category}, score);
  }
}

void Session::addStructure(std::vector<Scored> &scored) const {
  if (!parent)
    add(scored,
        {"families",
         "Group each heavy op with the element-wise ops that follow it into one kernel of the family made "
         "for it: intermediate results stay in registers and are never written to memory.",
         IdeaCategory::Control},
        100 + conditionOn("families"));
  add(scored,
      {"fuse-pool",
       "Compute the pooling where the convolution's results are: a block produces the convolution outputs "
       "behind its own windows and writes only the pooled values.",
       IdeaCategory::Control},
      (onHost() ? 82 : 86) + conditionOn("fuse-pool"));
  if (parent && parent->fusion != Fusion::None)
    add(scored,
        {"unfuse", "Give every op a kernel of its own again: without the epilogue the main loop keeps more registers.",
         IdeaCategory::Control},
        20 + conditionOn("unfuse"));
}

void Session::addRefinements(std::vector<Scored> &scored) const {
  if (!parent)
    return;
  for (size_t i = 0; i < parent->dispatches.size(); ++i)
    for (const auto &[key, value] : parent->dispatches[i].settings) {
      if (getNeighbours(key).empty())
        continue;
      std::string ideaKey = "refine:" + std::to_string(i) + ":" + key;
      std::string text = "This kernel does well with " + key + " = " + value;
      if (parent->dispatches.size() > 1)
        text += " in " + parent->dispatches[i].name;
      text += ": try its neighbours, the next larger and the next smaller value.";
      bool isShape = StringRef(key).ends_with("tile") || StringRef(key).contains("row");
      add(scored, {ideaKey, text, isShape ? IdeaCategory::Parallel : IdeaCategory::Control},
          (isShape ? 76 : 62) + conditionOn(ideaKey) / 2);
    }
}

void Session::addCombinations(std::vector<Scored> &scored) const {
  if (!parent)
    return;
  // The best other branches that do not descend from the same settings.
  std::vector<const TriedBranch *> others;
  for (const TriedBranch &tried : context.history)
    if (tried.verdict == "PASS" && tried.id != context.parent.id && !tried.notes.empty() &&
        tried.notes != context.parent.notes)
      others.push_back(&tried);
  llvm::sort(others, [](const TriedBranch *a, const TriedBranch *b) {
    return a->timeUs != b->timeUs ? a->timeUs < b->timeUs : a < b;
  });
  int taken = 0;
  for (const TriedBranch *other : others) {
    if (other->timeUs >= context.genericUs || taken == 2)
      break;
    std::string key = "combine:" + other->id;
    size_t before = scored.size();
    constexpr StringLiteral prefix = "Join what won apart; here, in addition: ";
    StringRef words = other->idea.text;
    words.consume_front(prefix); // a joint branch may be joined again
    add(scored, {key, (prefix + words).str(), other->idea.category}, 68 + conditionOn(key));
    taken += scored.size() > before;
  }
}

std::vector<Idea> Session::rank(int n) {
  std::vector<Scored> scored;
  addStructure(scored);
  addEntries(scored);
  addRefinements(scored);
  addCombinations(scored);
  for (Scored &entry : scored)
    entry.score += 10 * jitter(entry.idea.key);
  std::vector<Idea> ideas;
  std::map<IdeaCategory, int> taken;
  while (int(ideas.size()) < n && !scored.empty()) {
    // Several ideas of one category in one round learn less than one of each.
    auto worth = [&](const Scored &entry) {
      auto it = taken.find(entry.idea.category);
      return entry.score - (it == taken.end() ? 0 : 12.0 * it->second);
    };
    auto best = std::max_element(scored.begin(), scored.end(),
                                 [&](const Scored &a, const Scored &b) { return worth(a) < worth(b); });
    ++taken[best->idea.category];
    ideas.push_back(best->idea);
    scored.erase(best);
  }
  return ideas;
}

//===----------------------------------------------------------------------===//
// Materialisations
//===----------------------------------------------------------------------===//

std::vector<Variant> Session::expandEntry(const CatalogueEntry &entry) const {
  std::vector<Variant> variants;
  for (const char *text : onHost() ? entry.hostVariants : entry.cudaVariants) {
    Variant variant{entry.pools && base.fusion != Fusion::Pool ? regroup(Fusion::Pool, true) : base, ""};
    bool any = false;
    for (PlannedDispatch &dispatch : variant.plan.dispatches) {
      if (!is_contained(entry.families, dispatch.family))
        continue;
      DispatchFacts facts = lookAt(dispatch, context);
      if (entry.applies && !entry.applies(facts))
        continue;
      if (entry.restart)
        dispatch.settings.clear();
      ScheduleSettings alone;
      overlay(alone, text, facts);
      overlay(dispatch.settings, text, facts);
      if (!any)
        variant.label = (entry.pools ? "pooling fused; " : "") + printSettings(alone);
      any = true;
    }
    if (any)
      variants.push_back(std::move(variant));
  }
  return variants;
}

std::vector<Variant> Session::expandStructure(StringRef key) const {
  std::vector<Variant> variants;
  auto add = [&](Fusion fusion, bool keepSettings, const char *label) {
    variants.push_back({regroup(fusion, keepSettings), label});
  };
  auto poolJoins = [&] {
    return groupOps(context.facts, Fusion::Pool).dispatches.size() <
           groupOps(context.facts, Fusion::Epilogue).dispatches.size();
  };
  if (key == "families") {
    add(Fusion::Epilogue, false, "epilogues fused");
    add(Fusion::None, false, "one kernel per op");
  } else if (key == "fuse-pool" && poolJoins() && base.fusion != Fusion::Pool) {
    add(Fusion::Pool, false, "pooling fused");
    if (parent)
      add(Fusion::Pool, true, "pooling fused, settings kept");
  } else if (key == "unfuse") {
    add(Fusion::None, true, "one kernel per op");
  }
  return variants;
}

std::vector<Variant> Session::expandRefinement(StringRef key) const {
  std::vector<Variant> variants;
  auto [indexText, setting] = key.split(':');
  size_t index = 0;
  if (!parent || indexText.getAsInteger(10, index) || index >= parent->dispatches.size())
    return variants;
  auto found = parent->dispatches[index].settings.find(setting.str());
  if (found == parent->dispatches[index].settings.end())
    return variants;
  bool isList = StringRef(found->second).starts_with("[");
  std::vector<int64_t> values = readIntegers(found->second);
  std::vector<int64_t> steps;
  for (const char *step : getNeighbours(setting))
    steps.push_back(std::stoll(step));
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
      Variant variant{*parent, setting.str() + "=" + value};
      variant.plan.dispatches[index].settings[setting.str()] = value;
      variants.push_back(std::move(variant));
    }
  // Which neighbour first is the seed's choice.
  std::vector<std::pair<double, size_t>> order;
  for (size_t i = 0; i < variants.size(); ++i)
    order.push_back({jitter(variants[i].label), i});
  llvm::sort(order);
  std::vector<Variant> shuffled;
  for (auto [weight, i] : order)
    shuffled.push_back(std::move(variants[i]));
  return shuffled;
}

std::vector<Variant> Session::expandCombination(StringRef branch) const {
  std::vector<Variant> variants;
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
  // Its settings where the parent has none; then, its settings everywhere.
  for (bool theirs : {false, true}) {
    Variant variant{*parent, ""};
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

std::vector<Variant> Session::expand(StringRef key) const {
  std::vector<Variant> variants;
  StringRef rest = key;
  if (rest.consume_front("refine:"))
    variants = expandRefinement(rest);
  else if (rest.consume_front("combine:"))
    variants = expandCombination(rest);
  else if (key == "families" || key == "fuse-pool" || key == "unfuse")
    variants = expandStructure(key);
  else
    for (const CatalogueEntry &entry : getCatalogue())
      if (key == entry.key)
        variants = expandEntry(entry);
  std::set<std::string> mine = seen;
  if (parent)
    mine.insert(printPlan(*parent));
  std::vector<Variant> fresh;
  for (Variant &variant : variants)
    if (!variant.plan.dispatches.empty() && llvm::all_of(variant.plan.dispatches, knowsSettings) &&
        mine.insert(printPlan(variant.plan)).second)
      fresh.push_back(std::move(variant));
  demoteSlow(fresh, context);
  return fresh;
}

std::vector<Variant> Session::neighbours() const {
  std::vector<Variant> all;
  // Those that are still open first: of settings that the prior holds for equal, they are the new ones.
  for (size_t i = 0; parent && i < parent->dispatches.size(); ++i)
    for (const OpenKnob *knob : getOpenKnobs(parent->dispatches[i]))
      for (const char *value : knob->values) {
        Variant variant{*parent, std::string(knob->key) + "=" + value};
        variant.plan.dispatches[i].settings[knob->key] = value;
        variant.priorUs = estimatePlan(variant.plan, context);
        if (!seen.count(printPlan(variant.plan)))
          all.push_back(std::move(variant));
      }
  for (size_t i = 0; parent && i < parent->dispatches.size(); ++i)
    for (const auto &[key, value] : parent->dispatches[i].settings)
      if (!getNeighbours(key).empty())
        for (Variant &variant : expand("refine:" + std::to_string(i) + ":" + key))
          all.push_back(std::move(variant));
  llvm::stable_sort(all, [](const Variant &a, const Variant &b) { return a.priorUs < b.priorUs; });
  return all;
}

Expected<std::vector<Materialization>> BuiltinProposer::tune(const ProposalContext &context, int n) {
  std::vector<Materialization> list;
  for (Variant &variant : Session(context).neighbours()) {
    if (int(list.size()) == n)
      break;
    variant.label = "tuned " + variant.label;
    list.push_back(materializationOf(variant, context));
  }
  return list;
}

Expected<std::vector<Idea>> BuiltinProposer::proposeIdeas(const ProposalContext &context, int n) {
  return Session(context).rank(n);
}

Expected<std::vector<Materialization>> BuiltinProposer::materialize(const ProposalContext &context, const Idea &idea,
                                                                    int n) {
  std::vector<Materialization> list;
  for (Variant &variant : Session(context).expand(idea.key)) {
    if (int(list.size()) == n)
      break;
    list.push_back(materializationOf(variant, context));
  }
  return list;
}

} // namespace

std::unique_ptr<Proposer> createBuiltinProposer() { return std::make_unique<BuiltinProposer>(); }

} // namespace kgen
