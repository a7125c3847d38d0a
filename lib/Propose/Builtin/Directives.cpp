//===- Directives.cpp - How transform.kgen.* is spelled -------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything that the builtin proposer knows of the directives' syntax. The
// script is the body of the named sequence, in which %f is the graph.
//
//===----------------------------------------------------------------------===//

#include "kgen/Propose/SchedulePlan.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

#include <set>

using namespace llvm;

namespace kgen::propose {

namespace {
/// One knob directive and the schedule keys that it sets. A first key without a name in the text is
/// written first and bare; the others as `key = value`.
struct KnobSpelling {
  const char *directive;
  std::vector<const char *> keys;
  bool firstIsBare = true;
};

const KnobSpelling knobSpellings[] = {
    {"tile", {"tile"}},
    {"warp_tile", {"warp_tile"}},
    {"thread_tile", {"thread_tile"}},
    {"pool_tile", {"pool_tile"}},
    {"mma", {"mma"}},
    {"mma_dtype", {"dtype"}},
    {"fast_math", {"fast_math"}},
    {"pipeline", {"pipeline", "stages"}},
    {"im2col", {"im2col", "slab_channels"}},
    {"vec", {"vec"}},
    {"smem_layout", {"smem_pad", "swizzle"}, /*firstIsBare=*/false},
    {"cache_hint", {"cache_hint"}},
    {"resident", {"resident", "column_packs", "lead"}},
    {"reduce", {"reduce", "lazy"}},
    {"threads_per_row", {"threads_per_row"}},
    {"rows_per_block", {"rows_per_block"}},
    {"split_rows", {"split_rows"}},
    {"coarsen", {"coarsen"}},
    {"occupancy", {"block", "min_blocks"}, /*firstIsBare=*/false},
    {"raster", {"raster"}},
    {"split_k", {"split_k"}},
    {"cluster", {"cluster"}},
    {"specialize", {"consumers", "pingpong", "overlap", "producer_warps"}},
    {"reg_split", {"reg_split"}},
    {"mma_inflight", {"mma_inflight"}},
    {"persistent", {"persistent"}},
    {"convert_at", {"convert_at"}},
    {"store", {"store"}},
    {"split_precision", {"split_precision", "promote_k"}},
    {"unroll", {"unroll"}},
    {"epilogue", {"epilogue"}},
};

void printKnobs(std::string &script, StringRef handle, const ScheduleSettings &settings) {
  for (const KnobSpelling &knob : knobSpellings) {
    std::string arguments;
    for (size_t i = 0; i < knob.keys.size(); ++i) {
      auto it = settings.find(knob.keys[i]);
      if (it == settings.end())
        continue;
      arguments += " ";
      if (i > 0 || !knob.firstIsBare)
        arguments += std::string(knob.keys[i]) + " = ";
      arguments += it->second;
    }
    if (!arguments.empty())
      script += ("transform.kgen." + Twine(knob.directive) + " " + handle + arguments + "\n").str();
  }
}

/// The ops of DISPATCH that need its anchor's results; the others come in as producers.
size_t countConsumers(const PlannedDispatch &dispatch, const graph::GraphFacts &facts) {
  std::set<int> behind = {dispatch.anchor};
  for (int op : dispatch.ops) // ascending
    if (behind.count(op))
      for (int user : facts.ops[op].users)
        behind.insert(user);
  return llvm::count_if(dispatch.ops, [&](int op) { return op != dispatch.anchor && behind.count(op); });
}
} // namespace

std::string printDirectives(const SchedulePlan &plan, const graph::GraphFacts &facts) {
  std::string script;
  std::set<int> taken; // ops that are in a dispatch already: `number` does not count them
  for (size_t i = 0; i < plan.dispatches.size(); ++i) {
    const PlannedDispatch &dispatch = plan.dispatches[i];
    const std::string &anchor = facts.ops[dispatch.anchor].name;
    int number = 0;
    for (int op = 0; op < dispatch.anchor; ++op)
      number += facts.ops[op].name == anchor && !taken.count(op);
    std::string handle = "%d" + std::to_string(i);
    script += handle + " = transform.kgen.select \"" + anchor + "\"";
    if (number > 0)
      script += " number " + std::to_string(number);
    script += " in %f as " + dispatch.family + "\n";
    if (size_t consumers = countConsumers(dispatch, facts))
      script += "transform.kgen.fuse " + handle + " consumers " + std::to_string(consumers) + "\n";
    if (size_t producers = dispatch.ops.size() - 1 - countConsumers(dispatch, facts))
      script += "transform.kgen.fuse " + handle + " producers " + std::to_string(producers) + "\n";
    printKnobs(script, handle, dispatch.settings);
    taken.insert(dispatch.ops.begin(), dispatch.ops.end());
  }
  return script;
}

} // namespace kgen::propose
