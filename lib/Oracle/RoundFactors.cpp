//===- RoundFactors.cpp - kgen-round-factors ------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Oracle/OracleLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace kgen::oracle {
#define GEN_PASS_DEF_ROUNDFACTORSPASS
#include "kgen/Oracle/Passes.h.inc"
} // namespace kgen::oracle

using namespace mlir;

/// VALUE, an f32, rounded to the 10 bits of fraction that tf32 keeps, ties to even.
static Value roundToTF32(OpBuilder &b, Location loc, Value value) {
  auto constant = [&](int64_t bits) { return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(int32_t(bits))); };
  Value bits = arith::BitcastOp::create(b, loc, b.getI32Type(), value);
  Value last = arith::AndIOp::create(b, loc, arith::ShRUIOp::create(b, loc, bits, constant(13)), constant(1));
  Value half = arith::AddIOp::create(b, loc, last, constant(0xfff));
  Value rounded = arith::AndIOp::create(b, loc, arith::AddIOp::create(b, loc, bits, half), constant(~int64_t(0x1fff)));
  // What is not finite stays as it is: all bits of its exponent are set.
  Value exponent = constant(0x7f800000);
  Value finite =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, arith::AndIOp::create(b, loc, bits, exponent), exponent);
  Value chosen = arith::SelectOp::create(b, loc, finite, rounded, bits);
  return arith::BitcastOp::create(b, loc, value.getType(), chosen);
}

/// Whether tf32 has every value that VALUE may take: it was a half.
static bool holdsInTF32(Value value) {
  auto wide = value.getDefiningOp<arith::ExtFOp>();
  return wide && (wide.getIn().getType().isF16() || wide.getIn().getType().isBF16());
}

/// Rounds what OP multiplies before it adds up, where these are two things of f32.
static void roundFactors(linalg::GenericOp op) {
  if (op.getNumReductionLoops() == 0)
    return;
  llvm::DenseSet<Value> sums(op.getRegionOutputArgs().begin(), op.getRegionOutputArgs().end());
  for (auto product : llvm::make_early_inc_range(op.getBody()->getOps<arith::MulFOp>())) {
    Value a = product.getLhs(), c = product.getRhs();
    if (!product.getType().isF32() || a == c || sums.contains(a) || sums.contains(c))
      continue;
    OpBuilder b(product);
    for (OpOperand &operand : product->getOpOperands())
      if (!holdsInTF32(operand.get()))
        operand.set(roundToTF32(b, product.getLoc(), operand.get()));
  }
}

namespace {

struct RoundFactors : public kgen::oracle::impl::RoundFactorsPassBase<RoundFactors> {
  void runOnOperation() override { getOperation().walk(roundFactors); }
};

} // namespace
