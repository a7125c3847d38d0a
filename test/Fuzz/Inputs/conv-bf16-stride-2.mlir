// expect: pass
// The same in bf16.
func.func @f(%x: tensor<2x1x10x6xbf16>, %w: tensor<3x1x3x3xbf16>) -> tensor<2x3x4x2xbf16> {
  %0 = aten.conv2d %x, %w stride [2, 2] padding [0, 0] dilation [1, 1] groups 1 : (tensor<2x1x10x6xbf16>, tensor<3x1x3x3xbf16>) -> tensor<2x3x4x2xbf16>
  return %0 : tensor<2x3x4x2xbf16>
}
