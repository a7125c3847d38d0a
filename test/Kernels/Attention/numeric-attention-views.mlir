// Attention of views against the oracle: heads beside each other in a row, few heads of keys for many of queries, a mask
// of one row for all queries. No copy is made of them: there is one launch for each attention.
// REQUIRES: host-compiler
// RUN: rm -rf %t && mkdir -p %t/c
// RUN: kgen-opt %s -kgen-inline-dispatches=all -o %t/graph.mlir
// RUN: kgen-opt %s -kgen-lower -o %t/lowered.mlir
// RUN: FileCheck %s --check-prefix=LOWERED < %t/lowered.mlir
// RUN: kgen-translate --kgen-to-cuda %t/lowered.mlir -o %t/c/kernel.cu
// RUN: kgen-translate --kgen-to-plan %t/lowered.mlir -o %t/c/plan.json
// RUN: kgen-eval %t/c --graph %t/graph.mlir --device host --samples 1 | FileCheck %s
// CHECK: verdict PASS

// LOWERED: kgen.source @beside
// LOWERED-SAME: kQueryRow = 96, kKeyRow = 96, kValueRow = 96;
// LOWERED-SAME: long long query_start(long long head) { return head / 3 * 3360 + head % 3 * 32; }
// LOWERED-SAME: long long mask_start(long long head) { return head / 3 * 35; }
// LOWERED: kgen.source @groups
// LOWERED-SAME: long long query_start(long long head) { return head * 2560; }
// LOWERED-SAME: long long key_start(long long head) { return head / 2 * 2560; }
// LOWERED-SAME: long long value_start(long long head) { return head / 2 * 64; }
// LOWERED: kgen.source @maps
// LOWERED: kgen.source @odd
// LOWERED: kgen.source @scaled_dot_product_attention_0
// LOWERED-SAME: long long value_start(long long head) { return head / 2 * 5; }
// LOWERED-NOT: kgen.source
// LOWERED-COUNT-5: kgen.launch
// LOWERED-NOT: kgen.launch
module {
func.func @attention(%q0: tensor<2x35x3x32xf32>, %k0: tensor<2x35x3x32xf32>, %v0: tensor<2x35x3x32xf32>, %m0: tensor<2x35xf32>,
    %q1: tensor<4x40x64xf16>, %k1: tensor<2x1x40x64xf16>, %v1: tensor<40x2x64xf16>,
    %q2: tensor<70x3x64xf16>, %k2: tensor<70x3x64xf16>, %v2: tensor<3x70x64xf16>,
    %q3: tensor<2x20x8xf32>, %m3: tensor<20x1xf32>, %q4: tensor<4x20x5xf32>, %v4: tensor<20x2x5xf32>)
    -> (tensor<2x3x35x32xf32>, tensor<4x40x64xf16>, tensor<3x70x64xf16>, tensor<2x20x8xf32>, tensor<4x20x5xf32>) {
  %a = aten.transpose.int %q0 dim0 1 dim1 2 : (tensor<2x35x3x32xf32>) -> tensor<2x3x35x32xf32>
  %b = aten.permute %k0 dims [0, 2, 1, 3] : (tensor<2x35x3x32xf32>) -> tensor<2x3x35x32xf32>
  %c = aten.transpose.int %v0 dim0 -2 dim1 -3 : (tensor<2x35x3x32xf32>) -> tensor<2x3x35x32xf32>
  %d = aten.view %m0 size [2, 1, 1, 35] : (tensor<2x35xf32>) -> tensor<2x1x1x35xf32>
  %e = aten.expand %d size [2, 1, 35, 35] : (tensor<2x1x1x35xf32>) -> tensor<2x1x35x35xf32>
  %0 = kgen.dispatch @beside schedule(#kgen.schedule<family = attention, mma = mma_sync, tile = [32, 32]>)
      ins(%a, %b, %c, %e : tensor<2x3x35x32xf32>, tensor<2x3x35x32xf32>, tensor<2x3x35x32xf32>, tensor<2x1x35x35xf32>) {
  ^bb0(%x: tensor<2x3x35x32xf32>, %y: tensor<2x3x35x32xf32>, %z: tensor<2x3x35x32xf32>, %m: tensor<2x1x35x35xf32>):
    %r = aten.scaled_dot_product_attention %x, %y, %z attn_mask %m : (tensor<2x3x35x32xf32>, tensor<2x3x35x32xf32>, tensor<2x3x35x32xf32>, tensor<2x1x35x35xf32>) -> tensor<2x3x35x32xf32>
    kgen.yield %r : tensor<2x3x35x32xf32>
  } : tensor<2x3x35x32xf32>
  %f = aten.expand %k1 size [2, 2, 40, 64] : (tensor<2x1x40x64xf16>) -> tensor<2x2x40x64xf16>
  %g = aten.reshape %f shape [4, 40, 64] : (tensor<2x2x40x64xf16>) -> tensor<4x40x64xf16>
  %h = aten.transpose.int %v1 dim0 0 dim1 1 : (tensor<40x2x64xf16>) -> tensor<2x40x64xf16>
  %i = aten.unsqueeze %h dim 1 : (tensor<2x40x64xf16>) -> tensor<2x1x40x64xf16>
  %j = aten.expand %i size [2, 2, 40, 64] : (tensor<2x1x40x64xf16>) -> tensor<2x2x40x64xf16>
  %k = aten.reshape %j shape [4, 40, 64] : (tensor<2x2x40x64xf16>) -> tensor<4x40x64xf16>
  %1 = kgen.dispatch @groups schedule(#kgen.schedule<family = attention, mma = mma_sync, tile = [32, 32]>)
      ins(%q1, %g, %k : tensor<4x40x64xf16>, tensor<4x40x64xf16>, tensor<4x40x64xf16>) {
  ^bb0(%x: tensor<4x40x64xf16>, %y: tensor<4x40x64xf16>, %z: tensor<4x40x64xf16>):
    %r = aten.scaled_dot_product_attention %x, %y, %z : (tensor<4x40x64xf16>, tensor<4x40x64xf16>, tensor<4x40x64xf16>) -> tensor<4x40x64xf16>
    kgen.yield %r : tensor<4x40x64xf16>
  } : tensor<4x40x64xf16>
  %l = aten.transpose.int %q2 dim0 0 dim1 1 : (tensor<70x3x64xf16>) -> tensor<3x70x64xf16>
  %n = aten.transpose.int %k2 dim0 0 dim1 1 : (tensor<70x3x64xf16>) -> tensor<3x70x64xf16>
  %2 = kgen.dispatch @maps schedule(#kgen.schedule<family = attention, mma = wgmma, tile = [64, 64]>)
      ins(%l, %n, %v2 : tensor<3x70x64xf16>, tensor<3x70x64xf16>, tensor<3x70x64xf16>) {
  ^bb0(%x: tensor<3x70x64xf16>, %y: tensor<3x70x64xf16>, %z: tensor<3x70x64xf16>):
    %r = aten.scaled_dot_product_attention %x, %y, %z : (tensor<3x70x64xf16>, tensor<3x70x64xf16>, tensor<3x70x64xf16>) -> tensor<3x70x64xf16>
    kgen.yield %r : tensor<3x70x64xf16>
  } : tensor<3x70x64xf16>
  // One number for all keys of a query changes nothing.
  %o = aten.expand %m3 size [20, 20] : (tensor<20x1xf32>) -> tensor<20x20xf32>
  %3 = kgen.dispatch @odd schedule(#kgen.schedule<family = attention, mma = mma_sync>)
      ins(%q3, %o : tensor<2x20x8xf32>, tensor<20x20xf32>) {
  ^bb0(%x: tensor<2x20x8xf32>, %m: tensor<20x20xf32>):
    %r = aten.scaled_dot_product_attention %x, %x, %x attn_mask %m : (tensor<2x20x8xf32>, tensor<2x20x8xf32>, tensor<2x20x8xf32>, tensor<20x20xf32>) -> tensor<2x20x8xf32>
    kgen.yield %r : tensor<2x20x8xf32>
  } : tensor<2x20x8xf32>
  // What nobody schedules is computed by ordinary arithmetic, which needs no rows of 16 bytes.
  %s = aten.transpose.int %v4 dim0 0 dim1 1 : (tensor<20x2x5xf32>) -> tensor<2x20x5xf32>
  %t = aten.unsqueeze %s dim 1 : (tensor<2x20x5xf32>) -> tensor<2x1x20x5xf32>
  %u = aten.expand %t size [2, 2, 20, 5] : (tensor<2x1x20x5xf32>) -> tensor<2x2x20x5xf32>
  %v = aten.reshape %u shape [4, 20, 5] : (tensor<2x2x20x5xf32>) -> tensor<4x20x5xf32>
  %4 = aten.scaled_dot_product_attention %q4, %v, %v : (tensor<4x20x5xf32>, tensor<4x20x5xf32>, tensor<4x20x5xf32>) -> tensor<4x20x5xf32>
  return %0, %1, %2, %3, %4 : tensor<2x3x35x32xf32>, tensor<4x40x64xf16>, tensor<3x70x64xf16>, tensor<2x20x8xf32>, tensor<4x20x5xf32>
}
}
