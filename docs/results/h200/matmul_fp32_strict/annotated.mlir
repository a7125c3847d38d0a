module attributes {kgen.precision = "strict-fp32", kgen.problem = "matmul_fp32_strict", kgen.source = "matmul_fp32_strict.py"} {
  func.func @matmul_fp32_strict(%arg0: tensor<4096x4096xf32> {kgen.init = "normal(0, 1)", kgen.name = "a", kgen.small = tensor<256x256xf32>}, %arg1: tensor<4096x4096xf32> {kgen.init = "normal(0, 1)", kgen.name = "b", kgen.small = tensor<256x256xf32>}) -> tensor<4096x4096xf32> {
    %0 = kgen.dispatch @matmul_0 idea(#kgen.idea<"Join what won apart; here, in addition: Give each thread a tile of the product in registers, so that every value it reads from shared memory is used several times and the loop is bound by multiplies instead of loads.", category = compute>) schedule(#kgen.schedule<family = gemm, mma = none, raster = 16, stages = 2, thread_tile = [8, 8], tile = [128, 64, 16]>) ins(%arg0, %arg1 : tensor<4096x4096xf32>, tensor<4096x4096xf32>) {
    ^bb0(%arg2: tensor<4096x4096xf32>, %arg3: tensor<4096x4096xf32>):
      %1 = aten.matmul %arg2, %arg3 : (tensor<4096x4096xf32>, tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
      kgen.yield %1 : tensor<4096x4096xf32>
    } : tensor<4096x4096xf32>
    return %0 : tensor<4096x4096xf32>
  }
}

