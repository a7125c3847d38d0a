// Where numbers are positive: bools.
module {
  func.func @positive(
    %x: tensor<4096xf32>
        {kgen.init = "normal(0, 1)", kgen.name = "x"})
      -> tensor<4096xi1> {
    %gt = aten.gt.Scalar %x {other = 0.0} : (tensor<4096xf32>) -> tensor<4096xi1>
    return %gt : tensor<4096xi1>
  }
}
