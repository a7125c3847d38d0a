// expect: pass
// Nothing to compute.
func.func @f(%x: tensor<3x4x0xf32>) -> tensor<3x4x0xf32> {
  %0 = aten.instance_norm %x : (tensor<3x4x0xf32>) -> tensor<3x4x0xf32>
  return %0 : tensor<3x4x0xf32>
}
