// The final state of a chunked scan (Mamba 2), as einsum leaves it: what is scaled by weights, sliced or only permuted is no pass over
// the states of its own.
// RUN: kgen-opt %s --kgen-partition | FileCheck %s

// Decays of weights scale the smaller operand, once and for all.
// CHECK-LABEL: func.func private @t00_mul(
// CHECK-SAME: tensor<16x2x64x8x16x1xf32>
// CHECK: aten.mul.Tensor %{{.*}}, %{{.*}} : (tensor<256x64x16xf32>, tensor<256x64x1xf32>)

// The product reads its input by strides: nothing is between.
// CHECK-LABEL: func.func private @t01_bmm(
// CHECK-SAME: %arg0: tensor<16x2x64x8x64x1xf32>
// CHECK-NEXT: aten.permute
// CHECK-NEXT: aten.permute
// CHECK-NEXT: aten.view
// CHECK-NEXT: aten.bmm
// CHECK-NEXT: return

// One row of three of each product of three numbers, of which one meets the zeros in front of the states.
// CHECK-LABEL: func.func private @t03_mul(
// CHECK-NOT: aten.bmm
// CHECK-NOT: aten.cat
// CHECK: return %{{.*}} : tensor<128x1x1024xf32>

// CHECK-LABEL: func.func @states(
// CHECK: call @t00_mul({{.*}}) {kgen.prepare}
// CHECK: call @t01_bmm(
// CHECK-NOT: prepare
// CHECK: call @t02_mul({{.*}}) {kgen.prepare}
// CHECK: call @t03_mul(
// CHECK-NOT: call
func.func @states(%x: tensor<16x2x64x8x64xf32>, %d: tensor<16x8x2x64xf32> {kgen.parameter}, %b: tensor<16x2x64x8x16xf32> {kgen.parameter},
    %w: tensor<128x3x3xf32> {kgen.parameter}) -> tensor<16x8x64x16xf32> {
  %0 = aten.unsqueeze %b dim 5 : (tensor<16x2x64x8x16xf32>) -> tensor<16x2x64x8x16x1xf32>
  %1 = aten.permute %0 dims [0, 1, 3, 5, 4, 2] : (tensor<16x2x64x8x16x1xf32>) -> tensor<16x2x8x1x16x64xf32>
  %2 = aten.unsqueeze %d dim 4 : (tensor<16x8x2x64xf32>) -> tensor<16x8x2x64x1xf32>
  %3 = aten.unsqueeze %2 dim 5 : (tensor<16x8x2x64x1xf32>) -> tensor<16x8x2x64x1x1xf32>
  %4 = aten.permute %3 dims [0, 2, 1, 4, 5, 3] : (tensor<16x8x2x64x1x1xf32>) -> tensor<16x2x8x1x1x64xf32>
  %5 = aten.unsqueeze %x dim 5 : (tensor<16x2x64x8x64xf32>) -> tensor<16x2x64x8x64x1xf32>
  %6 = aten.permute %5 dims [0, 1, 3, 4, 5, 2] : (tensor<16x2x64x8x64x1xf32>) -> tensor<16x2x8x64x1x64xf32>
  %7 = aten.mul.Tensor %4, %6 : (tensor<16x2x8x1x1x64xf32>, tensor<16x2x8x64x1x64xf32>) -> tensor<16x2x8x64x1x64xf32>
  %8 = aten.permute %7 dims [0, 1, 2, 3, 5, 4] : (tensor<16x2x8x64x1x64xf32>) -> tensor<16x2x8x64x64x1xf32>
  %9 = aten.view %8 size [256, 64, 64] : (tensor<16x2x8x64x64x1xf32>) -> tensor<256x64x64xf32>
  %10 = aten.permute %1 dims [0, 1, 2, 5, 4, 3] : (tensor<16x2x8x1x16x64xf32>) -> tensor<16x2x8x64x16x1xf32>
  %11 = aten.view %10 size [256, 64, 16] : (tensor<16x2x8x64x16x1xf32>) -> tensor<256x64x16xf32>
  %12 = aten.bmm %9, %11 : (tensor<256x64x64xf32>, tensor<256x64x16xf32>) -> tensor<256x64x16xf32>
  %13 = aten.view %12 size [16, 2, 8, 64, 16] : (tensor<256x64x16xf32>) -> tensor<16x2x8x64x16xf32>
  %14 = aten.full size [16, 1, 8, 64, 16] fill_value 0.0 dtype f32 : () -> tensor<16x1x8x64x16xf32>
  %15 = aten.cat %14, %13 dim 1 : (tensor<16x1x8x64x16xf32>, tensor<16x2x8x64x16xf32>) -> tensor<16x3x8x64x16xf32>
  %16 = aten.permute %15 dims [0, 2, 1, 3, 4] : (tensor<16x3x8x64x16xf32>) -> tensor<16x8x3x64x16xf32>
  %17 = aten.view %16 size [128, 3, 1024] : (tensor<16x8x3x64x16xf32>) -> tensor<128x3x1024xf32>
  %18 = aten.bmm %w, %17 : (tensor<128x3x3xf32>, tensor<128x3x1024xf32>) -> tensor<128x3x1024xf32>
  %19 = aten.view %18 size [16, 8, 3, 64, 16] : (tensor<128x3x1024xf32>) -> tensor<16x8x3x64x16xf32>
  %20 = aten.permute %19 dims [0, 2, 1, 3, 4] : (tensor<16x8x3x64x16xf32>) -> tensor<16x3x8x64x16xf32>
  %21 = aten.select.int %20 dim 1 index -1 : (tensor<16x3x8x64x16xf32>) -> tensor<16x8x64x16xf32>
  return %21 : tensor<16x8x64x16xf32>
}
