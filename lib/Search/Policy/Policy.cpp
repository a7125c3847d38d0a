//===- Policy.cpp - Policies by name, and what they share -----------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kgen/Search/Policy.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;

namespace kgen::search {

namespace {
struct NamedPolicy {
  const char *name;
  std::unique_ptr<Policy> (*create)(const PolicyOptions &options);
};

constexpr NamedPolicy policies[] = {{"branch", createBranchPolicy},
                                    {"sequential", createSequentialPolicy},
                                    {"beam", createBeamPolicy},
                                    {"islands", createIslandsPolicy},
                                    {"mcts", createMctsPolicy}};
} // namespace

ArrayRef<const char *> policyNames() {
  static const std::vector<const char *> names = [] {
    std::vector<const char *> list;
    for (const NamedPolicy &policy : policies)
      list.push_back(policy.name);
    return list;
  }();
  return names;
}

Expected<std::unique_ptr<Policy>> createPolicy(StringRef name, const PolicyOptions &options) {
  for (const NamedPolicy &policy : policies)
    if (name == policy.name)
      return policy.create(options);
  return createStringError(Twine("unknown policy '") + name + "', expected " + llvm::join(policyNames(), ", "));
}

std::vector<const Outcome *> fastest(ArrayRef<const Outcome *> outcomes, int count) {
  std::vector<const Outcome *> ranked;
  for (const Outcome *outcome : outcomes)
    if (outcome->passed)
      ranked.push_back(outcome);
  // All point into one array, in branch order.
  llvm::sort(ranked,
             [](const Outcome *a, const Outcome *b) { return a->timeUs != b->timeUs ? a->timeUs < b->timeUs : a < b; });
  // Two parents with the same code would have the same children.
  StringSet<> seen;
  llvm::erase_if(ranked, [&](const Outcome *o) { return !o->codeHash.empty() && !seen.insert(o->codeHash).second; });
  if (int(ranked.size()) > count)
    ranked.resize(count);
  return ranked;
}

double drawNumber(uint64_t seed, StringRef what) {
  std::string text = std::to_string(seed) + "/" + what.str();
  return double(xxh3_64bits(text) >> 11) / double(uint64_t(1) << 53);
}

} // namespace kgen::search
