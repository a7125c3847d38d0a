// Sums of halves: the accumulator's width decides.
func.func @halves(%a: tensor<16x512xf16>, %b: tensor<512x16xf16>) -> tensor<16x16xf16> {
  %0 = aten.matmul %a, %b : (tensor<16x512xf16>, tensor<512x16xf16>) -> tensor<16x16xf16>
  return %0 : tensor<16x16xf16>
}
