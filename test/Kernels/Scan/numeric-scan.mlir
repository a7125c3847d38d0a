// Running sums and products by family scan, along and across rows, against the oracle.
// REQUIRES: host-compiler
// RUN: rm -rf %t && mkdir -p %t/c
// RUN: kgen-opt %s -kgen-inline-dispatches=all -o %t/graph.mlir
// RUN: kgen-opt %s -kgen-lower-dispatches=assert-sizes -o %t/lowered.mlir
// RUN: kgen-translate --kgen-to-cuda %t/lowered.mlir -o %t/c/kernel.cu
// RUN: kgen-translate --kgen-to-plan %t/lowered.mlir -o %t/c/plan.json
// RUN: kgen-eval %t/c --graph %t/graph.mlir --device host --samples 1 | FileCheck %s
// CHECK: verdict PASS

module {
func.func @scans(%x0: tensor<5x40xf32>,
    %x1: tensor<3x9000xf32>,
    %x2: tensor<4x1031xf32>,
    %x3: tensor<3x700xf32> {kgen.init = "uniform(0.9, 1.1)"},
    %x4: tensor<2x150x7xf32>,
    %x5: tensor<77x6xf32> {kgen.init = "uniform(0.9, 1.1)"},
    %x6: tensor<3x602xf32>,
    %x: tensor<6x2048xf32>,
    %mask: tensor<6x2048xf32> {kgen.init = "integer(0, 1)"},
    %w: tensor<6x1xf32>)
    -> (tensor<5x40xf32>, tensor<3x9000xf32>, tensor<4x1031xf32>, tensor<3x700xf32>, tensor<2x150x7xf32>, tensor<77x6xf32>, tensor<3x602xf32>, tensor<6x2048xf32>) {
  %r0 = kgen.dispatch @few schedule(#kgen.schedule<family = scan>)
      ins(%x0 : tensor<5x40xf32>) {
  ^bb0(%a0: tensor<5x40xf32>):
    %s = aten.cumsum %a0 dim 1 : (tensor<5x40xf32>) -> tensor<5x40xf32>
    kgen.yield %s : tensor<5x40xf32>
  } : tensor<5x40xf32>
  %r1 = kgen.dispatch @steps schedule(#kgen.schedule<family = scan, block = 64, unroll = 2>)
      ins(%x1 : tensor<3x9000xf32>) {
  ^bb0(%a0: tensor<3x9000xf32>):
    %s = aten.cumsum %a0 dim 1 : (tensor<3x9000xf32>) -> tensor<3x9000xf32>
    kgen.yield %s : tensor<3x9000xf32>
  } : tensor<3x9000xf32>
  %r2 = kgen.dispatch @odd schedule(#kgen.schedule<family = scan>)
      ins(%x2 : tensor<4x1031xf32>) {
  ^bb0(%a0: tensor<4x1031xf32>):
    %s = aten.cumsum %a0 dim -1 : (tensor<4x1031xf32>) -> tensor<4x1031xf32>
    kgen.yield %s : tensor<4x1031xf32>
  } : tensor<4x1031xf32>
  %r3 = kgen.dispatch @product schedule(#kgen.schedule<family = scan>)
      ins(%x3 : tensor<3x700xf32>) {
  ^bb0(%a0: tensor<3x700xf32>):
    %s = aten.cumprod %a0 dim 1 : (tensor<3x700xf32>) -> tensor<3x700xf32>
    kgen.yield %s : tensor<3x700xf32>
  } : tensor<3x700xf32>
  %r4 = kgen.dispatch @across schedule(#kgen.schedule<family = scan>)
      ins(%x4 : tensor<2x150x7xf32>) {
  ^bb0(%a0: tensor<2x150x7xf32>):
    %s = aten.cumsum %a0 dim 1 : (tensor<2x150x7xf32>) -> tensor<2x150x7xf32>
    kgen.yield %s : tensor<2x150x7xf32>
  } : tensor<2x150x7xf32>
  %r5 = kgen.dispatch @outermost schedule(#kgen.schedule<family = scan, unroll = 4>)
      ins(%x5 : tensor<77x6xf32>) {
  ^bb0(%a0: tensor<77x6xf32>):
    %s = aten.cumprod %a0 dim 0 : (tensor<77x6xf32>) -> tensor<77x6xf32>
    kgen.yield %s : tensor<77x6xf32>
  } : tensor<77x6xf32>
  %r6 = kgen.dispatch @pairs schedule(#kgen.schedule<family = scan, vec = 2, unroll = 1, block = 32>)
      ins(%x6 : tensor<3x602xf32>) {
  ^bb0(%a0: tensor<3x602xf32>):
    %s = aten.cumsum %a0 dim 1 : (tensor<3x602xf32>) -> tensor<3x602xf32>
    kgen.yield %s : tensor<3x602xf32>
  } : tensor<3x602xf32>
  %m = kgen.dispatch @masked schedule(#kgen.schedule<family = scan, block = 128>)
      ins(%x, %mask, %w : tensor<6x2048xf32>, tensor<6x2048xf32>, tensor<6x1xf32>) {
  ^bb0(%a0: tensor<6x2048xf32>, %a1: tensor<6x2048xf32>, %a2: tensor<6x1xf32>):
    %p = aten.mul.Tensor %a0, %a1 : (tensor<6x2048xf32>, tensor<6x2048xf32>) -> tensor<6x2048xf32>
    %s = aten.cumsum %p dim 1 : (tensor<6x2048xf32>) -> tensor<6x2048xf32>
    %q = aten.mul.Tensor %s, %a2 : (tensor<6x2048xf32>, tensor<6x1xf32>) -> tensor<6x2048xf32>
    %e = aten.tanh %q : (tensor<6x2048xf32>) -> tensor<6x2048xf32>
    kgen.yield %e : tensor<6x2048xf32>
  } : tensor<6x2048xf32>
  return %r0, %r1, %r2, %r3, %r4, %r5, %r6, %m : tensor<5x40xf32>, tensor<3x9000xf32>, tensor<4x1031xf32>, tensor<3x700xf32>, tensor<2x150x7xf32>, tensor<77x6xf32>, tensor<3x602xf32>, tensor<6x2048xf32>
}
}
