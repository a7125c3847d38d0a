// Small enough for the oracle on the CPU, large enough for caches to matter.
func.func @stream(%x: tensor<983040xf32>) -> tensor<983040xf32> {
  %0 = aten.mul.Scalar %x {other = 2.0} : (tensor<983040xf32>) -> tensor<983040xf32>
  return %0 : tensor<983040xf32>
}
