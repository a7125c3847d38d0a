// Attention of slices of one packed product, whose heads are written beside each other, against the oracle: there is no copy
// in front of it nor behind, whichever kernel it is.
// REQUIRES: host-compiler
// RUN: rm -rf %t && mkdir -p %t/c
// RUN: kgen-opt %s -kgen-inline-dispatches=all -o %t/graph.mlir
// RUN: kgen-opt %s -kgen-lower -o %t/lowered.mlir
// RUN: FileCheck %s --check-prefix=LOWERED < %t/lowered.mlir
// RUN: kgen-translate --kgen-to-cuda %t/lowered.mlir -o %t/c/kernel.cu
// RUN: kgen-translate --kgen-to-plan %t/lowered.mlir -o %t/c/plan.json
// RUN: kgen-eval %t/c --graph %t/graph.mlir --device host --samples 1 | FileCheck %s
// CHECK: verdict PASS

// LOWERED: kgen.source @packed
// LOWERED-SAME: kQueryRow = 288, kKeyRow = 288, kValueRow = 288;
// LOWERED-SAME: long long query_start(long long head) { return head / 3 * 10080 + head % 3 * 32; }
// LOWERED-SAME: long long value_start(long long head) { return head / 3 * 10080 + head % 3 * 32 + 192; }
// LOWERED-SAME: kOutRow = 96;
// LOWERED-SAME: long long out_start(long long head) { return head / 3 * 3360 + head % 3 * 32; }
// LOWERED: kgen.source @maps
// LOWERED-SAME: FIRST_QUERY = 0, FIRST_KEY = 2, FIRST_VALUE = 4;
// LOWERED-SAME: OUT_ROW = 128;
// LOWERED: kgen.source @selected
// LOWERED-SAME: long long key_start(long long head) { return head * 5 + 10; }
// LOWERED-SAME: kOutRow = 10;
// LOWERED-NOT: kgen.source
// LOWERED-COUNT-3: kgen.launch
// LOWERED-NOT: kgen.launch
module {
func.func @attention(%p0: tensor<2x35x288xf32>, %p1: tensor<70x384xf16>, %p2: tensor<20x3x10xf32>)
    -> (tensor<2x35x3x32xf32>, tensor<70x2x64xf16>, tensor<20x2x5xf32>) {
  %a0 = aten.narrow %p0 dim 2 start 0 length 96 : (tensor<2x35x288xf32>) -> tensor<2x35x96xf32>
  %a1 = aten.view %a0 size [2, 35, 3, 32] : (tensor<2x35x96xf32>) -> tensor<2x35x3x32xf32>
  %a2 = aten.transpose.int %a1 dim0 1 dim1 2 : (tensor<2x35x3x32xf32>) -> tensor<2x3x35x32xf32>
  %b0 = aten.slice.Tensor %p0 dim 2 start 96 end 192 : (tensor<2x35x288xf32>) -> tensor<2x35x96xf32>
  %b1 = aten.view %b0 size [2, 35, 3, 32] : (tensor<2x35x96xf32>) -> tensor<2x35x3x32xf32>
  %b2 = aten.transpose.int %b1 dim0 1 dim1 2 : (tensor<2x35x3x32xf32>) -> tensor<2x3x35x32xf32>
  %c0 = aten.slice.Tensor %p0 dim -1 start -96 : (tensor<2x35x288xf32>) -> tensor<2x35x96xf32>
  %c1 = aten.view %c0 size [2, 35, 3, 32] : (tensor<2x35x96xf32>) -> tensor<2x35x3x32xf32>
  %c2 = aten.transpose.int %c1 dim0 1 dim1 2 : (tensor<2x35x3x32xf32>) -> tensor<2x3x35x32xf32>
  %0 = kgen.dispatch @packed schedule(#kgen.schedule<family = attention, mma = mma_sync, tile = [32, 32]>)
      ins(%a2, %b2, %c2 : tensor<2x3x35x32xf32>, tensor<2x3x35x32xf32>, tensor<2x3x35x32xf32>) {
  ^bb0(%x: tensor<2x3x35x32xf32>, %y: tensor<2x3x35x32xf32>, %z: tensor<2x3x35x32xf32>):
    %r = aten.scaled_dot_product_attention %x, %y, %z : (tensor<2x3x35x32xf32>, tensor<2x3x35x32xf32>, tensor<2x3x35x32xf32>) -> tensor<2x3x35x32xf32>
    kgen.yield %r : tensor<2x3x35x32xf32>
  } : tensor<2x3x35x32xf32>
  %s0 = aten.transpose.int %0 dim0 1 dim1 2 : (tensor<2x3x35x32xf32>) -> tensor<2x35x3x32xf32>

  %d0 = aten.view %p1 size [70, 6, 64] : (tensor<70x384xf16>) -> tensor<70x6x64xf16>
  %d1 = aten.permute %d0 dims [1, 0, 2] : (tensor<70x6x64xf16>) -> tensor<6x70x64xf16>
  %q1 = aten.narrow %d1 dim 0 start 0 length 2 : (tensor<6x70x64xf16>) -> tensor<2x70x64xf16>
  %k1 = aten.narrow %d1 dim 0 start 2 length 2 : (tensor<6x70x64xf16>) -> tensor<2x70x64xf16>
  %v1 = aten.narrow %d1 dim 0 start 4 length 2 : (tensor<6x70x64xf16>) -> tensor<2x70x64xf16>
  %1 = kgen.dispatch @maps schedule(#kgen.schedule<family = attention, mma = wgmma, tile = [64, 64]>)
      ins(%q1, %k1, %v1 : tensor<2x70x64xf16>, tensor<2x70x64xf16>, tensor<2x70x64xf16>) {
  ^bb0(%x: tensor<2x70x64xf16>, %y: tensor<2x70x64xf16>, %z: tensor<2x70x64xf16>):
    %r = aten.scaled_dot_product_attention %x, %y, %z : (tensor<2x70x64xf16>, tensor<2x70x64xf16>, tensor<2x70x64xf16>) -> tensor<2x70x64xf16>
    kgen.yield %r : tensor<2x70x64xf16>
  } : tensor<2x70x64xf16>
  %s1 = aten.permute %1 dims [1, 0, 2] : (tensor<2x70x64xf16>) -> tensor<70x2x64xf16>

  %e0 = aten.select.int %p2 dim 1 index 0 : (tensor<20x3x10xf32>) -> tensor<20x10xf32>
  %e1 = aten.view %e0 size [20, 2, 5] : (tensor<20x10xf32>) -> tensor<20x2x5xf32>
  %e2 = aten.transpose.int %e1 dim0 0 dim1 1 : (tensor<20x2x5xf32>) -> tensor<2x20x5xf32>
  %f0 = aten.select.int %p2 dim 1 index 1 : (tensor<20x3x10xf32>) -> tensor<20x10xf32>
  %f1 = aten.view %f0 size [20, 2, 5] : (tensor<20x10xf32>) -> tensor<20x2x5xf32>
  %f2 = aten.transpose.int %f1 dim0 0 dim1 1 : (tensor<20x2x5xf32>) -> tensor<2x20x5xf32>
  %g0 = aten.select.int %p2 dim 1 index -1 : (tensor<20x3x10xf32>) -> tensor<20x10xf32>
  %g1 = aten.view %g0 size [20, 2, 5] : (tensor<20x10xf32>) -> tensor<20x2x5xf32>
  %g2 = aten.transpose.int %g1 dim0 0 dim1 1 : (tensor<20x2x5xf32>) -> tensor<2x20x5xf32>
  %2 = kgen.dispatch @selected schedule(#kgen.schedule<family = attention, mma = none>)
      ins(%e2, %f2, %g2 : tensor<2x20x5xf32>, tensor<2x20x5xf32>, tensor<2x20x5xf32>) {
  ^bb0(%x: tensor<2x20x5xf32>, %y: tensor<2x20x5xf32>, %z: tensor<2x20x5xf32>):
    %r = aten.scaled_dot_product_attention %x, %y, %z : (tensor<2x20x5xf32>, tensor<2x20x5xf32>, tensor<2x20x5xf32>) -> tensor<2x20x5xf32>
    kgen.yield %r : tensor<2x20x5xf32>
  } : tensor<2x20x5xf32>
  %s2 = aten.transpose.int %2 dim0 0 dim1 1 : (tensor<2x20x5xf32>) -> tensor<20x2x5xf32>
  return %s0, %s1, %s2 : tensor<2x35x3x32xf32>, tensor<70x2x64xf16>, tensor<20x2x5xf32>
}
}
