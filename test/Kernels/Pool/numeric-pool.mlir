// Windows of family pool against the oracle: ranks, padding, dilation, ceil_mode, divisors, fusion.
// REQUIRES: host-compiler
// RUN: rm -rf %t && mkdir -p %t/c
// RUN: kgen-opt %s -kgen-inline-dispatches=all -o %t/graph.mlir
// RUN: kgen-opt %s -kgen-lower-dispatches=assert-sizes -o %t/lowered.mlir
// RUN: kgen-translate --kgen-to-cuda %t/lowered.mlir -o %t/c/kernel.cu
// RUN: kgen-translate --kgen-to-plan %t/lowered.mlir -o %t/c/plan.json
// RUN: kgen-eval %t/c --graph %t/graph.mlir --device host --samples 1 | FileCheck %s
// CHECK: verdict PASS

module {
func.func @pool(%x0: tensor<2x3x27x29xf32>,
    %x1: tensor<2x3x27x28xf32>,
    %x2: tensor<2x3x8x9xf32>,
    %x3: tensor<2x3x15x20xf32>,
    %x4: tensor<2x3x8x8xf32>,
    %x5: tensor<2x4x32xf32>,
    %x6: tensor<2x3x9x10x11xf32>,
    %x7: tensor<3x8x8xf32>,
    %x8: tensor<2x3x15x16xf32>,
    %x9: tensor<2x3x15x16xf32>,
    %x10: tensor<2x3x8x9xf32>,
    %x11: tensor<2x3x8x8xf32>,
    %x12: tensor<2x4x32xf32>,
    %x13: tensor<2x3x8x8x8xf32>,
    %x14: tensor<2x3x10x9xf32>,
    %x15: tensor<2x4x8xf32>,
    %x16: tensor<2x3x5x7x4xf32>,
    %x17: tensor<2x4x15x15xf32>,
    %x18: tensor<4x1x1xf32>,
    %x19: tensor<2x4x7x7xf32>)
    -> (tensor<2x3x13x14xf32>, tensor<2x3x14x14xf32>, tensor<2x3x4x4xf32>, tensor<2x3x13x10xf32>, tensor<2x3x4x4xf32>, tensor<2x4x19xf32>, tensor<2x3x5x5x6xf32>, tensor<3x4x4xf32>, tensor<2x3x8x8xf32>, tensor<2x3x8x8xf32>, tensor<2x3x4x3xf32>, tensor<2x3x5x5xf32>, tensor<2x4x33xf32>, tensor<2x3x4x4x4xf32>, tensor<2x3x3x4xf32>, tensor<2x4x5xf32>, tensor<2x3x2x3x2xf32>, tensor<2x4x7x7xf32>) {
  %r0 = kgen.dispatch @max2 schedule(#kgen.schedule<family = pool>)
      ins(%x0 : tensor<2x3x27x29xf32>) {
  ^bb0(%a0: tensor<2x3x27x29xf32>):
    %y = aten.max_pool2d %a0 kernel [3, 3] stride [2, 2] : (tensor<2x3x27x29xf32>) -> tensor<2x3x13x14xf32>
    kgen.yield %y : tensor<2x3x13x14xf32>
  } : tensor<2x3x13x14xf32>
  %r1 = kgen.dispatch @max2_padded schedule(#kgen.schedule<family = pool, coarsen = 4, block = 64>)
      ins(%x1 : tensor<2x3x27x28xf32>) {
  ^bb0(%a0: tensor<2x3x27x28xf32>):
    %y = aten.max_pool2d %a0 kernel [3, 3] stride [2, 2] padding [1, 1] : (tensor<2x3x27x28xf32>) -> tensor<2x3x14x14xf32>
    kgen.yield %y : tensor<2x3x14x14xf32>
  } : tensor<2x3x14x14xf32>
  %r2 = kgen.dispatch @max2_apart schedule(#kgen.schedule<family = pool>)
      ins(%x2 : tensor<2x3x8x9xf32>) {
  ^bb0(%a0: tensor<2x3x8x9xf32>):
    %y = aten.max_pool2d %a0 kernel [2, 2] : (tensor<2x3x8x9xf32>) -> tensor<2x3x4x4xf32>
    kgen.yield %y : tensor<2x3x4x4xf32>
  } : tensor<2x3x4x4xf32>
  %r3 = kgen.dispatch @max2_dilated schedule(#kgen.schedule<family = pool, coarsen = 3>)
      ins(%x3 : tensor<2x3x15x20xf32>) {
  ^bb0(%a0: tensor<2x3x15x20xf32>):
    %y = aten.max_pool2d %a0 kernel [3, 2] stride [1, 2] padding [1, 1] dilation [2, 3] : (tensor<2x3x15x20xf32>) -> tensor<2x3x13x10xf32>
    kgen.yield %y : tensor<2x3x13x10xf32>
  } : tensor<2x3x13x10xf32>
  %r4 = kgen.dispatch @max2_ceil schedule(#kgen.schedule<family = pool>)
      ins(%x4 : tensor<2x3x8x8xf32>) {
  ^bb0(%a0: tensor<2x3x8x8xf32>):
    %y = aten.max_pool2d %a0 kernel [3, 3] stride [2, 2] ceil_mode true : (tensor<2x3x8x8xf32>) -> tensor<2x3x4x4xf32>
    kgen.yield %y : tensor<2x3x4x4xf32>
  } : tensor<2x3x4x4xf32>
  %r5 = kgen.dispatch @max1 schedule(#kgen.schedule<family = pool>)
      ins(%x5 : tensor<2x4x32xf32>) {
  ^bb0(%a0: tensor<2x4x32xf32>):
    %y = aten.max_pool1d %a0 kernel [8] stride [1] padding [4] dilation [3] : (tensor<2x4x32xf32>) -> tensor<2x4x19xf32>
    kgen.yield %y : tensor<2x4x19xf32>
  } : tensor<2x4x19xf32>
  %r6 = kgen.dispatch @max3 schedule(#kgen.schedule<family = pool>)
      ins(%x6 : tensor<2x3x9x10x11xf32>) {
  ^bb0(%a0: tensor<2x3x9x10x11xf32>):
    %y = aten.max_pool3d %a0 kernel [3, 3, 3] stride [2, 2, 2] padding [1, 1, 1] : (tensor<2x3x9x10x11xf32>) -> tensor<2x3x5x5x6xf32>
    kgen.yield %y : tensor<2x3x5x5x6xf32>
  } : tensor<2x3x5x5x6xf32>
  %r7 = kgen.dispatch @max_no_batch schedule(#kgen.schedule<family = pool>)
      ins(%x7 : tensor<3x8x8xf32>) {
  ^bb0(%a0: tensor<3x8x8xf32>):
    %y = aten.max_pool2d %a0 kernel [2, 2] : (tensor<3x8x8xf32>) -> tensor<3x4x4xf32>
    kgen.yield %y : tensor<3x4x4xf32>
  } : tensor<3x4x4xf32>
  %r8 = kgen.dispatch @avg2 schedule(#kgen.schedule<family = pool>)
      ins(%x8 : tensor<2x3x15x16xf32>) {
  ^bb0(%a0: tensor<2x3x15x16xf32>):
    %y = aten.avg_pool2d %a0 kernel [3, 3] stride [2, 2] padding [1, 1] : (tensor<2x3x15x16xf32>) -> tensor<2x3x8x8xf32>
    kgen.yield %y : tensor<2x3x8x8xf32>
  } : tensor<2x3x8x8xf32>
  %r9 = kgen.dispatch @avg2_inside schedule(#kgen.schedule<family = pool>)
      ins(%x9 : tensor<2x3x15x16xf32>) {
  ^bb0(%a0: tensor<2x3x15x16xf32>):
    %y = aten.avg_pool2d %a0 kernel [3, 3] stride [2, 2] padding [1, 1] count_include_pad false : (tensor<2x3x15x16xf32>) -> tensor<2x3x8x8xf32>
    kgen.yield %y : tensor<2x3x8x8xf32>
  } : tensor<2x3x8x8xf32>
  %r10 = kgen.dispatch @avg2_divisor schedule(#kgen.schedule<family = pool>)
      ins(%x10 : tensor<2x3x8x9xf32>) {
  ^bb0(%a0: tensor<2x3x8x9xf32>):
    %y = aten.avg_pool2d %a0 kernel [2, 3] divisor_override 5 : (tensor<2x3x8x9xf32>) -> tensor<2x3x4x3xf32>
    kgen.yield %y : tensor<2x3x4x3xf32>
  } : tensor<2x3x4x3xf32>
  %r11 = kgen.dispatch @avg2_ceil schedule(#kgen.schedule<family = pool>)
      ins(%x11 : tensor<2x3x8x8xf32>) {
  ^bb0(%a0: tensor<2x3x8x8xf32>):
    %y = aten.avg_pool2d %a0 kernel [3, 3] stride [2, 2] padding [1, 1] ceil_mode true : (tensor<2x3x8x8xf32>) -> tensor<2x3x5x5xf32>
    kgen.yield %y : tensor<2x3x5x5xf32>
  } : tensor<2x3x5x5xf32>
  %r12 = kgen.dispatch @avg1 schedule(#kgen.schedule<family = pool, coarsen = 8>)
      ins(%x12 : tensor<2x4x32xf32>) {
  ^bb0(%a0: tensor<2x4x32xf32>):
    %y = aten.avg_pool1d %a0 kernel [8] stride [1] padding [4] : (tensor<2x4x32xf32>) -> tensor<2x4x33xf32>
    kgen.yield %y : tensor<2x4x33xf32>
  } : tensor<2x4x33xf32>
  %r13 = kgen.dispatch @avg3 schedule(#kgen.schedule<family = pool>)
      ins(%x13 : tensor<2x3x8x8x8xf32>) {
  ^bb0(%a0: tensor<2x3x8x8x8xf32>):
    %y = aten.avg_pool3d %a0 kernel [2, 2, 2] : (tensor<2x3x8x8x8xf32>) -> tensor<2x3x4x4x4xf32>
    kgen.yield %y : tensor<2x3x4x4x4xf32>
  } : tensor<2x3x4x4x4xf32>
  %r14 = kgen.dispatch @adaptive2 schedule(#kgen.schedule<family = pool>)
      ins(%x14 : tensor<2x3x10x9xf32>) {
  ^bb0(%a0: tensor<2x3x10x9xf32>):
    %y = aten.adaptive_avg_pool2d %a0 output_size [3, 4] : (tensor<2x3x10x9xf32>) -> tensor<2x3x3x4xf32>
    kgen.yield %y : tensor<2x3x3x4xf32>
  } : tensor<2x3x3x4xf32>
  %r15 = kgen.dispatch @adaptive1 schedule(#kgen.schedule<family = pool>)
      ins(%x15 : tensor<2x4x8xf32>) {
  ^bb0(%a0: tensor<2x4x8xf32>):
    %y = aten.adaptive_avg_pool1d %a0 output_size [5] : (tensor<2x4x8xf32>) -> tensor<2x4x5xf32>
    kgen.yield %y : tensor<2x4x5xf32>
  } : tensor<2x4x5xf32>
  %r16 = kgen.dispatch @adaptive3 schedule(#kgen.schedule<family = pool>)
      ins(%x16 : tensor<2x3x5x7x4xf32>) {
  ^bb0(%a0: tensor<2x3x5x7x4xf32>):
    %y = aten.adaptive_avg_pool3d %a0 output_size [2, 3, 2] : (tensor<2x3x5x7x4xf32>) -> tensor<2x3x2x3x2xf32>
    kgen.yield %y : tensor<2x3x2x3x2xf32>
  } : tensor<2x3x2x3x2xf32>
  %r17 = kgen.dispatch @fused schedule(#kgen.schedule<family = pool>)
      ins(%x17, %x18, %x19 : tensor<2x4x15x15xf32>, tensor<4x1x1xf32>, tensor<2x4x7x7xf32>) {
  ^bb0(%a0: tensor<2x4x15x15xf32>, %a1: tensor<4x1x1xf32>, %a2: tensor<2x4x7x7xf32>):
    %s = aten.add.Tensor %a0, %a1 : (tensor<2x4x15x15xf32>, tensor<4x1x1xf32>) -> tensor<2x4x15x15xf32>
    %r = aten.relu %s : (tensor<2x4x15x15xf32>) -> tensor<2x4x15x15xf32>
    %p = aten.max_pool2d %r kernel [3, 3] stride [2, 2] : (tensor<2x4x15x15xf32>) -> tensor<2x4x7x7xf32>
    %y = aten.mul.Tensor %p, %a2 : (tensor<2x4x7x7xf32>, tensor<2x4x7x7xf32>) -> tensor<2x4x7x7xf32>
    kgen.yield %y : tensor<2x4x7x7xf32>
  } : tensor<2x4x7x7xf32>
  return %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9, %r10, %r11, %r12, %r13, %r14, %r15, %r16, %r17
      : tensor<2x3x13x14xf32>, tensor<2x3x14x14xf32>, tensor<2x3x4x4xf32>, tensor<2x3x13x10xf32>, tensor<2x3x4x4xf32>, tensor<2x4x19xf32>, tensor<2x3x5x5x6xf32>, tensor<3x4x4xf32>, tensor<2x3x8x8xf32>, tensor<2x3x8x8xf32>, tensor<2x3x4x3xf32>, tensor<2x3x5x5xf32>, tensor<2x4x33xf32>, tensor<2x3x4x4x4xf32>, tensor<2x3x3x4xf32>, tensor<2x4x5xf32>, tensor<2x3x2x3x2xf32>, tensor<2x4x7x7xf32>
}
}
