// An embedding of patches, and a convolution whose windows of what came of it lie beside each other; a gelu behind a reshape.
func.func @patches(%x: tensor<2x3x64x64xf32>, %w: tensor<16x3x16x16xf32> {kgen.parameter, kgen.init = "uniform(-0.03, 0.03)"}, %b: tensor<16xf32> {kgen.parameter},
                   %u: tensor<16x16x4x4xf32> {kgen.parameter, kgen.init = "uniform(-0.06, 0.06)"}, %p: tensor<24x16xf32> {kgen.parameter, kgen.init = "uniform(-0.2, 0.2)"}) -> (tensor<2x16x1x1xf32>, tensor<2x16x24xf32>) {
  %0 = aten.conv2d %x, %w, %b stride [16, 16] : (tensor<2x3x64x64xf32>, tensor<16x3x16x16xf32>, tensor<16xf32>) -> tensor<2x16x4x4xf32>
  %1 = aten.conv2d %0, %u stride [4, 4] : (tensor<2x16x4x4xf32>, tensor<16x16x4x4xf32>) -> tensor<2x16x1x1xf32>
  %2 = aten.flatten.using_ints %0 start_dim 2 end_dim -1 : (tensor<2x16x4x4xf32>) -> tensor<2x16x16xf32>
  %3 = aten.transpose.int %2 dim0 1 dim1 2 : (tensor<2x16x16xf32>) -> tensor<2x16x16xf32>
  %4 = aten.gelu %3 : (tensor<2x16x16xf32>) -> tensor<2x16x16xf32>
  %5 = aten.linear %4, %p : (tensor<2x16x16xf32>, tensor<24x16xf32>) -> tensor<2x16x24xf32>
  return %1, %5 : tensor<2x16x1x1xf32>, tensor<2x16x24xf32>
}
