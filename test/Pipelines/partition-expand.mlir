// RUN: kgen-opt --kgen-partition %s | FileCheck %s

// A row divided by its norm is one task: element-wise ops expand what they read by themselves. An expansion that decides the shape of a result
// stays, and one of a number, whose type counts less than a tensor's.

// CHECK: func.func private @t00_linalg_vector_norm(%[[ROWS:.*]]: tensor<4x8xf32>) -> tensor<4x8xf32>
// CHECK-NEXT: %[[NORM:.*]] = aten.linalg_vector_norm %[[ROWS]]
// CHECK-NEXT: %[[LEAST:.*]] = aten.clamp %[[NORM]]
// CHECK-NEXT: aten.div.Tensor %[[ROWS]], %[[LEAST]] : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
// CHECK: func.func private @t01_exp
// CHECK: aten.expand
// CHECK: aten.exp
func.func @normalized(%x: tensor<4x8xf32>, %y: tensor<4x1xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %norm = aten.linalg_vector_norm %x dim [1] keepdim true : (tensor<4x8xf32>) -> tensor<4x1xf32>
  %least = aten.clamp %norm {min = 1.0e-12} : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %wide = aten.expand %least size [4, 8] : (tensor<4x1xf32>) -> tensor<4x8xf32>
  %divided = aten.div.Tensor %x, %wide : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %other = aten.expand %y size [4, 8] : (tensor<4x1xf32>) -> tensor<4x8xf32>
  %exp = aten.exp %other : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %divided, %exp : tensor<4x8xf32>, tensor<4x8xf32>
}
