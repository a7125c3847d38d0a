module attributes {kgen.precision = "strict-fp32"} {
  func.func @product(%a: tensor<48x64xf32>, %b: tensor<64x48xf32>) -> tensor<48x48xf32> {
    %0 = aten.matmul %a, %b : (tensor<48x64xf32>, tensor<64x48xf32>) -> tensor<48x48xf32>
    return %0 : tensor<48x48xf32>
  }
}
