//===- Origins.cpp - What values of a graph depend on ---------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Dialect/KGen/Origins.h"

#include "kgen/Support/GraphMarks.h"

#include "llvm/ADT/StringSet.h"

#include <algorithm>

using namespace mlir;
using namespace kgen;

Origins::Origins(func::FuncOp func) {
  // What the graph writes to is another value in each call.
  llvm::StringSet<> written;
  for (unsigned i = 0; i < func.getNumResults(); ++i)
    if (auto target = func.getResultAttrOfType<StringAttr>(i, mutatesAttr))
      written.insert(target.getValue());
  for (auto [i, argument] : llvm::enumerate(func.getArguments())) {
    auto name = func.getArgAttrOfType<StringAttr>(i, "kgen.name");
    const bool isWeight = func.getArgAttr(i, "kgen.parameter") && !(name && written.contains(name.getValue()));
    values[argument] = isWeight ? Origin::Weights : Origin::Inputs;
  }
  for (Operation &op : func.getBody().front())
    add(&op);
}

Origin Origins::of(Operation *op) const {
  Origin origin = Origin::Constants;
  for (Value operand : op->getOperands())
    origin = std::max(origin, of(operand));
  return origin;
}

void Origins::add(Operation *op) {
  const Origin origin = of(op);
  for (Value result : op->getResults())
    values[result] = origin;
}
