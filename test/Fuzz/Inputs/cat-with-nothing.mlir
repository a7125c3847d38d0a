// expect: pass
// A part without elements begins behind the end.
func.func @f(%x: tensor<3x5xf32>, %y: tensor<3x0xf32>) -> tensor<3x5xf32> {
  %0 = aten.cat %x, %y dim 1 : (tensor<3x5xf32>, tensor<3x0xf32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}
