module attributes {kgen.problem = "attention_fp16_d128", kgen.source = "attention_fp16_d128.py", kgen.tiled_products} {
  func.func @attention_fp16_d128(%arg0: tensor<4x16x4096x128xf16> {kgen.init = "normal(0, 1)", kgen.name = "q", kgen.small = tensor<1x2x256x128xf16>}, %arg1: tensor<4x16x4096x128xf16> {kgen.init = "normal(0, 1)", kgen.name = "k", kgen.small = tensor<1x2x256x128xf16>}, %arg2: tensor<4x16x4096x128xf16> {kgen.init = "normal(0, 1)", kgen.name = "v", kgen.small = tensor<1x2x256x128xf16>}) -> tensor<4x16x4096x128xf16> {
    %0 = kgen.dispatch @scaled_dot_product_attention_0 idea(#kgen.idea<"Give the copies to one warpgroup and 64 queries to each of the others; multiply by warpgroup instructions that read keys and values where tensor maps put them, with scores and weights in registers.", category = compute>) schedule(#kgen.schedule<family = attention, mma = wgmma, overlap = on, pingpong = off, tile = [192, 80]>) ins(%arg0, %arg1, %arg2 : tensor<4x16x4096x128xf16>, tensor<4x16x4096x128xf16>, tensor<4x16x4096x128xf16>) {
    ^bb0(%arg3: tensor<4x16x4096x128xf16>, %arg4: tensor<4x16x4096x128xf16>, %arg5: tensor<4x16x4096x128xf16>):
      %1 = aten.scaled_dot_product_attention %arg3, %arg4, %arg5 : (tensor<4x16x4096x128xf16>, tensor<4x16x4096x128xf16>, tensor<4x16x4096x128xf16>) -> tensor<4x16x4096x128xf16>
      kgen.yield %1 : tensor<4x16x4096x128xf16>
    } : tensor<4x16x4096x128xf16>
    return %0 : tensor<4x16x4096x128xf16>
  }
}

