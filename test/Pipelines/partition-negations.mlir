// RUN: kgen-opt --kgen-partition %s | FileCheck %s
// RUN: rm -rf %t && kgen-search first --problem %s --target host --out %t && kgen-eval %t --graph %t/graph.mlir --device host --samples 1 | FileCheck %s --check-prefix=RIGHT
// REQUIRES: host-compiler

// RIGHT: verdict PASS

// Rotary embeddings: the negated half of each head has its sign in the table, which three products share; each embedding is one task without a
// negation. Two products of another table, one of them by another cut, keep theirs.

// CHECK: func.func private @t00_neg
// CHECK: aten.slice.Tensor {{.*}} start 0 end 4
// CHECK-NEXT: aten.neg
// CHECK: func.func private @t01_cat
// CHECK: aten.slice.Tensor {{.*}} start 4 end 8
// CHECK-NEXT: aten.cat {{.*}} dim 3
// CHECK: func.func private @t02_mul
// CHECK-NOT: aten.neg
// CHECK: aten.add.Tensor
// CHECK: func.func private @t03_mul
// CHECK-NOT: aten.neg
// CHECK: aten.add.Tensor
// CHECK: func.func private @t04_neg{{.*}}kgen.count = 2
// CHECK: func.func private @t05_mul
func.func @rotary(%q: tensor<1x2x4x8xf32>, %k: tensor<1x2x4x8xf32>, %r: tensor<1x2x4x8xf32>, %cos: tensor<1x4x8xf32>, %sin: tensor<1x4x8xf32>, %other: tensor<8xf32>)
    -> (tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>) {
  %c = aten.unsqueeze %cos dim 1 : (tensor<1x4x8xf32>) -> tensor<1x1x4x8xf32>
  %s0 = aten.unsqueeze %sin dim 1 : (tensor<1x4x8xf32>) -> tensor<1x1x4x8xf32>
  %s1 = aten.unsqueeze %sin dim 1 : (tensor<1x4x8xf32>) -> tensor<1x1x4x8xf32>
  %q0 = aten.mul.Tensor %q, %c : (tensor<1x2x4x8xf32>, tensor<1x1x4x8xf32>) -> tensor<1x2x4x8xf32>
  %q1 = aten.slice.Tensor %q dim 3 start 0 end 4 : (tensor<1x2x4x8xf32>) -> tensor<1x2x4x4xf32>
  %q2 = aten.slice.Tensor %q dim 3 start 4 end 8 : (tensor<1x2x4x8xf32>) -> tensor<1x2x4x4xf32>
  %q3 = aten.neg %q2 : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  %q4 = aten.cat %q3, %q1 dim -1 : (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) -> tensor<1x2x4x8xf32>
  %q5 = aten.mul.Tensor %q4, %s0 : (tensor<1x2x4x8xf32>, tensor<1x1x4x8xf32>) -> tensor<1x2x4x8xf32>
  %q6 = aten.add.Tensor %q0, %q5 : (tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32>
  %k0 = aten.mul.Tensor %k, %c : (tensor<1x2x4x8xf32>, tensor<1x1x4x8xf32>) -> tensor<1x2x4x8xf32>
  %k1 = aten.slice.Tensor %k dim 3 start 0 end 4 : (tensor<1x2x4x8xf32>) -> tensor<1x2x4x4xf32>
  %k2 = aten.slice.Tensor %k dim 3 start 4 end 8 : (tensor<1x2x4x8xf32>) -> tensor<1x2x4x4xf32>
  %k3 = aten.neg %k2 : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  %k4 = aten.cat %k3, %k1 dim -1 : (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) -> tensor<1x2x4x8xf32>
  %k5 = aten.mul.Tensor %k4, %s1 : (tensor<1x2x4x8xf32>, tensor<1x1x4x8xf32>) -> tensor<1x2x4x8xf32>
  %k6 = aten.add.Tensor %k0, %k5 : (tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32>
  %r0 = aten.mul.Tensor %r, %c : (tensor<1x2x4x8xf32>, tensor<1x1x4x8xf32>) -> tensor<1x2x4x8xf32>
  %r1 = aten.slice.Tensor %r dim 3 start 0 end 4 : (tensor<1x2x4x8xf32>) -> tensor<1x2x4x4xf32>
  %r2 = aten.slice.Tensor %r dim 3 start 4 end 8 : (tensor<1x2x4x8xf32>) -> tensor<1x2x4x4xf32>
  %r3 = aten.neg %r2 : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  %r4 = aten.cat %r3, %r1 dim -1 : (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) -> tensor<1x2x4x8xf32>
  %r5 = aten.mul.Tensor %s1, %r4 : (tensor<1x1x4x8xf32>, tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32>
  %r6 = aten.add.Tensor %r0, %r5 : (tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32>
  %o4 = aten.neg %q1 : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  %o5 = aten.cat %q2, %o4 dim 3 : (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) -> tensor<1x2x4x8xf32>
  %o6 = aten.mul.Tensor %o5, %other : (tensor<1x2x4x8xf32>, tensor<8xf32>) -> tensor<1x2x4x8xf32>
  %p4 = aten.neg %k1 : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  %p5 = aten.cat %p4, %k2 dim 3 : (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) -> tensor<1x2x4x8xf32>
  %p6 = aten.mul.Tensor %p5, %other : (tensor<1x2x4x8xf32>, tensor<8xf32>) -> tensor<1x2x4x8xf32>
  return %q6, %k6, %r6, %o6, %p6 : tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>
}
