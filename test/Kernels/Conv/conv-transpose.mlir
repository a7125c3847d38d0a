// RUN: kgen-opt %s --kgen-form-dispatches --kgen-lower | FileCheck %s

// A transposed convolution is a plain one of stride 1 for each phase of its stride, with the taps that the phase has; its default tile
// fits a block also where the rows are of prime length.
// CHECK: constexpr int OC = 64, OD = 1, OH = 257, OW = 257;
// CHECK: constexpr int KD = 1, KH = 2, KW = 2;
// CHECK: constexpr int PHASE_D = 1, PHASE_H = 2, PHASE_W = 2, PHASES
// CHECK: constexpr int FULL_D = 1, FULL_H = 513, FULL_W = 513;
// CHECK: constexpr int APART_D = 1, APART_H = 2, APART_W = 2;
// CHECK: constexpr int SPAN_W = 3;
// CHECK: kgen.launch @conv_transpose2d_input_0::@conv_transpose2d_input_0_weights
// CHECK: kgen.launch @conv_transpose2d_input_0::@conv_transpose2d_input_0_main
module attributes {kgen.precision = "tf32"} {
func.func @f(%x: tensor<32x64x256x256xf32>, %w: tensor<64x64x4x4xf32>, %b: tensor<64xf32>) -> tensor<32x64x513x513xf32> {
  %0 = aten.conv_transpose2d.input %x, %w, %b stride [2, 2] padding [1, 1] output_padding [1, 1]
      : (tensor<32x64x256x256xf32>, tensor<64x64x4x4xf32>, tensor<64xf32>) -> tensor<32x64x513x513xf32>
  %1 = aten.tanh %0 : (tensor<32x64x513x513xf32>) -> tensor<32x64x513x513xf32>
  return %1 : tensor<32x64x513x513xf32>
}
}
