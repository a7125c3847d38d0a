// expect: pass
// The same along one dimension.
func.func @f(%x: tensor<2x4x33xf16>, %w: tensor<16x4x3xf16>) -> tensor<2x16x16xf16> {
  %0 = aten.conv1d %x, %w stride [2] : (tensor<2x4x33xf16>, tensor<16x4x3xf16>) -> tensor<2x16x16xf16>
  return %0 : tensor<2x16x16xf16>
}
