// RUN: kgen-translate --kgen-to-cuda %s | FileCheck %s

// The device header takes the place of its include line: the unit is self-contained.
// CHECK:     #include <cuda_bf16.h>
// CHECK-NOT: #include "kgen_device.cuh"
// CHECK:     namespace kgen {
// CHECK:     cp_async16
// CHECK-NOT: #include "kgen_device.cuh"
// CHECK:     extern "C" __global__ void copies
kgen.source @a arch "sm_90a" "#include <cuda_bf16.h>\0A#include \22kgen_device.cuh\22\0Aextern \22C\22 __global__ void copies(const float *x, float *y) { kgen::cp_async_commit(); }\0A"
