// Attention of heads deeper than 128 by warp products, against the oracle.
// REQUIRES: host-compiler
// RUN: rm -rf %t && mkdir -p %t/c
// RUN: kgen-opt %s -kgen-form-dispatches -o %t/dispatches.mlir
// RUN: kgen-opt %t/dispatches.mlir -kgen-inline-dispatches=all -o %t/graph.mlir
// RUN: kgen-opt %t/dispatches.mlir -kgen-lower-dispatches=assert-sizes -o %t/lowered.mlir
// RUN: grep -o 'mma = mma_sync' %t/lowered.mlir | sort | uniq -c | FileCheck %s --check-prefix=WARPS
// WARPS: 4 mma
// RUN: kgen-translate --kgen-to-cuda %t/lowered.mlir -o %t/c/kernel.cu
// RUN: kgen-translate --kgen-to-plan %t/lowered.mlir -o %t/c/plan.json
// RUN: kgen-eval %t/c --graph %t/graph.mlir --device host --samples 1 | FileCheck %s
// CHECK: verdict PASS

module {
func.func @deep(%a: tensor<2x3x70x256xf16>, %b: tensor<2x3x100x256xf16>, %c: tensor<1x2x130x160xbf16>, %d: tensor<1x4x200x256xbf16>, %m: tensor<1x1x70x100xi1>)
   -> (tensor<2x3x70x256xf16>, tensor<1x2x130x160xbf16>, tensor<1x4x200x256xbf16>, tensor<2x3x70x256xf16>) {
  %0 = aten.scaled_dot_product_attention %a, %b, %b : (tensor<2x3x70x256xf16>, tensor<2x3x100x256xf16>, tensor<2x3x100x256xf16>) -> tensor<2x3x70x256xf16>
  %1 = aten.scaled_dot_product_attention %c, %c, %c : (tensor<1x2x130x160xbf16>, tensor<1x2x130x160xbf16>, tensor<1x2x130x160xbf16>) -> tensor<1x2x130x160xbf16>
  %2 = aten.scaled_dot_product_attention %d, %d, %d is_causal true : (tensor<1x4x200x256xbf16>, tensor<1x4x200x256xbf16>, tensor<1x4x200x256xbf16>) -> tensor<1x4x200x256xbf16>
  %3 = aten.scaled_dot_product_attention %a, %b, %b attn_mask %m : (tensor<2x3x70x256xf16>, tensor<2x3x100x256xf16>, tensor<2x3x100x256xf16>, tensor<1x1x70x100xi1>) -> tensor<2x3x70x256xf16>
  return %0, %1, %2, %3 : tensor<2x3x70x256xf16>, tensor<1x2x130x160xbf16>, tensor<1x4x200x256xbf16>, tensor<2x3x70x256xf16>
}
}
