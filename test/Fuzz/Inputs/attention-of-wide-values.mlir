// expect: pass
// Values wider than the attention family takes.
func.func @f(%q: tensor<1x3x7xf32>, %k: tensor<1x9x7xf32>, %v: tensor<1x9x2000xf32>) -> tensor<1x3x2000xf32> {
  %0 = aten.scaled_dot_product_attention %q, %k, %v : (tensor<1x3x7xf32>, tensor<1x9x7xf32>, tensor<1x9x2000xf32>) -> tensor<1x3x2000xf32>
  return %0 : tensor<1x3x2000xf32>
}
