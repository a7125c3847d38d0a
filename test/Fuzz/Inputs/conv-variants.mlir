// expect: pass
// ideas: host:families
// Convolutions around those whose columns were wrong: strides, dilations, groups and padding of 16-bit and fp32 data.
func.func @f(
    %x_0: tensor<2x2x10x6xf16>, %w_0: tensor<6x2x3x3xf16>,
    %x_1: tensor<1x4x10x6xf16>, %w_1: tensor<12x2x3x3xf16>,
    %x_2: tensor<2x1x10x6xf16>, %w_2: tensor<3x1x1x1xf16>,
    %x_3: tensor<1x2x10x6xf16>, %w_3: tensor<6x1x3x3xf16>,
    %x_4: tensor<2x1x10x6xf16>, %w_4: tensor<3x1x3x3xf16>,
    %x_5: tensor<2x1x10x6xf16>, %w_5: tensor<3x1x3x3xf16>,
    %x_6: tensor<2x1x9x7xf16>, %w_6: tensor<3x1x3x3xf16>,
    %x_7: tensor<2x2x10x6xf16>, %w_7: tensor<2x1x3x3xf16>,
    %x_8: tensor<2x2x10x6xf16>, %w_8: tensor<6x1x3x3xf16>,
    %x_9: tensor<2x2x10x6xf32>, %w_9: tensor<6x1x3x3xf32>,
    %x_10: tensor<2x2x10x6xf16>, %w_10: tensor<6x1x3x3xf16>,
    %x_11: tensor<2x2x10x6xf16>, %w_11: tensor<6x1x3x3xf16>,
    %x_12: tensor<2x2x10x6xf16>, %w_12: tensor<6x1x3x3xf16>,
    %x_13: tensor<2x2x10x6xf16>, %w_13: tensor<6x1x3x3xf16>,
    %x_14: tensor<1x3x33x33xf16>, %w_14: tensor<32x3x3x3xf16>)
    -> (tensor<2x6x5x4xf16>, tensor<1x12x8x4xf16>, tensor<2x3x5x3xf16>, tensor<1x6x4x2xf16>, tensor<2x3x4x4xf16>, tensor<2x3x8x2xf16>, tensor<2x3x4x3xf16>, tensor<2x2x5x4xf16>, tensor<2x6x5x4xf16>, tensor<2x6x5x4xf32>, tensor<2x6x14x8xf16>, tensor<2x6x8x4xf16>, tensor<2x6x4x4xf16>, tensor<2x6x4x2xf16>, tensor<1x32x16x16xf16>) {
  // conv_g1
  %v0_0 = aten.conv2d %x_0, %w_0 stride [2, 2] padding [3, 2] dilation [3, 1] groups 1 : (tensor<2x2x10x6xf16>, tensor<6x2x3x3xf16>) -> tensor<2x6x5x4xf16>
  // conv_g3o2
  %v0_1 = aten.conv2d %x_1, %w_1 stride [1, 1] padding [0, 0] dilation [1, 1] groups 2 : (tensor<1x4x10x6xf16>, tensor<12x2x3x3xf16>) -> tensor<1x12x8x4xf16>
  // conv_m_k1
  %v0_2 = aten.conv2d %x_2, %w_2 stride [2, 2] padding [0, 0] dilation [1, 1] groups 1 : (tensor<2x1x10x6xf16>, tensor<3x1x1x1xf16>) -> tensor<2x3x5x3xf16>
  // conv_m_n1
  %v0_3 = aten.conv2d %x_3, %w_3 stride [2, 2] padding [0, 0] dilation [1, 1] groups 2 : (tensor<1x2x10x6xf16>, tensor<6x1x3x3xf16>) -> tensor<1x6x4x2xf16>
  // conv_m_sh
  %v0_4 = aten.conv2d %x_4, %w_4 stride [2, 1] padding [0, 0] dilation [1, 1] groups 1 : (tensor<2x1x10x6xf16>, tensor<3x1x3x3xf16>) -> tensor<2x3x4x4xf16>
  // conv_m_sw
  %v0_5 = aten.conv2d %x_5, %w_5 stride [1, 2] padding [0, 0] dilation [1, 1] groups 1 : (tensor<2x1x10x6xf16>, tensor<3x1x3x3xf16>) -> tensor<2x3x8x2xf16>
  // conv_m_w7
  %v0_6 = aten.conv2d %x_6, %w_6 stride [2, 2] padding [0, 0] dilation [1, 1] groups 1 : (tensor<2x1x9x7xf16>, tensor<3x1x3x3xf16>) -> tensor<2x3x4x3xf16>
  // conv_o2
  %v0_7 = aten.conv2d %x_7, %w_7 stride [2, 2] padding [3, 2] dilation [3, 1] groups 2 : (tensor<2x2x10x6xf16>, tensor<2x1x3x3xf16>) -> tensor<2x2x5x4xf16>
  // conv_orig16
  %v0_8 = aten.conv2d %x_8, %w_8 stride [2, 2] padding [3, 2] dilation [3, 1] groups 2 : (tensor<2x2x10x6xf16>, tensor<6x1x3x3xf16>) -> tensor<2x6x5x4xf16>
  // conv_orig32
  %v0_9 = aten.conv2d %x_9, %w_9 stride [2, 2] padding [3, 2] dilation [3, 1] groups 2 : (tensor<2x2x10x6xf32>, tensor<6x1x3x3xf32>) -> tensor<2x6x5x4xf32>
  // conv_p32
  %v0_10 = aten.conv2d %x_10, %w_10 stride [1, 1] padding [3, 2] dilation [1, 1] groups 2 : (tensor<2x2x10x6xf16>, tensor<6x1x3x3xf16>) -> tensor<2x6x14x8xf16>
  // conv_s1
  %v0_11 = aten.conv2d %x_11, %w_11 stride [1, 1] padding [0, 0] dilation [1, 1] groups 2 : (tensor<2x2x10x6xf16>, tensor<6x1x3x3xf16>) -> tensor<2x6x8x4xf16>
  // conv_s1d3
  %v0_12 = aten.conv2d %x_12, %w_12 stride [1, 1] padding [0, 0] dilation [3, 1] groups 2 : (tensor<2x2x10x6xf16>, tensor<6x1x3x3xf16>) -> tensor<2x6x4x4xf16>
  // conv_s2
  %v0_13 = aten.conv2d %x_13, %w_13 stride [2, 2] padding [0, 0] dilation [1, 1] groups 2 : (tensor<2x2x10x6xf16>, tensor<6x1x3x3xf16>) -> tensor<2x6x4x2xf16>
  // stem_s2_p0_fp16
  %v0_14 = aten.conv2d %x_14, %w_14 stride [2, 2] : (tensor<1x3x33x33xf16>, tensor<32x3x3x3xf16>) -> tensor<1x32x16x16xf16>
  return %v0_0, %v0_1, %v0_2, %v0_3, %v0_4, %v0_5, %v0_6, %v0_7, %v0_8, %v0_9, %v0_10, %v0_11, %v0_12, %v0_13, %v0_14 : tensor<2x6x5x4xf16>, tensor<1x12x8x4xf16>, tensor<2x3x5x3xf16>, tensor<1x6x4x2xf16>, tensor<2x3x4x4xf16>, tensor<2x3x8x2xf16>, tensor<2x3x4x3xf16>, tensor<2x2x5x4xf16>, tensor<2x6x5x4xf16>, tensor<2x6x5x4xf32>, tensor<2x6x14x8xf16>, tensor<2x6x8x4xf16>, tensor<2x6x4x4xf16>, tensor<2x6x4x2xf16>, tensor<1x32x16x16xf16>
}
