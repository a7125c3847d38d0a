// RUN: kgen-opt %s --kgen-merge-sources | FileCheck %s
// RUN: kgen-opt %s --kgen-merge-sources | kgen-translate --kgen-to-plan | FileCheck %s --check-prefix=PLAN

// Equal but for their names: one of them stays, and both launches are of it.
// CHECK: kgen.source @f_0_relu
// CHECK-NOT: kgen.source @f_1_relu
// CHECK: kgen.source @f_2_relu
// Another architecture is another kernel.
// CHECK: kgen.source @f_3_relu arch "sm_80"
// CHECK: kgen.launch @f_0_relu::@f_0_relu
// CHECK: kgen.launch @f_0_relu::@f_0_relu
// CHECK: kgen.launch @f_2_relu::@f_2_relu
// PLAN-COUNT-2: "kernel": "f_0_relu"
// PLAN: "kernel": "f_2_relu"
kgen.source @f_0_relu arch "sm_90a" "extern \22C\22 __global__ void f_0_relu(const float *x, float *y) { y[threadIdx.x] = fmaxf(x[threadIdx.x], 0.0f); }"
kgen.source @f_1_relu arch "sm_90a" "extern \22C\22 __global__ void f_1_relu(const float *x, float *y) { y[threadIdx.x] = fmaxf(x[threadIdx.x], 0.0f); }"
kgen.source @f_2_relu arch "sm_90a" "extern \22C\22 __global__ void f_2_relu(const float *x, float *y) { y[threadIdx.x] = fmaxf(x[threadIdx.x], 1.0f); }"
kgen.source @f_3_relu arch "sm_80" "extern \22C\22 __global__ void f_3_relu(const float *x, float *y) { y[threadIdx.x] = fmaxf(x[threadIdx.x], 0.0f); }"
func.func @f(%x: tensor<32xf32>) -> tensor<32xf32> {
  %a = tensor.empty() : tensor<32xf32>
  %0 = kgen.launch @f_0_relu::@f_0_relu grid [1, 1, 1] block [32, 1, 1] shared 0 ins(%x : tensor<32xf32>) outs(%a : tensor<32xf32>) : tensor<32xf32>
  %b = tensor.empty() : tensor<32xf32>
  %1 = kgen.launch @f_1_relu::@f_1_relu grid [1, 1, 1] block [32, 1, 1] shared 0 ins(%0 : tensor<32xf32>) outs(%b : tensor<32xf32>) : tensor<32xf32>
  %c = tensor.empty() : tensor<32xf32>
  %2 = kgen.launch @f_2_relu::@f_2_relu grid [1, 1, 1] block [32, 1, 1] shared 0 ins(%1 : tensor<32xf32>) outs(%c : tensor<32xf32>) : tensor<32xf32>
  return %2 : tensor<32xf32>
}
