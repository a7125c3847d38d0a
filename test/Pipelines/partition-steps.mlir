// RUN: kgen-opt %s -split-input-file --kgen-partition | FileCheck %s

// A cell that concatenates input and state: all inputs are multiplied before the first step, whose kernels are a product
// with the state alone, and the outputs behind the last.
// CHECK-LABEL: func.func private @t00_cat
// CHECK: aten.slice.Tensor %arg0 dim 1 start 0 end 48
// CHECK-LABEL: func.func private @t01_linear(%arg0: tensor<8x8x48xf32>
// CHECK-LABEL: func.func private @t02_cat
// CHECK: aten.slice.Tensor %arg0 dim 1 start 48 end 64
// CHECK-LABEL: func.func private @t03_linear
// CHECK-SAME: kgen.count = 8
// CHECK-NEXT: aten.linear %arg0, %arg1 : (tensor<8x16xf32>, tensor<16x16xf32>)
// CHECK-NEXT: aten.add.Tensor
// CHECK-NEXT: aten.tanh
// CHECK-LABEL: func.func private @t04_linear(%arg0: tensor<8x8x16xf32>
// CHECK-LABEL: func.func @steps
func.func @steps(%x: tensor<8x8x48xf32>, %h: tensor<8x16xf32>, %w: tensor<16x64xf32> {kgen.parameter}, %b: tensor<16xf32> {kgen.parameter}, %v: tensor<32x16xf32> {kgen.parameter}) -> tensor<8x8x32xf32> {
  %x0 = aten.select.int %x dim 0 index 0 : (tensor<8x8x48xf32>) -> tensor<8x48xf32>
  %c0 = aten.cat %x0, %h dim 1 : (tensor<8x48xf32>, tensor<8x16xf32>) -> tensor<8x64xf32>
  %l0 = aten.linear %c0, %w, %b : (tensor<8x64xf32>, tensor<16x64xf32>, tensor<16xf32>) -> tensor<8x16xf32>
  %t0 = aten.tanh %l0 : (tensor<8x16xf32>) -> tensor<8x16xf32>
  %o0 = aten.linear %t0, %v : (tensor<8x16xf32>, tensor<32x16xf32>) -> tensor<8x32xf32>
  %r0 = aten.unsqueeze %o0 dim 0 : (tensor<8x32xf32>) -> tensor<1x8x32xf32>
  %x1 = aten.select.int %x dim 0 index 1 : (tensor<8x8x48xf32>) -> tensor<8x48xf32>
  %c1 = aten.cat %x1, %t0 dim 1 : (tensor<8x48xf32>, tensor<8x16xf32>) -> tensor<8x64xf32>
  %l1 = aten.linear %c1, %w, %b : (tensor<8x64xf32>, tensor<16x64xf32>, tensor<16xf32>) -> tensor<8x16xf32>
  %t1 = aten.tanh %l1 : (tensor<8x16xf32>) -> tensor<8x16xf32>
  %o1 = aten.linear %t1, %v : (tensor<8x16xf32>, tensor<32x16xf32>) -> tensor<8x32xf32>
  %r1 = aten.unsqueeze %o1 dim 0 : (tensor<8x32xf32>) -> tensor<1x8x32xf32>
  %x2 = aten.select.int %x dim 0 index 2 : (tensor<8x8x48xf32>) -> tensor<8x48xf32>
  %c2 = aten.cat %x2, %t1 dim 1 : (tensor<8x48xf32>, tensor<8x16xf32>) -> tensor<8x64xf32>
  %l2 = aten.linear %c2, %w, %b : (tensor<8x64xf32>, tensor<16x64xf32>, tensor<16xf32>) -> tensor<8x16xf32>
  %t2 = aten.tanh %l2 : (tensor<8x16xf32>) -> tensor<8x16xf32>
  %o2 = aten.linear %t2, %v : (tensor<8x16xf32>, tensor<32x16xf32>) -> tensor<8x32xf32>
  %r2 = aten.unsqueeze %o2 dim 0 : (tensor<8x32xf32>) -> tensor<1x8x32xf32>
  %x3 = aten.select.int %x dim 0 index 3 : (tensor<8x8x48xf32>) -> tensor<8x48xf32>
  %c3 = aten.cat %x3, %t2 dim 1 : (tensor<8x48xf32>, tensor<8x16xf32>) -> tensor<8x64xf32>
  %l3 = aten.linear %c3, %w, %b : (tensor<8x64xf32>, tensor<16x64xf32>, tensor<16xf32>) -> tensor<8x16xf32>
  %t3 = aten.tanh %l3 : (tensor<8x16xf32>) -> tensor<8x16xf32>
  %o3 = aten.linear %t3, %v : (tensor<8x16xf32>, tensor<32x16xf32>) -> tensor<8x32xf32>
  %r3 = aten.unsqueeze %o3 dim 0 : (tensor<8x32xf32>) -> tensor<1x8x32xf32>
  %x4 = aten.select.int %x dim 0 index 4 : (tensor<8x8x48xf32>) -> tensor<8x48xf32>
  %c4 = aten.cat %x4, %t3 dim 1 : (tensor<8x48xf32>, tensor<8x16xf32>) -> tensor<8x64xf32>
  %l4 = aten.linear %c4, %w, %b : (tensor<8x64xf32>, tensor<16x64xf32>, tensor<16xf32>) -> tensor<8x16xf32>
  %t4 = aten.tanh %l4 : (tensor<8x16xf32>) -> tensor<8x16xf32>
  %o4 = aten.linear %t4, %v : (tensor<8x16xf32>, tensor<32x16xf32>) -> tensor<8x32xf32>
  %r4 = aten.unsqueeze %o4 dim 0 : (tensor<8x32xf32>) -> tensor<1x8x32xf32>
  %x5 = aten.select.int %x dim 0 index 5 : (tensor<8x8x48xf32>) -> tensor<8x48xf32>
  %c5 = aten.cat %x5, %t4 dim 1 : (tensor<8x48xf32>, tensor<8x16xf32>) -> tensor<8x64xf32>
  %l5 = aten.linear %c5, %w, %b : (tensor<8x64xf32>, tensor<16x64xf32>, tensor<16xf32>) -> tensor<8x16xf32>
  %t5 = aten.tanh %l5 : (tensor<8x16xf32>) -> tensor<8x16xf32>
  %o5 = aten.linear %t5, %v : (tensor<8x16xf32>, tensor<32x16xf32>) -> tensor<8x32xf32>
  %r5 = aten.unsqueeze %o5 dim 0 : (tensor<8x32xf32>) -> tensor<1x8x32xf32>
  %x6 = aten.select.int %x dim 0 index 6 : (tensor<8x8x48xf32>) -> tensor<8x48xf32>
  %c6 = aten.cat %x6, %t5 dim 1 : (tensor<8x48xf32>, tensor<8x16xf32>) -> tensor<8x64xf32>
  %l6 = aten.linear %c6, %w, %b : (tensor<8x64xf32>, tensor<16x64xf32>, tensor<16xf32>) -> tensor<8x16xf32>
  %t6 = aten.tanh %l6 : (tensor<8x16xf32>) -> tensor<8x16xf32>
  %o6 = aten.linear %t6, %v : (tensor<8x16xf32>, tensor<32x16xf32>) -> tensor<8x32xf32>
  %r6 = aten.unsqueeze %o6 dim 0 : (tensor<8x32xf32>) -> tensor<1x8x32xf32>
  %x7 = aten.select.int %x dim 0 index 7 : (tensor<8x8x48xf32>) -> tensor<8x48xf32>
  %c7 = aten.cat %x7, %t6 dim 1 : (tensor<8x48xf32>, tensor<8x16xf32>) -> tensor<8x64xf32>
  %l7 = aten.linear %c7, %w, %b : (tensor<8x64xf32>, tensor<16x64xf32>, tensor<16xf32>) -> tensor<8x16xf32>
  %t7 = aten.tanh %l7 : (tensor<8x16xf32>) -> tensor<8x16xf32>
  %o7 = aten.linear %t7, %v : (tensor<8x16xf32>, tensor<32x16xf32>) -> tensor<8x32xf32>
  %r7 = aten.unsqueeze %o7 dim 0 : (tensor<8x32xf32>) -> tensor<1x8x32xf32>
  %s = aten.cat %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7 dim 0 : (tensor<1x8x32xf32>, tensor<1x8x32xf32>, tensor<1x8x32xf32>, tensor<1x8x32xf32>, tensor<1x8x32xf32>, tensor<1x8x32xf32>, tensor<1x8x32xf32>, tensor<1x8x32xf32>) -> tensor<8x8x32xf32>
  return %s : tensor<8x8x32xf32>
}

// -----

// Few steps stay as they are.
// CHECK-LABEL: func.func private @t00_linear
// CHECK-NEXT: aten.cat
// CHECK-LABEL: func.func @few
func.func @few(%x: tensor<7x8x48xf32>, %h: tensor<8x16xf32>, %w: tensor<16x64xf32> {kgen.parameter}, %b: tensor<16xf32> {kgen.parameter}, %v: tensor<32x16xf32> {kgen.parameter}) -> tensor<7x8x32xf32> {
  %x0 = aten.select.int %x dim 0 index 0 : (tensor<7x8x48xf32>) -> tensor<8x48xf32>
  %c0 = aten.cat %x0, %h dim 1 : (tensor<8x48xf32>, tensor<8x16xf32>) -> tensor<8x64xf32>
  %l0 = aten.linear %c0, %w, %b : (tensor<8x64xf32>, tensor<16x64xf32>, tensor<16xf32>) -> tensor<8x16xf32>
  %t0 = aten.tanh %l0 : (tensor<8x16xf32>) -> tensor<8x16xf32>
  %o0 = aten.linear %t0, %v : (tensor<8x16xf32>, tensor<32x16xf32>) -> tensor<8x32xf32>
  %r0 = aten.unsqueeze %o0 dim 0 : (tensor<8x32xf32>) -> tensor<1x8x32xf32>
  %x1 = aten.select.int %x dim 0 index 1 : (tensor<7x8x48xf32>) -> tensor<8x48xf32>
  %c1 = aten.cat %x1, %t0 dim 1 : (tensor<8x48xf32>, tensor<8x16xf32>) -> tensor<8x64xf32>
  %l1 = aten.linear %c1, %w, %b : (tensor<8x64xf32>, tensor<16x64xf32>, tensor<16xf32>) -> tensor<8x16xf32>
  %t1 = aten.tanh %l1 : (tensor<8x16xf32>) -> tensor<8x16xf32>
  %o1 = aten.linear %t1, %v : (tensor<8x16xf32>, tensor<32x16xf32>) -> tensor<8x32xf32>
  %r1 = aten.unsqueeze %o1 dim 0 : (tensor<8x32xf32>) -> tensor<1x8x32xf32>
  %x2 = aten.select.int %x dim 0 index 2 : (tensor<7x8x48xf32>) -> tensor<8x48xf32>
  %c2 = aten.cat %x2, %t1 dim 1 : (tensor<8x48xf32>, tensor<8x16xf32>) -> tensor<8x64xf32>
  %l2 = aten.linear %c2, %w, %b : (tensor<8x64xf32>, tensor<16x64xf32>, tensor<16xf32>) -> tensor<8x16xf32>
  %t2 = aten.tanh %l2 : (tensor<8x16xf32>) -> tensor<8x16xf32>
  %o2 = aten.linear %t2, %v : (tensor<8x16xf32>, tensor<32x16xf32>) -> tensor<8x32xf32>
  %r2 = aten.unsqueeze %o2 dim 0 : (tensor<8x32xf32>) -> tensor<1x8x32xf32>
  %x3 = aten.select.int %x dim 0 index 3 : (tensor<7x8x48xf32>) -> tensor<8x48xf32>
  %c3 = aten.cat %x3, %t2 dim 1 : (tensor<8x48xf32>, tensor<8x16xf32>) -> tensor<8x64xf32>
  %l3 = aten.linear %c3, %w, %b : (tensor<8x64xf32>, tensor<16x64xf32>, tensor<16xf32>) -> tensor<8x16xf32>
  %t3 = aten.tanh %l3 : (tensor<8x16xf32>) -> tensor<8x16xf32>
  %o3 = aten.linear %t3, %v : (tensor<8x16xf32>, tensor<32x16xf32>) -> tensor<8x32xf32>
  %r3 = aten.unsqueeze %o3 dim 0 : (tensor<8x32xf32>) -> tensor<1x8x32xf32>
  %x4 = aten.select.int %x dim 0 index 4 : (tensor<7x8x48xf32>) -> tensor<8x48xf32>
  %c4 = aten.cat %x4, %t3 dim 1 : (tensor<8x48xf32>, tensor<8x16xf32>) -> tensor<8x64xf32>
  %l4 = aten.linear %c4, %w, %b : (tensor<8x64xf32>, tensor<16x64xf32>, tensor<16xf32>) -> tensor<8x16xf32>
  %t4 = aten.tanh %l4 : (tensor<8x16xf32>) -> tensor<8x16xf32>
  %o4 = aten.linear %t4, %v : (tensor<8x16xf32>, tensor<32x16xf32>) -> tensor<8x32xf32>
  %r4 = aten.unsqueeze %o4 dim 0 : (tensor<8x32xf32>) -> tensor<1x8x32xf32>
  %x5 = aten.select.int %x dim 0 index 5 : (tensor<7x8x48xf32>) -> tensor<8x48xf32>
  %c5 = aten.cat %x5, %t4 dim 1 : (tensor<8x48xf32>, tensor<8x16xf32>) -> tensor<8x64xf32>
  %l5 = aten.linear %c5, %w, %b : (tensor<8x64xf32>, tensor<16x64xf32>, tensor<16xf32>) -> tensor<8x16xf32>
  %t5 = aten.tanh %l5 : (tensor<8x16xf32>) -> tensor<8x16xf32>
  %o5 = aten.linear %t5, %v : (tensor<8x16xf32>, tensor<32x16xf32>) -> tensor<8x32xf32>
  %r5 = aten.unsqueeze %o5 dim 0 : (tensor<8x32xf32>) -> tensor<1x8x32xf32>
  %x6 = aten.select.int %x dim 0 index 6 : (tensor<7x8x48xf32>) -> tensor<8x48xf32>
  %c6 = aten.cat %x6, %t5 dim 1 : (tensor<8x48xf32>, tensor<8x16xf32>) -> tensor<8x64xf32>
  %l6 = aten.linear %c6, %w, %b : (tensor<8x64xf32>, tensor<16x64xf32>, tensor<16xf32>) -> tensor<8x16xf32>
  %t6 = aten.tanh %l6 : (tensor<8x16xf32>) -> tensor<8x16xf32>
  %o6 = aten.linear %t6, %v : (tensor<8x16xf32>, tensor<32x16xf32>) -> tensor<8x32xf32>
  %r6 = aten.unsqueeze %o6 dim 0 : (tensor<8x32xf32>) -> tensor<1x8x32xf32>
  %s = aten.cat %r0, %r1, %r2, %r3, %r4, %r5, %r6 dim 0 : (tensor<1x8x32xf32>, tensor<1x8x32xf32>, tensor<1x8x32xf32>, tensor<1x8x32xf32>, tensor<1x8x32xf32>, tensor<1x8x32xf32>, tensor<1x8x32xf32>) -> tensor<7x8x32xf32>
  return %s : tensor<7x8x32xf32>
}
