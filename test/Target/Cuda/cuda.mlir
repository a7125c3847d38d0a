// RUN: kgen-translate --kgen-to-cuda %s | FileCheck %s
// RUN: kgen-translate --kgen-to-cuda %s -o %t.1
// RUN: kgen-translate --kgen-to-cuda %s -o %t.2
// RUN: cmp %t.1 %t.2

// Includes once and first, then the sources in the order of their launches; a helper that several sources
// guard stands once.
// CHECK:      #include <cuda_bf16.h>
// CHECK-NEXT: #include <cuda_fp16.h>
// CHECK-EMPTY:
// CHECK-NEXT: #ifndef KGEN_TWICE_DEFINED
// CHECK-NEXT: #define KGEN_TWICE_DEFINED
// CHECK-NEXT: __device__ float twice
// CHECK-NEXT: #endif
// CHECK-NEXT: extern "C" __global__ void first
// CHECK-NOT:  twice
// CHECK:      extern "C" __global__ void second
// CHECK-NOT:  #include
// CHECK-NOT:  namespace kgen
kgen.source @b arch "sm_90a" "#include <cuda_fp16.h>\0A#include <cuda_bf16.h>\0A#ifndef KGEN_TWICE_DEFINED\0A#define KGEN_TWICE_DEFINED\0A__device__ float twice(float x) { return x + x; }\0A#endif\0Aextern \22C\22 __global__ void second(const float *x, float *y) {}\0A"
kgen.source @a arch "sm_90a" "#include <cuda_fp16.h>\0A#ifndef KGEN_TWICE_DEFINED\0A#define KGEN_TWICE_DEFINED\0A__device__ float twice(float x) { return x + x; }\0A#endif\0Aextern \22C\22 __global__ void first(const float *x, float *y) {}\0A"
func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %0 = kgen.launch @a::@first grid [1, 1, 1] block [8, 1, 1] shared 0 ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) : tensor<8xf32>
  %1 = kgen.launch @b::@second grid [1, 1, 1] block [8, 1, 1] shared 0 ins(%0 : tensor<8xf32>) outs(%e : tensor<8xf32>) : tensor<8xf32>
  return %1 : tensor<8xf32>
}
