// Rows that stay in a ring of shared memory while the next one travels, by family row, against the oracle. With one block
// for each row: device host runs no clusters, and no blocks that wait for each other.
// REQUIRES: host-compiler
// RUN: rm -rf %t && mkdir -p %t/c
// RUN: kgen-opt %s -kgen-inline-dispatches=all -o %t/graph.mlir
// RUN: kgen-opt %s -kgen-lower-dispatches="multiprocessors=3 assert-sizes" -o %t/lowered.mlir
// RUN: kgen-translate --kgen-to-cuda %t/lowered.mlir -o %t/c/kernel.cu
// RUN: kgen-translate --kgen-to-plan %t/lowered.mlir -o %t/c/plan.json
// RUN: kgen-eval %t/c --graph %t/graph.mlir --device host --samples 1 | FileCheck %s
// CHECK: verdict PASS

module {
func.func @rows(%x0: tensor<8x9000xf32>,
    %x1: tensor<5x4096xf32>,
    %x2: tensor<5x9001xf32>,
    %x3: tensor<4x4094xf32>,
    %x4: tensor<7x2000xf32>,
    %x5: tensor<3x5000xf32>,
    %x6: tensor<3x5001xf32>,
    %x7: tensor<7x6x500xf32>,
    %w: tensor<6x500xf32>,
    %b: tensor<6x500xf32>)
    -> (tensor<8x9000xf32>, tensor<5x4096xf32>, tensor<5x9001xf32>, tensor<4x4094xf32>, tensor<7x2000xf32>, tensor<3x5000xf32>, tensor<3x5001xf32>, tensor<7x6x500xf32>, tensor<7x6x500xf32>, tensor<7x6x500xf32>, tensor<7x6x500xf32>, tensor<7x1x1xf32>) {
  %r0 = kgen.dispatch @by_cluster schedule(#kgen.schedule<family = row, resident = cluster, split_rows = 1>)
      ins(%x0 : tensor<8x9000xf32>) {
  ^bb0(%a0: tensor<8x9000xf32>):
    %s = aten.softmax.int %a0 dim 1 : (tensor<8x9000xf32>) -> tensor<8x9000xf32>
    kgen.yield %s : tensor<8x9000xf32>
  } : tensor<8x9000xf32>
  %r1 = kgen.dispatch @by_grid schedule(#kgen.schedule<family = row, resident = grid, split_rows = 1, threads_per_row = 256>)
      ins(%x1 : tensor<5x4096xf32>) {
  ^bb0(%a0: tensor<5x4096xf32>):
    %s = aten.log_softmax.int %a0 dim 1 : (tensor<5x4096xf32>) -> tensor<5x4096xf32>
    kgen.yield %s : tensor<5x4096xf32>
  } : tensor<5x4096xf32>
  %r2 = kgen.dispatch @odd_row schedule(#kgen.schedule<family = row, resident = cluster, split_rows = 1>)
      ins(%x2 : tensor<5x9001xf32>) {
  ^bb0(%a0: tensor<5x9001xf32>):
    %s = aten.softmax.int %a0 dim 1 : (tensor<5x9001xf32>) -> tensor<5x9001xf32>
    kgen.yield %s : tensor<5x9001xf32>
  } : tensor<5x9001xf32>
  %r3 = kgen.dispatch @pairs schedule(#kgen.schedule<family = row, resident = grid, split_rows = 1, threads_per_row = 768, unroll = 2>)
      ins(%x3 : tensor<4x4094xf32>) {
  ^bb0(%a0: tensor<4x4094xf32>):
    %s = aten.softmax.int %a0 dim 1 : (tensor<4x4094xf32>) -> tensor<4x4094xf32>
    kgen.yield %s : tensor<4x4094xf32>
  } : tensor<4x4094xf32>
  %r4 = kgen.dispatch @late schedule(#kgen.schedule<family = row, resident = cluster, split_rows = 1, threads_per_row = 64, lead = 4, unroll = 2>)
      ins(%x4 : tensor<7x2000xf32>) {
  ^bb0(%a0: tensor<7x2000xf32>):
    %s = aten.softmax.int %a0 dim 1 : (tensor<7x2000xf32>) -> tensor<7x2000xf32>
    kgen.yield %s : tensor<7x2000xf32>
  } : tensor<7x2000xf32>
  %r5 = kgen.dispatch @two_pass schedule(#kgen.schedule<family = row, resident = reg, threads_per_row = 256, rows_per_block = 1, reduce = two_pass>)
      ins(%x5 : tensor<3x5000xf32>) {
  ^bb0(%a0: tensor<3x5000xf32>):
    %s = aten.softmax.int %a0 dim 1 : (tensor<3x5000xf32>) -> tensor<3x5000xf32>
    kgen.yield %s : tensor<3x5000xf32>
  } : tensor<3x5000xf32>
  %r6 = kgen.dispatch @warps_24 schedule(#kgen.schedule<family = row, resident = reg, threads_per_row = 768, rows_per_block = 1>)
      ins(%x6 : tensor<3x5001xf32>) {
  ^bb0(%a0: tensor<3x5001xf32>):
    %s = aten.softmax.int %a0 dim 1 : (tensor<3x5001xf32>) -> tensor<3x5001xf32>
    kgen.yield %s : tensor<3x5001xf32>
  } : tensor<3x5001xf32>
  %r7 = kgen.dispatch @norm_held schedule(#kgen.schedule<family = row, resident = grid, split_rows = 1, threads_per_row = 64, column_packs = 4>)
      ins(%x7, %w, %b : tensor<7x6x500xf32>, tensor<6x500xf32>, tensor<6x500xf32>) {
  ^bb0(%a0: tensor<7x6x500xf32>, %a1: tensor<6x500xf32>, %a2: tensor<6x500xf32>):
    %s = aten.layer_norm %a0 weight %a1 bias %a2 normalized_shape [6, 500]
        : (tensor<7x6x500xf32>, tensor<6x500xf32>, tensor<6x500xf32>) -> tensor<7x6x500xf32>
    %t = aten.relu %s : (tensor<7x6x500xf32>) -> tensor<7x6x500xf32>
    kgen.yield %t : tensor<7x6x500xf32>
  } : tensor<7x6x500xf32>
  %r8 = kgen.dispatch @norm_streamed schedule(#kgen.schedule<family = row, resident = grid, split_rows = 1, threads_per_row = 64, column_packs = 0, lead = 0>)
      ins(%x7, %w, %b : tensor<7x6x500xf32>, tensor<6x500xf32>, tensor<6x500xf32>) {
  ^bb0(%a0: tensor<7x6x500xf32>, %a1: tensor<6x500xf32>, %a2: tensor<6x500xf32>):
    %s = aten.layer_norm %a0 weight %a1 bias %a2 normalized_shape [6, 500]
        : (tensor<7x6x500xf32>, tensor<6x500xf32>, tensor<6x500xf32>) -> tensor<7x6x500xf32>
    %t = aten.relu %s : (tensor<7x6x500xf32>) -> tensor<7x6x500xf32>
    kgen.yield %t : tensor<7x6x500xf32>
  } : tensor<7x6x500xf32>
  %r9 = kgen.dispatch @norm_mixed schedule(#kgen.schedule<family = row, resident = cluster, split_rows = 1, threads_per_row = 128, column_packs = 1>)
      ins(%x7, %w, %b : tensor<7x6x500xf32>, tensor<6x500xf32>, tensor<6x500xf32>) {
  ^bb0(%a0: tensor<7x6x500xf32>, %a1: tensor<6x500xf32>, %a2: tensor<6x500xf32>):
    %s = aten.layer_norm %a0 weight %a1 bias %a2 normalized_shape [6, 500]
        : (tensor<7x6x500xf32>, tensor<6x500xf32>, tensor<6x500xf32>) -> tensor<7x6x500xf32>
    %t = aten.relu %s : (tensor<7x6x500xf32>) -> tensor<7x6x500xf32>
    kgen.yield %t : tensor<7x6x500xf32>
  } : tensor<7x6x500xf32>
  %r10:2 = kgen.dispatch @sums schedule(#kgen.schedule<family = row, resident = grid, split_rows = 1, threads_per_row = 64>)
      ins(%x7 : tensor<7x6x500xf32>) {
  ^bb0(%a0: tensor<7x6x500xf32>):
    %s = aten.sum.dim_IntList %a0 dim [1, 2] keepdim true : (tensor<7x6x500xf32>) -> tensor<7x1x1xf32>
    %d = aten.div.Tensor %a0, %s : (tensor<7x6x500xf32>, tensor<7x1x1xf32>) -> tensor<7x6x500xf32>
    %e = aten.tanh %d : (tensor<7x6x500xf32>) -> tensor<7x6x500xf32>
    kgen.yield %e, %s : tensor<7x6x500xf32>, tensor<7x1x1xf32>
  } : tensor<7x6x500xf32>, tensor<7x1x1xf32>
  return %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9, %r10#0, %r10#1 : tensor<8x9000xf32>, tensor<5x4096xf32>, tensor<5x9001xf32>, tensor<4x4094xf32>, tensor<7x2000xf32>, tensor<3x5000xf32>, tensor<3x5001xf32>, tensor<7x6x500xf32>, tensor<7x6x500xf32>, tensor<7x6x500xf32>, tensor<7x6x500xf32>, tensor<7x1x1xf32>
}
}
