module attributes {kgen.problem = "layer_norm", kgen.source = "layer_norm.py"} {
  func.func @layer_norm(
    %x: tensor<16x64x256x256xf32>
        {kgen.init = "normal(0, 1)", kgen.name = "x", kgen.small = tensor<4x8x32x32xf32>},
    %weight: tensor<64x256x256xf32>
        {kgen.init = "uniform(0.5, 1.5)", kgen.name = "norm.weight", kgen.parameter, kgen.small = tensor<8x32x32xf32>},
    %bias: tensor<64x256x256xf32>
        {kgen.init = "normal(0, 0.1)", kgen.name = "norm.bias", kgen.parameter, kgen.small = tensor<8x32x32xf32>})
      -> tensor<16x64x256x256xf32> {
    %0 = aten.layer_norm %x weight %weight bias %bias normalized_shape [64, 256, 256]
        : (tensor<16x64x256x256xf32>, tensor<64x256x256xf32>, tensor<64x256x256xf32>) -> tensor<16x64x256x256xf32>
    return %0 : tensor<16x64x256x256xf32>
  }
}
