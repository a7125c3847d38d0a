// RUN: kgen-opt %s -kgen-convert-aten-to-linalg -kgen-oracle-arrange-contractions | FileCheck %s

// A linear layer's weight is transposed once, and loop n becomes the innermost.
// CHECK-DAG: #[[X:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-DAG: #[[W:.*]] = affine_map<(d0, d1, d2) -> (d1, d2)>
// CHECK-DAG: #[[O:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-LABEL: @linear
// CHECK: linalg.transpose ins(%{{.*}} : tensor<32x8xf32>) outs(%{{.*}} : tensor<8x32xf32>) permutation = [1, 0]
// CHECK: linalg.generic {indexing_maps = [#[[X]], #[[W]], #[[O]]], iterator_types = ["parallel", "reduction", "parallel"]}
func.func @linear(%x: tensor<64x8xf32>, %w: tensor<32x8xf32>) -> tensor<64x32xf32> {
  %0 = aten.linear %x, %w : (tensor<64x8xf32>, tensor<32x8xf32>) -> tensor<64x32xf32>
  return %0 : tensor<64x32xf32>
}
