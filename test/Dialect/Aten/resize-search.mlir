// Without kgen.small the pass finds extents by halving.
// RUN: kgen-opt %s --kgen-resize="max-flops=1e8 max-elements=1048576" | FileCheck %s
// RUN: kgen-opt %s --kgen-resize=size=small | FileCheck %s

// Both extents of a square product shrink together: 2 * 256^3 is the first below 1e8.
// CHECK-LABEL: @matmul(
// CHECK: aten.matmul {{.*}} : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
func.func @matmul(%a: tensor<4096x4096xf32>, %b: tensor<4096x4096xf32>) -> tensor<4096x4096xf32> {
  %0 = aten.matmul %a, %b : (tensor<4096x4096xf32>, tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  return %0 : tensor<4096x4096xf32>
}

// The batch first; then all the 8192s, until each of 512 groups is down to 8
// elements; then only the inner extent.
// CHECK-LABEL: @gemm_norm(
// CHECK: aten.linear {{.*}} : (tensor<16x256xf32>, tensor<4096x256xf32>, tensor<4096xf32>) -> tensor<16x4096xf32>
// CHECK: aten.group_norm {{.*}} num_groups 512 : (tensor<16x4096xf32>)
func.func @gemm_norm(%x: tensor<1024x8192xf32>, %w: tensor<8192x8192xf32> {kgen.parameter},
                     %b: tensor<8192xf32> {kgen.parameter}) -> tensor<1024x8192xf32> {
  %0 = aten.linear %x, %w, %b : (tensor<1024x8192xf32>, tensor<8192x8192xf32>, tensor<8192xf32>) -> tensor<1024x8192xf32>
  %1 = aten.group_norm %0 num_groups 512 : (tensor<1024x8192xf32>) -> tensor<1024x8192xf32>
  return %1 : tensor<1024x8192xf32>
}

// Extents below 8 stay when others can shrink, so a view that splits one still fits.
// CHECK-LABEL: @split(
// CHECK: aten.view {{.*}} size [{{[0-9]+}}, 3, 2, {{[0-9]+}}]
func.func @split(%x: tensor<64x6x65536xf32>) -> tensor<64x3x2x65536xf32> {
  %0 = aten.view %x size [64, 3, 2, 65536] : (tensor<64x6x65536xf32>) -> tensor<64x3x2x65536xf32>
  return %0 : tensor<64x3x2x65536xf32>
}

// A layer that reads a flattened image: nothing shrinks alone. The widths halve together, and where the image shrinks, the weight follows.
// CHECK-LABEL: @flattened(
// CHECK: aten.conv2d {{.*}} : (tensor<4x3x112x112xf32>, tensor<8x3x3x3xf32>, tensor<8xf32>)
// CHECK: aten.linear {{.*}} : (tensor<4x72xf32>, tensor<64x72xf32>, tensor<64xf32>)
func.func @flattened(%x: tensor<8x3x224x224xf32>, %w: tensor<512x3x3x3xf32> {kgen.parameter}, %b: tensor<512xf32> {kgen.parameter},
                     %p: tensor<4096x25088xf32> {kgen.parameter}, %q: tensor<4096xf32> {kgen.parameter}) -> tensor<8x4096xf32> {
  %0 = aten.conv2d %x, %w, %b stride [1, 1] padding [1, 1] dilation [1, 1] groups 1 : (tensor<8x3x224x224xf32>, tensor<512x3x3x3xf32>, tensor<512xf32>) -> tensor<8x512x224x224xf32>
  %1 = aten.max_pool2d %0 kernel [32, 32] stride [32, 32] padding [0, 0] dilation [1, 1] ceil_mode false : (tensor<8x512x224x224xf32>) -> tensor<8x512x7x7xf32>
  %2 = aten.view %1 size [8, 25088] : (tensor<8x512x7x7xf32>) -> tensor<8x25088xf32>
  %3 = aten.linear %2, %p, %q : (tensor<8x25088xf32>, tensor<4096x25088xf32>, tensor<4096xf32>) -> tensor<8x4096xf32>
  return %3 : tensor<8x4096xf32>
}
