// expect: pass
// The same, one channel to a group.
func.func @f(%x: tensor<1x8x17x17xf16>, %w: tensor<8x1x3x3xf16>) -> tensor<1x8x9x9xf16> {
  %0 = aten.conv2d %x, %w stride [2, 2] padding [1, 1] groups 8 : (tensor<1x8x17x17xf16>, tensor<8x1x3x3xf16>) -> tensor<1x8x9x9xf16>
  return %0 : tensor<1x8x9x9xf16>
}
