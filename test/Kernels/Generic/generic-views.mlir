// RUN: kgen-opt %s --kgen-convert-aten-to-linalg --kgen-lower-generic | kgen-translate --kgen-to-cuda | FileCheck %s
// RUN: kgen-opt %s --kgen-convert-aten-to-linalg --kgen-lower-generic | FileCheck %s --check-prefix=IR

// Padding is a condition on the load; its coordinates have names.
// CHECK-LABEL: padded_0_conv2d(
// CHECK:         float acc0 = 0.0f;
// CHECK:           for (int d5 = 0; d5 < kD5; ++d5) {
// CHECK-NEXT:        const int c0 = d2 * 2 + d5 - 1;
// CHECK-NEXT:        for (int d6 = 0; d6 < kD6; ++d6) {
// CHECK-NEXT:          const int c1 = d3 + d6 - 2;
// CHECK:               c0 >= 0 && c0 < 7 && c1 >= 0 && c1 < 9 ? in{{[0-9]}}[((d0 * 3 + d4) * 7 + c0) * 9 + c1] : 0.0f;
func.func @padded(%x: tensor<2x3x7x9xf32>, %w: tensor<4x3x3x3xf32>, %b: tensor<4xf32>) -> tensor<2x4x4x11xf32> {
  %0 = aten.conv2d %x, %w, %b stride [2, 1] padding [1, 2] : (tensor<2x3x7x9xf32>, tensor<4x3x3x3xf32>, tensor<4xf32>) -> tensor<2x4x4x11xf32>
  return %0 : tensor<2x4x4x11xf32>
}

// No coordinate is below zero here, so nothing asks; batch, channel and row walk memory as one loop.
// CHECK-LABEL: unpadded_0_max_pool2d(
// CHECK-NOT:     >= 0
// CHECK:         in0[(d0 * 2 + d2) * 9 + d1 * 2 + d3]
func.func @unpadded(%x: tensor<2x3x8x9xf32>) -> tensor<2x3x4x4xf32> {
  %0 = aten.max_pool2d %x kernel [2, 2] stride [2, 2] : (tensor<2x3x8x9xf32>) -> tensor<2x3x4x4xf32>
  return %0 : tensor<2x3x4x4xf32>
}

// A transpose is read through, not copied.
// CHECK-LABEL: transposed_0_exp(
// CHECK:         in0[d1 * 5 + d0]
// IR-LABEL: func.func @transposed
// IR-COUNT-1: kgen.launch
// IR-NOT: kgen.launch
// IR: return
func.func @transposed(%x: tensor<7x5xf32>) -> tensor<5x7xf32> {
  %0 = aten.transpose.int %x dim0 0 dim1 1 : (tensor<7x5xf32>) -> tensor<5x7xf32>
  %1 = aten.exp %0 : (tensor<5x7xf32>) -> tensor<5x7xf32>
  return %1 : tensor<5x7xf32>
}

// A reshape of a kernel's result is the same buffer.
// IR-LABEL: func.func @reshaped
// IR: %[[L:.*]] = kgen.launch
// IR: %[[C:.*]] = tensor.collapse_shape %[[L]]
// IR-NOT: kgen.launch
// IR: return %[[C]]
func.func @reshaped(%x: tensor<3x5xf32>) -> tensor<15xf32> {
  %0 = aten.relu %x : (tensor<3x5xf32>) -> tensor<3x5xf32>
  %1 = aten.view %0 size [15] : (tensor<3x5xf32>) -> tensor<15xf32>
  return %1 : tensor<15xf32>
}

// An argument that is returned is copied, as is a result that is returned twice.
// IR-LABEL: func.func @returned
// IR-COUNT-3: kgen.launch
// IR-NOT: kgen.launch
// IR: return
func.func @returned(%x: tensor<3x5xf32>) -> (tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>) {
  %0 = aten.relu %x : (tensor<3x5xf32>) -> tensor<3x5xf32>
  return %x, %0, %0 : tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>
}

// Where pieces meet, the load chooses.
// CHECK-LABEL: concatenated_0_
// CHECK:         const int c0 = d0 - 4;
// CHECK-NEXT:    c0 >= 0 ? in0[c0 * 6 + d1] : d0 < 4 ? in1[d0 * 6 + d1]
func.func @concatenated(%x: tensor<4x6xf32>, %y: tensor<2x6xf32>) -> tensor<6x6xf32> {
  %0 = aten.cat %x, %y dim 0 : (tensor<4x6xf32>, tensor<2x6xf32>) -> tensor<6x6xf32>
  return %0 : tensor<6x6xf32>
}

// What stands between two launches is a buffer of its own only where a kernel has to write it.
// CHECK: kernel_of_a_family
// IR-LABEL: func.func @beside
// IR: kgen.launch @family::@kernel_of_a_family
// IR: kgen.launch @beside_0_relu
kgen.source @family arch "sm_90a" "extern \22C\22 __global__ void kernel_of_a_family(const float *in0, float *out0) { out0[threadIdx.x] = in0[threadIdx.x]; }"
func.func @beside(%x: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %0 = kgen.launch @family::@kernel_of_a_family grid [1, 1, 1] block [8, 1, 1] shared 0 ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) : tensor<8xf32>
  %1 = aten.relu %0 : (tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
