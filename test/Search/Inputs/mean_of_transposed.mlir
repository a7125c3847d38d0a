func.func @mean_of_transposed(%x: tensor<4x16x32x32xf32> {kgen.init = "uniform(0, 1)"},
                              %w: tensor<16x12x3x3xf32> {kgen.init = "normal(0, 0.1)"},
                              %b: tensor<12xf32> {kgen.init = "normal(0, 0.1)"}) -> tensor<4x12x1x1xf32> {
  %0 = aten.conv_transpose2d.input %x, %w, %b stride [2, 2] padding [1, 1] output_padding [1, 1]
      : (tensor<4x16x32x32xf32>, tensor<16x12x3x3xf32>, tensor<12xf32>) -> tensor<4x12x64x64xf32>
  %1 = aten.mul.Scalar %0 {other = 0.5} : (tensor<4x12x64x64xf32>) -> tensor<4x12x64x64xf32>
  %2 = aten.mean.dim %1 dim [2, 3] keepdim true : (tensor<4x12x64x64xf32>) -> tensor<4x12x1x1xf32>
  return %2 : tensor<4x12x1x1xf32>
}
