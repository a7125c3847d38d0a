//===- InputDomains.cpp - What an argument of a graph can be --------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Dialect/KGen/InputDomains.h"
#include "kgen/Dialect/Aten/Aten.h"
#include "kgen/Dialect/Aten/Views.h"
#include "kgen/Dialect/KGen/KGen.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <algorithm>
#include <cstdio>

using namespace mlir;
using namespace kgen;

/// Whether VALUE, or a view of it, is used as a variance. PARAMETER: as what a root or logarithm is taken of counts
/// too.
static bool isNeverNegative(Value value, bool parameter, unsigned depth = 0) {
  if (depth > 16)
    return false;
  for (OpOperand &use : value.getUses()) {
    Operation *op = use.getOwner();
    auto isVariance = [&](auto norm) { return norm.getRunningVar() == value; };
    if (auto norm = dyn_cast<aten::BatchNormOp>(op); norm && isVariance(norm))
      return true;
    if (auto norm = dyn_cast<aten::InstanceNormOp>(op); norm && isVariance(norm))
      return true;
    if (parameter && isa<aten::SqrtOp, aten::RsqrtOp, aten::LogOp>(op))
      return true;
    if (auto dispatch = dyn_cast<DispatchOp>(op)) {
      if (isNeverNegative(dispatch.getBody().getArgument(use.getOperandNumber()), parameter, depth + 1))
        return true;
      continue;
    }
    bool passesOn = aten::isReshape(op) || aten::permutationOf(op) || isa<aten::ExpandOp>(op) ||
                    (parameter && isa<aten::AddScalarOp>(op));
    if (passesOn && isNeverNegative(op->getResult(0), parameter, depth + 1))
      return true;
  }
  return false;
}

static std::string uniform(double low, double high) {
  char text[64];
  snprintf(text, sizeof text, "uniform(%.6g, %.6g)", low, high); // as the importer prints it
  return text;
}

/// INIT's positive part, or INIT itself where all of it is positive already or its words are not understood.
static std::string positivePart(StringRef init) {
  auto [name, rest] = init.trim().split('(');
  double first, second;
  bool closed = rest.consume_back(")");
  auto [low, high] = rest.split(',');
  if (!closed || low.trim().getAsDouble(first) || high.trim().getAsDouble(second))
    return init.str();
  if (name == "normal") {
    double most = first + 2 * second;
    if (!(most > 0))
      return "uniform(0.5, 1.5)";
    return uniform(std::max(first - 2 * second, most / 8), most);
  }
  if (name == "uniform" && first < 0)
    return second > 0 ? uniform(second / 8, second) : "uniform(0.5, 1.5)";
  return init.str();
}

/// How many rows there are where VALUE, or a view of it, says where groups of them end.
static std::optional<int64_t> rowsOfGroups(Value value, unsigned depth = 0) {
  for (OpOperand &use : value.getUses()) {
    Operation *op = use.getOwner();
    if (auto product = dyn_cast<aten::GroupedMmOp>(op); product && product.getOffs() == value)
      return product.getSelf().getType().getDimSize(0);
    std::optional<int64_t> rows;
    if (auto dispatch = dyn_cast<DispatchOp>(op); dispatch && depth < 16)
      rows = rowsOfGroups(dispatch.getBody().getArgument(use.getOperandNumber()), depth + 1);
    else if (isa<aten::ReshapeOp, aten::ViewOp>(op) && depth < 16)
      rows = rowsOfGroups(op->getResult(0), depth + 1);
    if (rows)
      return rows;
  }
  return std::nullopt;
}

void kgen::settleInputDomains(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>())
    for (BlockArgument argument : function.getArguments()) {
      unsigned i = argument.getArgNumber();
      auto type = dyn_cast<RankedTensorType>(argument.getType());
      if (std::optional<int64_t> rows = rowsOfGroups(argument); rows && !function.getArgAttr(i, "kgen.init"))
        function.setArgAttr(i, "kgen.init",
                            StringAttr::get(module.getContext(), "integer(0, " + std::to_string(*rows) + ")"));
      if (!type || !isa<FloatType>(type.getElementType()) ||
          !isNeverNegative(argument, bool(function.getArgAttr(i, "kgen.parameter"))))
        continue;
      auto declared = function.getArgAttrOfType<StringAttr>(i, "kgen.init");
      // Nothing is known: a variance of about one.
      std::string init = declared ? positivePart(declared.getValue()) : "uniform(0.5, 1.5)";
      if (!declared || init != declared.getValue())
        function.setArgAttr(i, "kgen.init", StringAttr::get(module.getContext(), init));
    }
}
