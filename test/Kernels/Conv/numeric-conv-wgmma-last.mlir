// Family conv with mma = wgmma that puts the channels last behind itself, against the fp64 oracle: strips, filters that fill no tile, pooling
// with padding, two filter tiles.
// REQUIRES: host-compiler
// RUN: rm -rf %t && mkdir -p %t/c
// RUN: kgen-opt %s -kgen-inline-dispatches=all -o %t/graph.mlir
// RUN: kgen-opt %s -kgen-lower-dispatches=assert-sizes -o %t/lowered.mlir
// RUN: kgen-translate --kgen-to-cuda %t/lowered.mlir -o %t/c/kernel.cu
// RUN: kgen-translate --kgen-to-plan %t/lowered.mlir -o %t/c/plan.json
// RUN: kgen-eval %t/c --graph %t/graph.mlir --device host --samples 1 | FileCheck %s
// CHECK: verdict PASS

module attributes {kgen.precision = "tf32"} {
func.func @conv(%x0: tensor<2x3x9x140xf32>, %x1: tensor<20x3x3x3xf32>, %x2: tensor<20xf32>,
    %x3: tensor<2x3x25x31xf32>, %x4: tensor<40x3x7x7xf32>, %x5: tensor<40xf32>)
    -> (tensor<2x9x140x20xf32>, tensor<2x6x8x40xf32>) {
  %r0 = kgen.dispatch @strips schedule(#kgen.schedule<family = conv, mma = wgmma, blocks = 2, producer_warps = 2>)
      ins(%x0, %x1, %x2 : tensor<2x3x9x140xf32>, tensor<20x3x3x3xf32>, tensor<20xf32>) {
  ^bb0(%a0: tensor<2x3x9x140xf32>, %a1: tensor<20x3x3x3xf32>, %a2: tensor<20xf32>):
    %c = aten.conv2d %a0, %a1, %a2 padding [1, 1] : (tensor<2x3x9x140xf32>, tensor<20x3x3x3xf32>, tensor<20xf32>) -> tensor<2x20x9x140xf32>
    %t0 = aten.relu %c : (tensor<2x20x9x140xf32>) -> tensor<2x20x9x140xf32>
    %t1 = aten.permute %t0 dims [0, 2, 3, 1] : (tensor<2x20x9x140xf32>) -> tensor<2x9x140x20xf32>
    kgen.yield %t1 : tensor<2x9x140x20xf32>
  } : tensor<2x9x140x20xf32>
  %r1 = kgen.dispatch @pooled schedule(#kgen.schedule<family = conv, mma = wgmma, blocks = 2, tile = [64, 24]>)
      ins(%x3, %x4, %x5 : tensor<2x3x25x31xf32>, tensor<40x3x7x7xf32>, tensor<40xf32>) {
  ^bb0(%a0: tensor<2x3x25x31xf32>, %a1: tensor<40x3x7x7xf32>, %a2: tensor<40xf32>):
    %c = aten.conv2d %a0, %a1, %a2 stride [2, 2] padding [2, 2] : (tensor<2x3x25x31xf32>, tensor<40x3x7x7xf32>, tensor<40xf32>) -> tensor<2x40x12x15xf32>
    %t0 = aten.relu %c : (tensor<2x40x12x15xf32>) -> tensor<2x40x12x15xf32>
    %t1 = aten.max_pool2d %t0 kernel [3, 3] stride [2, 2] padding [1, 1] : (tensor<2x40x12x15xf32>) -> tensor<2x40x6x8xf32>
    %t2 = aten.permute %t1 dims [0, 2, 3, 1] : (tensor<2x40x6x8xf32>) -> tensor<2x6x8x40xf32>
    kgen.yield %t2 : tensor<2x6x8x40xf32>
  } : tensor<2x6x8x40xf32>
  return %r0, %r1 : tensor<2x9x140x20xf32>, tensor<2x6x8x40xf32>
}
}
