//===- SplitAttention.cpp - Attention of deep heads as products -----------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attention kernels keep what they have of a query's answer in registers, which end at some depth, and their values are
// as deep as their keys. Other heads have so many products for each score that the scores' way through memory costs
// less than products without tensor cores.
//
//===----------------------------------------------------------------------===//

#include "AlgebraBuilder.h"
#include "kgen/Dialect/Aten/Algebra.h"

#include <cmath>

using namespace mlir;

namespace kgen::aten {
namespace {

/// The answer of OP by two products and a softmax. Scores of 16-bit operands are f32, as in an attention kernel: the
/// product that they leave is not rounded before. A mask may hide a whole row, which a softmax makes NaN.
struct SplitAttention : OpRewritePattern<ScaledDotProductAttentionOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ScaledDotProductAttentionOp op, PatternRewriter &rewriter) const override {
    ArrayRef<int64_t> queries = shapeOf(op.getQuery()), values = shapeOf(op.getValue());
    const int64_t rank = queries.size(), depth = queries.back();
    if (isMarked(op) || op.getAttnMask() || op.getIsCausal() || double(op.getDropoutP()) != 0 ||
        (depth == values.back() && depth <= deepestHead(typeOf(op.getQuery()).getElementType())))
      return failure();
    AlgebraBuilder build(rewriter, op.getLoc());
    const int64_t batch = productOf(queries.drop_back(2));
    auto matrices = [&](Value value) {
      ArrayRef<int64_t> shape = shapeOf(value);
      return build.reshape(value, {batch, shape[rank - 2], shape[rank - 1]});
    };
    auto multiply = [&](Value a, Value b) -> Value {
      auto type = RankedTensorType::get({batch, shapeOf(a)[1], shapeOf(b)[2]}, typeOf(a).getElementType());
      return BmmOp::create(rewriter, op.getLoc(), type, a, b);
    };
    const double factor = op.getScale() ? op.getScaleAttr().getValueAsDouble() : 1 / std::sqrt(double(depth));
    Value scores = multiply(matrices(op.getQuery()), build.permute(matrices(op.getKey()), {0, 2, 1}));
    scores = build.scale(build.widen(scores), factor);
    Value weights = SoftmaxIntOp::create(rewriter, op.getLoc(), scores.getType(), scores, int64_t(2));
    Value answer = multiply(build.cast(weights, typeOf(op.getValue()).getElementType()), matrices(op.getValue()));
    rewriter.replaceOp(op, build.reshape(answer, shapeOf(op.getResult())));
    return success();
  }
};

} // namespace

int64_t deepestHead(Type element) { return element.getIntOrFloatBitWidth() < 32 ? 256 : 128; }

void populateSplitAttention(RewritePatternSet &patterns) { patterns.add<SplitAttention>(patterns.getContext()); }

} // namespace kgen::aten
