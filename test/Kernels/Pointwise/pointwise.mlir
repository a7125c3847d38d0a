// RUN: kgen-opt %s -kgen-lower-dispatches -split-input-file | FileCheck %s

// Elements travel in packs; operands that broadcast are read at their own coordinates.
// CHECK-LABEL: kgen.source @chain
// CHECK-SAME: chain_result0(float acc0, int d0, int d1, const float *p0, const float *p1)
// CHECK-SAME: const Pack<float> in0 = load_pack(operands.in0 + element);
// CHECK-SAME: chain_result0(in0.lane[lane], static_cast<int>(element / 4096), static_cast<int>(element % 4096) + lane, operands.in1, operands.in2)
// CHECK: kgen.launch @chain::@chain_elements grid [400, 1, 1] block [256, 1, 1] shared 0
func.func @f(%x0: tensor<100x4096xf32>, %x1: tensor<4096xf32>, %x2: tensor<100x1xf32>) -> tensor<100x4096xf32> {
  %0 = kgen.dispatch @chain schedule(#kgen.schedule<family = pointwise>) ins(%x0, %x1, %x2 : tensor<100x4096xf32>, tensor<4096xf32>, tensor<100x1xf32>) {
  ^bb0(%a0: tensor<100x4096xf32>, %a1: tensor<4096xf32>, %a2: tensor<100x1xf32>):
    %m = aten.mul.Tensor %a0, %a1 : (tensor<100x4096xf32>, tensor<4096xf32>) -> tensor<100x4096xf32>
    %t = aten.add.Tensor %m, %a2 : (tensor<100x4096xf32>, tensor<100x1xf32>) -> tensor<100x4096xf32>
    %y = aten.relu %t : (tensor<100x4096xf32>) -> tensor<100x4096xf32>
    kgen.yield %y : tensor<100x4096xf32>
  } : tensor<100x4096xf32>
  return %0 : tensor<100x4096xf32>
}

// -----

// An odd number of elements goes one by one, with a guard at the end.
// CHECK-LABEL: kgen.source @odd
// CHECK-SAME: constexpr int kVector = 1;
// CHECK-SAME: if (!kRagged || element < kElements)
// CHECK: grid [3, 1, 1] block [128, 1, 1]
func.func @f(%x0: tensor<15x77xf32>) -> tensor<15x77xf32> {
  %0 = kgen.dispatch @odd schedule(#kgen.schedule<family = pointwise, block = 128, coarsen = 4>) ins(%x0 : tensor<15x77xf32>) {
  ^bb0(%a0: tensor<15x77xf32>):
    %y = aten.tanh %a0 : (tensor<15x77xf32>) -> tensor<15x77xf32>
    kgen.yield %y : tensor<15x77xf32>
  } : tensor<15x77xf32>
  return %0 : tensor<15x77xf32>
}
