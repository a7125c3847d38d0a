//===- Catalogue/Attention.cpp - Builtin ideas ------------------------------===//
//
// Scaled dot product attention. Catalogue.h explains the fields.
//
//===----------------------------------------------------------------------===//

#include "Predicates.h"

using namespace llvm;

namespace kgen {
using C = IdeaCategory;

std::vector<CatalogueEntry> attentionIdeas() {
  return {
      {"scores-in-registers",
       C::Compute,
       "Compute scores by warp matrix instructions and leave them in the accumulators, where they become weights and "
       "then the left operand of the product with the values: scores never reach shared memory.",
       {"attention"},
       15,
       90,
       is16Bit,
       "compute|tensor|shared memory|instruction",
       {"mma=mma_sync; -tile; -stages"},
       {"mma=mma_sync; tile=[128, 64]; stages=2", "mma=mma_sync; tile=[128, 64]; stages=3",
        "mma=mma_sync; tile=[64, 64]; stages=2", "mma=mma_sync; tile=[128, 32]; stages=3"}},
      {"attention-tile",
       C::Parallel,
       "Change how many queries share a tile of keys: more queries use a key more often, fewer keep more blocks busy.",
       {"attention"},
       80,
       40,
       nullptr,
       "occupancy|latency|memory",
       {"mma=none; -dtype; -stages; tile=[64, 128]", "mma=none; -dtype; -stages; tile=[32, 128]",
        "mma=none; -dtype; -stages; tile=[128, 32]", "mma=none; -dtype; -stages; tile=[32, 32]"},
       {"mma=none; -dtype; -stages; tile=[32, 64]", "mma=none; -dtype; -stages; tile=[64, 32]"}},
  };
}

} // namespace kgen
