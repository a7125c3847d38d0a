// RUN: kgen-opt %s -kgen-convert-aten-to-linalg -kgen-oracle-fuse | FileCheck %s

// An exponential moves into the sum, which reads each once, but not into the matrix product.
// CHECK-LABEL: @fuse
// CHECK: linalg.generic {{.*}}"reduction"]}
// CHECK-NEXT: ^bb0
// CHECK-NEXT: math.exp
// CHECK-NEXT: arith.addf
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]
// CHECK-NEXT: ^bb0
// CHECK-NEXT: math.exp
// CHECK-NEXT: linalg.yield
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction"]
// CHECK-NEXT: ^bb0
// CHECK-NEXT: arith.mulf
func.func @fuse(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>) -> (tensor<4xf32>, tensor<4x16xf32>) {
  %0 = aten.exp %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = aten.sum.dim_IntList %0 dim [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %2 = aten.exp %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %3 = aten.mm %2, %w : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  return %1, %3 : tensor<4xf32>, tensor<4x16xf32>
}
