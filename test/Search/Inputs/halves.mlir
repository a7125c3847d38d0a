// A product with the two halves of rows in the other order: the views need no copy.
module {
  func.func @halves(%x: tensor<64x128xf32>, %y: tensor<64x128xf32>) -> tensor<64x128xf32> {
    %0 = aten.slice.Tensor %x dim 1 start 0 end 64 step 1 : (tensor<64x128xf32>) -> tensor<64x64xf32>
    %1 = aten.slice.Tensor %x dim 1 start 64 end 128 step 1 : (tensor<64x128xf32>) -> tensor<64x64xf32>
    %2 = aten.cat %1, %0 dim 1 : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x128xf32>
    %3 = aten.mul.Tensor %2, %y : (tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
    return %3 : tensor<64x128xf32>
  }
}
