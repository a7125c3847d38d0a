//===- Algebra.cpp - The same answer for less work ------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kgen/Dialect/Aten/Algebra.h"
#include "kgen/Dialect/Aten/Aten.h"

#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace kgen::aten {

ArrayRef<Rewrite> rewrites() {
  static const Rewrite all[] = {
      {"reduce_first", populateReduceFirst},
      {"pool_filters", populatePoolFilters},
  };
  return all;
}

namespace {
/// Whether a pattern applied: dead ops that the driver takes away are no rewrite.
struct Applied : RewriterBase::Listener {
  void notifyPatternEnd(const Pattern &, LogicalResult status) override { any |= succeeded(status); }
  bool any = false;
};
} // namespace

bool applyRewrite(func::FuncOp func, const Rewrite &rewrite) {
  RewritePatternSet patterns(func.getContext());
  rewrite.populate(patterns);
  OwningOpRef<func::FuncOp> copy = func.clone();
  Applied applied;
  GreedyRewriteConfig config;
  config.setListener(&applied);
  if (failed(applyPatternsGreedily(*copy, std::move(patterns), config)) || !applied.any)
    return false;
  func.getBody().takeBody(copy->getBody());
  return true;
}

double leastFlops(func::FuncOp func) {
  double least = graphFlops(func);
  OwningOpRef<func::FuncOp> all = func.clone();
  for (const Rewrite &rewrite : rewrites()) {
    OwningOpRef<func::FuncOp> alone = func.clone();
    if (applyRewrite(*alone, rewrite))
      least = std::min(least, graphFlops(*alone));
    if (applyRewrite(*all, rewrite))
      least = std::min(least, graphFlops(*all));
  }
  return least;
}

} // namespace kgen::aten
