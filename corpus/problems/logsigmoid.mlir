// A logarithm of a sigmoid, which far below zero is the number itself.
module {
  func.func @logsigmoid(
    %x: tensor<4096xf32>
        {kgen.init = "normal(0, 1)", kgen.name = "x"})
      -> tensor<4096xf32> {
    %new_zeros = aten.full size [] fill_value 0.0 dtype f32 : () -> tensor<f32>
    %minimum = aten.minimum %new_zeros, %x : (tensor<f32>, tensor<4096xf32>) -> tensor<4096xf32>
    %abs_1 = aten.abs %x : (tensor<4096xf32>) -> tensor<4096xf32>
    %neg = aten.neg %abs_1 : (tensor<4096xf32>) -> tensor<4096xf32>
    %exp = aten.exp %neg : (tensor<4096xf32>) -> tensor<4096xf32>
    %log1p = aten.log1p %exp : (tensor<4096xf32>) -> tensor<4096xf32>
    %sub = aten.sub.Tensor %minimum, %log1p : (tensor<4096xf32>, tensor<4096xf32>) -> tensor<4096xf32>
    return %sub : tensor<4096xf32>
  }
}
