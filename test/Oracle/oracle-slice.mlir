// RUN: kgen-opt %s -kgen-promote-f64 -kgen-convert-aten-to-linalg -kgen-oracle-slice=limit=100 -canonicalize -cse | FileCheck %s

// The scores exist for one batch at a time.
// CHECK-LABEL: @attention
// CHECK-NOT: tensor<3x4x5xf64>
// CHECK: scf.for
// CHECK: tensor<1x4x5xf64>
// CHECK-NOT: tensor<3x4x5xf64>
// CHECK: return
func.func @attention(%q: tensor<3x4x2xf32>, %k: tensor<3x5x2xf32>, %v: tensor<3x5x1xf32>) -> tensor<3x4x1xf32> {
  %0 = aten.scaled_dot_product_attention %q, %k, %v
      : (tensor<3x4x2xf32>, tensor<3x5x2xf32>, tensor<3x5x1xf32>) -> tensor<3x4x1xf32>
  return %0 : tensor<3x4x1xf32>
}
