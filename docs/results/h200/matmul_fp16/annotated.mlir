module attributes {kgen.problem = "matmul_fp16", kgen.source = "matmul_fp16.py"} {
  func.func @matmul_fp16(%arg0: tensor<4096x4096xf16> {kgen.init = "normal(0, 1)", kgen.name = "a", kgen.small = tensor<256x256xf16>}, %arg1: tensor<4096x4096xf16> {kgen.init = "normal(0, 1)", kgen.name = "b", kgen.small = tensor<256x256xf16>}) -> tensor<4096x4096xf16> {
    %0 = kgen.dispatch @matmul_0 idea(#kgen.idea<"Join what won apart; here, in addition: This kernel does well with raster = 4: try its neighbours, the next larger and the next smaller value.", category = control>) schedule(#kgen.schedule<family = gemm, mma = mma_sync, raster = 2, smem_pad = 16, stages = 4, tile = [128, 128, 32], warp_tile = [64, 64]>) ins(%arg0, %arg1 : tensor<4096x4096xf16>, tensor<4096x4096xf16>) {
    ^bb0(%arg2: tensor<4096x4096xf16>, %arg3: tensor<4096x4096xf16>):
      %1 = aten.matmul %arg2, %arg3 : (tensor<4096x4096xf16>, tensor<4096x4096xf16>) -> tensor<4096x4096xf16>
      kgen.yield %1 : tensor<4096x4096xf16>
    } : tensor<4096x4096xf16>
    return %0 : tensor<4096x4096xf16>
  }
}

