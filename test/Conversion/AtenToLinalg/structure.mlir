// RUN: kgen-opt %s -split-input-file -kgen-convert-aten-to-linalg | FileCheck %s

// The forms that the passes after this one count on. Values are held by the numeric cases in Inputs.

// A broadcast operand is read through its map, never repeated in memory.
// CHECK-DAG: #[[ID:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[COLUMN:.*]] = affine_map<(d0, d1) -> (d0, 0)>
// CHECK-LABEL: @broadcast
// CHECK: linalg.generic {indexing_maps = [#[[ID]], #[[COLUMN]], #[[ID]]], iterator_types = ["parallel", "parallel"]}
func.func @broadcast(%x: tensor<2x3xf32>, %y: tensor<2x1xf32>) -> tensor<2x3xf32> {
  %0 = aten.mul.Tensor %x, %y : (tensor<2x3xf32>, tensor<2x1xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----

// Loops of a convolution: batch, filter, output positions, then channel, kernel positions.
// CHECK: #[[IN:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d4, d2 * 2 + d5 * 3, d3 + d6)>
// CHECK: #[[W:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d4, d5, d6)>
// CHECK: #[[OUT:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1, d2, d3)>
// CHECK-LABEL: @conv
// CHECK: tensor.pad %{{.*}} low[0, 0, 0, 1] high[0, 0, 0, 1]
// CHECK: linalg.generic {indexing_maps = [#[[IN]], #[[W]], #[[OUT]]]
func.func @conv(%x: tensor<1x2x9x6xf32>, %w: tensor<4x2x3x3xf32>) -> tensor<1x4x2x6xf32> {
  %0 = aten.conv2d %x, %w stride [2, 1] padding [0, 1] dilation [3, 1]
      : (tensor<1x2x9x6xf32>, tensor<4x2x3x3xf32>) -> tensor<1x4x2x6xf32>
  return %0 : tensor<1x4x2x6xf32>
}

// -----

// Groups are a loop of their own.
// CHECK: affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d0, d1, d5, d3 + d6, d4 + d7)>
// CHECK: affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d1, d2, d5, d6, d7)>
// CHECK-LABEL: @grouped
func.func @grouped(%x: tensor<1x4x5x5xf32>, %w: tensor<6x2x3x3xf32>) -> tensor<1x6x3x3xf32> {
  %0 = aten.conv2d %x, %w groups 2 : (tensor<1x4x5x5xf32>, tensor<6x2x3x3xf32>) -> tensor<1x6x3x3xf32>
  return %0 : tensor<1x6x3x3xf32>
}

// -----

// Softmax keeps no intermediate of the input's size.
// CHECK-LABEL: @softmax
// CHECK: linalg.generic {{.*}}"reduction"]} {{.*}} outs(%{{.*}} : tensor<4xf32>)
// CHECK: arith.maximumf
// CHECK: linalg.generic {{.*}}"reduction"]} {{.*}} outs(%{{.*}} : tensor<4xf32>)
// CHECK: math.exp
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<4x8xf32>)
// CHECK: math.exp
// CHECK-NOT: linalg.generic
func.func @softmax(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = aten.softmax.int %x dim -1 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// The window's loops get their extents from a tensor that nothing reads; padding is minus infinity.
// CHECK-LABEL: @max_pool
// CHECK: arith.constant 0xFF800000 : f32
// CHECK: tensor.pad
// CHECK: tensor.empty() : tensor<3xf32>
// CHECK: linalg.generic
// CHECK: arith.maximumf
func.func @max_pool(%x: tensor<2x9xf32>) -> tensor<2x5xf32> {
  %0 = aten.max_pool1d %x kernel [3] stride [2] padding [1] : (tensor<2x9xf32>) -> tensor<2x5xf32>
  return %0 : tensor<2x5xf32>
}

// -----

// Values and positions come from one loop.
// CHECK-LABEL: @max_dim
// CHECK: %[[R:.*]]:2 = linalg.generic
// CHECK: linalg.index 1
// CHECK: return %[[R]]#0, %[[R]]#1
func.func @max_dim(%x: tensor<4x8xf32>) -> (tensor<4xf32>, tensor<4xi64>) {
  %v, %i = aten.max.dim %x dim 1 : (tensor<4x8xf32>) -> (tensor<4xf32>, tensor<4xi64>)
  return %v, %i : tensor<4xf32>, tensor<4xi64>
}

// -----

// Views stay views.
// CHECK-LABEL: @views
// CHECK: tensor.collapse_shape
// CHECK: tensor.extract_slice
// CHECK-NOT: linalg.generic
func.func @views(%x: tensor<2x3x4xf32>) -> tensor<2xf32> {
  %0 = aten.flatten.using_ints %x start_dim 1 : (tensor<2x3x4xf32>) -> tensor<2x12xf32>
  %1 = aten.select.int %0 dim 1 index 3 : (tensor<2x12xf32>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}
