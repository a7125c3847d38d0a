// Sums of rows of an odd length.
func.func @rowsum(%x: tensor<24x500xf32>) -> tensor<24xf32> {
  %0 = aten.sum.dim_IntList %x dim [1] : (tensor<24x500xf32>) -> tensor<24xf32>
  return %0 : tensor<24xf32>
}
