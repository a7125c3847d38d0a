// RUN: kgen-opt %s -split-input-file -kgen-convert-aten-to-linalg | FileCheck %s

// Half types: read in f32, computed in f32, rounded once.

// CHECK-LABEL: @sigmoid
// CHECK: ^bb0(%[[IN:.*]]: f16, %{{.*}}: f16):
// CHECK: %[[X:.*]] = arith.extf %[[IN]] : f16 to f32
// CHECK: arith.negf %[[X]] : f32
// CHECK: math.exp %{{.*}} : f32
// CHECK: %[[Y:.*]] = arith.truncf %{{.*}} : f32 to f16
// CHECK: linalg.yield %[[Y]] : f16
func.func @sigmoid(%x: tensor<4xf16>) -> tensor<4xf16> {
  %0 = aten.sigmoid %x : (tensor<4xf16>) -> tensor<4xf16>
  return %0 : tensor<4xf16>
}

// -----

// CHECK-LABEL: @linear
// CHECK: linalg.fill ins(%{{.*}} : f32) outs(%{{.*}} : tensor<3x2xf32>)
// CHECK: linalg.generic
// CHECK-SAME: iterator_types = ["parallel", "parallel", "reduction"]
// CHECK-SAME: ins(%{{.*}}, %{{.*}} : tensor<3x5xbf16>, tensor<2x5xbf16>) outs(%{{.*}} : tensor<3x2xf32>)
// CHECK-COUNT-2: arith.extf %{{.*}} : bf16 to f32
// CHECK: arith.mulf %{{.*}} : f32
// CHECK: arith.addf %{{.*}} : f32
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<3x2xf32>, tensor<2xbf16>) outs(%{{.*}} : tensor<3x2xbf16>)
// CHECK: arith.addf %{{.*}} : f32
// CHECK: arith.truncf %{{.*}} : f32 to bf16
func.func @linear(%x: tensor<3x5xbf16>, %w: tensor<2x5xbf16>, %b: tensor<2xbf16>) -> tensor<3x2xbf16> {
  %0 = aten.linear %x, %w, %b : (tensor<3x5xbf16>, tensor<2x5xbf16>, tensor<2xbf16>) -> tensor<3x2xbf16>
  return %0 : tensor<3x2xbf16>
}

// -----

// CHECK-LABEL: @mean
// CHECK: linalg.fill ins(%{{.*}} : f32) outs(%{{.*}} : tensor<3xf32>)
// CHECK: arith.addf %{{.*}} : f32
// CHECK: arith.divf %{{.*}} : f32
// CHECK: arith.truncf %{{.*}} : f32 to f16
func.func @mean(%x: tensor<3x5xf16>) -> tensor<3xf16> {
  %0 = aten.mean.dim %x dim [1] : (tensor<3x5xf16>) -> tensor<3xf16>
  return %0 : tensor<3xf16>
}

// -----

// Scores and weights of attention stay in f32.
// CHECK-LABEL: @attention
// CHECK-NOT: arith.truncf
// CHECK: math.exp %{{.*}} : f32
// CHECK: arith.divf %{{.*}} : f32
// CHECK: arith.truncf %{{.*}} : f32 to f16
// CHECK-NOT: arith.truncf
func.func @attention(%q: tensor<2x4x8xf16>, %k: tensor<2x4x8xf16>, %v: tensor<2x4x8xf16>) -> tensor<2x4x8xf16> {
  %0 = aten.scaled_dot_product_attention %q, %k, %v
      : (tensor<2x4x8xf16>, tensor<2x4x8xf16>, tensor<2x4x8xf16>) -> tensor<2x4x8xf16>
  return %0 : tensor<2x4x8xf16>
}

// -----

// f32 and f64 stay what they are.
// CHECK-LABEL: @keeps
// CHECK-NOT: arith.extf
// CHECK-NOT: arith.truncf
func.func @keeps(%x: tensor<3x5xf32>, %y: tensor<3x5xf64>) -> (tensor<3xf32>, tensor<3x5xf64>) {
  %0 = aten.sum.dim_IntList %x dim [1] : (tensor<3x5xf32>) -> tensor<3xf32>
  %1 = aten.softmax.int %y dim 1 : (tensor<3x5xf64>) -> tensor<3x5xf64>
  return %0, %1 : tensor<3xf32>, tensor<3x5xf64>
}
