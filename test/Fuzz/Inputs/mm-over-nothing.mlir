// expect: pass
// Products over no k are 0.
func.func @f(%x: tensor<3x0xf32>, %y: tensor<0x4xf32>) -> tensor<3x4xf32> {
  %0 = aten.mm %x, %y : (tensor<3x0xf32>, tensor<0x4xf32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}
