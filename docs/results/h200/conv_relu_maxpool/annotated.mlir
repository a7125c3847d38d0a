module attributes {kgen.problem = "conv_relu_maxpool", kgen.source = "conv_relu_maxpool.py"} {
  func.func @conv_relu_maxpool(%arg0: tensor<100x3x224x224xf32> {kgen.init = "normal(0, 1)", kgen.name = "x", kgen.small = tensor<4x3x64x64xf32>}, %arg1: tensor<96x3x11x11xf32> {kgen.init = "uniform(-0.0524864, 0.0524864)", kgen.name = "conv.weight", kgen.parameter, kgen.small = tensor<96x3x11x11xf32>}, %arg2: tensor<96xf32> {kgen.init = "uniform(-0.0524864, 0.0524864)", kgen.name = "conv.bias", kgen.parameter, kgen.small = tensor<96xf32>}) -> tensor<100x96x27x27xf32> {
    %0 = kgen.dispatch @conv2d_0 idea(#kgen.idea<"Compute the pooling where the convolution's results are: a block produces the convolution outputs behind its own windows and writes only the pooled values.", category = control>) schedule(#kgen.schedule<family = conv, mma = wgmma, stages = 5>) ins(%arg0, %arg1, %arg2 : tensor<100x3x224x224xf32>, tensor<96x3x11x11xf32>, tensor<96xf32>) {
    ^bb0(%arg3: tensor<100x3x224x224xf32>, %arg4: tensor<96x3x11x11xf32>, %arg5: tensor<96xf32>):
      %1 = aten.conv2d %arg3, %arg4, %arg5 stride [4, 4] padding [2, 2] : (tensor<100x3x224x224xf32>, tensor<96x3x11x11xf32>, tensor<96xf32>) -> tensor<100x96x55x55xf32>
      %2 = aten.relu %1 : (tensor<100x96x55x55xf32>) -> tensor<100x96x55x55xf32>
      %3 = aten.max_pool2d %2 kernel [3, 3] stride [2, 2] : (tensor<100x96x55x55xf32>) -> tensor<100x96x27x27xf32>
      kgen.yield %3 : tensor<100x96x27x27xf32>
    } : tensor<100x96x27x27xf32>
    return %0 : tensor<100x96x27x27xf32>
  }
}

