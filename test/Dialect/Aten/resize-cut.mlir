// Of a graph that shrinks no further, `cut` keeps the first ops that are within the limits, and what they need.
// RUN: not kgen-opt %s --kgen-resize="max-flops=300 slack=2" 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: kgen-opt %s --kgen-resize="max-flops=300 slack=2 cut=true" | FileCheck %s
// RUN: not kgen-opt %s --kgen-resize="max-elements=2 cut=true" 2>&1 | FileCheck %s --check-prefix=NONE

// NONE: error: 'func.func' op expected a size of at most {{.*}} floating-point operations {{.*}} but found none below

// Each product is 540 operations; nothing is left of the second, nor of what it alone needs.
// CHECK-LABEL: func.func @stuck(
// CHECK-SAME: %[[X:.*]]: tensor<1x1xf32>, %[[W:.*]]: tensor<1x1xf32>) -> tensor<3x3xf32> {
// CHECK-NEXT: %[[T:.*]] = aten.expand %[[X]]
// CHECK-NEXT: %[[U:.*]] = aten.expand %[[W]]
// CHECK-NEXT: %[[P:.*]] = aten.mm %[[T]], %[[U]]
// CHECK-NEXT: return %[[P]]
func.func @stuck(%x: tensor<1x1xf32>, %v: tensor<1x1xf32>, %w: tensor<1x1xf32>) -> tensor<3x3xf32> {
  %0 = aten.expand %x size [3, 30] : (tensor<1x1xf32>) -> tensor<3x30xf32>
  %1 = aten.expand %v size [30, 3] : (tensor<1x1xf32>) -> tensor<30x3xf32>
  %2 = aten.expand %w size [30, 3] : (tensor<1x1xf32>) -> tensor<30x3xf32>
  %3 = aten.mm %0, %2 : (tensor<3x30xf32>, tensor<30x3xf32>) -> tensor<3x3xf32>
  %4 = aten.mm %0, %1 : (tensor<3x30xf32>, tensor<30x3xf32>) -> tensor<3x3xf32>
  %5 = aten.maximum %3, %4 : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
  return %5 : tensor<3x3xf32>
}
