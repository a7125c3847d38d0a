func.func @add(%x: tensor<2x2xf32>, %i: tensor<2xi64>) -> (tensor<2x2xf32>, tensor<2xi64>, tensor<2x2xf32>) {
  %0 = aten.add.Scalar %x {other = 0.5} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %1 = aten.mul.Scalar %i {other = 3.0} : (tensor<2xi64>) -> tensor<2xi64>
  return %0, %1, %x : tensor<2x2xf32>, tensor<2xi64>, tensor<2x2xf32>
}
