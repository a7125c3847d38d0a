// What partition ideas make of a network before it is cut, and that it is cut as they say.
// RUN: split-file %s %t
// RUN: kgen-opt %t/fold.mlir --kgen-apply-directives=script=%t/fold.script | FileCheck %t/fold.mlir
// RUN: kgen-opt %t/fold.mlir --kgen-apply-directives=script=%t/fold.script --kgen-partition | FileCheck %t/fold.mlir --check-prefix=CUT
// RUN: kgen-opt %t/join.mlir --kgen-apply-directives=script=%t/join.script | FileCheck %t/join.mlir
// RUN: kgen-opt %t/join.mlir --kgen-apply-directives=script=%t/join.script --kgen-partition | FileCheck %t/join.mlir --check-prefix=CUT
// RUN: kgen-opt %t/heads.mlir --kgen-apply-directives=script=%t/heads.script | FileCheck %t/heads.mlir
// RUN: kgen-opt %t/rotary.mlir --kgen-apply-directives=script=%t/heads.script | FileCheck %t/rotary.mlir
// RUN: kgen-opt %t/read-twice.mlir --kgen-apply-directives=script=%t/heads.script | FileCheck %t/read-twice.mlir
// RUN: kgen-opt %t/bounds.mlir --kgen-partition | FileCheck %t/bounds.mlir --check-prefix=PLAIN
// RUN: kgen-opt %t/bounds.mlir --kgen-apply-directives=script=%t/bounds.script --kgen-partition | FileCheck %t/bounds.mlir
// RUN: not kgen-opt %t/bounds.mlir --kgen-apply-directives=script=%t/fold.script 2>&1 | FileCheck %t/fold.script
// RUN: not kgen-opt %t/fold.mlir --kgen-apply-directives=script=%t/join.script 2>&1 | FileCheck %t/join.script
// RUN: not kgen-opt %t/join.mlir --kgen-apply-directives=script=%t/heads.script 2>&1 | FileCheck %t/heads.script
// RUN: not kgen-opt %t/fold.mlir --kgen-apply-directives=script=%t/bounds.script 2>&1 | FileCheck %t/bounds.script

//--- fold.script
transform.kgen.fold_scales %f
// CHECK: expected a batch norm or a factor for each channel behind a product of weights, found none

//--- join.script
transform.kgen.join_products %f
// CHECK: expected two linear products of one operand with weights, found none

//--- heads.script
transform.kgen.join_heads %f
// CHECK: expected two linear products of one operand that one attention alone reads, found none

//--- bounds.script
transform.kgen.fuse_tasks "aten.conv2d" before "aten.max_pool2d" in %f
transform.kgen.split_tasks "aten.sigmoid" in %f
// CHECK: expected aten.conv2d before aten.max_pool2d, found none

//--- fold.mlir
// A norm behind a convolution, a factor behind a product; a norm whose statistics are an input, and one behind what
// somebody else reads, stay.
// CHECK-LABEL: func.func @fold
// CHECK: %[[E:.*]] = aten.add.Scalar %arg5 {other = 1.000000e-03 : f64}
// CHECK: %[[R:.*]] = aten.rsqrt %[[E]]
// CHECK: %[[S:.*]] = aten.mul.Tensor %arg2, %[[R]]
// CHECK: %[[M:.*]] = aten.mul.Tensor %arg4, %[[S]]
// CHECK: %[[B:.*]] = aten.sub.Tensor %arg3, %[[M]]
// CHECK: %[[V:.*]] = aten.reshape %[[S]] shape [6, 1, 1, 1]
// CHECK: %[[W:.*]] = aten.mul.Tensor %arg1, %[[V]]
// CHECK: %[[C:.*]] = aten.conv2d %arg0, %[[W]], %[[B]] padding [1, 1]
// CHECK-NEXT: aten.relu %[[C]]
// CHECK: aten.conv2d
// CHECK-NEXT: aten.batch_norm
// CHECK: %[[O:.*]] = aten.conv2d
// CHECK-NEXT: aten.batch_norm %[[O]]
// CHECK: %[[T:.*]] = aten.mul.Tensor %arg9, %arg10
// CHECK: %[[Y:.*]] = aten.reshape %arg10 shape [5, 1]
// CHECK: %[[X:.*]] = aten.mul.Tensor %arg8, %[[Y]]
// CHECK: aten.linear %{{.*}}, %[[X]], %[[T]]
// CUT: call @{{.*}}add(%arg5, %arg2) {kgen.prepare}
// CUT: {kgen.prepare}
// CUT: {kgen.prepare}
// CUT: call @{{.*}}conv2d(%arg0, %{{.*}}, %{{.*}}) :
func.func @fold(%x: tensor<2x4x8x8xf32>, %w: tensor<6x4x3x3xf32> {kgen.parameter}, %g: tensor<6xf32> {kgen.parameter},
                %b: tensor<6xf32> {kgen.parameter}, %m: tensor<6xf32> {kgen.parameter}, %v: tensor<6xf32> {kgen.parameter},
                %u: tensor<6x6x1x1xf32> {kgen.parameter}, %i: tensor<6xf32>, %l: tensor<5x8xf32> {kgen.parameter},
                %d: tensor<5xf32> {kgen.parameter}, %s: tensor<5xf32> {kgen.parameter})
    -> (tensor<2x6x8x5xf32>, tensor<2x6x8x8xf32>, tensor<2x6x8x8xf32>) {
  %0 = aten.conv2d %x, %w padding [1, 1] : (tensor<2x4x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<2x6x8x8xf32>
  %1 = aten.batch_norm %0 weight %g bias %b running_mean %m running_var %v eps 0.001 : (tensor<2x6x8x8xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<2x6x8x8xf32>
  %2 = aten.relu %1 : (tensor<2x6x8x8xf32>) -> tensor<2x6x8x8xf32>
  %3 = aten.conv2d %2, %u : (tensor<2x6x8x8xf32>, tensor<6x6x1x1xf32>) -> tensor<2x6x8x8xf32>
  %4 = aten.batch_norm %3 running_mean %i running_var %v : (tensor<2x6x8x8xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<2x6x8x8xf32>
  %5 = aten.conv2d %4, %u : (tensor<2x6x8x8xf32>, tensor<6x6x1x1xf32>) -> tensor<2x6x8x8xf32>
  %6 = aten.batch_norm %5 running_mean %m running_var %v : (tensor<2x6x8x8xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<2x6x8x8xf32>
  %7 = aten.linear %6, %l, %d : (tensor<2x6x8x8xf32>, tensor<5x8xf32>, tensor<5xf32>) -> tensor<2x6x8x5xf32>
  %8 = aten.mul.Tensor %7, %s : (tensor<2x6x8x5xf32>, tensor<5xf32>) -> tensor<2x6x8x5xf32>
  return %8, %6, %5 : tensor<2x6x8x5xf32>, tensor<2x6x8x8xf32>, tensor<2x6x8x8xf32>
}

//--- join.mlir
// q, k and v of one operand; a fourth has a bias, a fifth another operand.
// CHECK-LABEL: func.func @join
// CHECK: %[[C:.*]] = aten.cat %arg1, %arg2, %arg3 :
// CHECK: %[[J:.*]] = aten.linear %arg0, %[[C]] : (tensor<4x8xf32>, tensor<16x8xf32>) -> tensor<4x16xf32>
// CHECK: %[[Q:.*]] = aten.slice.Tensor %[[J]] dim 1 start 0 end 8
// CHECK: %[[K:.*]] = aten.slice.Tensor %[[J]] dim 1 start 8 end 12
// CHECK: %[[V:.*]] = aten.slice.Tensor %[[J]] dim 1 start 12 end 16
// CHECK: aten.linear %arg0, %arg1, %arg4
// CHECK: aten.linear %[[Q]], %arg1
// CUT: func.func private @[[CAT:.*_cat]](
// CUT: call @[[CAT]](%arg1, %arg2, %arg3) {kgen.prepare}
// CUT-NEXT: call @{{.*}}_linear(%arg0, %{{.*}}) :
func.func @join(%x: tensor<4x8xf32>, %q: tensor<8x8xf32> {kgen.parameter}, %k: tensor<4x8xf32> {kgen.parameter},
                %v: tensor<4x8xf32> {kgen.parameter}, %b: tensor<8xf32> {kgen.parameter}) -> (tensor<4x8xf32>, tensor<4x4xf32>, tensor<4x8xf32>) {
  %0 = aten.linear %x, %q : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %1 = aten.linear %x, %k : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x4xf32>
  %2 = aten.linear %x, %v : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x4xf32>
  %3 = aten.linear %x, %q, %b : (tensor<4x8xf32>, tensor<8x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %4 = aten.linear %0, %q : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %5 = aten.mul.Tensor %1, %2 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %6 = aten.add.Tensor %3, %4 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %4, %5, %6 : tensor<4x8xf32>, tensor<4x4xf32>, tensor<4x8xf32>
}

//--- rotary.mlir
// The query turns by element-wise ops, as does the key, which somebody else reads in the second function. Both heads have one value.
// CHECK-LABEL: func.func @rotary
// CHECK: aten.cat %arg1, %arg2, %arg3 :
// CHECK: %[[J:.*]] = aten.linear %arg0, %{{.*}} : {{.*}} -> tensor<1x6x20xf32>
// CHECK-NOT: aten.linear
// CHECK: aten.scaled_dot_product_attention
func.func @rotary(%x: tensor<1x6x8xf32>, %q: tensor<8x8xf32> {kgen.parameter}, %k: tensor<8x8xf32> {kgen.parameter}, %v: tensor<4x8xf32> {kgen.parameter},
                  %cos: tensor<6x4xf32>, %sin: tensor<6x4xf32>) -> tensor<1x2x6x4xf32> {
  %0 = aten.linear %x, %q : (tensor<1x6x8xf32>, tensor<8x8xf32>) -> tensor<1x6x8xf32>
  %1 = aten.view %0 size [1, 6, 2, 4] : (tensor<1x6x8xf32>) -> tensor<1x6x2x4xf32>
  %2 = aten.transpose.int %1 dim0 1 dim1 2 : (tensor<1x6x2x4xf32>) -> tensor<1x2x6x4xf32>
  %3 = aten.mul.Tensor %2, %cos : (tensor<1x2x6x4xf32>, tensor<6x4xf32>) -> tensor<1x2x6x4xf32>
  %4 = aten.slice.Tensor %2 dim 3 start 2 end 4 : (tensor<1x2x6x4xf32>) -> tensor<1x2x6x2xf32>
  %5 = aten.neg %4 : (tensor<1x2x6x2xf32>) -> tensor<1x2x6x2xf32>
  %6 = aten.slice.Tensor %2 dim 3 start 0 end 2 : (tensor<1x2x6x4xf32>) -> tensor<1x2x6x2xf32>
  %7 = aten.cat %5, %6 dim 3 : (tensor<1x2x6x2xf32>, tensor<1x2x6x2xf32>) -> tensor<1x2x6x4xf32>
  %8 = aten.mul.Tensor %7, %sin : (tensor<1x2x6x4xf32>, tensor<6x4xf32>) -> tensor<1x2x6x4xf32>
  %9 = aten.add.Tensor %3, %8 : (tensor<1x2x6x4xf32>, tensor<1x2x6x4xf32>) -> tensor<1x2x6x4xf32>
  %10 = aten.linear %x, %k : (tensor<1x6x8xf32>, tensor<8x8xf32>) -> tensor<1x6x8xf32>
  %11 = aten.view %10 size [1, 6, 2, 4] : (tensor<1x6x8xf32>) -> tensor<1x6x2x4xf32>
  %12 = aten.transpose.int %11 dim0 1 dim1 2 : (tensor<1x6x2x4xf32>) -> tensor<1x2x6x4xf32>
  %13 = aten.mul.Tensor %12, %sin : (tensor<1x2x6x4xf32>, tensor<6x4xf32>) -> tensor<1x2x6x4xf32>
  %14 = aten.linear %x, %v : (tensor<1x6x8xf32>, tensor<4x8xf32>) -> tensor<1x6x4xf32>
  %15 = aten.view %14 size [1, 6, 1, 4] : (tensor<1x6x4xf32>) -> tensor<1x6x1x4xf32>
  %16 = aten.transpose.int %15 dim0 1 dim1 2 : (tensor<1x6x1x4xf32>) -> tensor<1x1x6x4xf32>
  %18 = aten.expand %16 size [1, 2, 6, 4] : (tensor<1x1x6x4xf32>) -> tensor<1x2x6x4xf32>
  %17 = aten.scaled_dot_product_attention %9, %13, %18 : (tensor<1x2x6x4xf32>, tensor<1x2x6x4xf32>, tensor<1x2x6x4xf32>) -> tensor<1x2x6x4xf32>
  return %17 : tensor<1x2x6x4xf32>
}

//--- read-twice.mlir
// CHECK-LABEL: func.func @read_twice
// CHECK: aten.linear %arg0, %{{.*}} : {{.*}} -> tensor<1x6x16xf32>
// CHECK: aten.linear %arg0, %arg2 :
// CHECK: aten.scaled_dot_product_attention
func.func @read_twice(%x: tensor<1x6x8xf32>, %q: tensor<8x8xf32> {kgen.parameter}, %k: tensor<8x8xf32> {kgen.parameter}, %v: tensor<8x8xf32> {kgen.parameter},
                      %sin: tensor<6x4xf32>) -> (tensor<1x2x6x4xf32>, tensor<1x2x6x4xf32>) {
  %0 = aten.linear %x, %q : (tensor<1x6x8xf32>, tensor<8x8xf32>) -> tensor<1x6x8xf32>
  %1 = aten.view %0 size [1, 6, 2, 4] : (tensor<1x6x8xf32>) -> tensor<1x6x2x4xf32>
  %2 = aten.transpose.int %1 dim0 1 dim1 2 : (tensor<1x6x2x4xf32>) -> tensor<1x2x6x4xf32>
  %3 = aten.mul.Tensor %2, %sin : (tensor<1x2x6x4xf32>, tensor<6x4xf32>) -> tensor<1x2x6x4xf32>
  %4 = aten.linear %x, %k : (tensor<1x6x8xf32>, tensor<8x8xf32>) -> tensor<1x6x8xf32>
  %5 = aten.view %4 size [1, 6, 2, 4] : (tensor<1x6x8xf32>) -> tensor<1x6x2x4xf32>
  %6 = aten.transpose.int %5 dim0 1 dim1 2 : (tensor<1x6x2x4xf32>) -> tensor<1x2x6x4xf32>
  %7 = aten.mul.Tensor %6, %sin : (tensor<1x2x6x4xf32>, tensor<6x4xf32>) -> tensor<1x2x6x4xf32>
  %8 = aten.linear %x, %v : (tensor<1x6x8xf32>, tensor<8x8xf32>) -> tensor<1x6x8xf32>
  %9 = aten.view %8 size [1, 6, 2, 4] : (tensor<1x6x8xf32>) -> tensor<1x6x2x4xf32>
  %10 = aten.transpose.int %9 dim0 1 dim1 2 : (tensor<1x6x2x4xf32>) -> tensor<1x2x6x4xf32>
  %11 = aten.scaled_dot_product_attention %3, %7, %10 : (tensor<1x2x6x4xf32>, tensor<1x2x6x4xf32>, tensor<1x2x6x4xf32>) -> tensor<1x2x6x4xf32>
  return %11, %7 : tensor<1x2x6x4xf32>, tensor<1x2x6x4xf32>
}

//--- heads.mlir
// q is multiplied by a number, k has no bias. Of the second attention q is of something else, and of the third somebody
// else reads k, so that q and v are left.
// CHECK-LABEL: func.func @heads
// CHECK: %[[Z:.*]] = aten.full size [8] fill_value 0.000000e+00 dtype f32
// CHECK: %[[W:.*]] = aten.cat %arg2, %arg3, %arg4 :
// CHECK: %[[B:.*]] = aten.cat %arg5, %[[Z]], %arg5 :
// CHECK: %[[J:.*]] = aten.linear %arg0, %[[W]], %[[B]] : {{.*}} -> tensor<1x6x24xf32>
// CHECK-NOT: aten.mul.Scalar
// CHECK: aten.scaled_dot_product_attention %{{.*}} scale 1.250000e-01 :
// CHECK: aten.linear %arg1, %arg2 :
// CHECK: aten.linear %arg0, %{{.*}} : {{.*}} -> tensor<1x6x16xf32>
// CHECK: aten.scaled_dot_product_attention
// CHECK: aten.linear %arg0, %{{.*}} : {{.*}} -> tensor<1x6x16xf32>
// CHECK: aten.linear %arg0, %arg3 :
// CHECK: aten.scaled_dot_product_attention
func.func @heads(%x: tensor<1x6x8xf32>, %y: tensor<1x6x8xf32>, %q: tensor<8x8xf32> {kgen.parameter}, %k: tensor<8x8xf32> {kgen.parameter},
                 %v: tensor<8x8xf32> {kgen.parameter}, %b: tensor<8xf32> {kgen.parameter})
    -> (tensor<1x2x6x4xf32>, tensor<1x2x6x4xf32>, tensor<1x2x6x4xf32>, tensor<1x2x6x4xf32>) {
  %0 = aten.linear %x, %q, %b : (tensor<1x6x8xf32>, tensor<8x8xf32>, tensor<8xf32>) -> tensor<1x6x8xf32>
  %1 = aten.mul.Scalar %0 {other = 0.125} : (tensor<1x6x8xf32>) -> tensor<1x6x8xf32>
  %2 = aten.view %1 size [1, 6, 2, 4] : (tensor<1x6x8xf32>) -> tensor<1x6x2x4xf32>
  %3 = aten.transpose.int %2 dim0 1 dim1 2 : (tensor<1x6x2x4xf32>) -> tensor<1x2x6x4xf32>
  %4 = aten.linear %x, %k : (tensor<1x6x8xf32>, tensor<8x8xf32>) -> tensor<1x6x8xf32>
  %5 = aten.view %4 size [1, 6, 2, 4] : (tensor<1x6x8xf32>) -> tensor<1x6x2x4xf32>
  %6 = aten.transpose.int %5 dim0 1 dim1 2 : (tensor<1x6x2x4xf32>) -> tensor<1x2x6x4xf32>
  %7 = aten.linear %x, %v, %b : (tensor<1x6x8xf32>, tensor<8x8xf32>, tensor<8xf32>) -> tensor<1x6x8xf32>
  %8 = aten.view %7 size [1, 6, 2, 4] : (tensor<1x6x8xf32>) -> tensor<1x6x2x4xf32>
  %9 = aten.transpose.int %8 dim0 1 dim1 2 : (tensor<1x6x2x4xf32>) -> tensor<1x2x6x4xf32>
  %10 = aten.scaled_dot_product_attention %3, %6, %9 scale 1.0 : (tensor<1x2x6x4xf32>, tensor<1x2x6x4xf32>, tensor<1x2x6x4xf32>) -> tensor<1x2x6x4xf32>
  %11 = aten.linear %y, %q : (tensor<1x6x8xf32>, tensor<8x8xf32>) -> tensor<1x6x8xf32>
  %12 = aten.view %11 size [1, 6, 2, 4] : (tensor<1x6x8xf32>) -> tensor<1x6x2x4xf32>
  %13 = aten.transpose.int %12 dim0 1 dim1 2 : (tensor<1x6x2x4xf32>) -> tensor<1x2x6x4xf32>
  %14 = aten.linear %x, %k : (tensor<1x6x8xf32>, tensor<8x8xf32>) -> tensor<1x6x8xf32>
  %15 = aten.view %14 size [1, 6, 2, 4] : (tensor<1x6x8xf32>) -> tensor<1x6x2x4xf32>
  %16 = aten.transpose.int %15 dim0 1 dim1 2 : (tensor<1x6x2x4xf32>) -> tensor<1x2x6x4xf32>
  %17 = aten.linear %x, %v : (tensor<1x6x8xf32>, tensor<8x8xf32>) -> tensor<1x6x8xf32>
  %18 = aten.view %17 size [1, 6, 2, 4] : (tensor<1x6x8xf32>) -> tensor<1x6x2x4xf32>
  %19 = aten.transpose.int %18 dim0 1 dim1 2 : (tensor<1x6x2x4xf32>) -> tensor<1x2x6x4xf32>
  %20 = aten.scaled_dot_product_attention %13, %16, %19 : (tensor<1x2x6x4xf32>, tensor<1x2x6x4xf32>, tensor<1x2x6x4xf32>) -> tensor<1x2x6x4xf32>
  %21 = aten.linear %x, %q : (tensor<1x6x8xf32>, tensor<8x8xf32>) -> tensor<1x6x8xf32>
  %22 = aten.view %21 size [1, 6, 2, 4] : (tensor<1x6x8xf32>) -> tensor<1x6x2x4xf32>
  %23 = aten.transpose.int %22 dim0 1 dim1 2 : (tensor<1x6x2x4xf32>) -> tensor<1x2x6x4xf32>
  %24 = aten.linear %x, %k : (tensor<1x6x8xf32>, tensor<8x8xf32>) -> tensor<1x6x8xf32>
  %25 = aten.view %24 size [1, 6, 2, 4] : (tensor<1x6x8xf32>) -> tensor<1x6x2x4xf32>
  %26 = aten.transpose.int %25 dim0 1 dim1 2 : (tensor<1x6x2x4xf32>) -> tensor<1x2x6x4xf32>
  %27 = aten.linear %x, %v : (tensor<1x6x8xf32>, tensor<8x8xf32>) -> tensor<1x6x8xf32>
  %28 = aten.view %27 size [1, 6, 2, 4] : (tensor<1x6x8xf32>) -> tensor<1x6x2x4xf32>
  %29 = aten.transpose.int %28 dim0 1 dim1 2 : (tensor<1x6x2x4xf32>) -> tensor<1x2x6x4xf32>
  %30 = aten.scaled_dot_product_attention %23, %26, %29 : (tensor<1x2x6x4xf32>, tensor<1x2x6x4xf32>, tensor<1x2x6x4xf32>) -> tensor<1x2x6x4xf32>
  return %10, %20, %30, %26 : tensor<1x2x6x4xf32>, tensor<1x2x6x4xf32>, tensor<1x2x6x4xf32>, tensor<1x2x6x4xf32>
}

//--- bounds.mlir
// The pooling's task takes in the convolution; the sigmoid begins one.
// PLAIN-LABEL: func.func @bounds
// PLAIN: call @{{.*}}conv2d
// PLAIN: call @{{.*}}max_pool2d
// PLAIN: call @{{.*}}linear
// PLAIN-NOT: call
// CHECK-LABEL: func.func private @t00_conv2d
// CHECK-NEXT: aten.conv2d {{[^{]*}} :
// CHECK-NEXT: aten.relu
// CHECK-NEXT: aten.max_pool2d
// CHECK-NEXT: return
// CHECK-LABEL: func.func private @t01_linear
// CHECK-NEXT: aten.linear
// CHECK-NEXT: return
// CHECK-LABEL: func.func private @t02_sigmoid
// CHECK-NEXT: aten.sigmoid {{[^{]*}} :
func.func @bounds(%x: tensor<2x4x8x8xf32>, %w: tensor<4x4x3x3xf32> {kgen.parameter}, %u: tensor<4x4xf32> {kgen.parameter}) -> tensor<2x4x4x4xf32> {
  %0 = aten.conv2d %x, %w padding [1, 1] : (tensor<2x4x8x8xf32>, tensor<4x4x3x3xf32>) -> tensor<2x4x8x8xf32>
  %1 = aten.relu %0 : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %2 = aten.max_pool2d %1 kernel [2, 2] stride [2, 2] : (tensor<2x4x8x8xf32>) -> tensor<2x4x4x4xf32>
  %3 = aten.linear %2, %u : (tensor<2x4x4x4xf32>, tensor<4x4xf32>) -> tensor<2x4x4x4xf32>
  %4 = aten.sigmoid %3 : (tensor<2x4x4x4xf32>) -> tensor<2x4x4x4xf32>
  return %4 : tensor<2x4x4x4xf32>
}
