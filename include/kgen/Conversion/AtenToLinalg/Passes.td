//===- Passes.td - The meaning of aten ops --------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KGEN_CONVERSION_ATENTOLINALG_PASSES_TD
#define KGEN_CONVERSION_ATENTOLINALG_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertAtenToLinalgPass : Pass<"kgen-convert-aten-to-linalg", "mlir::ModuleOp"> {
  let summary = "lower aten ops to linalg on tensors";
  let description = [{
    The meaning of every op, once, for the CPU oracle and for generic kernels alike.
    Contractions and reductions of f16 and bf16 accumulate in f32 and are truncated
    once at the end; other types accumulate in themselves.

    ```mlir
    %0 = aten.relu %x : (tensor<4xf32>) -> tensor<4xf32>
    // becomes
    %e = tensor.empty() : tensor<4xf32>
    %0 = linalg.generic {iterator_types = ["parallel"], ...} ins(%x) outs(%e) {
      ^bb0(%a: f32, %b: f32):
        %m = arith.maximumf %a, %zero : f32
        linalg.yield %m : f32
    }
    ```
  }];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::linalg::LinalgDialect",
                           "mlir::math::MathDialect", "mlir::tensor::TensorDialect"];
}

#endif // KGEN_CONVERSION_ATENTOLINALG_PASSES_TD
