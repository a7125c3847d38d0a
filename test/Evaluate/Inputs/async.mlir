func.func @twice(%x: tensor<1000xf32>) -> tensor<1000xf32> {
  %0 = aten.mul.Scalar %x {other = 2.0} : (tensor<1000xf32>) -> tensor<1000xf32>
  return %0 : tensor<1000xf32>
}
