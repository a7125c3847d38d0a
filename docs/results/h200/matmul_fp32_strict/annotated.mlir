module attributes {kgen.precision = "strict-fp32", kgen.problem = "matmul_fp32_strict", kgen.source = "matmul_fp32_strict.py", kgen.tiled_products} {
  func.func @matmul_fp32_strict(%arg0: tensor<4096x4096xf32> {kgen.init = "normal(0, 1)", kgen.name = "a", kgen.small = tensor<256x256xf32>}, %arg1: tensor<4096x4096xf32> {kgen.init = "normal(0, 1)", kgen.name = "b", kgen.small = tensor<256x256xf32>}) -> tensor<4096x4096xf32> {
    %0 = kgen.dispatch @matmul_0 idea(#kgen.idea<"Write each fp32 operand as the sum of two scaled fp16 matrices and multiply three times on tensor cores, adding short chains in fp32: the digits of fp32 at several times its speed.", category = dtype>) schedule(#kgen.schedule<family = gemm, cluster = 2, mma = wgmma, promote_k = 128, tile = [128, 128, 64]>) ins(%arg0, %arg1 : tensor<4096x4096xf32>, tensor<4096x4096xf32>) {
    ^bb0(%arg2: tensor<4096x4096xf32>, %arg3: tensor<4096x4096xf32>):
      %1 = aten.matmul %arg2, %arg3 : (tensor<4096x4096xf32>, tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
      kgen.yield %1 : tensor<4096x4096xf32>
    } : tensor<4096x4096xf32>
    return %0 : tensor<4096x4096xf32>
  }
}

