//===- SetPrecision.cpp - Writes the precision class on the module -------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Dialect/KGen/InputDomains.h"
#include "kgen/Dialect/KGen/Passes.h"
#include "kgen/Dialect/KGen/Precision.h"

#include "kgen/Dialect/Aten/Cost.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace kgen {
#define GEN_PASS_DEF_SETPRECISION
#include "kgen/Dialect/KGen/Passes.h.inc"
} // namespace kgen

using namespace mlir;
using namespace kgen;

namespace {

struct SetPrecision : kgen::impl::SetPrecisionBase<SetPrecision> {
  using SetPrecisionBase::SetPrecisionBase;

  /// Arguments that are read in part get the attribute kgen.read_bytes.
  static void noteReads(func::FuncOp function) {
    if (function.isExternal())
      return;
    for (auto [argument, read] : llvm::zip_equal(function.getArguments(), aten::readBytes(function))) {
      auto type = dyn_cast<RankedTensorType>(argument.getType());
      if (!type || !type.hasStaticShape() || argument.use_empty())
        continue;
      const double whole = double(type.getNumElements()) * aten::elementBytes(type.getElementType());
      if (read < whole)
        function.setArgAttr(argument.getArgNumber(), "kgen.read_bytes",
                            IntegerAttr::get(IntegerType::get(function.getContext(), 64), int64_t(read)));
    }
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (auto word = module->getAttrOfType<StringAttr>("kgen.precision"); word && !parsePrecision(word.getValue())) {
      module.emitError() << "expected kgen.precision to be strict-fp32, tf32, fp16 or bf16, found " << word;
      return signalPassFailure();
    }
    module->setAttr("kgen.precision", StringAttr::get(&getContext(), stringifyPrecision(precisionOf(module))));
    // A lowered graph shows neither how inputs are drawn nor which parts of them are read.
    settleInputDomains(module);
    for (func::FuncOp function : module.getOps<func::FuncOp>())
      noteReads(function);
  }
};

} // namespace
