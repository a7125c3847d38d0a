//===- GenericLowering.cpp - One kernel for each structured op ------------===//

#include "kgen/Conversion/KGenToCuda/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace kgen {
#define GEN_PASS_DEF_LOWERGENERIC
#include "kgen/Conversion/KGenToCuda/Passes.h.inc"

namespace {

struct LowerGeneric : impl::LowerGenericBase<LowerGeneric> {
  void runOnOperation() override {}
};

} // namespace
} // namespace kgen
