// expect: pass
// Scores over no depth are 0: each answer is the values' mean.
func.func @f(%q: tensor<1x2x0xf32>, %k: tensor<1x3x0xf32>, %v: tensor<1x3x4xf32>) -> tensor<1x2x4xf32> {
  %0 = aten.scaled_dot_product_attention %q, %k, %v : (tensor<1x2x0xf32>, tensor<1x3x0xf32>, tensor<1x3x4xf32>) -> tensor<1x2x4xf32>
  return %0 : tensor<1x2x4xf32>
}
