//===- Catalogue.h - The builtin ideas ------------------------------------===//
//
// Private to Propose. To add an idea, add an entry to its family's file in Catalogue/.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Propose/Idea.h"
#include "kgen/Propose/SchedulePlan.h"

#include "llvm/ADT/ArrayRef.h"

#include <vector>

namespace kgen {

/// What an applicability test looks at: one dispatch of a plan and the numbers behind it.
struct DispatchFacts {
  const PlannedDispatch *dispatch = nullptr;
  const OpFact *anchor = nullptr;
  std::string device, precision;
  int64_t m = 0, n = 0, k = 0;     ///< of a product; of a convolution as an implicit product
  int64_t channels = 0;            ///< input channels of a convolution
  int64_t rows = 0, columns = 0;   ///< of a row reduction
  int64_t elements = 0;            ///< of the dispatch's result
  bool f32 = true;                 ///< the anchor's first operand is f32
  bool poolFollows = false;        ///< a window reads the dispatch's result and nothing else does
  bool plainConvolution = true;    ///< in one or two dimensions, without groups and dilation
  bool runningMaximum = false;     ///< that window is a maximum, and windows share at most one row
  bool elementwiseFollows = false; ///< ops could be, or are, fused behind the anchor
  int multiprocessors = 132;
  bool hopper = false; ///< a card with sm_90a's instructions: wgmma, bulk copies, clusters
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
  /// Groups the ops anew: poolings join the convolutions that they follow.
  bool pools = false;
};

/// A setting that a family leaves open, and values worth a try when constants are tuned.
struct OpenKnob {
  const char *family, *settings; ///< those that the dispatch must have, as "mma=wgmma; resident=reg"
  const char *key;
  std::vector<const char *> values;
};

/// All ideas that change the settings of a family.
llvm::ArrayRef<CatalogueEntry> getCatalogue();

/// The knobs that DISPATCH leaves open.
std::vector<const OpenKnob *> getOpenKnobs(const PlannedDispatch &dispatch);

/// Whether the family of DISPATCH has all of its settings beside its `mma`.
bool knowsSettings(const PlannedDispatch &dispatch);

/// Values of a setting in the order in which refinement walks through them; empty when it has none.
llvm::ArrayRef<const char *> getNeighbours(llvm::StringRef key);

} // namespace kgen
