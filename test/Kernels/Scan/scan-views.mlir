// Which views scans are read and written by.
// RUN: kgen-opt %s -kgen-form-dispatches -split-input-file | FileCheck %s

// Another dimension's flip stays.
// CHECK-LABEL: @other
// CHECK: aten.flip
// CHECK: kgen.dispatch
// CHECK-NOT: aten.flip
// CHECK: return
func.func @other(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %0 = aten.flip %x dims [0] : (tensor<8x64xf32>) -> tensor<8x64xf32>
  %1 = aten.cumsum %0 dim 1 : (tensor<8x64xf32>) -> tensor<8x64xf32>
  return %1 : tensor<8x64xf32>
}

// -----

// A flip with another reader stays.
// CHECK-LABEL: @shared
// CHECK: aten.flip
// CHECK: kgen.dispatch
func.func @shared(%x: tensor<8x64xf32>) -> (tensor<8x64xf32>, tensor<8x64xf32>) {
  %0 = aten.flip %x dims [1] : (tensor<8x64xf32>) -> tensor<8x64xf32>
  %1 = aten.cumsum %0 dim 1 : (tensor<8x64xf32>) -> tensor<8x64xf32>
  return %0, %1 : tensor<8x64xf32>, tensor<8x64xf32>
}

// -----

// Zeros in front change a product.
// CHECK-LABEL: @zeros
// CHECK: aten.cat
// CHECK: kgen.dispatch
func.func @zeros(%x: tensor<8x64xf32>) -> tensor<8x65xf32> {
  %0 = aten.full size [8, 1] fill_value 0.0 dtype f32 : () -> tensor<8x1xf32>
  %1 = aten.cat %0, %x dim 1 : (tensor<8x1xf32>, tensor<8x64xf32>) -> tensor<8x65xf32>
  %2 = aten.cumprod %1 dim 1 : (tensor<8x65xf32>) -> tensor<8x65xf32>
  return %2 : tensor<8x65xf32>
}

// -----

// Two zeros are one too many, and a cut in the middle is no row.
// CHECK-LABEL: @two
// CHECK: aten.cat
// CHECK: kgen.dispatch
func.func @two(%x: tensor<8x64xf32>) -> tensor<8x66xf32> {
  %0 = aten.full size [8, 2] fill_value 0.0 dtype f32 : () -> tensor<8x2xf32>
  %1 = aten.cat %0, %x dim 1 : (tensor<8x2xf32>, tensor<8x64xf32>) -> tensor<8x66xf32>
  %2 = aten.cumsum %1 dim 1 : (tensor<8x66xf32>) -> tensor<8x66xf32>
  return %2 : tensor<8x66xf32>
}

// -----

// What would work on results that are one more than the elements stays outside.
// CHECK-LABEL: @behind
// CHECK: kgen.dispatch
// CHECK: aten.cat
// CHECK: aten.cumsum
// CHECK: kgen.yield
// CHECK: aten.neg
func.func @behind(%x: tensor<8x64xf32>) -> tensor<8x65xf32> {
  %0 = aten.full size [8, 1] fill_value 0.0 dtype f32 : () -> tensor<8x1xf32>
  %1 = aten.cat %0, %x dim 1 : (tensor<8x1xf32>, tensor<8x64xf32>) -> tensor<8x65xf32>
  %2 = aten.cumsum %1 dim 1 : (tensor<8x65xf32>) -> tensor<8x65xf32>
  %3 = aten.neg %2 : (tensor<8x65xf32>) -> tensor<8x65xf32>
  return %3 : tensor<8x65xf32>
}

// -----

// So does one that what stands behind the scan reads, too.
// CHECK-LABEL: @behind_too
// CHECK: aten.flip
// CHECK: kgen.dispatch
// CHECK-NOT: aten.flip
// CHECK: return
func.func @behind_too(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %0 = aten.flip %x dims [1] : (tensor<8x64xf32>) -> tensor<8x64xf32>
  %1 = aten.cumsum %0 dim 1 : (tensor<8x64xf32>) -> tensor<8x64xf32>
  %2 = aten.mul.Tensor %1, %0 : (tensor<8x64xf32>, tensor<8x64xf32>) -> tensor<8x64xf32>
  return %2 : tensor<8x64xf32>
}
