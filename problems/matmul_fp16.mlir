module attributes {kgen.problem = "matmul_fp16", kgen.source = "matmul_fp16.py"} {
  func.func @matmul_fp16(
    %a: tensor<4096x4096xf16>
        {kgen.init = "normal(0, 1)", kgen.name = "a", kgen.small = tensor<256x256xf16>},
    %b: tensor<4096x4096xf16>
        {kgen.init = "normal(0, 1)", kgen.name = "b", kgen.small = tensor<256x256xf16>})
      -> tensor<4096x4096xf16> {
    %0 = aten.matmul %a, %b : (tensor<4096x4096xf16>, tensor<4096x4096xf16>) -> tensor<4096x4096xf16>
    return %0 : tensor<4096x4096xf16>
  }
}
