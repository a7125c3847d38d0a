// Family conv with mma = wgmma against the fp64 oracle: few blocks, so that streams cross images; strips, pooling with
// padding, an epilogue that does not commute with the maximum, several filter tiles, infinities.
// REQUIRES: host-compiler
// RUN: rm -rf %t && mkdir -p %t/c
// RUN: kgen-opt %s -kgen-inline-dispatches=all -o %t/graph.mlir
// RUN: kgen-opt %s -kgen-lower-dispatches=assert-sizes -o %t/lowered.mlir
// RUN: kgen-translate --kgen-to-cuda %t/lowered.mlir -o %t/c/kernel.cu
// RUN: kgen-translate --kgen-to-plan %t/lowered.mlir -o %t/c/plan.json
// RUN: kgen-eval %t/c --graph %t/graph.mlir --device host --samples 1 | FileCheck %s
// CHECK: verdict PASS

module attributes {kgen.precision = "tf32"} {
func.func @conv(%x0: tensor<2x3x35x40xf32>,
    %x1: tensor<24x3x11x11xf32>,
    %x2: tensor<24xf32>,
    %x3: tensor<3x3x67x62xf32>,
    %x4: tensor<24x3x11x11xf32>,
    %x5: tensor<24xf32>,
    %x6: tensor<2x3x25x31xf32>,
    %x7: tensor<20x3x5x5xf32>,
    %x8: tensor<20xf32>,
    %x9: tensor<1x3x6x140xf32>,
    %x10: tensor<16x3x3x3xf32>,
    %x11: tensor<16xf32>,
    %x12: tensor<2x5x9x10xf32>,
    %x13: tensor<40x5x3x3xf32>,
    %x14: tensor<40xf32>,
    %x15: tensor<2x20x5x6xf32>,
    %x16: tensor<32x20x1x1xf32>,
    %x17: tensor<2x6x150xf32>,
    %x18: tensor<20x6x5xf32>,
    %x19: tensor<20xf32>,
    %x20: tensor<1x4x17x20xf32>,
    %x21: tensor<8x4x4x5xf32>,
    %x22: tensor<8xf32>,
    %x23: tensor<2x3x40x24xf32> {kgen.init = "normal(0, 1.2e38)"},
    %x24: tensor<8x3x3x3xf32> {kgen.init = "uniform(-0.01, 0.01)", kgen.parameter})
    -> (tensor<2x24x8x9xf32>, tensor<3x24x7x6xf32>, tensor<2x20x6x8xf32>, tensor<1x16x3x70xf32>, tensor<2x40x9x10xf32>, tensor<2x32x5x6xf32>, tensor<2x20x75xf32>, tensor<1x8x6x7xf32>, tensor<2x8x40x24xf32>) {
  %r0 = kgen.dispatch @head schedule(#kgen.schedule<family = conv, mma = wgmma, blocks = 1>)
      ins(%x0, %x1, %x2 : tensor<2x3x35x40xf32>, tensor<24x3x11x11xf32>, tensor<24xf32>) {
  ^bb0(%a0: tensor<2x3x35x40xf32>, %a1: tensor<24x3x11x11xf32>, %a2: tensor<24xf32>):
    %c = aten.conv2d %a0, %a1, %a2 stride [4, 4] padding [2, 2] : (tensor<2x3x35x40xf32>, tensor<24x3x11x11xf32>, tensor<24xf32>) -> tensor<2x24x8x9xf32>
    %t0 = aten.relu %c : (tensor<2x24x8x9xf32>) -> tensor<2x24x8x9xf32>
    kgen.yield %t0 : tensor<2x24x8x9xf32>
  } : tensor<2x24x8x9xf32>
  %r1 = kgen.dispatch @pooled schedule(#kgen.schedule<family = conv, mma = wgmma, blocks = 2, stages = 4, mma_inflight = 1>)
      ins(%x3, %x4, %x5 : tensor<3x3x67x62xf32>, tensor<24x3x11x11xf32>, tensor<24xf32>) {
  ^bb0(%a0: tensor<3x3x67x62xf32>, %a1: tensor<24x3x11x11xf32>, %a2: tensor<24xf32>):
    %c = aten.conv2d %a0, %a1, %a2 stride [4, 4] padding [2, 2] : (tensor<3x3x67x62xf32>, tensor<24x3x11x11xf32>, tensor<24xf32>) -> tensor<3x24x16x14xf32>
    %t0 = aten.relu %c : (tensor<3x24x16x14xf32>) -> tensor<3x24x16x14xf32>
    %t1 = aten.max_pool2d %t0 kernel [3, 3] stride [2, 2] padding [0, 0] : (tensor<3x24x16x14xf32>) -> tensor<3x24x7x6xf32>
    kgen.yield %t1 : tensor<3x24x7x6xf32>
  } : tensor<3x24x7x6xf32>
  %r2 = kgen.dispatch @early schedule(#kgen.schedule<family = conv, mma = wgmma, blocks = 1, chunk = [2, 2, 2]>)
      ins(%x6, %x7, %x8 : tensor<2x3x25x31xf32>, tensor<20x3x5x5xf32>, tensor<20xf32>) {
  ^bb0(%a0: tensor<2x3x25x31xf32>, %a1: tensor<20x3x5x5xf32>, %a2: tensor<20xf32>):
    %c = aten.conv2d %a0, %a1, %a2 stride [2, 2] padding [1, 1] : (tensor<2x3x25x31xf32>, tensor<20x3x5x5xf32>, tensor<20xf32>) -> tensor<2x20x12x15xf32>
    %t0 = aten.neg %c : (tensor<2x20x12x15xf32>) -> tensor<2x20x12x15xf32>
    %t1 = aten.max_pool2d %t0 kernel [3, 3] stride [2, 2] padding [1, 1] : (tensor<2x20x12x15xf32>) -> tensor<2x20x6x8xf32>
    %t2 = aten.sigmoid %t1 : (tensor<2x20x6x8xf32>) -> tensor<2x20x6x8xf32>
    kgen.yield %t2 : tensor<2x20x6x8xf32>
  } : tensor<2x20x6x8xf32>
  %r3 = kgen.dispatch @strips schedule(#kgen.schedule<family = conv, mma = wgmma, blocks = 3>)
      ins(%x9, %x10, %x11 : tensor<1x3x6x140xf32>, tensor<16x3x3x3xf32>, tensor<16xf32>) {
  ^bb0(%a0: tensor<1x3x6x140xf32>, %a1: tensor<16x3x3x3xf32>, %a2: tensor<16xf32>):
    %c = aten.conv2d %a0, %a1, %a2 stride [1, 1] padding [1, 1] : (tensor<1x3x6x140xf32>, tensor<16x3x3x3xf32>, tensor<16xf32>) -> tensor<1x16x6x140xf32>
    %t0 = aten.max_pool2d %c kernel [2, 2] stride [2, 2] padding [0, 0] : (tensor<1x16x6x140xf32>) -> tensor<1x16x3x70xf32>
    kgen.yield %t0 : tensor<1x16x3x70xf32>
  } : tensor<1x16x3x70xf32>
  %r4 = kgen.dispatch @tiles schedule(#kgen.schedule<family = conv, mma = wgmma, blocks = 6, tile = [64, 16], consumers = 3, stages = 4>)
      ins(%x12, %x13, %x14 : tensor<2x5x9x10xf32>, tensor<40x5x3x3xf32>, tensor<40xf32>) {
  ^bb0(%a0: tensor<2x5x9x10xf32>, %a1: tensor<40x5x3x3xf32>, %a2: tensor<40xf32>):
    %c = aten.conv2d %a0, %a1, %a2 stride [1, 1] padding [1, 1] : (tensor<2x5x9x10xf32>, tensor<40x5x3x3xf32>, tensor<40xf32>) -> tensor<2x40x9x10xf32>
    %t0 = aten.relu %c : (tensor<2x40x9x10xf32>) -> tensor<2x40x9x10xf32>
    kgen.yield %t0 : tensor<2x40x9x10xf32>
  } : tensor<2x40x9x10xf32>
  %r5 = kgen.dispatch @pointwise schedule(#kgen.schedule<family = conv, mma = wgmma>)
      ins(%x15, %x16 : tensor<2x20x5x6xf32>, tensor<32x20x1x1xf32>) {
  ^bb0(%a0: tensor<2x20x5x6xf32>, %a1: tensor<32x20x1x1xf32>):
    %c = aten.conv2d %a0, %a1 stride [1, 1] padding [0, 0] : (tensor<2x20x5x6xf32>, tensor<32x20x1x1xf32>) -> tensor<2x32x5x6xf32>
    kgen.yield %c : tensor<2x32x5x6xf32>
  } : tensor<2x32x5x6xf32>
  %r6 = kgen.dispatch @line schedule(#kgen.schedule<family = conv, mma = wgmma>)
      ins(%x17, %x18, %x19 : tensor<2x6x150xf32>, tensor<20x6x5xf32>, tensor<20xf32>) {
  ^bb0(%a0: tensor<2x6x150xf32>, %a1: tensor<20x6x5xf32>, %a2: tensor<20xf32>):
    %c = aten.conv1d %a0, %a1, %a2 stride [2] padding [2] : (tensor<2x6x150xf32>, tensor<20x6x5xf32>, tensor<20xf32>) -> tensor<2x20x75xf32>
    %t0 = aten.relu %c : (tensor<2x20x75xf32>) -> tensor<2x20x75xf32>
    kgen.yield %t0 : tensor<2x20x75xf32>
  } : tensor<2x20x75xf32>
  %r7 = kgen.dispatch @thirds schedule(#kgen.schedule<family = conv, mma = wgmma>)
      ins(%x20, %x21, %x22 : tensor<1x4x17x20xf32>, tensor<8x4x4x5xf32>, tensor<8xf32>) {
  ^bb0(%a0: tensor<1x4x17x20xf32>, %a1: tensor<8x4x4x5xf32>, %a2: tensor<8xf32>):
    %c = aten.conv2d %a0, %a1, %a2 stride [3, 3] padding [1, 2] : (tensor<1x4x17x20xf32>, tensor<8x4x4x5xf32>, tensor<8xf32>) -> tensor<1x8x6x7xf32>
    kgen.yield %c : tensor<1x8x6x7xf32>
  } : tensor<1x8x6x7xf32>
  %r8 = kgen.dispatch @special schedule(#kgen.schedule<family = conv, mma = wgmma, blocks = 1>)
      ins(%x23, %x24 : tensor<2x3x40x24xf32>, tensor<8x3x3x3xf32>) {
  ^bb0(%a0: tensor<2x3x40x24xf32>, %a1: tensor<8x3x3x3xf32>):
    %c = aten.conv2d %a0, %a1 stride [1, 1] padding [1, 1] : (tensor<2x3x40x24xf32>, tensor<8x3x3x3xf32>) -> tensor<2x8x40x24xf32>
    kgen.yield %c : tensor<2x8x40x24xf32>
  } : tensor<2x8x40x24xf32>
  return %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8 : tensor<2x24x8x9xf32>, tensor<3x24x7x6xf32>, tensor<2x20x6x8xf32>, tensor<1x16x3x70xf32>, tensor<2x40x9x10xf32>, tensor<2x32x5x6xf32>, tensor<2x20x75xf32>, tensor<1x8x6x7xf32>, tensor<2x8x40x24xf32>
}
}
