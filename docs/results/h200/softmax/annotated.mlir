module attributes {kgen.problem = "softmax", kgen.source = "softmax.py"} {
  func.func @softmax(%arg0: tensor<4096x65536xf32> {kgen.init = "normal(0, 1)", kgen.name = "x", kgen.small = tensor<64x4096xf32>}) -> tensor<4096x65536xf32> {
    %0 = kgen.dispatch @softmax_int_0 idea(#kgen.idea<"Join what won apart; here, in addition: Keep the row on chip between the passes, in shared memory and what does not fit there in registers, and fetch the next row while this one is written: each element crosses the memory bus once in each direction.", category = memory>) schedule(#kgen.schedule<family = row, cache_hint = none, fast_math = on, resident = smem, rows_per_block = 1, threads_per_row = 512>) ins(%arg0 : tensor<4096x65536xf32>) {
    ^bb0(%arg1: tensor<4096x65536xf32>):
      %1 = aten.softmax.int %arg1 dim -1 : (tensor<4096x65536xf32>) -> tensor<4096x65536xf32>
      kgen.yield %1 : tensor<4096x65536xf32>
    } : tensor<4096x65536xf32>
    return %0 : tensor<4096x65536xf32>
  }
}

