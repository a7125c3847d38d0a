// Chains of family pointwise against the oracle: broadcasts, odd sizes, several results.
// REQUIRES: host-compiler
// RUN: rm -rf %t && mkdir -p %t/c
// RUN: kgen-opt %s -kgen-inline-dispatches=all -o %t/graph.mlir
// RUN: kgen-opt %s -kgen-lower-dispatches=assert-sizes -o %t/lowered.mlir
// RUN: kgen-translate --kgen-to-cuda %t/lowered.mlir -o %t/c/kernel.cu
// RUN: kgen-translate --kgen-to-plan %t/lowered.mlir -o %t/c/plan.json
// RUN: kgen-eval %t/c --graph %t/graph.mlir --device host --samples 1 | FileCheck %s
// CHECK: verdict PASS

module {
func.func @pointwise(%x0: tensor<37x53xf32>,
    %x1: tensor<37x53xf32>,
    %x2: tensor<53xf32>,
    %x3: tensor<37x1xf32>,
    %x4: tensor<4x8x6x12xf32>,
    %x5: tensor<8x1x1xf32>,
    %x6: tensor<4x8x6x12xf32>,
    %x7: tensor<8xf32>,
    %x8: tensor<8xf32>,
    %x9: tensor<8xf32>,
    %x10: tensor<8xf32> {kgen.init = "uniform(0.5, 2)"},
    %x11: tensor<3x5xf32>,
    %x12: tensor<3x5xf32>,
    %x13: tensor<100x1024xf32>,
    %x14: tensor<100x1024xf32>)
    -> (tensor<37x53xf32>, tensor<37x53xf32>, tensor<4x8x6x12xf32>, tensor<4x8x6x12xf32>, tensor<4x8x6x12xf32>, tensor<3x5xf32>, tensor<100x1024xf32>) {
  %r0 = kgen.dispatch @odd schedule(#kgen.schedule<family = pointwise>)
      ins(%x0 : tensor<37x53xf32>) {
  ^bb0(%a0: tensor<37x53xf32>):
    %y = aten.gelu %a0 : (tensor<37x53xf32>) -> tensor<37x53xf32>
    kgen.yield %y : tensor<37x53xf32>
  } : tensor<37x53xf32>
  %r1 = kgen.dispatch @broadcast schedule(#kgen.schedule<family = pointwise>)
      ins(%x1, %x2, %x3 : tensor<37x53xf32>, tensor<53xf32>, tensor<37x1xf32>) {
  ^bb0(%a0: tensor<37x53xf32>, %a1: tensor<53xf32>, %a2: tensor<37x1xf32>):
    %s = aten.mul.Tensor %a0, %a1 : (tensor<37x53xf32>, tensor<53xf32>) -> tensor<37x53xf32>
    %t = aten.add.Tensor %s, %a2 : (tensor<37x53xf32>, tensor<37x1xf32>) -> tensor<37x53xf32>
    %y = aten.sigmoid %t : (tensor<37x53xf32>) -> tensor<37x53xf32>
    kgen.yield %y : tensor<37x53xf32>
  } : tensor<37x53xf32>
  %r2:2 = kgen.dispatch @channels schedule(#kgen.schedule<family = pointwise, coarsen = 2, block = 64>)
      ins(%x4, %x5 : tensor<4x8x6x12xf32>, tensor<8x1x1xf32>) {
  ^bb0(%a0: tensor<4x8x6x12xf32>, %a1: tensor<8x1x1xf32>):
    %s = aten.mul.Tensor %a0, %a1 : (tensor<4x8x6x12xf32>, tensor<8x1x1xf32>) -> tensor<4x8x6x12xf32>
    %y = aten.silu %s : (tensor<4x8x6x12xf32>) -> tensor<4x8x6x12xf32>
    kgen.yield %y, %s : tensor<4x8x6x12xf32>, tensor<4x8x6x12xf32>
  } : tensor<4x8x6x12xf32>, tensor<4x8x6x12xf32>
  %r3 = kgen.dispatch @batch_norm schedule(#kgen.schedule<family = pointwise, vec = 2, cache_hint = streaming>)
      ins(%x6, %x7, %x8, %x9, %x10 : tensor<4x8x6x12xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  ^bb0(%a0: tensor<4x8x6x12xf32>, %a1: tensor<8xf32>, %a2: tensor<8xf32>, %a3: tensor<8xf32>, %a4: tensor<8xf32>):
    %n = aten.batch_norm %a0 weight %a1 bias %a2 running_mean %a3 running_var %a4 : (tensor<4x8x6x12xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<4x8x6x12xf32>
    %y = aten.relu %n : (tensor<4x8x6x12xf32>) -> tensor<4x8x6x12xf32>
    kgen.yield %y : tensor<4x8x6x12xf32>
  } : tensor<4x8x6x12xf32>
  %r4 = kgen.dispatch @tiny schedule(#kgen.schedule<family = pointwise>)
      ins(%x11, %x12 : tensor<3x5xf32>, tensor<3x5xf32>) {
  ^bb0(%a0: tensor<3x5xf32>, %a1: tensor<3x5xf32>):
    %y = aten.sub.Tensor %a0, %a1 : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
    kgen.yield %y : tensor<3x5xf32>
  } : tensor<3x5xf32>
  %r5 = kgen.dispatch @large schedule(#kgen.schedule<family = pointwise, coarsen = 4>)
      ins(%x13, %x14 : tensor<100x1024xf32>, tensor<100x1024xf32>) {
  ^bb0(%a0: tensor<100x1024xf32>, %a1: tensor<100x1024xf32>):
    %m = aten.maximum %a0, %a1 : (tensor<100x1024xf32>, tensor<100x1024xf32>) -> tensor<100x1024xf32>
    %y = aten.tanh %m : (tensor<100x1024xf32>) -> tensor<100x1024xf32>
    kgen.yield %y : tensor<100x1024xf32>
  } : tensor<100x1024xf32>
  return %r0, %r1, %r2#0, %r2#1, %r3, %r4, %r5
      : tensor<37x53xf32>, tensor<37x53xf32>, tensor<4x8x6x12xf32>, tensor<4x8x6x12xf32>, tensor<4x8x6x12xf32>, tensor<3x5xf32>, tensor<100x1024xf32>
}
}
