func.func @rowsoftmax(%x: tensor<16x300xf32>) -> tensor<16x300xf32> {
  %0 = aten.softmax.int %x dim -1 : (tensor<16x300xf32>) -> tensor<16x300xf32>
  return %0 : tensor<16x300xf32>
}
