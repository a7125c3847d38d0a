//===- Updates.cpp - Results that are arguments written in place ----------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Dialect/Aten/Updates.h"

#include "kgen/Dialect/Aten/Aten.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace kgen;
using namespace kgen::aten;

/// The argument that result INDEX of FUNC says it is the new value of.
static std::optional<unsigned> findTarget(func::FuncOp func, unsigned index) {
  if (auto number = func.getResultAttrOfType<IntegerAttr>(index, updatesAttr))
    return number.getInt() >= 0 && number.getInt() < int64_t(func.getNumArguments())
               ? std::optional<unsigned>(number.getInt())
               : std::nullopt;
  auto name = func.getResultAttrOfType<StringAttr>(index, mutatesAttr);
  for (unsigned i = 0; name && i < func.getNumArguments(); ++i)
    if (func.getArgAttrOfType<StringAttr>(i, "kgen.name") == name)
      return i;
  return std::nullopt;
}

std::optional<unsigned> kgen::aten::findUpdate(func::FuncOp func, unsigned index) {
  std::optional<unsigned> target = findTarget(func, index);
  if (!target)
    return std::nullopt;
  Operation *end = func.getBody().front().getTerminator();
  const Value result = end->getOperand(index), argument = func.getArgument(*target);
  auto put = result.getDefiningOp<IndexPutOp>();
  if (!put || put.getAccumulate() || put.getSelf() != argument || !argument.hasOneUse() ||
      result.getType() != argument.getType() || llvm::count(end->getOperands(), result) != 1)
    return std::nullopt;
  // Several positions may be one, and then their order matters.
  const bool isOne = llvm::all_of(put.getIndices(), [](Value position) {
    return cast<RankedTensorType>(position.getType()).getNumElements() == 1;
  });
  return isOne ? target : std::nullopt;
}
