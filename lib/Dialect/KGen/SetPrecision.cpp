//===- SetPrecision.cpp - Writes the precision class on the module -------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Dialect/KGen/InputDomains.h"
#include "kgen/Dialect/KGen/Passes.h"
#include "kgen/Dialect/KGen/Precision.h"

namespace kgen {
#define GEN_PASS_DEF_SETPRECISION
#include "kgen/Dialect/KGen/Passes.h.inc"
} // namespace kgen

using namespace mlir;
using namespace kgen;

namespace {

struct SetPrecision : kgen::impl::SetPrecisionBase<SetPrecision> {
  using SetPrecisionBase::SetPrecisionBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (auto word = module->getAttrOfType<StringAttr>("kgen.precision"); word && !parsePrecision(word.getValue())) {
      module.emitError() << "expected kgen.precision to be strict-fp32, tf32, fp16 or bf16, found " << word;
      return signalPassFailure();
    }
    module->setAttr("kgen.precision", StringAttr::get(&getContext(), stringifyPrecision(precisionOf(module))));
    settleInputDomains(module); // a lowered graph no longer shows them either
  }
};

} // namespace
