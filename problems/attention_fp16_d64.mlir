module attributes {kgen.problem = "attention_fp16_d64", kgen.source = "attention_fp16_d64.py"} {
  func.func @attention_fp16_d64(
    %q: tensor<4x32x4096x64xf16>
        {kgen.init = "normal(0, 1)", kgen.name = "q", kgen.small = tensor<1x2x256x64xf16>},
    %k: tensor<4x32x4096x64xf16>
        {kgen.init = "normal(0, 1)", kgen.name = "k", kgen.small = tensor<1x2x256x64xf16>},
    %v: tensor<4x32x4096x64xf16>
        {kgen.init = "normal(0, 1)", kgen.name = "v", kgen.small = tensor<1x2x256x64xf16>})
      -> tensor<4x32x4096x64xf16> {
    %0 = aten.scaled_dot_product_attention %q, %k, %v
        : (tensor<4x32x4096x64xf16>, tensor<4x32x4096x64xf16>, tensor<4x32x4096x64xf16>) -> tensor<4x32x4096x64xf16>
    return %0 : tensor<4x32x4096x64xf16>
  }
}
