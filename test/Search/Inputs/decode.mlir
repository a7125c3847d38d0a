// Attention of a decoding step of Llama: 32 heads of queries, 8 of keys, a mask for the part of the cache that is written.
module attributes {kgen.precision = "bf16", kgen.tiled_products} {
  func.func @decode(%arg0: tensor<1x32x1x64xbf16>, %arg1: tensor<1x8x1x2048x64xbf16>, %arg2: tensor<1x8x1x2048x64xbf16>, %arg3: tensor<1x1x1x2048xi1>) -> tensor<1x1x32x64xbf16> {
    %0 = aten.expand %arg1 size [1, 8, 4, 2048, 64] : (tensor<1x8x1x2048x64xbf16>) -> tensor<1x8x4x2048x64xbf16>
    %1 = aten.view %0 size [1, 32, 2048, 64] : (tensor<1x8x4x2048x64xbf16>) -> tensor<1x32x2048x64xbf16>
    %2 = aten.expand %arg2 size [1, 8, 4, 2048, 64] : (tensor<1x8x1x2048x64xbf16>) -> tensor<1x8x4x2048x64xbf16>
    %3 = aten.view %2 size [1, 32, 2048, 64] : (tensor<1x8x4x2048x64xbf16>) -> tensor<1x32x2048x64xbf16>
    %4 = aten.scaled_dot_product_attention %arg0, %1, %3 attn_mask %arg3 scale 1.250000e-01 : (tensor<1x32x1x64xbf16>, tensor<1x32x2048x64xbf16>, tensor<1x32x2048x64xbf16>, tensor<1x1x1x2048xi1>) -> tensor<1x32x1x64xbf16>
    %5 = aten.transpose.int %4 dim0 1 dim1 2 : (tensor<1x32x1x64xbf16>) -> tensor<1x1x32x64xbf16>
    return %5 : tensor<1x1x32x64xbf16>
  }
}
