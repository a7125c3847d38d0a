// expect: pass
// Nothing to compute.
func.func @f(%x: tensor<2x0x3xf32>) -> tensor<2x0x3xf32> {
  %0 = aten.relu %x : (tensor<2x0x3xf32>) -> tensor<2x0x3xf32>
  return %0 : tensor<2x0x3xf32>
}
