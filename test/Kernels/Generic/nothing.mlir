// What has no elements is computed by nobody; a graph of nothing else gets a kernel that does nothing.
// RUN: kgen-opt %s -kgen-lower -split-input-file | FileCheck %s

// CHECK-LABEL: func.func @all_empty
// CHECK: %[[E:.*]] = tensor.empty() : tensor<0x4xf32>
// CHECK: kgen.launch @all_empty_nothing::@all_empty_nothing grid [1, 1, 1] block [32, 1, 1] {{.*}}outs(%[[E]] : tensor<0x4xf32>)
func.func @all_empty(%x: tensor<0x4xf32>) -> tensor<0x4xf32> {
  %0 = aten.exp %x : (tensor<0x4xf32>) -> tensor<0x4xf32>
  return %0 : tensor<0x4xf32>
}

// -----

// Products over nothing leave the fill; the empty result is no kernel's.
// CHECK: kgen.source @sums_0_{{[a-z]*}}
// CHECK-NOT: kgen.source
// CHECK-LABEL: func.func @sums
// CHECK: %[[NOTHING:.*]] = tensor.empty() : tensor<3x0xf32>
// CHECK: %[[SUM:.*]] = kgen.launch
// CHECK: return %[[SUM]], %[[NOTHING]]
func.func @sums(%x: tensor<3x0xf32>, %y: tensor<0x4xf32>) -> (tensor<3x4xf32>, tensor<3x0xf32>) {
  %0 = aten.mm %x, %y : (tensor<3x0xf32>, tensor<0x4xf32>) -> tensor<3x4xf32>
  %1 = aten.relu %x : (tensor<3x0xf32>) -> tensor<3x0xf32>
  return %0, %1 : tensor<3x4xf32>, tensor<3x0xf32>
}
