// Products of queries, keys and values join around norms of each head, and what queries and keys go through is one.
// REQUIRES: host-compiler
// RUN: rm -rf %t && mkdir -p %t/c
// RUN: split-file %s %t
// RUN: kgen-opt %t/normed.mlir --kgen-apply-directives=script=%t/script -o %t/joined.mlir
// RUN: FileCheck %t/normed.mlir --input-file %t/joined.mlir
// RUN: kgen-opt %t/joined.mlir --kgen-partition | FileCheck %t/normed.mlir --check-prefix=CUT
// RUN: kgen-opt %t/layers.mlir --kgen-apply-directives=script=%t/script | FileCheck %t/layers.mlir
// RUN: kgen-opt %t/differ.mlir --kgen-apply-directives=script=%t/script | FileCheck %t/differ.mlir
// RUN: kgen-opt %t/batches.mlir --kgen-apply-directives=script=%t/script | FileCheck %t/batches.mlir
// RUN: kgen-opt %t/read-twice.mlir --kgen-apply-directives=script=%t/script | FileCheck %t/read-twice.mlir
// RUN: not kgen-opt %t/across.mlir --kgen-apply-directives=script=%t/script 2>&1 | FileCheck %t/across.mlir
//
// The answers are those of the graph as it was.
// RUN: kgen-opt %t/joined.mlir --kgen-lower -o %t/lowered.mlir
// RUN: kgen-translate --kgen-to-cuda %t/lowered.mlir -o %t/c/kernel.cu
// RUN: kgen-translate --kgen-to-plan %t/lowered.mlir -o %t/c/plan.json
// RUN: kgen-eval %t/c --graph %t/normed.mlir --device host --samples 1 | FileCheck %s --check-prefix=VERDICT
// VERDICT: verdict PASS

//--- script
transform.kgen.join_heads %f

//--- normed.mlir
// As Qwen3 has it: a norm of each head, a rotary embedding, four heads of queries to two of keys, which stand in front. Each has a weight of its own.
// CHECK-LABEL: func.func @normed
// CHECK: %[[W:.*]] = aten.cat %arg2, %arg1, %arg3 : {{.*}} -> tensor<32x8xf32>
// CHECK: %[[J:.*]] = aten.linear %arg0, %[[W]] : {{.*}} -> tensor<1x6x32xf32>
// CHECK: aten.slice.Tensor %[[J]] dim 2 start 24 end 32
// CHECK: %[[K:.*]] = aten.expand {{.*}} size [2, 4]
// CHECK: %[[Q:.*]] = aten.expand {{.*}} size [4, 4]
// CHECK: %[[N:.*]] = aten.cat %[[K]], %[[Q]] : {{.*}} -> tensor<6x4xf32>
// CHECK: %[[S:.*]] = aten.slice.Tensor %[[J]] dim 2 start 0 end 24 : {{.*}} -> tensor<1x6x24xf32>
// CHECK: %[[H:.*]] = aten.reshape %[[S]] shape [1, 6, 6, 4]
// CHECK: aten.mean.dim {{.*}} -> tensor<1x6x6x1xf32>
// CHECK: aten.mul.Tensor %[[N]], {{.*}} -> tensor<1x6x6x4xf32>
// CHECK: aten.transpose.int {{.*}} -> tensor<1x6x6x4xf32>
// CHECK: %[[B:.*]] = aten.add.Tensor {{.*}} -> tensor<1x6x6x4xf32>
// CHECK: aten.slice.Tensor %[[B]] dim 1 start 0 end 2
// CHECK: aten.slice.Tensor %[[B]] dim 1 start 2 end 6
// CHECK-NOT: aten.mean.dim
// CHECK: aten.scaled_dot_product_attention
// A product, a norm and a rotary embedding in front of the attention; weights are put together once.
// CUT-COUNT-1: aten.linear
// CUT-COUNT-1: aten.mean.dim
// CUT-NOT: aten.mean.dim
func.func @normed(%x: tensor<1x6x8xf32>, %q: tensor<16x8xf32> {kgen.parameter}, %k: tensor<8x8xf32> {kgen.parameter}, %v: tensor<8x8xf32> {kgen.parameter},
                  %wq: tensor<4xf32> {kgen.parameter}, %wk: tensor<4xf32> {kgen.parameter}, %cos: tensor<6x4xf32>, %sin: tensor<6x4xf32>) -> tensor<1x4x6x4xf32> {
  %k0 = aten.linear %x, %k : (tensor<1x6x8xf32>, tensor<8x8xf32>) -> tensor<1x6x8xf32>
  %k1 = aten.view %k0 size [1, 6, 2, 4] : (tensor<1x6x8xf32>) -> tensor<1x6x2x4xf32>
  %k2 = aten.pow.Tensor_Scalar %k1 {exponent = 2.0} : (tensor<1x6x2x4xf32>) -> tensor<1x6x2x4xf32>
  %k3 = aten.mean.dim %k2 dim [-1] keepdim true : (tensor<1x6x2x4xf32>) -> tensor<1x6x2x1xf32>
  %k4 = aten.add.Scalar %k3 {other = 1.0e-06} : (tensor<1x6x2x1xf32>) -> tensor<1x6x2x1xf32>
  %k5 = aten.rsqrt %k4 : (tensor<1x6x2x1xf32>) -> tensor<1x6x2x1xf32>
  %k6 = aten.mul.Tensor %k1, %k5 : (tensor<1x6x2x4xf32>, tensor<1x6x2x1xf32>) -> tensor<1x6x2x4xf32>
  %k7 = aten.mul.Tensor %wk, %k6 : (tensor<4xf32>, tensor<1x6x2x4xf32>) -> tensor<1x6x2x4xf32>
  %k8 = aten.transpose.int %k7 dim0 1 dim1 2 : (tensor<1x6x2x4xf32>) -> tensor<1x2x6x4xf32>
  %k9 = aten.mul.Tensor %k8, %cos : (tensor<1x2x6x4xf32>, tensor<6x4xf32>) -> tensor<1x2x6x4xf32>
  %k10 = aten.slice.Tensor %k8 dim 3 start 2 end 4 : (tensor<1x2x6x4xf32>) -> tensor<1x2x6x2xf32>
  %k11 = aten.neg %k10 : (tensor<1x2x6x2xf32>) -> tensor<1x2x6x2xf32>
  %k12 = aten.slice.Tensor %k8 dim 3 start 0 end 2 : (tensor<1x2x6x4xf32>) -> tensor<1x2x6x2xf32>
  %k13 = aten.cat %k11, %k12 dim -1 : (tensor<1x2x6x2xf32>, tensor<1x2x6x2xf32>) -> tensor<1x2x6x4xf32>
  %k14 = aten.mul.Tensor %k13, %sin : (tensor<1x2x6x4xf32>, tensor<6x4xf32>) -> tensor<1x2x6x4xf32>
  %k15 = aten.add.Tensor %k9, %k14 : (tensor<1x2x6x4xf32>, tensor<1x2x6x4xf32>) -> tensor<1x2x6x4xf32>
  %k16 = aten.unsqueeze %k15 dim 2 : (tensor<1x2x6x4xf32>) -> tensor<1x2x1x6x4xf32>
  %k17 = aten.expand %k16 size [1, 2, 2, 6, 4] : (tensor<1x2x1x6x4xf32>) -> tensor<1x2x2x6x4xf32>
  %k18 = aten.reshape %k17 shape [1, 4, 6, 4] : (tensor<1x2x2x6x4xf32>) -> tensor<1x4x6x4xf32>
  %q0 = aten.linear %x, %q : (tensor<1x6x8xf32>, tensor<16x8xf32>) -> tensor<1x6x16xf32>
  %q1 = aten.view %q0 size [1, 6, 4, 4] : (tensor<1x6x16xf32>) -> tensor<1x6x4x4xf32>
  %q2 = aten.pow.Tensor_Scalar %q1 {exponent = 2.0} : (tensor<1x6x4x4xf32>) -> tensor<1x6x4x4xf32>
  %q3 = aten.mean.dim %q2 dim [-1] keepdim true : (tensor<1x6x4x4xf32>) -> tensor<1x6x4x1xf32>
  %q4 = aten.add.Scalar %q3 {other = 1.0e-06} : (tensor<1x6x4x1xf32>) -> tensor<1x6x4x1xf32>
  %q5 = aten.rsqrt %q4 : (tensor<1x6x4x1xf32>) -> tensor<1x6x4x1xf32>
  %q6 = aten.mul.Tensor %q1, %q5 : (tensor<1x6x4x4xf32>, tensor<1x6x4x1xf32>) -> tensor<1x6x4x4xf32>
  %q7 = aten.mul.Tensor %wq, %q6 : (tensor<4xf32>, tensor<1x6x4x4xf32>) -> tensor<1x6x4x4xf32>
  %q8 = aten.transpose.int %q7 dim0 1 dim1 2 : (tensor<1x6x4x4xf32>) -> tensor<1x4x6x4xf32>
  %q9 = aten.mul.Tensor %q8, %cos : (tensor<1x4x6x4xf32>, tensor<6x4xf32>) -> tensor<1x4x6x4xf32>
  %q10 = aten.slice.Tensor %q8 dim 3 start 2 end 4 : (tensor<1x4x6x4xf32>) -> tensor<1x4x6x2xf32>
  %q11 = aten.neg %q10 : (tensor<1x4x6x2xf32>) -> tensor<1x4x6x2xf32>
  %q12 = aten.slice.Tensor %q8 dim 3 start 0 end 2 : (tensor<1x4x6x4xf32>) -> tensor<1x4x6x2xf32>
  %q13 = aten.cat %q11, %q12 dim -1 : (tensor<1x4x6x2xf32>, tensor<1x4x6x2xf32>) -> tensor<1x4x6x4xf32>
  %q14 = aten.mul.Tensor %q13, %sin : (tensor<1x4x6x4xf32>, tensor<6x4xf32>) -> tensor<1x4x6x4xf32>
  %q15 = aten.add.Tensor %q9, %q14 : (tensor<1x4x6x4xf32>, tensor<1x4x6x4xf32>) -> tensor<1x4x6x4xf32>
  %v0 = aten.linear %x, %v : (tensor<1x6x8xf32>, tensor<8x8xf32>) -> tensor<1x6x8xf32>
  %v1 = aten.view %v0 size [1, 6, 2, 4] : (tensor<1x6x8xf32>) -> tensor<1x6x2x4xf32>
  %v2 = aten.transpose.int %v1 dim0 1 dim1 2 : (tensor<1x6x2x4xf32>) -> tensor<1x2x6x4xf32>
  %v3 = aten.unsqueeze %v2 dim 2 : (tensor<1x2x6x4xf32>) -> tensor<1x2x1x6x4xf32>
  %v4 = aten.expand %v3 size [1, 2, 2, 6, 4] : (tensor<1x2x1x6x4xf32>) -> tensor<1x2x2x6x4xf32>
  %v5 = aten.reshape %v4 shape [1, 4, 6, 4] : (tensor<1x2x2x6x4xf32>) -> tensor<1x4x6x4xf32>
  %a = aten.scaled_dot_product_attention %q15, %k18, %v5 : (tensor<1x4x6x4xf32>, tensor<1x4x6x4xf32>, tensor<1x4x6x4xf32>) -> tensor<1x4x6x4xf32>
  return %a : tensor<1x4x6x4xf32>
}

//--- layers.mlir
// A layer norm takes one weight, so there are two of them, of slices of the one product.
// CHECK-LABEL: func.func @layers
// CHECK: aten.cat %arg1, %arg2, %arg3 :
// CHECK: aten.linear %arg0, %{{.*}} : {{.*}} -> tensor<1x6x24xf32>
// CHECK-NOT: aten.linear
// CHECK: aten.layer_norm
// CHECK: aten.layer_norm
// CHECK: aten.scaled_dot_product_attention
func.func @layers(%x: tensor<1x6x8xf32>, %q: tensor<8x8xf32> {kgen.parameter}, %k: tensor<8x8xf32> {kgen.parameter}, %v: tensor<8x8xf32> {kgen.parameter},
    %wq: tensor<4xf32> {kgen.parameter}, %wk: tensor<4xf32> {kgen.parameter}) -> tensor<1x2x6x4xf32> {
  %q0 = aten.linear %x, %q : (tensor<1x6x8xf32>, tensor<8x8xf32>) -> tensor<1x6x8xf32>
  %q1 = aten.view %q0 size [1, 6, 2, 4] : (tensor<1x6x8xf32>) -> tensor<1x6x2x4xf32>
  %q7 = aten.layer_norm %q1 weight %wq normalized_shape [4] : (tensor<1x6x2x4xf32>, tensor<4xf32>) -> tensor<1x6x2x4xf32>
  %q8 = aten.transpose.int %q7 dim0 1 dim1 2 : (tensor<1x6x2x4xf32>) -> tensor<1x2x6x4xf32>
  %k0 = aten.linear %x, %k : (tensor<1x6x8xf32>, tensor<8x8xf32>) -> tensor<1x6x8xf32>
  %k1 = aten.view %k0 size [1, 6, 2, 4] : (tensor<1x6x8xf32>) -> tensor<1x6x2x4xf32>
  %k7 = aten.layer_norm %k1 weight %wk normalized_shape [4] : (tensor<1x6x2x4xf32>, tensor<4xf32>) -> tensor<1x6x2x4xf32>
  %k8 = aten.transpose.int %k7 dim0 1 dim1 2 : (tensor<1x6x2x4xf32>) -> tensor<1x2x6x4xf32>
  %v0 = aten.linear %x, %v : (tensor<1x6x8xf32>, tensor<8x8xf32>) -> tensor<1x6x8xf32>
  %v1 = aten.view %v0 size [1, 6, 2, 4] : (tensor<1x6x8xf32>) -> tensor<1x6x2x4xf32>
  %v2 = aten.transpose.int %v1 dim0 1 dim1 2 : (tensor<1x6x2x4xf32>) -> tensor<1x2x6x4xf32>
  %a = aten.scaled_dot_product_attention %q8, %k8, %v2 : (tensor<1x2x6x4xf32>, tensor<1x2x6x4xf32>, tensor<1x2x6x4xf32>) -> tensor<1x2x6x4xf32>
  return %a : tensor<1x2x6x4xf32>
}

//--- differ.mlir
// Two different numbers leave two norms.
// CHECK-LABEL: func.func @differ
// CHECK: aten.cat %arg1, %arg2, %arg3 :
// CHECK: aten.linear %arg0, %{{.*}} : {{.*}} -> tensor<1x6x24xf32>
// CHECK-NOT: aten.linear
// CHECK: aten.mean.dim
// CHECK: aten.mean.dim
// CHECK: aten.scaled_dot_product_attention
func.func @differ(%x: tensor<1x6x8xf32>, %q: tensor<8x8xf32> {kgen.parameter}, %k: tensor<8x8xf32> {kgen.parameter}, %v: tensor<8x8xf32> {kgen.parameter},
    %wq: tensor<4xf32> {kgen.parameter}, %wk: tensor<4xf32> {kgen.parameter}) -> tensor<1x2x6x4xf32> {
  %q0 = aten.linear %x, %q : (tensor<1x6x8xf32>, tensor<8x8xf32>) -> tensor<1x6x8xf32>
  %q1 = aten.view %q0 size [1, 6, 2, 4] : (tensor<1x6x8xf32>) -> tensor<1x6x2x4xf32>
  %q2 = aten.pow.Tensor_Scalar %q1 {exponent = 2.0} : (tensor<1x6x2x4xf32>) -> tensor<1x6x2x4xf32>
  %q3 = aten.mean.dim %q2 dim [-1] keepdim true : (tensor<1x6x2x4xf32>) -> tensor<1x6x2x1xf32>
  %q4 = aten.add.Scalar %q3 {other = 1.0e-06} : (tensor<1x6x2x1xf32>) -> tensor<1x6x2x1xf32>
  %q5 = aten.rsqrt %q4 : (tensor<1x6x2x1xf32>) -> tensor<1x6x2x1xf32>
  %q6 = aten.mul.Tensor %q1, %q5 : (tensor<1x6x2x4xf32>, tensor<1x6x2x1xf32>) -> tensor<1x6x2x4xf32>
  %q7 = aten.mul.Tensor %wq, %q6 : (tensor<4xf32>, tensor<1x6x2x4xf32>) -> tensor<1x6x2x4xf32>
  %q8 = aten.transpose.int %q7 dim0 1 dim1 2 : (tensor<1x6x2x4xf32>) -> tensor<1x2x6x4xf32>
  %k0 = aten.linear %x, %k : (tensor<1x6x8xf32>, tensor<8x8xf32>) -> tensor<1x6x8xf32>
  %k1 = aten.view %k0 size [1, 6, 2, 4] : (tensor<1x6x8xf32>) -> tensor<1x6x2x4xf32>
  %k2 = aten.pow.Tensor_Scalar %k1 {exponent = 2.0} : (tensor<1x6x2x4xf32>) -> tensor<1x6x2x4xf32>
  %k3 = aten.mean.dim %k2 dim [-1] keepdim true : (tensor<1x6x2x4xf32>) -> tensor<1x6x2x1xf32>
  %k4 = aten.add.Scalar %k3 {other = 1.0e-05} : (tensor<1x6x2x1xf32>) -> tensor<1x6x2x1xf32>
  %k5 = aten.rsqrt %k4 : (tensor<1x6x2x1xf32>) -> tensor<1x6x2x1xf32>
  %k6 = aten.mul.Tensor %k1, %k5 : (tensor<1x6x2x4xf32>, tensor<1x6x2x1xf32>) -> tensor<1x6x2x4xf32>
  %k7 = aten.mul.Tensor %wk, %k6 : (tensor<4xf32>, tensor<1x6x2x4xf32>) -> tensor<1x6x2x4xf32>
  %k8 = aten.transpose.int %k7 dim0 1 dim1 2 : (tensor<1x6x2x4xf32>) -> tensor<1x2x6x4xf32>
  %v0 = aten.linear %x, %v : (tensor<1x6x8xf32>, tensor<8x8xf32>) -> tensor<1x6x8xf32>
  %v1 = aten.view %v0 size [1, 6, 2, 4] : (tensor<1x6x8xf32>) -> tensor<1x6x2x4xf32>
  %v2 = aten.transpose.int %v1 dim0 1 dim1 2 : (tensor<1x6x2x4xf32>) -> tensor<1x2x6x4xf32>
  %a = aten.scaled_dot_product_attention %q8, %k8, %v2 : (tensor<1x2x6x4xf32>, tensor<1x2x6x4xf32>, tensor<1x2x6x4xf32>) -> tensor<1x2x6x4xf32>
  return %a : tensor<1x2x6x4xf32>
}

//--- batches.mlir
// Of several batches queries and keys would not be one piece of memory each.
// CHECK-LABEL: func.func @batches
// CHECK: aten.cat %arg1, %arg2, %arg3 :
// CHECK: aten.linear %arg0, %{{.*}} : {{.*}} -> tensor<2x6x24xf32>
// CHECK-NOT: aten.linear
// CHECK: aten.mean.dim
// CHECK: aten.mean.dim
// CHECK: aten.scaled_dot_product_attention
func.func @batches(%x: tensor<2x6x8xf32>, %q: tensor<8x8xf32> {kgen.parameter}, %k: tensor<8x8xf32> {kgen.parameter}, %v: tensor<8x8xf32> {kgen.parameter},
    %wq: tensor<4xf32> {kgen.parameter}, %wk: tensor<4xf32> {kgen.parameter}) -> tensor<2x2x6x4xf32> {
  %q0 = aten.linear %x, %q : (tensor<2x6x8xf32>, tensor<8x8xf32>) -> tensor<2x6x8xf32>
  %q1 = aten.view %q0 size [2, 6, 2, 4] : (tensor<2x6x8xf32>) -> tensor<2x6x2x4xf32>
  %q2 = aten.pow.Tensor_Scalar %q1 {exponent = 2.0} : (tensor<2x6x2x4xf32>) -> tensor<2x6x2x4xf32>
  %q3 = aten.mean.dim %q2 dim [-1] keepdim true : (tensor<2x6x2x4xf32>) -> tensor<2x6x2x1xf32>
  %q4 = aten.add.Scalar %q3 {other = 1.0e-06} : (tensor<2x6x2x1xf32>) -> tensor<2x6x2x1xf32>
  %q5 = aten.rsqrt %q4 : (tensor<2x6x2x1xf32>) -> tensor<2x6x2x1xf32>
  %q6 = aten.mul.Tensor %q1, %q5 : (tensor<2x6x2x4xf32>, tensor<2x6x2x1xf32>) -> tensor<2x6x2x4xf32>
  %q7 = aten.mul.Tensor %wq, %q6 : (tensor<4xf32>, tensor<2x6x2x4xf32>) -> tensor<2x6x2x4xf32>
  %q8 = aten.transpose.int %q7 dim0 1 dim1 2 : (tensor<2x6x2x4xf32>) -> tensor<2x2x6x4xf32>
  %k0 = aten.linear %x, %k : (tensor<2x6x8xf32>, tensor<8x8xf32>) -> tensor<2x6x8xf32>
  %k1 = aten.view %k0 size [2, 6, 2, 4] : (tensor<2x6x8xf32>) -> tensor<2x6x2x4xf32>
  %k2 = aten.pow.Tensor_Scalar %k1 {exponent = 2.0} : (tensor<2x6x2x4xf32>) -> tensor<2x6x2x4xf32>
  %k3 = aten.mean.dim %k2 dim [-1] keepdim true : (tensor<2x6x2x4xf32>) -> tensor<2x6x2x1xf32>
  %k4 = aten.add.Scalar %k3 {other = 1.0e-06} : (tensor<2x6x2x1xf32>) -> tensor<2x6x2x1xf32>
  %k5 = aten.rsqrt %k4 : (tensor<2x6x2x1xf32>) -> tensor<2x6x2x1xf32>
  %k6 = aten.mul.Tensor %k1, %k5 : (tensor<2x6x2x4xf32>, tensor<2x6x2x1xf32>) -> tensor<2x6x2x4xf32>
  %k7 = aten.mul.Tensor %wk, %k6 : (tensor<4xf32>, tensor<2x6x2x4xf32>) -> tensor<2x6x2x4xf32>
  %k8 = aten.transpose.int %k7 dim0 1 dim1 2 : (tensor<2x6x2x4xf32>) -> tensor<2x2x6x4xf32>
  %v0 = aten.linear %x, %v : (tensor<2x6x8xf32>, tensor<8x8xf32>) -> tensor<2x6x8xf32>
  %v1 = aten.view %v0 size [2, 6, 2, 4] : (tensor<2x6x8xf32>) -> tensor<2x6x2x4xf32>
  %v2 = aten.transpose.int %v1 dim0 1 dim1 2 : (tensor<2x6x2x4xf32>) -> tensor<2x2x6x4xf32>
  %a = aten.scaled_dot_product_attention %q8, %k8, %v2 : (tensor<2x2x6x4xf32>, tensor<2x2x6x4xf32>, tensor<2x2x6x4xf32>) -> tensor<2x2x6x4xf32>
  return %a : tensor<2x2x6x4xf32>
}

//--- read-twice.mlir
// Somebody else reads the keys' norm, so queries and values are left, and there is nothing to merge.
// CHECK-LABEL: func.func @read_twice
// CHECK: aten.cat %arg1, %arg3 :
// CHECK: aten.linear %arg0, %{{.*}} : {{.*}} -> tensor<1x6x16xf32>
// CHECK: aten.mean.dim {{.*}} -> tensor<1x6x2x1xf32>
// CHECK: aten.linear %arg0, %arg2
// CHECK: aten.mean.dim {{.*}} -> tensor<1x6x2x1xf32>
func.func @read_twice(%x: tensor<1x6x8xf32>, %q: tensor<8x8xf32> {kgen.parameter}, %k: tensor<8x8xf32> {kgen.parameter}, %v: tensor<8x8xf32> {kgen.parameter},
    %wq: tensor<4xf32> {kgen.parameter}, %wk: tensor<4xf32> {kgen.parameter}) -> (tensor<1x2x6x4xf32>, tensor<1x6x2x4xf32>) {
  %q0 = aten.linear %x, %q : (tensor<1x6x8xf32>, tensor<8x8xf32>) -> tensor<1x6x8xf32>
  %q1 = aten.view %q0 size [1, 6, 2, 4] : (tensor<1x6x8xf32>) -> tensor<1x6x2x4xf32>
  %q2 = aten.pow.Tensor_Scalar %q1 {exponent = 2.0} : (tensor<1x6x2x4xf32>) -> tensor<1x6x2x4xf32>
  %q3 = aten.mean.dim %q2 dim [-1] keepdim true : (tensor<1x6x2x4xf32>) -> tensor<1x6x2x1xf32>
  %q4 = aten.add.Scalar %q3 {other = 1.0e-06} : (tensor<1x6x2x1xf32>) -> tensor<1x6x2x1xf32>
  %q5 = aten.rsqrt %q4 : (tensor<1x6x2x1xf32>) -> tensor<1x6x2x1xf32>
  %q6 = aten.mul.Tensor %q1, %q5 : (tensor<1x6x2x4xf32>, tensor<1x6x2x1xf32>) -> tensor<1x6x2x4xf32>
  %q7 = aten.mul.Tensor %wq, %q6 : (tensor<4xf32>, tensor<1x6x2x4xf32>) -> tensor<1x6x2x4xf32>
  %q8 = aten.transpose.int %q7 dim0 1 dim1 2 : (tensor<1x6x2x4xf32>) -> tensor<1x2x6x4xf32>
  %k0 = aten.linear %x, %k : (tensor<1x6x8xf32>, tensor<8x8xf32>) -> tensor<1x6x8xf32>
  %k1 = aten.view %k0 size [1, 6, 2, 4] : (tensor<1x6x8xf32>) -> tensor<1x6x2x4xf32>
  %k2 = aten.pow.Tensor_Scalar %k1 {exponent = 2.0} : (tensor<1x6x2x4xf32>) -> tensor<1x6x2x4xf32>
  %k3 = aten.mean.dim %k2 dim [-1] keepdim true : (tensor<1x6x2x4xf32>) -> tensor<1x6x2x1xf32>
  %k4 = aten.add.Scalar %k3 {other = 1.0e-06} : (tensor<1x6x2x1xf32>) -> tensor<1x6x2x1xf32>
  %k5 = aten.rsqrt %k4 : (tensor<1x6x2x1xf32>) -> tensor<1x6x2x1xf32>
  %k6 = aten.mul.Tensor %k1, %k5 : (tensor<1x6x2x4xf32>, tensor<1x6x2x1xf32>) -> tensor<1x6x2x4xf32>
  %k7 = aten.mul.Tensor %wk, %k6 : (tensor<4xf32>, tensor<1x6x2x4xf32>) -> tensor<1x6x2x4xf32>
  %k8 = aten.transpose.int %k7 dim0 1 dim1 2 : (tensor<1x6x2x4xf32>) -> tensor<1x2x6x4xf32>
  %v0 = aten.linear %x, %v : (tensor<1x6x8xf32>, tensor<8x8xf32>) -> tensor<1x6x8xf32>
  %v1 = aten.view %v0 size [1, 6, 2, 4] : (tensor<1x6x8xf32>) -> tensor<1x6x2x4xf32>
  %v2 = aten.transpose.int %v1 dim0 1 dim1 2 : (tensor<1x6x2x4xf32>) -> tensor<1x2x6x4xf32>
  %a = aten.scaled_dot_product_attention %q8, %k8, %v2 : (tensor<1x2x6x4xf32>, tensor<1x2x6x4xf32>, tensor<1x2x6x4xf32>) -> tensor<1x2x6x4xf32>
  return %a, %k7 : tensor<1x2x6x4xf32>, tensor<1x6x2x4xf32>
}

//--- across.mlir
// Norms across the heads read no rows that lie where one product leaves them; values alone are nothing to join.
// CHECK: expected two linear products of one operand that one attention alone reads, found none
func.func @across(%x: tensor<1x6x8xf32>, %q: tensor<8x8xf32> {kgen.parameter}, %k: tensor<8x8xf32> {kgen.parameter}, %v: tensor<8x8xf32> {kgen.parameter},
    %wq: tensor<4xf32> {kgen.parameter}, %wk: tensor<4xf32> {kgen.parameter}) -> tensor<1x2x6x4xf32> {
  %q0 = aten.linear %x, %q : (tensor<1x6x8xf32>, tensor<8x8xf32>) -> tensor<1x6x8xf32>
  %q1 = aten.view %q0 size [1, 6, 2, 4] : (tensor<1x6x8xf32>) -> tensor<1x6x2x4xf32>
  %q2 = aten.pow.Tensor_Scalar %q1 {exponent = 2.0} : (tensor<1x6x2x4xf32>) -> tensor<1x6x2x4xf32>
  %q3 = aten.mean.dim %q2 dim [2] keepdim true : (tensor<1x6x2x4xf32>) -> tensor<1x6x1x4xf32>
  %q4 = aten.add.Scalar %q3 {other = 1.0e-06} : (tensor<1x6x1x4xf32>) -> tensor<1x6x1x4xf32>
  %q5 = aten.rsqrt %q4 : (tensor<1x6x1x4xf32>) -> tensor<1x6x1x4xf32>
  %q6 = aten.mul.Tensor %q1, %q5 : (tensor<1x6x2x4xf32>, tensor<1x6x1x4xf32>) -> tensor<1x6x2x4xf32>
  %q7 = aten.mul.Tensor %wq, %q6 : (tensor<4xf32>, tensor<1x6x2x4xf32>) -> tensor<1x6x2x4xf32>
  %q8 = aten.transpose.int %q7 dim0 1 dim1 2 : (tensor<1x6x2x4xf32>) -> tensor<1x2x6x4xf32>
  %k0 = aten.linear %x, %k : (tensor<1x6x8xf32>, tensor<8x8xf32>) -> tensor<1x6x8xf32>
  %k1 = aten.view %k0 size [1, 6, 2, 4] : (tensor<1x6x8xf32>) -> tensor<1x6x2x4xf32>
  %k2 = aten.pow.Tensor_Scalar %k1 {exponent = 2.0} : (tensor<1x6x2x4xf32>) -> tensor<1x6x2x4xf32>
  %k3 = aten.mean.dim %k2 dim [2] keepdim true : (tensor<1x6x2x4xf32>) -> tensor<1x6x1x4xf32>
  %k4 = aten.add.Scalar %k3 {other = 1.0e-06} : (tensor<1x6x1x4xf32>) -> tensor<1x6x1x4xf32>
  %k5 = aten.rsqrt %k4 : (tensor<1x6x1x4xf32>) -> tensor<1x6x1x4xf32>
  %k6 = aten.mul.Tensor %k1, %k5 : (tensor<1x6x2x4xf32>, tensor<1x6x1x4xf32>) -> tensor<1x6x2x4xf32>
  %k7 = aten.mul.Tensor %wk, %k6 : (tensor<4xf32>, tensor<1x6x2x4xf32>) -> tensor<1x6x2x4xf32>
  %k8 = aten.transpose.int %k7 dim0 1 dim1 2 : (tensor<1x6x2x4xf32>) -> tensor<1x2x6x4xf32>
  %v0 = aten.linear %x, %v : (tensor<1x6x8xf32>, tensor<8x8xf32>) -> tensor<1x6x8xf32>
  %v1 = aten.view %v0 size [1, 6, 2, 4] : (tensor<1x6x8xf32>) -> tensor<1x6x2x4xf32>
  %v2 = aten.transpose.int %v1 dim0 1 dim1 2 : (tensor<1x6x2x4xf32>) -> tensor<1x2x6x4xf32>
  %a = aten.scaled_dot_product_attention %q8, %k8, %v2 : (tensor<1x2x6x4xf32>, tensor<1x2x6x4xf32>, tensor<1x2x6x4xf32>) -> tensor<1x2x6x4xf32>
  return %a : tensor<1x2x6x4xf32>
}
