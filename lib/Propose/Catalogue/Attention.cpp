//===- Catalogue/Attention.cpp - Builtin ideas ------------------------------===//
//
// Scaled dot product attention. Catalogue.h explains the fields.
//
//===----------------------------------------------------------------------===//

#include "Predicates.h"

using namespace llvm;

namespace kgen {

std::vector<CatalogueEntry> attentionIdeas() { return {}; }

} // namespace kgen
