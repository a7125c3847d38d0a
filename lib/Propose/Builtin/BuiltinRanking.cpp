//===- BuiltinRanking.cpp - Which idea comes first ------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What was tried, what it gained and the parent's diagnosis move an idea up or down.
//
//===----------------------------------------------------------------------===//

#include "BuiltinSession.h"
#include "kgen/Candidate/Diagnosis.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/xxhash.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

using namespace llvm;

namespace kgen::propose {

double BuiltinSession::jitter(StringRef key) const {
  std::string text = std::to_string(context.seed) + "/" + context.slot + "/" + key.str();
  return double(xxh3_64bits(text) >> 11) / double(uint64_t(1) << 53);
}

void BuiltinSession::add(std::vector<Scored> &scored, Idea idea, double score) const {
  if (!expand(idea.key).empty())
    scored.push_back({std::move(idea), score});
}

/// What the history says of the ideas with this key.
double BuiltinSession::conditionOn(StringRef key) const {
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

bool BuiltinSession::diagnosisNames(StringRef words) const {
  // Facts about the machine code name everything that there is; only what comes before them is a judgement.
  std::string diagnosis = StringRef(context.parent.diagnosis).split(candidate::machineCodeMark).first.lower();
  while (!words.empty()) {
    auto [word, rest] = words.split('|');
    words = rest;
    if (!word.empty() && StringRef(diagnosis).contains(word))
      return true;
  }
  return false;
}

void BuiltinSession::addEntries(std::vector<Scored> &scored) const {
  for (const ideas::CatalogueEntry &entry : ideas::getCatalogue()) {
    int promise = onHost() ? entry.onHost : entry.onCuda;
    if (promise == 0)
      continue;
    double score = promise + conditionOn(entry.key) + (diagnosisNames(entry.diagnosis) ? 25 : 0);
    add(scored, {entry.key, entry.text, entry.category}, score);
  }
}

const std::array<Idea, 3> &structuralIdeas() {
  static const std::array<Idea, 3> ideas = {
      Idea{"families",
           "Group each heavy op with the element-wise ops that follow it into one kernel of the family made "
           "for it: intermediate results stay in registers and are never written to memory.",
           ideas::IdeaCategory::Control},
      Idea{"fuse-pool",
           "Compute the pooling where the convolution's results are: a block produces the convolution outputs "
           "behind its own windows and writes only the pooled values.",
           ideas::IdeaCategory::Control},
      Idea{"unfuse",
           "Give every op a kernel of its own again: without the epilogue the main loop keeps more registers.",
           ideas::IdeaCategory::Control}};
  return ideas;
}

void BuiltinSession::addStructure(std::vector<Scored> &scored) const {
  const auto &[families, fusePool, unfuse] = structuralIdeas();
  if (!parent)
    add(scored, families, 100 + conditionOn(families.key));
  add(scored, fusePool, (onHost() ? 82 : 86) + conditionOn(fusePool.key));
  if (parent && parent->fusion != graph::Fusion::None)
    add(scored, unfuse, 20 + conditionOn(unfuse.key));
}

const std::vector<RewriteIdea> &rewriteIdeas() {
  static const std::vector<RewriteIdea> ideas = {
      RewriteIdea{
          {"reduce-first",
           "A sum or mean commutes with what is linear: take it in front of the product or convolution, over the "
           "weights for outputs, over the input for rows and pixels. A product of matrices becomes one with a "
           "vector, bound by memory, and reductions of one element go.",
           ideas::IdeaCategory::Compute},
          "reduce_first"},
      RewriteIdea{
          {"pool-filters",
           "An average pool behind a convolution is a convolution with a wider filter and a larger stride: compute "
           "the averages, not the outputs that they add up. Average pools in series are one.",
           ideas::IdeaCategory::Compute},
          "pool_filters"},
      RewriteIdea{
          {"norm-statistics",
           "Once its statistics are known, a group or instance norm is a difference, a product and a sum with three "
           "numbers for each channel: what pools or reduces the norm reads what the norm read and computes it on the "
           "way, and the norm's result is never written.",
           ideas::IdeaCategory::Memory},
          "norm_statistics"},
      RewriteIdea{
          {"diagonal-scale",
           "A product with a diagonal matrix scales rows or columns: multiply by the vector, and neither make the "
           "matrix nor add up its zeros.",
           ideas::IdeaCategory::Compute},
          "diagonal_products"},
      RewriteIdea{
          {"compose-attention",
           "Two products with a softmax between them are attention: keep running maxima and sums of each query, and "
           "write neither scores nor weights to memory.",
           ideas::IdeaCategory::Memory},
          "compose_attention"},
      RewriteIdea{{"slice-first",
                   "Of a product only what somebody reads has to be computed: slice its operands instead of its "
                   "result. A row of "
                   "a few numbers times a matrix is a sum of as many rows, for which no kernel of products is made.",
                   ideas::IdeaCategory::Compute},
                  "slice_first"},
      RewriteIdea{
          {"move-factors",
           "A factor for each position along k may scale either operand of a product: scale the smaller one, and read "
           "the larger one where it lies.",
           ideas::IdeaCategory::Memory},
          "move_factors"},
      RewriteIdea{
          {"split-attention",
           "Heads are deeper than attention kernels hold on tensor cores: write the scores once, normalise their rows, "
           "and multiply them by the values, each at the speed that its kind of kernel has.",
           ideas::IdeaCategory::Compute},
          "split_attention"}};
  return ideas;
}

void BuiltinSession::addRewrites(std::vector<Scored> &scored) const {
  constexpr double beforeAllOthers = 150; // no schedule makes up for work that nobody needs
  for (const RewriteIdea &one : rewriteIdeas())
    add(scored, one.idea, beforeAllOthers + conditionOn(one.idea.key));
}

void BuiltinSession::addRefinements(std::vector<Scored> &scored) const {
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
      add(scored, {ideaKey, text, isShape ? ideas::IdeaCategory::Parallel : ideas::IdeaCategory::Control},
          (isShape ? 76 : 62) + conditionOn(ideaKey) / 2);
    }
}

void BuiltinSession::addCombinations(std::vector<Scored> &scored) const {
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

/// What the prior expects of the best way of the idea with this key; infinity where it has none.
double BuiltinSession::leastPrior(StringRef key) const {
  double least = std::numeric_limits<double>::infinity();
  for (const PlanVariant &variant : expand(key))
    if (variant.priorUs > 0)
      least = std::min(least, variant.priorUs);
  return least;
}

/// A round of a single idea, of what nothing was tried for, begins with none that the prior holds for half as fast as
/// its favourite: rows of 32 numbers are not read by 128 threads each. Less than that the catalogue's order knows
/// better.
void BuiltinSession::preferFast(std::vector<Scored> &scored) const {
  std::vector<double> priors;
  for (const Scored &entry : scored)
    priors.push_back(leastPrior(entry.idea.key));
  const double least = *std::min_element(priors.begin(), priors.end());
  constexpr double muchSlower = 2, afterOthers = 200;
  for (auto [entry, prior] : zip(scored, priors))
    if (std::isfinite(least) && prior > muchSlower * least)
      entry.score -= afterOthers;
}

std::vector<Idea> BuiltinSession::rank(int n) {
  std::vector<Scored> scored;
  addRewrites(scored);
  addStructure(scored);
  addEntries(scored);
  addRefinements(scored);
  addCombinations(scored);
  for (Scored &entry : scored)
    entry.score += 10 * jitter(entry.idea.key);
  if (n == 1 && !parent && !scored.empty())
    preferFast(scored);
  std::vector<Idea> ideas;
  std::map<ideas::IdeaCategory, int> taken;
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

} // namespace kgen::propose
