//===- Precision.cpp - Precision classes ---------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Dialect/KGen/Precision.h"

#include "kgen/Dialect/Aten/Aten.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace kgen {

StringRef stringifyPrecision(Precision precision) {
  switch (precision) {
  case Precision::StrictFP32:
    return "strict-fp32";
  case Precision::TF32:
    return "tf32";
  case Precision::FP16:
    return "fp16";
  case Precision::BF16:
    return "bf16";
  }
  return "";
}

std::optional<Precision> parsePrecision(StringRef word) {
  return llvm::StringSwitch<std::optional<Precision>>(word)
      .Case("strict-fp32", Precision::StrictFP32)
      .Case("tf32", Precision::TF32)
      .Case("fp16", Precision::FP16)
      .Case("bf16", Precision::BF16)
      .Default(std::nullopt);
}

Precision precisionOf(ModuleOp module) {
  if (auto word = module->getAttrOfType<StringAttr>("kgen.precision"))
    if (std::optional<Precision> precision = parsePrecision(word.getValue()))
      return *precision;
  bool contraction = false, f16 = false, bf16 = false;
  module.walk([&](Operation *op) {
    if (auto cost = dyn_cast<aten::AtenCostOpInterface>(op))
      contraction |= cost.getKind() == aten::OpKind::Contraction;
    for (Type type : op->getResultTypes()) {
      Type element = getElementTypeOrSelf(type);
      f16 |= element.isF16();
      bf16 |= element.isBF16();
    }
  });
  if (f16)
    return Precision::FP16;
  if (bf16)
    return Precision::BF16;
  return contraction ? Precision::TF32 : Precision::StrictFP32;
}

bool admitsOperandType(Precision precision, schedule::Dtype dtype) {
  using schedule::Dtype;
  switch (precision) {
  case Precision::StrictFP32:
    return dtype == Dtype::Fp32;
  case Precision::TF32:
    return dtype == Dtype::Fp32 || dtype == Dtype::Tf32;
  case Precision::FP16:
    return dtype != Dtype::Bf16;
  case Precision::BF16:
    // Not fp16: its exponent range is smaller than the graph's own type has.
    return dtype != Dtype::Fp16;
  }
  return false;
}

bool admitsScaledHalf(Precision precision, std::optional<schedule::SplitPrecision> split) {
  return precision != Precision::StrictFP32 || split != schedule::SplitPrecision::None;
}

} // namespace kgen
