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
