// Transposed convolutions whose slabs of few channels travel through rings: a phase of few taps needs its next slab sooner than one of many, and more of
// them at a time. Against the fp64 oracle; operands that are rounded on their way to a slab overwrite it at once.
// REQUIRES: host-compiler
// RUN: rm -rf %t && mkdir -p %t/c
// RUN: kgen-opt %s -kgen-inline-dispatches=all -o %t/graph.mlir
// RUN: kgen-opt %s -kgen-lower-dispatches=assert-sizes -o %t/lowered.mlir
// RUN: kgen-translate --kgen-to-cuda %t/lowered.mlir -o %t/c/kernel.cu
// RUN: kgen-translate --kgen-to-plan %t/lowered.mlir -o %t/c/plan.json
// RUN: kgen-eval %t/c --graph %t/graph.mlir --device host --samples 1 | FileCheck %s
// CHECK: verdict PASS

module attributes {kgen.precision = "fp16"} {
func.func @f(%x0: tensor<2x48x9x11xf32>, %w0: tensor<48x20x3x3xf32>, %x1: tensor<1x24x3x5x6xf32>, %w1: tensor<24x12x3x4x2xf32>, %x2: tensor<2x24x40xf32>, %w2: tensor<24x16x5xf32>) -> (tensor<2x20x18x22xf32>, tensor<2x20x18x22xf32>, tensor<2x20x18x22xf32>, tensor<1x12x5x16x17xf32>, tensor<1x12x5x16x17xf32>, tensor<1x12x5x16x17xf32>, tensor<2x16x161xf32>, tensor<2x16x161xf32>, tensor<2x16x161xf32>) {
  %r0 = kgen.dispatch @d0 schedule(#kgen.schedule<family = conv, mma = mma_sync, slab_channels = 4, stages = 4, tile = [64, 16, 8]>) ins(%x0, %w0 : tensor<2x48x9x11xf32>, tensor<48x20x3x3xf32>) {
  ^bb0(%a: tensor<2x48x9x11xf32>, %b: tensor<48x20x3x3xf32>):
    %c = aten.conv_transpose2d.input %a, %b stride [2, 2] padding [1, 1] output_padding [1, 1] : (tensor<2x48x9x11xf32>, tensor<48x20x3x3xf32>) -> tensor<2x20x18x22xf32>
    kgen.yield %c : tensor<2x20x18x22xf32>
  } : tensor<2x20x18x22xf32>
  %r1 = kgen.dispatch @d1 schedule(#kgen.schedule<family = conv, mma = mma_sync, dtype = fp16, slab_channels = 8, stages = 4, tile = [64, 16, 16]>) ins(%x0, %w0 : tensor<2x48x9x11xf32>, tensor<48x20x3x3xf32>) {
  ^bb0(%a: tensor<2x48x9x11xf32>, %b: tensor<48x20x3x3xf32>):
    %c = aten.conv_transpose2d.input %a, %b stride [2, 2] padding [1, 1] output_padding [1, 1] : (tensor<2x48x9x11xf32>, tensor<48x20x3x3xf32>) -> tensor<2x20x18x22xf32>
    kgen.yield %c : tensor<2x20x18x22xf32>
  } : tensor<2x20x18x22xf32>
  %r2 = kgen.dispatch @d2 schedule(#kgen.schedule<family = conv, mma = none, slab_channels = 3, stages = 5, tile = [64, 8, 4]>) ins(%x0, %w0 : tensor<2x48x9x11xf32>, tensor<48x20x3x3xf32>) {
  ^bb0(%a: tensor<2x48x9x11xf32>, %b: tensor<48x20x3x3xf32>):
    %c = aten.conv_transpose2d.input %a, %b stride [2, 2] padding [1, 1] output_padding [1, 1] : (tensor<2x48x9x11xf32>, tensor<48x20x3x3xf32>) -> tensor<2x20x18x22xf32>
    kgen.yield %c : tensor<2x20x18x22xf32>
  } : tensor<2x20x18x22xf32>
  %r3 = kgen.dispatch @d3 schedule(#kgen.schedule<family = conv, mma = mma_sync, slab_channels = 4, stages = 4, tile = [64, 16, 8]>) ins(%x1, %w1 : tensor<1x24x3x5x6xf32>, tensor<24x12x3x4x2xf32>) {
  ^bb0(%a: tensor<1x24x3x5x6xf32>, %b: tensor<24x12x3x4x2xf32>):
    %c = aten.conv_transpose3d.input %a, %b stride [2, 3, 3] padding [1, 0, 0] : (tensor<1x24x3x5x6xf32>, tensor<24x12x3x4x2xf32>) -> tensor<1x12x5x16x17xf32>
    kgen.yield %c : tensor<1x12x5x16x17xf32>
  } : tensor<1x12x5x16x17xf32>
  %r4 = kgen.dispatch @d4 schedule(#kgen.schedule<family = conv, mma = mma_sync, dtype = fp16, slab_channels = 8, stages = 4, tile = [64, 16, 16]>) ins(%x1, %w1 : tensor<1x24x3x5x6xf32>, tensor<24x12x3x4x2xf32>) {
  ^bb0(%a: tensor<1x24x3x5x6xf32>, %b: tensor<24x12x3x4x2xf32>):
    %c = aten.conv_transpose3d.input %a, %b stride [2, 3, 3] padding [1, 0, 0] : (tensor<1x24x3x5x6xf32>, tensor<24x12x3x4x2xf32>) -> tensor<1x12x5x16x17xf32>
    kgen.yield %c : tensor<1x12x5x16x17xf32>
  } : tensor<1x12x5x16x17xf32>
  %r5 = kgen.dispatch @d5 schedule(#kgen.schedule<family = conv, mma = none, slab_channels = 3, stages = 5, tile = [64, 8, 4]>) ins(%x1, %w1 : tensor<1x24x3x5x6xf32>, tensor<24x12x3x4x2xf32>) {
  ^bb0(%a: tensor<1x24x3x5x6xf32>, %b: tensor<24x12x3x4x2xf32>):
    %c = aten.conv_transpose3d.input %a, %b stride [2, 3, 3] padding [1, 0, 0] : (tensor<1x24x3x5x6xf32>, tensor<24x12x3x4x2xf32>) -> tensor<1x12x5x16x17xf32>
    kgen.yield %c : tensor<1x12x5x16x17xf32>
  } : tensor<1x12x5x16x17xf32>
  %r6 = kgen.dispatch @d6 schedule(#kgen.schedule<family = conv, mma = mma_sync, slab_channels = 4, stages = 4, tile = [64, 16, 8]>) ins(%x2, %w2 : tensor<2x24x40xf32>, tensor<24x16x5xf32>) {
  ^bb0(%a: tensor<2x24x40xf32>, %b: tensor<24x16x5xf32>):
    %c = aten.conv_transpose1d %a, %b stride [4] padding [2] dilation [2] : (tensor<2x24x40xf32>, tensor<24x16x5xf32>) -> tensor<2x16x161xf32>
    kgen.yield %c : tensor<2x16x161xf32>
  } : tensor<2x16x161xf32>
  %r7 = kgen.dispatch @d7 schedule(#kgen.schedule<family = conv, mma = mma_sync, dtype = fp16, slab_channels = 8, stages = 4, tile = [64, 16, 16]>) ins(%x2, %w2 : tensor<2x24x40xf32>, tensor<24x16x5xf32>) {
  ^bb0(%a: tensor<2x24x40xf32>, %b: tensor<24x16x5xf32>):
    %c = aten.conv_transpose1d %a, %b stride [4] padding [2] dilation [2] : (tensor<2x24x40xf32>, tensor<24x16x5xf32>) -> tensor<2x16x161xf32>
    kgen.yield %c : tensor<2x16x161xf32>
  } : tensor<2x16x161xf32>
  %r8 = kgen.dispatch @d8 schedule(#kgen.schedule<family = conv, mma = none, slab_channels = 3, stages = 5, tile = [64, 8, 4]>) ins(%x2, %w2 : tensor<2x24x40xf32>, tensor<24x16x5xf32>) {
  ^bb0(%a: tensor<2x24x40xf32>, %b: tensor<24x16x5xf32>):
    %c = aten.conv_transpose1d %a, %b stride [4] padding [2] dilation [2] : (tensor<2x24x40xf32>, tensor<24x16x5xf32>) -> tensor<2x16x161xf32>
    kgen.yield %c : tensor<2x16x161xf32>
  } : tensor<2x16x161xf32>
  return %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8 : tensor<2x20x18x22xf32>, tensor<2x20x18x22xf32>, tensor<2x20x18x22xf32>, tensor<1x12x5x16x17xf32>, tensor<1x12x5x16x17xf32>, tensor<1x12x5x16x17xf32>, tensor<2x16x161xf32>, tensor<2x16x161xf32>, tensor<2x16x161xf32>
}
}
