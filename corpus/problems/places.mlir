// Sums at places, some of which are one.
module {
  func.func @places(
    %x: tensor<512xf32>
        {kgen.init = "normal(0, 1)", kgen.name = "x"},
    %i: tensor<64xi64>
        {kgen.init = "integer(0, 511)", kgen.name = "i"},
    %v: tensor<64xf32>
        {kgen.init = "normal(0, 1)", kgen.name = "v"})
      -> tensor<512xf32> {
    %index_put = aten.index_put %x, %i values %v dims [0] accumulate true : (tensor<512xf32>, tensor<64xi64>, tensor<64xf32>) -> tensor<512xf32>
    return %index_put : tensor<512xf32>
  }
}
