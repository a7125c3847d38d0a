// Weights of what a mask shows: rows of it are seldom half and half.
module {
  func.func @masked(
    %x: tensor<64x128xf32>
        {kgen.init = "normal(0, 1)", kgen.name = "x"},
    %m: tensor<64x128xi1>
        {kgen.init = "integer(0, 1)", kgen.name = "m"})
      -> tensor<64x128xf32> {
    %masked_fill = aten.masked_fill.Scalar %x, %m {value = 0xFFF0000000000000 : f64} : (tensor<64x128xf32>, tensor<64x128xi1>) -> tensor<64x128xf32>
    %softmax = aten.softmax.int %masked_fill dim -1 : (tensor<64x128xf32>) -> tensor<64x128xf32>
    return %softmax : tensor<64x128xf32>
  }
}
