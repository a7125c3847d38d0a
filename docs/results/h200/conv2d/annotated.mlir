module attributes {kgen.problem = "conv2d", kgen.source = "conv2d.py", kgen.tiled_products} {
  func.func @conv2d(%arg0: tensor<100x3x224x224xf32> {kgen.init = "normal(0, 1)", kgen.name = "x", kgen.small = tensor<4x3x64x64xf32>}, %arg1: tensor<96x3x11x11xf32> {kgen.init = "uniform(-0.0524864, 0.0524864)", kgen.name = "conv.weight", kgen.parameter, kgen.small = tensor<96x3x11x11xf32>}, %arg2: tensor<96xf32> {kgen.init = "uniform(-0.0524864, 0.0524864)", kgen.name = "conv.bias", kgen.parameter, kgen.small = tensor<96xf32>}) -> tensor<100x96x55x55xf32> {
    %0 = kgen.dispatch @conv2d_0 idea(#kgen.idea<"Multiply on warpgroups: the image lies in shared memory as chunks of 16 bytes that matrix descriptors address, so that nothing gathers; the weights stay for the whole life of a block, f32 data is rounded to fp16 under exact scales, and the pooling happens in registers.", category = compute>) schedule(#kgen.schedule<family = conv, consumers = 1, mma = wgmma, producer_warps = 4>) ins(%arg0, %arg1, %arg2 : tensor<100x3x224x224xf32>, tensor<96x3x11x11xf32>, tensor<96xf32>) {
    ^bb0(%arg3: tensor<100x3x224x224xf32>, %arg4: tensor<96x3x11x11xf32>, %arg5: tensor<96xf32>):
      %1 = aten.conv2d %arg3, %arg4, %arg5 stride [4, 4] padding [2, 2] : (tensor<100x3x224x224xf32>, tensor<96x3x11x11xf32>, tensor<96xf32>) -> tensor<100x96x55x55xf32>
      kgen.yield %1 : tensor<100x96x55x55xf32>
    } : tensor<100x96x55x55xf32>
    return %0 : tensor<100x96x55x55xf32>
  }
}

