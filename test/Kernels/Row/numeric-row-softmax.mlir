// Softmax and what is like it by family row, in every way that a row can be held, against the oracle.
// REQUIRES: host-compiler
// RUN: rm -rf %t && mkdir -p %t/c
// RUN: kgen-opt %s -kgen-inline-dispatches=all -o %t/graph.mlir
// RUN: kgen-opt %s -kgen-lower-dispatches=assert-sizes -o %t/lowered.mlir
// RUN: kgen-translate --kgen-to-cuda %t/lowered.mlir -o %t/c/kernel.cu
// RUN: kgen-translate --kgen-to-plan %t/lowered.mlir -o %t/c/plan.json
// RUN: kgen-eval %t/c --graph %t/graph.mlir --device host --samples 1 | FileCheck %s
// CHECK: verdict PASS

module {
func.func @softmax(%x0: tensor<7x40xf32>,
    %x1: tensor<5x1001xf32>,
    %x2: tensor<3x5000xf32>,
    %x3: tensor<9x24xf32>,
    %x4: tensor<3x9000xf32>,
    %x5: tensor<5x9000xf32>,
    %x6: tensor<2x40000xf32>,
    %x7: tensor<37x3000xf32>,
    %x8: tensor<3x40000xf32>,
    %x9: tensor<3x20001xf32>,
    %x10: tensor<4x8192xf32>,
    %x11: tensor<3x70x33xf32>,
    %x12: tensor<7x4x33xf32>,
    %x13: tensor<2x700x3xf32>,
    %x14: tensor<5x1xf32>,
    %x15: tensor<5x1000xf32>,
    %x16: tensor<2x50x20xf32>,
    %x17: tensor<6x900xf32>,
    %x18: tensor<900xf32>)
    -> (tensor<7x40xf32>, tensor<5x1001xf32>, tensor<3x5000xf32>, tensor<9x24xf32>, tensor<3x9000xf32>, tensor<5x9000xf32>, tensor<2x40000xf32>, tensor<37x3000xf32>, tensor<3x40000xf32>, tensor<3x20001xf32>, tensor<4x8192xf32>, tensor<3x70x33xf32>, tensor<7x4x33xf32>, tensor<2x700x3xf32>, tensor<5x1xf32>, tensor<5x1000xf32>, tensor<2x50x20xf32>, tensor<6x900xf32>) {
  %r0 = kgen.dispatch @warp schedule(#kgen.schedule<family = row>)
      ins(%x0 : tensor<7x40xf32>) {
  ^bb0(%a0: tensor<7x40xf32>):
    %s = aten.softmax.int %a0 dim 1 : (tensor<7x40xf32>) -> tensor<7x40xf32>
    kgen.yield %s : tensor<7x40xf32>
  } : tensor<7x40xf32>
  %r1 = kgen.dispatch @odd schedule(#kgen.schedule<family = row>)
      ins(%x1 : tensor<5x1001xf32>) {
  ^bb0(%a0: tensor<5x1001xf32>):
    %s = aten.softmax.int %a0 dim 1 : (tensor<5x1001xf32>) -> tensor<5x1001xf32>
    kgen.yield %s : tensor<5x1001xf32>
  } : tensor<5x1001xf32>
  %r2 = kgen.dispatch @block schedule(#kgen.schedule<family = row, threads_per_row = 256>)
      ins(%x2 : tensor<3x5000xf32>) {
  ^bb0(%a0: tensor<3x5000xf32>):
    %s = aten.softmax.int %a0 dim 1 : (tensor<3x5000xf32>) -> tensor<3x5000xf32>
    kgen.yield %s : tensor<3x5000xf32>
  } : tensor<3x5000xf32>
  %r3 = kgen.dispatch @part_of_a_warp schedule(#kgen.schedule<family = row, threads_per_row = 8, rows_per_block = 8>)
      ins(%x3 : tensor<9x24xf32>) {
  ^bb0(%a0: tensor<9x24xf32>):
    %s = aten.softmax.int %a0 dim -1 : (tensor<9x24xf32>) -> tensor<9x24xf32>
    kgen.yield %s : tensor<9x24xf32>
  } : tensor<9x24xf32>
  %r4 = kgen.dispatch @reread schedule(#kgen.schedule<family = row, threads_per_row = 256, resident = none, unroll = 2>)
      ins(%x4 : tensor<3x9000xf32>) {
  ^bb0(%a0: tensor<3x9000xf32>):
    %s = aten.softmax.int %a0 dim 1 : (tensor<3x9000xf32>) -> tensor<3x9000xf32>
    kgen.yield %s : tensor<3x9000xf32>
  } : tensor<3x9000xf32>
  %r5 = kgen.dispatch @streamed schedule(#kgen.schedule<family = row, threads_per_row = 64, resident = hybrid>)
      ins(%x5 : tensor<5x9000xf32>) {
  ^bb0(%a0: tensor<5x9000xf32>):
    %s = aten.softmax.int %a0 dim 1 : (tensor<5x9000xf32>) -> tensor<5x9000xf32>
    kgen.yield %s : tensor<5x9000xf32>
  } : tensor<5x9000xf32>
  %r6 = kgen.dispatch @streamed_longer schedule(#kgen.schedule<family = row, threads_per_row = 512, resident = smem, split_rows = 1>)
      ins(%x6 : tensor<2x40000xf32>) {
  ^bb0(%a0: tensor<2x40000xf32>):
    %s = aten.softmax.int %a0 dim 1 : (tensor<2x40000xf32>) -> tensor<2x40000xf32>
    kgen.yield %s : tensor<2x40000xf32>
  } : tensor<2x40000xf32>
  %r7 = kgen.dispatch @by_one_thread schedule(#kgen.schedule<family = row, threads_per_row = 1, rows_per_block = 8, resident = none>)
      ins(%x7 : tensor<37x3000xf32>) {
  ^bb0(%a0: tensor<37x3000xf32>):
    %s = aten.softmax.int %a0 dim 1 : (tensor<37x3000xf32>) -> tensor<37x3000xf32>
    kgen.yield %s : tensor<37x3000xf32>
  } : tensor<37x3000xf32>
  %r8 = kgen.dispatch @split schedule(#kgen.schedule<family = row>)
      ins(%x8 : tensor<3x40000xf32>) {
  ^bb0(%a0: tensor<3x40000xf32>):
    %s = aten.softmax.int %a0 dim 1 : (tensor<3x40000xf32>) -> tensor<3x40000xf32>
    kgen.yield %s : tensor<3x40000xf32>
  } : tensor<3x40000xf32>
  %r9 = kgen.dispatch @split_odd schedule(#kgen.schedule<family = row, split_rows = 7, threads_per_row = 64, rows_per_block = 2>)
      ins(%x9 : tensor<3x20001xf32>) {
  ^bb0(%a0: tensor<3x20001xf32>):
    %s = aten.softmax.int %a0 dim 1 : (tensor<3x20001xf32>) -> tensor<3x20001xf32>
    kgen.yield %s : tensor<3x20001xf32>
  } : tensor<3x20001xf32>
  %r10 = kgen.dispatch @split_warp schedule(#kgen.schedule<family = row, split_rows = 4, threads_per_row = 32>)
      ins(%x10 : tensor<4x8192xf32>) {
  ^bb0(%a0: tensor<4x8192xf32>):
    %s = aten.softmax.int %a0 dim 1 : (tensor<4x8192xf32>) -> tensor<4x8192xf32>
    kgen.yield %s : tensor<4x8192xf32>
  } : tensor<4x8192xf32>
  %r11 = kgen.dispatch @middle schedule(#kgen.schedule<family = row>)
      ins(%x11 : tensor<3x70x33xf32>) {
  ^bb0(%a0: tensor<3x70x33xf32>):
    %s = aten.softmax.int %a0 dim 1 : (tensor<3x70x33xf32>) -> tensor<3x70x33xf32>
    kgen.yield %s : tensor<3x70x33xf32>
  } : tensor<3x70x33xf32>
  %r12 = kgen.dispatch @first schedule(#kgen.schedule<family = row>)
      ins(%x12 : tensor<7x4x33xf32>) {
  ^bb0(%a0: tensor<7x4x33xf32>):
    %s = aten.softmax.int %a0 dim 0 : (tensor<7x4x33xf32>) -> tensor<7x4x33xf32>
    kgen.yield %s : tensor<7x4x33xf32>
  } : tensor<7x4x33xf32>
  %r13 = kgen.dispatch @narrow schedule(#kgen.schedule<family = row>)
      ins(%x13 : tensor<2x700x3xf32>) {
  ^bb0(%a0: tensor<2x700x3xf32>):
    %s = aten.softmax.int %a0 dim 1 : (tensor<2x700x3xf32>) -> tensor<2x700x3xf32>
    kgen.yield %s : tensor<2x700x3xf32>
  } : tensor<2x700x3xf32>
  %r14 = kgen.dispatch @one_element schedule(#kgen.schedule<family = row>)
      ins(%x14 : tensor<5x1xf32>) {
  ^bb0(%a0: tensor<5x1xf32>):
    %s = aten.softmax.int %a0 dim 1 : (tensor<5x1xf32>) -> tensor<5x1xf32>
    kgen.yield %s : tensor<5x1xf32>
  } : tensor<5x1xf32>
  %r15 = kgen.dispatch @logarithm schedule(#kgen.schedule<family = row>)
      ins(%x15 : tensor<5x1000xf32>) {
  ^bb0(%a0: tensor<5x1000xf32>):
    %s = aten.log_softmax.int %a0 dim 1 : (tensor<5x1000xf32>) -> tensor<5x1000xf32>
    kgen.yield %s : tensor<5x1000xf32>
  } : tensor<5x1000xf32>
  %r16 = kgen.dispatch @logarithm_middle schedule(#kgen.schedule<family = row>)
      ins(%x16 : tensor<2x50x20xf32>) {
  ^bb0(%a0: tensor<2x50x20xf32>):
    %s = aten.log_softmax.int %a0 dim 1 : (tensor<2x50x20xf32>) -> tensor<2x50x20xf32>
    kgen.yield %s : tensor<2x50x20xf32>
  } : tensor<2x50x20xf32>
  %r17 = kgen.dispatch @fused schedule(#kgen.schedule<family = row>)
      ins(%x17, %x18 : tensor<6x900xf32>, tensor<900xf32>) {
  ^bb0(%a0: tensor<6x900xf32>, %a1: tensor<900xf32>):
    %m = aten.relu %a0 : (tensor<6x900xf32>) -> tensor<6x900xf32>
    %s = aten.softmax.int %m dim 1 : (tensor<6x900xf32>) -> tensor<6x900xf32>
    %t = aten.add.Tensor %s, %a1 : (tensor<6x900xf32>, tensor<900xf32>) -> tensor<6x900xf32>
    %u = aten.mul.Scalar %t {other = 2.0} : (tensor<6x900xf32>) -> tensor<6x900xf32>
    kgen.yield %u : tensor<6x900xf32>
  } : tensor<6x900xf32>
  return %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9, %r10, %r11, %r12, %r13, %r14, %r15, %r16, %r17
      : tensor<7x40xf32>, tensor<5x1001xf32>, tensor<3x5000xf32>, tensor<9x24xf32>, tensor<3x9000xf32>, tensor<5x9000xf32>, tensor<2x40000xf32>, tensor<37x3000xf32>, tensor<3x40000xf32>, tensor<3x20001xf32>, tensor<4x8192xf32>, tensor<3x70x33xf32>, tensor<7x4x33xf32>, tensor<2x700x3xf32>, tensor<5x1xf32>, tensor<5x1000xf32>, tensor<2x50x20xf32>, tensor<6x900xf32>
}
}
