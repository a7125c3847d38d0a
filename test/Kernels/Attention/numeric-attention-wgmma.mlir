// Attention by warpgroup products against the oracle: two and three consumers, tails of queries and keys, causal or not,
// a depth that tensor maps pad, more queries than keys, more than one tile for a block, maxima of every tile.
// REQUIRES: host-compiler
// RUN: rm -rf %t && mkdir -p %t/c
// RUN: kgen-opt %s -kgen-inline-dispatches=all -o %t/graph.mlir
// RUN: kgen-opt %s -kgen-lower-dispatches="multiprocessors=2 assert-sizes" -o %t/lowered.mlir
// RUN: kgen-translate --kgen-to-cuda %t/lowered.mlir -o %t/c/kernel.cu
// RUN: kgen-translate --kgen-to-plan %t/lowered.mlir -o %t/c/plan.json
// RUN: kgen-eval %t/c --graph %t/graph.mlir --device host --samples 1 | FileCheck %s
// CHECK: verdict PASS

module {
func.func @attention(%x0: tensor<1x2x200x128xf16>,
    %x1: tensor<1x2x200x128xf16>,
    %x2: tensor<1x2x200x128xf16>,
    %x3: tensor<2x190x64xf16>,
    %x4: tensor<2x197x64xf16>,
    %x5: tensor<2x197x64xf16>,
    %x6: tensor<1x129x96xbf16>,
    %x7: tensor<1x100x96xbf16>,
    %x8: tensor<1x100x96xbf16>)
    -> (tensor<1x2x200x128xf16>, tensor<2x190x64xf16>, tensor<1x129x96xbf16>) {
  %r0 = kgen.dispatch @d128_causal schedule(#kgen.schedule<family = attention, mma = wgmma, tile = [128, 64]>)
      ins(%x0, %x1, %x2 : tensor<1x2x200x128xf16>, tensor<1x2x200x128xf16>, tensor<1x2x200x128xf16>) {
  ^bb0(%a0: tensor<1x2x200x128xf16>, %a1: tensor<1x2x200x128xf16>, %a2: tensor<1x2x200x128xf16>):
    %y = aten.scaled_dot_product_attention %a0, %a1, %a2 is_causal true : (tensor<1x2x200x128xf16>, tensor<1x2x200x128xf16>, tensor<1x2x200x128xf16>) -> tensor<1x2x200x128xf16>
    kgen.yield %y : tensor<1x2x200x128xf16>
  } : tensor<1x2x200x128xf16>
  %r1 = kgen.dispatch @maxima schedule(#kgen.schedule<family = attention, mma = wgmma, tile = [192, 96], pingpong = off, overlap = off, lazy = off>)
      ins(%x3, %x4, %x5 : tensor<2x190x64xf16>, tensor<2x197x64xf16>, tensor<2x197x64xf16>) {
  ^bb0(%a0: tensor<2x190x64xf16>, %a1: tensor<2x197x64xf16>, %a2: tensor<2x197x64xf16>):
    %y = aten.scaled_dot_product_attention %a0, %a1, %a2 scale 4.0 : (tensor<2x190x64xf16>, tensor<2x197x64xf16>, tensor<2x197x64xf16>) -> tensor<2x190x64xf16>
    kgen.yield %y : tensor<2x190x64xf16>
  } : tensor<2x190x64xf16>
  %r2 = kgen.dispatch @padded schedule(#kgen.schedule<family = attention, mma = wgmma, tile = [128, 80], stages = 3>)
      ins(%x6, %x7, %x8 : tensor<1x129x96xbf16>, tensor<1x100x96xbf16>, tensor<1x100x96xbf16>) {
  ^bb0(%a0: tensor<1x129x96xbf16>, %a1: tensor<1x100x96xbf16>, %a2: tensor<1x100x96xbf16>):
    %y = aten.scaled_dot_product_attention %a0, %a1, %a2 is_causal true : (tensor<1x129x96xbf16>, tensor<1x100x96xbf16>, tensor<1x100x96xbf16>) -> tensor<1x129x96xbf16>
    kgen.yield %y : tensor<1x129x96xbf16>
  } : tensor<1x129x96xbf16>
  return %r0, %r1, %r2
      : tensor<1x2x200x128xf16>, tensor<2x190x64xf16>, tensor<1x129x96xbf16>
}
}
