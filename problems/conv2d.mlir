module attributes {kgen.problem = "conv2d", kgen.source = "conv2d.py"} {
  func.func @conv2d(
    %x: tensor<100x3x224x224xf32>
        {kgen.init = "normal(0, 1)", kgen.name = "x", kgen.small = tensor<4x3x64x64xf32>},
    %weight: tensor<96x3x11x11xf32>
        {kgen.init = "uniform(-0.0524864, 0.0524864)", kgen.name = "conv.weight", kgen.parameter, kgen.small = tensor<96x3x11x11xf32>},
    %bias: tensor<96xf32>
        {kgen.init = "uniform(-0.0524864, 0.0524864)", kgen.name = "conv.bias", kgen.parameter, kgen.small = tensor<96xf32>})
      -> tensor<100x96x55x55xf32> {
    %0 = aten.conv2d %x, %weight, %bias stride [4, 4] padding [2, 2]
        : (tensor<100x3x224x224xf32>, tensor<96x3x11x11xf32>, tensor<96xf32>) -> tensor<100x96x55x55xf32>
    return %0 : tensor<100x96x55x55xf32>
  }
}
