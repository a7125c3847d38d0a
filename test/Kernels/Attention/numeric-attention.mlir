// Attention of family attention against the oracle: depths, tails of queries and keys, causal or not.
// REQUIRES: host-compiler
// RUN: rm -rf %t && mkdir -p %t/c
// RUN: kgen-opt %s -kgen-inline-dispatches=all -o %t/graph.mlir
// RUN: kgen-opt %s -kgen-lower-dispatches=assert-sizes -o %t/lowered.mlir
// RUN: kgen-translate --kgen-to-cuda %t/lowered.mlir -o %t/c/kernel.cu
// RUN: kgen-translate --kgen-to-plan %t/lowered.mlir -o %t/c/plan.json
// RUN: kgen-eval %t/c --graph %t/graph.mlir --device host --samples 1 | FileCheck %s
// CHECK: verdict PASS

module {
func.func @attention(%x0: tensor<1x2x128x64xf16>,
    %x1: tensor<1x2x128x64xf16>,
    %x2: tensor<1x2x128x64xf16>,
    %x3: tensor<1x2x128x128xf16>,
    %x4: tensor<1x2x128x128xf16>,
    %x5: tensor<1x2x128x128xf16>,
    %x6: tensor<2x37x32xf16>,
    %x7: tensor<2x75x32xf16>,
    %x8: tensor<2x75x32xf16>,
    %x9: tensor<3x77x64xf16>,
    %x10: tensor<3x77x64xf16>,
    %x11: tensor<3x77x64xf16>,
    %x12: tensor<1x80x16xf16>,
    %x13: tensor<1x40x16xf16>,
    %x14: tensor<1x40x16xf16>,
    %x15: tensor<2x64x96xf16>,
    %x16: tensor<2x48x96xf16>,
    %x17: tensor<2x48x96xf16>)
    -> (tensor<1x2x128x64xf16>, tensor<1x2x128x128xf16>, tensor<2x37x32xf16>, tensor<3x77x64xf16>, tensor<1x80x16xf16>, tensor<2x64x96xf16>) {
  %r0 = kgen.dispatch @d64 schedule(#kgen.schedule<family = attention, mma = mma_sync>)
      ins(%x0, %x1, %x2 : tensor<1x2x128x64xf16>, tensor<1x2x128x64xf16>, tensor<1x2x128x64xf16>) {
  ^bb0(%a0: tensor<1x2x128x64xf16>, %a1: tensor<1x2x128x64xf16>, %a2: tensor<1x2x128x64xf16>):
    %y = aten.scaled_dot_product_attention %a0, %a1, %a2 : (tensor<1x2x128x64xf16>, tensor<1x2x128x64xf16>, tensor<1x2x128x64xf16>) -> tensor<1x2x128x64xf16>
    kgen.yield %y : tensor<1x2x128x64xf16>
  } : tensor<1x2x128x64xf16>
  %r1 = kgen.dispatch @d128_causal schedule(#kgen.schedule<family = attention, mma = mma_sync>)
      ins(%x3, %x4, %x5 : tensor<1x2x128x128xf16>, tensor<1x2x128x128xf16>, tensor<1x2x128x128xf16>) {
  ^bb0(%a0: tensor<1x2x128x128xf16>, %a1: tensor<1x2x128x128xf16>, %a2: tensor<1x2x128x128xf16>):
    %y = aten.scaled_dot_product_attention %a0, %a1, %a2 is_causal true : (tensor<1x2x128x128xf16>, tensor<1x2x128x128xf16>, tensor<1x2x128x128xf16>) -> tensor<1x2x128x128xf16>
    kgen.yield %y : tensor<1x2x128x128xf16>
  } : tensor<1x2x128x128xf16>
  %r2 = kgen.dispatch @tails schedule(#kgen.schedule<family = attention, mma = mma_sync, tile = [32, 32], stages = 3>)
      ins(%x6, %x7, %x8 : tensor<2x37x32xf16>, tensor<2x75x32xf16>, tensor<2x75x32xf16>) {
  ^bb0(%a0: tensor<2x37x32xf16>, %a1: tensor<2x75x32xf16>, %a2: tensor<2x75x32xf16>):
    %y = aten.scaled_dot_product_attention %a0, %a1, %a2 : (tensor<2x37x32xf16>, tensor<2x75x32xf16>, tensor<2x75x32xf16>) -> tensor<2x37x32xf16>
    kgen.yield %y : tensor<2x37x32xf16>
  } : tensor<2x37x32xf16>
  %r3 = kgen.dispatch @tails_causal schedule(#kgen.schedule<family = attention, mma = mma_sync, tile = [64, 16]>)
      ins(%x9, %x10, %x11 : tensor<3x77x64xf16>, tensor<3x77x64xf16>, tensor<3x77x64xf16>) {
  ^bb0(%a0: tensor<3x77x64xf16>, %a1: tensor<3x77x64xf16>, %a2: tensor<3x77x64xf16>):
    %y = aten.scaled_dot_product_attention %a0, %a1, %a2 is_causal true : (tensor<3x77x64xf16>, tensor<3x77x64xf16>, tensor<3x77x64xf16>) -> tensor<3x77x64xf16>
    kgen.yield %y : tensor<3x77x64xf16>
  } : tensor<3x77x64xf16>
  %r4 = kgen.dispatch @more_queries schedule(#kgen.schedule<family = attention, mma = mma_sync, tile = [16, 16]>)
      ins(%x12, %x13, %x14 : tensor<1x80x16xf16>, tensor<1x40x16xf16>, tensor<1x40x16xf16>) {
  ^bb0(%a0: tensor<1x80x16xf16>, %a1: tensor<1x40x16xf16>, %a2: tensor<1x40x16xf16>):
    %y = aten.scaled_dot_product_attention %a0, %a1, %a2 is_causal true : (tensor<1x80x16xf16>, tensor<1x40x16xf16>, tensor<1x40x16xf16>) -> tensor<1x80x16xf16>
    kgen.yield %y : tensor<1x80x16xf16>
  } : tensor<1x80x16xf16>
  %r5 = kgen.dispatch @scaled schedule(#kgen.schedule<family = attention, mma = mma_sync, tile = [64, 48]>)
      ins(%x15, %x16, %x17 : tensor<2x64x96xf16>, tensor<2x48x96xf16>, tensor<2x48x96xf16>) {
  ^bb0(%a0: tensor<2x64x96xf16>, %a1: tensor<2x48x96xf16>, %a2: tensor<2x48x96xf16>):
    %y = aten.scaled_dot_product_attention %a0, %a1, %a2 scale 0.25 : (tensor<2x64x96xf16>, tensor<2x48x96xf16>, tensor<2x48x96xf16>) -> tensor<2x64x96xf16>
    kgen.yield %y : tensor<2x64x96xf16>
  } : tensor<2x64x96xf16>
  return %r0, %r1, %r2, %r3, %r4, %r5
      : tensor<1x2x128x64xf16>, tensor<1x2x128x128xf16>, tensor<2x37x32xf16>, tensor<3x77x64xf16>, tensor<1x80x16xf16>, tensor<2x64x96xf16>
}
}
