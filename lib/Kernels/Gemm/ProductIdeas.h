//===- ProductIdeas.h - Ideas of products ---------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Kernels/Ideas/Catalogue.h"

namespace kgen::ideas {

/// Ideas that matrix products and convolutions share. They stand in the catalogue once, among those of family gemm.
std::vector<CatalogueEntry> getProductIdeas();

} // namespace kgen::ideas
