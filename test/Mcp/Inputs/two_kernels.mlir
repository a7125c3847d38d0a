// Two kernels, so that it can be searched as a network.
module attributes {kgen.problem = "two_kernels"} {
  func.func @two_kernels(%x: tensor<16x64xf32> {kgen.name = "x"}) -> tensor<16x64xf32> {
    %0 = aten.softmax.int %x dim -1 : (tensor<16x64xf32>) -> tensor<16x64xf32>
    %1 = aten.softmax.int %0 dim 0 : (tensor<16x64xf32>) -> tensor<16x64xf32>
    return %1 : tensor<16x64xf32>
  }
}
