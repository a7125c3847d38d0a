// What lies between two numbers of tf32 goes to the nearer one, half way to the even one: integers of 13 bits, of which tf32 keeps 11.
func.func @product(%x: tensor<60x48xf32> {kgen.init = "integer(4096, 8191)"}, %w: tensor<64x48xf32> {kgen.init = "integer(-8, 8)"})
    -> (tensor<60x48xf32>, tensor<60x64xf32>) {
  %0 = aten.mul.Scalar %x {other = 0.25 : f64} : (tensor<60x48xf32>) -> tensor<60x48xf32>
  %1 = aten.round %0 : (tensor<60x48xf32>) -> tensor<60x48xf32>
  %2 = aten.mul.Scalar %1 {other = 4.0 : f64} : (tensor<60x48xf32>) -> tensor<60x48xf32>
  %3 = aten.linear %2, %w : (tensor<60x48xf32>, tensor<64x48xf32>) -> tensor<60x64xf32>
  return %2, %3 : tensor<60x48xf32>, tensor<60x64xf32>
}
