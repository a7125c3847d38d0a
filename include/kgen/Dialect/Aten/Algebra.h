//===- Algebra.h - The same answer for less work ----------------*- C++ -*-===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rewrites of a graph that a person does on paper: they hold for real numbers, and for floats but for the order of
// sums. A row of rewrites() is all that transform.kgen.rewrite, the floor and the facts of a graph need to know of one.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/PatternMatch.h"

namespace kgen::aten {

/// A rewrite by its name in scripts.
struct Rewrite {
  llvm::StringLiteral name;
  void (*populate)(mlir::RewritePatternSet &patterns);
};

/// All of them, in the order of their promise.
llvm::ArrayRef<Rewrite> rewrites();

/// Rewrites FUNC wherever REWRITE applies; false where it does nowhere, and FUNC is as it was. The same graph gives the
/// same ops in the same order.
bool applyRewrite(mlir::func::FuncOp func, const Rewrite &rewrite);

/// compose_attention on FUNC, which takes no time where there is no softmax.
bool composeAttention(mlir::func::FuncOp func);

/// Whether slice_first may apply to FUNC: a slice of what is less for it, or a product of short rows.
bool hasSlicedProducts(mlir::func::FuncOp func);
/// slice_first on FUNC, which takes little time where nothing of that is.
bool sliceFirst(mlir::func::FuncOp func);

/// move_factors on FUNC, which takes no time where there is no batch of products.
bool moveFactors(mlir::func::FuncOp func);

/// Takes products of FUNC's time steps together, in fp32 and wider: of a step's input beside its state, which are
/// concatenated, all inputs are multiplied at once; a stack of products with one weight is a product of a stack. Both
/// of 8 steps and more. Takes time in proportion to the ops.
void joinStepProducts(mlir::func::FuncOp func);

/// Takes FUNC's products of a stack of 64 and more time steps' results apart, where each reader has one step of it: by
/// 32 steps, or by the next lower number, down to 16, that divides theirs. So the next layer of a recurrent network
/// begins once the first of them are there. Takes time in proportion to the ops.
void splitStepProducts(mlir::func::FuncOp func);

/// The depth of heads of ELEMENT, in elements, up to which attention is multiplied on tensor cores by one kernel: what
/// that has of a query's answer lies in registers. split_attention takes deeper ones apart.
int64_t deepestHead(mlir::Type element);

/// The FLOPs of FUNC, or of what rewrites make of it where that is less, without those that triangles (tril, triu) in
/// front of and behind products make needless: no kernel needs more.
double leastFlops(mlir::func::FuncOp func);

/// Sums and means behind what is linear are taken in front of it.
void populateReduceFirst(mlir::RewritePatternSet &patterns);
/// Average pools behind each other and behind a convolution become a part of the one in front.
void populatePoolFilters(mlir::RewritePatternSet &patterns);
/// Group and instance norms that a pool or reduction makes less of become arithmetic with numbers of each channel.
void populateNormStatistics(mlir::RewritePatternSet &patterns);
/// Products with a diagonal matrix scale rows or columns.
void populateDiagonalProducts(mlir::RewritePatternSet &patterns);
/// Slices of products are products of slices; rows of few elements times matrices are sums of element-wise products.
void populateSliceFirst(mlir::RewritePatternSet &patterns);
/// A factor for each position along k of the larger operand of a batch of products is one of the smaller operand.
void populateMoveFactors(mlir::RewritePatternSet &patterns);
/// softmax(q k^T * scale + mask) v is one scaled_dot_product_attention where scores and weights have no other reader.
void populateComposeAttention(mlir::RewritePatternSet &patterns);
/// Attention of heads deeper than its kernels take on tensor cores is two products with a softmax between them.
void populateSplitAttention(mlir::RewritePatternSet &patterns);

} // namespace kgen::aten
