module attributes {kgen.problem = "conv_relu_maxpool", kgen.source = "conv_relu_maxpool.py"} {
  func.func @conv_relu_maxpool(
    %x: tensor<100x3x224x224xf32>
        {kgen.init = "normal(0, 1)", kgen.name = "x", kgen.small = tensor<4x3x64x64xf32>},
    %weight: tensor<96x3x11x11xf32>
        {kgen.init = "uniform(-0.0524864, 0.0524864)", kgen.name = "conv.weight", kgen.parameter, kgen.small = tensor<96x3x11x11xf32>},
    %bias: tensor<96xf32>
        {kgen.init = "uniform(-0.0524864, 0.0524864)", kgen.name = "conv.bias", kgen.parameter, kgen.small = tensor<96xf32>})
      -> tensor<100x96x27x27xf32> {
    %0 = aten.conv2d %x, %weight, %bias stride [4, 4] padding [2, 2]
        : (tensor<100x3x224x224xf32>, tensor<96x3x11x11xf32>, tensor<96xf32>) -> tensor<100x96x55x55xf32>
    %1 = aten.relu %0 : (tensor<100x96x55x55xf32>) -> tensor<100x96x55x55xf32>
    %2 = aten.max_pool2d %1 kernel [3, 3] stride [2, 2] : (tensor<100x96x55x55xf32>) -> tensor<100x96x27x27xf32>
    return %2 : tensor<100x96x27x27xf32>
  }
}
