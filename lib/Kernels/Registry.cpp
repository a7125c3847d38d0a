//===- Registry.cpp - The kernel families ---------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kgen/Kernels/Family.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace kgen::kernels {

static ArrayRef<std::unique_ptr<Family>> allFamilies() {
  static const auto families = [] {
    SmallVector<std::unique_ptr<Family>> list;
#define KGEN_FAMILY(NAME) list.push_back(create##NAME##Family());
#include "kgen/Kernels/Families.def"
    // Alphabetical, whatever the order above.
    llvm::sort(list, [](const auto &a, const auto &b) { return a->name() < b->name(); });
    return list;
  }();
  return families;
}

const Family *findFamily(StringRef name) {
  for (const std::unique_ptr<Family> &family : allFamilies())
    if (family->name() == name)
      return family.get();
  return nullptr;
}

SmallVector<StringRef> familyNames() {
  return llvm::map_to_vector(allFamilies(), [](const auto &family) { return family->name(); });
}

} // namespace kgen::kernels
