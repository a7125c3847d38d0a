// Transposed convolutions of family conv against the fp64 oracle: every phase of a stride, odd sizes, groups, dilation,
// output padding, one to three dimensions, with and without tensor cores.
// REQUIRES: host-compiler
// RUN: rm -rf %t && mkdir -p %t/c
// RUN: kgen-opt %s -kgen-inline-dispatches=all -o %t/graph.mlir
// RUN: kgen-opt %s -kgen-lower-dispatches=assert-sizes -o %t/lowered.mlir
// RUN: kgen-translate --kgen-to-cuda %t/lowered.mlir -o %t/c/kernel.cu
// RUN: kgen-translate --kgen-to-plan %t/lowered.mlir -o %t/c/plan.json
// RUN: kgen-eval %t/c --graph %t/graph.mlir --device host --samples 1 | FileCheck %s
// CHECK: verdict PASS

module attributes {kgen.precision = "tf32"} {
func.func @transposed(%x0: tensor<2x12x19xf32>,
    %x1: tensor<12x16x4xf32>,
    %x2: tensor<2x8x9x11xf32>,
    %x3: tensor<8x12x3x3xf32>,
    %x4: tensor<12xf32>,
    %x5: tensor<1x16x7x6xf32>,
    %x6: tensor<16x8x3x5xf32>,
    %x7: tensor<8xf32>,
    %x8: tensor<2x6x8x9xf32>,
    %x9: tensor<6x5x4x3xf32>,
    %x10: tensor<5xf32>,
    %x11: tensor<1x8x6x9xf32>,
    %x12: tensor<8x6x3x4xf32>,
    %x13: tensor<12xf32>,
    %x14: tensor<1x8x8x10xf32>,
    %x15: tensor<8x9x3x3xf32>,
    %x16: tensor<1x8x6x7xf32>,
    %x17: tensor<8x8x3x3xf32>,
    %x18: tensor<1x8x4x5x6xf32>,
    %x19: tensor<8x10x3x3x3xf32>,
    %x20: tensor<10xf32>)
    -> (tensor<2x16x22xf32>, tensor<2x12x18x22xf32>, tensor<1x8x19x11xf32>, tensor<2x5x16x11xf32>, tensor<1x12x11x24xf32>, tensor<1x9x10x12xf32>, tensor<1x8x28x31xf32>, tensor<1x10x4x10x13xf32>) {
  %r0 = kgen.dispatch @one schedule(#kgen.schedule<family = conv>)
      ins(%x0, %x1 : tensor<2x12x19xf32>, tensor<12x16x4xf32>) {
  ^bb0(%a0: tensor<2x12x19xf32>, %a1: tensor<12x16x4xf32>):
    %c = aten.conv_transpose1d %a0, %a1  : (tensor<2x12x19xf32>, tensor<12x16x4xf32>) -> tensor<2x16x22xf32>
    kgen.yield %c : tensor<2x16x22xf32>
  } : tensor<2x16x22xf32>
  %r1 = kgen.dispatch @two schedule(#kgen.schedule<family = conv>)
      ins(%x2, %x3, %x4 : tensor<2x8x9x11xf32>, tensor<8x12x3x3xf32>, tensor<12xf32>) {
  ^bb0(%a0: tensor<2x8x9x11xf32>, %a1: tensor<8x12x3x3xf32>, %a2: tensor<12xf32>):
    %c = aten.conv_transpose2d.input %a0, %a1, %a2 stride [2, 2] padding [1, 1] output_padding [1, 1] : (tensor<2x8x9x11xf32>, tensor<8x12x3x3xf32>, tensor<12xf32>) -> tensor<2x12x18x22xf32>
    %y = aten.relu %c : (tensor<2x12x18x22xf32>) -> tensor<2x12x18x22xf32>
    kgen.yield %y : tensor<2x12x18x22xf32>
  } : tensor<2x12x18x22xf32>
  %r2 = kgen.dispatch @third schedule(#kgen.schedule<family = conv>)
      ins(%x5, %x6, %x7 : tensor<1x16x7x6xf32>, tensor<16x8x3x5xf32>, tensor<8xf32>) {
  ^bb0(%a0: tensor<1x16x7x6xf32>, %a1: tensor<16x8x3x5xf32>, %a2: tensor<8xf32>):
    %c = aten.conv_transpose2d.input %a0, %a1, %a2 stride [3, 2] padding [1, 2] : (tensor<1x16x7x6xf32>, tensor<16x8x3x5xf32>, tensor<8xf32>) -> tensor<1x8x19x11xf32>
    kgen.yield %c : tensor<1x8x19x11xf32>
  } : tensor<1x8x19x11xf32>
  %r3 = kgen.dispatch @simt schedule(#kgen.schedule<family = conv, mma = "none">)
      ins(%x8, %x9, %x10 : tensor<2x6x8x9xf32>, tensor<6x5x4x3xf32>, tensor<5xf32>) {
  ^bb0(%a0: tensor<2x6x8x9xf32>, %a1: tensor<6x5x4x3xf32>, %a2: tensor<5xf32>):
    %c = aten.conv_transpose2d.input %a0, %a1, %a2 stride [2, 1] padding [1, 0] : (tensor<2x6x8x9xf32>, tensor<6x5x4x3xf32>, tensor<5xf32>) -> tensor<2x5x16x11xf32>
    kgen.yield %c : tensor<2x5x16x11xf32>
  } : tensor<2x5x16x11xf32>
  %r4 = kgen.dispatch @grouped schedule(#kgen.schedule<family = conv>)
      ins(%x11, %x12, %x13 : tensor<1x8x6x9xf32>, tensor<8x6x3x4xf32>, tensor<12xf32>) {
  ^bb0(%a0: tensor<1x8x6x9xf32>, %a1: tensor<8x6x3x4xf32>, %a2: tensor<12xf32>):
    %c = aten.conv_transpose2d.input %a0, %a1, %a2 stride [2, 3] padding [1, 2] groups 2 : (tensor<1x8x6x9xf32>, tensor<8x6x3x4xf32>, tensor<12xf32>) -> tensor<1x12x11x24xf32>
    kgen.yield %c : tensor<1x12x11x24xf32>
  } : tensor<1x12x11x24xf32>
  %r5 = kgen.dispatch @dilated schedule(#kgen.schedule<family = conv>)
      ins(%x14, %x15 : tensor<1x8x8x10xf32>, tensor<8x9x3x3xf32>) {
  ^bb0(%a0: tensor<1x8x8x10xf32>, %a1: tensor<8x9x3x3xf32>):
    %c = aten.conv_transpose2d.input %a0, %a1 padding [1, 2] dilation [2, 3] : (tensor<1x8x8x10xf32>, tensor<8x9x3x3xf32>) -> tensor<1x9x10x12xf32>
    kgen.yield %c : tensor<1x9x10x12xf32>
  } : tensor<1x9x10x12xf32>
  %r6 = kgen.dispatch @spread schedule(#kgen.schedule<family = conv>)
      ins(%x16, %x17 : tensor<1x8x6x7xf32>, tensor<8x8x3x3xf32>) {
  ^bb0(%a0: tensor<1x8x6x7xf32>, %a1: tensor<8x8x3x3xf32>):
    %c = aten.conv_transpose2d.input %a0, %a1 stride [5, 4] padding [1, 0] dilation [2, 3] : (tensor<1x8x6x7xf32>, tensor<8x8x3x3xf32>) -> tensor<1x8x28x31xf32>
    kgen.yield %c : tensor<1x8x28x31xf32>
  } : tensor<1x8x28x31xf32>
  %r7 = kgen.dispatch @three schedule(#kgen.schedule<family = conv>)
      ins(%x18, %x19, %x20 : tensor<1x8x4x5x6xf32>, tensor<8x10x3x3x3xf32>, tensor<10xf32>) {
  ^bb0(%a0: tensor<1x8x4x5x6xf32>, %a1: tensor<8x10x3x3x3xf32>, %a2: tensor<10xf32>):
    %c = aten.conv_transpose3d.input %a0, %a1, %a2 stride [1, 2, 2] padding [1, 1, 0] output_padding [0, 1, 0] : (tensor<1x8x4x5x6xf32>, tensor<8x10x3x3x3xf32>, tensor<10xf32>) -> tensor<1x10x4x10x13xf32>
    %y = aten.relu %c : (tensor<1x10x4x10x13xf32>) -> tensor<1x10x4x10x13xf32>
    kgen.yield %y : tensor<1x10x4x10x13xf32>
  } : tensor<1x10x4x10x13xf32>
  return %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7 : tensor<2x16x22xf32>, tensor<2x12x18x22xf32>, tensor<1x8x19x11xf32>, tensor<2x5x16x11xf32>, tensor<1x12x11x24xf32>, tensor<1x9x10x12xf32>, tensor<1x8x28x31xf32>, tensor<1x10x4x10x13xf32>
}
}
