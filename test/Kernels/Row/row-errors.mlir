// RUN: kgen-opt %s -kgen-lower-dispatches -split-input-file -verify-diagnostics

func.func @f(%x0: tensor<64x1000xf32>) -> tensor<64x1000xf32> {
  // expected-error @+1 {{row schedule of @d: vec = 16 of 4-byte elements is 64 bytes, an access has at most 16}}
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = row, vec = 16>) ins(%x0 : tensor<64x1000xf32>) {
  ^bb0(%a0: tensor<64x1000xf32>):
    %s = aten.softmax.int %a0 dim 1 : (tensor<64x1000xf32>) -> tensor<64x1000xf32>
    kgen.yield %s : tensor<64x1000xf32>
  } : tensor<64x1000xf32>
  return %0 : tensor<64x1000xf32>
}

// -----

func.func @f(%x0: tensor<64x1001xf32>) -> tensor<64x1001xf32> {
  // expected-error @+1 {{row schedule of @d: vec = 4 does not divide the row of 1001 elements; resident = reg and none take such rows from 64 elements on}}
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = row, vec = 4, resident = "hybrid">) ins(%x0 : tensor<64x1001xf32>) {
  ^bb0(%a0: tensor<64x1001xf32>):
    %s = aten.softmax.int %a0 dim 1 : (tensor<64x1001xf32>) -> tensor<64x1001xf32>
    kgen.yield %s : tensor<64x1001xf32>
  } : tensor<64x1001xf32>
  return %0 : tensor<64x1001xf32>
}

// -----

func.func @f(%x0: tensor<64x1001xf32>) -> tensor<64x1001xf32> {
  // expected-error @+1 {{row schedule of @d: threads_per_row = 4, expected 8 or more: each takes one element in front of a row's packs or behind them}}
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = row, vec = 4, threads_per_row = 4, rows_per_block = 8>) ins(%x0 : tensor<64x1001xf32>) {
  ^bb0(%a0: tensor<64x1001xf32>):
    %s = aten.softmax.int %a0 dim 1 : (tensor<64x1001xf32>) -> tensor<64x1001xf32>
    kgen.yield %s : tensor<64x1001xf32>
  } : tensor<64x1001xf32>
  return %0 : tensor<64x1001xf32>
}

// -----

func.func @f(%x0: tensor<4x100x8xf32>) -> tensor<4x100x8xf32> {
  // expected-error @+1 {{row schedule of @d: vec = 2, expected 1: the elements of a row lie 8 apart}}
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = row, vec = 2>) ins(%x0 : tensor<4x100x8xf32>) {
  ^bb0(%a0: tensor<4x100x8xf32>):
    %s = aten.softmax.int %a0 dim 1 : (tensor<4x100x8xf32>) -> tensor<4x100x8xf32>
    kgen.yield %s : tensor<4x100x8xf32>
  } : tensor<4x100x8xf32>
  return %0 : tensor<4x100x8xf32>
}

// -----

func.func @f(%x0: tensor<64x1000xf32>) -> tensor<64x1000xf32> {
  // expected-error @+1 {{row schedule of @d: split_rows = 16 leaves parts of less than 128 elements in a row of 1000}}
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = row, split_rows = 16>) ins(%x0 : tensor<64x1000xf32>) {
  ^bb0(%a0: tensor<64x1000xf32>):
    %s = aten.softmax.int %a0 dim 1 : (tensor<64x1000xf32>) -> tensor<64x1000xf32>
    kgen.yield %s : tensor<64x1000xf32>
  } : tensor<64x1000xf32>
  return %0 : tensor<64x1000xf32>
}

// -----

func.func @f(%x0: tensor<64x1000xf32>) -> tensor<64x1000xf32> {
  // expected-error @+1 {{row schedule of @d: threads_per_row * rows_per_block = 2048, a block has at most 1024 threads}}
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = row, threads_per_row = 512, rows_per_block = 4>) ins(%x0 : tensor<64x1000xf32>) {
  ^bb0(%a0: tensor<64x1000xf32>):
    %s = aten.softmax.int %a0 dim 1 : (tensor<64x1000xf32>) -> tensor<64x1000xf32>
    kgen.yield %s : tensor<64x1000xf32>
  } : tensor<64x1000xf32>
  return %0 : tensor<64x1000xf32>
}

// -----

func.func @f(%x0: tensor<64x1000xf32>) -> tensor<64x1000xf32> {
  // expected-error @+1 {{row schedule of @d: threads_per_row * rows_per_block = 12, expected a multiple of 32: lanes exchange within whole warps}}
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = row, threads_per_row = 4, rows_per_block = 3>) ins(%x0 : tensor<64x1000xf32>) {
  ^bb0(%a0: tensor<64x1000xf32>):
    %s = aten.softmax.int %a0 dim 1 : (tensor<64x1000xf32>) -> tensor<64x1000xf32>
    kgen.yield %s : tensor<64x1000xf32>
  } : tensor<64x1000xf32>
  return %0 : tensor<64x1000xf32>
}

// -----

func.func @f(%x0: tensor<64x65536xf32>) -> tensor<64x65536xf32> {
  // expected-error @+1 {{row schedule of @d: resident = reg keeps 256 floats in each of 256 threads, at most 64 fit}}
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = row, resident = reg, threads_per_row = 256, rows_per_block = 1, split_rows = 1>) ins(%x0 : tensor<64x65536xf32>) {
  ^bb0(%a0: tensor<64x65536xf32>):
    %s = aten.softmax.int %a0 dim 1 : (tensor<64x65536xf32>) -> tensor<64x65536xf32>
    kgen.yield %s : tensor<64x65536xf32>
  } : tensor<64x65536xf32>
  return %0 : tensor<64x65536xf32>
}

// -----

func.func @f(%x0: tensor<64x1000xf32>) -> tensor<64x1000xf32> {
  // expected-error @+1 {{schedule key 'split_rows' of row/stream expected 1, found 2}}
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = row, resident = hybrid, split_rows = 2>) ins(%x0 : tensor<64x1000xf32>) {
  ^bb0(%a0: tensor<64x1000xf32>):
    %s = aten.softmax.int %a0 dim 1 : (tensor<64x1000xf32>) -> tensor<64x1000xf32>
    kgen.yield %s : tensor<64x1000xf32>
  } : tensor<64x1000xf32>
  return %0 : tensor<64x1000xf32>
}

// -----

func.func @f(%x0: tensor<64x200000xf32>) -> tensor<64x200000xf32> {
  // expected-error @+1 {{row schedule of @d: resident = hybrid needs 140 floats in registers beside 14 packs in shared memory, at most 16 fit}}
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = row, resident = hybrid, split_rows = 1>) ins(%x0 : tensor<64x200000xf32>) {
  ^bb0(%a0: tensor<64x200000xf32>):
    %s = aten.softmax.int %a0 dim 1 : (tensor<64x200000xf32>) -> tensor<64x200000xf32>
    kgen.yield %s : tensor<64x200000xf32>
  } : tensor<64x200000xf32>
  return %0 : tensor<64x200000xf32>
}

// -----

func.func @f(%x0: tensor<64x1000xf32>) -> tensor<64x1000xf32> {
  // expected-error @+1 {{row schedule of @d: resident = hybrid moves 16 bytes of f32 at a time, found vec = 2 of 4-byte elements}}
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = row, resident = hybrid, vec = 2>) ins(%x0 : tensor<64x1000xf32>) {
  ^bb0(%a0: tensor<64x1000xf32>):
    %s = aten.softmax.int %a0 dim 1 : (tensor<64x1000xf32>) -> tensor<64x1000xf32>
    kgen.yield %s : tensor<64x1000xf32>
  } : tensor<64x1000xf32>
  return %0 : tensor<64x1000xf32>
}

// -----

func.func @f(%x0: tensor<64x1000xf32>) -> tensor<64x1000xf32> {
  // expected-error @+1 {{row schedule of @d: min_blocks = 32 blocks of 128 threads, a multiprocessor holds 2048 threads}}
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = row, min_blocks = 32>) ins(%x0 : tensor<64x1000xf32>) {
  ^bb0(%a0: tensor<64x1000xf32>):
    %s = aten.softmax.int %a0 dim 1 : (tensor<64x1000xf32>) -> tensor<64x1000xf32>
    kgen.yield %s : tensor<64x1000xf32>
  } : tensor<64x1000xf32>
  return %0 : tensor<64x1000xf32>
}

// -----

func.func @f(%x0: tensor<64x1000xf32>) -> tensor<64x1000xf32> {
  // expected-error @+1 {{row schedule of @d: reduce = welford, expected online for aten.softmax.int}}
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = row, reduce = welford>) ins(%x0 : tensor<64x1000xf32>) {
  ^bb0(%a0: tensor<64x1000xf32>):
    %s = aten.softmax.int %a0 dim 1 : (tensor<64x1000xf32>) -> tensor<64x1000xf32>
    kgen.yield %s : tensor<64x1000xf32>
  } : tensor<64x1000xf32>
  return %0 : tensor<64x1000xf32>
}

// -----

func.func @f(%x0: tensor<4x5x6xf32>) -> tensor<5xf32> {
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = row>) ins(%x0 : tensor<4x5x6xf32>) {
  ^bb0(%a0: tensor<4x5x6xf32>):
    // expected-error @+1 {{folds dimensions that are not neighbours, which the row family does not do}}
    %s = aten.sum.dim_IntList %a0 dim [0, 2] : (tensor<4x5x6xf32>) -> tensor<5xf32>
    kgen.yield %s : tensor<5xf32>
  } : tensor<5xf32>
  return %0 : tensor<5xf32>
}

// -----

func.func @f(%x0: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = row>) ins(%x0 : tensor<8x8xf32>) {
  ^bb0(%a0: tensor<8x8xf32>):
    // expected-error @+1 {{has no place in a row kernel: expected element-wise ops around one row statistic}}
    %s = aten.mm %a0, %a0 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    kgen.yield %s : tensor<8x8xf32>
  } : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

func.func @f(%x0: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = row>) ins(%x0 : tensor<8x8xf32>) {
  ^bb0(%a0: tensor<8x8xf32>):
    // expected-note @+1 {{the first one}}
    %t = aten.softmax.int %a0 dim 1 : (tensor<8x8xf32>) -> tensor<8x8xf32>
    // expected-error @+1 {{is a second row statistic; a row dispatch holds one}}
    %s = aten.softmax.int %t dim 1 : (tensor<8x8xf32>) -> tensor<8x8xf32>
    kgen.yield %s : tensor<8x8xf32>
  } : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

func.func @f(%x0: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error @+1 {{holds no row statistic (softmax, norm or reduction)}}
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = row>) ins(%x0 : tensor<8x8xf32>) {
  ^bb0(%a0: tensor<8x8xf32>):
    %s = aten.relu %a0 : (tensor<8x8xf32>) -> tensor<8x8xf32>
    kgen.yield %s : tensor<8x8xf32>
  } : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

func.func @f(%x0: tensor<64x65536xf32>) -> tensor<64x65536xf32> {
  // expected-error @+1 {{row schedule of @d: resident = cluster needs 8 batches of unroll = 4 packs of each of 512 threads, 7 fit with split_rows = 1}}
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = row, resident = cluster, split_rows = 1>) ins(%x0 : tensor<64x65536xf32>) {
  ^bb0(%a0: tensor<64x65536xf32>):
    %s = aten.softmax.int %a0 dim 1 : (tensor<64x65536xf32>) -> tensor<64x65536xf32>
    kgen.yield %s : tensor<64x65536xf32>
  } : tensor<64x65536xf32>
  return %0 : tensor<64x65536xf32>
}

// -----

func.func @f(%x0: tensor<64x65536xf32>) -> tensor<64x65536xf32> {
  // expected-error @+1 {{row schedule of @d: split_rows = 3 with resident = cluster, a cluster has 1, 2, 4 or 8 blocks}}
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = row, resident = cluster, split_rows = 3>) ins(%x0 : tensor<64x65536xf32>) {
  ^bb0(%a0: tensor<64x65536xf32>):
    %s = aten.softmax.int %a0 dim 1 : (tensor<64x65536xf32>) -> tensor<64x65536xf32>
    kgen.yield %s : tensor<64x65536xf32>
  } : tensor<64x65536xf32>
  return %0 : tensor<64x65536xf32>
}

// -----

func.func @f(%x0: tensor<64x65536xf32>) -> tensor<64x65536xf32> {
  // expected-error @+1 {{row schedule of @d: split_rows = 200 with resident = grid, 132 blocks run at a time}}
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = row, resident = grid, split_rows = 200>) ins(%x0 : tensor<64x65536xf32>) {
  ^bb0(%a0: tensor<64x65536xf32>):
    %s = aten.softmax.int %a0 dim 1 : (tensor<64x65536xf32>) -> tensor<64x65536xf32>
    kgen.yield %s : tensor<64x65536xf32>
  } : tensor<64x65536xf32>
  return %0 : tensor<64x65536xf32>
}

// -----

func.func @f(%x0: tensor<64x65536xf32>) -> tensor<64x65536xf32> {
  // expected-error @+1 {{row schedule of @d: lead = 0, expected 1 to 4: the ring of 7 slots holds 4 batches of unroll = 4 packs of a row}}
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = row, resident = cluster, split_rows = 2, lead = 0>) ins(%x0 : tensor<64x65536xf32>) {
  ^bb0(%a0: tensor<64x65536xf32>):
    %s = aten.softmax.int %a0 dim 1 : (tensor<64x65536xf32>) -> tensor<64x65536xf32>
    kgen.yield %s : tensor<64x65536xf32>
  } : tensor<64x65536xf32>
  return %0 : tensor<64x65536xf32>
}

// -----

func.func @f(%x0: tensor<64x65536xf32>) -> tensor<64x65536xf32> {
  // expected-error @+1 {{schedule key 'threads_per_row' of row/cluster expected one of 64, 128, 256, 512, 768, 1024, found 32}}
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = row, resident = cluster, vec = 2, threads_per_row = 32>) ins(%x0 : tensor<64x65536xf32>) {
  ^bb0(%a0: tensor<64x65536xf32>):
    %s = aten.softmax.int %a0 dim 1 : (tensor<64x65536xf32>) -> tensor<64x65536xf32>
    kgen.yield %s : tensor<64x65536xf32>
  } : tensor<64x65536xf32>
  return %0 : tensor<64x65536xf32>
}

// -----

func.func @f(%x0: tensor<64x65536xf32>) -> tensor<64x65536xf32> {
  // expected-error @+1 {{row schedule of @d: column_packs = 1 of}}
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = row, resident = grid, column_packs = 1>) ins(%x0 : tensor<64x65536xf32>) {
  ^bb0(%a0: tensor<64x65536xf32>):
    %s = aten.softmax.int %a0 dim 1 : (tensor<64x65536xf32>) -> tensor<64x65536xf32>
    kgen.yield %s : tensor<64x65536xf32>
  } : tensor<64x65536xf32>
  return %0 : tensor<64x65536xf32>
}

// -----

func.func @f(%x0: tensor<64x65536xf32>) -> tensor<64x65536xf32> {
  // expected-error @+1 {{schedule key 'split_rows' of row/registers expected an integer from 1 to 8, found 16}}
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = row, resident = reg, split_rows = 16>) ins(%x0 : tensor<64x65536xf32>) {
  ^bb0(%a0: tensor<64x65536xf32>):
    %s = aten.softmax.int %a0 dim 1 : (tensor<64x65536xf32>) -> tensor<64x65536xf32>
    kgen.yield %s : tensor<64x65536xf32>
  } : tensor<64x65536xf32>
  return %0 : tensor<64x65536xf32>
}

// -----

func.func @f(%x0: tensor<64x65536xf32>) -> tensor<64x65536xf32> {
  // expected-error @+1 {{row schedule of @d: reduce = two_pass keeps exponentials in registers: expected a softmax with resident = reg}}
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = row, resident = reg, split_rows = 4, reduce = two_pass>) ins(%x0 : tensor<64x65536xf32>) {
  ^bb0(%a0: tensor<64x65536xf32>):
    %s = aten.log_softmax.int %a0 dim 1 : (tensor<64x65536xf32>) -> tensor<64x65536xf32>
    kgen.yield %s : tensor<64x65536xf32>
  } : tensor<64x65536xf32>
  return %0 : tensor<64x65536xf32>
}

// -----

func.func @f(%x0: tensor<6x9000xf32>) -> tensor<6x4096xf32> {
  // expected-error @+1 {{row schedule of @d: resident = cluster copies rows that lie one behind the other, found an input behind views}}
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = row, resident = cluster>) ins(%x0 : tensor<6x9000xf32>) {
  ^bb0(%a0: tensor<6x9000xf32>):
    %v = aten.narrow %a0 dim 1 start 4 length 4096 : (tensor<6x9000xf32>) -> tensor<6x4096xf32>
    %s = aten.softmax.int %v dim 1 : (tensor<6x4096xf32>) -> tensor<6x4096xf32>
    kgen.yield %s : tensor<6x4096xf32>
  } : tensor<6x4096xf32>
  return %0 : tensor<6x4096xf32>
}

// -----

func.func @f(%x0: tensor<6x9000xf32>) -> tensor<6x4096xf32> {
  // expected-error @+1 {{row schedule of @d: vec = 4, expected at most 2: an input is read through views, and its rows begin at multiples of so many elements}}
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = row, vec = 4>) ins(%x0 : tensor<6x9000xf32>) {
  ^bb0(%a0: tensor<6x9000xf32>):
    %v = aten.narrow %a0 dim 1 start 2 length 4096 : (tensor<6x9000xf32>) -> tensor<6x4096xf32>
    %s = aten.softmax.int %v dim 1 : (tensor<6x4096xf32>) -> tensor<6x4096xf32>
    kgen.yield %s : tensor<6x4096xf32>
  } : tensor<6x4096xf32>
  return %0 : tensor<6x4096xf32>
}

// -----

func.func @f(%x0: tensor<6x9000xf32>) -> tensor<6x4096xf32> {
  // expected-error @+1 {{row schedule of @d: resident = hybrid copies rows that lie one behind the other, found an input behind views}}
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = row, resident = hybrid>) ins(%x0 : tensor<6x9000xf32>) {
  ^bb0(%a0: tensor<6x9000xf32>):
    %v = aten.narrow %a0 dim 1 start 4 length 4096 : (tensor<6x9000xf32>) -> tensor<6x4096xf32>
    %s = aten.softmax.int %v dim 1 : (tensor<6x4096xf32>) -> tensor<6x4096xf32>
    kgen.yield %s : tensor<6x4096xf32>
  } : tensor<6x4096xf32>
  return %0 : tensor<6x4096xf32>
}

// -----

func.func @f(%x0: tensor<100x6xf32>) -> tensor<6x100xf32> {
  // expected-error @+1 {{reads input 0 through views, expected rows whose elements are neighbours in it}}
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = row>) ins(%x0 : tensor<100x6xf32>) {
  ^bb0(%a0: tensor<100x6xf32>):
    %v = aten.transpose.int %a0 dim0 0 dim1 1 : (tensor<100x6xf32>) -> tensor<6x100xf32>
    %s = aten.softmax.int %v dim 1 : (tensor<6x100xf32>) -> tensor<6x100xf32>
    kgen.yield %s : tensor<6x100xf32>
  } : tensor<6x100xf32>
  return %0 : tensor<6x100xf32>
}

// -----

// A weight behind a view is no input of rows.
func.func @f(%x0: tensor<6x100xf32>, %x1: tensor<200xf32>) -> tensor<6x100xf32> {
  // expected-error @+1 {{reads input 1 through views, expected rows whose elements are neighbours in it}}
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = row>) ins(%x0, %x1 : tensor<6x100xf32>, tensor<200xf32>) {
  ^bb0(%a0: tensor<6x100xf32>, %a1: tensor<200xf32>):
    %v = aten.narrow %a1 dim 0 start 100 length 100 : (tensor<200xf32>) -> tensor<100xf32>
    %s = aten.softmax.int %a0 dim 1 : (tensor<6x100xf32>) -> tensor<6x100xf32>
    %m = aten.mul.Tensor %s, %v : (tensor<6x100xf32>, tensor<100xf32>) -> tensor<6x100xf32>
    kgen.yield %m : tensor<6x100xf32>
  } : tensor<6x100xf32>
  return %0 : tensor<6x100xf32>
}
