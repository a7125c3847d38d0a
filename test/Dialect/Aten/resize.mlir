// RUN: kgen-opt %s --kgen-resize=size=small -split-input-file | FileCheck %s

// The argument attribute gives the size, and goes.
// CHECK-LABEL: @conv_pool(
// CHECK-SAME: %{{.*}}: tensor<4x3x64x64xf32> {kgen.name = "x"}, %{{.*}}: tensor<96x3x11x11xf32>) -> tensor<4x96x7x7xf32>
// CHECK: aten.conv2d {{.*}} -> tensor<4x96x15x15xf32>
// CHECK: aten.relu {{.*}} -> tensor<4x96x15x15xf32>
// CHECK: aten.max_pool2d {{.*}} -> tensor<4x96x7x7xf32>
// CHECK: return %{{.*}} : tensor<4x96x7x7xf32>
func.func @conv_pool(%x: tensor<100x3x224x224xf32> {kgen.name = "x", kgen.small = tensor<4x3x64x64xf32>},
                     %w: tensor<96x3x11x11xf32>) -> tensor<100x96x27x27xf32> {
  %0 = aten.conv2d %x, %w stride [4, 4] padding [2, 2] : (tensor<100x3x224x224xf32>, tensor<96x3x11x11xf32>) -> tensor<100x96x55x55xf32>
  %1 = aten.relu %0 : (tensor<100x96x55x55xf32>) -> tensor<100x96x55x55xf32>
  %2 = aten.max_pool2d %1 kernel [3, 3] stride [2, 2] : (tensor<100x96x55x55xf32>) -> tensor<100x96x27x27xf32>
  return %2 : tensor<100x96x27x27xf32>
}

// -----

// normalized_shape follows the input.
// CHECK-LABEL: @norm(
// CHECK: aten.layer_norm {{.*}} normalized_shape [8, 32] : (tensor<4x8x32xf32>, tensor<8x32xf32>) -> tensor<4x8x32xf32>
func.func @norm(%x: tensor<16x64x256xf32> {kgen.small = tensor<4x8x32xf32>},
                %w: tensor<64x256xf32> {kgen.small = tensor<8x32xf32>}) -> tensor<16x64x256xf32> {
  %0 = aten.layer_norm %x weight %w normalized_shape [64, 256] : (tensor<16x64x256xf32>, tensor<64x256xf32>) -> tensor<16x64x256xf32>
  return %0 : tensor<16x64x256xf32>
}

// -----

// Views: a kept dimension keeps its new extent, a merged one is the product, a
// split one takes the renamed extents (64 is 8 now), else the outermost takes the change; -1 stays.
// CHECK-LABEL: @views(
// CHECK: aten.view {{.*}} size [2, 32, 8] : (tensor<2x4x8x8xf32>)
// CHECK: aten.view {{.*}} size [-1, 4, 8, 8] : (tensor<2x32x8xf32>)
// CHECK: aten.reshape {{.*}} shape [2, 4, 64] : (tensor<2x4x8x8xf32>)
// CHECK: aten.reshape {{.*}} shape [2, 1, 4, 16, 4] : (tensor<2x4x64xf32>)
func.func @views(%x: tensor<16x4x64x8xf32> {kgen.small = tensor<2x4x8x8xf32>}) -> tensor<16x1x4x128x4xf32> {
  %0 = aten.view %x size [16, 256, 8] : (tensor<16x4x64x8xf32>) -> tensor<16x256x8xf32>
  %1 = aten.view %0 size [-1, 4, 64, 8] : (tensor<16x256x8xf32>) -> tensor<16x4x64x8xf32>
  %2 = aten.reshape %1 shape [16, 4, 512] : (tensor<16x4x64x8xf32>) -> tensor<16x4x512xf32>
  %3 = aten.reshape %2 shape [16, 1, 4, 128, 4] : (tensor<16x4x512xf32>) -> tensor<16x1x4x128x4xf32>
  return %3 : tensor<16x1x4x128x4xf32>
}

// -----

// What expand repeats follows the argument that had this extent.
// CHECK-LABEL: @expand(
// CHECK: aten.expand {{.*}} size [2, 8] : (tensor<1x8xf32>) -> tensor<2x8xf32>
// CHECK: aten.add.Tensor {{.*}} -> tensor<2x8xf32>
func.func @expand(%x: tensor<16x64xf32> {kgen.small = tensor<2x8xf32>},
                  %b: tensor<1x64xf32> {kgen.small = tensor<1x8xf32>}) -> tensor<16x64xf32> {
  %0 = aten.expand %b size [16, 64] : (tensor<1x64xf32>) -> tensor<16x64xf32>
  %1 = aten.add.Tensor %x, %0 : (tensor<16x64xf32>, tensor<16x64xf32>) -> tensor<16x64xf32>
  return %1 : tensor<16x64xf32>
}
