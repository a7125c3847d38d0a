// expect: pass
// No attention kernel holds such heads in fp64: the generic path takes them, also when the oracle runs on a card.
func.func @f(%q: tensor<1x5x1000xf64>, %k: tensor<1x7x1000xf64>, %v: tensor<1x7x1000xf64>) -> tensor<1x5x1000xf64> {
  %0 = aten.scaled_dot_product_attention %q, %k, %v : (tensor<1x5x1000xf64>, tensor<1x7x1000xf64>, tensor<1x7x1000xf64>) -> tensor<1x5x1000xf64>
  return %0 : tensor<1x5x1000xf64>
}
