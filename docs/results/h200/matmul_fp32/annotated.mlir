module attributes {kgen.problem = "matmul_fp32", kgen.source = "matmul_fp32.py"} {
  func.func @matmul_fp32(%arg0: tensor<4096x4096xf32> {kgen.init = "normal(0, 1)", kgen.name = "a", kgen.small = tensor<256x256xf32>}, %arg1: tensor<4096x4096xf32> {kgen.init = "normal(0, 1)", kgen.name = "b", kgen.small = tensor<256x256xf32>}) -> tensor<4096x4096xf32> {
    %0 = kgen.dispatch @matmul_0 idea(#kgen.idea<"Join what won apart; here, in addition: Change the padding behind the rows of the shared-memory tiles so that the threads of a warp hit different banks.", category = memory>) schedule(#kgen.schedule<family = gemm, dtype = tf32, mma = mma_sync, raster = 2, smem_pad = 8, stages = 3, tile = [256, 128, 32], warp_tile = [64, 64]>) ins(%arg0, %arg1 : tensor<4096x4096xf32>, tensor<4096x4096xf32>) {
    ^bb0(%arg2: tensor<4096x4096xf32>, %arg3: tensor<4096x4096xf32>):
      %1 = aten.matmul %arg2, %arg3 : (tensor<4096x4096xf32>, tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
      kgen.yield %1 : tensor<4096x4096xf32>
    } : tensor<4096x4096xf32>
    return %0 : tensor<4096x4096xf32>
  }
}

