//===- Attention.cpp - Scaled dot-product attention -----------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Rows.h"
#include "kgen/Dialect/Aten/Aten.h"

#include <cmath>

using namespace mlir;

namespace kgen::conversion {
namespace {

/// softmax(query key^T scale + mask) value. Scores and weights are of the compute type.
SmallVector<Value> lowerAttention(aten::ScaledDotProductAttentionOp op, LinalgBuilder &b) {
  Value query = op.getQuery(), key = op.getKey(), value = op.getValue(), mask = op.getAttnMask();
  Type element = b.element(query), type = computeType(element);
  unsigned rank = b.rank(query), batch = rank - 2, row = batch, column = batch + 1, inner = batch + 2;
  int64_t headSize = b.shape(query).back();
  // Scores over no depth are 0, whatever their scale.
  double scale = op.getScale() ? *op.getScale() : 1 / std::sqrt(static_cast<double>(std::max<int64_t>(headSize, 1)));
  auto matrix = [&](int64_t i, int64_t j) {
    SmallVector<int64_t> loops = llvm::to_vector(llvm::seq<int64_t>(0, batch));
    loops.append({i, j});
    return b.along(rank + 1, loops);
  };

  // Loops (batch, row, column, inner): scores over the head size, later the result over the keys.
  SmallVector<int64_t> shape(b.shape(query).drop_back());
  shape.push_back(b.shape(key)[batch]);
  Value scores =
      b.contract({query, matrix(row, inner)}, {key, matrix(column, inner)}, matrix(row, column), shape, type);

  SmallVector<Operand> inputs = {{scores, b.identity(rank)}};
  if (mask)
    inputs.push_back(b.broadcast(mask, shape));
  Value masked = b.map(inputs, shape, type, [&](ArrayRef<Scalar> x) {
    Scalar score = x[0] * scale;
    if (op.getIsCausal()) {
      Scalar hidden = greater(b.index(score, column), b.index(score, row));
      return select(hidden, score.constant(-INFINITY), score);
    }
    if (!mask)
      return score;
    return x[1].isFloat() ? score + x[1].to(type) : select(x[1], score, score.constant(-INFINITY));
  });

  // The division comes last, on the smaller tensor. A row that sees no key gets zeros, as ATen's safe softmax gives:
  // its shift is 0 and so are all its exponentials.
  Rows rows(b, masked, Rows::dims({-1}, rank));
  Value exponentials =
      b.map({rows.self(), rows.read(rows.shift())}, shape, type, [](ArrayRef<Scalar> x) { return exp(x[0] - x[1]); });
  Rows weights(b, exponentials, Rows::dims({-1}, rank));
  Value sum = weights.sum({weights.self()}, [](ArrayRef<Scalar> x) { return x[0]; });
  ArrayRef<int64_t> resultShape = b.shape(op.getResult());
  Value product = b.contract({exponentials, matrix(row, inner)}, {value, matrix(inner, column)}, matrix(row, column),
                             resultShape, type);
  return {b.map({{product, b.identity(rank)}, rows.read(sum)}, resultShape, element,
                [](ArrayRef<Scalar> x) { return x[0] / select(equal(x[1], 0.0), x[1].constant(1), x[1]); })};
}

} // namespace

void populateAttentionPatterns(RewritePatternSet &patterns) {
  addLowering<aten::ScaledDotProductAttentionOp>(patterns, lowerAttention);
}

} // namespace kgen::conversion
