//===- PromoteF64.cpp - kgen-promote-f64 ----------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Oracle/OracleLowering.h"

#include "mlir/IR/AttrTypeSubElements.h"

namespace kgen::oracle {
#define GEN_PASS_DEF_PROMOTEF64PASS
#include "kgen/Oracle/Passes.h.inc"
} // namespace kgen::oracle

using namespace mlir;

namespace {

APFloat toDouble(const APFloat &value) {
  APFloat result = value;
  bool inexact;
  result.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &inexact);
  return result;
}

struct PromoteF64 : public kgen::oracle::impl::PromoteF64PassBase<PromoteF64> {
  void runOnOperation() override {
    Type f64 = Float64Type::get(&getContext());
    AttrTypeReplacer replacer;
    replacer.addReplacement([=](FloatType) { return f64; });
    // Values carry their own semantics: replacing only their type would misread the bits.
    replacer.addReplacement(
        [=](FloatAttr attr) -> Attribute { return FloatAttr::get(f64, toDouble(attr.getValue())); });
    replacer.addReplacement([=](DenseElementsAttr attr) -> std::optional<Attribute> {
      if (!isa<FloatType>(attr.getElementType()))
        return std::nullopt;
      return cast<DenseFPElementsAttr>(attr).mapValues(
          f64, [](const APFloat &value) { return toDouble(value).bitcastToAPInt(); });
    });
    replacer.recursivelyReplaceElementsIn(getOperation(), /*replaceAttrs=*/true, /*replaceLocs=*/false,
                                          /*replaceTypes=*/true);
  }
};

} // namespace
