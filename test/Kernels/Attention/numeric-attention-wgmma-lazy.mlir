// The lazy shift of attention's exponentials against the oracle: weights that stay small, that grow, that overflow and
// are computed again, and scores near 2^30, which leave the shift no digits behind the point.
// REQUIRES: host-compiler
// RUN: rm -rf %t && mkdir -p %t/c
// RUN: kgen-opt %s -kgen-inline-dispatches=all -o %t/graph.mlir
// RUN: kgen-opt %s -kgen-lower-dispatches="multiprocessors=2 assert-sizes" -o %t/lowered.mlir
// RUN: kgen-translate --kgen-to-cuda %t/lowered.mlir -o %t/c/kernel.cu
// RUN: kgen-translate --kgen-to-plan %t/lowered.mlir -o %t/c/plan.json
// RUN: kgen-eval %t/c --graph %t/graph.mlir --device host --samples 1 | FileCheck %s
// CHECK: verdict PASS

module {
func.func @attention(%x0: tensor<1x2x200x64xf16>,
    %x1: tensor<1x2x150x64xf16>,
    %x2: tensor<1x2x150x64xf16>,
    %x3: tensor<1x2x70x64xf16>,
    %x4: tensor<1x2x300x64xf16>,
    %x5: tensor<1x2x300x64xf16>,
    %x6: tensor<1x3x100x64xf16>,
    %x7: tensor<1x3x200x64xf16>,
    %x8: tensor<1x3x200x64xf16>)
    -> (tensor<1x2x200x64xf16>, tensor<1x2x70x64xf16>, tensor<1x3x100x64xf16>, tensor<1x3x100x64xf16>) {
  %r0 = kgen.dispatch @small schedule(#kgen.schedule<family = attention, mma = wgmma, tile = [192, 64]>)
      ins(%x0, %x1, %x2 : tensor<1x2x200x64xf16>, tensor<1x2x150x64xf16>, tensor<1x2x150x64xf16>) {
  ^bb0(%a0: tensor<1x2x200x64xf16>, %a1: tensor<1x2x150x64xf16>, %a2: tensor<1x2x150x64xf16>):
    %y = aten.scaled_dot_product_attention %a0, %a1, %a2 : (tensor<1x2x200x64xf16>, tensor<1x2x150x64xf16>, tensor<1x2x150x64xf16>) -> tensor<1x2x200x64xf16>
    kgen.yield %y : tensor<1x2x200x64xf16>
  } : tensor<1x2x200x64xf16>
  %r1 = kgen.dispatch @grown schedule(#kgen.schedule<family = attention, mma = wgmma, tile = [64, 32]>)
      ins(%x3, %x4, %x5 : tensor<1x2x70x64xf16>, tensor<1x2x300x64xf16>, tensor<1x2x300x64xf16>) {
  ^bb0(%a0: tensor<1x2x70x64xf16>, %a1: tensor<1x2x300x64xf16>, %a2: tensor<1x2x300x64xf16>):
    %y = aten.scaled_dot_product_attention %a0, %a1, %a2 scale 3.0 : (tensor<1x2x70x64xf16>, tensor<1x2x300x64xf16>, tensor<1x2x300x64xf16>) -> tensor<1x2x70x64xf16>
    kgen.yield %y : tensor<1x2x70x64xf16>
  } : tensor<1x2x70x64xf16>
  %r2 = kgen.dispatch @lost schedule(#kgen.schedule<family = attention, mma = wgmma, tile = [128, 16]>)
      ins(%x6, %x7, %x8 : tensor<1x3x100x64xf16>, tensor<1x3x200x64xf16>, tensor<1x3x200x64xf16>) {
  ^bb0(%a0: tensor<1x3x100x64xf16>, %a1: tensor<1x3x200x64xf16>, %a2: tensor<1x3x200x64xf16>):
    %y = aten.scaled_dot_product_attention %a0, %a1, %a2 scale 4.0 : (tensor<1x3x100x64xf16>, tensor<1x3x200x64xf16>, tensor<1x3x200x64xf16>) -> tensor<1x3x100x64xf16>
    kgen.yield %y : tensor<1x3x100x64xf16>
  } : tensor<1x3x100x64xf16>
  %r3 = kgen.dispatch @huge schedule(#kgen.schedule<family = attention, mma = wgmma, tile = [64, 32]>)
      ins(%x6, %x7, %x8 : tensor<1x3x100x64xf16>, tensor<1x3x200x64xf16>, tensor<1x3x200x64xf16>) {
  ^bb0(%a0: tensor<1x3x100x64xf16>, %a1: tensor<1x3x200x64xf16>, %a2: tensor<1x3x200x64xf16>):
    %y = aten.scaled_dot_product_attention %a0, %a1, %a2 scale 2.0e7 : (tensor<1x3x100x64xf16>, tensor<1x3x200x64xf16>, tensor<1x3x200x64xf16>) -> tensor<1x3x100x64xf16>
    kgen.yield %y : tensor<1x3x100x64xf16>
  } : tensor<1x3x100x64xf16>
  return %r0, %r1, %r2, %r3
      : tensor<1x2x200x64xf16>, tensor<1x2x70x64xf16>, tensor<1x3x100x64xf16>, tensor<1x3x100x64xf16>
}
}
