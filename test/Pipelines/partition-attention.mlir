// RUN: kgen-opt %s --kgen-partition | FileCheck %s

// nn.MultiheadAttention with weights that nobody reads: one task of attention, which reads the packed projection as it
// lies and takes the transposes of rows on either side.
// CHECK-LABEL: func.func private @t00_linear(%arg0: tensor<2x64x64xf32>
// CHECK-LABEL: func.func private @t01_scaled_dot_product_attention(%arg0: tensor<2x64x192xf32>
// CHECK-COUNT-1: aten.scaled_dot_product_attention
// CHECK-NOT: aten.softmax.int
// CHECK-LABEL: func.func private @t02_linear
// CHECK-LABEL: func.func @network
func.func @network(%x: tensor<2x64x64xf32>, %w: tensor<192x64xf32> {kgen.parameter}, %o: tensor<64x64xf32> {kgen.parameter}) -> tensor<2x64x64xf32> {
  %0 = aten.transpose.int %x dim0 1 dim1 0 : (tensor<2x64x64xf32>) -> tensor<64x2x64xf32>
  %1 = aten.linear %0, %w : (tensor<64x2x64xf32>, tensor<192x64xf32>) -> tensor<64x2x192xf32>
  %2 = aten.narrow %1 dim -1 start 0 length 64 : (tensor<64x2x192xf32>) -> tensor<64x2x64xf32>
  %3 = aten.narrow %1 dim -1 start 64 length 64 : (tensor<64x2x192xf32>) -> tensor<64x2x64xf32>
  %4 = aten.narrow %1 dim -1 start 128 length 64 : (tensor<64x2x192xf32>) -> tensor<64x2x64xf32>
  %5 = aten.view %2 size [64, 4, 32] : (tensor<64x2x64xf32>) -> tensor<64x4x32xf32>
  %6 = aten.transpose.int %5 dim0 0 dim1 1 : (tensor<64x4x32xf32>) -> tensor<4x64x32xf32>
  %7 = aten.view %3 size [64, 4, 32] : (tensor<64x2x64xf32>) -> tensor<64x4x32xf32>
  %8 = aten.transpose.int %7 dim0 0 dim1 1 : (tensor<64x4x32xf32>) -> tensor<4x64x32xf32>
  %9 = aten.view %4 size [64, 4, 32] : (tensor<64x2x64xf32>) -> tensor<64x4x32xf32>
  %10 = aten.transpose.int %9 dim0 0 dim1 1 : (tensor<64x4x32xf32>) -> tensor<4x64x32xf32>
  %11 = aten.mul.Scalar %6 {other = 0.17677669} : (tensor<4x64x32xf32>) -> tensor<4x64x32xf32>
  %12 = aten.transpose.int %8 dim0 -2 dim1 -1 : (tensor<4x64x32xf32>) -> tensor<4x32x64xf32>
  %13 = aten.bmm %11, %12 : (tensor<4x64x32xf32>, tensor<4x32x64xf32>) -> tensor<4x64x64xf32>
  %14 = aten.softmax.int %13 dim -1 : (tensor<4x64x64xf32>) -> tensor<4x64x64xf32>
  %15 = aten.bmm %14, %10 : (tensor<4x64x64xf32>, tensor<4x64x32xf32>) -> tensor<4x64x32xf32>
  %16 = aten.transpose.int %15 dim0 0 dim1 1 : (tensor<4x64x32xf32>) -> tensor<64x4x32xf32>
  %17 = aten.view %16 size [128, 64] : (tensor<64x4x32xf32>) -> tensor<128x64xf32>
  %18 = aten.linear %17, %o : (tensor<128x64xf32>, tensor<64x64xf32>) -> tensor<128x64xf32>
  %19 = aten.view %18 size [64, 2, 64] : (tensor<128x64xf32>) -> tensor<64x2x64xf32>
  %20 = aten.transpose.int %19 dim0 1 dim1 0 : (tensor<64x2x64xf32>) -> tensor<2x64x64xf32>
  %21 = aten.relu %20 : (tensor<2x64x64xf32>) -> tensor<2x64x64xf32>
  return %21 : tensor<2x64x64xf32>
}
