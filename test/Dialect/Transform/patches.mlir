// With channels last, a convolution of large windows that lie beside each other is a product of patches, in the order that the image has in
// memory: channels first for the network's argument, last behind it. One with padding and one of small windows stay convolutions.
// RUN: split-file %s %t
// RUN: kgen-opt %t/graph.mlir --kgen-apply-directives=script=%t/script | FileCheck %t/graph.mlir

//--- script
transform.kgen.channels_last %f

//--- graph.mlir
// CHECK-LABEL: func.func @patches
// CHECK: %[[X:.*]] = aten.reshape %arg0 shape [2, 3, 8, 16, 8, 16]
// CHECK: %[[P:.*]] = aten.permute %[[X]] dims [0, 2, 4, 1, 3, 5]
// CHECK: %[[R:.*]] = aten.reshape %[[P]] shape [2, 8, 8, 768]
// CHECK: %[[W:.*]] = aten.reshape %arg1 shape [16, 768]
// CHECK: %[[L:.*]] = aten.linear %[[R]], %[[W]], %arg2 : {{.*}} -> tensor<2x8x8x16xf32>
// CHECK: %[[S:.*]] = aten.permute %arg3 dims [0, 2, 3, 1] {kgen.store}
// CHECK: %[[Y:.*]] = aten.reshape %[[L]] shape [2, 2, 4, 2, 4, 16]
// CHECK: %[[Q:.*]] = aten.permute %[[Y]] dims [0, 1, 3, 2, 4, 5]
// CHECK: %[[T:.*]] = aten.reshape %[[Q]] shape [2, 2, 2, 256]
// CHECK: %[[U:.*]] = aten.reshape %[[S]] shape [16, 256]
// CHECK: aten.linear %[[T]], %[[U]] : {{.*}} -> tensor<2x2x2x16xf32>
// CHECK: aten.conv2d {{.*}} stride [4, 4] padding [1, 1]
// CHECK: aten.conv2d {{.*}} stride [2, 2] :
func.func @patches(%x: tensor<2x3x128x128xf32>, %w: tensor<16x3x16x16xf32> {kgen.parameter}, %b: tensor<16xf32> {kgen.parameter}, %u: tensor<16x16x4x4xf32> {kgen.parameter},
                   %v: tensor<16x16x2x2xf32> {kgen.parameter}) -> (tensor<2x16x2x2xf32>, tensor<2x16x2x2xf32>, tensor<2x16x4x4xf32>) {
  %0 = aten.conv2d %x, %w, %b stride [16, 16] : (tensor<2x3x128x128xf32>, tensor<16x3x16x16xf32>, tensor<16xf32>) -> tensor<2x16x8x8xf32>
  %1 = aten.conv2d %0, %u stride [4, 4] : (tensor<2x16x8x8xf32>, tensor<16x16x4x4xf32>) -> tensor<2x16x2x2xf32>
  %2 = aten.conv2d %0, %u stride [4, 4] padding [1, 1] : (tensor<2x16x8x8xf32>, tensor<16x16x4x4xf32>) -> tensor<2x16x2x2xf32>
  %3 = aten.conv2d %0, %v stride [2, 2] : (tensor<2x16x8x8xf32>, tensor<16x16x2x2xf32>) -> tensor<2x16x4x4xf32>
  return %1, %2, %3 : tensor<2x16x2x2xf32>, tensor<2x16x2x2xf32>, tensor<2x16x4x4xf32>
}
