// What is picked by index out of a transposed or repeated tensor is read where that one lies: no kernel copies it first.
// RUN: kgen-opt %s --kgen-lower | kgen-translate --kgen-to-cuda - | FileCheck %s

// Of the groups' rows, of the product, of the index: three kernels.
// CHECK-COUNT-3: extern "C" __global__
// CHECK-NOT: extern "C" __global__
func.func @picked(%x: tensor<30x72xf32>, %w: tensor<4x136x72xf32>, %ends: tensor<4xi32>, %row: tensor<1x16xf32>, %at: tensor<9xi64>)
    -> (tensor<30x136xf32>, tensor<9x16xf32>) {
  %t = aten.transpose.int %w dim0 1 dim1 2 : (tensor<4x136x72xf32>) -> tensor<4x72x136xf32>
  %0 = aten._grouped_mm %x, %t, %ends : (tensor<30x72xf32>, tensor<4x72x136xf32>, tensor<4xi32>) -> tensor<30x136xf32>
  %e = aten.expand %row size [5, 16] : (tensor<1x16xf32>) -> tensor<5x16xf32>
  %1 = aten.index.Tensor %e, %at dims [0] : (tensor<5x16xf32>, tensor<9xi64>) -> tensor<9x16xf32>
  return %0, %1 : tensor<30x136xf32>, tensor<9x16xf32>
}
