// Every op has magnitudes.
// RUN: for f in %S/../Conversion/AtenToLinalg/numeric-*.mlir; do kgen-opt $f -split-input-file -kgen-promote-f64 -kgen-convert-aten-to-linalg -kgen-magnitudes -o /dev/null || exit 1; done
// RUN: kgen-opt %s -split-input-file -kgen-convert-aten-to-linalg -kgen-magnitudes | FileCheck %s

// What is subtracted is added; the answer itself is not computed any more.
// CHECK-LABEL: func.func @difference
// CHECK: linalg.generic
// CHECK: math.absf
// CHECK: arith.addf
// CHECK-NOT: arith.subf
func.func @difference(%x: tensor<4xf64>, %y: tensor<4xf64>) -> tensor<4xf64> {
  %0 = aten.sub.Tensor %x, %y : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
  return %0 : tensor<4xf64>
}

// -----

// What only moves elements of arguments has no magnitudes of its own: the transposed one is read as it is.
// CHECK-LABEL: func.func @moved
// CHECK-COUNT-2: linalg.generic
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @moved(%x: tensor<4x5xf64>, %y: tensor<5x4xf64>) -> tensor<4x5xf64> {
  %0 = aten.transpose.int %y dim0 0 dim1 1 : (tensor<5x4xf64>) -> tensor<4x5xf64>
  %1 = aten.mul.Tensor %x, %0 : (tensor<4x5xf64>, tensor<4x5xf64>) -> tensor<4x5xf64>
  return %1 : tensor<4x5xf64>
}

// -----

// A contraction of arguments stays one op with one product.
// CHECK-LABEL: func.func @product
// CHECK: linalg.generic
// CHECK: %[[A:.*]] = arith.addf
// CHECK: %[[P:.*]] = arith.mulf %[[A]],
// CHECK: %[[S:.*]] = arith.addf %{{.*}}, %[[P]]
// CHECK: linalg.yield %[[S]] : f64
func.func @product(%x: tensor<4x5xf64>, %y: tensor<5x6xf64>) -> tensor<4x6xf64> {
  %0 = aten.mm %x, %y : (tensor<4x5xf64>, tensor<5x6xf64>) -> tensor<4x6xf64>
  return %0 : tensor<4x6xf64>
}

// -----

// A running product needs what was multiplied so far: one op gives both.
// CHECK-LABEL: func.func @products
// CHECK: %[[BOTH:.*]]:2 = linalg.generic
// CHECK: linalg.yield %{{.*}}, %{{.*}} : f64, f64
// CHECK: return
func.func @products(%x: tensor<4xf64>) -> tensor<f64> {
  %0 = aten.prod %x : (tensor<4xf64>) -> tensor<f64>
  return %0 : tensor<f64>
}

// -----

// The start of a maximum is no size; integer results stay.
// CHECK-LABEL: func.func @maximum
// CHECK: return %{{.*}}, %{{.*}} : tensor<3xf64>, tensor<3xi64>
func.func @maximum(%x: tensor<3x4xf64>) -> (tensor<3xf64>, tensor<3xi64>) {
  %0, %1 = aten.max.dim %x dim 1 : (tensor<3x4xf64>) -> (tensor<3xf64>, tensor<3xi64>)
  return %0, %1 : tensor<3xf64>, tensor<3xi64>
}
