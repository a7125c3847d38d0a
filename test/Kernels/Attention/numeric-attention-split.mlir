// One to a few queries by keys in parts, against the oracle: heads of queries that share keys are rows of a block, 4, 10
// and 24 of them here, which are more than one tile.
// REQUIRES: host-compiler
// RUN: rm -rf %t && mkdir -p %t/c
// RUN: kgen-opt %s -kgen-inline-dispatches=all -o %t/graph.mlir
// RUN: kgen-opt %s -kgen-lower -o %t/lowered.mlir
// RUN: FileCheck %s --check-prefix=LOWERED < %t/lowered.mlir
// RUN: kgen-translate --kgen-to-cuda %t/lowered.mlir -o %t/c/kernel.cu
// RUN: kgen-translate --kgen-to-plan %t/lowered.mlir -o %t/c/plan.json
// RUN: kgen-eval %t/c --graph %t/graph.mlir --device host --samples 1 | FileCheck %s
// CHECK: verdict PASS

// LOWERED: kgen.source @decode
// LOWERED-SAME: constexpr int kGroup = 4;
// LOWERED-SAME: constexpr int kWarps = 2, kTileKeys = 32;
// LOWERED-SAME: constexpr int kStages = 2;
// LOWERED: kgen.source @single
// LOWERED-SAME: constexpr int kGroup = 10;
// LOWERED-NOT: single_finish
// LOWERED: kgen.source @several
// LOWERED-SAME: constexpr int kGroup = 6;
// LOWERED: kgen.launch @decode::@decode_attention grid [6, 1, 1] block [64, 1, 1] shared 36864
// LOWERED: kgen.launch @decode::@decode_finish grid [2, 1, 1] block [128, 1, 1]
// LOWERED: kgen.launch @single::@single_attention grid [1, 1, 1] block [96, 1, 1]
// LOWERED: kgen.launch @several::@several_attention grid [12, 1, 1] block [64, 1, 1]
// LOWERED: kgen.launch @several::@several_finish grid [4, 1, 1] block [256, 1, 1]
module {
func.func @attention(%q0: tensor<1x8x1x64xbf16>, %k0: tensor<1x2x1x300x64xbf16>, %v0: tensor<1x2x1x300x64xbf16>, %m0: tensor<1x1x1x300xi64> {kgen.init = "integer(0, 1)"},
    %q1: tensor<10x1x32xf16>, %k1: tensor<1x70x32xf16>, %q2: tensor<4x2x6x48xf16>, %k2: tensor<2x1x70x48xf16>)
    -> (tensor<1x1x8x64xbf16>, tensor<10x1x32xf16>, tensor<2x6x4x48xf16>) {
  %seen = aten.gt.Scalar %m0 {other = 0.0} : (tensor<1x1x1x300xi64>) -> tensor<1x1x1x300xi1>
  %a = aten.expand %k0 size [1, 2, 4, 300, 64] : (tensor<1x2x1x300x64xbf16>) -> tensor<1x2x4x300x64xbf16>
  %b = aten.view %a size [1, 8, 300, 64] : (tensor<1x2x4x300x64xbf16>) -> tensor<1x8x300x64xbf16>
  %c = aten.expand %v0 size [1, 2, 4, 300, 64] : (tensor<1x2x1x300x64xbf16>) -> tensor<1x2x4x300x64xbf16>
  %d = aten.view %c size [1, 8, 300, 64] : (tensor<1x2x4x300x64xbf16>) -> tensor<1x8x300x64xbf16>
  %0 = kgen.dispatch @decode schedule(#kgen.schedule<family = attention, split_keys = 3, block = 64>)
      ins(%q0, %b, %d, %seen : tensor<1x8x1x64xbf16>, tensor<1x8x300x64xbf16>, tensor<1x8x300x64xbf16>, tensor<1x1x1x300xi1>) {
  ^bb0(%x: tensor<1x8x1x64xbf16>, %y: tensor<1x8x300x64xbf16>, %z: tensor<1x8x300x64xbf16>, %m: tensor<1x1x1x300xi1>):
    %r = aten.scaled_dot_product_attention %x, %y, %z attn_mask %m : (tensor<1x8x1x64xbf16>, tensor<1x8x300x64xbf16>, tensor<1x8x300x64xbf16>, tensor<1x1x1x300xi1>) -> tensor<1x8x1x64xbf16>
    kgen.yield %r : tensor<1x8x1x64xbf16>
  } : tensor<1x8x1x64xbf16>
  %1 = aten.transpose.int %0 dim0 1 dim1 2 : (tensor<1x8x1x64xbf16>) -> tensor<1x1x8x64xbf16>
  // All heads have the same keys, which are their values.
  %e = aten.expand %k1 size [10, 70, 32] : (tensor<1x70x32xf16>) -> tensor<10x70x32xf16>
  %2 = kgen.dispatch @single schedule(#kgen.schedule<family = attention, split_keys = 1>)
      ins(%q1, %e : tensor<10x1x32xf16>, tensor<10x70x32xf16>) {
  ^bb0(%x: tensor<10x1x32xf16>, %y: tensor<10x70x32xf16>):
    %r = aten.scaled_dot_product_attention %x, %y, %y : (tensor<10x1x32xf16>, tensor<10x70x32xf16>, tensor<10x70x32xf16>) -> tensor<10x1x32xf16>
    kgen.yield %r : tensor<10x1x32xf16>
  } : tensor<10x1x32xf16>
  // Rows of several queries begin again with each head, so that a tile sees keys up to the last query.
  %f = aten.permute %q2 dims [1, 2, 0, 3] : (tensor<4x2x6x48xf16>) -> tensor<2x6x4x48xf16>
  %g = aten.expand %k2 size [2, 6, 70, 48] : (tensor<2x1x70x48xf16>) -> tensor<2x6x70x48xf16>
  %3 = kgen.dispatch @several schedule(#kgen.schedule<family = attention, split_keys = 3, block = 64, warp_tile = [16, 16]>)
      ins(%f, %g : tensor<2x6x4x48xf16>, tensor<2x6x70x48xf16>) {
  ^bb0(%x: tensor<2x6x4x48xf16>, %y: tensor<2x6x70x48xf16>):
    %r = aten.scaled_dot_product_attention %x, %y, %y is_causal true : (tensor<2x6x4x48xf16>, tensor<2x6x70x48xf16>, tensor<2x6x70x48xf16>) -> tensor<2x6x4x48xf16>
    kgen.yield %r : tensor<2x6x4x48xf16>
  } : tensor<2x6x4x48xf16>
  return %1, %2, %3 : tensor<1x1x8x64xbf16>, tensor<10x1x32xf16>, tensor<2x6x4x48xf16>
}
}
