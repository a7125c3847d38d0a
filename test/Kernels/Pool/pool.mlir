// RUN: kgen-opt %s -kgen-lower-dispatches -split-input-file | FileCheck %s

// Two neighbouring windows share what they read; nothing leaves the input, so nothing is guarded.
// CHECK-LABEL: kgen.source @pool
// CHECK-SAME: pool_before(float acc0
// CHECK-SAME: constexpr bool kGuardY = false;
// CHECK-SAME: constexpr bool kGuardX = true;
// CHECK-SAME: constexpr int kCoarsen = 2;
// CHECK-SAME: return pool_before(operands.in0[offset], 0, 0, 0, 0);
// CHECK-NOT: input_z
// CHECK: kgen.launch @pool::@pool_windows grid [14175, 1, 1] block [256, 1, 1] shared 0
func.func @f(%x0: tensor<100x96x55x55xf32>) -> tensor<100x96x27x27xf32> {
  %0 = kgen.dispatch @pool schedule(#kgen.schedule<family = pool>) ins(%x0 : tensor<100x96x55x55xf32>) {
  ^bb0(%a0: tensor<100x96x55x55xf32>):
    %r = aten.relu %a0 : (tensor<100x96x55x55xf32>) -> tensor<100x96x55x55xf32>
    %y = aten.max_pool2d %r kernel [3, 3] stride [2, 2] : (tensor<100x96x55x55xf32>) -> tensor<100x96x27x27xf32>
    kgen.yield %y : tensor<100x96x27x27xf32>
  } : tensor<100x96x27x27xf32>
  return %0 : tensor<100x96x27x27xf32>
}

// -----

// Only elements inside the input count.
// CHECK-LABEL: kgen.source @inside
// CHECK-SAME: counted(y * kStrideY - kPaddingY, kWindowY, 0, kInputY) *
// CHECK-SAME: counted(x * kStrideX - kPaddingX, kWindowX, 0, kInputX)
func.func @f(%x0: tensor<2x3x15x16xf32>) -> tensor<2x3x8x8xf32> {
  %0 = kgen.dispatch @inside schedule(#kgen.schedule<family = pool>) ins(%x0 : tensor<2x3x15x16xf32>) {
  ^bb0(%a0: tensor<2x3x15x16xf32>):
    %y = aten.avg_pool2d %a0 kernel [3, 3] stride [2, 2] padding [1, 1] count_include_pad false : (tensor<2x3x15x16xf32>) -> tensor<2x3x8x8xf32>
    kgen.yield %y : tensor<2x3x8x8xf32>
  } : tensor<2x3x8x8xf32>
  return %0 : tensor<2x3x8x8xf32>
}
