// Reductions of family row against the oracle: every kind, every place of the folded dimensions.
// REQUIRES: host-compiler
// RUN: rm -rf %t && mkdir -p %t/c
// RUN: kgen-opt %s -kgen-inline-dispatches=all -o %t/graph.mlir
// RUN: kgen-opt %s -kgen-lower-dispatches=assert-sizes -o %t/lowered.mlir
// RUN: kgen-translate --kgen-to-cuda %t/lowered.mlir -o %t/c/kernel.cu
// RUN: kgen-translate --kgen-to-plan %t/lowered.mlir -o %t/c/plan.json
// RUN: kgen-eval %t/c --graph %t/graph.mlir --device host --samples 1 | FileCheck %s
// CHECK: verdict PASS

module {
func.func @reductions(%x0: tensor<50x77xf32>,
    %x1: tensor<300x900xf32>,
    %x2: tensor<50x77xf32>,
    %x3: tensor<50x770xf32>,
    %x4: tensor<5x77x40xf32>,
    %x5: tensor<77x40xf32>,
    %x6: tensor<3x70000xf32>,
    %x7: tensor<5x7x8x9xf32>,
    %x8: tensor<3x700xf32>,
    %x9: tensor<3x70x5x6xf32>,
    %x10: tensor<3x700xf32>,
    %x11: tensor<3x700x4xf32>,
    %x12: tensor<3x700xf32>,
    %x13: tensor<31x70xf32>,
    %x14: tensor<3x700xf32>,
    %x15: tensor<3x70x9xf32>,
    %x16: tensor<3x70x9xf32>,
    %x17: tensor<3x40000xf32>,
    %x18: tensor<3x70x9xf32>,
    %x19: tensor<3x700xf32>,
    %x20: tensor<3x700xf32>,
    %x21: tensor<30x70xf32>,
    %x22: tensor<3x5x12x11xf32>,
    %x23: tensor<40x300xf32>,
    %x24: tensor<3x64x20x20xf32>,
    %x25: tensor<5x8192xf32>,
    %x26: tensor<6x900xf32>,
    %x27: tensor<6x900xf32>,
    %x28: tensor<4x16x12x12xf32>,
    %x29: tensor<16x1x1xf32>)
    -> (tensor<f32>, tensor<f32>, tensor<50xf32>, tensor<50x1xf32>, tensor<5x40xf32>, tensor<40xf32>, tensor<3xf32>, tensor<5x7xf32>, tensor<3xf32>, tensor<3x1x5x6xf32>, tensor<3xf32>, tensor<3x4xf32>, tensor<f32>, tensor<f32>, tensor<3xf32>, tensor<3xi64>, tensor<3x1x9xf32>, tensor<3x1x9xi64>, tensor<3x9xi64>, tensor<3xi64>, tensor<i64>, tensor<3xf32>, tensor<3xf32>, tensor<f32>, tensor<3x5x1x1xf32>, tensor<40xf32>, tensor<3x64x20x20xf32>, tensor<5x8192xf32>, tensor<6x900xf32>, tensor<6x1xf32>, tensor<4x16x12x12xf32>, tensor<4x1x12x12xf32>) {
  %r0 = kgen.dispatch @sum_all schedule(#kgen.schedule<family = row>)
      ins(%x0 : tensor<50x77xf32>) {
  ^bb0(%a0: tensor<50x77xf32>):
    %v0 = aten.sum %a0 : (tensor<50x77xf32>) -> tensor<f32>
    kgen.yield %v0 : tensor<f32>
  } : tensor<f32>
  %r1 = kgen.dispatch @mean_all schedule(#kgen.schedule<family = row>)
      ins(%x1 : tensor<300x900xf32>) {
  ^bb0(%a0: tensor<300x900xf32>):
    %v0 = aten.mean %a0 : (tensor<300x900xf32>) -> tensor<f32>
    kgen.yield %v0 : tensor<f32>
  } : tensor<f32>
  %r2 = kgen.dispatch @sum_rows schedule(#kgen.schedule<family = row>)
      ins(%x2 : tensor<50x77xf32>) {
  ^bb0(%a0: tensor<50x77xf32>):
    %v0 = aten.sum.dim_IntList %a0 dim [1] : (tensor<50x77xf32>) -> tensor<50xf32>
    kgen.yield %v0 : tensor<50xf32>
  } : tensor<50xf32>
  %r3 = kgen.dispatch @sum_kept schedule(#kgen.schedule<family = row>)
      ins(%x3 : tensor<50x770xf32>) {
  ^bb0(%a0: tensor<50x770xf32>):
    %v0 = aten.sum.dim_IntList %a0 dim [-1] keepdim true : (tensor<50x770xf32>) -> tensor<50x1xf32>
    kgen.yield %v0 : tensor<50x1xf32>
  } : tensor<50x1xf32>
  %r4 = kgen.dispatch @sum_middle schedule(#kgen.schedule<family = row>)
      ins(%x4 : tensor<5x77x40xf32>) {
  ^bb0(%a0: tensor<5x77x40xf32>):
    %v0 = aten.sum.dim_IntList %a0 dim [1] : (tensor<5x77x40xf32>) -> tensor<5x40xf32>
    kgen.yield %v0 : tensor<5x40xf32>
  } : tensor<5x40xf32>
  %r5 = kgen.dispatch @sum_first schedule(#kgen.schedule<family = row>)
      ins(%x5 : tensor<77x40xf32>) {
  ^bb0(%a0: tensor<77x40xf32>):
    %v0 = aten.sum.dim_IntList %a0 dim [0] : (tensor<77x40xf32>) -> tensor<40xf32>
    kgen.yield %v0 : tensor<40xf32>
  } : tensor<40xf32>
  %r6 = kgen.dispatch @sum_split schedule(#kgen.schedule<family = row>)
      ins(%x6 : tensor<3x70000xf32>) {
  ^bb0(%a0: tensor<3x70000xf32>):
    %v0 = aten.sum.dim_IntList %a0 dim [1] : (tensor<3x70000xf32>) -> tensor<3xf32>
    kgen.yield %v0 : tensor<3xf32>
  } : tensor<3xf32>
  %r7 = kgen.dispatch @mean_space schedule(#kgen.schedule<family = row>)
      ins(%x7 : tensor<5x7x8x9xf32>) {
  ^bb0(%a0: tensor<5x7x8x9xf32>):
    %v0 = aten.mean.dim %a0 dim [2, 3] : (tensor<5x7x8x9xf32>) -> tensor<5x7xf32>
    kgen.yield %v0 : tensor<5x7xf32>
  } : tensor<5x7xf32>
  %r8 = kgen.dispatch @lse schedule(#kgen.schedule<family = row>)
      ins(%x8 : tensor<3x700xf32>) {
  ^bb0(%a0: tensor<3x700xf32>):
    %v0 = aten.logsumexp %a0 dim [1] : (tensor<3x700xf32>) -> tensor<3xf32>
    kgen.yield %v0 : tensor<3xf32>
  } : tensor<3xf32>
  %r9 = kgen.dispatch @lse_channels schedule(#kgen.schedule<family = row>)
      ins(%x9 : tensor<3x70x5x6xf32>) {
  ^bb0(%a0: tensor<3x70x5x6xf32>):
    %v0 = aten.logsumexp %a0 dim [1] keepdim true : (tensor<3x70x5x6xf32>) -> tensor<3x1x5x6xf32>
    kgen.yield %v0 : tensor<3x1x5x6xf32>
  } : tensor<3x1x5x6xf32>
  %r10 = kgen.dispatch @amax schedule(#kgen.schedule<family = row>)
      ins(%x10 : tensor<3x700xf32>) {
  ^bb0(%a0: tensor<3x700xf32>):
    %v0 = aten.amax %a0 dim [1] : (tensor<3x700xf32>) -> tensor<3xf32>
    kgen.yield %v0 : tensor<3xf32>
  } : tensor<3xf32>
  %r11 = kgen.dispatch @amin schedule(#kgen.schedule<family = row>)
      ins(%x11 : tensor<3x700x4xf32>) {
  ^bb0(%a0: tensor<3x700x4xf32>):
    %v0 = aten.amin %a0 dim [1] : (tensor<3x700x4xf32>) -> tensor<3x4xf32>
    kgen.yield %v0 : tensor<3x4xf32>
  } : tensor<3x4xf32>
  %r12 = kgen.dispatch @max_all schedule(#kgen.schedule<family = row>)
      ins(%x12 : tensor<3x700xf32>) {
  ^bb0(%a0: tensor<3x700xf32>):
    %v0 = aten.max %a0 : (tensor<3x700xf32>) -> tensor<f32>
    kgen.yield %v0 : tensor<f32>
  } : tensor<f32>
  %r13 = kgen.dispatch @min_all schedule(#kgen.schedule<family = row>)
      ins(%x13 : tensor<31x70xf32>) {
  ^bb0(%a0: tensor<31x70xf32>):
    %v0 = aten.min %a0 : (tensor<31x70xf32>) -> tensor<f32>
    kgen.yield %v0 : tensor<f32>
  } : tensor<f32>
  %r14:2 = kgen.dispatch @max_dim schedule(#kgen.schedule<family = row>)
      ins(%x14 : tensor<3x700xf32>) {
  ^bb0(%a0: tensor<3x700xf32>):
    %v0, %v1 = aten.max.dim %a0 dim 1 : (tensor<3x700xf32>) -> (tensor<3xf32>, tensor<3xi64>)
    kgen.yield %v0, %v1 : tensor<3xf32>, tensor<3xi64>
  } : tensor<3xf32>, tensor<3xi64>
  %r15:2 = kgen.dispatch @min_dim schedule(#kgen.schedule<family = row>)
      ins(%x15 : tensor<3x70x9xf32>) {
  ^bb0(%a0: tensor<3x70x9xf32>):
    %v0, %v1 = aten.min.dim %a0 dim 1 keepdim true : (tensor<3x70x9xf32>) -> (tensor<3x1x9xf32>, tensor<3x1x9xi64>)
    kgen.yield %v0, %v1 : tensor<3x1x9xf32>, tensor<3x1x9xi64>
  } : tensor<3x1x9xf32>, tensor<3x1x9xi64>
  %r16 = kgen.dispatch @argmax schedule(#kgen.schedule<family = row>)
      ins(%x16 : tensor<3x70x9xf32>) {
  ^bb0(%a0: tensor<3x70x9xf32>):
    %v0 = aten.argmax %a0 dim 1 : (tensor<3x70x9xf32>) -> tensor<3x9xi64>
    kgen.yield %v0 : tensor<3x9xi64>
  } : tensor<3x9xi64>
  %r17 = kgen.dispatch @argmin_split schedule(#kgen.schedule<family = row>)
      ins(%x17 : tensor<3x40000xf32>) {
  ^bb0(%a0: tensor<3x40000xf32>):
    %v0 = aten.argmin %a0 dim 1 : (tensor<3x40000xf32>) -> tensor<3xi64>
    kgen.yield %v0 : tensor<3xi64>
  } : tensor<3xi64>
  %r18 = kgen.dispatch @argmax_all schedule(#kgen.schedule<family = row>)
      ins(%x18 : tensor<3x70x9xf32>) {
  ^bb0(%a0: tensor<3x70x9xf32>):
    %v0 = aten.argmax %a0 : (tensor<3x70x9xf32>) -> tensor<i64>
    kgen.yield %v0 : tensor<i64>
  } : tensor<i64>
  %r19 = kgen.dispatch @norm2 schedule(#kgen.schedule<family = row>)
      ins(%x19 : tensor<3x700xf32>) {
  ^bb0(%a0: tensor<3x700xf32>):
    %v0 = aten.linalg_vector_norm %a0 dim [1] : (tensor<3x700xf32>) -> tensor<3xf32>
    kgen.yield %v0 : tensor<3xf32>
  } : tensor<3xf32>
  %r20 = kgen.dispatch @norm1 schedule(#kgen.schedule<family = row>)
      ins(%x20 : tensor<3x700xf32>) {
  ^bb0(%a0: tensor<3x700xf32>):
    %v0 = aten.linalg_vector_norm %a0 ord 1.0 dim [1] : (tensor<3x700xf32>) -> tensor<3xf32>
    kgen.yield %v0 : tensor<3xf32>
  } : tensor<3xf32>
  %r21 = kgen.dispatch @norm_all schedule(#kgen.schedule<family = row>)
      ins(%x21 : tensor<30x70xf32>) {
  ^bb0(%a0: tensor<30x70xf32>):
    %v0 = aten.linalg_vector_norm %a0 : (tensor<30x70xf32>) -> tensor<f32>
    kgen.yield %v0 : tensor<f32>
  } : tensor<f32>
  %r22 = kgen.dispatch @to_one schedule(#kgen.schedule<family = row>)
      ins(%x22 : tensor<3x5x12x11xf32>) {
  ^bb0(%a0: tensor<3x5x12x11xf32>):
    %v0 = aten.adaptive_avg_pool2d %a0 output_size [1, 1] : (tensor<3x5x12x11xf32>) -> tensor<3x5x1x1xf32>
    kgen.yield %v0 : tensor<3x5x1x1xf32>
  } : tensor<3x5x1x1xf32>
  %r23 = kgen.dispatch @by_one_thread schedule(#kgen.schedule<family = row, threads_per_row = 1, rows_per_block = 8>)
      ins(%x23 : tensor<40x300xf32>) {
  ^bb0(%a0: tensor<40x300xf32>):
    %v0 = aten.sum.dim_IntList %a0 dim [1] : (tensor<40x300xf32>) -> tensor<40xf32>
    kgen.yield %v0 : tensor<40xf32>
  } : tensor<40xf32>
  // The input stays in registers, its square does not.
  %r24 = kgen.dispatch @rms_norm schedule(#kgen.schedule<family = row>)
      ins(%x24 : tensor<3x64x20x20xf32>) {
  ^bb0(%a0: tensor<3x64x20x20xf32>):
    %p = aten.pow.Tensor_Scalar %a0 {exponent = 2.0} : (tensor<3x64x20x20xf32>) -> tensor<3x64x20x20xf32>
    %m = aten.mean.dim %p dim [1] keepdim true : (tensor<3x64x20x20xf32>) -> tensor<3x1x20x20xf32>
    %e = aten.add.Scalar %m {other = 1.0e-5} : (tensor<3x1x20x20xf32>) -> tensor<3x1x20x20xf32>
    %q = aten.sqrt %e : (tensor<3x1x20x20xf32>) -> tensor<3x1x20x20xf32>
    %y = aten.div.Tensor %a0, %q : (tensor<3x64x20x20xf32>, tensor<3x1x20x20xf32>) -> tensor<3x64x20x20xf32>
    kgen.yield %y : tensor<3x64x20x20xf32>
  } : tensor<3x64x20x20xf32>
  %r25 = kgen.dispatch @rms_norm_streamed schedule(#kgen.schedule<family = row, resident = hybrid, threads_per_row = 128>)
      ins(%x25 : tensor<5x8192xf32>) {
  ^bb0(%a0: tensor<5x8192xf32>):
    %p = aten.pow.Tensor_Scalar %a0 {exponent = 2.0} : (tensor<5x8192xf32>) -> tensor<5x8192xf32>
    %m = aten.mean.dim %p dim [1] keepdim true : (tensor<5x8192xf32>) -> tensor<5x1xf32>
    %e = aten.add.Scalar %m {other = 1.0e-5} : (tensor<5x1xf32>) -> tensor<5x1xf32>
    %q = aten.sqrt %e : (tensor<5x1xf32>) -> tensor<5x1xf32>
    %y = aten.div.Tensor %a0, %q : (tensor<5x8192xf32>, tensor<5x1xf32>) -> tensor<5x8192xf32>
    kgen.yield %y : tensor<5x8192xf32>
  } : tensor<5x8192xf32>
  %r26 = kgen.dispatch @l2_norm schedule(#kgen.schedule<family = row>)
      ins(%x26 : tensor<6x900xf32>) {
  ^bb0(%a0: tensor<6x900xf32>):
    %m = aten.linalg_vector_norm %a0 dim [1] keepdim true : (tensor<6x900xf32>) -> tensor<6x1xf32>
    %y = aten.div.Tensor %a0, %m : (tensor<6x900xf32>, tensor<6x1xf32>) -> tensor<6x900xf32>
    kgen.yield %y : tensor<6x900xf32>
  } : tensor<6x900xf32>
  %r27 = kgen.dispatch @behind_rows schedule(#kgen.schedule<family = row>)
      ins(%x27 : tensor<6x900xf32>) {
  ^bb0(%a0: tensor<6x900xf32>):
    %m = aten.logsumexp %a0 dim [1] keepdim true : (tensor<6x900xf32>) -> tensor<6x1xf32>
    %y = aten.mish %m : (tensor<6x1xf32>) -> tensor<6x1xf32>
    kgen.yield %y : tensor<6x1xf32>
  } : tensor<6x1xf32>
  // Both the elements and the row values are results.
  %r28:2 = kgen.dispatch @centred schedule(#kgen.schedule<family = row>)
      ins(%x28, %x29 : tensor<4x16x12x12xf32>, tensor<16x1x1xf32>) {
  ^bb0(%a0: tensor<4x16x12x12xf32>, %a1: tensor<16x1x1xf32>):
    %m = aten.mean.dim %a0 dim [1] keepdim true : (tensor<4x16x12x12xf32>) -> tensor<4x1x12x12xf32>
    %y = aten.sub.Tensor %a0, %m : (tensor<4x16x12x12xf32>, tensor<4x1x12x12xf32>) -> tensor<4x16x12x12xf32>
    %z = aten.mul.Tensor %y, %a1 : (tensor<4x16x12x12xf32>, tensor<16x1x1xf32>) -> tensor<4x16x12x12xf32>
    kgen.yield %z, %m : tensor<4x16x12x12xf32>, tensor<4x1x12x12xf32>
  } : tensor<4x16x12x12xf32>, tensor<4x1x12x12xf32>
  return %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9, %r10, %r11, %r12, %r13, %r14#0, %r14#1, %r15#0, %r15#1, %r16, %r17, %r18, %r19, %r20, %r21, %r22, %r23, %r24, %r25, %r26, %r27, %r28#0, %r28#1
      : tensor<f32>, tensor<f32>, tensor<50xf32>, tensor<50x1xf32>, tensor<5x40xf32>, tensor<40xf32>, tensor<3xf32>, tensor<5x7xf32>, tensor<3xf32>, tensor<3x1x5x6xf32>, tensor<3xf32>, tensor<3x4xf32>, tensor<f32>, tensor<f32>, tensor<3xf32>, tensor<3xi64>, tensor<3x1x9xf32>, tensor<3x1x9xi64>, tensor<3x9xi64>, tensor<3xi64>, tensor<i64>, tensor<3xf32>, tensor<3xf32>, tensor<f32>, tensor<3x5x1x1xf32>, tensor<40xf32>, tensor<3x64x20x20xf32>, tensor<5x8192xf32>, tensor<6x900xf32>, tensor<6x1xf32>, tensor<4x16x12x12xf32>, tensor<4x1x12x12xf32>
}
}
