// expect: pass
// ideas: network
// One token's attention: the permutation behind it, which its kernel writes through, moves only dimensions of one element. The task behind it read the
// first argument of the graph.
module {
  func.func @step(%x: tensor<1x1x32xf32> {kgen.init = "uniform(-1, 1)"}, %k: tensor<1x4x12x8xf32> {kgen.init = "uniform(-1, 1)"},
      %v: tensor<1x4x12x8xf32> {kgen.init = "uniform(-1, 1)"}, %w: tensor<32x32xf32> {kgen.init = "normal(0, 0.2)", kgen.parameter},
      %o: tensor<32x32xf32> {kgen.init = "normal(0, 0.2)", kgen.parameter}) -> tensor<1x1x32xf32> {
    %q = aten.linear %x, %w : (tensor<1x1x32xf32>, tensor<32x32xf32>) -> tensor<1x1x32xf32>
    %heads = aten.view %q size [1, 1, 4, 8] : (tensor<1x1x32xf32>) -> tensor<1x1x4x8xf32>
    %t = aten.transpose.int %heads dim0 1 dim1 2 : (tensor<1x1x4x8xf32>) -> tensor<1x4x1x8xf32>
    %a = aten.scaled_dot_product_attention %t, %k, %v : (tensor<1x4x1x8xf32>, tensor<1x4x12x8xf32>, tensor<1x4x12x8xf32>) -> tensor<1x4x1x8xf32>
    %b = aten.transpose.int %a dim0 1 dim1 2 : (tensor<1x4x1x8xf32>) -> tensor<1x1x4x8xf32>
    %c = aten.view %b size [1, 1, 32] : (tensor<1x1x4x8xf32>) -> tensor<1x1x32xf32>
    %y = aten.linear %c, %o : (tensor<1x1x32xf32>, tensor<32x32xf32>) -> tensor<1x1x32xf32>
    %z = aten.add.Tensor %x, %y : (tensor<1x1x32xf32>, tensor<1x1x32xf32>) -> tensor<1x1x32xf32>
    return %z : tensor<1x1x32xf32>
  }
}
