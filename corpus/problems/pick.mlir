// Nothing but row 0 matters, so a right kernel can be faster than its inputs could be read.
func.func @pick(%x: tensor<3072x4096xf32>) -> tensor<4096xf32> {
  %0 = aten.select.int %x dim 0 index 0 : (tensor<3072x4096xf32>) -> tensor<4096xf32>
  %1 = aten.mul.Scalar %0 {other = 2.0} : (tensor<4096xf32>) -> tensor<4096xf32>
  return %1 : tensor<4096xf32>
}
