module attributes {kgen.problem = "matmul_fp16", kgen.source = "matmul_fp16.py"} {
  func.func @matmul_fp16(%arg0: tensor<4096x4096xf16> {kgen.init = "normal(0, 1)", kgen.name = "a", kgen.small = tensor<256x256xf16>}, %arg1: tensor<4096x4096xf16> {kgen.init = "normal(0, 1)", kgen.name = "b", kgen.small = tensor<256x256xf16>}) -> tensor<4096x4096xf16> {
    %0 = kgen.dispatch @matmul_0 idea(#kgen.idea<"Let whole warpgroups multiply out of shared memory while one thread copies the next tiles by tensor map; blocks stay on their multiprocessor and share tiles of the right operand inside a cluster.", category = compute>) schedule(#kgen.schedule<family = gemm, cluster = 1, mma = wgmma, mma_inflight = 0, tile = [128, 256, 64]>) ins(%arg0, %arg1 : tensor<4096x4096xf16>, tensor<4096x4096xf16>) {
    ^bb0(%arg2: tensor<4096x4096xf16>, %arg3: tensor<4096x4096xf16>):
      %1 = aten.matmul %arg2, %arg3 : (tensor<4096x4096xf16>, tensor<4096x4096xf16>) -> tensor<4096x4096xf16>
      kgen.yield %1 : tensor<4096x4096xf16>
    } : tensor<4096x4096xf16>
    return %0 : tensor<4096x4096xf16>
  }
}

