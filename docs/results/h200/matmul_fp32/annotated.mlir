module attributes {kgen.problem = "matmul_fp32", kgen.source = "matmul_fp32.py", kgen.tiled_products} {
  func.func @matmul_fp32(%arg0: tensor<4096x4096xf32> {kgen.init = "normal(0, 1)", kgen.name = "a", kgen.small = tensor<256x256xf32>}, %arg1: tensor<4096x4096xf32> {kgen.init = "normal(0, 1)", kgen.name = "b", kgen.small = tensor<256x256xf32>}) -> tensor<4096x4096xf32> {
    %0 = kgen.dispatch @matmul_0 idea(#kgen.idea<"Let whole warpgroups multiply out of shared memory while one thread copies the next tiles by tensor map; blocks stay on their multiprocessor and share tiles of the right operand inside a cluster.", category = compute>) schedule(#kgen.schedule<family = gemm, mma = wgmma, tile = [128, 256, 64]>) ins(%arg0, %arg1 : tensor<4096x4096xf32>, tensor<4096x4096xf32>) {
    ^bb0(%arg2: tensor<4096x4096xf32>, %arg3: tensor<4096x4096xf32>):
      %1 = aten.matmul %arg2, %arg3 : (tensor<4096x4096xf32>, tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
      kgen.yield %1 : tensor<4096x4096xf32>
    } : tensor<4096x4096xf32>
    return %0 : tensor<4096x4096xf32>
  }
}

