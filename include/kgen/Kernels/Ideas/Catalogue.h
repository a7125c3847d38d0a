//===- Catalogue.h - The builtin ideas ------------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a kernel family says of itself to whoever has ideas: words, where they apply, and settings that carry them
// out. Free of mlir/, so that the search can read it. To add an idea, add an entry to XIdeas.cpp in its family's
// folder.
//
// The two devices want different things. A block's threads are fibres of one
// core on the host: a barrier costs each of them a switch (some 30 ns), there
// is one cache hierarchy and no tensor core, so much work per thread and few
// barriers win. A card wants many threads, wide loads and tensor cores.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Graph/GraphFacts.h"
#include "kgen/Support/Chip.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace kgen::ideas {

/// The six seed categories of ideas (the published method's).
enum class IdeaCategory { Memory, Async, DType, Compute, Parallel, Control };

/// "memory", "async", "dtype", "compute", "parallel", "control".
llvm::StringRef categoryName(IdeaCategory category);
std::optional<IdeaCategory> parseIdeaCategory(llvm::StringRef word);

/// What an applicability test looks at: one dispatch of a plan and the numbers behind it. Of a pooling that follows
/// a convolution it has what is said of its windows, too.
struct DispatchFacts : graph::WorkFact {
  std::string family; ///< "gemm"
  std::string op;     ///< the op that decides the family, "aten.matmul"
  std::string device, precision;
  int64_t elements = 0;            ///< of the dispatch's result
  bool f32 = true;                 ///< the first operand of the op is f32
  bool masked = false;             ///< an attention with a mask
  bool causal = false;             ///< one of which a query sees the keys before it
  int64_t heads = 0;               ///< of an attention, of all batches; m queries of each, n keys, depth k
  bool poolFollows = false;        ///< a window reads the dispatch's result and nothing else does
  bool foldFollows = false;        ///< of a convolution: a reduction over channels or pixels is fused behind it
  bool softmaxFollows = false;     ///< and that reduction writes every channel again
  bool triangleFollows = false;    ///< of a product: only a triangle of its result is kept
  bool elementwiseFollows = false; ///< ops could be, or are, fused behind the first one
  int64_t multiprocessors = Chip().multiprocessors;
  bool hopper = false; ///< a card with sm_90a's instructions

  /// Of a convolution: whether only the schedule of shifted pixels computes what is fused behind it.
  bool onlyShiftsPixels() const {
    return foldFollows || (poolFollows && llvm::StringRef(op).starts_with("aten.conv_transpose"));
  }
};

/// One idea: words, where it applies, and the settings that carry it out.
struct CatalogueEntry {
  const char *key;
  IdeaCategory category;
  const char *text;
  std::vector<const char *> families; ///< families of dispatches that it can change
  /// How promising it is before anything was measured, 0 to 100, on device host and on a card; above 110 it
  /// comes before every other idea, whatever the seed.
  /// 0 is never.
  int onHost, onCuda;
  bool (*applies)(const DispatchFacts &facts); ///< null: always
  /// Words of a diagnosis that make it more promising, separated by '|'; may be "".
  const char *diagnosis;
  /// Settings to lay over the parent's, best guess first; "-key" takes a setting away. Placeholders
  /// are filled from the facts: $N is the product's n rounded up to 16 and at most 128.
  std::vector<const char *> hostVariants, cudaVariants;
  /// Starts from the family's defaults instead of the parent's settings.
  bool restart = false;
  /// Groups the ops anew: poolings and reductions join the convolutions that they follow.
  bool pools = false;
  /// Settings for a card that follow from the numbers, best guess first; they come before cudaVariants.
  std::vector<std::string> (*derive)(const DispatchFacts &facts) = nullptr;
  /// Whether the family takes settings, the parent's with a way laid over them, for the numbers; null: always.
  bool (*fits)(const DispatchFacts &facts, const std::map<std::string, std::string> &settings) = nullptr;
};

/// All ideas that change the settings of a family, in the families' order.
llvm::ArrayRef<CatalogueEntry> getCatalogue();

/// One table for each family, joined by getCatalogue(): getGemmIdeas() and the like.
#define KGEN_FAMILY(NAME) std::vector<CatalogueEntry> get##NAME##Ideas();
#include "kgen/Kernels/Families.def"

} // namespace kgen::ideas
