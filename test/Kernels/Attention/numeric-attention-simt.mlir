// Attention by ordinary arithmetic against the oracle: element types, depths that no tensor core takes, values of
// another depth than the keys, tails, causal or not.
// REQUIRES: host-compiler
// RUN: rm -rf %t && mkdir -p %t/c
// RUN: kgen-opt %s -kgen-inline-dispatches=all -o %t/graph.mlir
// RUN: kgen-opt %s -kgen-lower-dispatches=assert-sizes -o %t/lowered.mlir
// RUN: kgen-translate --kgen-to-cuda %t/lowered.mlir -o %t/c/kernel.cu
// RUN: kgen-translate --kgen-to-plan %t/lowered.mlir -o %t/c/plan.json
// RUN: kgen-eval %t/c --graph %t/graph.mlir --device host --samples 1 | FileCheck %s
// CHECK: verdict PASS

module {
func.func @attention(%x0: tensor<2x70x40xf32>,
    %x1: tensor<2x70x40xf32>,
    %x2: tensor<2x70x40xf32>,
    %x3: tensor<1x33x21xf32>,
    %x4: tensor<1x50x21xf32>,
    %x5: tensor<1x50x37xf32>,
    %x6: tensor<2x48x72xf16>,
    %x7: tensor<2x80x72xf16>,
    %x8: tensor<2x80x72xf16>,
    %x9: tensor<1x2x65x16xbf16>,
    %x10: tensor<1x2x33x16xbf16>,
    %x11: tensor<1x2x33x16xbf16>,
    %x12: tensor<2x40x24xf32>,
    %x13: tensor<2x40x24xf32>,
    %x14: tensor<2x40x24xf32>)
    -> (tensor<2x70x40xf32>, tensor<1x33x37xf32>, tensor<2x48x72xf16>, tensor<1x2x65x16xbf16>, tensor<2x40x24xf32>) {
  %r0 = kgen.dispatch @f32_causal schedule(#kgen.schedule<family = attention, mma = none>)
      ins(%x0, %x1, %x2 : tensor<2x70x40xf32>, tensor<2x70x40xf32>, tensor<2x70x40xf32>) {
  ^bb0(%a0: tensor<2x70x40xf32>, %a1: tensor<2x70x40xf32>, %a2: tensor<2x70x40xf32>):
    %y = aten.scaled_dot_product_attention %a0, %a1, %a2 is_causal true : (tensor<2x70x40xf32>, tensor<2x70x40xf32>, tensor<2x70x40xf32>) -> tensor<2x70x40xf32>
    kgen.yield %y : tensor<2x70x40xf32>
  } : tensor<2x70x40xf32>
  %r1 = kgen.dispatch @odd_depth schedule(#kgen.schedule<family = attention, mma = none, tile = [32, 48]>)
      ins(%x3, %x4, %x5 : tensor<1x33x21xf32>, tensor<1x50x21xf32>, tensor<1x50x37xf32>) {
  ^bb0(%a0: tensor<1x33x21xf32>, %a1: tensor<1x50x21xf32>, %a2: tensor<1x50x37xf32>):
    %y = aten.scaled_dot_product_attention %a0, %a1, %a2 : (tensor<1x33x21xf32>, tensor<1x50x21xf32>, tensor<1x50x37xf32>) -> tensor<1x33x37xf32>
    kgen.yield %y : tensor<1x33x37xf32>
  } : tensor<1x33x37xf32>
  %r2 = kgen.dispatch @halves schedule(#kgen.schedule<family = attention, mma = none, tile = [16, 64]>)
      ins(%x6, %x7, %x8 : tensor<2x48x72xf16>, tensor<2x80x72xf16>, tensor<2x80x72xf16>) {
  ^bb0(%a0: tensor<2x48x72xf16>, %a1: tensor<2x80x72xf16>, %a2: tensor<2x80x72xf16>):
    %y = aten.scaled_dot_product_attention %a0, %a1, %a2 scale 0.25 : (tensor<2x48x72xf16>, tensor<2x80x72xf16>, tensor<2x80x72xf16>) -> tensor<2x48x72xf16>
    kgen.yield %y : tensor<2x48x72xf16>
  } : tensor<2x48x72xf16>
  %r3 = kgen.dispatch @brain_causal schedule(#kgen.schedule<family = attention, mma = none>)
      ins(%x9, %x10, %x11 : tensor<1x2x65x16xbf16>, tensor<1x2x33x16xbf16>, tensor<1x2x33x16xbf16>) {
  ^bb0(%a0: tensor<1x2x65x16xbf16>, %a1: tensor<1x2x33x16xbf16>, %a2: tensor<1x2x33x16xbf16>):
    %y = aten.scaled_dot_product_attention %a0, %a1, %a2 is_causal true : (tensor<1x2x65x16xbf16>, tensor<1x2x33x16xbf16>, tensor<1x2x33x16xbf16>) -> tensor<1x2x65x16xbf16>
    kgen.yield %y : tensor<1x2x65x16xbf16>
  } : tensor<1x2x65x16xbf16>
  %r4 = kgen.dispatch @by_default schedule(#kgen.schedule<family = attention>)
      ins(%x12, %x13, %x14 : tensor<2x40x24xf32>, tensor<2x40x24xf32>, tensor<2x40x24xf32>) {
  ^bb0(%a0: tensor<2x40x24xf32>, %a1: tensor<2x40x24xf32>, %a2: tensor<2x40x24xf32>):
    %y = aten.scaled_dot_product_attention %a0, %a1, %a2 : (tensor<2x40x24xf32>, tensor<2x40x24xf32>, tensor<2x40x24xf32>) -> tensor<2x40x24xf32>
    kgen.yield %y : tensor<2x40x24xf32>
  } : tensor<2x40x24xf32>
  return %r0, %r1, %r2, %r3, %r4
      : tensor<2x70x40xf32>, tensor<1x33x37xf32>, tensor<2x48x72xf16>, tensor<1x2x65x16xbf16>, tensor<2x40x24xf32>
}
}
