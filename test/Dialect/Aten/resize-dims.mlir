// RUN: kgen-opt %s --kgen-resize="dims=0:0=3,1:1=5" | FileCheck %s
// RUN: not kgen-opt %s --kgen-resize="dims=2:0=3" 2>&1 | FileCheck %s --check-prefix=ARGUMENT
// RUN: not kgen-opt %s --kgen-resize="dims=0:0=0" 2>&1 | FileCheck %s --check-prefix=EXTENT
// RUN: not kgen-opt %s --kgen-resize="size=tiny" 2>&1 | FileCheck %s --check-prefix=SIZE

// ARGUMENT: expected kgen-resize's dims to be ARGUMENT:DIMENSION=EXTENT of an argument of this function but found "2:0=3"
// EXTENT: but found "0:0=0"
// SIZE: expected kgen-resize's size to be "small" but found "tiny"

// CHECK-LABEL: @matmul(
// CHECK: aten.matmul {{.*}} : (tensor<3x16xf32>, tensor<16x5xf32>) -> tensor<3x5xf32>
func.func @matmul(%a: tensor<8x16xf32>, %b: tensor<16x8xf32>) -> tensor<8x8xf32> {
  %0 = aten.matmul %a, %b : (tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
