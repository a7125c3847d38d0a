// RUN: kgen-opt --kgen-partition %s | FileCheck %s

// A mask of attention that follows from constants and is true everywhere is none. One that hides keys, or that an input decides, stays.

// CHECK: func.func private @t00_add
// CHECK: func.func private @t01_scaled_dot_product_attention
// CHECK-NOT: attn_mask
// CHECK: func.func private @t02_ge
// CHECK-NEXT: aten.ge.Scalar {{.*}} {other = 1.000000e+00
// CHECK-NEXT: return
// CHECK: func.func private @t03_scaled_dot_product_attention
// CHECK: attn_mask
// CHECK: func.func private @t04_ge
// CHECK-NEXT: aten.ge.Scalar {{.*}} {other = 0.000000e+00
// CHECK-NEXT: aten.bitwise_and.Tensor %0, %arg1
// CHECK-NEXT: return
// CHECK: func.func private @t05_scaled_dot_product_attention
// CHECK: attn_mask
// CHECK-LABEL: func.func @masks
func.func @masks(%x: tensor<1x2x6x8xf32>, %some: tensor<1x1x1x6xi1>) -> (tensor<1x2x6x8xf32>, tensor<1x2x6x8xf32>, tensor<1x2x6x8xf32>) {
  %0 = aten.arange.start_step start 0.0 end 6.0 dtype i64 : () -> tensor<6xi64>
  %1 = aten.add.Scalar %0 {other = 0.0} : (tensor<6xi64>) -> tensor<6xi64>
  %2 = aten.reshape %1 shape [1, 1, 6, 1] : (tensor<6xi64>) -> tensor<1x1x6x1xi64>
  %3 = aten.ge.Scalar %2 {other = 0.0} : (tensor<1x1x6x1xi64>) -> tensor<1x1x6x1xi1>
  %4 = aten.full size [] fill_value 1.0 dtype i1 : () -> tensor<i1>
  %5 = aten.bitwise_and.Tensor %4, %3 : (tensor<i1>, tensor<1x1x6x1xi1>) -> tensor<1x1x6x1xi1>
  %6 = aten.expand %5 size [1, -1, 6, 6] : (tensor<1x1x6x1xi1>) -> tensor<1x1x6x6xi1>
  %7 = aten.scaled_dot_product_attention %x, %x, %x attn_mask %6 : (tensor<1x2x6x8xf32>, tensor<1x2x6x8xf32>, tensor<1x2x6x8xf32>, tensor<1x1x6x6xi1>) -> tensor<1x2x6x8xf32>
  %8 = aten.ge.Scalar %2 {other = 1.0} : (tensor<1x1x6x1xi64>) -> tensor<1x1x6x1xi1>
  %9 = aten.scaled_dot_product_attention %x, %x, %x attn_mask %8 : (tensor<1x2x6x8xf32>, tensor<1x2x6x8xf32>, tensor<1x2x6x8xf32>, tensor<1x1x6x1xi1>) -> tensor<1x2x6x8xf32>
  %10 = aten.bitwise_and.Tensor %3, %some : (tensor<1x1x6x1xi1>, tensor<1x1x1x6xi1>) -> tensor<1x1x6x6xi1>
  %11 = aten.scaled_dot_product_attention %x, %x, %x attn_mask %10 : (tensor<1x2x6x8xf32>, tensor<1x2x6x8xf32>, tensor<1x2x6x8xf32>, tensor<1x1x6x6xi1>) -> tensor<1x2x6x8xf32>
  return %7, %9, %11 : tensor<1x2x6x8xf32>, tensor<1x2x6x8xf32>, tensor<1x2x6x8xf32>
}
