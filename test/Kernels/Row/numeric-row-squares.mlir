// A statistic of squares is found among rounded ones. A pass that does not round them, as a fused multiplication and subtraction does, finds one that is larger
// than the largest by half a unit in its last place, of which an exponential makes infinity: squares of millions.
// REQUIRES: host-compiler
// RUN: rm -rf %t && mkdir -p %t/c
// RUN: kgen-opt %s -kgen-inline-dispatches=all -o %t/graph.mlir
// RUN: kgen-opt %s -kgen-lower-dispatches=assert-sizes -o %t/lowered.mlir
// RUN: kgen-translate --kgen-to-cuda %t/lowered.mlir -o %t/c/kernel.cu
// RUN: kgen-translate --kgen-to-plan %t/lowered.mlir -o %t/c/plan.json
// RUN: kgen-eval %t/c --graph %t/graph.mlir --device host --samples 1 | FileCheck %s
// CHECK: verdict PASS

module {
func.func @squares(%x0: tensor<8x4097xf32> {kgen.init = "normal(0, 1000000)"},
    %x1: tensor<8x4097xf32> {kgen.init = "normal(0, 1000000)"},
    %x2: tensor<8x4096xf32> {kgen.init = "normal(0, 1000000)"},
    %x3: tensor<8x4096xf32> {kgen.init = "normal(0, 1000000)"},
    %x4: tensor<8x4097xf32> {kgen.init = "normal(0, 1000000)"},
    %x5: tensor<8x4097xf32> {kgen.init = "normal(0, 1000000)"})
    -> (tensor<8x4097xf32>, tensor<8x4097xf32>, tensor<8x4096xf32>, tensor<8x4096xf32>, tensor<8x4097xf32>, tensor<8xf32>) {
  %r0 = kgen.dispatch @none schedule(#kgen.schedule<family = row, resident = none>) ins(%x0 : tensor<8x4097xf32>) {
  ^bb0(%a: tensor<8x4097xf32>):
    %q = aten.square %a : (tensor<8x4097xf32>) -> tensor<8x4097xf32>
    %s = aten.softmax.int %q dim 1 : (tensor<8x4097xf32>) -> tensor<8x4097xf32>
    kgen.yield %s : tensor<8x4097xf32>
  } : tensor<8x4097xf32>
  %r1 = kgen.dispatch @reg schedule(#kgen.schedule<family = row, resident = reg>) ins(%x1 : tensor<8x4097xf32>) {
  ^bb0(%a: tensor<8x4097xf32>):
    %q = aten.square %a : (tensor<8x4097xf32>) -> tensor<8x4097xf32>
    %s = aten.softmax.int %q dim 1 : (tensor<8x4097xf32>) -> tensor<8x4097xf32>
    kgen.yield %s : tensor<8x4097xf32>
  } : tensor<8x4097xf32>
  %r2 = kgen.dispatch @smem schedule(#kgen.schedule<family = row, resident = smem>) ins(%x2 : tensor<8x4096xf32>) {
  ^bb0(%a: tensor<8x4096xf32>):
    %q = aten.square %a : (tensor<8x4096xf32>) -> tensor<8x4096xf32>
    %s = aten.softmax.int %q dim 1 : (tensor<8x4096xf32>) -> tensor<8x4096xf32>
    kgen.yield %s : tensor<8x4096xf32>
  } : tensor<8x4096xf32>
  %r3 = kgen.dispatch @hybrid schedule(#kgen.schedule<family = row, resident = hybrid, threads_per_row = 512>) ins(%x3 : tensor<8x4096xf32>) {
  ^bb0(%a: tensor<8x4096xf32>):
    %q = aten.square %a : (tensor<8x4096xf32>) -> tensor<8x4096xf32>
    %s = aten.softmax.int %q dim 1 : (tensor<8x4096xf32>) -> tensor<8x4096xf32>
    kgen.yield %s : tensor<8x4096xf32>
  } : tensor<8x4096xf32>
  %r4 = kgen.dispatch @split schedule(#kgen.schedule<family = row, resident = none, split_rows = 4>) ins(%x4 : tensor<8x4097xf32>) {
  ^bb0(%a: tensor<8x4097xf32>):
    %q = aten.square %a : (tensor<8x4097xf32>) -> tensor<8x4097xf32>
    %s = aten.softmax.int %q dim 1 : (tensor<8x4097xf32>) -> tensor<8x4097xf32>
    kgen.yield %s : tensor<8x4097xf32>
  } : tensor<8x4097xf32>
  %r5 = kgen.dispatch @lse schedule(#kgen.schedule<family = row, resident = none>) ins(%x5 : tensor<8x4097xf32>) {
  ^bb0(%a: tensor<8x4097xf32>):
    %q = aten.square %a : (tensor<8x4097xf32>) -> tensor<8x4097xf32>
    %s = aten.logsumexp %q dim [1] : (tensor<8x4097xf32>) -> tensor<8xf32>
    kgen.yield %s : tensor<8xf32>
  } : tensor<8xf32>
  return %r0, %r1, %r2, %r3, %r4, %r5 : tensor<8x4097xf32>, tensor<8x4097xf32>, tensor<8x4096xf32>, tensor<8x4096xf32>, tensor<8x4097xf32>, tensor<8xf32>
}
}
