// Attention by warpgroup products against the oracle: one to three consumers, tails of queries and keys, causal or not,
// depths that tensor maps pad, more than one tile for a block; weights that grow, and that overflow and are computed
// again.
// REQUIRES: host-compiler
// RUN: rm -rf %t && mkdir -p %t/c
// RUN: kgen-opt %s -kgen-inline-dispatches=all -o %t/graph.mlir
// RUN: kgen-opt %s -kgen-lower-dispatches=multiprocessors=2 -o %t/lowered.mlir
// RUN: kgen-translate --kgen-to-cuda %t/lowered.mlir -o %t/c/kernel.cu
// RUN: kgen-translate --kgen-to-plan %t/lowered.mlir -o %t/c/plan.json
// RUN: kgen-eval %t/c --graph %t/graph.mlir --device host --samples 1 | FileCheck %s
// CHECK: verdict PASS

module {
func.func @attention(%x0: tensor<1x2x200x64xf16>,
    %x1: tensor<1x2x300x64xf16>,
    %x2: tensor<1x2x300x64xf16>,
    %x3: tensor<1x2x200x128xf16>,
    %x4: tensor<1x2x200x128xf16>,
    %x5: tensor<1x2x200x128xf16>,
    %x6: tensor<2x190x64xbf16>,
    %x7: tensor<2x97x64xbf16>,
    %x8: tensor<2x97x64xbf16>,
    %x9: tensor<3x130x64xf16>,
    %x10: tensor<3x400x64xf16>,
    %x11: tensor<3x400x64xf16>,
    %x12: tensor<1x150x32xf16>,
    %x13: tensor<1x33x32xf16>,
    %x14: tensor<1x33x32xf16>,
    %x15: tensor<1x129x96xbf16>,
    %x16: tensor<1x161x96xbf16>,
    %x17: tensor<1x161x96xbf16>,
    %x18: tensor<1x2x70x64xf16>,
    %x19: tensor<1x2x300x64xf16>,
    %x20: tensor<1x2x300x64xf16>,
    %x21: tensor<1x3x100x64xf16>,
    %x22: tensor<1x3x200x64xf16>,
    %x23: tensor<1x3x200x64xf16>,
    %x24: tensor<1x70x64xf16>,
    %x25: tensor<1x200x64xf16>,
    %x26: tensor<1x200x64xf16>)
    -> (tensor<1x2x200x64xf16>, tensor<1x2x200x128xf16>, tensor<2x190x64xbf16>, tensor<3x130x64xf16>, tensor<1x150x32xf16>, tensor<1x129x96xbf16>, tensor<1x2x70x64xf16>, tensor<1x3x100x64xf16>, tensor<1x70x64xf16>) {
  %r0 = kgen.dispatch @d64_f16 schedule(#kgen.schedule<family = attention, mma = wgmma>)
      ins(%x0, %x1, %x2 : tensor<1x2x200x64xf16>, tensor<1x2x300x64xf16>, tensor<1x2x300x64xf16>) {
  ^bb0(%a0: tensor<1x2x200x64xf16>, %a1: tensor<1x2x300x64xf16>, %a2: tensor<1x2x300x64xf16>):
    %y = aten.scaled_dot_product_attention %a0, %a1, %a2 : (tensor<1x2x200x64xf16>, tensor<1x2x300x64xf16>, tensor<1x2x300x64xf16>) -> tensor<1x2x200x64xf16>
    kgen.yield %y : tensor<1x2x200x64xf16>
  } : tensor<1x2x200x64xf16>
  %r1 = kgen.dispatch @d128_causal schedule(#kgen.schedule<family = attention, mma = wgmma, tile = [128, 64]>)
      ins(%x3, %x4, %x5 : tensor<1x2x200x128xf16>, tensor<1x2x200x128xf16>, tensor<1x2x200x128xf16>) {
  ^bb0(%a0: tensor<1x2x200x128xf16>, %a1: tensor<1x2x200x128xf16>, %a2: tensor<1x2x200x128xf16>):
    %y = aten.scaled_dot_product_attention %a0, %a1, %a2 is_causal true : (tensor<1x2x200x128xf16>, tensor<1x2x200x128xf16>, tensor<1x2x200x128xf16>) -> tensor<1x2x200x128xf16>
    kgen.yield %y : tensor<1x2x200x128xf16>
  } : tensor<1x2x200x128xf16>
  %r2 = kgen.dispatch @brain schedule(#kgen.schedule<family = attention, mma = wgmma, tile = [192, 96], pingpong = off, overlap = off>)
      ins(%x6, %x7, %x8 : tensor<2x190x64xbf16>, tensor<2x97x64xbf16>, tensor<2x97x64xbf16>) {
  ^bb0(%a0: tensor<2x190x64xbf16>, %a1: tensor<2x97x64xbf16>, %a2: tensor<2x97x64xbf16>):
    %y = aten.scaled_dot_product_attention %a0, %a1, %a2 scale 0.5 : (tensor<2x190x64xbf16>, tensor<2x97x64xbf16>, tensor<2x97x64xbf16>) -> tensor<2x190x64xbf16>
    kgen.yield %y : tensor<2x190x64xbf16>
  } : tensor<2x190x64xbf16>
  %r3 = kgen.dispatch @causal_wide schedule(#kgen.schedule<family = attention, mma = wgmma, tile = [64, 160], stages = 3>)
      ins(%x9, %x10, %x11 : tensor<3x130x64xf16>, tensor<3x400x64xf16>, tensor<3x400x64xf16>) {
  ^bb0(%a0: tensor<3x130x64xf16>, %a1: tensor<3x400x64xf16>, %a2: tensor<3x400x64xf16>):
    %y = aten.scaled_dot_product_attention %a0, %a1, %a2 is_causal true : (tensor<3x130x64xf16>, tensor<3x400x64xf16>, tensor<3x400x64xf16>) -> tensor<3x130x64xf16>
    kgen.yield %y : tensor<3x130x64xf16>
  } : tensor<3x130x64xf16>
  %r4 = kgen.dispatch @more_queries schedule(#kgen.schedule<family = attention, mma = wgmma, tile = [128, 16]>)
      ins(%x12, %x13, %x14 : tensor<1x150x32xf16>, tensor<1x33x32xf16>, tensor<1x33x32xf16>) {
  ^bb0(%a0: tensor<1x150x32xf16>, %a1: tensor<1x33x32xf16>, %a2: tensor<1x33x32xf16>):
    %y = aten.scaled_dot_product_attention %a0, %a1, %a2 is_causal true : (tensor<1x150x32xf16>, tensor<1x33x32xf16>, tensor<1x33x32xf16>) -> tensor<1x150x32xf16>
    kgen.yield %y : tensor<1x150x32xf16>
  } : tensor<1x150x32xf16>
  %r5 = kgen.dispatch @padded schedule(#kgen.schedule<family = attention, mma = wgmma, tile = [128, 80]>)
      ins(%x15, %x16, %x17 : tensor<1x129x96xbf16>, tensor<1x161x96xbf16>, tensor<1x161x96xbf16>) {
  ^bb0(%a0: tensor<1x129x96xbf16>, %a1: tensor<1x161x96xbf16>, %a2: tensor<1x161x96xbf16>):
    %y = aten.scaled_dot_product_attention %a0, %a1, %a2 is_causal true : (tensor<1x129x96xbf16>, tensor<1x161x96xbf16>, tensor<1x161x96xbf16>) -> tensor<1x129x96xbf16>
    kgen.yield %y : tensor<1x129x96xbf16>
  } : tensor<1x129x96xbf16>
  %r6 = kgen.dispatch @grown schedule(#kgen.schedule<family = attention, mma = wgmma, tile = [64, 32]>)
      ins(%x18, %x19, %x20 : tensor<1x2x70x64xf16>, tensor<1x2x300x64xf16>, tensor<1x2x300x64xf16>) {
  ^bb0(%a0: tensor<1x2x70x64xf16>, %a1: tensor<1x2x300x64xf16>, %a2: tensor<1x2x300x64xf16>):
    %y = aten.scaled_dot_product_attention %a0, %a1, %a2 scale 3.0 : (tensor<1x2x70x64xf16>, tensor<1x2x300x64xf16>, tensor<1x2x300x64xf16>) -> tensor<1x2x70x64xf16>
    kgen.yield %y : tensor<1x2x70x64xf16>
  } : tensor<1x2x70x64xf16>
  %r7 = kgen.dispatch @lost schedule(#kgen.schedule<family = attention, mma = wgmma, tile = [128, 16]>)
      ins(%x21, %x22, %x23 : tensor<1x3x100x64xf16>, tensor<1x3x200x64xf16>, tensor<1x3x200x64xf16>) {
  ^bb0(%a0: tensor<1x3x100x64xf16>, %a1: tensor<1x3x200x64xf16>, %a2: tensor<1x3x200x64xf16>):
    %y = aten.scaled_dot_product_attention %a0, %a1, %a2 scale 40.0 : (tensor<1x3x100x64xf16>, tensor<1x3x200x64xf16>, tensor<1x3x200x64xf16>) -> tensor<1x3x100x64xf16>
    kgen.yield %y : tensor<1x3x100x64xf16>
  } : tensor<1x3x100x64xf16>
  %r8 = kgen.dispatch @by_maximum schedule(#kgen.schedule<family = attention, mma = wgmma, lazy = off, tile = [128, 16]>)
      ins(%x24, %x25, %x26 : tensor<1x70x64xf16>, tensor<1x200x64xf16>, tensor<1x200x64xf16>) {
  ^bb0(%a0: tensor<1x70x64xf16>, %a1: tensor<1x200x64xf16>, %a2: tensor<1x200x64xf16>):
    %y = aten.scaled_dot_product_attention %a0, %a1, %a2 scale 3.0 : (tensor<1x70x64xf16>, tensor<1x200x64xf16>, tensor<1x200x64xf16>) -> tensor<1x70x64xf16>
    kgen.yield %y : tensor<1x70x64xf16>
  } : tensor<1x70x64xf16>
  return %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8
      : tensor<1x2x200x64xf16>, tensor<1x2x200x128xf16>, tensor<2x190x64xbf16>, tensor<3x130x64xf16>, tensor<1x150x32xf16>, tensor<1x129x96xbf16>, tensor<1x2x70x64xf16>, tensor<1x3x100x64xf16>, tensor<1x70x64xf16>
}
}
