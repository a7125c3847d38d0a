module attributes {kgen.problem = "matmul_fp16", kgen.source = "matmul_fp16.py", kgen.tiled_products} {
  func.func @matmul_fp16(%arg0: tensor<4096x4096xf16> {kgen.init = "normal(0, 1)", kgen.name = "a", kgen.small = tensor<256x256xf16>}, %arg1: tensor<4096x4096xf16> {kgen.init = "normal(0, 1)", kgen.name = "b", kgen.small = tensor<256x256xf16>}) -> tensor<4096x4096xf16> {
    %0 = kgen.dispatch @matmul_0 idea(#kgen.idea<"Join what won apart; here, in addition: Walk through the tiles in groups, so that blocks which run at the same time share rows and columns in the L2 cache.", category = parallel>) schedule(#kgen.schedule<family = gemm, l2_promotion = 128, mma = wgmma, raster = 4>) ins(%arg0, %arg1 : tensor<4096x4096xf16>, tensor<4096x4096xf16>) {
    ^bb0(%arg2: tensor<4096x4096xf16>, %arg3: tensor<4096x4096xf16>):
      %1 = aten.matmul %arg2, %arg3 : (tensor<4096x4096xf16>, tensor<4096x4096xf16>) -> tensor<4096x4096xf16>
      kgen.yield %1 : tensor<4096x4096xf16>
    } : tensor<4096x4096xf16>
    return %0 : tensor<4096x4096xf16>
  }
}

