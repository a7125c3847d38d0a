//===- Catalogue.cpp - The ideas of all families --------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kgen/Kernels/Ideas/Catalogue.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace kgen::ideas {

ArrayRef<CatalogueEntry> getCatalogue() {
  static const auto catalogue = [] {
    std::vector<CatalogueEntry> all;
#define KGEN_FAMILY(NAME) llvm::append_range(all, get##NAME##Ideas());
#include "kgen/Kernels/Families.def"
    return all;
  }();
  return catalogue;
}

StringRef categoryName(IdeaCategory category) {
  switch (category) {
  case IdeaCategory::Memory:
    return "memory";
  case IdeaCategory::Async:
    return "async";
  case IdeaCategory::DType:
    return "dtype";
  case IdeaCategory::Compute:
    return "compute";
  case IdeaCategory::Parallel:
    return "parallel";
  case IdeaCategory::Control:
    return "control";
  }
  return "compute";
}

std::optional<IdeaCategory> parseIdeaCategory(StringRef word) {
  return StringSwitch<std::optional<IdeaCategory>>(word)
      .Case("memory", IdeaCategory::Memory)
      .Case("async", IdeaCategory::Async)
      .Case("dtype", IdeaCategory::DType)
      .Case("compute", IdeaCategory::Compute)
      .Case("parallel", IdeaCategory::Parallel)
      .Case("control", IdeaCategory::Control)
      .Default(std::nullopt);
}

} // namespace kgen::ideas
