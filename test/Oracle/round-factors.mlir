// Every op stays what it is in other types.
// RUN: for f in %S/../Conversion/AtenToLinalg/numeric-*.mlir; do kgen-opt $f -split-input-file -kgen-convert-aten-to-linalg -kgen-round-factors -o /dev/null || exit 1; done
// RUN: kgen-opt %s -split-input-file -kgen-convert-aten-to-linalg -kgen-round-factors | FileCheck %s

// Both factors of a product are rounded, ties to even, and what is not finite stays.
// CHECK-LABEL: func.func @product
// CHECK: ^bb0(%[[X:.*]]: f32, %[[Y:.*]]: f32, %[[SUM:.*]]: f32):
// CHECK: %[[BITS:.*]] = arith.bitcast %[[X]] : f32 to i32
// CHECK: %[[SHIFTED:.*]] = arith.shrui %[[BITS]], %{{.*}} : i32
// CHECK: %[[LAST:.*]] = arith.andi %[[SHIFTED]], %{{.*}} : i32
// CHECK: %[[HALF:.*]] = arith.addi %[[LAST]], %{{.*}} : i32
// CHECK: %[[UP:.*]] = arith.addi %[[BITS]], %[[HALF]] : i32
// CHECK: %[[ROUNDED:.*]] = arith.andi %[[UP]], %{{.*}} : i32
// CHECK: %[[FINITE:.*]] = arith.cmpi ne
// CHECK: %[[CHOSEN:.*]] = arith.select %[[FINITE]], %[[ROUNDED]], %[[BITS]] : i32
// CHECK: %[[A:.*]] = arith.bitcast %[[CHOSEN]] : i32 to f32
// CHECK: arith.bitcast %[[Y]] : f32 to i32
// CHECK: %[[B:.*]] = arith.bitcast %{{.*}} : i32 to f32
// CHECK: arith.mulf %[[A]], %[[B]] : f32
func.func @product(%x: tensor<4x5xf32>, %y: tensor<5x6xf32>) -> tensor<4x6xf32> {
  %0 = aten.mm %x, %y : (tensor<4x5xf32>, tensor<5x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// -----

// So are those of a convolution, and of attention's two products.
// CHECK-LABEL: func.func @others
// CHECK-COUNT-6: arith.bitcast %{{.*}} : i32 to f32
// CHECK-NOT: arith.bitcast
// CHECK: return
func.func @others(%x: tensor<1x2x4x4xf32>, %f: tensor<3x2x3x3xf32>, %q: tensor<1x2x8x4xf32>)
    -> (tensor<1x3x2x2xf32>, tensor<1x2x8x4xf32>) {
  %0 = aten.conv2d %x, %f stride [1, 1] : (tensor<1x2x4x4xf32>, tensor<3x2x3x3xf32>) -> tensor<1x3x2x2xf32>
  %1 = aten.scaled_dot_product_attention %q, %q, %q
      : (tensor<1x2x8x4xf32>, tensor<1x2x8x4xf32>, tensor<1x2x8x4xf32>) -> tensor<1x2x8x4xf32>
  return %0, %1 : tensor<1x3x2x2xf32>, tensor<1x2x8x4xf32>
}

// -----

// Halves hold in tf32, fp64 is no factor of such a unit, and nothing adds up the products of two tensors, squares or a
// running product.
// CHECK-LABEL: func.func @none
// CHECK-NOT: arith.bitcast
// CHECK: return
func.func @none(%h: tensor<4x4xf16>, %b: tensor<4x4xbf16>, %d: tensor<4x4xf64>, %x: tensor<4x4xf32>)
    -> (tensor<4x4xf16>, tensor<4x4xbf16>, tensor<4x4xf64>, tensor<4x4xf32>, tensor<f32>) {
  %0 = aten.mm %h, %h : (tensor<4x4xf16>, tensor<4x4xf16>) -> tensor<4x4xf16>
  %1 = aten.mm %b, %b : (tensor<4x4xbf16>, tensor<4x4xbf16>) -> tensor<4x4xbf16>
  %2 = aten.mm %d, %d : (tensor<4x4xf64>, tensor<4x4xf64>) -> tensor<4x4xf64>
  %3 = aten.mul.Tensor %x, %x : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %4 = aten.prod %x : (tensor<4x4xf32>) -> tensor<f32>
  return %0, %1, %2, %3, %4 : tensor<4x4xf16>, tensor<4x4xbf16>, tensor<4x4xf64>, tensor<4x4xf32>, tensor<f32>
}
