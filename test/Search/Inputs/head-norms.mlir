// The norms of all heads of queries and keys, which one product leaves beside its values, and a norm of columns.
func.func @head_norms(%x: tensor<1x128x4096xbf16>, %w: tensor<128xbf16> {kgen.parameter}, %y: tensor<128x3072xbf16>)
    -> (tensor<1x128x24x128xbf16>, tensor<3072x128xbf16>) {
  %0 = aten.slice.Tensor %x dim 2 start 0 end 3072 : (tensor<1x128x4096xbf16>) -> tensor<1x128x3072xbf16>
  %1 = aten.view %0 size [1, 128, 24, 128] : (tensor<1x128x3072xbf16>) -> tensor<1x128x24x128xbf16>
  %2 = aten._to_copy %1 dtype f32 : (tensor<1x128x24x128xbf16>) -> tensor<1x128x24x128xf32>
  %3 = aten.pow.Tensor_Scalar %2 {exponent = 2.0} : (tensor<1x128x24x128xf32>) -> tensor<1x128x24x128xf32>
  %4 = aten.mean.dim %3 dim [-1] keepdim true : (tensor<1x128x24x128xf32>) -> tensor<1x128x24x1xf32>
  %5 = aten.add.Scalar %4 {other = 1.0e-06} : (tensor<1x128x24x1xf32>) -> tensor<1x128x24x1xf32>
  %6 = aten.rsqrt %5 : (tensor<1x128x24x1xf32>) -> tensor<1x128x24x1xf32>
  %7 = aten.mul.Tensor %2, %6 : (tensor<1x128x24x128xf32>, tensor<1x128x24x1xf32>) -> tensor<1x128x24x128xf32>
  %8 = aten._to_copy %7 dtype bf16 : (tensor<1x128x24x128xf32>) -> tensor<1x128x24x128xbf16>
  %9 = aten.mul.Tensor %w, %8 : (tensor<128xbf16>, tensor<1x128x24x128xbf16>) -> tensor<1x128x24x128xbf16>
  %10 = aten.transpose.int %y dim0 0 dim1 1 : (tensor<128x3072xbf16>) -> tensor<3072x128xbf16>
  %11 = aten.layer_norm %10 normalized_shape [128] : (tensor<3072x128xbf16>) -> tensor<3072x128xbf16>
  return %9, %11 : tensor<1x128x24x128xbf16>, tensor<3072x128xbf16>
}
