//===- ShapeInference.h - The shape rules of aten ops ---------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One function for each family of ops, called by the code that TableGen
// generates. Each appends the result types to RESULTS or emits one diagnostic
// at OP, which ends in the tag of the violated constraint, and fails. Operands
// are static ranked tensors, as the ops' type constraints say.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"

#include <optional>

namespace kgen::aten {

using ResultTypes = llvm::SmallVectorImpl<mlir::Type>;

/// A shape as diagnostics print it: `[4, 8]`.
std::string printShape(llvm::ArrayRef<int64_t> shape);

/// The common shape of A and B, aligned at the last dimension; nothing if an extent
/// differs and neither is 1.
std::optional<llvm::SmallVector<int64_t>> broadcastShapes(llvm::ArrayRef<int64_t> a, llvm::ArrayRef<int64_t> b);

/// DIM counted from the front in a shape of RANK dimensions; fails with dim_c1 at OP when it is outside.
llvm::FailureOr<int64_t> normalizeDim(mlir::Operation *op, int64_t dim, int64_t rank, llvm::StringRef tag = "dim_c1");

/// ATen's slice bounds over a dimension of EXTENT, as they act: from the front, within [0, EXTENT].
std::pair<int64_t, int64_t> clampSlice(std::optional<int64_t> start, std::optional<int64_t> end, int64_t extent);

/// What a convolution has besides its operands.
struct ConvolutionParameters {
  llvm::ArrayRef<int64_t> stride, padding, dilation;
  int64_t groups;
};

/// A pooling window. An empty DILATION means 1 everywhere.
struct PoolParameters {
  llvm::ArrayRef<int64_t> kernel, stride, padding, dilation;
  bool ceilMode;
};

// Element-wise.
llvm::LogicalResult inferSameAsOperand(mlir::Operation *op, ResultTypes &results);
llvm::LogicalResult inferClamp(mlir::Operation *op, mlir::Attribute min, mlir::Attribute max, ResultTypes &results);
llvm::LogicalResult inferGelu(mlir::Operation *op, llvm::StringRef approximate, ResultTypes &results);
llvm::LogicalResult inferBroadcast(mlir::Operation *op, ResultTypes &results);
/// The operands' common shape, of i1.
llvm::LogicalResult inferPredicate(mlir::Operation *op, ResultTypes &results);
llvm::LogicalResult inferRoundedDiv(mlir::Operation *op, llvm::StringRef roundingMode, ResultTypes &results);
llvm::LogicalResult inferPower(mlir::Operation *op, double exponent, ResultTypes &results);
llvm::LogicalResult inferWhere(mlir::Operation *op, ResultTypes &results);
llvm::LogicalResult inferMaskedFill(mlir::Operation *op, ResultTypes &results);
/// Operand 0's shape, of ELEMENT.
llvm::LogicalResult inferCast(mlir::Operation *op, mlir::Type element, ResultTypes &results);

// Tensors out of nothing.
llvm::LogicalResult inferConstant(mlir::Operation *op, mlir::Type value, ResultTypes &results);
llvm::LogicalResult inferFull(mlir::Operation *op, llvm::ArrayRef<int64_t> size, mlir::Type element,
                              ResultTypes &results);
llvm::LogicalResult inferArange(mlir::Operation *op, double start, double end, double step, mlir::Type element,
                                ResultTypes &results);

// Positions that are read at run time.
llvm::LogicalResult inferEmbedding(mlir::Operation *op, ResultTypes &results);
llvm::LogicalResult inferIndexSelect(mlir::Operation *op, int64_t dim, ResultTypes &results);
llvm::LogicalResult inferGather(mlir::Operation *op, int64_t dim, ResultTypes &results);
/// What integer indexing does to a shape.
struct IndexedShape {
  llvm::SmallVector<int64_t> shape; ///< of the elements that are indexed
  int64_t start;                    ///< where in it the indices' common shape begins
  int64_t rank;                     ///< of the indices' common shape
};
/// The shape of SELF indexed along DIMS by tensors of SHAPES; nothing where they do not broadcast. The dims are valid.
std::optional<IndexedShape> indexedShape(llvm::ArrayRef<int64_t> self, llvm::ArrayRef<int64_t> dims,
                                         llvm::ArrayRef<llvm::ArrayRef<int64_t>> shapes);
llvm::LogicalResult inferIndex(mlir::Operation *op, llvm::ArrayRef<int64_t> dims, ResultTypes &results);
llvm::LogicalResult inferIndexPut(mlir::Operation *op, llvm::ArrayRef<int64_t> dims, ResultTypes &results);
/// With operand 2, if there is one, as source.
llvm::LogicalResult inferScatter(mlir::Operation *op, int64_t dim, ResultTypes &results);
llvm::LogicalResult inferScatterReduce(mlir::Operation *op, int64_t dim, llvm::StringRef reduce, ResultTypes &results);
llvm::LogicalResult inferSliceScatter(mlir::Operation *op, int64_t dim, std::optional<int64_t> start,
                                      std::optional<int64_t> end, int64_t step, ResultTypes &results);
/// The first K elements in order and their positions; all of them without K.
llvm::LogicalResult inferTopk(mlir::Operation *op, std::optional<int64_t> k, int64_t dim, ResultTypes &results);
llvm::LogicalResult inferGroupedMm(mlir::Operation *op, ResultTypes &results);

// Reductions. Empty DIMS: all.
llvm::LogicalResult inferReduction(mlir::Operation *op, llvm::ArrayRef<int64_t> dims, bool keepdim,
                                   ResultTypes &results);
/// A sum or product of integers or bools is an i64.
llvm::LogicalResult inferSum(mlir::Operation *op, llvm::ArrayRef<int64_t> dims, bool keepdim, ResultTypes &results);
llvm::LogicalResult inferTruth(mlir::Operation *op, llvm::ArrayRef<int64_t> dims, bool keepdim, ResultTypes &results);
llvm::LogicalResult inferRoll(mlir::Operation *op, llvm::ArrayRef<int64_t> shifts, llvm::ArrayRef<int64_t> dims,
                              ResultTypes &results);
llvm::LogicalResult inferFlip(mlir::Operation *op, llvm::ArrayRef<int64_t> dims, ResultTypes &results);
/// A scan keeps the shape; integers and bools add up in i64.
llvm::LogicalResult inferScan(mlir::Operation *op, int64_t dim, ResultTypes &results);
llvm::LogicalResult inferExtremumDim(mlir::Operation *op, int64_t dim, bool keepdim, ResultTypes &results);
llvm::LogicalResult inferArgExtremum(mlir::Operation *op, std::optional<int64_t> dim, bool keepdim,
                                     ResultTypes &results);

// Contractions.
llvm::LogicalResult inferBmm(mlir::Operation *op, int64_t rank, ResultTypes &results);
llvm::LogicalResult inferMatmul(mlir::Operation *op, ResultTypes &results);
llvm::LogicalResult inferLinear(mlir::Operation *op, ResultTypes &results);
llvm::LogicalResult inferConvolution(mlir::Operation *op, ConvolutionParameters parameters, ResultTypes &results);
llvm::LogicalResult inferConvTranspose(mlir::Operation *op, ConvolutionParameters parameters,
                                       llvm::ArrayRef<int64_t> outputPadding, ResultTypes &results);
llvm::LogicalResult inferAttention(mlir::Operation *op, double dropout, bool causal, ResultTypes &results);

// Windows over the last SPATIAL dimensions.
llvm::LogicalResult inferPool(mlir::Operation *op, PoolParameters parameters, int64_t spatial, ResultTypes &results);
llvm::LogicalResult inferAdaptivePool(mlir::Operation *op, llvm::ArrayRef<int64_t> outputSize, int64_t spatial,
                                      ResultTypes &results);

// Normalisations.
llvm::LogicalResult inferSoftmax(mlir::Operation *op, int64_t dim, ResultTypes &results);
/// Operand 0 and vectors with one element per channel; tags NAME_c1 and NAME_c2.
llvm::LogicalResult inferChannelNorm(mlir::Operation *op, llvm::StringRef name, int64_t minRank, ResultTypes &results);
llvm::LogicalResult inferGroupNorm(mlir::Operation *op, int64_t groups, ResultTypes &results);
llvm::LogicalResult inferInstanceNorm(mlir::Operation *op, bool hasStatistics, ResultTypes &results);
llvm::LogicalResult inferLayerNorm(mlir::Operation *op, llvm::ArrayRef<int64_t> normalizedShape, ResultTypes &results);

// Views.
llvm::LogicalResult inferView(mlir::Operation *op, llvm::ArrayRef<int64_t> size, ResultTypes &results);
llvm::LogicalResult inferExpand(mlir::Operation *op, llvm::ArrayRef<int64_t> size, ResultTypes &results);
llvm::LogicalResult inferFlatten(mlir::Operation *op, int64_t startDim, int64_t endDim, ResultTypes &results);
llvm::LogicalResult inferReversed(mlir::Operation *op, ResultTypes &results);
llvm::LogicalResult inferPermute(mlir::Operation *op, llvm::ArrayRef<int64_t> dims, ResultTypes &results);
llvm::LogicalResult inferTranspose(mlir::Operation *op, int64_t dim0, int64_t dim1, ResultTypes &results);
llvm::LogicalResult inferUnsqueeze(mlir::Operation *op, int64_t dim, ResultTypes &results);
llvm::LogicalResult inferSqueeze(mlir::Operation *op, int64_t dim, ResultTypes &results);
llvm::LogicalResult inferSelect(mlir::Operation *op, int64_t dim, int64_t index, ResultTypes &results);
llvm::LogicalResult inferSlice(mlir::Operation *op, int64_t dim, std::optional<int64_t> start,
                               std::optional<int64_t> end, int64_t step, ResultTypes &results);
llvm::LogicalResult inferNarrow(mlir::Operation *op, int64_t dim, int64_t start, int64_t length, ResultTypes &results);
llvm::LogicalResult inferCat(mlir::Operation *op, int64_t dim, ResultTypes &results);
llvm::LogicalResult inferRepeat(mlir::Operation *op, llvm::ArrayRef<int64_t> repeats, ResultTypes &results);
llvm::LogicalResult inferConstantPad(mlir::Operation *op, llvm::ArrayRef<int64_t> pad, ResultTypes &results);
llvm::LogicalResult inferUnfold(mlir::Operation *op, int64_t dim, int64_t size, int64_t step, ResultTypes &results);
llvm::LogicalResult inferDiagonal(mlir::Operation *op, int64_t offset, int64_t dim1, int64_t dim2,
                                  ResultTypes &results);
llvm::LogicalResult inferAsStrided(mlir::Operation *op, llvm::ArrayRef<int64_t> size, llvm::ArrayRef<int64_t> stride,
                                   int64_t offset, ResultTypes &results);
llvm::LogicalResult inferTriangle(mlir::Operation *op, ResultTypes &results);

} // namespace kgen::aten
