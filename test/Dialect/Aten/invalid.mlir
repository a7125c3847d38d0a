// One violated constraint per split; the comment is its tag in the .td files.
// RUN: kgen-opt %s -split-input-file -verify-diagnostics

// pointwise: static
func.func @f(%a: tensor<?x8xf32>) {
  // expected-error @below {{'aten.relu' op operand #0 must be static-shape tensor of f64, f32, f16, bf16, i64 or i32, but got 'tensor<?x8xf32>'}}
  %0 = aten.relu %a : (tensor<?x8xf32>) -> tensor<?x8xf32>
  return
}

// -----

// pointwise: element type
func.func @f(%a: tensor<8xi32>) {
  // expected-error @below {{'aten.exp' op operand #0 must be static-shape tensor of f64, f32, f16 or bf16, but got 'tensor<8xi32>'}}
  %0 = aten.exp %a : (tensor<8xi32>) -> tensor<8xi32>
  return
}

// -----

// inferred shape
func.func @f(%a: tensor<4x8xf32>) {
  // expected-error @below {{'aten.relu' op expected result 0 to be 'tensor<4x8xf32>' but found 'tensor<8x4xf32>'}}
  %0 = aten.relu %a : (tensor<4x8xf32>) -> tensor<8x4xf32>
  return
}

// -----

// inferred element type
func.func @f(%a: tensor<8xf32>) {
  // expected-error @below {{'aten.relu' op expected result 0 to be 'tensor<8xf32>' but found 'tensor<8xf16>'}}
  %0 = aten.relu %a : (tensor<8xf32>) -> tensor<8xf16>
  return
}

// -----

// inferred second result
func.func @f(%a: tensor<4x8xf32>) {
  // expected-error @below {{'aten.max.dim' op expected result 1 to be 'tensor<4xi64>' but found 'tensor<8xi64>'}}
  %0:2 = aten.max.dim %a dim 1 : (tensor<4x8xf32>) -> (tensor<4xf32>, tensor<8xi64>)
  return
}

// -----

// broadcast_c1
func.func @f(%a: tensor<4x8xf32>, %b: tensor<4xf32>) {
  // expected-error @below {{'aten.add.Tensor' op expected shapes that broadcast but found [4, 8] and [4] [broadcast_c1]}}
  %0 = aten.add.Tensor %a, %b : (tensor<4x8xf32>, tensor<4xf32>) -> tensor<4x8xf32>
  return
}

// -----

// broadcast_c2
func.func @f(%a: tensor<8xf32>, %b: tensor<8xf16>) {
  // expected-error @below {{'aten.add.Tensor' op expected operand 1 to have element type 'f32' but found 'f16' [broadcast_c2]}}
  %0 = aten.add.Tensor %a, %b : (tensor<8xf32>, tensor<8xf16>) -> tensor<8xf32>
  return
}

// -----

// clamp_c1
func.func @f(%a: tensor<8xf32>) {
  // expected-error @below {{'aten.clamp' op expected min, max or both but found neither [clamp_c1]}}
  %0 = aten.clamp %a : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

// gelu_c1
func.func @f(%a: tensor<8xf32>) {
  // expected-error @below {{'aten.gelu' op expected approximate to be "none" or "tanh" but found "erf" [gelu_c1]}}
  %0 = aten.gelu %a {approximate = "erf"} : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

// reduce_c1
func.func @f(%a: tensor<4x8xf32>) {
  // expected-error @below {{'aten.mean.dim' op expected a dimension from -2 to 1 but found 2 [reduce_c1]}}
  %0 = aten.mean.dim %a dim [2] : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// reduce_c2
func.func @f(%a: tensor<4x8xf32>) {
  // expected-error @below {{'aten.sum.dim_IntList' op expected different dimensions but found -1 twice in [1, -1] [reduce_c2]}}
  %0 = aten.sum.dim_IntList %a dim [1, -1] : (tensor<4x8xf32>) -> tensor<4xf32>
  return
}

// -----

// bmm_c1
func.func @f(%a: tensor<4x8xf32>, %b: tensor<2x8x4xf32>) {
  // expected-error @below {{'aten.bmm' op expected operands of rank 3 but found 2 and 3 [bmm_c1]}}
  %0 = aten.bmm %a, %b : (tensor<4x8xf32>, tensor<2x8x4xf32>) -> tensor<2x4x4xf32>
  return
}

// -----

// bmm_c2
func.func @f(%a: tensor<2x4x8xf32>, %b: tensor<3x8x4xf32>) {
  // expected-error @below {{'aten.bmm' op expected equal batch extents but found 2 and 3 [bmm_c2]}}
  %0 = aten.bmm %a, %b : (tensor<2x4x8xf32>, tensor<3x8x4xf32>) -> tensor<2x4x4xf32>
  return
}

// -----

// bmm_c2
func.func @f(%a: tensor<4x8xf32>, %b: tensor<4x8xf32>) {
  // expected-error @below {{'aten.mm' op expected equal inner extents but found 8 and 4 [bmm_c2]}}
  %0 = aten.mm %a, %b : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// bmm_c2
func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x4xf16>) {
  // expected-error @below {{'aten.mm' op expected operand 1 to have element type 'f32' but found 'f16' [bmm_c2]}}
  %0 = aten.mm %a, %b : (tensor<4x8xf32>, tensor<8x4xf16>) -> tensor<4x4xf32>
  return
}

// -----

// matmul_c1
func.func @f(%a: tensor<f32>, %b: tensor<8x4xf32>) {
  // expected-error @below {{'aten.matmul' op expected operands of rank 1 or more but found 0 and 2 [matmul_c1]}}
  %0 = aten.matmul %a, %b : (tensor<f32>, tensor<8x4xf32>) -> tensor<4xf32>
  return
}

// -----

// matmul_c2
func.func @f(%a: tensor<4x8xf32>, %b: tensor<4x8xf32>) {
  // expected-error @below {{'aten.matmul' op expected equal inner extents but found 8 and 4 [matmul_c2]}}
  %0 = aten.matmul %a, %b : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// matmul_c3
func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x4xf16>) {
  // expected-error @below {{'aten.matmul' op expected operand 1 to have element type 'f32' but found 'f16' [matmul_c3]}}
  %0 = aten.matmul %a, %b : (tensor<4x8xf32>, tensor<8x4xf16>) -> tensor<4x4xf32>
  return
}

// -----

// broadcast_c1 in matmul
func.func @f(%a: tensor<2x4x8xf32>, %b: tensor<3x8x4xf32>) {
  // expected-error @below {{'aten.matmul' op expected batch dimensions that broadcast but found [2, 4, 8] and [3, 8, 4] [broadcast_c1]}}
  %0 = aten.matmul %a, %b : (tensor<2x4x8xf32>, tensor<3x8x4xf32>) -> tensor<2x4x4xf32>
  return
}

// -----

// linear_c1
func.func @f(%a: tensor<4x8xf32>, %b: tensor<8xf32>) {
  // expected-error @below {{'aten.linear' op expected an input of rank 1 or more and a weight of rank 2 but found ranks 2 and 1 [linear_c1]}}
  %0 = aten.linear %a, %b : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4xf32>
  return
}

// -----

// linear_c2
func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x16xf32>) {
  // expected-error @below {{'aten.linear' op expected the weight's dimension 1 to be 8 but found 16 [linear_c2]}}
  %0 = aten.linear %a, %b : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x8xf32>
  return
}

// -----

// linear_c3
func.func @f(%a: tensor<4x8xf32>, %b: tensor<16x8xf32>, %c: tensor<8xf32>) {
  // expected-error @below {{'aten.linear' op expected a bias of shape [16] but found [8] [linear_c3]}}
  %0 = aten.linear %a, %b, %c : (tensor<4x8xf32>, tensor<16x8xf32>, tensor<8xf32>) -> tensor<4x16xf32>
  return
}

// -----

// linear_c4
func.func @f(%a: tensor<4x8xf32>, %b: tensor<16x8xf16>) {
  // expected-error @below {{'aten.linear' op expected operand 1 to have element type 'f32' but found 'f16' [linear_c4]}}
  %0 = aten.linear %a, %b : (tensor<4x8xf32>, tensor<16x8xf16>) -> tensor<4x16xf32>
  return
}

// -----

// conv_c1
func.func @f(%a: tensor<4x8x8xf32>, %b: tensor<8x4x3x3xf32>) {
  // expected-error @below {{'aten.conv2d' op expected input and weight of rank 4 but found 3 and 4 [conv_c1]}}
  %0 = aten.conv2d %a, %b : (tensor<4x8x8xf32>, tensor<8x4x3x3xf32>) -> tensor<8x6x6xf32>
  return
}

// -----

// conv_c2
func.func @f(%a: tensor<1x3x8x8xf32>, %b: tensor<8x4x3x3xf32>) {
  // expected-error @below {{'aten.conv2d' op expected the weight's dimension 1 to be 3 but found 4 [conv_c2]}}
  %0 = aten.conv2d %a, %b : (tensor<1x3x8x8xf32>, tensor<8x4x3x3xf32>) -> tensor<1x8x6x6xf32>
  return
}

// -----

// conv_c3
func.func @f(%a: tensor<1x4x8x8xf32>, %b: tensor<8x4x3x3xf32>, %c: tensor<4xf32>) {
  // expected-error @below {{'aten.conv2d' op expected a bias of shape [8] but found [4] [conv_c3]}}
  %0 = aten.conv2d %a, %b, %c : (tensor<1x4x8x8xf32>, tensor<8x4x3x3xf32>, tensor<4xf32>) -> tensor<1x8x6x6xf32>
  return
}

// -----

// conv_c4
func.func @f(%a: tensor<1x4x8x8xf32>, %b: tensor<8x4x3x3xf32>) {
  // expected-error @below {{'aten.conv2d' op expected padding to hold 2 values of at least 0 but found [-1, 0] [conv_c4]}}
  %0 = aten.conv2d %a, %b padding [-1, 0] : (tensor<1x4x8x8xf32>, tensor<8x4x3x3xf32>) -> tensor<1x8x6x6xf32>
  return
}

// -----

// conv_c4
func.func @f(%a: tensor<1x4x8x8xf32>, %b: tensor<8x4x3x3xf32>) {
  // expected-error @below {{'aten.conv2d' op expected dilation to hold 2 values of at least 1 but found [1] [conv_c4]}}
  %0 = aten.conv2d %a, %b dilation [1] : (tensor<1x4x8x8xf32>, tensor<8x4x3x3xf32>) -> tensor<1x8x6x6xf32>
  return
}

// -----

// conv_c5
func.func @f(%a: tensor<1x4x8x8xf32>, %b: tensor<8x4x3x3xf32>) {
  // expected-error @below {{'aten.conv2d' op expected groups to divide the channels but found 3 groups of 4 input channels and a weight of shape [8, 4, 3, 3] [conv_c5]}}
  %0 = aten.conv2d %a, %b groups 3 : (tensor<1x4x8x8xf32>, tensor<8x4x3x3xf32>) -> tensor<1x8x6x6xf32>
  return
}

// -----

// conv_c6
func.func @f(%a: tensor<1x4x8x4xf32>, %b: tensor<8x4x3x3xf32>) {
  // expected-error @below {{'aten.conv2d' op expected a kernel of extent at most 4 (input and padding) in spatial dimension 1 but found 5 [conv_c6]}}
  %0 = aten.conv2d %a, %b dilation [1, 2] : (tensor<1x4x8x4xf32>, tensor<8x4x3x3xf32>) -> tensor<1x8x6x1xf32>
  return
}

// -----

// conv_c7
func.func @f(%a: tensor<1x4x8x8xf32>, %b: tensor<8x4x3x3xf16>) {
  // expected-error @below {{'aten.conv2d' op expected operand 1 to have element type 'f32' but found 'f16' [conv_c7]}}
  %0 = aten.conv2d %a, %b : (tensor<1x4x8x8xf32>, tensor<8x4x3x3xf16>) -> tensor<1x8x6x6xf32>
  return
}

// -----

// conv_transpose_c1
func.func @f(%a: tensor<1x4x8xf32>, %b: tensor<4x6x3x3xf32>) {
  // expected-error @below {{'aten.conv_transpose1d' op expected input and weight of rank 3 but found 3 and 4 [conv_transpose_c1]}}
  %0 = aten.conv_transpose1d %a, %b : (tensor<1x4x8xf32>, tensor<4x6x3x3xf32>) -> tensor<1x6x10xf32>
  return
}

// -----

// conv_transpose_c2
func.func @f(%a: tensor<1x4x8xf32>, %b: tensor<6x4x3xf32>) {
  // expected-error @below {{'aten.conv_transpose1d' op expected the weight's dimension 0 to be 4 but found 6 [conv_transpose_c2]}}
  %0 = aten.conv_transpose1d %a, %b : (tensor<1x4x8xf32>, tensor<6x4x3xf32>) -> tensor<1x4x10xf32>
  return
}

// -----

// conv_transpose_c3
func.func @f(%a: tensor<1x4x8xf32>, %b: tensor<4x3x3xf32>, %c: tensor<3xf32>) {
  // expected-error @below {{'aten.conv_transpose1d' op expected a bias of shape [6] but found [3] [conv_transpose_c3]}}
  %0 = aten.conv_transpose1d %a, %b, %c groups 2 : (tensor<1x4x8xf32>, tensor<4x3x3xf32>, tensor<3xf32>) -> tensor<1x6x10xf32>
  return
}

// -----

// conv_transpose_c4
func.func @f(%a: tensor<1x4x8xf32>, %b: tensor<4x6x3xf32>) {
  // expected-error @below {{'aten.conv_transpose1d' op expected output_padding to hold 1 values of at least 0 but found [0, 0] [conv_transpose_c4]}}
  %0 = aten.conv_transpose1d %a, %b output_padding [0, 0] : (tensor<1x4x8xf32>, tensor<4x6x3xf32>) -> tensor<1x6x10xf32>
  return
}

// -----

// conv_transpose_c5
func.func @f(%a: tensor<1x4x8xf32>, %b: tensor<4x6x3xf32>) {
  // expected-error @below {{'aten.conv_transpose1d' op expected groups to divide the channels but found 3 groups of 4 input channels and a weight of shape [4, 6, 3] [conv_transpose_c5]}}
  %0 = aten.conv_transpose1d %a, %b groups 3 : (tensor<1x4x8xf32>, tensor<4x6x3xf32>) -> tensor<1x18x10xf32>
  return
}

// -----

// conv_transpose_c6
func.func @f(%a: tensor<1x4x8xf32>, %b: tensor<4x6x3xf32>) {
  // expected-error @below {{'aten.conv_transpose1d' op expected output_padding below stride or dilation in spatial dimension 0 but found 2 [conv_transpose_c6]}}
  %0 = aten.conv_transpose1d %a, %b stride [2] output_padding [2] : (tensor<1x4x8xf32>, tensor<4x6x3xf32>) -> tensor<1x6x19xf32>
  return
}

// -----

// conv_transpose_c6
func.func @f(%a: tensor<1x4x8xf32>, %b: tensor<4x6x3xf32>) {
  // expected-error @below {{'aten.conv_transpose1d' op expected an output that is not empty in spatial dimension 0 but found extent -2 [conv_transpose_c6]}}
  %0 = aten.conv_transpose1d %a, %b padding [6] : (tensor<1x4x8xf32>, tensor<4x6x3xf32>) -> tensor<1x6x1xf32>
  return
}

// -----

// conv_transpose_c7
func.func @f(%a: tensor<1x4x8xf32>, %b: tensor<4x6x3xf16>) {
  // expected-error @below {{'aten.conv_transpose1d' op expected operand 1 to have element type 'f32' but found 'f16' [conv_transpose_c7]}}
  %0 = aten.conv_transpose1d %a, %b : (tensor<1x4x8xf32>, tensor<4x6x3xf16>) -> tensor<1x6x10xf32>
  return
}

// -----

// sdpa_c1
func.func @f(%a: tensor<8x4xf32>, %b: tensor<2x8x4xf32>, %c: tensor<2x8x4xf32>) {
  // expected-error @below {{'aten.scaled_dot_product_attention' op expected query, key and value of one rank from 2 on but found 2, 3 and 3 [sdpa_c1]}}
  %0 = aten.scaled_dot_product_attention %a, %b, %c : (tensor<8x4xf32>, tensor<2x8x4xf32>, tensor<2x8x4xf32>) -> tensor<8x4xf32>
  return
}

// -----

// sdpa_c2
func.func @f(%a: tensor<8x4xf32>, %b: tensor<8x5xf32>, %c: tensor<8x4xf32>) {
  // expected-error @below {{'aten.scaled_dot_product_attention' op expected shapes (..., L, E), (..., S, E) and (..., S, Ev) but found [8, 4], [8, 5] and [8, 4] [sdpa_c2]}}
  %0 = aten.scaled_dot_product_attention %a, %b, %c : (tensor<8x4xf32>, tensor<8x5xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return
}

// -----

// sdpa_c3
func.func @f(%a: tensor<8x4xf32>, %b: tensor<6x4xf32>, %c: tensor<6x4xf32>, %d: tensor<6x8xi1>) {
  // expected-error @below {{'aten.scaled_dot_product_attention' op expected a mask of i1 or 'f32' that broadcasts to [8, 6] but found 'tensor<6x8xi1>' [sdpa_c3]}}
  %0 = aten.scaled_dot_product_attention %a, %b, %c attn_mask %d : (tensor<8x4xf32>, tensor<6x4xf32>, tensor<6x4xf32>, tensor<6x8xi1>) -> tensor<8x4xf32>
  return
}

// -----

// sdpa_c4
func.func @f(%a: tensor<8x4xf32>, %b: tensor<8x4xf32>, %c: tensor<8x4xf32>, %d: tensor<8x8xi1>) {
  // expected-error @below {{'aten.scaled_dot_product_attention' op expected attn_mask or is_causal but found both [sdpa_c4]}}
  %0 = aten.scaled_dot_product_attention %a, %b, %c attn_mask %d is_causal true : (tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x8xi1>) -> tensor<8x4xf32>
  return
}

// -----

// sdpa_c5
func.func @f(%a: tensor<8x4xf32>, %b: tensor<8x4xf32>, %c: tensor<8x4xf32>) {
  // expected-error @below {{'aten.scaled_dot_product_attention' op expected dropout_p to be 0 but found 1.000000e-01 [sdpa_c5]}}
  %0 = aten.scaled_dot_product_attention %a, %b, %c dropout_p 0.1 : (tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return
}

// -----

// sdpa_c6
func.func @f(%a: tensor<8x4xf32>, %b: tensor<8x4xf32>, %c: tensor<8x4xf16>) {
  // expected-error @below {{'aten.scaled_dot_product_attention' op expected operand 2 to have element type 'f32' but found 'f16' [sdpa_c6]}}
  %0 = aten.scaled_dot_product_attention %a, %b, %c : (tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf16>) -> tensor<8x4xf32>
  return
}

// -----

// pool_c1
func.func @f(%a: tensor<8x8xf32>) {
  // expected-error @below {{'aten.max_pool2d' op expected an operand of rank 3 or 4 but found 2 [pool_c1]}}
  %0 = aten.max_pool2d %a kernel [2, 2] : (tensor<8x8xf32>) -> tensor<4x4xf32>
  return
}

// -----

// pool_c2
func.func @f(%a: tensor<1x8x8xf32>) {
  // expected-error @below {{'aten.max_pool2d' op expected kernel to hold 2 values of at least 1 but found [2] [pool_c2]}}
  %0 = aten.max_pool2d %a kernel [2] : (tensor<1x8x8xf32>) -> tensor<1x4x4xf32>
  return
}

// -----

// pool_c2
func.func @f(%a: tensor<1x8x8xf32>) {
  // expected-error @below {{'aten.avg_pool2d' op expected stride to hold 2 values of at least 1 but found [2, 0] [pool_c2]}}
  %0 = aten.avg_pool2d %a kernel [2, 2] stride [2, 0] : (tensor<1x8x8xf32>) -> tensor<1x4x4xf32>
  return
}

// -----

// pool_c3
func.func @f(%a: tensor<1x4x8xf32>) {
  // expected-error @below {{'aten.max_pool1d' op expected padding of at most half the window of 3 but found 2 [pool_c3]}}
  %0 = aten.max_pool1d %a kernel [3] padding [2] : (tensor<1x4x8xf32>) -> tensor<1x4x4xf32>
  return
}

// -----

// pool_c4
func.func @f(%a: tensor<1x4x2xf32>) {
  // expected-error @below {{'aten.max_pool1d' op expected a window of extent at most 2 (input and padding) in spatial dimension 0 but found 3 [pool_c4]}}
  %0 = aten.max_pool1d %a kernel [3] : (tensor<1x4x2xf32>) -> tensor<1x4x1xf32>
  return
}

// -----

// adaptive_c1
func.func @f(%a: tensor<1x2x3x8x8xf32>) {
  // expected-error @below {{'aten.adaptive_avg_pool2d' op expected an operand of rank 3 or 4 but found 5 [adaptive_c1]}}
  %0 = aten.adaptive_avg_pool2d %a output_size [1, 1] : (tensor<1x2x3x8x8xf32>) -> tensor<1x2x3x1x1xf32>
  return
}

// -----

// adaptive_c2
func.func @f(%a: tensor<1x2x8x8xf32>) {
  // expected-error @below {{'aten.adaptive_avg_pool2d' op expected output_size to hold 2 positive values but found [1, 0] [adaptive_c2]}}
  %0 = aten.adaptive_avg_pool2d %a output_size [1, 0] : (tensor<1x2x8x8xf32>) -> tensor<1x2x1x1xf32>
  return
}

// -----

// softmax_c1
func.func @f(%a: tensor<4x8xf32>) {
  // expected-error @below {{'aten.softmax.int' op expected a dimension from -2 to 1 but found -3 [softmax_c1]}}
  %0 = aten.softmax.int %a dim -3 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// batch_norm_c1
func.func @f(%a: tensor<4xf32>, %b: tensor<4xf32>, %c: tensor<4xf32>) {
  // expected-error @below {{'aten.batch_norm' op expected an input of rank 2 or more but found 1 [batch_norm_c1]}}
  %0 = aten.batch_norm %a running_mean %b running_var %c : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// batch_norm_c2
func.func @f(%a: tensor<2x4xf32>, %b: tensor<4xf32>, %c: tensor<2xf32>) {
  // expected-error @below {{'aten.batch_norm' op expected operand 2 to be 'tensor<4xf32>' but found 'tensor<2xf32>' [batch_norm_c2]}}
  %0 = aten.batch_norm %a running_mean %b running_var %c : (tensor<2x4xf32>, tensor<4xf32>, tensor<2xf32>) -> tensor<2x4xf32>
  return
}

// -----

// group_norm_c1
func.func @f(%a: tensor<4xf32>) {
  // expected-error @below {{'aten.group_norm' op expected an input of rank 2 or more but found 1 [group_norm_c1]}}
  %0 = aten.group_norm %a num_groups 2 : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// group_norm_c2
func.func @f(%a: tensor<2x4xf32>, %b: tensor<2xf32>) {
  // expected-error @below {{'aten.group_norm' op expected operand 1 to be 'tensor<4xf32>' but found 'tensor<2xf32>' [group_norm_c2]}}
  %0 = aten.group_norm %a weight %b num_groups 2 : (tensor<2x4xf32>, tensor<2xf32>) -> tensor<2x4xf32>
  return
}

// -----

// group_norm_c3
func.func @f(%a: tensor<2x4xf32>) {
  // expected-error @below {{'aten.group_norm' op expected num_groups to divide 4 channels but found 3 [group_norm_c3]}}
  %0 = aten.group_norm %a num_groups 3 : (tensor<2x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

// instance_norm_c1
func.func @f(%a: tensor<2x4xf32>) {
  // expected-error @below {{'aten.instance_norm' op expected an input of rank 3 or more but found 2 [instance_norm_c1]}}
  %0 = aten.instance_norm %a : (tensor<2x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

// instance_norm_c2
func.func @f(%a: tensor<2x4x8xf32>, %b: tensor<4xf16>) {
  // expected-error @below {{'aten.instance_norm' op expected operand 1 to be 'tensor<4xf32>' but found 'tensor<4xf16>' [instance_norm_c2]}}
  %0 = aten.instance_norm %a weight %b : (tensor<2x4x8xf32>, tensor<4xf16>) -> tensor<2x4x8xf32>
  return
}

// -----

// instance_norm_c3
func.func @f(%a: tensor<2x4x8xf32>) {
  // expected-error @below {{'aten.instance_norm' op expected running_mean and running_var without use_input_stats but found none [instance_norm_c3]}}
  %0 = aten.instance_norm %a use_input_stats false : (tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  return
}

// -----

// layer_norm_c1
func.func @f(%a: tensor<2x4x8xf32>) {
  // expected-error @below {{'aten.layer_norm' op expected normalized_shape to be the end of the input's shape [2, 4, 8] but found [2, 4] [layer_norm_c1]}}
  %0 = aten.layer_norm %a normalized_shape [2, 4] : (tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  return
}

// -----

// layer_norm_c2
func.func @f(%a: tensor<2x4x8xf32>, %b: tensor<8xf32>) {
  // expected-error @below {{'aten.layer_norm' op expected operand 1 to be 'tensor<4x8xf32>' but found 'tensor<8xf32>' [layer_norm_c2]}}
  %0 = aten.layer_norm %a weight %b normalized_shape [4, 8] : (tensor<2x4x8xf32>, tensor<8xf32>) -> tensor<2x4x8xf32>
  return
}

// -----

// view_c1
func.func @f(%a: tensor<4x8xf32>) {
  // expected-error @below {{'aten.view' op expected extents and at most one -1 but found [-1, -1] [view_c1]}}
  %0 = aten.view %a size [-1, -1] : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// view_c2
func.func @f(%a: tensor<4x8xf32>) {
  // expected-error @below {{'aten.reshape' op expected a shape of 32 elements but found [5, -1] [view_c2]}}
  %0 = aten.reshape %a shape [5, -1] : (tensor<4x8xf32>) -> tensor<5x6xf32>
  return
}

// -----

// expand_c1
func.func @f(%a: tensor<1x8xf32>) {
  // expected-error @below {{'aten.expand' op expected at least 2 dimensions but found [8] [expand_c1]}}
  %0 = aten.expand %a size [8] : (tensor<1x8xf32>) -> tensor<8xf32>
  return
}

// -----

// expand_c2
func.func @f(%a: tensor<4x8xf32>) {
  // expected-error @below {{'aten.expand' op expected a size that repeats only extents of 1 in [4, 8] but found [2, 4, 16] [expand_c2]}}
  %0 = aten.expand %a size [2, 4, 16] : (tensor<4x8xf32>) -> tensor<2x4x16xf32>
  return
}

// -----

// flatten_c1
func.func @f(%a: tensor<4x8xf32>) {
  // expected-error @below {{'aten.flatten.using_ints' op expected start_dim before end_dim but found 1 and 0 [flatten_c1]}}
  %0 = aten.flatten.using_ints %a start_dim 1 end_dim 0 : (tensor<4x8xf32>) -> tensor<32xf32>
  return
}

// -----

// dim_c1 in flatten
func.func @f(%a: tensor<4x8xf32>) {
  // expected-error @below {{'aten.flatten.using_ints' op expected a dimension from -2 to 1 but found 2 [dim_c1]}}
  %0 = aten.flatten.using_ints %a end_dim 2 : (tensor<4x8xf32>) -> tensor<32xf32>
  return
}

// -----

// permute_c1
func.func @f(%a: tensor<2x4x8xf32>) {
  // expected-error @below {{'aten.permute' op expected a permutation of 3 dimensions but found [0, 1, 1] [permute_c1]}}
  %0 = aten.permute %a dims [0, 1, 1] : (tensor<2x4x8xf32>) -> tensor<2x4x4xf32>
  return
}

// -----

// dim_c1 in transpose
func.func @f(%a: tensor<4x8xf32>) {
  // expected-error @below {{'aten.transpose.int' op expected a dimension from -2 to 1 but found 5 [dim_c1]}}
  %0 = aten.transpose.int %a dim0 0 dim1 5 : (tensor<4x8xf32>) -> tensor<8x4xf32>
  return
}

// -----

// dim_c1 in unsqueeze
func.func @f(%a: tensor<4x8xf32>) {
  // expected-error @below {{'aten.unsqueeze' op expected a dimension from -3 to 2 but found 3 [dim_c1]}}
  %0 = aten.unsqueeze %a dim 3 : (tensor<4x8xf32>) -> tensor<4x8x1xf32>
  return
}

// -----

// dim_c1 in squeeze
func.func @f(%a: tensor<4x8xf32>) {
  // expected-error @below {{'aten.squeeze.dim' op expected a dimension from -2 to 1 but found 2 [dim_c1]}}
  %0 = aten.squeeze.dim %a dim 2 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// dim_c1 on a scalar
func.func @f(%a: tensor<f32>) {
  // expected-error @below {{'aten.select.int' op expected an operand of rank 1 or more but found 0 [dim_c1]}}
  %0 = aten.select.int %a dim 0 index 0 : (tensor<f32>) -> tensor<f32>
  return
}

// -----

// select_c1
func.func @f(%a: tensor<4x8xf32>) {
  // expected-error @below {{'aten.select.int' op expected an index from -8 to 7 but found 8 [select_c1]}}
  %0 = aten.select.int %a dim 1 index 8 : (tensor<4x8xf32>) -> tensor<4xf32>
  return
}

// -----

// slice_c1
func.func @f(%a: tensor<4x8xf32>) {
  // expected-error @below {{'aten.slice.Tensor' op expected a positive step but found 0 [slice_c1]}}
  %0 = aten.slice.Tensor %a step 0 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// narrow_c1
func.func @f(%a: tensor<4x8xf32>) {
  // expected-error @below {{'aten.narrow' op expected a range within extent 4 but found start 3 and length 2 [narrow_c1]}}
  %0 = aten.narrow %a dim 0 start 3 length 2 : (tensor<4x8xf32>) -> tensor<2x8xf32>
  return
}

// -----

// cat_c2
func.func @f(%a: tensor<4x8xf32>, %b: tensor<4x4xf32>) {
  // expected-error @below {{'aten.cat' op expected operand 1 to agree with [4, 8] outside dimension 0 but found [4, 4] [cat_c2]}}
  %0 = aten.cat %a, %b : (tensor<4x8xf32>, tensor<4x4xf32>) -> tensor<8x8xf32>
  return
}

// -----

// cat_c2
func.func @f(%a: tensor<8xf32>, %b: tensor<8xf16>) {
  // expected-error @below {{'aten.cat' op expected operand 1 to have element type 'f32' but found 'f16' [cat_c2]}}
  %0 = aten.cat %a, %b : (tensor<8xf32>, tensor<8xf16>) -> tensor<16xf32>
  return
}

// -----

// triangle_c1
func.func @f(%a: tensor<8xf32>) {
  // expected-error @below {{'aten.tril' op expected an operand of rank 2 or more but found 1 [triangle_c1]}}
  %0 = aten.tril %a : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

// dim_c1
func.func @f(%a: tensor<4x8xf32>) {
  // expected-error @below {{'aten.cumsum' op expected}}
  %0 = aten.cumsum %a dim 2 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// reduce_c2
func.func @f(%a: tensor<4x8xf32>) {
  // expected-error @below {{'aten.flip' op expected different dimensions but found -1 twice in [1, -1] [reduce_c2]}}
  %0 = aten.flip %a dims [1, -1] : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// cat_c1
func.func @f() {
  // expected-error @below {{'aten.cat' op expected at least one tensor but found none [cat_c1]}}
  %0 = aten.cat : () -> tensor<8xf32>
  return
}

// -----

func.func @f(%a: tensor<8xf32>) {
  // expected-error @below {{custom op 'aten.frobnicate' is unknown}}
  %0 = aten.frobnicate %a : (tensor<8xf32>) -> tensor<8xf32>
  return
}
