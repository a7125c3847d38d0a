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

// What only has another shape is passed as it is; a permutation belongs to each of its readers, and so does a constant; attention puts its heads
// beside each other itself.
// A value with two uses, both of which join, hinders nothing.
// CHECK-LABEL: func.func private @t00_linear
// CHECK-SAME: (%arg0: tensor<2x8x16xf32>, %arg1: tensor<16x16xf32>)
// CHECK-NEXT: %[[L:.*]] = aten.linear
// CHECK-NEXT: %[[S:.*]] = aten.sigmoid %[[L]]
// CHECK-NEXT: aten.mul.Tensor %[[L]], %[[S]]
// CHECK-LABEL: func.func private @t01_scaled_dot_product_attention
// CHECK-SAME: (%arg0: tensor<2x8x4x4xf32>)
// CHECK-NEXT: %[[P:.*]] = aten.permute %arg0
// CHECK-NEXT: %[[A:.*]] = aten.scaled_dot_product_attention %[[P]], %[[P]], %[[P]]
// CHECK-NEXT: aten.permute %[[A]]
// CHECK-LABEL: func.func private @t02_linear
// CHECK-SAME: (%arg0: tensor<2x8x16xf32>, %arg1: tensor<16x16xf32>)
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
  %same = aten.reshape %6 shape [2, 4, -1, 4] : (tensor<2x4x8x4xf32>) -> tensor<2x4x8x4xf32>
  %7 = aten.permute %same dims [0, 2, 1, 3] : (tensor<2x4x8x4xf32>) -> tensor<2x8x4x4xf32>
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

// -----

// Time steps: a slice of the outermost dimension is read where it lies, so that all steps are the same two tasks, and
// each writes its result to its place in the concatenation, which is no task.
// CHECK-LABEL: func.func private @t00_linear
// CHECK-SAME: (%arg0: tensor<2x64xf32> {kgen.init = "uniform(0, 1)"}, %arg1: tensor<64x64xf32> {kgen.parameter}, %arg2: tensor<2x64xf32> {kgen.init = "uniform(0, 1)"})
// CHECK-SAME: kgen.count = 1
// CHECK-NEXT: aten.linear %arg0, %arg1
// CHECK-NEXT: aten.add.Tensor
// CHECK-NEXT: return
// CHECK-LABEL: func.func private @t01_linear
// CHECK-SAME: (%arg0: tensor<2x64xf32>, %arg1: tensor<64x64xf32> {kgen.parameter}, %arg2: tensor<2x64xf32> {kgen.init = "uniform(0, 1)"})
// CHECK-SAME: kgen.count = 7
// CHECK-NEXT: aten.linear
// CHECK-NEXT: aten.add.Tensor
// CHECK-NEXT: return
// CHECK-LABEL: func.func private @t02_linear
// CHECK-SAME: (%arg0: tensor<8x2x64xf32>, %arg1: tensor<64x64xf32> {kgen.parameter}) -> tensor<8x2x64xf32>
// CHECK-NEXT: aten.linear
// CHECK-NEXT: return
// CHECK-NOT: func.func private
// CHECK-LABEL: func.func @recurrent
// CHECK: %[[X:.*]] = aten.select.int %arg0 dim 0 index 0
// CHECK: %[[H:.*]] = call @t00_linear(%arg1, %arg2, %[[X]])
// CHECK: %[[Y:.*]] = aten.narrow %arg0 dim 0 start 1 length 1
// CHECK: %[[Z:.*]] = aten.squeeze.dim %[[Y]]
// CHECK: call @t01_linear(%[[H]], %arg2, %[[Z]])
// CHECK: %[[ALL:.*]] = aten.cat
// CHECK: call @t02_linear(%[[ALL]], %arg3)
// LOWER-LABEL: func.func @recurrent
func.func @recurrent(%x: tensor<8x2x64xf32> {kgen.init = "uniform(0, 1)"}, %h: tensor<2x64xf32> {kgen.init = "uniform(0, 1)"},
                     %w: tensor<64x64xf32> {kgen.parameter}, %v: tensor<64x64xf32> {kgen.parameter}) -> tensor<8x2x64xf32> {
  %x0 = aten.select.int %x dim 0 index 0 : (tensor<8x2x64xf32>) -> tensor<2x64xf32>
  %l0 = aten.linear %h, %w : (tensor<2x64xf32>, tensor<64x64xf32>) -> tensor<2x64xf32>
  %h0 = aten.add.Tensor %l0, %x0 : (tensor<2x64xf32>, tensor<2x64xf32>) -> tensor<2x64xf32>
  %n1 = aten.narrow %x dim 0 start 1 length 1 : (tensor<8x2x64xf32>) -> tensor<1x2x64xf32>
  %x1 = aten.squeeze.dim %n1 dim 0 : (tensor<1x2x64xf32>) -> tensor<2x64xf32>
  %l1 = aten.linear %h0, %w : (tensor<2x64xf32>, tensor<64x64xf32>) -> tensor<2x64xf32>
  %h1 = aten.add.Tensor %l1, %x1 : (tensor<2x64xf32>, tensor<2x64xf32>) -> tensor<2x64xf32>
  %n2 = aten.slice.Tensor %x dim 0 start 2 end 3 : (tensor<8x2x64xf32>) -> tensor<1x2x64xf32>
  %x2 = aten.reshape %n2 shape [2, 64] : (tensor<1x2x64xf32>) -> tensor<2x64xf32>
  %l2 = aten.linear %h1, %w : (tensor<2x64xf32>, tensor<64x64xf32>) -> tensor<2x64xf32>
  %h2 = aten.add.Tensor %l2, %x2 : (tensor<2x64xf32>, tensor<2x64xf32>) -> tensor<2x64xf32>
  %x3 = aten.select.int %x dim -3 index 3 : (tensor<8x2x64xf32>) -> tensor<2x64xf32>
  %l3 = aten.linear %h2, %w : (tensor<2x64xf32>, tensor<64x64xf32>) -> tensor<2x64xf32>
  %h3 = aten.add.Tensor %l3, %x3 : (tensor<2x64xf32>, tensor<2x64xf32>) -> tensor<2x64xf32>
  %x4 = aten.select.int %x dim 0 index -4 : (tensor<8x2x64xf32>) -> tensor<2x64xf32>
  %l4 = aten.linear %h3, %w : (tensor<2x64xf32>, tensor<64x64xf32>) -> tensor<2x64xf32>
  %h4 = aten.add.Tensor %l4, %x4 : (tensor<2x64xf32>, tensor<2x64xf32>) -> tensor<2x64xf32>
  %x5 = aten.select.int %x dim 0 index 5 : (tensor<8x2x64xf32>) -> tensor<2x64xf32>
  %l5 = aten.linear %h4, %w : (tensor<2x64xf32>, tensor<64x64xf32>) -> tensor<2x64xf32>
  %h5 = aten.add.Tensor %l5, %x5 : (tensor<2x64xf32>, tensor<2x64xf32>) -> tensor<2x64xf32>
  %x6 = aten.select.int %x dim 0 index 6 : (tensor<8x2x64xf32>) -> tensor<2x64xf32>
  %l6 = aten.linear %h5, %w : (tensor<2x64xf32>, tensor<64x64xf32>) -> tensor<2x64xf32>
  %h6 = aten.add.Tensor %l6, %x6 : (tensor<2x64xf32>, tensor<2x64xf32>) -> tensor<2x64xf32>
  %x7 = aten.select.int %x dim 0 index 7 : (tensor<8x2x64xf32>) -> tensor<2x64xf32>
  %l7 = aten.linear %h6, %w : (tensor<2x64xf32>, tensor<64x64xf32>) -> tensor<2x64xf32>
  %h7 = aten.add.Tensor %l7, %x7 : (tensor<2x64xf32>, tensor<2x64xf32>) -> tensor<2x64xf32>
  %r0 = aten.unsqueeze %h0 dim 0 : (tensor<2x64xf32>) -> tensor<1x2x64xf32>
  %r1 = aten.unsqueeze %h1 dim 0 : (tensor<2x64xf32>) -> tensor<1x2x64xf32>
  %r2 = aten.unsqueeze %h2 dim 0 : (tensor<2x64xf32>) -> tensor<1x2x64xf32>
  %r3 = aten.unsqueeze %h3 dim 0 : (tensor<2x64xf32>) -> tensor<1x2x64xf32>
  %r4 = aten.unsqueeze %h4 dim 0 : (tensor<2x64xf32>) -> tensor<1x2x64xf32>
  %r5 = aten.unsqueeze %h5 dim 0 : (tensor<2x64xf32>) -> tensor<1x2x64xf32>
  %r6 = aten.unsqueeze %h6 dim 0 : (tensor<2x64xf32>) -> tensor<1x2x64xf32>
  %r7 = aten.unsqueeze %h7 dim 0 : (tensor<2x64xf32>) -> tensor<1x2x64xf32>
  %all = aten.cat %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7 dim 0 : (tensor<1x2x64xf32>, tensor<1x2x64xf32>, tensor<1x2x64xf32>, tensor<1x2x64xf32>, tensor<1x2x64xf32>, tensor<1x2x64xf32>, tensor<1x2x64xf32>, tensor<1x2x64xf32>) -> tensor<8x2x64xf32>
  %y = aten.linear %all, %v : (tensor<8x2x64xf32>, tensor<64x64xf32>) -> tensor<8x2x64xf32>
  return %y : tensor<8x2x64xf32>
}

// -----

// A slice stays with its reader where it begins at no multiple of 256 bytes, where it is of an inner dimension, and
// where the task reads an overlapping part of the same value. One that is a result is a task.
// CHECK-LABEL: func.func private @t00_linear
// CHECK-SAME: (%arg0: tensor<4x65xf32>, %arg1: tensor<65x65xf32>)
// CHECK-NEXT: aten.select.int %arg0 dim 0 index 1
// CHECK-LABEL: func.func private @t01_linear
// CHECK-SAME: (%arg0: tensor<4x2x64xf32>, %arg1: tensor<64x64xf32>)
// CHECK-NEXT: aten.select.int %arg0 dim 1 index 0
// CHECK-LABEL: func.func private @t02_linear
// CHECK-SAME: (%arg0: tensor<4x2x64xf32>)
// CHECK-NEXT: aten.narrow %arg0 dim 0 start 0 length 2
// CHECK-NEXT: aten.narrow %arg0 dim 0 start 1 length 2
// CHECK-LABEL: func.func private @t03_select
// CHECK-SAME: (%arg0: tensor<4x2x64xf32>)
// CHECK-NEXT: aten.select.int %arg0 dim 0 index 3
// CHECK-LABEL: func.func @slices
// LOWER-LABEL: func.func @slices
func.func @slices(%x: tensor<4x65xf32>, %w: tensor<65x65xf32>, %y: tensor<4x2x64xf32>, %v: tensor<64x64xf32>)
    -> (tensor<1x65xf32>, tensor<4x64xf32>, tensor<2x2x2x2xf32>, tensor<2x64xf32>) {
  %0 = aten.select.int %x dim 0 index 1 : (tensor<4x65xf32>) -> tensor<65xf32>
  %1 = aten.unsqueeze %0 dim 0 : (tensor<65xf32>) -> tensor<1x65xf32>
  %2 = aten.linear %1, %w : (tensor<1x65xf32>, tensor<65x65xf32>) -> tensor<1x65xf32>
  %3 = aten.select.int %y dim 1 index 0 : (tensor<4x2x64xf32>) -> tensor<4x64xf32>
  %4 = aten.linear %3, %v : (tensor<4x64xf32>, tensor<64x64xf32>) -> tensor<4x64xf32>
  %5 = aten.narrow %y dim 0 start 0 length 2 : (tensor<4x2x64xf32>) -> tensor<2x2x64xf32>
  %6 = aten.narrow %y dim 0 start 1 length 2 : (tensor<4x2x64xf32>) -> tensor<2x2x64xf32>
  %7 = aten.reshape %6 shape [4, 64] : (tensor<2x2x64xf32>) -> tensor<4x64xf32>
  %8 = aten.linear %5, %7 : (tensor<2x2x64xf32>, tensor<4x64xf32>) -> tensor<2x2x4xf32>
  %9 = aten.reshape %8 shape [2, 2, 2, 2] : (tensor<2x2x4xf32>) -> tensor<2x2x2x2xf32>
  %10 = aten.select.int %y dim 0 index 3 : (tensor<4x2x64xf32>) -> tensor<2x64xf32>
  return %2, %4, %9, %10 : tensor<1x65xf32>, tensor<4x64xf32>, tensor<2x2x2x2xf32>, tensor<2x64xf32>
}
