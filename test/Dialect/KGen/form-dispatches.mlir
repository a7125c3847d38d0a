// RUN: kgen-opt %s -kgen-form-dispatches -split-input-file | FileCheck %s
// RUN: kgen-opt %s -kgen-form-dispatches -kgen-inline-dispatches=all -split-input-file | FileCheck %s --check-prefix=INLINED
// RUN: kgen-opt %s -kgen-form-dispatches -kgen-inline-dispatches -split-input-file | FileCheck %s

// A product takes its element-wise consumers, the pooling its own, and what is left forms a chain.
// CHECK-LABEL: func.func @chain
// CHECK-SAME: (%[[X:.*]]: tensor<2x3x8x8xf32>, %[[W:.*]]: tensor<4x3x3x3xf32>)
// CHECK-NEXT: %[[P:.*]] = kgen.dispatch @neg_0 schedule(#kgen.schedule<family = pointwise>) ins(%[[X]] :
// CHECK-NEXT: ^bb0
// CHECK-NEXT: aten.neg
// CHECK-NEXT: aten.exp
// CHECK-NEXT: kgen.yield
// CHECK: %[[C:.*]] = kgen.dispatch @conv2d_0 schedule(#kgen.schedule<family = conv>) ins(%[[P]], %[[W]] :
// CHECK-NEXT: ^bb0
// CHECK-NEXT: aten.conv2d
// CHECK-NEXT: aten.relu
// CHECK-NEXT: kgen.yield
// CHECK: %[[M:.*]] = kgen.dispatch @max_pool2d_0 schedule(#kgen.schedule<family = pool>) ins(%[[C]] :
// CHECK-NEXT: ^bb0
// CHECK-NEXT: aten.max_pool2d
// CHECK-NEXT: aten.tanh
// CHECK: return %[[M]]
//
// INLINED-LABEL: func.func @chain
// INLINED-NOT: kgen.
// INLINED: %[[A:.*]] = aten.neg
// INLINED-NEXT: %[[B:.*]] = aten.exp %[[A]]
// INLINED-NEXT: %[[C:.*]] = aten.conv2d %[[B]]
// INLINED-NEXT: %[[D:.*]] = aten.relu %[[C]]
// INLINED-NEXT: %[[E:.*]] = aten.max_pool2d %[[D]]
// INLINED-NEXT: %[[F:.*]] = aten.tanh %[[E]]
// INLINED-NEXT: return %[[F]]
func.func @chain(%x: tensor<2x3x8x8xf32>, %w: tensor<4x3x3x3xf32>) -> tensor<2x4x3x3xf32> {
  %0 = aten.neg %x : (tensor<2x3x8x8xf32>) -> tensor<2x3x8x8xf32>
  %1 = aten.exp %0 : (tensor<2x3x8x8xf32>) -> tensor<2x3x8x8xf32>
  %2 = aten.conv2d %1, %w : (tensor<2x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<2x4x6x6xf32>
  %3 = aten.relu %2 : (tensor<2x4x6x6xf32>) -> tensor<2x4x6x6xf32>
  %4 = aten.max_pool2d %3 kernel [2, 2] : (tensor<2x4x6x6xf32>) -> tensor<2x4x3x3xf32>
  %5 = aten.tanh %4 : (tensor<2x4x3x3xf32>) -> tensor<2x4x3x3xf32>
  return %5 : tensor<2x4x3x3xf32>
}

// -----

// A result with a user outside ends a group; views stay outside; names are unique, also against
// the function's.
// CHECK-LABEL: func.func @linear_0
// CHECK: %[[A:.*]] = kgen.dispatch @linear_1 schedule(#kgen.schedule<family = gemm>)
// CHECK: %[[T:.*]] = aten.numpy_T %[[A]]
// CHECK: %[[B:.*]] = kgen.dispatch @linear_2 schedule(#kgen.schedule<family = gemm>) ins(%[[A]], %[[T]] :
// CHECK: return %[[B]]
func.func @linear_0(%x: tensor<8x8xf32>, %w: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = aten.linear %x, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = aten.numpy_T %0 : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = aten.linear %0, %1 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %2 : tensor<8x8xf32>
}

// -----

// A consumer that broadcasts the result is no epilogue.
// CHECK-LABEL: func.func @broadcast
// CHECK: kgen.dispatch @linear_0
// CHECK: kgen.dispatch @add_Tensor_0 schedule(#kgen.schedule<family = pointwise>)
func.func @broadcast(%x: tensor<1x8xf32>, %w: tensor<8x8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = aten.linear %x, %w : (tensor<1x8xf32>, tensor<8x8xf32>) -> tensor<1x8xf32>
  %1 = aten.add.Tensor %0, %y : (tensor<1x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}
