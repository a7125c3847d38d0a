// expect: pass
// The same in a network's first layer.
func.func @f(%x: tensor<8x3x224x224xf16>, %w: tensor<64x3x7x7xf16>) -> tensor<8x64x112x112xf16> {
  %0 = aten.conv2d %x, %w stride [2, 2] padding [3, 3] : (tensor<8x3x224x224xf16>, tensor<64x3x7x7xf16>) -> tensor<8x64x112x112xf16>
  return %0 : tensor<8x64x112x112xf16>
}
