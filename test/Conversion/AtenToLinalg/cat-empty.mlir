// A part without elements adds nothing to its neighbours.
// RUN: kgen-opt %s --kgen-convert-aten-to-linalg | FileCheck %s

// CHECK-LABEL: func.func @f(
// CHECK-SAME: %[[X:.*]]: tensor<3x5xf32>
// CHECK: tensor.insert_slice %[[X]] into %{{.*}}[0, 0] [3, 5] [1, 1]
// CHECK-NOT: tensor.insert_slice
func.func @f(%x: tensor<3x5xf32>, %y: tensor<3x0xf32>) -> tensor<3x5xf32> {
  %0 = aten.cat %x, %y dim 1 : (tensor<3x5xf32>, tensor<3x0xf32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}
