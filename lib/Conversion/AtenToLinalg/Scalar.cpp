//===- Scalar.cpp - Formulas in the bodies of linalg ops -----------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Scalar.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace kgen::conversion {

Scalar Scalar::constant(double constant) const {
  TypedAttr attr = isFloat() ? TypedAttr(builder->getFloatAttr(type(), constant))
                             : TypedAttr(builder->getIntegerAttr(type(), static_cast<int64_t>(constant)));
  return {*builder, arith::ConstantOp::create(*builder, attr)};
}

Scalar Scalar::to(Type to) const {
  if (type() == to)
    return *this;
  ImplicitLocOpBuilder &b = *builder;
  if (isa<IndexType>(type()))
    return Scalar(b, arith::IndexCastOp::create(b, b.getI64Type(), value)).to(to);
  unsigned from = type().getIntOrFloatBitWidth(), wanted = to.getIntOrFloatBitWidth();
  bool isBool = type().isInteger(1);
  Value result;
  if (isFloat() && isa<FloatType>(to)) {
    // f16 and bf16 have the same width and no direct cast.
    if (from == wanted)
      return this->to(b.getF32Type()).to(to);
    result = from < wanted ? Value(arith::ExtFOp::create(b, to, value)) : Value(arith::TruncFOp::create(b, to, value));
  } else if (isFloat()) {
    result = to.isInteger(1) ? notEqual(*this, 0.0).get() : Value(arith::FPToSIOp::create(b, to, value));
  } else if (isa<FloatType>(to)) {
    result = isBool ? Value(arith::UIToFPOp::create(b, to, value)) : Value(arith::SIToFPOp::create(b, to, value));
  } else if (to.isInteger(1)) {
    result = notEqual(*this, 0.0).get();
  } else if (from < wanted) {
    result = isBool ? Value(arith::ExtUIOp::create(b, to, value)) : Value(arith::ExtSIOp::create(b, to, value));
  } else {
    result = arith::TruncIOp::create(b, to, value);
  }
  return {b, result};
}

/// The float or the integer op of a pair, by the type of X.
template <typename FloatOp, typename IntOp>
static Scalar binary(Scalar x, Scalar y) {
  Value result =
      x.isFloat() ? Value(FloatOp::create(x.b(), x.get(), y.get())) : Value(IntOp::create(x.b(), x.get(), y.get()));
  return {x.b(), result};
}

Scalar operator+(Scalar x, Scalar y) { return binary<arith::AddFOp, arith::AddIOp>(x, y); }
Scalar operator-(Scalar x, Scalar y) { return binary<arith::SubFOp, arith::SubIOp>(x, y); }
Scalar operator*(Scalar x, Scalar y) { return binary<arith::MulFOp, arith::MulIOp>(x, y); }
Scalar operator/(Scalar x, Scalar y) { return binary<arith::DivFOp, arith::DivSIOp>(x, y); }
Scalar max(Scalar x, Scalar y) { return binary<arith::MaximumFOp, arith::MaxSIOp>(x, y); }
Scalar min(Scalar x, Scalar y) { return binary<arith::MinimumFOp, arith::MinSIOp>(x, y); }
Scalar operator-(Scalar x) {
  return x.isFloat() ? Scalar(x.b(), arith::NegFOp::create(x.b(), x.get())) : x.constant(0) - x;
}
Scalar operator&(Scalar x, Scalar y) { return {x.b(), arith::AndIOp::create(x.b(), x.get(), y.get())}; }
Scalar operator|(Scalar x, Scalar y) { return {x.b(), arith::OrIOp::create(x.b(), x.get(), y.get())}; }

Scalar operator^(Scalar x, Scalar y) { return {x.b(), arith::XOrIOp::create(x.b(), x.get(), y.get())}; }
Scalar operator~(Scalar x) { return x.type().isInteger(1) ? equal(x, 0.0) : x ^ x.constant(-1); }

static Scalar compare(arith::CmpFPredicate floats, arith::CmpIPredicate ints, Scalar x, Scalar y) {
  // The one bit of an i1 is no sign.
  using P = arith::CmpIPredicate;
  if (x.type().isInteger(1))
    ints = ints == P::sgt ? P::ugt : ints == P::sge ? P::uge : ints == P::slt ? P::ult : ints == P::sle ? P::ule : ints;
  Value result = x.isFloat() ? Value(arith::CmpFOp::create(x.b(), floats, x.get(), y.get()))
                             : Value(arith::CmpIOp::create(x.b(), ints, x.get(), y.get()));
  return {x.b(), result};
}

Scalar greater(Scalar x, Scalar y) { return compare(arith::CmpFPredicate::OGT, arith::CmpIPredicate::sgt, x, y); }
Scalar less(Scalar x, Scalar y) { return compare(arith::CmpFPredicate::OLT, arith::CmpIPredicate::slt, x, y); }
Scalar greaterEqual(Scalar x, Scalar y) { return compare(arith::CmpFPredicate::OGE, arith::CmpIPredicate::sge, x, y); }
Scalar lessEqual(Scalar x, Scalar y) { return compare(arith::CmpFPredicate::OLE, arith::CmpIPredicate::sle, x, y); }
Scalar equal(Scalar x, Scalar y) { return compare(arith::CmpFPredicate::OEQ, arith::CmpIPredicate::eq, x, y); }
Scalar notEqual(Scalar x, Scalar y) { return compare(arith::CmpFPredicate::UNE, arith::CmpIPredicate::ne, x, y); }
Scalar select(Scalar condition, Scalar x, Scalar y) {
  return {x.b(), arith::SelectOp::create(x.b(), condition.get(), x.get(), y.get())};
}

template <typename Op>
static Scalar unary(Scalar x) {
  return {x.b(), Op::create(x.b(), x.get())};
}

Scalar abs(Scalar x) { return x.isFloat() ? unary<math::AbsFOp>(x) : max(x, -x); }
Scalar acos(Scalar x) { return unary<math::AcosOp>(x); }
Scalar acosh(Scalar x) { return unary<math::AcoshOp>(x); }
Scalar asin(Scalar x) { return unary<math::AsinOp>(x); }
Scalar asinh(Scalar x) { return unary<math::AsinhOp>(x); }
Scalar atan(Scalar x) { return unary<math::AtanOp>(x); }
Scalar atanh(Scalar x) { return unary<math::AtanhOp>(x); }
Scalar ceil(Scalar x) { return unary<math::CeilOp>(x); }
Scalar cos(Scalar x) { return unary<math::CosOp>(x); }
Scalar cosh(Scalar x) { return unary<math::CoshOp>(x); }
Scalar erf(Scalar x) { return unary<math::ErfOp>(x); }
Scalar erfc(Scalar x) { return unary<math::ErfcOp>(x); }
Scalar exp(Scalar x) { return unary<math::ExpOp>(x); }
Scalar exp2(Scalar x) { return unary<math::Exp2Op>(x); }
Scalar expm1(Scalar x) { return unary<math::ExpM1Op>(x); }
Scalar floor(Scalar x) { return unary<math::FloorOp>(x); }
Scalar log(Scalar x) { return unary<math::LogOp>(x); }
Scalar log10(Scalar x) { return unary<math::Log10Op>(x); }
Scalar log1p(Scalar x) { return unary<math::Log1pOp>(x); }
Scalar log2(Scalar x) { return unary<math::Log2Op>(x); }
Scalar round(Scalar x) { return unary<math::RoundEvenOp>(x); }
Scalar rsqrt(Scalar x) { return unary<math::RsqrtOp>(x); }
Scalar sin(Scalar x) { return unary<math::SinOp>(x); }
Scalar sinh(Scalar x) { return unary<math::SinhOp>(x); }
Scalar sqrt(Scalar x) { return unary<math::SqrtOp>(x); }
Scalar tan(Scalar x) { return unary<math::TanOp>(x); }
Scalar tanh(Scalar x) { return unary<math::TanhOp>(x); }
Scalar trunc(Scalar x) { return unary<math::TruncOp>(x); }

Scalar atan2(Scalar y, Scalar x) { return {x.b(), math::Atan2Op::create(x.b(), y.get(), x.get())}; }
Scalar floorDiv(Scalar x, Scalar y) {
  if (x.isFloat())
    return floor(x / y);
  return {x.b(), arith::FloorDivSIOp::create(x.b(), x.get(), y.get())};
}
Scalar fmod(Scalar x, Scalar y) { return binary<arith::RemFOp, arith::RemSIOp>(x, y); }
Scalar pow(Scalar x, Scalar y) { return {x.b(), math::PowFOp::create(x.b(), x.get(), y.get())}; }

} // namespace kgen::conversion
