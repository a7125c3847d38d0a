// expect: pass
// No images: nothing to compute.
func.func @f(%x: tensor<0x3x8x8xf32>, %w: tensor<4x3x3x3xf32>) -> tensor<0x4x6x6xf32> {
  %0 = aten.conv2d %x, %w : (tensor<0x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<0x4x6x6xf32>
  return %0 : tensor<0x4x6x6xf32>
}
