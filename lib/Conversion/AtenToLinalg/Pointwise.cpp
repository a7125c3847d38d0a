//===- Pointwise.cpp - Element-wise aten ops ------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `formula` says what each op computes from one element of each operand; the
// formulas are those of ATen's CPU kernels, rounding included.
//
//===----------------------------------------------------------------------===//
#include "LinalgBuilder.h"
#include "kgen/Dialect/Aten/Aten.h"

using namespace mlir;

namespace kgen::conversion {
namespace {

using Elements = ArrayRef<Scalar>;

//===----------------------------------------------------------------------===//
// One operand
//===----------------------------------------------------------------------===//

Scalar formula(aten::AbsOp, Elements x) { return abs(x[0]); }
Scalar formula(aten::ErfOp, Elements x) { return erf(x[0]); }
Scalar formula(aten::ExpOp, Elements x) { return exp(x[0]); }
Scalar formula(aten::HardsigmoidOp, Elements x) { return min(max(x[0] + 3, 0), 6) / 6; }
Scalar formula(aten::HardswishOp, Elements x) { return x[0] * min(max(x[0] + 3, 0), 6) / 6; }
Scalar formula(aten::LogOp, Elements x) { return log(x[0]); }
Scalar formula(aten::MishOp, Elements x) { return x[0] * tanh(log1p(exp(x[0]))); }
Scalar formula(aten::NegOp, Elements x) { return -x[0]; }
Scalar formula(aten::ReciprocalOp, Elements x) { return 1.0 / x[0]; }
Scalar formula(aten::ReluOp, Elements x) { return max(x[0], 0); }
Scalar formula(aten::RsqrtOp, Elements x) { return rsqrt(x[0]); }
Scalar formula(aten::SeluOp, Elements x) {
  constexpr double alpha = 1.6732632423543772848170429916717, scale = 1.0507009873554804934193349852946;
  return select(greater(x[0], 0), x[0] * scale, expm1(x[0]) * (alpha * scale));
}
Scalar formula(aten::SigmoidOp, Elements x) { return 1.0 / (1.0 + exp(-x[0])); }
Scalar formula(aten::SiluOp, Elements x) { return x[0] / (1.0 + exp(-x[0])); }
Scalar formula(aten::SqrtOp, Elements x) { return sqrt(x[0]); }
Scalar formula(aten::SquareOp, Elements x) { return x[0] * x[0]; }
Scalar formula(aten::TanhOp, Elements x) { return tanh(x[0]); }

//===----------------------------------------------------------------------===//
// One operand and constants
//===----------------------------------------------------------------------===//

Scalar formula(aten::ClampOp op, Elements x) {
  Scalar result = x[0];
  if (auto low = op.getMin())
    result = max(result, *low);
  if (auto high = op.getMax())
    result = min(result, *high);
  return result;
}
Scalar formula(aten::EluOp op, Elements x) {
  double scale = op.getScale();
  Scalar negative = expm1(x[0] * op.getInputScale()) * (op.getAlpha() * scale);
  return select(greater(x[0], 0), x[0] * scale, negative);
}
Scalar formula(aten::GeluOp op, Elements x) {
  if (op.getApproximate() == "tanh") {
    constexpr double sqrt2OverPi = 0.79788456080286535587989211986876;
    Scalar cubic = x[0] + 0.044715 * (x[0] * x[0] * x[0]);
    return 0.5 * x[0] * (1.0 + tanh(sqrt2OverPi * cubic));
  }
  constexpr double sqrtHalf = 0.70710678118654752440084436210485;
  return 0.5 * x[0] * (1.0 + erf(x[0] * sqrtHalf));
}
Scalar formula(aten::HardtanhOp op, Elements x) { return min(max(x[0], op.getMinVal()), op.getMaxVal()); }
Scalar formula(aten::LeakyReluOp op, Elements x) {
  return select(greater(x[0], 0), x[0], x[0] * op.getNegativeSlope());
}
Scalar formula(aten::SoftplusOp op, Elements x) {
  double beta = op.getBeta();
  Scalar scaled = x[0] * beta;
  return select(greater(scaled, op.getThreshold()), x[0], log1p(exp(scaled)) / beta);
}

Scalar formula(aten::AddScalarOp op, Elements x) { return x[0] + op.getOther() * op.getAlpha(); }
Scalar formula(aten::SubScalarOp op, Elements x) { return x[0] - op.getOther() * op.getAlpha(); }
Scalar formula(aten::RsubScalarOp op, Elements x) { return x[0].constant(op.getOther()) - x[0] * op.getAlpha(); }
Scalar formula(aten::MulScalarOp op, Elements x) { return x[0] * op.getOther(); }
Scalar formula(aten::DivScalarOp op, Elements x) { return x[0] / op.getOther(); }
Scalar formula(aten::PowTensorScalarOp op, Elements x) {
  double exponent = op.getExponent();
  if (exponent == 0)
    return x[0].constant(1);
  if (exponent == 1)
    return x[0];
  if (exponent == 2)
    return x[0] * x[0];
  if (exponent == 3)
    return x[0] * x[0] * x[0];
  if (exponent == 0.5)
    return sqrt(x[0]);
  if (exponent == -0.5)
    return rsqrt(x[0]);
  if (exponent == -1)
    return 1.0 / x[0];
  return pow(x[0], x[0].constant(exponent));
}

//===----------------------------------------------------------------------===//
// Two operands
//===----------------------------------------------------------------------===//

/// A factor of one is the rule: no multiplication for it.
Scalar scaled(Scalar x, double alpha) { return alpha == 1 ? x : x * alpha; }

Scalar formula(aten::AddTensorOp op, Elements x) { return x[0] + scaled(x[1], op.getAlpha()); }
Scalar formula(aten::SubTensorOp op, Elements x) { return x[0] - scaled(x[1], op.getAlpha()); }
Scalar formula(aten::MulTensorOp, Elements x) { return x[0] * x[1]; }
Scalar formula(aten::DivTensorOp, Elements x) { return x[0] / x[1]; }
Scalar formula(aten::MaximumOp, Elements x) { return max(x[0], x[1]); }
Scalar formula(aten::MaxOtherOp, Elements x) { return max(x[0], x[1]); }
Scalar formula(aten::MinimumOp, Elements x) { return min(x[0], x[1]); }
Scalar formula(aten::MinOtherOp, Elements x) { return min(x[0], x[1]); }

//===----------------------------------------------------------------------===//

/// Broadcasts every operand to the result's shape and applies the op's formula.
template <typename OpT>
SmallVector<Value> lowerPointwise(OpT op, LinalgBuilder &b) {
  ArrayRef<int64_t> shape = b.shape(op.getResult());
  SmallVector<Operand> inputs;
  for (Value operand : op->getOperands())
    inputs.push_back(b.broadcast(operand, shape));
  return {b.map(inputs, shape, b.element(op.getResult()), [&](Elements x) { return formula(op, x); })};
}

template <typename... OpTs>
void addPointwise(RewritePatternSet &patterns) {
  (addLowering<OpTs>(patterns, lowerPointwise<OpTs>), ...);
}

} // namespace

void populatePointwisePatterns(RewritePatternSet &patterns) {
  addPointwise<aten::AbsOp, aten::AddScalarOp, aten::AddTensorOp, aten::ClampOp, aten::DivScalarOp, aten::DivTensorOp,
               aten::EluOp, aten::ErfOp, aten::ExpOp, aten::GeluOp, aten::HardsigmoidOp, aten::HardswishOp,
               aten::HardtanhOp, aten::LeakyReluOp, aten::LogOp, aten::MaxOtherOp, aten::MaximumOp, aten::MinOtherOp,
               aten::MinimumOp, aten::MishOp, aten::MulScalarOp, aten::MulTensorOp, aten::NegOp,
               aten::PowTensorScalarOp, aten::ReciprocalOp, aten::ReluOp, aten::RsqrtOp, aten::RsubScalarOp,
               aten::SeluOp, aten::SigmoidOp, aten::SiluOp, aten::SoftplusOp, aten::SqrtOp, aten::SquareOp,
               aten::SubScalarOp, aten::SubTensorOp, aten::TanhOp>(patterns);
}

} // namespace kgen::conversion
