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

#include <cmath>

using namespace mlir;

namespace kgen::conversion {
namespace {

using Elements = ArrayRef<Scalar>;

//===----------------------------------------------------------------------===//
// One operand
//===----------------------------------------------------------------------===//

Scalar formula(aten::AbsOp, Elements x) { return abs(x[0]); }
Scalar formula(aten::AcosOp, Elements x) { return acos(x[0]); }
Scalar formula(aten::AcoshOp, Elements x) { return acosh(x[0]); }
Scalar formula(aten::AsinOp, Elements x) { return asin(x[0]); }
Scalar formula(aten::AsinhOp, Elements x) { return asinh(x[0]); }
Scalar formula(aten::AtanOp, Elements x) { return atan(x[0]); }
Scalar formula(aten::AtanhOp, Elements x) { return atanh(x[0]); }
Scalar formula(aten::BitwiseNotOp, Elements x) { return ~x[0]; }
Scalar formula(aten::CeilOp, Elements x) { return ceil(x[0]); }
Scalar formula(aten::CosOp, Elements x) { return cos(x[0]); }
Scalar formula(aten::CoshOp, Elements x) { return cosh(x[0]); }
Scalar formula(aten::ErfOp, Elements x) { return erf(x[0]); }
Scalar formula(aten::ErfcOp, Elements x) { return erfc(x[0]); }
/// ATen's: a rational approximation, then two steps of Newton's method on erf.
Scalar formula(aten::ErfinvOp, Elements x) {
  Scalar y = x[0], distance = abs(y), z = y * y;
  Scalar inner = y * (((-0.140543331 * z + 0.914624893) * z - 1.645349621) * z + 0.886226899) /
                 ((((0.012229801 * z - 0.329097515) * z + 1.442710462) * z - 2.118377725) * z + 1);
  Scalar far = sqrt(-log((1.0 - distance) / 2));
  Scalar outer = (((1.641345311 * far + 3.429567803) * far - 1.624906493) * far - 1.970840454) /
                 ((1.637067800 * far + 3.543889200) * far + 1);
  Scalar result = select(greater(distance, 0.7), select(less(y, 0), -outer, outer), inner);
  constexpr double twoOverSqrtPi = 1.1283791670955125738961589031215;
  for (int step = 0; step < 2; ++step)
    result = result - (erf(result) - y) / (twoOverSqrtPi * exp(-(result * result)));
  Scalar infinite = select(less(y, 0), y.constant(-INFINITY), y.constant(INFINITY));
  return select(equal(distance, 1), infinite, result);
}
Scalar formula(aten::ExpOp, Elements x) { return exp(x[0]); }
Scalar formula(aten::Exp2Op, Elements x) { return exp2(x[0]); }
Scalar formula(aten::Expm1Op, Elements x) { return expm1(x[0]); }
Scalar formula(aten::FloorOp, Elements x) { return floor(x[0]); }
Scalar formula(aten::HardsigmoidOp, Elements x) { return min(max(x[0] + 3, 0), 6) / 6; }
Scalar formula(aten::HardswishOp, Elements x) { return x[0] * min(max(x[0] + 3, 0), 6) / 6; }
Scalar formula(aten::IsinfOp, Elements x) { return equal(abs(x[0]), INFINITY); }
Scalar formula(aten::IsnanOp, Elements x) { return notEqual(x[0], x[0]); }
Scalar formula(aten::LogOp, Elements x) { return log(x[0]); }
Scalar formula(aten::Log10Op, Elements x) { return log10(x[0]); }
Scalar formula(aten::Log1pOp, Elements x) { return log1p(x[0]); }
Scalar formula(aten::Log2Op, Elements x) { return log2(x[0]); }
Scalar formula(aten::LogicalNotOp, Elements x) { return equal(x[0], 0); }
Scalar formula(aten::MishOp, Elements x) { return x[0] * tanh(log1p(exp(x[0]))); }
Scalar formula(aten::NegOp, Elements x) { return -x[0]; }
Scalar formula(aten::ReciprocalOp, Elements x) { return 1.0 / x[0]; }
Scalar formula(aten::ReluOp, Elements x) { return max(x[0], 0); }
Scalar formula(aten::RoundOp, Elements x) { return round(x[0]); }
Scalar formula(aten::RsqrtOp, Elements x) { return rsqrt(x[0]); }
Scalar formula(aten::SeluOp, Elements x) {
  constexpr double alpha = 1.6732632423543772848170429916717, scale = 1.0507009873554804934193349852946;
  return select(greater(x[0], 0), x[0] * scale, expm1(x[0]) * (alpha * scale));
}
Scalar formula(aten::SigmoidOp, Elements x) { return 1.0 / (1.0 + exp(-x[0])); }
Scalar formula(aten::SignOp, Elements x) {
  return select(greater(x[0], 0), x[0].constant(1), select(less(x[0], 0), x[0].constant(-1), x[0].constant(0)));
}
Scalar formula(aten::SiluOp, Elements x) { return x[0] / (1.0 + exp(-x[0])); }
Scalar formula(aten::SinOp, Elements x) { return sin(x[0]); }
Scalar formula(aten::SinhOp, Elements x) { return sinh(x[0]); }
Scalar formula(aten::SqrtOp, Elements x) { return sqrt(x[0]); }
Scalar formula(aten::SquareOp, Elements x) { return x[0] * x[0]; }
Scalar formula(aten::TanOp, Elements x) { return tan(x[0]); }
Scalar formula(aten::TanhOp, Elements x) { return tanh(x[0]); }
Scalar formula(aten::ToCopyOp, Elements x) { return x[0]; } // the store converts
Scalar formula(aten::TruncOp, Elements x) { return trunc(x[0]); }

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
/// The remainder with the sign of Y.
Scalar remainder(Scalar x, Scalar y) {
  Scalar rest = fmod(x, y);
  return select(notEqual(rest, 0) & (less(rest, 0) ^ less(y, 0)), rest + y, rest);
}
Scalar formula(aten::FmodScalarOp op, Elements x) { return fmod(x[0], x[0].constant(op.getOther())); }
Scalar formula(aten::RemainderScalarOp op, Elements x) { return remainder(x[0], x[0].constant(op.getOther())); }
Scalar formula(aten::PowScalarOp op, Elements x) { return pow(x[0].constant(op.getSelf()), x[0]); }
Scalar formula(aten::PowTensorScalarOp op, Elements x) {
  double exponent = op.getExponent();
  if (!x[0].isFloat()) {
    Scalar result = x[0].constant(1), square = x[0];
    for (int64_t left = exponent; left > 0; left /= 2, square = square * square)
      if (left % 2)
        result = result * square;
    return result;
  }
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
Scalar formula(aten::Atan2Op, Elements x) { return atan2(x[0], x[1]); }
Scalar formula(aten::FmodTensorOp, Elements x) { return fmod(x[0], x[1]); }
Scalar formula(aten::PowTensorTensorOp, Elements x) { return pow(x[0], x[1]); }
Scalar formula(aten::RemainderTensorOp, Elements x) { return remainder(x[0], x[1]); }
Scalar formula(aten::DivTensorModeOp op, Elements x) {
  if (op.getRoundingMode() == "trunc")
    return x[0].isFloat() ? trunc(x[0] / x[1]) : x[0] / x[1];
  if (!x[0].isFloat())
    return floorDiv(x[0], x[1]);
  // x / y may round up to a whole number that it does not reach: the remainder says so.
  Scalar quotient = (x[0] - remainder(x[0], x[1])) / x[1];
  return select(equal(x[1], 0), x[0] / x[1], round(quotient));
}

//===----------------------------------------------------------------------===//
// Comparisons, logic, choices
//===----------------------------------------------------------------------===//

Scalar isTrue(Scalar x) { return notEqual(x, 0); }

Scalar formula(aten::EqScalarOp op, Elements x) { return equal(x[0], op.getOther()); }
Scalar formula(aten::EqTensorOp, Elements x) { return equal(x[0], x[1]); }
Scalar formula(aten::GeScalarOp op, Elements x) { return greaterEqual(x[0], x[0].constant(op.getOther())); }
Scalar formula(aten::GeTensorOp, Elements x) { return greaterEqual(x[0], x[1]); }
Scalar formula(aten::GtScalarOp op, Elements x) { return greater(x[0], op.getOther()); }
Scalar formula(aten::GtTensorOp, Elements x) { return greater(x[0], x[1]); }
Scalar formula(aten::LeScalarOp op, Elements x) { return lessEqual(x[0], x[0].constant(op.getOther())); }
Scalar formula(aten::LeTensorOp, Elements x) { return lessEqual(x[0], x[1]); }
Scalar formula(aten::LtScalarOp op, Elements x) { return less(x[0], op.getOther()); }
Scalar formula(aten::LtTensorOp, Elements x) { return less(x[0], x[1]); }
Scalar formula(aten::NeScalarOp op, Elements x) { return notEqual(x[0], op.getOther()); }
Scalar formula(aten::NeTensorOp, Elements x) { return notEqual(x[0], x[1]); }
Scalar formula(aten::LogicalAndOp, Elements x) { return isTrue(x[0]) & isTrue(x[1]); }
Scalar formula(aten::LogicalOrOp, Elements x) { return isTrue(x[0]) | isTrue(x[1]); }
Scalar formula(aten::LogicalXorOp, Elements x) { return isTrue(x[0]) ^ isTrue(x[1]); }
Scalar formula(aten::BitwiseAndScalarOp op, Elements x) { return x[0] & x[0].constant(op.getOther()); }
Scalar formula(aten::BitwiseAndTensorOp, Elements x) { return x[0] & x[1]; }
Scalar formula(aten::BitwiseOrScalarOp op, Elements x) { return x[0] | x[0].constant(op.getOther()); }
Scalar formula(aten::BitwiseOrTensorOp, Elements x) { return x[0] | x[1]; }
Scalar formula(aten::BitwiseXorScalarOp op, Elements x) { return x[0] ^ x[0].constant(op.getOther()); }
Scalar formula(aten::BitwiseXorTensorOp, Elements x) { return x[0] ^ x[1]; }
Scalar formula(aten::WhereSelfOp, Elements x) { return select(x[0], x[1], x[2]); }
Scalar formula(aten::MaskedFillScalarOp op, Elements x) { return select(x[1], x[0].constant(op.getValue()), x[0]); }

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
  // One operand.
  addPointwise<aten::AbsOp, aten::AcosOp, aten::AcoshOp, aten::AsinOp, aten::AsinhOp, aten::AtanOp, aten::AtanhOp,
               aten::BitwiseNotOp, aten::CeilOp, aten::CosOp, aten::CoshOp, aten::ErfOp, aten::ErfcOp, aten::ErfinvOp,
               aten::ExpOp, aten::Exp2Op, aten::Expm1Op, aten::FloorOp, aten::HardsigmoidOp, aten::HardswishOp,
               aten::IsinfOp, aten::IsnanOp, aten::LogOp, aten::Log10Op, aten::Log1pOp, aten::Log2Op,
               aten::LogicalNotOp, aten::MishOp, aten::NegOp, aten::ReciprocalOp, aten::ReluOp, aten::RoundOp,
               aten::RsqrtOp, aten::SeluOp, aten::SigmoidOp, aten::SignOp, aten::SiluOp, aten::SinOp, aten::SinhOp,
               aten::SqrtOp, aten::SquareOp, aten::TanOp, aten::TanhOp, aten::ToCopyOp, aten::TruncOp>(patterns);
  // One operand and constants.
  addPointwise<aten::AddScalarOp, aten::BitwiseAndScalarOp, aten::BitwiseOrScalarOp, aten::BitwiseXorScalarOp,
               aten::ClampOp, aten::DivScalarOp, aten::EluOp, aten::EqScalarOp, aten::FmodScalarOp, aten::GeScalarOp,
               aten::GeluOp, aten::GtScalarOp, aten::HardtanhOp, aten::LeScalarOp, aten::LeakyReluOp, aten::LtScalarOp,
               aten::MulScalarOp, aten::NeScalarOp, aten::PowScalarOp, aten::PowTensorScalarOp, aten::RemainderScalarOp,
               aten::RsubScalarOp, aten::SoftplusOp, aten::SubScalarOp>(patterns);
  // Several operands.
  addPointwise<aten::AddTensorOp, aten::Atan2Op, aten::BitwiseAndTensorOp, aten::BitwiseOrTensorOp,
               aten::BitwiseXorTensorOp, aten::DivTensorModeOp, aten::DivTensorOp, aten::EqTensorOp, aten::FmodTensorOp,
               aten::GeTensorOp, aten::GtTensorOp, aten::LeTensorOp, aten::LogicalAndOp, aten::LogicalOrOp,
               aten::LogicalXorOp, aten::LtTensorOp, aten::MaskedFillScalarOp, aten::MaxOtherOp, aten::MaximumOp,
               aten::MinOtherOp, aten::MinimumOp, aten::MulTensorOp, aten::NeTensorOp, aten::PowTensorTensorOp,
               aten::RemainderTensorOp, aten::SubTensorOp, aten::WhereSelfOp>(patterns);
}

} // namespace kgen::conversion
