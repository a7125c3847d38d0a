// RUN: kgen-opt --kgen-partition -split-input-file %s | FileCheck %s

// What is element-wise behind a product's reshape becomes a part of the product's task, with what else it reads under that shape. A bias that has
// the shape of the reshape's last dimension only stays where it is, and so does what reads a reshape that somebody else reads.

// CHECK: func.func private @t00_linear(%arg0: tensor<2x4x8xf32>, %arg1: tensor<8x8xf32>{{.*}}, %arg2: tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
// CHECK-NEXT: aten.linear
// CHECK-NEXT: aten.gelu {{.*}} : (tensor<2x4x8xf32>)
// CHECK-NEXT: aten.add.Tensor {{.*}} : (tensor<2x4x8xf32>, tensor<2x4x8xf32>)
// CHECK-NEXT: return
// CHECK: func.func private @t01_linear
// CHECK-NEXT: aten.linear
// CHECK-NEXT: return
// CHECK: func.func private @t02_add
// CHECK: aten.relu
func.func @reshapes(%x: tensor<2x4x8xf32>, %w: tensor<8x8xf32> {kgen.parameter}, %u: tensor<8x8xf32> {kgen.parameter}, %v: tensor<8x8xf32> {kgen.parameter},
    %y: tensor<2x2x2x8xf32>, %z: tensor<4xf32>)
    -> (tensor<2x2x2x8xf32>, tensor<2x4x2x4xf32>, tensor<2x4x2x4xf32>, tensor<2x64xf32>) {
  %0 = aten.linear %x, %w : (tensor<2x4x8xf32>, tensor<8x8xf32>) -> tensor<2x4x8xf32>
  %1 = aten.reshape %0 shape [2, 2, 2, 8] : (tensor<2x4x8xf32>) -> tensor<2x2x2x8xf32>
  %2 = aten.gelu %1 : (tensor<2x2x2x8xf32>) -> tensor<2x2x2x8xf32>
  %3 = aten.add.Tensor %2, %y : (tensor<2x2x2x8xf32>, tensor<2x2x2x8xf32>) -> tensor<2x2x2x8xf32>
  %4 = aten.linear %x, %u : (tensor<2x4x8xf32>, tensor<8x8xf32>) -> tensor<2x4x8xf32>
  %5 = aten.reshape %4 shape [2, 4, 2, 4] : (tensor<2x4x8xf32>) -> tensor<2x4x2x4xf32>
  %6 = aten.add.Tensor %5, %z : (tensor<2x4x2x4xf32>, tensor<4xf32>) -> tensor<2x4x2x4xf32>
  %7 = aten.linear %x, %v : (tensor<2x4x8xf32>, tensor<8x8xf32>) -> tensor<2x4x8xf32>
  %8 = aten.reshape %7 shape [2, 4, 2, 4] : (tensor<2x4x8xf32>) -> tensor<2x4x2x4xf32>
  %9 = aten.relu %8 : (tensor<2x4x2x4xf32>) -> tensor<2x4x2x4xf32>
  %10 = aten.reshape %8 shape [2, 32] : (tensor<2x4x2x4xf32>) -> tensor<2x32xf32>
  %11 = aten.cat %10, %10 dim 1 : (tensor<2x32xf32>, tensor<2x32xf32>) -> tensor<2x64xf32>
  return %3, %6, %9, %11 : tensor<2x2x2x8xf32>, tensor<2x4x2x4xf32>, tensor<2x4x2x4xf32>, tensor<2x64xf32>
}

// -----

// The ops behind a reshape that several of them read come along as far as one value leaves them: a gelu that is spelled out. Where two values leave,
// as of the second product, they stay.

// CHECK: func.func private @t00_mm
// CHECK-NEXT: aten.mm
// CHECK-NEXT: aten.add.Tensor
// CHECK-NEXT: aten.mul.Scalar
// CHECK-NEXT: aten.pow.Tensor_Scalar
// CHECK-NEXT: aten.add.Tensor
// CHECK-NEXT: aten.tanh
// CHECK-NEXT: aten.mul.Tensor {{.*}} : (tensor<8x16xf32>, tensor<8x16xf32>)
// CHECK-NEXT: return
// CHECK: func.func private @t01_mm
// CHECK-NEXT: aten.mm
// CHECK-NEXT: return
// CHECK: func.func private @t02
func.func @spelled(%x: tensor<8x8xf32>, %w: tensor<8x16xf32> {kgen.parameter}, %b: tensor<16xf32> {kgen.parameter}, %v: tensor<8x16xf32> {kgen.parameter})
    -> (tensor<2x4x16xf32>, tensor<2x4x16xf32>, tensor<2x4x16xf32>) {
  %0 = aten.mm %x, %w : (tensor<8x8xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
  %1 = aten.add.Tensor %0, %b : (tensor<8x16xf32>, tensor<16xf32>) -> tensor<8x16xf32>
  %2 = aten.view %1 size [2, 4, 16] : (tensor<8x16xf32>) -> tensor<2x4x16xf32>
  %3 = aten.mul.Scalar %2 {other = 0.5} : (tensor<2x4x16xf32>) -> tensor<2x4x16xf32>
  %4 = aten.pow.Tensor_Scalar %2 {exponent = 3.0} : (tensor<2x4x16xf32>) -> tensor<2x4x16xf32>
  %5 = aten.add.Tensor %2, %4 : (tensor<2x4x16xf32>, tensor<2x4x16xf32>) -> tensor<2x4x16xf32>
  %6 = aten.tanh %5 : (tensor<2x4x16xf32>) -> tensor<2x4x16xf32>
  %7 = aten.mul.Tensor %3, %6 : (tensor<2x4x16xf32>, tensor<2x4x16xf32>) -> tensor<2x4x16xf32>
  %8 = aten.mm %x, %v : (tensor<8x8xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
  %9 = aten.view %8 size [2, 4, 16] : (tensor<8x16xf32>) -> tensor<2x4x16xf32>
  %10 = aten.exp %9 : (tensor<2x4x16xf32>) -> tensor<2x4x16xf32>
  %11 = aten.tanh %9 : (tensor<2x4x16xf32>) -> tensor<2x4x16xf32>
  return %7, %10, %11 : tensor<2x4x16xf32>, tensor<2x4x16xf32>, tensor<2x4x16xf32>
}
