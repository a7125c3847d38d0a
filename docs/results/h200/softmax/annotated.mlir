module attributes {kgen.problem = "softmax", kgen.source = "softmax.py"} {
  func.func @softmax(%arg0: tensor<4096x65536xf32> {kgen.init = "normal(0, 1)", kgen.name = "x", kgen.small = tensor<64x4096xf32>}) -> tensor<4096x65536xf32> {
    %0 = kgen.dispatch @softmax_int_0 idea(#kgen.idea<"Let the blocks of a cluster hold one row in their registers: each element is read once and becomes its exponential once, the blocks exchange maximum and sum through each other's shared memory, and several small clusters on a multiprocessor hide each other's waits.", category = parallel>) schedule(#kgen.schedule<family = row, cache_hint = none, fast_math = on, min_blocks = 3, reduce = two_pass, resident = reg, rows_per_block = 1, split_rows = 4, threads_per_row = 256>) ins(%arg0 : tensor<4096x65536xf32>) {
    ^bb0(%arg1: tensor<4096x65536xf32>):
      %1 = aten.softmax.int %arg1 dim -1 : (tensor<4096x65536xf32>) -> tensor<4096x65536xf32>
      kgen.yield %1 : tensor<4096x65536xf32>
    } : tensor<4096x65536xf32>
    return %0 : tensor<4096x65536xf32>
  }
}

