// Family row on fp16 storage with fp32 arithmetic.
// REQUIRES: host-compiler
// RUN: rm -rf %t && mkdir -p %t/c
// RUN: kgen-opt %s -kgen-inline-dispatches=all -o %t/graph.mlir
// RUN: kgen-opt %s -kgen-lower-dispatches=assert-sizes -o %t/lowered.mlir
// RUN: kgen-translate --kgen-to-cuda %t/lowered.mlir -o %t/c/kernel.cu
// RUN: kgen-translate --kgen-to-plan %t/lowered.mlir -o %t/c/plan.json
// RUN: kgen-eval %t/c --graph %t/graph.mlir --device host --samples 1 | FileCheck %s
// CHECK: verdict PASS

module {
func.func @half(%x0: tensor<5x1000xf16>,
    %x1: tensor<3x70x33xf16>,
    %x2: tensor<3x40000xf16>,
    %x3: tensor<5x1024xf16>,
    %x4: tensor<1024xf16>,
    %x5: tensor<1024xf16>,
    %x6: tensor<5x1024xf16>,
    %x7: tensor<5x1024xf16>,
    %x8: tensor<5x1024xf16>,
    %x9: tensor<3x4x15x17xf16>,
    %x10: tensor<5x261xf16>)
    -> (tensor<5x1000xf16>, tensor<3x70x33xf16>, tensor<3x40000xf16>, tensor<5x1024xf16>, tensor<5xf16>, tensor<5x1024xf16>, tensor<3x4x7x8xf16>, tensor<5x261xf16>) {
  %r0 = kgen.dispatch @softmax0 schedule(#kgen.schedule<family = row>)
      ins(%x0 : tensor<5x1000xf16>) {
  ^bb0(%a0: tensor<5x1000xf16>):
    %s = aten.softmax.int %a0 dim 1 : (tensor<5x1000xf16>) -> tensor<5x1000xf16>
    kgen.yield %s : tensor<5x1000xf16>
  } : tensor<5x1000xf16>
  %r1 = kgen.dispatch @softmax1 schedule(#kgen.schedule<family = row>)
      ins(%x1 : tensor<3x70x33xf16>) {
  ^bb0(%a0: tensor<3x70x33xf16>):
    %s = aten.softmax.int %a0 dim 1 : (tensor<3x70x33xf16>) -> tensor<3x70x33xf16>
    kgen.yield %s : tensor<3x70x33xf16>
  } : tensor<3x70x33xf16>
  %r2 = kgen.dispatch @softmax2 schedule(#kgen.schedule<family = row>)
      ins(%x2 : tensor<3x40000xf16>) {
  ^bb0(%a0: tensor<3x40000xf16>):
    %s = aten.softmax.int %a0 dim 1 : (tensor<3x40000xf16>) -> tensor<3x40000xf16>
    kgen.yield %s : tensor<3x40000xf16>
  } : tensor<3x40000xf16>
  %r3 = kgen.dispatch @layer schedule(#kgen.schedule<family = row>)
      ins(%x3, %x4, %x5 : tensor<5x1024xf16>, tensor<1024xf16>, tensor<1024xf16>) {
  ^bb0(%a0: tensor<5x1024xf16>, %a1: tensor<1024xf16>, %a2: tensor<1024xf16>):
    %y = aten.layer_norm %a0 weight %a1 bias %a2 normalized_shape [1024] : (tensor<5x1024xf16>, tensor<1024xf16>, tensor<1024xf16>) -> tensor<5x1024xf16>
    kgen.yield %y : tensor<5x1024xf16>
  } : tensor<5x1024xf16>
  %r4 = kgen.dispatch @sum schedule(#kgen.schedule<family = row>)
      ins(%x6 : tensor<5x1024xf16>) {
  ^bb0(%a0: tensor<5x1024xf16>):
    %y = aten.sum.dim_IntList %a0 dim [1] : (tensor<5x1024xf16>) -> tensor<5xf16>
    kgen.yield %y : tensor<5xf16>
  } : tensor<5xf16>
  %r5 = kgen.dispatch @relu schedule(#kgen.schedule<family = pointwise>)
      ins(%x7, %x8 : tensor<5x1024xf16>, tensor<5x1024xf16>) {
  ^bb0(%a0: tensor<5x1024xf16>, %a1: tensor<5x1024xf16>):
    %t = aten.relu %a0 : (tensor<5x1024xf16>) -> tensor<5x1024xf16>
    %y = aten.add.Tensor %t, %a1 : (tensor<5x1024xf16>, tensor<5x1024xf16>) -> tensor<5x1024xf16>
    kgen.yield %y : tensor<5x1024xf16>
  } : tensor<5x1024xf16>
  %r6 = kgen.dispatch @pool schedule(#kgen.schedule<family = pool>)
      ins(%x9 : tensor<3x4x15x17xf16>) {
  ^bb0(%a0: tensor<3x4x15x17xf16>):
    %y = aten.max_pool2d %a0 kernel [3, 3] stride [2, 2] : (tensor<3x4x15x17xf16>) -> tensor<3x4x7x8xf16>
    kgen.yield %y : tensor<3x4x7x8xf16>
  } : tensor<3x4x7x8xf16>
  %r7 = kgen.dispatch @halves schedule(#kgen.schedule<family = row, vec = 8, resident = "reg", threads_per_row = 32, rows_per_block = 1>) ins(%x10 : tensor<5x261xf16>) {
  ^bb0(%a: tensor<5x261xf16>):
    %s = aten.softmax.int %a dim -1 : (tensor<5x261xf16>) -> tensor<5x261xf16>
    kgen.yield %s : tensor<5x261xf16>
  } : tensor<5x261xf16>
  return %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7
      : tensor<5x1000xf16>, tensor<3x70x33xf16>, tensor<3x40000xf16>, tensor<5x1024xf16>, tensor<5xf16>, tensor<5x1024xf16>, tensor<3x4x7x8xf16>, tensor<5x261xf16>
}
}
