// Rows and elements at positions that are read at run time of f16 by family gather, against the oracle.
// REQUIRES: host-compiler
// RUN: rm -rf %t && mkdir -p %t/c
// RUN: kgen-opt %s -kgen-inline-dispatches=all -o %t/graph.mlir
// RUN: kgen-opt %s -kgen-lower-dispatches=assert-sizes -o %t/lowered.mlir
// RUN: kgen-translate --kgen-to-cuda %t/lowered.mlir -o %t/c/kernel.cu
// RUN: kgen-translate --kgen-to-plan %t/lowered.mlir -o %t/c/plan.json
// RUN: kgen-eval %t/c --graph %t/graph.mlir --device host --samples 1 | FileCheck %s
// CHECK: verdict PASS

module {
func.func @gathers(%x0: tensor<50x96xf16>,
    %x1: tensor<4x7xi64> {kgen.init = "integer(0, 49)"},
    %x2: tensor<9x33xf16>,
    %x3: tensor<21xi32> {kgen.init = "integer(0, 8)"},
    %x4: tensor<8x64xf16>,
    %x5: tensor<40xi64> {kgen.init = "integer(-5, 13)"},
    %x6: tensor<30x256xf16>,
    %x7: tensor<3x5xi64> {kgen.init = "integer(0, 29)"},
    %x8: tensor<5x256xf16>,
    %x9: tensor<3x10x4x5xf16>,
    %x10: tensor<6xi64> {kgen.init = "integer(0, 9)"},
    %x11: tensor<12x40xf16>,
    %x12: tensor<8xi64> {kgen.init = "integer(0, 39)"},
    %x13: tensor<6x20x9xf16>,
    %x14: tensor<5x14x9xi64> {kgen.init = "integer(0, 19)"},
    %x15: tensor<16x100xf16>,
    %x16: tensor<16x4xi64> {kgen.init = "integer(0, 99)"},
    %x17: tensor<16x4xf16>)
    -> (tensor<4x7x96xf16>, tensor<21x33xf16>, tensor<40x64xf16>, tensor<3x5x256xf16>, tensor<3x6x4x5xf16>, tensor<12x8xf16>, tensor<5x14x9xf16>, tensor<16x4xf16>) {
  %r_words = kgen.dispatch @words schedule(#kgen.schedule<family = gather>)
      ins(%x0, %x1 : tensor<50x96xf16>, tensor<4x7xi64>) {
  ^bb0(%a0: tensor<50x96xf16>, %a1: tensor<4x7xi64>):
    %r = aten.embedding %a0, %a1 : (tensor<50x96xf16>, tensor<4x7xi64>) -> tensor<4x7x96xf16>
    kgen.yield %r : tensor<4x7x96xf16>
  } : tensor<4x7x96xf16>
  %r_odd = kgen.dispatch @odd schedule(#kgen.schedule<family = gather, block = 64>)
      ins(%x2, %x3 : tensor<9x33xf16>, tensor<21xi32>) {
  ^bb0(%a0: tensor<9x33xf16>, %a1: tensor<21xi32>):
    %r = aten.embedding %a0, %a1 : (tensor<9x33xf16>, tensor<21xi32>) -> tensor<21x33xf16>
    kgen.yield %r : tensor<21x33xf16>
  } : tensor<21x33xf16>
  %r_outside = kgen.dispatch @outside schedule(#kgen.schedule<family = gather, threads_per_row = 8, unroll = 2>)
      ins(%x4, %x5 : tensor<8x64xf16>, tensor<40xi64>) {
  ^bb0(%a0: tensor<8x64xf16>, %a1: tensor<40xi64>):
    %r = aten.embedding %a0, %a1 : (tensor<8x64xf16>, tensor<40xi64>) -> tensor<40x64xf16>
    kgen.yield %r : tensor<40x64xf16>
  } : tensor<40x64xf16>
  %r_scaled = kgen.dispatch @scaled schedule(#kgen.schedule<family = gather, threads_per_row = 32>)
      ins(%x6, %x7, %x8 : tensor<30x256xf16>, tensor<3x5xi64>, tensor<5x256xf16>) {
  ^bb0(%a0: tensor<30x256xf16>, %a1: tensor<3x5xi64>, %a2: tensor<5x256xf16>):
    %g = aten.embedding %a0, %a1 : (tensor<30x256xf16>, tensor<3x5xi64>) -> tensor<3x5x256xf16>
    %m = aten.mul.Scalar %g {other = 16.0} : (tensor<3x5x256xf16>) -> tensor<3x5x256xf16>
    %r = aten.add.Tensor %m, %a2 : (tensor<3x5x256xf16>, tensor<5x256xf16>) -> tensor<3x5x256xf16>
    kgen.yield %r : tensor<3x5x256xf16>
  } : tensor<3x5x256xf16>
  %r_rows_of_planes = kgen.dispatch @rows_of_planes schedule(#kgen.schedule<family = gather, cache_hint = streaming>)
      ins(%x9, %x10 : tensor<3x10x4x5xf16>, tensor<6xi64>) {
  ^bb0(%a0: tensor<3x10x4x5xf16>, %a1: tensor<6xi64>):
    %r = aten.index_select %a0, %a1 dim 1 : (tensor<3x10x4x5xf16>, tensor<6xi64>) -> tensor<3x6x4x5xf16>
    kgen.yield %r : tensor<3x6x4x5xf16>
  } : tensor<3x6x4x5xf16>
  %r_columns = kgen.dispatch @columns schedule(#kgen.schedule<family = gather>)
      ins(%x11, %x12 : tensor<12x40xf16>, tensor<8xi64>) {
  ^bb0(%a0: tensor<12x40xf16>, %a1: tensor<8xi64>):
    %r = aten.index_select %a0, %a1 dim -1 : (tensor<12x40xf16>, tensor<8xi64>) -> tensor<12x8xf16>
    kgen.yield %r : tensor<12x8xf16>
  } : tensor<12x8xf16>
  %r_along = kgen.dispatch @along schedule(#kgen.schedule<family = gather, coarsen = 4, block = 32>)
      ins(%x13, %x14 : tensor<6x20x9xf16>, tensor<5x14x9xi64>) {
  ^bb0(%a0: tensor<6x20x9xf16>, %a1: tensor<5x14x9xi64>):
    %r = aten.gather %a0, %a1 dim 1 : (tensor<6x20x9xf16>, tensor<5x14x9xi64>) -> tensor<5x14x9xf16>
    kgen.yield %r : tensor<5x14x9xf16>
  } : tensor<5x14x9xf16>
  %r_picked = kgen.dispatch @picked schedule(#kgen.schedule<family = gather>)
      ins(%x15, %x16, %x17 : tensor<16x100xf16>, tensor<16x4xi64>, tensor<16x4xf16>) {
  ^bb0(%a0: tensor<16x100xf16>, %a1: tensor<16x4xi64>, %a2: tensor<16x4xf16>):
    %g = aten.gather %a0, %a1 dim 1 : (tensor<16x100xf16>, tensor<16x4xi64>) -> tensor<16x4xf16>
    %n = aten.neg %g : (tensor<16x4xf16>) -> tensor<16x4xf16>
    %r = aten.mul.Tensor %n, %a2 : (tensor<16x4xf16>, tensor<16x4xf16>) -> tensor<16x4xf16>
    kgen.yield %r : tensor<16x4xf16>
  } : tensor<16x4xf16>
  return %r_words, %r_odd, %r_outside, %r_scaled, %r_rows_of_planes, %r_columns, %r_along, %r_picked : tensor<4x7x96xf16>, tensor<21x33xf16>, tensor<40x64xf16>, tensor<3x5x256xf16>, tensor<3x6x4x5xf16>, tensor<12x8xf16>, tensor<5x14x9xf16>, tensor<16x4xf16>
}
}
