// Windows of family pool over images with channels last, against the oracle; and from one order to the other.
// REQUIRES: host-compiler
// RUN: rm -rf %t && mkdir -p %t/c
// RUN: kgen-opt %s -kgen-inline-dispatches=all -o %t/graph.mlir
// RUN: kgen-opt %s -kgen-lower-dispatches=assert-sizes -o %t/lowered.mlir
// RUN: kgen-translate --kgen-to-cuda %t/lowered.mlir -o %t/c/kernel.cu
// RUN: kgen-translate --kgen-to-plan %t/lowered.mlir -o %t/c/plan.json
// RUN: kgen-eval %t/c --graph %t/graph.mlir --device host --samples 1 | FileCheck %s
// CHECK: verdict PASS
// RUN: FileCheck %s --check-prefix=TEXT --input-file=%t/c/kernel.cu
// Neighbouring threads have neighbouring channels where they read them last.
// TEXT-LABEL: max_last_windows(
// TEXT: const int channel = static_cast<int>(item % kChannels);
// TEXT-LABEL: max_to_last_windows(
// TEXT-NOT: const int channel
// TEXT-LABEL: max_to_first_windows(
// TEXT: const int channel

module {
func.func @pool(%x0: tensor<2x13x15x20xf32>,
    %x1: tensor<2x20x13x15xf32>,
    %x2: tensor<2x8x8x8xf32>,
    %x3: tensor<2x9x10x6xf32>,
    %x4: tensor<2x9x10x6xf32>,
    %x5: tensor<2x6x9x10xf32>,
    %x6: tensor<2x9x10x6xf32>,
    %x7: tensor<2x4x6x8x6xf32>,
    %x8: tensor<2x17x6xf32>, %x9: tensor<2x17x1xf32>)
    -> (tensor<2x7x8x20xf32>, tensor<2x7x8x20xf32>, tensor<2x8x4x4xf32>, tensor<2x9x10x6xf32>, tensor<2x3x2x6xf32>, tensor<2x3x2x6xf32>, tensor<2x6x3x2xf32>, tensor<2x2x3x4x6xf32>, tensor<2x8x6xf32>, tensor<2x8x1xf32>) {
  %r0 = kgen.dispatch @max_last schedule(#kgen.schedule<family = pool>)
      ins(%x0 : tensor<2x13x15x20xf32>) {
  ^bb0(%a: tensor<2x13x15x20xf32>):
    %f = aten.permute %a dims [0, 3, 1, 2] : (tensor<2x13x15x20xf32>) -> tensor<2x20x13x15xf32>
    %p = aten.max_pool2d %f kernel [3, 3] stride [2, 2] padding [1, 1] : (tensor<2x20x13x15xf32>) -> tensor<2x20x7x8xf32>
    %t = aten.relu %p : (tensor<2x20x7x8xf32>) -> tensor<2x20x7x8xf32>
    %l = aten.permute %t dims [0, 2, 3, 1] : (tensor<2x20x7x8xf32>) -> tensor<2x7x8x20xf32>
    kgen.yield %l : tensor<2x7x8x20xf32>
  } : tensor<2x7x8x20xf32>
  %r1 = kgen.dispatch @max_to_last schedule(#kgen.schedule<family = pool, coarsen = 4>)
      ins(%x1 : tensor<2x20x13x15xf32>) {
  ^bb0(%a: tensor<2x20x13x15xf32>):
    %p = aten.max_pool2d %a kernel [3, 3] stride [2, 2] padding [1, 1] : (tensor<2x20x13x15xf32>) -> tensor<2x20x7x8xf32>
    %l = aten.permute %p dims [0, 2, 3, 1] : (tensor<2x20x7x8xf32>) -> tensor<2x7x8x20xf32>
    kgen.yield %l : tensor<2x7x8x20xf32>
  } : tensor<2x7x8x20xf32>
  %r2 = kgen.dispatch @max_to_first schedule(#kgen.schedule<family = pool, block = 64>)
      ins(%x2 : tensor<2x8x8x8xf32>) {
  ^bb0(%a: tensor<2x8x8x8xf32>):
    %f = aten.permute %a dims [0, 3, 1, 2] : (tensor<2x8x8x8xf32>) -> tensor<2x8x8x8xf32>
    %p = aten.max_pool2d %f kernel [2, 2] stride [2, 2] : (tensor<2x8x8x8xf32>) -> tensor<2x8x4x4xf32>
    kgen.yield %p : tensor<2x8x4x4xf32>
  } : tensor<2x8x4x4xf32>
  %r3 = kgen.dispatch @average_last schedule(#kgen.schedule<family = pool>)
      ins(%x3 : tensor<2x9x10x6xf32>) {
  ^bb0(%a: tensor<2x9x10x6xf32>):
    %f = aten.permute %a dims [0, 3, 1, 2] : (tensor<2x9x10x6xf32>) -> tensor<2x6x9x10xf32>
    %p = aten.avg_pool2d %f kernel [3, 3] stride [1, 1] padding [1, 1] : (tensor<2x6x9x10xf32>) -> tensor<2x6x9x10xf32>
    %t = aten.silu %p : (tensor<2x6x9x10xf32>) -> tensor<2x6x9x10xf32>
    %l = aten.permute %t dims [0, 2, 3, 1] : (tensor<2x6x9x10xf32>) -> tensor<2x9x10x6xf32>
    kgen.yield %l : tensor<2x9x10x6xf32>
  } : tensor<2x9x10x6xf32>
  %r4 = kgen.dispatch @adaptive_last schedule(#kgen.schedule<family = pool>)
      ins(%x4 : tensor<2x9x10x6xf32>) {
  ^bb0(%a: tensor<2x9x10x6xf32>):
    %f = aten.permute %a dims [0, 3, 1, 2] : (tensor<2x9x10x6xf32>) -> tensor<2x6x9x10xf32>
    %p = aten.adaptive_avg_pool2d %f output_size [3, 2] : (tensor<2x6x9x10xf32>) -> tensor<2x6x3x2xf32>
    %l = aten.permute %p dims [0, 2, 3, 1] : (tensor<2x6x3x2xf32>) -> tensor<2x3x2x6xf32>
    kgen.yield %l : tensor<2x3x2x6xf32>
  } : tensor<2x3x2x6xf32>
  %r5 = kgen.dispatch @adaptive_to_last schedule(#kgen.schedule<family = pool>)
      ins(%x5 : tensor<2x6x9x10xf32>) {
  ^bb0(%a: tensor<2x6x9x10xf32>):
    %p = aten.adaptive_avg_pool2d %a output_size [3, 2] : (tensor<2x6x9x10xf32>) -> tensor<2x6x3x2xf32>
    %l = aten.permute %p dims [0, 2, 3, 1] : (tensor<2x6x3x2xf32>) -> tensor<2x3x2x6xf32>
    kgen.yield %l : tensor<2x3x2x6xf32>
  } : tensor<2x3x2x6xf32>
  %r6 = kgen.dispatch @adaptive_to_first schedule(#kgen.schedule<family = pool>)
      ins(%x6 : tensor<2x9x10x6xf32>) {
  ^bb0(%a: tensor<2x9x10x6xf32>):
    %f = aten.permute %a dims [0, 3, 1, 2] : (tensor<2x9x10x6xf32>) -> tensor<2x6x9x10xf32>
    %p = aten.adaptive_avg_pool2d %f output_size [3, 2] : (tensor<2x6x9x10xf32>) -> tensor<2x6x3x2xf32>
    kgen.yield %p : tensor<2x6x3x2xf32>
  } : tensor<2x6x3x2xf32>
  %r7 = kgen.dispatch @planes_last schedule(#kgen.schedule<family = pool>)
      ins(%x7 : tensor<2x4x6x8x6xf32>) {
  ^bb0(%a: tensor<2x4x6x8x6xf32>):
    %f = aten.permute %a dims [0, 4, 1, 2, 3] : (tensor<2x4x6x8x6xf32>) -> tensor<2x6x4x6x8xf32>
    %p = aten.max_pool3d %f kernel [2, 2, 2] stride [2, 2, 2] : (tensor<2x6x4x6x8xf32>) -> tensor<2x6x2x3x4xf32>
    %l = aten.permute %p dims [0, 2, 3, 4, 1] : (tensor<2x6x2x3x4xf32>) -> tensor<2x2x3x4x6xf32>
    kgen.yield %l : tensor<2x2x3x4x6xf32>
  } : tensor<2x2x3x4x6xf32>
  %r8 = kgen.dispatch @row_last schedule(#kgen.schedule<family = pool>)
      ins(%x8 : tensor<2x17x6xf32>) {
  ^bb0(%a: tensor<2x17x6xf32>):
    %f = aten.permute %a dims [0, 2, 1] : (tensor<2x17x6xf32>) -> tensor<2x6x17xf32>
    %p = aten.avg_pool1d %f kernel [3] stride [2] : (tensor<2x6x17xf32>) -> tensor<2x6x8xf32>
    %l = aten.permute %p dims [0, 2, 1] : (tensor<2x6x8xf32>) -> tensor<2x8x6xf32>
    kgen.yield %l : tensor<2x8x6xf32>
  } : tensor<2x8x6xf32>
  // One channel, too.
  %r9 = kgen.dispatch @one_channel schedule(#kgen.schedule<family = pool>)
      ins(%x9 : tensor<2x17x1xf32>) {
  ^bb0(%a: tensor<2x17x1xf32>):
    %f = aten.permute %a dims [0, 2, 1] : (tensor<2x17x1xf32>) -> tensor<2x1x17xf32>
    %p = aten.max_pool1d %f kernel [3] stride [2] : (tensor<2x1x17xf32>) -> tensor<2x1x8xf32>
    %l = aten.permute %p dims [0, 2, 1] : (tensor<2x1x8xf32>) -> tensor<2x8x1xf32>
    kgen.yield %l : tensor<2x8x1xf32>
  } : tensor<2x8x1xf32>
  return %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9 : tensor<2x7x8x20xf32>, tensor<2x7x8x20xf32>, tensor<2x8x4x4xf32>, tensor<2x9x10x6xf32>, tensor<2x3x2x6xf32>, tensor<2x3x2x6xf32>, tensor<2x6x3x2xf32>, tensor<2x2x3x4x6xf32>, tensor<2x8x6xf32>, tensor<2x8x1xf32>
}
}
