// Every op has a reach.
// RUN: for f in %S/../Conversion/AtenToLinalg/numeric-*.mlir; do kgen-opt $f -split-input-file -kgen-promote-f64 -kgen-convert-aten-to-linalg -kgen-reach -o /dev/null || exit 1; done
// RUN: kgen-opt %s -split-input-file -kgen-convert-aten-to-linalg -kgen-reach | FileCheck %s

// A sum reaches the sizes of its terms, and the root passes that on; the answer itself is not computed any more.
// CHECK-LABEL: func.func @sum
// CHECK: %[[SUM:.*]] = linalg.generic
// CHECK: math.absf
// CHECK: arith.addf
// CHECK-NOT: math.sqrt
// CHECK: return
func.func @sum(%x: tensor<4xf64>) -> tensor<f64> {
  %0 = aten.sum %x : (tensor<4xf64>) -> tensor<f64>
  %1 = aten.sqrt %0 : (tensor<f64>) -> tensor<f64>
  return %1 : tensor<f64>
}

// -----

// Factors above 1, and the inverses of those below, where the product itself is no zero.
// CHECK-LABEL: func.func @products
// CHECK: arith.maximumf
// CHECK-NEXT: arith.mulf
// CHECK: arith.divf
// CHECK: arith.mulf
// CHECK: arith.cmpf oge
// CHECK: return
func.func @products(%x: tensor<4xf64>) -> tensor<f64> {
  %0 = aten.prod %x : (tensor<4xf64>) -> tensor<f64>
  return %0 : tensor<f64>
}

// -----

// A sum that zero divides, or that divides, is in doubt where roundings, or another order, leave nothing of it.
// CHECK-LABEL: func.func @quotient
// CHECK: math.absf
// CHECK: arith.cmpf ogt
// CHECK: arith.cmpf ole
// CHECK: arith.cmpf oeq
// CHECK: arith.select %{{.*}}, %{{.*}}, %{{.*}} : f64
// CHECK: return
func.func @quotient(%x: tensor<3x4xf64>, %y: tensor<3xf64>) -> tensor<3xf64> {
  %0 = aten.sum.dim_IntList %x dim [1] : (tensor<3x4xf64>) -> tensor<3xf64>
  %1 = aten.div.Tensor %0, %y : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  return %1 : tensor<3xf64>
}

// -----

// Nothing is folded element by element. An index is 1 where a computed number is close to the largest one.
// CHECK-LABEL: func.func @none
// CHECK: %[[BEST:.*]]:2 = linalg.generic
// CHECK-NOT: math.exp
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %[[BEST]]#0, %[[BEST]]#1 :
// CHECK: arith.subf
// CHECK: arith.cmpf ole
// CHECK: arith.truncf
// CHECK: arith.maximumf
// CHECK: arith.constant 0.000000e+00 : f64
// CHECK: %[[ZERO:.*]] = linalg.fill
// CHECK: %[[DOUBT:.*]] = linalg.generic
// CHECK: arith.cmpf oge
// CHECK-NEXT: arith.extui %{{.*}} : i1 to i64
// CHECK: return %[[ZERO]], %[[DOUBT]] : tensor<3xf64>, tensor<3xi64>
func.func @none(%x: tensor<3x4xf64>) -> (tensor<3xf64>, tensor<3xi64>) {
  %0, %1 = aten.max.dim %x dim 1 : (tensor<3x4xf64>) -> (tensor<3xf64>, tensor<3xi64>)
  %2 = aten.exp %0 : (tensor<3xf64>) -> tensor<3xf64>
  return %2, %1 : tensor<3xf64>, tensor<3xi64>
}

// -----

// The smallest of zeros of both signs is either one.
// CHECK-LABEL: func.func @chosen
// CHECK: linalg.generic {{.*}} iterator_types = ["reduction"]
// CHECK: arith.divf
// CHECK: arith.cmpf olt
// CHECK: return
func.func @chosen(%x: tensor<4xf64>) -> tensor<f64> {
  %0 = aten.min %x : (tensor<4xf64>) -> tensor<f64>
  %1 = aten.reciprocal %0 : (tensor<f64>) -> tensor<f64>
  return %1 : tensor<f64>
}
