// expect: pass
// ideas: host:families
func.func @f(%x: tensor<8x32x56x56xf16>, %w: tensor<32x1x3x3xf16>) -> tensor<8x32x28x28xf16> {
  %0 = aten.conv2d %x, %w stride [2, 2] padding [1, 1] groups 32 : (tensor<8x32x56x56xf16>, tensor<32x1x3x3xf16>) -> tensor<8x32x28x28xf16>
  return %0 : tensor<8x32x28x28xf16>
}
