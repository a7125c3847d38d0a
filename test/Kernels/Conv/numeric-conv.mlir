// Family conv against the fp64 oracle: pooling, groups, dilation, one to three dimensions and odd sizes.
// REQUIRES: host-compiler
// RUN: rm -rf %t && mkdir -p %t/c
// RUN: kgen-opt %s -kgen-inline-dispatches=all -o %t/graph.mlir
// RUN: kgen-opt %s -kgen-lower-dispatches=assert-sizes -o %t/lowered.mlir
// RUN: kgen-translate --kgen-to-cuda %t/lowered.mlir -o %t/c/kernel.cu
// RUN: kgen-translate --kgen-to-plan %t/lowered.mlir -o %t/c/plan.json
// RUN: kgen-eval %t/c --graph %t/graph.mlir --device host --samples 1 | FileCheck %s
// CHECK: verdict PASS

module attributes {kgen.precision = "tf32"} {
func.func @conv(%x0: tensor<2x3x35x39xf32>,
    %x1: tensor<24x3x11x11xf32>,
    %x2: tensor<24xf32>,
    %x3: tensor<2x3x35x40xf32>,
    %x4: tensor<20x3x5x5xf32>,
    %x5: tensor<20xf32>,
    %x6: tensor<2x3x35x40xf32>,
    %x7: tensor<20x3x5x5xf32>,
    %x8: tensor<20xf32>,
    %x9: tensor<2x3x35x40xf32>,
    %x10: tensor<20x3x5x5xf32>,
    %x11: tensor<20xf32>,
    %x12: tensor<1x3x12x12xf32>,
    %x13: tensor<16x3x3x3xf32>,
    %x14: tensor<16xf32>,
    %x15: tensor<1x3x12x13xf32>,
    %x16: tensor<16x3x3x3xf32>,
    %x17: tensor<16xf32>,
    %x18: tensor<2x5x15x17xf32>,
    %x19: tensor<18x5x3x3xf32>,
    %x20: tensor<18xf32>,
    %x21: tensor<2x8x9x10xf32>,
    %x22: tensor<24x2x3x3xf32>,
    %x23: tensor<2x4x13x12xf32>,
    %x24: tensor<12x1x3x5xf32>,
    %x25: tensor<12xf32>,
    %x26: tensor<3x20x5x5xf32>,
    %x27: tensor<32x20x1x1xf32>,
    %x28: tensor<32xf32>,
    %x29: tensor<2x6x300xf32>,
    %x30: tensor<20x6x5xf32>,
    %x31: tensor<20xf32>,
    %x32: tensor<1x3x6x7x9xf32>,
    %x33: tensor<16x3x3x3x3xf32>,
    %x34: tensor<16xf32>)
    -> (tensor<2x24x8x9xf32>, tensor<2x20x8x9xf32>, tensor<2x20x8x9xf32>, tensor<2x20x8x9xf32>, tensor<1x16x7x7xf32>, tensor<1x16x6x7xf32>, tensor<2x18x15x7xf32>, tensor<2x24x9x10xf32>, tensor<2x12x7x10xf32>, tensor<3x32x5x5xf32>, tensor<2x20x146xf32>, tensor<1x16x3x2x4xf32>) {
  %r0 = kgen.dispatch @head schedule(#kgen.schedule<family = conv>)
      ins(%x0, %x1, %x2 : tensor<2x3x35x39xf32>, tensor<24x3x11x11xf32>, tensor<24xf32>) {
  ^bb0(%a0: tensor<2x3x35x39xf32>, %a1: tensor<24x3x11x11xf32>, %a2: tensor<24xf32>):
    %c = aten.conv2d %a0, %a1, %a2 stride [4, 4] padding [2, 2] : (tensor<2x3x35x39xf32>, tensor<24x3x11x11xf32>, tensor<24xf32>) -> tensor<2x24x8x9xf32>
    %r = aten.relu %c : (tensor<2x24x8x9xf32>) -> tensor<2x24x8x9xf32>
    kgen.yield %r : tensor<2x24x8x9xf32>
  } : tensor<2x24x8x9xf32>
  %r1 = kgen.dispatch @pooled schedule(#kgen.schedule<family = conv>)
      ins(%x3, %x4, %x5 : tensor<2x3x35x40xf32>, tensor<20x3x5x5xf32>, tensor<20xf32>) {
  ^bb0(%a0: tensor<2x3x35x40xf32>, %a1: tensor<20x3x5x5xf32>, %a2: tensor<20xf32>):
    %c = aten.conv2d %a0, %a1, %a2 stride [2, 2] padding [1, 1] : (tensor<2x3x35x40xf32>, tensor<20x3x5x5xf32>, tensor<20xf32>) -> tensor<2x20x17x19xf32>
    %r = aten.relu %c : (tensor<2x20x17x19xf32>) -> tensor<2x20x17x19xf32>
    %p = aten.max_pool2d %r kernel [3, 3] stride [2, 2] : (tensor<2x20x17x19xf32>) -> tensor<2x20x8x9xf32>
    kgen.yield %p : tensor<2x20x8x9xf32>
  } : tensor<2x20x8x9xf32>
  %r2 = kgen.dispatch @pooled_tile schedule(#kgen.schedule<family = conv, pool_tile = [2, 3], slab_channels = 1, stages = 4>)
      ins(%x6, %x7, %x8 : tensor<2x3x35x40xf32>, tensor<20x3x5x5xf32>, tensor<20xf32>) {
  ^bb0(%a0: tensor<2x3x35x40xf32>, %a1: tensor<20x3x5x5xf32>, %a2: tensor<20xf32>):
    %c = aten.conv2d %a0, %a1, %a2 stride [2, 2] padding [1, 1] : (tensor<2x3x35x40xf32>, tensor<20x3x5x5xf32>, tensor<20xf32>) -> tensor<2x20x17x19xf32>
    %r = aten.relu %c : (tensor<2x20x17x19xf32>) -> tensor<2x20x17x19xf32>
    %p = aten.max_pool2d %r kernel [3, 3] stride [2, 2] : (tensor<2x20x17x19xf32>) -> tensor<2x20x8x9xf32>
    kgen.yield %p : tensor<2x20x8x9xf32>
  } : tensor<2x20x8x9xf32>
  %r3 = kgen.dispatch @pooled_simt schedule(#kgen.schedule<family = conv, mma = none>)
      ins(%x9, %x10, %x11 : tensor<2x3x35x40xf32>, tensor<20x3x5x5xf32>, tensor<20xf32>) {
  ^bb0(%a0: tensor<2x3x35x40xf32>, %a1: tensor<20x3x5x5xf32>, %a2: tensor<20xf32>):
    %c = aten.conv2d %a0, %a1, %a2 stride [2, 2] padding [1, 1] : (tensor<2x3x35x40xf32>, tensor<20x3x5x5xf32>, tensor<20xf32>) -> tensor<2x20x17x19xf32>
    %r = aten.relu %c : (tensor<2x20x17x19xf32>) -> tensor<2x20x17x19xf32>
    %p = aten.max_pool2d %r kernel [3, 3] stride [2, 2] : (tensor<2x20x17x19xf32>) -> tensor<2x20x8x9xf32>
    kgen.yield %p : tensor<2x20x8x9xf32>
  } : tensor<2x20x8x9xf32>
  %r4 = kgen.dispatch @ceiling schedule(#kgen.schedule<family = conv>)
      ins(%x12, %x13, %x14 : tensor<1x3x12x12xf32>, tensor<16x3x3x3xf32>, tensor<16xf32>) {
  ^bb0(%a0: tensor<1x3x12x12xf32>, %a1: tensor<16x3x3x3xf32>, %a2: tensor<16xf32>):
    %c = aten.conv2d %a0, %a1, %a2 padding [1, 1] : (tensor<1x3x12x12xf32>, tensor<16x3x3x3xf32>, tensor<16xf32>) -> tensor<1x16x12x12xf32>
    %r = aten.relu %c : (tensor<1x16x12x12xf32>) -> tensor<1x16x12x12xf32>
    %p = aten.max_pool2d %r kernel [3, 3] stride [2, 2] padding [1, 1] ceil_mode true : (tensor<1x16x12x12xf32>) -> tensor<1x16x7x7xf32>
    kgen.yield %p : tensor<1x16x7x7xf32>
  } : tensor<1x16x7x7xf32>
  %r5 = kgen.dispatch @average schedule(#kgen.schedule<family = conv>)
      ins(%x15, %x16, %x17 : tensor<1x3x12x13xf32>, tensor<16x3x3x3xf32>, tensor<16xf32>) {
  ^bb0(%a0: tensor<1x3x12x13xf32>, %a1: tensor<16x3x3x3xf32>, %a2: tensor<16xf32>):
    %c = aten.conv2d %a0, %a1, %a2 padding [1, 1] : (tensor<1x3x12x13xf32>, tensor<16x3x3x3xf32>, tensor<16xf32>) -> tensor<1x16x12x13xf32>
    %p = aten.avg_pool2d %c kernel [3, 3] stride [2, 2] padding [1, 1] count_include_pad false : (tensor<1x16x12x13xf32>) -> tensor<1x16x6x7xf32>
    kgen.yield %p : tensor<1x16x6x7xf32>
  } : tensor<1x16x6x7xf32>
  %r6 = kgen.dispatch @dilated schedule(#kgen.schedule<family = conv, slab_channels = 2>)
      ins(%x18, %x19, %x20 : tensor<2x5x15x17xf32>, tensor<18x5x3x3xf32>, tensor<18xf32>) {
  ^bb0(%a0: tensor<2x5x15x17xf32>, %a1: tensor<18x5x3x3xf32>, %a2: tensor<18xf32>):
    %c = aten.conv2d %a0, %a1, %a2 stride [1, 2] padding [2, 1] dilation [2, 3] : (tensor<2x5x15x17xf32>, tensor<18x5x3x3xf32>, tensor<18xf32>) -> tensor<2x18x15x7xf32>
    kgen.yield %c : tensor<2x18x15x7xf32>
  } : tensor<2x18x15x7xf32>
  %r7 = kgen.dispatch @grouped schedule(#kgen.schedule<family = conv>)
      ins(%x21, %x22 : tensor<2x8x9x10xf32>, tensor<24x2x3x3xf32>) {
  ^bb0(%a0: tensor<2x8x9x10xf32>, %a1: tensor<24x2x3x3xf32>):
    %c = aten.conv2d %a0, %a1 padding [1, 1] groups 4 : (tensor<2x8x9x10xf32>, tensor<24x2x3x3xf32>) -> tensor<2x24x9x10xf32>
    kgen.yield %c : tensor<2x24x9x10xf32>
  } : tensor<2x24x9x10xf32>
  %r8 = kgen.dispatch @depthwise schedule(#kgen.schedule<family = conv>)
      ins(%x23, %x24, %x25 : tensor<2x4x13x12xf32>, tensor<12x1x3x5xf32>, tensor<12xf32>) {
  ^bb0(%a0: tensor<2x4x13x12xf32>, %a1: tensor<12x1x3x5xf32>, %a2: tensor<12xf32>):
    %c = aten.conv2d %a0, %a1, %a2 stride [2, 1] padding [1, 1] groups 4 : (tensor<2x4x13x12xf32>, tensor<12x1x3x5xf32>, tensor<12xf32>) -> tensor<2x12x7x10xf32>
    kgen.yield %c : tensor<2x12x7x10xf32>
  } : tensor<2x12x7x10xf32>
  %r9 = kgen.dispatch @pointwise schedule(#kgen.schedule<family = conv>)
      ins(%x26, %x27, %x28 : tensor<3x20x5x5xf32>, tensor<32x20x1x1xf32>, tensor<32xf32>) {
  ^bb0(%a0: tensor<3x20x5x5xf32>, %a1: tensor<32x20x1x1xf32>, %a2: tensor<32xf32>):
    %c = aten.conv2d %a0, %a1, %a2  : (tensor<3x20x5x5xf32>, tensor<32x20x1x1xf32>, tensor<32xf32>) -> tensor<3x32x5x5xf32>
    kgen.yield %c : tensor<3x32x5x5xf32>
  } : tensor<3x32x5x5xf32>
  %r10 = kgen.dispatch @line schedule(#kgen.schedule<family = conv>)
      ins(%x29, %x30, %x31 : tensor<2x6x300xf32>, tensor<20x6x5xf32>, tensor<20xf32>) {
  ^bb0(%a0: tensor<2x6x300xf32>, %a1: tensor<20x6x5xf32>, %a2: tensor<20xf32>):
    %c = aten.conv1d %a0, %a1, %a2 stride [2] padding [2] dilation [3] : (tensor<2x6x300xf32>, tensor<20x6x5xf32>, tensor<20xf32>) -> tensor<2x20x146xf32>
    kgen.yield %c : tensor<2x20x146xf32>
  } : tensor<2x20x146xf32>
  %r11 = kgen.dispatch @volume schedule(#kgen.schedule<family = conv>)
      ins(%x32, %x33, %x34 : tensor<1x3x6x7x9xf32>, tensor<16x3x3x3x3xf32>, tensor<16xf32>) {
  ^bb0(%a0: tensor<1x3x6x7x9xf32>, %a1: tensor<16x3x3x3x3xf32>, %a2: tensor<16xf32>):
    %c = aten.conv3d %a0, %a1, %a2 padding [1, 0, 1] : (tensor<1x3x6x7x9xf32>, tensor<16x3x3x3x3xf32>, tensor<16xf32>) -> tensor<1x16x6x5x9xf32>
    %r = aten.relu %c : (tensor<1x16x6x5x9xf32>) -> tensor<1x16x6x5x9xf32>
    %p = aten.max_pool3d %r kernel [2, 2, 2] : (tensor<1x16x6x5x9xf32>) -> tensor<1x16x3x2x4xf32>
    kgen.yield %p : tensor<1x16x3x2x4xf32>
  } : tensor<1x16x3x2x4xf32>
  return %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9, %r10, %r11
      : tensor<2x24x8x9xf32>, tensor<2x20x8x9xf32>, tensor<2x20x8x9xf32>, tensor<2x20x8x9xf32>, tensor<1x16x7x7xf32>, tensor<1x16x6x7xf32>, tensor<2x18x15x7xf32>, tensor<2x24x9x10xf32>, tensor<2x12x7x10xf32>, tensor<3x32x5x5xf32>, tensor<2x20x146xf32>, tensor<1x16x3x2x4xf32>
}
}
