// RUN: kgen-opt --kgen-partition -split-input-file %s | FileCheck %s

// What two layers compute alike is computed once: the position, and what follows from it. Each result has an op of its own, so that a task writes
// it, under whatever shape.

// CHECK: func.func private @t00_add(%arg0: tensor<1xi64>) -> tensor<1xi64> attributes {kgen.count = 1
// CHECK: func.func private @t01_index_select
// CHECK-SAME: kgen.count = 2
// CHECK-NOT: func.func private @t02_add
// CHECK: func.func @layers
// CHECK-COUNT-1: call @t00_add
// CHECK-NOT: call @t00_add
// CHECK: return
func.func @layers(%at: tensor<1xi64>, %a: tensor<8x64xf32>, %b: tensor<8x64xf32>) -> (tensor<1x64xf32>, tensor<1x64xf32>) {
  %0 = aten.add.Scalar %at {other = 3.0} : (tensor<1xi64>) -> tensor<1xi64>
  %1 = aten.index_select %a, %0 dim 0 : (tensor<8x64xf32>, tensor<1xi64>) -> tensor<1x64xf32>
  %2 = aten.add.Scalar %at {other = 3.0} : (tensor<1xi64>) -> tensor<1xi64>
  %3 = aten.index_select %b, %2 dim 0 : (tensor<8x64xf32>, tensor<1xi64>) -> tensor<1x64xf32>
  return %1, %3 : tensor<1x64xf32>, tensor<1x64xf32>
}

// -----

// CHECK: func.func private @t00_softmax
// CHECK-SAME: kgen.count = 3
// CHECK: func.func @results
// CHECK-NOT: kgen.result
// CHECK-COUNT-3: call @t00_softmax
// CHECK: return
func.func @results(%x: tensor<8x64xf32>) -> (tensor<8x64xf32>, tensor<8x64xf32>, tensor<512xf32>) {
  %0 = aten.softmax.int %x dim 1 : (tensor<8x64xf32>) -> tensor<8x64xf32>
  %1 = aten.softmax.int %x dim 1 : (tensor<8x64xf32>) -> tensor<8x64xf32>
  %2 = aten.softmax.int %x dim 1 : (tensor<8x64xf32>) -> tensor<8x64xf32>
  %3 = aten.reshape %2 shape [512] : (tensor<8x64xf32>) -> tensor<512xf32>
  return %0, %1, %3 : tensor<8x64xf32>, tensor<8x64xf32>, tensor<512xf32>
}

// -----

// Where readers compute it along the way there are fewer steps without.

// CHECK: func.func private @t00_softmax
// CHECK-NEXT: aten.abs
// CHECK-NEXT: aten.softmax
// CHECK: func.func private @t01_sum
// CHECK-NEXT: aten.abs
// CHECK-NEXT: aten.sum
// CHECK: func.func @apart
func.func @apart(%x: tensor<8x64xf32>) -> (tensor<8x64xf32>, tensor<8xf32>) {
  %0 = aten.abs %x : (tensor<8x64xf32>) -> tensor<8x64xf32>
  %1 = aten.softmax.int %0 dim 1 : (tensor<8x64xf32>) -> tensor<8x64xf32>
  %2 = aten.abs %x : (tensor<8x64xf32>) -> tensor<8x64xf32>
  %3 = aten.sum.dim_IntList %2 dim [1] : (tensor<8x64xf32>) -> tensor<8xf32>
  return %1, %3 : tensor<8x64xf32>, tensor<8xf32>
}
