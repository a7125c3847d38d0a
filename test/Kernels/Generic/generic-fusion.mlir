// RUN: kgen-opt %s --kgen-convert-aten-to-linalg --kgen-lower-generic | FileCheck %s --check-prefix=IR
// RUN: kgen-opt %s --kgen-convert-aten-to-linalg --kgen-lower-generic | kgen-translate --kgen-to-cuda | FileCheck %s

// A chain of element-wise ops is one kernel, and says what it computes.
// CHECK: // aten.add.Tensor + aten.relu + aten.mul.Scalar (addf, maximumf, mulf):
// CHECK-LABEL: chain_0_add_relu_mul(
// IR-LABEL: func.func @chain
// IR-COUNT-1: kgen.launch
// IR-NOT: kgen.launch
// IR: return
func.func @chain(%x: tensor<9xf32>, %y: tensor<9xf32>) -> tensor<9xf32> {
  %0 = aten.add.Tensor %x, %y : (tensor<9xf32>, tensor<9xf32>) -> tensor<9xf32>
  %1 = aten.relu %0 : (tensor<9xf32>) -> tensor<9xf32>
  %2 = aten.mul.Scalar %1 {other = 2.0} : (tensor<9xf32>) -> tensor<9xf32>
  return %2 : tensor<9xf32>
}

// The exponential is computed again in both users: softmax reads its input and never writes exp(x).
// CHECK-LABEL: softmax_1_softmax(
// CHECK: expf(
// CHECK-LABEL: softmax_2_softmax(
// CHECK: expf(
// IR-LABEL: func.func @softmax
// IR-COUNT-3: kgen.launch
// IR-NOT: kgen.launch
// IR: return
func.func @softmax(%x: tensor<4x2000xf32>) -> tensor<4x2000xf32> {
  %0 = aten.softmax.int %x dim -1 : (tensor<4x2000xf32>) -> tensor<4x2000xf32>
  return %0 : tensor<4x2000xf32>
}

// A window would compute the exponential four times for each element: not fused.
// IR-LABEL: func.func @window
// IR-COUNT-2: kgen.launch
// IR-NOT: kgen.launch
// IR: return
func.func @window(%x: tensor<1x2x6x6xf32>) -> tensor<1x2x5x5xf32> {
  %0 = aten.exp %x : (tensor<1x2x6x6xf32>) -> tensor<1x2x6x6xf32>
  %1 = aten.max_pool2d %0 kernel [2, 2] stride [1, 1] : (tensor<1x2x6x6xf32>) -> tensor<1x2x5x5xf32>
  return %1 : tensor<1x2x5x5xf32>
}

// x * x loads x once.
// CHECK-LABEL: square_0_mul(
// CHECK-COUNT-1: in0[d0]
// CHECK-NOT: in0[d0]
// CHECK: t0 * t0
func.func @square(%x: tensor<9xf32>) -> tensor<9xf32> {
  %0 = aten.mul.Tensor %x, %x : (tensor<9xf32>, tensor<9xf32>) -> tensor<9xf32>
  return %0 : tensor<9xf32>
}
