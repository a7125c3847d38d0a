// expect: pass
// Segments of a scan over nothing.
func.func @f(%x: tensor<3x0x4xf32>) -> tensor<3x0x4xf32> {
  %0 = aten.cumsum %x dim 0 : (tensor<3x0x4xf32>) -> tensor<3x0x4xf32>
  return %0 : tensor<3x0x4xf32>
}
