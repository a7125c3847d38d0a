// RUN: kgen-opt %s --kgen-convert-aten-to-linalg --kgen-lower-generic | kgen-translate --kgen-to-cuda | FileCheck %s
// RUN: kgen-opt %s --kgen-convert-aten-to-linalg --kgen-lower-generic | FileCheck %s --check-prefix=LAUNCH

// One thread per element; neighbours that every index walks together are one loop.
// CHECK:       // aten.relu (maximumf): 2x3x5x7xf32 from 2x3x5x7xf32; one thread per output.
// CHECK-NEXT:  extern "C" __global__ void __launch_bounds__(256)
// CHECK-NEXT:  element_0_relu(const float *__restrict__ in0, float *__restrict__ out0) {
// CHECK-NEXT:    constexpr int kThreads = 256;
// CHECK-NEXT:    constexpr int kOutputs = 210;
// CHECK-NEXT:    const int d0 = blockIdx.x * kThreads + threadIdx.x;
// CHECK-NEXT:    if (d0 >= kOutputs)
// CHECK-NEXT:      return;
// CHECK-NEXT:    const float t0 = in0[d0];
// CHECK-NEXT:    const float t1 = kgen_maximum(t0, 0.0f);
// CHECK-NEXT:    out0[d0] = t1;
// CHECK-NEXT:  }
// LAUNCH: kgen.launch @element_0_relu::@element_0_relu grid [1, 1, 1] block [256, 1, 1] shared 0 ins(%{{.*}} : tensor<2x3x5x7xf32>) outs
func.func @element(%x: tensor<2x3x5x7xf32>) -> tensor<2x3x5x7xf32> {
  %0 = aten.relu %x : (tensor<2x3x5x7xf32>) -> tensor<2x3x5x7xf32>
  return %0 : tensor<2x3x5x7xf32>
}

// A bias over channels splits the loops at the channel and nowhere else.
// CHECK-LABEL: broadcast_0_add(
// CHECK:         constexpr int kD1 = 3, kD2 = 35;
// CHECK:         const int d2 = i % kD2;
// CHECK-NEXT:    const int d1 = i / kD2 % kD1;
// CHECK-NEXT:    const int d0 = i / kD2 / kD1;
// CHECK-NEXT:    in0[(d0 * 3 + d1) * 35 + d2]
// CHECK-NEXT:    in1[d1]
func.func @broadcast(%x: tensor<2x3x5x7xf32>, %b: tensor<3x1x1xf32>) -> tensor<2x3x5x7xf32> {
  %0 = aten.add.Tensor %x, %b : (tensor<2x3x5x7xf32>, tensor<3x1x1xf32>) -> tensor<2x3x5x7xf32>
  return %0 : tensor<2x3x5x7xf32>
}

// A contraction: neighbouring threads write neighbouring elements, the sum runs inside.
// CHECK-LABEL: matmul_0_matmul(
// CHECK:         float acc0 = 0.0f;
// CHECK-NEXT:    for (int d2 = 0; d2 < kD2; ++d2) {
// CHECK-NEXT:      const float t0 = in0[d0 * 7 + d2];
// CHECK-NEXT:      const float t1 = in1[d2 * 11 + d1];
// CHECK-NEXT:      const float t2 = t0 * t1;
// CHECK-NEXT:      acc0 += t2;
// CHECK-NEXT:    }
// CHECK-NEXT:    out0[d0 * 11 + d1] = acc0;
func.func @matmul(%x: tensor<5x7xf32>, %y: tensor<7x11xf32>) -> tensor<5x11xf32> {
  %0 = aten.matmul %x, %y : (tensor<5x7xf32>, tensor<7x11xf32>) -> tensor<5x11xf32>
  return %0 : tensor<5x11xf32>
}

// Rows of a few hundred elements: a warp each, and no barrier.
// CHECK: one warp per output.
// CHECK-LABEL: warp_0_sum(
// CHECK:         constexpr int kOutputs = 13;
// CHECK:         const int lane = threadIdx.x % 32;
// CHECK-NEXT:    const int d0 = blockIdx.x * (kThreads / 32) + threadIdx.x / 32;
// CHECK:         for (int d1 = lane; d1 < kD1; d1 += 32) {
// CHECK-NEXT:      const float t0 = in0[d0 * 200 + d1];
// CHECK-NEXT:      acc0 += t0;
// CHECK-NEXT:    }
// CHECK-NOT:     __syncthreads
// CHECK:         acc0 += __shfl_down_sync(0xffffffffu, acc0, offset);
// CHECK-NEXT:    if (lane == 0) {
// CHECK-NEXT:      out0[d0] = acc0;
// LAUNCH: @warp_0_sum grid [2, 1, 1] block [256, 1, 1]
func.func @warp(%x: tensor<13x200xf32>) -> tensor<13xf32> {
  %0 = aten.sum.dim_IntList %x dim [1] : (tensor<13x200xf32>) -> tensor<13xf32>
  return %0 : tensor<13xf32>
}

// Long rows: a block each; few and very long ones: the largest block.
// CHECK: one block per output.
// CHECK-LABEL: block_0_amax(
// CHECK:         const int d0 = blockIdx.x;
// CHECK-NEXT:    float acc0 = -KGEN_INFINITY;
// CHECK-NEXT:    for (int d1 = threadIdx.x; d1 < kD1; d1 += kThreads) {
// CHECK:           acc0 = kgen_maximum(acc0, t0);
// CHECK:         acc0 = kgen_maximum(acc0, __shfl_down_sync(0xffffffffu, acc0, offset));
// CHECK-NEXT:    __shared__ float warp0[kThreads / 32];
// CHECK:         __syncthreads();
// CHECK-NEXT:    if (threadIdx.x == 0) {
// CHECK-NEXT:      for (int w = 1; w < kThreads / 32; ++w)
// CHECK-NEXT:        acc0 = kgen_maximum(acc0, warp0[w]);
// CHECK-NEXT:      out0[d0] = acc0;
// LAUNCH: @block_0_amax grid [5, 1, 1] block [256, 1, 1]
func.func @block(%x: tensor<5x3001xf32>) -> tensor<5xf32> {
  %0 = aten.amax %x dim [1] : (tensor<5x3001xf32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}
// LAUNCH: @long_0_sum grid [1, 1, 1] block [1024, 1, 1]
func.func @long(%x: tensor<100x1000xf32>) -> tensor<f32> {
  %0 = aten.sum %x : (tensor<100x1000xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// Few outputs, and reduced dimensions that are no neighbours.
// CHECK-LABEL: apart_0_sum(
// CHECK:         constexpr int kReduced = 2107;
// CHECK:         for (int r = threadIdx.x; r < kReduced; r += kThreads) {
// CHECK-NEXT:      const int d3 = r % kD3;
// CHECK-NEXT:      const int d2 = r / kD3;
func.func @apart(%x: tensor<3x301x2x7xf32>) -> tensor<3x2xf32> {
  %0 = aten.sum.dim_IntList %x dim [1, 3] : (tensor<3x301x2x7xf32>) -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}

// More than 2^31 elements: 64-bit indices.
// CHECK-LABEL: wide_0_relu(
// CHECK:         constexpr long long kOutputs = 4294967296;
// CHECK-NEXT:    const long long d0 = ((long long)blockIdx.x * kThreads + threadIdx.x) * kVector;
// LAUNCH: @wide_0_relu grid [4194304, 1, 1]
func.func @wide(%x: tensor<65536x65536xf32>) -> tensor<65536x65536xf32> {
  %0 = aten.relu %x : (tensor<65536x65536xf32>) -> tensor<65536x65536xf32>
  return %0 : tensor<65536x65536xf32>
}

// Half: stored as __half, computed in float.
// CHECK-LABEL: half_0_exp(
// CHECK:         const __half t0 = in0[d0];
// CHECK-NEXT:    const float t1 = __half2float(t0);
// CHECK-NEXT:    const float t2 = expf(t1);
// CHECK-NEXT:    const __half t3 = __float2half(t2);
func.func @half(%x: tensor<37xf16>) -> tensor<37xf16> {
  %0 = aten.exp %x : (tensor<37xf16>) -> tensor<37xf16>
  return %0 : tensor<37xf16>
}

// CHECK-LABEL: double_0_exp(
// CHECK:         const double t1 = exp(t0);
func.func @double(%x: tensor<37xf64>) -> tensor<37xf64> {
  %0 = aten.exp %x : (tensor<37xf64>) -> tensor<37xf64>
  return %0 : tensor<37xf64>
}
