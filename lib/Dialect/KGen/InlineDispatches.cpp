//===- InlineDispatches.cpp - Dissolves generic dispatches ---------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Dialect/KGen/Dispatch.h"
#include "kgen/Dialect/KGen/Passes.h"

namespace kgen {
#define GEN_PASS_DEF_INLINEDISPATCHES
#include "kgen/Dialect/KGen/Passes.h.inc"
} // namespace kgen

using namespace mlir;
using namespace kgen;

namespace {

struct InlineDispatches : kgen::impl::InlineDispatchesBase<InlineDispatches> {
  using InlineDispatchesBase::InlineDispatchesBase;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    // Collected first: a walk must not see its dispatch erased.
    SmallVector<DispatchOp> dispatches;
    getOperation().walk([&](DispatchOp dispatch) {
      if (all || dispatch.getFamily() == "generic")
        dispatches.push_back(dispatch);
    });
    for (DispatchOp dispatch : dispatches)
      inlineDispatch(rewriter, dispatch);
  }
};

} // namespace
