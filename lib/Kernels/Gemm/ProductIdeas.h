//===- ProductIdeas.h - Ideas of products ---------------------------------===//
#pragma once

#include "kgen/Kernels/Ideas/Catalogue.h"

namespace kgen::ideas {

/// Ideas that matrix products and convolutions share. They stand in the catalogue once, among those of family gemm.
std::vector<CatalogueEntry> getProductIdeas();

} // namespace kgen::ideas
