//===- Scalar.h - Formulas in the bodies of linalg ops -------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A value of a linalg body with arithmetic written as in the formula, so that
// the meaning of an op reads as its definition does.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace kgen::conversion {

/// An SSA value of float, integer or index type. Operands of one operation have
/// the same type; a double stands for a constant of the other operand's type.
class Scalar {
public:
  Scalar(mlir::ImplicitLocOpBuilder &builder, mlir::Value value) : builder(&builder), value(value) {}

  mlir::Value get() const { return value; }
  mlir::Type type() const { return value.getType(); }
  bool isFloat() const { return llvm::isa<mlir::FloatType>(type()); }
  mlir::ImplicitLocOpBuilder &b() const { return *builder; }

  /// CONSTANT in this scalar's type.
  Scalar constant(double constant) const;
  /// This value in type TO: extended, truncated, or turned between integer (signed; i1 is 0 or 1) and float.
  Scalar to(mlir::Type to) const;

private:
  mlir::ImplicitLocOpBuilder *builder;
  mlir::Value value;
};

Scalar operator+(Scalar x, Scalar y);
Scalar operator-(Scalar x, Scalar y);
Scalar operator*(Scalar x, Scalar y);
Scalar operator/(Scalar x, Scalar y);
Scalar operator-(Scalar x);
inline Scalar operator+(Scalar x, double c) { return x + x.constant(c); }
inline Scalar operator-(Scalar x, double c) { return x - x.constant(c); }
inline Scalar operator*(Scalar x, double c) { return x * x.constant(c); }
inline Scalar operator/(Scalar x, double c) { return x / x.constant(c); }
inline Scalar operator-(double c, Scalar x) { return x.constant(c) - x; }
inline Scalar operator+(double c, Scalar x) { return x.constant(c) + x; }
inline Scalar operator*(double c, Scalar x) { return x.constant(c) * x; }
inline Scalar operator/(double c, Scalar x) { return x.constant(c) / x; }

/// Maximum and minimum propagate NaN, as ATen's do.
Scalar max(Scalar x, Scalar y);
Scalar min(Scalar x, Scalar y);
inline Scalar max(Scalar x, double c) { return max(x, x.constant(c)); }
inline Scalar min(Scalar x, double c) { return min(x, x.constant(c)); }

/// Comparisons give i1; those with NaN are false, except notEqual. Of two i1, true is the greater.
Scalar greater(Scalar x, Scalar y);
Scalar less(Scalar x, Scalar y);
Scalar equal(Scalar x, Scalar y);
Scalar notEqual(Scalar x, Scalar y);
/// Not less and not greater; false with NaN.
Scalar greaterEqual(Scalar x, Scalar y);
Scalar lessEqual(Scalar x, Scalar y);
inline Scalar greater(Scalar x, double c) { return greater(x, x.constant(c)); }
inline Scalar less(Scalar x, double c) { return less(x, x.constant(c)); }
inline Scalar equal(Scalar x, double c) { return equal(x, x.constant(c)); }
inline Scalar notEqual(Scalar x, double c) { return notEqual(x, x.constant(c)); }
Scalar operator&(Scalar x, Scalar y);
Scalar operator|(Scalar x, Scalar y);
Scalar operator^(Scalar x, Scalar y);
/// Every bit of X turned round; of an i1, not x.
Scalar operator~(Scalar x);
/// X where CONDITION, an i1, is true, else Y.
Scalar select(Scalar condition, Scalar x, Scalar y);

Scalar abs(Scalar x);
Scalar acos(Scalar x);
Scalar acosh(Scalar x);
Scalar asin(Scalar x);
Scalar asinh(Scalar x);
Scalar atan(Scalar x);
Scalar atan2(Scalar y, Scalar x);
Scalar atanh(Scalar x);
Scalar ceil(Scalar x);
Scalar cos(Scalar x);
Scalar cosh(Scalar x);
Scalar erf(Scalar x);
Scalar erfc(Scalar x);
Scalar exp(Scalar x);
Scalar exp2(Scalar x);
Scalar expm1(Scalar x);
Scalar floor(Scalar x);
/// The quotient rounded down; of integers that of `arith.floordivsi`.
Scalar floorDiv(Scalar x, Scalar y);
/// The remainder with the sign of X, of floats and integers.
Scalar fmod(Scalar x, Scalar y);
Scalar log(Scalar x);
Scalar log10(Scalar x);
Scalar log1p(Scalar x);
Scalar log2(Scalar x);
Scalar pow(Scalar x, Scalar y);
/// The nearest integer, of two the even one.
Scalar round(Scalar x);
Scalar rsqrt(Scalar x);
Scalar sin(Scalar x);
Scalar sinh(Scalar x);
Scalar sqrt(Scalar x);
Scalar tan(Scalar x);
Scalar tanh(Scalar x);
Scalar trunc(Scalar x);

} // namespace kgen::conversion
