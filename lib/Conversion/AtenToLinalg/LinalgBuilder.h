//===- LinalgBuilder.h - Linalg ops from formulas and index maps ---------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "Scalar.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace kgen::conversion {

/// A tensor and which element of it an iteration of the op reads.
struct Operand {
  mlir::Value tensor;
  mlir::AffineMap map;
};

/// The type that arithmetic on ELEMENT is done in: f32 for f16 and bf16, else itself.
mlir::Type computeType(mlir::Type element);

/// Builds destination-style linalg on tensors of static shape. Bodies see floats of the compute
/// type and integers as stored; what they return is converted to the stored type.
class LinalgBuilder {
public:
  using Formula = llvm::function_ref<Scalar(llvm::ArrayRef<Scalar> inputs)>;
  using FoldFormula = llvm::function_ref<Scalar(llvm::ArrayRef<Scalar> inputs, Scalar sum)>;

  LinalgBuilder(mlir::OpBuilder &builder, mlir::Location loc) : b(loc, builder) {}

  /// The builder for ops that have no helper here.
  mlir::ImplicitLocOpBuilder b;

  static llvm::ArrayRef<int64_t> shape(mlir::Value tensor);
  static mlir::Type element(mlir::Value tensor);
  static int64_t rank(mlir::Value tensor) { return shape(tensor).size(); }

  /// Affine maps over an iteration space of DIMS loops.
  mlir::AffineExpr dim(unsigned i) { return b.getAffineDimExpr(i); }
  mlir::AffineExpr zero() { return b.getAffineConstantExpr(0); }
  mlir::AffineMap mapTo(unsigned dims, llvm::ArrayRef<mlir::AffineExpr> results);
  /// Reads along the loops LOOPS, one for each dimension of a tensor, out of DIMS.
  mlir::AffineMap along(unsigned dims, llvm::ArrayRef<int64_t> loops);
  mlir::AffineMap identity(unsigned dims) { return b.getMultiDimIdentityMap(dims); }
  /// Reads TENSOR broadcast to SHAPE by ATen's rule: aligned at the last dimension, extent 1 repeats.
  Operand broadcast(mlir::Value tensor, llvm::ArrayRef<int64_t> shape);

  mlir::Value empty(llvm::ArrayRef<int64_t> shape, mlir::Type element);
  /// A tensor full of VALUE; infinities become the extreme of an integer type.
  mlir::Value filled(llvm::ArrayRef<int64_t> shape, mlir::Type element, double value);

  /// One result element for each iteration over SHAPE.
  mlir::Value map(llvm::ArrayRef<Operand> inputs, llvm::ArrayRef<int64_t> shape, mlir::Type element, Formula formula);
  /// INPUT converted to ELEMENT, or itself.
  mlir::Value convert(mlir::Value input, mlir::Type element);

  /// Folds the loops that RESULT does not read. RESULT maps the iteration space to the result of
  /// SHAPE, whose elements start at INIT and are of type ELEMENT throughout.
  mlir::Value fold(llvm::ArrayRef<Operand> inputs, mlir::AffineMap result, llvm::ArrayRef<int64_t> shape,
                   mlir::Type element, double init, FoldFormula formula);
  /// Sums the products of X and Y over the loops that RESULT does not read.
  mlir::Value contract(Operand x, Operand y, mlir::AffineMap result, llvm::ArrayRef<int64_t> shape, mlir::Type element);

  /// The index of loop DIM in the body of the op being built, as i64.
  Scalar index(Scalar like, unsigned dim);

  /// The element of TENSOR at INDICES, integers of the body of the op being built: in the compute type, as an
  /// operand's.
  Scalar extract(mlir::Value tensor, llvm::ArrayRef<Scalar> indices);

  /// Like `fold`, but the results start as the tensors INITS and stay of their types; FORMULA gets and gives one value
  /// for each, as stored. RESULTS maps the iteration space to each.
  using FoldsFormula =
      llvm::function_ref<llvm::SmallVector<Scalar>(llvm::ArrayRef<Scalar> inputs, llvm::ArrayRef<Scalar> sums)>;
  llvm::SmallVector<mlir::Value> foldInto(llvm::ArrayRef<Operand> inputs, llvm::ArrayRef<Operand> inits,
                                          FoldsFormula formula);

  /// The same elements in row-major order.
  mlir::Value reshape(mlir::Value tensor, llvm::ArrayRef<int64_t> shape);
  /// SIZES positions of each dimension from STARTS on, one every STEPS (1 where they are not given).
  mlir::Value slice(mlir::Value tensor, llvm::ArrayRef<int64_t> starts, llvm::ArrayRef<int64_t> sizes,
                    llvm::ArrayRef<int64_t> steps = {});
  /// INTO with TENSOR at those positions.
  mlir::Value insert(mlir::Value tensor, mlir::Value into, llvm::ArrayRef<int64_t> starts,
                     llvm::ArrayRef<int64_t> steps = {});
  /// VALUE around the last dimensions: LOW and HIGH elements before and after, one pair each.
  mlir::Value pad(mlir::Value tensor, llvm::ArrayRef<int64_t> low, llvm::ArrayRef<int64_t> high, double value);
  /// Tensors of these types when none of them has an element, which is all that an op with such results means; else
  /// none.
  llvm::SmallVector<mlir::Value> nothing(mlir::TypeRange types);

private:
  mlir::TypedAttr constantAttr(mlir::Type element, double value);
};

/// DIM of a tensor of RANK, counted from the front.
inline int64_t wrapDim(int64_t dim, int64_t rank) { return dim < 0 ? dim + rank : dim; }

/// A rewrite of one op by a function from the op to its results' replacements.
template <typename OpT>
struct Lowering : public mlir::OpRewritePattern<OpT> {
  using Function = llvm::SmallVector<mlir::Value> (*)(OpT, LinalgBuilder &);
  Lowering(mlir::MLIRContext *context, Function function) : mlir::OpRewritePattern<OpT>(context), function(function) {}

  llvm::LogicalResult matchAndRewrite(OpT op, mlir::PatternRewriter &rewriter) const override {
    // The name lets kernels say which op they compute.
    LinalgBuilder builder(rewriter, mlir::NameLoc::get(op->getName().getIdentifier(), op.getLoc()));
    auto replacements = builder.nothing(op->getResultTypes());
    rewriter.replaceOp(op, replacements.empty() ? function(op, builder) : replacements);
    return mlir::success();
  }

private:
  Function function;
};

template <typename OpT>
void addLowering(mlir::RewritePatternSet &patterns, llvm::SmallVector<mlir::Value> (*function)(OpT, LinalgBuilder &)) {
  patterns.add<Lowering<OpT>>(patterns.getContext(), function);
}

/// One for each file of this folder.
void populateAttentionPatterns(mlir::RewritePatternSet &patterns);
void populateContractionPatterns(mlir::RewritePatternSet &patterns);
void populateCreationPatterns(mlir::RewritePatternSet &patterns);
void populateIndexPatterns(mlir::RewritePatternSet &patterns);
void populateNormalizationPatterns(mlir::RewritePatternSet &patterns);
void populatePointwisePatterns(mlir::RewritePatternSet &patterns);
void populateReductionPatterns(mlir::RewritePatternSet &patterns);
void populateScanPatterns(mlir::RewritePatternSet &patterns);
void populateShapePatterns(mlir::RewritePatternSet &patterns);
void populateWindowPatterns(mlir::RewritePatternSet &patterns);

} // namespace kgen::conversion
