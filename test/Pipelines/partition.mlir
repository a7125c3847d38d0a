// A network as tasks: an anchor with the element-wise ops that fuse into it, views with their reader, each text once.
// RUN: kgen-opt %s --split-input-file --kgen-partition | FileCheck %s
// RUN: kgen-opt %s --split-input-file --kgen-partition --kgen-lower | FileCheck %s --check-prefix=LOWER

// Two blocks of one text: batch norm, the residual and relu join the convolution; the shortcut's own convolution, which
// stands between, is a task too.
// CHECK-LABEL: func.func private @t00_conv2d
// CHECK-SAME: %arg1: tensor<4x4x3x3xf32> {kgen.parameter}
// CHECK-SAME: {kgen.count = 2 : i64, kgen.precision = "tf32", kgen.tiled_products}
// CHECK-NEXT: aten.conv2d
// CHECK-NEXT: aten.batch_norm
// CHECK-NEXT: aten.relu
// CHECK-NEXT: return
// CHECK-LABEL: func.func private @t01_conv2d
// CHECK-SAME: kgen.count = 1
// CHECK-NEXT: aten.conv2d
// CHECK-NEXT: return
// CHECK-LABEL: func.func private @t02_conv2d
// CHECK-SAME: kgen.count = 1
// CHECK-NEXT: aten.conv2d
// CHECK-NEXT: aten.add.Tensor
// CHECK-NEXT: aten.relu
// CHECK-NEXT: return
// CHECK-LABEL: func.func @residual
// CHECK: %[[A:.*]] = call @t00_conv2d(%arg0,
// CHECK: %[[B:.*]] = call @t00_conv2d(%[[A]],
// CHECK: %[[S:.*]] = call @t01_conv2d(%arg0,
// CHECK: %[[D:.*]] = call @t02_conv2d(%[[B]], %{{.*}}, %[[S]])
// CHECK: return %[[D]]
// LOWER-LABEL: func.func private @t00_conv2d
// LOWER: kgen.launch
// LOWER-LABEL: func.func @residual
// LOWER-NOT: kgen.launch
// LOWER: return
func.func @residual(%x: tensor<2x4x8x8xf32> {kgen.init = "normal(0, 1)", kgen.name = "x"}, %w: tensor<4x4x3x3xf32> {kgen.parameter},
                    %v: tensor<4x4x3x3xf32> {kgen.parameter}, %s: tensor<4x4x1x1xf32> {kgen.parameter}, %u: tensor<4x4x3x3xf32> {kgen.parameter},
                    %m: tensor<4xf32> {kgen.parameter}, %q: tensor<4xf32> {kgen.parameter}) -> tensor<2x4x8x8xf32> {
  %0 = aten.conv2d %x, %w padding [1, 1] : (tensor<2x4x8x8xf32>, tensor<4x4x3x3xf32>) -> tensor<2x4x8x8xf32>
  %1 = aten.batch_norm %0 running_mean %m running_var %q : (tensor<2x4x8x8xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4x8x8xf32>
  %2 = aten.relu %1 : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %3 = aten.conv2d %2, %v padding [1, 1] : (tensor<2x4x8x8xf32>, tensor<4x4x3x3xf32>) -> tensor<2x4x8x8xf32>
  %4 = aten.batch_norm %3 running_mean %m running_var %q : (tensor<2x4x8x8xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4x8x8xf32>
  %5 = aten.relu %4 : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %6 = aten.conv2d %5, %u padding [1, 1] : (tensor<2x4x8x8xf32>, tensor<4x4x3x3xf32>) -> tensor<2x4x8x8xf32>
  %7 = aten.conv2d %x, %s : (tensor<2x4x8x8xf32>, tensor<4x4x1x1xf32>) -> tensor<2x4x8x8xf32>
  %8 = aten.add.Tensor %6, %7 : (tensor<2x4x8x8xf32>, tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %9 = aten.relu %8 : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  return %9 : tensor<2x4x8x8xf32>
}

// -----

// What only has another shape is passed as it is; a permutation belongs to each of its readers, and so does a constant.
// A value with two uses, both of which join, hinders nothing.
// CHECK-LABEL: func.func private @t00_linear
// CHECK-SAME: (%arg0: tensor<2x8x16xf32>, %arg1: tensor<16x16xf32>)
// CHECK-NEXT: %[[L:.*]] = aten.linear
// CHECK-NEXT: %[[S:.*]] = aten.sigmoid %[[L]]
// CHECK-NEXT: aten.mul.Tensor %[[L]], %[[S]]
// CHECK-LABEL: func.func private @t01_scaled_dot_product_attention
// CHECK-SAME: (%arg0: tensor<2x8x4x4xf32>)
// CHECK-NEXT: %[[P:.*]] = aten.permute %arg0
// CHECK-NEXT: aten.scaled_dot_product_attention %[[P]], %[[P]], %[[P]]
// CHECK-LABEL: func.func private @t02_linear
// CHECK-SAME: (%arg0: tensor<2x4x8x4xf32>, %arg1: tensor<16x16xf32>)
// CHECK-NEXT: aten.permute
// CHECK-NEXT: aten.reshape
// CHECK-NEXT: aten.linear
// CHECK-NEXT: aten.constant
// CHECK-NEXT: aten.add.Tensor
// CHECK-LABEL: func.func @views
// CHECK: %[[R:.*]] = aten.reshape %arg0 shape [2, 8, 16]
// CHECK: call @t00_linear(%[[R]], %arg1)
// CHECK: %[[H:.*]] = aten.reshape %{{.*}} shape [2, 8, 4, 4]
// CHECK: call @t01_scaled_dot_product_attention(%[[H]])
// LOWER-LABEL: func.func @views
func.func @views(%x: tensor<16x16xf32>, %w: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %0 = aten.reshape %x shape [2, 8, 16] : (tensor<16x16xf32>) -> tensor<2x8x16xf32>
  %1 = aten.linear %0, %w : (tensor<2x8x16xf32>, tensor<16x16xf32>) -> tensor<2x8x16xf32>
  %2 = aten.sigmoid %1 : (tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
  %3 = aten.mul.Tensor %1, %2 : (tensor<2x8x16xf32>, tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
  %4 = aten.reshape %3 shape [2, 8, 4, 4] : (tensor<2x8x16xf32>) -> tensor<2x8x4x4xf32>
  %5 = aten.permute %4 dims [0, 2, 1, 3] : (tensor<2x8x4x4xf32>) -> tensor<2x4x8x4xf32>
  %6 = aten.scaled_dot_product_attention %5, %5, %5 : (tensor<2x4x8x4xf32>, tensor<2x4x8x4xf32>, tensor<2x4x8x4xf32>) -> tensor<2x4x8x4xf32>
  %7 = aten.permute %6 dims [0, 2, 1, 3] : (tensor<2x4x8x4xf32>) -> tensor<2x8x4x4xf32>
  %8 = aten.reshape %7 shape [2, 8, 16] : (tensor<2x8x4x4xf32>) -> tensor<2x8x16xf32>
  %9 = aten.linear %8, %w : (tensor<2x8x16xf32>, tensor<16x16xf32>) -> tensor<2x8x16xf32>
  %10 = aten.constant dense<2.0> : tensor<16xf32> : () -> tensor<16xf32>
  %11 = aten.add.Tensor %9, %10 : (tensor<2x8x16xf32>, tensor<16xf32>) -> tensor<2x8x16xf32>
  %12 = aten.reshape %11 shape [16, 16] : (tensor<2x8x16xf32>) -> tensor<16x16xf32>
  return %12 : tensor<16x16xf32>
}

// -----

// The squares in front of a mean and the root behind it are one row program. What has two readers is joined with one
// of them only where nothing else leaves: the sum of the row stays outside of the product that reads it.
// CHECK-LABEL: func.func private @t00_mean
// CHECK-NEXT: aten.mul.Tensor
// CHECK-NEXT: aten.mean.dim
// CHECK-NEXT: aten.rsqrt
// CHECK-NEXT: aten.mul.Tensor
// CHECK-LABEL: func.func private @t01_linear
// CHECK-NEXT: aten.linear
// CHECK-NEXT: return
// CHECK-LABEL: func.func private @t02_relu
// CHECK-LABEL: func.func @rows
// LOWER-LABEL: func.func @rows
func.func @rows(%x: tensor<8x16xf32>, %w: tensor<16x16xf32>) -> (tensor<8x16xf32>, tensor<8x16xf32>) {
  %0 = aten.mul.Tensor %x, %x : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
  %1 = aten.mean.dim %0 dim [1] keepdim true : (tensor<8x16xf32>) -> tensor<8x1xf32>
  %2 = aten.rsqrt %1 : (tensor<8x1xf32>) -> tensor<8x1xf32>
  %3 = aten.mul.Tensor %x, %2 : (tensor<8x16xf32>, tensor<8x1xf32>) -> tensor<8x16xf32>
  %4 = aten.linear %3, %w : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  %5 = aten.relu %4 : (tensor<8x16xf32>) -> tensor<8x16xf32>
  return %4, %5 : tensor<8x16xf32>, tensor<8x16xf32>
}

// -----

// What depends on weights alone is a task of its own, which is computed when they change; a constant is wherever it is
// read, and what the graph writes to is no weight.
// CHECK-LABEL: func.func private @t00_mul
// CHECK-NEXT: aten.mul.Tensor
// CHECK-NEXT: return
// CHECK-LABEL: func.func private @t01_add
// CHECK-NEXT: aten.add.Tensor
// CHECK-NEXT: aten.relu
// CHECK-NEXT: return
// CHECK-LABEL: func.func @weights
// CHECK: %[[W:.*]] = call @t00_mul(%arg1, %arg2) {kgen.prepare}
// CHECK: call @t01_add(%arg0, %[[W]]) :
// CHECK: call @{{.*}}(%arg1, %arg3) :
// CHECK: call @{{.*}}(%arg1, %arg2) :
// LOWER-LABEL: func.func @weights
func.func @weights(%x: tensor<8xf32>, %w: tensor<8xf32> {kgen.parameter}, %v: tensor<8xf32> {kgen.parameter},
                   %b: tensor<8xf32> {kgen.name = "count", kgen.parameter})
    -> (tensor<8xf32>, tensor<8xf32> {kgen.mutates = "count"}, tensor<8xf32>) {
  %0 = aten.mul.Tensor %w, %v : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %1 = aten.add.Tensor %x, %0 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %2 = aten.relu %1 : (tensor<8xf32>) -> tensor<8xf32>
  %3 = aten.mul.Tensor %w, %b : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %4 = aten.div.Tensor %w, %v : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %2, %3, %4 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// -----

// Layers whose weights differ in the digits that an importer fitted are one task; a mean that matters stays.
// CHECK-LABEL: func.func private @t00_linear
// CHECK-SAME: kgen.init = "normal(0, 0.015625)", kgen.parameter
// CHECK-SAME: kgen.count = 2
// CHECK-LABEL: func.func private @t01_linear
// CHECK-SAME: kgen.init = "normal(1, 0.02)", kgen.parameter
// CHECK-SAME: kgen.count = 1
// CHECK-LABEL: func.func @fitted
// LOWER-LABEL: func.func @fitted
func.func @fitted(%x: tensor<4x8xf32>, %w: tensor<8x8xf32> {kgen.init = "normal(2.79217e-05, 0.0200201)", kgen.parameter},
                  %v: tensor<8x8xf32> {kgen.init = "normal(-1.5e-4, 0.0199)", kgen.parameter},
                  %u: tensor<8x8xf32> {kgen.init = "normal(1, 0.02)", kgen.parameter}) -> tensor<4x8xf32> {
  %0 = aten.linear %x, %w : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %1 = aten.linear %0, %v : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %2 = aten.linear %1, %u : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  return %2 : tensor<4x8xf32>
}
