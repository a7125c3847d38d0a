module attributes {kgen.problem = "layer_norm", kgen.source = "layer_norm.py"} {
  func.func @layer_norm(%arg0: tensor<16x64x256x256xf32> {kgen.init = "normal(0, 1)", kgen.name = "x", kgen.small = tensor<4x8x32x32xf32>}, %arg1: tensor<64x256x256xf32> {kgen.init = "uniform(0.5, 1.5)", kgen.name = "norm.weight", kgen.parameter, kgen.small = tensor<8x32x32xf32>}, %arg2: tensor<64x256x256xf32> {kgen.init = "normal(0, 0.1)", kgen.name = "norm.bias", kgen.parameter, kgen.small = tensor<8x32x32xf32>}) -> tensor<16x64x256x256xf32> {
    %0 = kgen.dispatch @layer_norm_0 idea(#kgen.idea<"Let all multiprocessors hold one row in their shared memories, each a part: they tell each other their part of the statistic through memory while the rest of the row before is written and the next row's elements travel, and each keeps the weights of its columns. Every element crosses the memory bus once in each direction.", category = parallel>) schedule(#kgen.schedule<family = row, cache_hint = streaming, resident = grid, threads_per_row = 256>) ins(%arg0, %arg1, %arg2 : tensor<16x64x256x256xf32>, tensor<64x256x256xf32>, tensor<64x256x256xf32>) {
    ^bb0(%arg3: tensor<16x64x256x256xf32>, %arg4: tensor<64x256x256xf32>, %arg5: tensor<64x256x256xf32>):
      %1 = aten.layer_norm %arg3 weight %arg4 bias %arg5 normalized_shape [64, 256, 256] : (tensor<16x64x256x256xf32>, tensor<64x256x256xf32>, tensor<64x256x256xf32>) -> tensor<16x64x256x256xf32>
      kgen.yield %1 : tensor<16x64x256x256xf32>
    } : tensor<16x64x256x256xf32>
    return %0 : tensor<16x64x256x256xf32>
  }
}

