// Losses of rows, by the first idea for a card: the rows are read once, and what a loss needs of them is one number each.
// RUN: kgen-opt %s -split-input-file --llm-lower=device=cuda | FileCheck %s

// A softmax whose elements are picked is not written; the losses and what they are divided by are summed by one kernel.
// CHECK-LABEL: func.func @cross_entropy
// CHECK: kgen.launch @{{.*}}::@log_softmax_int_0_rows {{.*}}tensor<32768xf32>
// CHECK: kgen.launch @{{.*}}::@sum_0_rows
// CHECK-NOT: kgen.launch
func.func @cross_entropy(
  %x0: tensor<32768x4096xf32>,
  %x1: tensor<32768xi64>
      {kgen.init = "integer(0, 1)"})
    -> tensor<f32> {
  %log_softmax = aten.log_softmax.int %x0 dim 1 : (tensor<32768x4096xf32>) -> tensor<32768x4096xf32>
  %ne = aten.ne.Scalar %x1 {other = -100.0} : (tensor<32768xi64>) -> tensor<32768xi1>
  %where_full = aten.full size [] fill_value 1.0 dtype f32 : () -> tensor<f32>
  %where_full_2 = aten.full size [] fill_value 0.0 dtype f32 : () -> tensor<f32>
  %where = aten.where.self %ne, %where_full, %where_full_2 : (tensor<32768xi1>, tensor<f32>, tensor<f32>) -> tensor<32768xf32>
  %ne_1 = aten.ne.Scalar %x1 {other = -100.0} : (tensor<32768xi64>) -> tensor<32768xi1>
  %ne_2 = aten.ne.Scalar %x1 {other = -100.0} : (tensor<32768xi64>) -> tensor<32768xi1>
  %where_1_full = aten.full size [] fill_value 0.0 dtype i64 : () -> tensor<i64>
  %where_1 = aten.where.self %ne_2, %x1, %where_1_full : (tensor<32768xi1>, tensor<32768xi64>, tensor<i64>) -> tensor<32768xi64>
  %unsqueeze = aten.unsqueeze %where_1 dim 1 : (tensor<32768xi64>) -> tensor<32768x1xi64>
  %gather = aten.gather %log_softmax, %unsqueeze dim 1 : (tensor<32768x4096xf32>, tensor<32768x1xi64>) -> tensor<32768x1xf32>
  %squeeze = aten.squeeze.dim %gather dim 1 : (tensor<32768x1xf32>) -> tensor<32768xf32>
  %neg = aten.neg %squeeze : (tensor<32768xf32>) -> tensor<32768xf32>
  %where_2_full = aten.full size [] fill_value 0.0 dtype f32 : () -> tensor<f32>
  %where_2 = aten.where.self %ne_1, %neg, %where_2_full : (tensor<32768xi1>, tensor<32768xf32>, tensor<f32>) -> tensor<32768xf32>
  %sum_1 = aten.sum %where : (tensor<32768xf32>) -> tensor<f32>
  %sum_2 = aten.sum %where_2 : (tensor<32768xf32>) -> tensor<f32>
  %div = aten.div.Tensor %sum_2, %sum_1 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %div : tensor<f32>
}

// -----

// Dense targets with a weight for each class: the weights of the rows come from a kernel of their own.
// CHECK-LABEL: func.func @ce_weight
// CHECK: kgen.launch @{{.*}}::@ce_weight_0_ne_where_index
// CHECK: kgen.launch @{{.*}}::@log_softmax_int_0_rows
// CHECK: kgen.launch @{{.*}}::@sum_0_rows
// CHECK-NOT: kgen.launch
func.func @ce_weight(
  %x: tensor<4096x1000xf32>,
  %t: tensor<4096xi64>
      {kgen.init = "integer(0, 999)"},
  %w: tensor<1000xf32>)
    -> tensor<f32> {
  %log_softmax = aten.log_softmax.int %x dim 1 : (tensor<4096x1000xf32>) -> tensor<4096x1000xf32>
  %view = aten.view %w size [1, -1] : (tensor<1000xf32>) -> tensor<1x1000xf32>
  %mul = aten.mul.Tensor %log_softmax, %view : (tensor<4096x1000xf32>, tensor<1x1000xf32>) -> tensor<4096x1000xf32>
  %ne = aten.ne.Scalar %t {other = -100.0} : (tensor<4096xi64>) -> tensor<4096xi1>
  %ne_1 = aten.ne.Scalar %t {other = -100.0} : (tensor<4096xi64>) -> tensor<4096xi1>
  %where_full = aten.full size [] fill_value 0.0 dtype i64 : () -> tensor<i64>
  %where = aten.where.self %ne_1, %t, %where_full : (tensor<4096xi1>, tensor<4096xi64>, tensor<i64>) -> tensor<4096xi64>
  %index = aten.index.Tensor %w, %where dims [0] : (tensor<1000xf32>, tensor<4096xi64>) -> tensor<4096xf32>
  %where_1_full = aten.full size [] fill_value 0.0 dtype f32 : () -> tensor<f32>
  %where_1 = aten.where.self %ne, %index, %where_1_full : (tensor<4096xi1>, tensor<4096xf32>, tensor<f32>) -> tensor<4096xf32>
  %ne_2 = aten.ne.Scalar %t {other = -100.0} : (tensor<4096xi64>) -> tensor<4096xi1>
  %ne_3 = aten.ne.Scalar %t {other = -100.0} : (tensor<4096xi64>) -> tensor<4096xi1>
  %where_2_full = aten.full size [] fill_value 0.0 dtype i64 : () -> tensor<i64>
  %where_2 = aten.where.self %ne_3, %t, %where_2_full : (tensor<4096xi1>, tensor<4096xi64>, tensor<i64>) -> tensor<4096xi64>
  %unsqueeze = aten.unsqueeze %where_2 dim 1 : (tensor<4096xi64>) -> tensor<4096x1xi64>
  %gather = aten.gather %mul, %unsqueeze dim 1 : (tensor<4096x1000xf32>, tensor<4096x1xi64>) -> tensor<4096x1xf32>
  %squeeze = aten.squeeze.dim %gather dim 1 : (tensor<4096x1xf32>) -> tensor<4096xf32>
  %neg = aten.neg %squeeze : (tensor<4096xf32>) -> tensor<4096xf32>
  %where_3_full = aten.full size [] fill_value 0.0 dtype f32 : () -> tensor<f32>
  %where_3 = aten.where.self %ne_2, %neg, %where_3_full : (tensor<4096xi1>, tensor<4096xf32>, tensor<f32>) -> tensor<4096xf32>
  %sum_1 = aten.sum %where_1 : (tensor<4096xf32>) -> tensor<f32>
  %sum_2 = aten.sum %where_3 : (tensor<4096xf32>) -> tensor<f32>
  %div = aten.div.Tensor %sum_2, %sum_1 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %div : tensor<f32>
}

// -----

// The anchors are read once for both distances.
// CHECK-LABEL: func.func @triplet
// CHECK: kgen.launch @{{.*}}::@linalg_vector_norm_0_rows
// CHECK: kgen.launch @{{.*}}::@mean_0_rows
// CHECK-NOT: kgen.launch
func.func @triplet(
  %x: tensor<32768x8192xf32>,
  %t: tensor<32768x8192xf32>,
  %r_0: tensor<32768x8192xf32>)
    -> tensor<f32> {
  %sub = aten.sub.Tensor %x, %t : (tensor<32768x8192xf32>, tensor<32768x8192xf32>) -> tensor<32768x8192xf32>
  %add = aten.add.Scalar %sub {other = 1.0e-06} : (tensor<32768x8192xf32>) -> tensor<32768x8192xf32>
  %linalg_vector_norm = aten.linalg_vector_norm %add dim [1] : (tensor<32768x8192xf32>) -> tensor<32768xf32>
  %sub_1 = aten.sub.Tensor %x, %r_0 : (tensor<32768x8192xf32>, tensor<32768x8192xf32>) -> tensor<32768x8192xf32>
  %add_1 = aten.add.Scalar %sub_1 {other = 1.0e-06} : (tensor<32768x8192xf32>) -> tensor<32768x8192xf32>
  %linalg_vector_norm_1 = aten.linalg_vector_norm %add_1 dim [1] : (tensor<32768x8192xf32>) -> tensor<32768xf32>
  %add_2 = aten.add.Scalar %linalg_vector_norm {other = 1.0} : (tensor<32768xf32>) -> tensor<32768xf32>
  %sub_2 = aten.sub.Tensor %add_2, %linalg_vector_norm_1 : (tensor<32768xf32>, tensor<32768xf32>) -> tensor<32768xf32>
  %clamp_min = aten.clamp %sub_2 {min = 0.0} : (tensor<32768xf32>) -> tensor<32768xf32>
  %mean = aten.mean %clamp_min : (tensor<32768xf32>) -> tensor<f32>
  return %mean : tensor<f32>
}

// -----

// A product and two lengths in one pass.
// CHECK-LABEL: func.func @cosine_similarity
// CHECK: kgen.launch @{{.*}}::@linalg_vector_norm_0_rows
// CHECK: kgen.launch @{{.*}}::@mean_0_rows
// CHECK-NOT: kgen.launch
func.func @cosine_similarity(
  %x: tensor<4096x8192xf32>,
  %t: tensor<4096x8192xf32>)
    -> tensor<f32> {
  %linalg_vector_norm = aten.linalg_vector_norm %x dim [1] : (tensor<4096x8192xf32>) -> tensor<4096xf32>
  %clamp = aten.clamp %linalg_vector_norm {min = 1.0e-08} : (tensor<4096xf32>) -> tensor<4096xf32>
  %linalg_vector_norm_1 = aten.linalg_vector_norm %t dim [1] : (tensor<4096x8192xf32>) -> tensor<4096xf32>
  %clamp_1 = aten.clamp %linalg_vector_norm_1 {min = 1.0e-08} : (tensor<4096xf32>) -> tensor<4096xf32>
  %mul = aten.mul.Tensor %x, %t : (tensor<4096x8192xf32>, tensor<4096x8192xf32>) -> tensor<4096x8192xf32>
  %sum_1 = aten.sum.dim_IntList %mul dim [1] : (tensor<4096x8192xf32>) -> tensor<4096xf32>
  %div = aten.div.Tensor %sum_1, %clamp : (tensor<4096xf32>, tensor<4096xf32>) -> tensor<4096xf32>
  %div_1 = aten.div.Tensor %div, %clamp_1 : (tensor<4096xf32>, tensor<4096xf32>) -> tensor<4096xf32>
  %rsub = aten.rsub.Scalar %div_1 {other = 1.0} : (tensor<4096xf32>) -> tensor<4096xf32>
  %mean = aten.mean %rsub : (tensor<4096xf32>) -> tensor<f32>
  return %mean : tensor<f32>
}
