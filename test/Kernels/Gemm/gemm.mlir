// RUN: kgen-opt %s -kgen-lower-dispatches -split-input-file | FileCheck %s

// Without parameters, f32 products run on tensor cores as tf32; every default is on record.
// CHECK-LABEL: kgen.source @square arch "sm_90a"
// CHECK-SAME: constexpr int M = 4096, N = 4096, K = 4096;
// CHECK-SAME: constexpr bool A_K_CONTIGUOUS = true;
// CHECK-SAME: constexpr bool B_K_CONTIGUOUS = false;
// CHECK-SAME: constexpr int BM = 128, BN = 128, BK = 32;
// CHECK-SAME: kgen::mma_m16n8k8_tf32
// CHECK-SAME: square_main(const square::In *__restrict__ a, const square::In *__restrict__ b
// CHECK-NOT: square_reduce
// CHECK-SAME: kgen.schedule = #kgen.schedule<family = gemm, dtype = tf32,
// CHECK-SAME: mma = mma_sync
// CHECK-SAME: tile = [128, 128, 32]
// CHECK: kgen.launch @square::@square_main grid [1024, 1, 1] block [128, 1, 1] shared 107520
func.func @f(%x: tensor<4096x4096xf32>, %y: tensor<4096x4096xf32>) -> tensor<4096x4096xf32> {
  %0 = kgen.dispatch @square schedule(#kgen.schedule<family = gemm>)
      ins(%x, %y : tensor<4096x4096xf32>, tensor<4096x4096xf32>) {
  ^bb0(%a: tensor<4096x4096xf32>, %b: tensor<4096x4096xf32>):
    %1 = aten.mm %a, %b : (tensor<4096x4096xf32>, tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
    kgen.yield %1 : tensor<4096x4096xf32>
  } : tensor<4096x4096xf32>
  return %0 : tensor<4096x4096xf32>
}

// -----

// A linear layer reads its weight along k; bias, relu and the residual are one epilogue.
// CHECK-LABEL: kgen.source @layer
// CHECK-SAME: layer_pointwise(float acc0, int d0, int d1, const float *p0)
// CHECK-SAME: constexpr bool B_K_CONTIGUOUS = true;
// CHECK-SAME: layer_pointwise(value + bias[column], row, column, extra0)
// CHECK-SAME: const float *__restrict__ bias, const float *__restrict__ extra0
// CHECK: %[[E:.*]] = tensor.empty() : tensor<64x32xf32>
// CHECK: kgen.launch @layer::@layer_main
// CHECK-SAME: ins(%arg0, %arg1, %arg2, %arg3 : {{.*}}) outs(%[[E]] :
func.func @f(%x: tensor<64x48xf32>, %w: tensor<32x48xf32>, %b: tensor<32xf32>, %r: tensor<64x32xf32>)
    -> tensor<64x32xf32> {
  %0 = kgen.dispatch @layer schedule(#kgen.schedule<family = gemm>)
      ins(%x, %w, %b, %r : tensor<64x48xf32>, tensor<32x48xf32>, tensor<32xf32>, tensor<64x32xf32>) {
  ^bb0(%a0: tensor<64x48xf32>, %a1: tensor<32x48xf32>, %a2: tensor<32xf32>, %a3: tensor<64x32xf32>):
    %1 = aten.linear %a0, %a1, %a2 : (tensor<64x48xf32>, tensor<32x48xf32>, tensor<32xf32>) -> tensor<64x32xf32>
    %2 = aten.relu %1 : (tensor<64x32xf32>) -> tensor<64x32xf32>
    %3 = aten.add.Tensor %2, %a3 : (tensor<64x32xf32>, tensor<64x32xf32>) -> tensor<64x32xf32>
    kgen.yield %3 : tensor<64x32xf32>
  } : tensor<64x32xf32>
  return %0 : tensor<64x32xf32>
}

// -----

// A transposed left operand is a layout; slices of k meet in a second kernel, which has the epilogue.
// CHECK-LABEL: kgen.source @slices
// CHECK-SAME: using Stored = float;
// CHECK-SAME: constexpr bool A_K_CONTIGUOUS = false;
// CHECK-SAME: constexpr int TM = 4, TN = 4;
// CHECK-SAME: constexpr int SPLIT_K = 4;
// CHECK-SAME: run.value[r] = accumulator[i][j + r];
// CHECK-SAME: slices_reduce(const float *__restrict__ partial, slices::Out *__restrict__ c)
// CHECK: %[[W:.*]] = tensor.empty() : tensor<4096xf32>
// CHECK: %[[P:.*]] = kgen.launch @slices::@slices_main grid [4, 1, 1] {{.*}} outs(%[[W]] :
// CHECK: kgen.launch @slices::@slices_reduce grid [4, 1, 1] block [256, 1, 1] shared 0 ins(%[[P]] :
func.func @f(%x: tensor<512x32xf32>, %y: tensor<512x32xf32>) -> tensor<32x32xf32> {
  %0 = kgen.dispatch @slices
      schedule(#kgen.schedule<family = gemm, mma = none, split_k = 4, tile = [32, 32, 16], thread_tile = [4, 4]>)
      ins(%x, %y : tensor<512x32xf32>, tensor<512x32xf32>) {
  ^bb0(%a: tensor<512x32xf32>, %b: tensor<512x32xf32>):
    %t = aten.numpy_T %a : (tensor<512x32xf32>) -> tensor<32x512xf32>
    %1 = aten.mm %t, %b : (tensor<32x512xf32>, tensor<512x32xf32>) -> tensor<32x32xf32>
    kgen.yield %1 : tensor<32x32xf32>
  } : tensor<32x32xf32>
  return %0 : tensor<32x32xf32>
}

// -----

// fp16 products of f32 operands convert them first, where the class admits it.
module attributes {kgen.precision = "fp16"} {
// CHECK-LABEL: kgen.source @halves
// CHECK-SAME: using In = __half;
// CHECK-SAME: kgen::mma_m16n8k16_f16
// CHECK: kgen.launch @halves::@halves_convert_a grid [4, 1, 1]
// CHECK: kgen.launch @halves::@halves_convert_b grid [2, 1, 1]
// CHECK: kgen.launch @halves::@halves_main
func.func @f(%x: tensor<64x64xf32>, %y: tensor<64x32xf32>) -> tensor<64x32xf32> {
  %0 = kgen.dispatch @halves schedule(#kgen.schedule<family = gemm, dtype = fp16>)
      ins(%x, %y : tensor<64x64xf32>, tensor<64x32xf32>) {
  ^bb0(%a: tensor<64x64xf32>, %b: tensor<64x32xf32>):
    %1 = aten.mm %a, %b : (tensor<64x64xf32>, tensor<64x32xf32>) -> tensor<64x32xf32>
    kgen.yield %1 : tensor<64x32xf32>
  } : tensor<64x32xf32>
  return %0 : tensor<64x32xf32>
}
}
