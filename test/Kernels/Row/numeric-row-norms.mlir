// Norms of family row against the oracle. The means of 1000 with a deviation of 0.1 lose all digits
// where a variance is E[x^2] - E[x]^2.
// REQUIRES: host-compiler
// RUN: rm -rf %t && mkdir -p %t/c
// RUN: kgen-opt %s -kgen-inline-dispatches=all -o %t/graph.mlir
// RUN: kgen-opt %s -kgen-lower-dispatches=assert-sizes -o %t/lowered.mlir
// RUN: kgen-translate --kgen-to-cuda %t/lowered.mlir -o %t/c/kernel.cu
// RUN: kgen-translate --kgen-to-plan %t/lowered.mlir -o %t/c/plan.json
// RUN: kgen-eval %t/c --graph %t/graph.mlir --device host --samples 1 | FileCheck %s
// CHECK: verdict PASS

module {
func.func @norms(%x0: tensor<5x7x8x9xf32>,
    %x1: tensor<8x9xf32>,
    %x2: tensor<8x9xf32>,
    %x3: tensor<5x1025xf32>,
    %x4: tensor<1025xf32>,
    %x5: tensor<1025xf32>,
    %x6: tensor<6x64x32x32xf32>,
    %x7: tensor<64x32x32xf32>,
    %x8: tensor<64x32x32xf32>,
    %x9: tensor<6x64x32x33xf32>,
    %x10: tensor<64x32x33xf32>,
    %x11: tensor<64x32x33xf32>,
    %x12: tensor<5x1024xf32>,
    %x13: tensor<5x8192xf32>,
    %x14: tensor<8192xf32>,
    %x15: tensor<8192xf32>,
    %x16: tensor<4x4096xf32> {kgen.init = "normal(1000, 0.1)"},
    %x17: tensor<4096xf32>,
    %x18: tensor<4096xf32>,
    %x19: tensor<3x40000xf32> {kgen.init = "normal(1000, 0.1)"},
    %x20: tensor<40000xf32>,
    %x21: tensor<40000xf32>,
    %x22: tensor<3x6x5x4xf32>,
    %x23: tensor<6xf32>,
    %x24: tensor<6xf32>,
    %x25: tensor<3x6x5x5xf32>,
    %x26: tensor<6xf32>,
    %x27: tensor<6xf32>,
    %x28: tensor<2x16x64x64xf32>,
    %x29: tensor<16xf32>,
    %x30: tensor<16xf32>,
    %x31: tensor<5x16xf32>,
    %x32: tensor<16xf32>,
    %x33: tensor<16xf32>,
    %x34: tensor<3x6x15x14xf32>,
    %x35: tensor<6xf32>,
    %x36: tensor<6xf32>,
    %x37: tensor<2x3x256x256xf32>,
    %x38: tensor<6x900xf32>,
    %x39: tensor<6x900xf32>,
    %x40: tensor<900xf32>,
    %x41: tensor<900xf32>,
    %x42: tensor<900xf32>,
    %x43: tensor<6x900xf32>,
    %x44: tensor<6x900xf32>,
    %x45: tensor<900xf32>,
    %x46: tensor<900xf32>,
    %x47: tensor<900xf32>,
    %x48: tensor<6x900xf32>,
    %x49: tensor<6x900xf32>,
    %x50: tensor<900xf32>,
    %x51: tensor<900xf32>,
    %x52: tensor<900xf32>,
    %x53: tensor<6x900xf32>,
    %x54: tensor<6x900xf32>,
    %x55: tensor<900xf32>,
    %x56: tensor<900xf32>,
    %x57: tensor<900xf32>,
    %x58: tensor<4x16x12x12xf32>,
    %x59: tensor<16xf32>,
    %x60: tensor<16xf32>,
    %x61: tensor<16x1x1xf32>)
    -> (tensor<5x7x8x9xf32>, tensor<5x1025xf32>, tensor<6x64x32x32xf32>, tensor<6x64x32x33xf32>, tensor<5x1024xf32>, tensor<5x8192xf32>, tensor<4x4096xf32>, tensor<3x40000xf32>, tensor<3x6x5x4xf32>, tensor<3x6x5x5xf32>, tensor<2x16x64x64xf32>, tensor<5x16xf32>, tensor<3x6x15x14xf32>, tensor<2x3x256x256xf32>, tensor<6x900xf32>, tensor<6x900xf32>, tensor<6x900xf32>, tensor<6x900xf32>, tensor<4x16x12x12xf32>) {
  %r0 = kgen.dispatch @layer_small schedule(#kgen.schedule<family = row>)
      ins(%x0, %x1, %x2 : tensor<5x7x8x9xf32>, tensor<8x9xf32>, tensor<8x9xf32>) {
  ^bb0(%a0: tensor<5x7x8x9xf32>, %a1: tensor<8x9xf32>, %a2: tensor<8x9xf32>):
    %y = aten.layer_norm %a0 weight %a1 bias %a2 normalized_shape [8, 9] : (tensor<5x7x8x9xf32>, tensor<8x9xf32>, tensor<8x9xf32>) -> tensor<5x7x8x9xf32>
    kgen.yield %y : tensor<5x7x8x9xf32>
  } : tensor<5x7x8x9xf32>
  %r1 = kgen.dispatch @layer_odd schedule(#kgen.schedule<family = row>)
      ins(%x3, %x4, %x5 : tensor<5x1025xf32>, tensor<1025xf32>, tensor<1025xf32>) {
  ^bb0(%a0: tensor<5x1025xf32>, %a1: tensor<1025xf32>, %a2: tensor<1025xf32>):
    %y = aten.layer_norm %a0 weight %a1 bias %a2 normalized_shape [1025] : (tensor<5x1025xf32>, tensor<1025xf32>, tensor<1025xf32>) -> tensor<5x1025xf32>
    kgen.yield %y : tensor<5x1025xf32>
  } : tensor<5x1025xf32>
  %r2 = kgen.dispatch @layer_split schedule(#kgen.schedule<family = row>)
      ins(%x6, %x7, %x8 : tensor<6x64x32x32xf32>, tensor<64x32x32xf32>, tensor<64x32x32xf32>) {
  ^bb0(%a0: tensor<6x64x32x32xf32>, %a1: tensor<64x32x32xf32>, %a2: tensor<64x32x32xf32>):
    %y = aten.layer_norm %a0 weight %a1 bias %a2 normalized_shape [64, 32, 32] : (tensor<6x64x32x32xf32>, tensor<64x32x32xf32>, tensor<64x32x32xf32>) -> tensor<6x64x32x32xf32>
    kgen.yield %y : tensor<6x64x32x32xf32>
  } : tensor<6x64x32x32xf32>
  %r3 = kgen.dispatch @layer_split_odd schedule(#kgen.schedule<family = row, split_rows = 7, rows_per_block = 4, threads_per_row = 128>)
      ins(%x9, %x10, %x11 : tensor<6x64x32x33xf32>, tensor<64x32x33xf32>, tensor<64x32x33xf32>) {
  ^bb0(%a0: tensor<6x64x32x33xf32>, %a1: tensor<64x32x33xf32>, %a2: tensor<64x32x33xf32>):
    %y = aten.layer_norm %a0 weight %a1 bias %a2 normalized_shape [64, 32, 33] : (tensor<6x64x32x33xf32>, tensor<64x32x33xf32>, tensor<64x32x33xf32>) -> tensor<6x64x32x33xf32>
    kgen.yield %y : tensor<6x64x32x33xf32>
  } : tensor<6x64x32x33xf32>
  %r4 = kgen.dispatch @layer_plain schedule(#kgen.schedule<family = row>)
      ins(%x12 : tensor<5x1024xf32>) {
  ^bb0(%a0: tensor<5x1024xf32>):
    %y = aten.layer_norm %a0 normalized_shape [1024] : (tensor<5x1024xf32>) -> tensor<5x1024xf32>
    kgen.yield %y : tensor<5x1024xf32>
  } : tensor<5x1024xf32>
  %r5 = kgen.dispatch @layer_streamed schedule(#kgen.schedule<family = row, resident = hybrid>)
      ins(%x13, %x14, %x15 : tensor<5x8192xf32>, tensor<8192xf32>, tensor<8192xf32>) {
  ^bb0(%a0: tensor<5x8192xf32>, %a1: tensor<8192xf32>, %a2: tensor<8192xf32>):
    %y = aten.layer_norm %a0 weight %a1 bias %a2 normalized_shape [8192] : (tensor<5x8192xf32>, tensor<8192xf32>, tensor<8192xf32>) -> tensor<5x8192xf32>
    kgen.yield %y : tensor<5x8192xf32>
  } : tensor<5x8192xf32>
  %r6 = kgen.dispatch @layer_far schedule(#kgen.schedule<family = row>)
      ins(%x16, %x17, %x18 : tensor<4x4096xf32>, tensor<4096xf32>, tensor<4096xf32>) {
  ^bb0(%a0: tensor<4x4096xf32>, %a1: tensor<4096xf32>, %a2: tensor<4096xf32>):
    %y = aten.layer_norm %a0 weight %a1 bias %a2 normalized_shape [4096] : (tensor<4x4096xf32>, tensor<4096xf32>, tensor<4096xf32>) -> tensor<4x4096xf32>
    kgen.yield %y : tensor<4x4096xf32>
  } : tensor<4x4096xf32>
  %r7 = kgen.dispatch @layer_far_split schedule(#kgen.schedule<family = row>)
      ins(%x19, %x20, %x21 : tensor<3x40000xf32>, tensor<40000xf32>, tensor<40000xf32>) {
  ^bb0(%a0: tensor<3x40000xf32>, %a1: tensor<40000xf32>, %a2: tensor<40000xf32>):
    %y = aten.layer_norm %a0 weight %a1 bias %a2 normalized_shape [40000] : (tensor<3x40000xf32>, tensor<40000xf32>, tensor<40000xf32>) -> tensor<3x40000xf32>
    kgen.yield %y : tensor<3x40000xf32>
  } : tensor<3x40000xf32>
  %r8 = kgen.dispatch @group schedule(#kgen.schedule<family = row>)
      ins(%x22, %x23, %x24 : tensor<3x6x5x4xf32>, tensor<6xf32>, tensor<6xf32>) {
  ^bb0(%a0: tensor<3x6x5x4xf32>, %a1: tensor<6xf32>, %a2: tensor<6xf32>):
    %y = aten.group_norm %a0 weight %a1 bias %a2 num_groups 2 : (tensor<3x6x5x4xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<3x6x5x4xf32>
    kgen.yield %y : tensor<3x6x5x4xf32>
  } : tensor<3x6x5x4xf32>
  %r9 = kgen.dispatch @group_odd schedule(#kgen.schedule<family = row>)
      ins(%x25, %x26, %x27 : tensor<3x6x5x5xf32>, tensor<6xf32>, tensor<6xf32>) {
  ^bb0(%a0: tensor<3x6x5x5xf32>, %a1: tensor<6xf32>, %a2: tensor<6xf32>):
    %y = aten.group_norm %a0 weight %a1 bias %a2 num_groups 2 : (tensor<3x6x5x5xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<3x6x5x5xf32>
    kgen.yield %y : tensor<3x6x5x5xf32>
  } : tensor<3x6x5x5xf32>
  %r10 = kgen.dispatch @group_long schedule(#kgen.schedule<family = row>)
      ins(%x28, %x29, %x30 : tensor<2x16x64x64xf32>, tensor<16xf32>, tensor<16xf32>) {
  ^bb0(%a0: tensor<2x16x64x64xf32>, %a1: tensor<16xf32>, %a2: tensor<16xf32>):
    %y = aten.group_norm %a0 weight %a1 bias %a2 num_groups 4 : (tensor<2x16x64x64xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<2x16x64x64xf32>
    kgen.yield %y : tensor<2x16x64x64xf32>
  } : tensor<2x16x64x64xf32>
  %r11 = kgen.dispatch @group_flat schedule(#kgen.schedule<family = row>)
      ins(%x31, %x32, %x33 : tensor<5x16xf32>, tensor<16xf32>, tensor<16xf32>) {
  ^bb0(%a0: tensor<5x16xf32>, %a1: tensor<16xf32>, %a2: tensor<16xf32>):
    %y = aten.group_norm %a0 weight %a1 bias %a2 num_groups 4 : (tensor<5x16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<5x16xf32>
    kgen.yield %y : tensor<5x16xf32>
  } : tensor<5x16xf32>
  %r12 = kgen.dispatch @instance schedule(#kgen.schedule<family = row>)
      ins(%x34, %x35, %x36 : tensor<3x6x15x14xf32>, tensor<6xf32>, tensor<6xf32>) {
  ^bb0(%a0: tensor<3x6x15x14xf32>, %a1: tensor<6xf32>, %a2: tensor<6xf32>):
    %y = aten.instance_norm %a0 weight %a1 bias %a2 : (tensor<3x6x15x14xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<3x6x15x14xf32>
    kgen.yield %y : tensor<3x6x15x14xf32>
  } : tensor<3x6x15x14xf32>
  %r13 = kgen.dispatch @instance_long schedule(#kgen.schedule<family = row>)
      ins(%x37 : tensor<2x3x256x256xf32>) {
  ^bb0(%a0: tensor<2x3x256x256xf32>):
    %y = aten.instance_norm %a0 : (tensor<2x3x256x256xf32>) -> tensor<2x3x256x256xf32>
    kgen.yield %y : tensor<2x3x256x256xf32>
  } : tensor<2x3x256x256xf32>
  %r14 = kgen.dispatch @fused schedule(#kgen.schedule<family = row>)
      ins(%x38, %x39, %x40, %x41, %x42 : tensor<6x900xf32>, tensor<6x900xf32>, tensor<900xf32>, tensor<900xf32>, tensor<900xf32>) {
  ^bb0(%a0: tensor<6x900xf32>, %a1: tensor<6x900xf32>, %a2: tensor<900xf32>, %a3: tensor<900xf32>, %a4: tensor<900xf32>):
    %m = aten.add.Tensor %a0, %a1 : (tensor<6x900xf32>, tensor<6x900xf32>) -> tensor<6x900xf32>
    %n = aten.layer_norm %m weight %a2 bias %a3 normalized_shape [900] : (tensor<6x900xf32>, tensor<900xf32>, tensor<900xf32>) -> tensor<6x900xf32>
    %g = aten.gelu %n : (tensor<6x900xf32>) -> tensor<6x900xf32>
    %t = aten.add.Tensor %g, %a4 : (tensor<6x900xf32>, tensor<900xf32>) -> tensor<6x900xf32>
    %y = aten.add.Tensor %t, %a1 : (tensor<6x900xf32>, tensor<6x900xf32>) -> tensor<6x900xf32>
    kgen.yield %y : tensor<6x900xf32>
  } : tensor<6x900xf32>
  %r15 = kgen.dispatch @fused_split schedule(#kgen.schedule<family = row, split_rows = 3, threads_per_row = 64, rows_per_block = 4>)
      ins(%x43, %x44, %x45, %x46, %x47 : tensor<6x900xf32>, tensor<6x900xf32>, tensor<900xf32>, tensor<900xf32>, tensor<900xf32>) {
  ^bb0(%a0: tensor<6x900xf32>, %a1: tensor<6x900xf32>, %a2: tensor<900xf32>, %a3: tensor<900xf32>, %a4: tensor<900xf32>):
    %m = aten.add.Tensor %a0, %a1 : (tensor<6x900xf32>, tensor<6x900xf32>) -> tensor<6x900xf32>
    %n = aten.layer_norm %m weight %a2 bias %a3 normalized_shape [900] : (tensor<6x900xf32>, tensor<900xf32>, tensor<900xf32>) -> tensor<6x900xf32>
    %g = aten.gelu %n : (tensor<6x900xf32>) -> tensor<6x900xf32>
    %t = aten.add.Tensor %g, %a4 : (tensor<6x900xf32>, tensor<900xf32>) -> tensor<6x900xf32>
    %y = aten.add.Tensor %t, %a1 : (tensor<6x900xf32>, tensor<6x900xf32>) -> tensor<6x900xf32>
    kgen.yield %y : tensor<6x900xf32>
  } : tensor<6x900xf32>
  %r16 = kgen.dispatch @fused_streamed schedule(#kgen.schedule<family = row, resident = hybrid, threads_per_row = 64>)
      ins(%x48, %x49, %x50, %x51, %x52 : tensor<6x900xf32>, tensor<6x900xf32>, tensor<900xf32>, tensor<900xf32>, tensor<900xf32>) {
  ^bb0(%a0: tensor<6x900xf32>, %a1: tensor<6x900xf32>, %a2: tensor<900xf32>, %a3: tensor<900xf32>, %a4: tensor<900xf32>):
    %m = aten.add.Tensor %a0, %a1 : (tensor<6x900xf32>, tensor<6x900xf32>) -> tensor<6x900xf32>
    %n = aten.layer_norm %m weight %a2 bias %a3 normalized_shape [900] : (tensor<6x900xf32>, tensor<900xf32>, tensor<900xf32>) -> tensor<6x900xf32>
    %g = aten.gelu %n : (tensor<6x900xf32>) -> tensor<6x900xf32>
    %t = aten.add.Tensor %g, %a4 : (tensor<6x900xf32>, tensor<900xf32>) -> tensor<6x900xf32>
    %y = aten.add.Tensor %t, %a1 : (tensor<6x900xf32>, tensor<6x900xf32>) -> tensor<6x900xf32>
    kgen.yield %y : tensor<6x900xf32>
  } : tensor<6x900xf32>
  %r17 = kgen.dispatch @fused_reread schedule(#kgen.schedule<family = row, resident = none>)
      ins(%x53, %x54, %x55, %x56, %x57 : tensor<6x900xf32>, tensor<6x900xf32>, tensor<900xf32>, tensor<900xf32>, tensor<900xf32>) {
  ^bb0(%a0: tensor<6x900xf32>, %a1: tensor<6x900xf32>, %a2: tensor<900xf32>, %a3: tensor<900xf32>, %a4: tensor<900xf32>):
    %m = aten.add.Tensor %a0, %a1 : (tensor<6x900xf32>, tensor<6x900xf32>) -> tensor<6x900xf32>
    %n = aten.layer_norm %m weight %a2 bias %a3 normalized_shape [900] : (tensor<6x900xf32>, tensor<900xf32>, tensor<900xf32>) -> tensor<6x900xf32>
    %g = aten.gelu %n : (tensor<6x900xf32>) -> tensor<6x900xf32>
    %t = aten.add.Tensor %g, %a4 : (tensor<6x900xf32>, tensor<900xf32>) -> tensor<6x900xf32>
    %y = aten.add.Tensor %t, %a1 : (tensor<6x900xf32>, tensor<6x900xf32>) -> tensor<6x900xf32>
    kgen.yield %y : tensor<6x900xf32>
  } : tensor<6x900xf32>
  %r18 = kgen.dispatch @group_fused schedule(#kgen.schedule<family = row>)
      ins(%x58, %x59, %x60, %x61 : tensor<4x16x12x12xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16x1x1xf32>) {
  ^bb0(%a0: tensor<4x16x12x12xf32>, %a1: tensor<16xf32>, %a2: tensor<16xf32>, %a3: tensor<16x1x1xf32>):
    %m = aten.add.Tensor %a0, %a3 : (tensor<4x16x12x12xf32>, tensor<16x1x1xf32>) -> tensor<4x16x12x12xf32>
    %n = aten.group_norm %m weight %a1 bias %a2 num_groups 4 : (tensor<4x16x12x12xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<4x16x12x12xf32>
    %y = aten.hardtanh %n {max_val = 1.0, min_val = -1.0} : (tensor<4x16x12x12xf32>) -> tensor<4x16x12x12xf32>
    kgen.yield %y : tensor<4x16x12x12xf32>
  } : tensor<4x16x12x12xf32>
  return %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9, %r10, %r11, %r12, %r13, %r14, %r15, %r16, %r17, %r18
      : tensor<5x7x8x9xf32>, tensor<5x1025xf32>, tensor<6x64x32x32xf32>, tensor<6x64x32x33xf32>, tensor<5x1024xf32>, tensor<5x8192xf32>, tensor<4x4096xf32>, tensor<3x40000xf32>, tensor<3x6x5x4xf32>, tensor<3x6x5x5xf32>, tensor<2x16x64x64xf32>, tensor<5x16xf32>, tensor<3x6x15x14xf32>, tensor<2x3x256x256xf32>, tensor<6x900xf32>, tensor<6x900xf32>, tensor<6x900xf32>, tensor<6x900xf32>, tensor<4x16x12x12xf32>
}
}
