module attributes {kgen.problem = "conv_relu_maxpool", kgen.source = "conv_relu_maxpool.py", kgen.tiled_products} {
  func.func @conv_relu_maxpool(%arg0: tensor<100x3x224x224xf32> {kgen.init = "normal(0, 1)", kgen.name = "x", kgen.small = tensor<4x3x64x64xf32>}, %arg1: tensor<96x3x11x11xf32> {kgen.init = "uniform(-0.0524864, 0.0524864)", kgen.name = "conv.weight", kgen.parameter, kgen.small = tensor<96x3x11x11xf32>}, %arg2: tensor<96xf32> {kgen.init = "uniform(-0.0524864, 0.0524864)", kgen.name = "conv.bias", kgen.parameter, kgen.small = tensor<96xf32>}) -> tensor<100x96x27x27xf32> {
    %0 = kgen.dispatch @conv2d_0 idea(#kgen.idea<"Multiply on warpgroups and pool on the spot: each warpgroup walks down its rows of convolution outputs, keeps the maximum of a window's rows in registers and writes pooled rows only, so that the convolution's own result never reaches memory.", category = compute>) schedule(#kgen.schedule<family = conv, mma = wgmma, producer_warps = 2, stages = 5>) ins(%arg0, %arg1, %arg2 : tensor<100x3x224x224xf32>, tensor<96x3x11x11xf32>, tensor<96xf32>) {
    ^bb0(%arg3: tensor<100x3x224x224xf32>, %arg4: tensor<96x3x11x11xf32>, %arg5: tensor<96xf32>):
      %1 = aten.conv2d %arg3, %arg4, %arg5 stride [4, 4] padding [2, 2] : (tensor<100x3x224x224xf32>, tensor<96x3x11x11xf32>, tensor<96xf32>) -> tensor<100x96x55x55xf32>
      %2 = aten.relu %1 : (tensor<100x96x55x55xf32>) -> tensor<100x96x55x55xf32>
      %3 = aten.max_pool2d %2 kernel [3, 3] stride [2, 2] : (tensor<100x96x55x55xf32>) -> tensor<100x96x27x27xf32>
      kgen.yield %3 : tensor<100x96x27x27xf32>
    } : tensor<100x96x27x27xf32>
    return %0 : tensor<100x96x27x27xf32>
  }
}

