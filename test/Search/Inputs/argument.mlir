// A result that is an argument.
module {
  func.func @argument(%x: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
    %0 = aten.relu %x : (tensor<64x64xf32>) -> tensor<64x64xf32>
    return %0, %x : tensor<64x64xf32>, tensor<64x64xf32>
  }
}
