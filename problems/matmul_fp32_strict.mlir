module attributes {kgen.precision = "strict-fp32", kgen.problem = "matmul_fp32_strict", kgen.source = "matmul_fp32_strict.py"} {
  func.func @matmul_fp32_strict(
    %a: tensor<4096x4096xf32>
        {kgen.init = "normal(0, 1)", kgen.name = "a", kgen.small = tensor<256x256xf32>},
    %b: tensor<4096x4096xf32>
        {kgen.init = "normal(0, 1)", kgen.name = "b", kgen.small = tensor<256x256xf32>})
      -> tensor<4096x4096xf32> {
    %0 = aten.matmul %a, %b : (tensor<4096x4096xf32>, tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
    return %0 : tensor<4096x4096xf32>
  }
}
