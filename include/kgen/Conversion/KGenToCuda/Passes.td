//===- Passes.td - From dispatches to CUDA-C text -------------------------===//

#ifndef KGEN_CONVERSION_KGENTOCUDA_PASSES_TD
#define KGEN_CONVERSION_KGENTOCUDA_PASSES_TD

include "mlir/Pass/PassBase.td"

def LowerGeneric : Pass<"kgen-lower-generic", "mlir::ModuleOp"> {
  let summary = "give every linalg op that no family has taken a kernel of its own";
  let dependentDialects = [
    "mlir::affine::AffineDialect", "mlir::arith::ArithDialect", "mlir::linalg::LinalgDialect",
    "mlir::math::MathDialect", "mlir::tensor::TensorDialect"
  ];
}

#endif // KGEN_CONVERSION_KGENTOCUDA_PASSES_TD
