// Products and convolutions of f16 against the fp64 oracle.
// REQUIRES: host-compiler
// RUN: rm -rf %t && mkdir -p %t/c
// RUN: kgen-opt %s -kgen-inline-dispatches=all -o %t/graph.mlir
// RUN: kgen-opt %s -kgen-lower-dispatches=assert-sizes -o %t/lowered.mlir
// RUN: kgen-translate --kgen-to-cuda %t/lowered.mlir -o %t/c/kernel.cu
// RUN: kgen-translate --kgen-to-plan %t/lowered.mlir -o %t/c/plan.json
// RUN: kgen-eval %t/c --graph %t/graph.mlir --device host --samples 1 | FileCheck %s
// CHECK: verdict PASS

module {
func.func @half(%x0: tensor<37x51xf16>,
    %x1: tensor<51x29xf16>,
    %x2: tensor<32x64xf16>,
    %x3: tensor<48x64xf16>,
    %x4: tensor<48xf16>,
    %x5: tensor<24x40xf16>,
    %x6: tensor<40x20xf16>,
    %x7: tensor<2x5x14x16xf16>,
    %x8: tensor<9x5x3x3xf16>)
    -> (tensor<37x29xf16>, tensor<32x48xf16>, tensor<24x20xf16>, tensor<2x9x7x8xf16>, tensor<2x9x12x14xf16>) {
  %r0 = kgen.dispatch @odd schedule(#kgen.schedule<family = gemm>)
      ins(%x0, %x1 : tensor<37x51xf16>, tensor<51x29xf16>) {
  ^bb0(%a0: tensor<37x51xf16>, %a1: tensor<51x29xf16>):
    %m = aten.mm %a0, %a1 : (tensor<37x51xf16>, tensor<51x29xf16>) -> tensor<37x29xf16>
    kgen.yield %m : tensor<37x29xf16>
  } : tensor<37x29xf16>
  %r1 = kgen.dispatch @layer schedule(#kgen.schedule<family = gemm, tile = [32, 48, 32], warp_tile = [16, 24]>)
      ins(%x2, %x3, %x4 : tensor<32x64xf16>, tensor<48x64xf16>, tensor<48xf16>) {
  ^bb0(%a0: tensor<32x64xf16>, %a1: tensor<48x64xf16>, %a2: tensor<48xf16>):
    %m = aten.linear %a0, %a1, %a2 : (tensor<32x64xf16>, tensor<48x64xf16>, tensor<48xf16>) -> tensor<32x48xf16>
    %p = aten.relu %m : (tensor<32x48xf16>) -> tensor<32x48xf16>
    kgen.yield %p : tensor<32x48xf16>
  } : tensor<32x48xf16>
  %r2 = kgen.dispatch @simt schedule(#kgen.schedule<family = gemm, mma = none>)
      ins(%x5, %x6 : tensor<24x40xf16>, tensor<40x20xf16>) {
  ^bb0(%a0: tensor<24x40xf16>, %a1: tensor<40x20xf16>):
    %m = aten.mm %a0, %a1 : (tensor<24x40xf16>, tensor<40x20xf16>) -> tensor<24x20xf16>
    kgen.yield %m : tensor<24x20xf16>
  } : tensor<24x20xf16>
  %r3 = kgen.dispatch @pairs schedule(#kgen.schedule<family = conv>)
      ins(%x7, %x8 : tensor<2x5x14x16xf16>, tensor<9x5x3x3xf16>) {
  ^bb0(%a0: tensor<2x5x14x16xf16>, %a1: tensor<9x5x3x3xf16>):
    %m = aten.conv2d %a0, %a1 stride [2, 2] padding [1, 1] : (tensor<2x5x14x16xf16>, tensor<9x5x3x3xf16>) -> tensor<2x9x7x8xf16>
    kgen.yield %m : tensor<2x9x7x8xf16>
  } : tensor<2x9x7x8xf16>
  %r4 = kgen.dispatch @singles schedule(#kgen.schedule<family = conv>)
      ins(%x7, %x8 : tensor<2x5x14x16xf16>, tensor<9x5x3x3xf16>) {
  ^bb0(%a0: tensor<2x5x14x16xf16>, %a1: tensor<9x5x3x3xf16>):
    %m = aten.conv2d %a0, %a1 : (tensor<2x5x14x16xf16>, tensor<9x5x3x3xf16>) -> tensor<2x9x12x14xf16>
    kgen.yield %m : tensor<2x9x12x14xf16>
  } : tensor<2x9x12x14xf16>
  return %r0, %r1, %r2, %r3, %r4
      : tensor<37x29xf16>, tensor<32x48xf16>, tensor<24x20xf16>, tensor<2x9x7x8xf16>, tensor<2x9x12x14xf16>
}
}
