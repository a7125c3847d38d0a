// A convolution takes the permutes of channels around it into its dispatch: in front those of image, weight and residual,
// behind it one, which ends the dispatch. So do one with groups, and a pooling.
// RUN: split-file %s %t
// RUN: kgen-opt %t/dense.mlir --kgen-apply-directives=script=%t/script.mlir | FileCheck %t/dense.mlir
// RUN: kgen-opt %t/depthwise.mlir --kgen-apply-directives=script=%t/script.mlir | FileCheck %t/depthwise.mlir
// RUN: kgen-opt %t/pool.mlir --kgen-apply-directives=script=%t/pooling.mlir | FileCheck %t/pool.mlir
// RUN: kgen-opt %t/groups.mlir --kgen-apply-directives=script=%t/script.mlir | FileCheck %t/groups.mlir

//--- script.mlir
%d = transform.kgen.select "aten.conv2d" in %f
transform.kgen.fuse %d producers all
transform.kgen.fuse %d consumers all

//--- dense.mlir
// CHECK: kgen.dispatch @conv2d_0
// CHECK: ^bb0
// CHECK-DAG: aten.permute %{{.*}} : (tensor<2x8x8x16xf32>) -> tensor<2x16x8x8xf32>
// CHECK-DAG: aten.permute %{{.*}} : (tensor<24x3x3x16xf32>) -> tensor<24x16x3x3xf32>
// CHECK: aten.conv2d
// CHECK: aten.add.Tensor
// CHECK: %[[L:.*]] = aten.permute %{{.*}} dims [0, 2, 3, 1]
// CHECK-NEXT: kgen.yield %[[L]]
// CHECK: aten.relu
func.func @f(%x: tensor<2x8x8x16xf32>, %w: tensor<24x3x3x16xf32>, %r: tensor<2x8x8x24xf32>) -> tensor<2x8x8x24xf32> {
  %0 = aten.permute %x dims [0, 3, 1, 2] : (tensor<2x8x8x16xf32>) -> tensor<2x16x8x8xf32>
  %1 = aten.permute %w dims [0, 3, 1, 2] : (tensor<24x3x3x16xf32>) -> tensor<24x16x3x3xf32>
  %2 = aten.conv2d %0, %1 padding [1, 1] : (tensor<2x16x8x8xf32>, tensor<24x16x3x3xf32>) -> tensor<2x24x8x8xf32>
  %3 = aten.permute %r dims [0, 3, 1, 2] : (tensor<2x8x8x24xf32>) -> tensor<2x24x8x8xf32>
  %4 = aten.add.Tensor %2, %3 : (tensor<2x24x8x8xf32>, tensor<2x24x8x8xf32>) -> tensor<2x24x8x8xf32>
  %5 = aten.permute %4 dims [0, 2, 3, 1] : (tensor<2x24x8x8xf32>) -> tensor<2x8x8x24xf32>
  %6 = aten.relu %5 : (tensor<2x8x8x24xf32>) -> tensor<2x8x8x24xf32>
  return %6 : tensor<2x8x8x24xf32>
}

//--- pooling.mlir
%d = transform.kgen.select "aten.max_pool2d" in %f
transform.kgen.fuse %d producers all
transform.kgen.fuse %d consumers all

//--- depthwise.mlir
// CHECK: kgen.dispatch @conv2d_0
// CHECK: aten.permute
// CHECK-NEXT: aten.conv2d
// CHECK-NEXT: aten.relu
// CHECK-NEXT: %[[L:.*]] = aten.permute
// CHECK-NEXT: kgen.yield %[[L]]
func.func @f(%x: tensor<2x8x8x16xf32>, %w: tensor<16x1x3x3xf32>) -> tensor<2x8x8x16xf32> {
  %0 = aten.permute %x dims [0, 3, 1, 2] : (tensor<2x8x8x16xf32>) -> tensor<2x16x8x8xf32>
  %1 = aten.conv2d %0, %w padding [1, 1] groups 16 : (tensor<2x16x8x8xf32>, tensor<16x1x3x3xf32>) -> tensor<2x16x8x8xf32>
  %2 = aten.relu %1 : (tensor<2x16x8x8xf32>) -> tensor<2x16x8x8xf32>
  %3 = aten.permute %2 dims [0, 2, 3, 1] : (tensor<2x16x8x8xf32>) -> tensor<2x8x8x16xf32>
  return %3 : tensor<2x8x8x16xf32>
}

//--- pool.mlir
// CHECK: kgen.dispatch @max_pool2d_0
// CHECK: aten.permute
// CHECK-NEXT: aten.max_pool2d
// CHECK-NEXT: %[[L:.*]] = aten.permute
// CHECK-NEXT: kgen.yield %[[L]]
func.func @f(%x: tensor<2x8x8x16xf32>) -> tensor<2x4x4x16xf32> {
  %0 = aten.permute %x dims [0, 3, 1, 2] : (tensor<2x8x8x16xf32>) -> tensor<2x16x8x8xf32>
  %1 = aten.max_pool2d %0 kernel [2, 2] stride [2, 2] : (tensor<2x16x8x8xf32>) -> tensor<2x16x4x4xf32>
  %2 = aten.permute %1 dims [0, 2, 3, 1] : (tensor<2x16x4x4xf32>) -> tensor<2x4x4x16xf32>
  return %2 : tensor<2x4x4x16xf32>
}

//--- groups.mlir
// CHECK: kgen.dispatch @conv2d_0
// CHECK: %[[I:.*]] = aten.permute %{{.*}} dims [0, 3, 1, 2]
// CHECK-NEXT: aten.conv2d %[[I]]
// CHECK: %[[L:.*]] = aten.permute %{{.*}} dims [0, 2, 3, 1]
// CHECK-NEXT: kgen.yield %[[L]]
func.func @f(%x: tensor<2x8x8x16xf32>, %w: tensor<16x8x3x3xf32>) -> tensor<2x8x8x16xf32> {
  %0 = aten.permute %x dims [0, 3, 1, 2] : (tensor<2x8x8x16xf32>) -> tensor<2x16x8x8xf32>
  %1 = aten.conv2d %0, %w padding [1, 1] groups 2 : (tensor<2x16x8x8xf32>, tensor<16x8x3x3xf32>) -> tensor<2x16x8x8xf32>
  %2 = aten.relu %1 : (tensor<2x16x8x8xf32>) -> tensor<2x16x8x8xf32>
  %3 = aten.permute %2 dims [0, 2, 3, 1] : (tensor<2x16x8x8xf32>) -> tensor<2x8x8x16xf32>
  return %3 : tensor<2x8x8x16xf32>
}
