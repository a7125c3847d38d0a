// One violated constraint per split, of the ops that came with Core ATen; the comment is its tag in the .td files.
// RUN: kgen-opt %s -split-input-file -verify-diagnostics

// where_c1
func.func @f(%c: tensor<4xi1>, %x: tensor<4xf32>, %y: tensor<4xf64>) {
  // expected-error @below {{'aten.where.self' op expected self and other of one element type but found 'f32' and 'f64' [where_c1]}}
  %0 = aten.where.self %c, %x, %y : (tensor<4xi1>, tensor<4xf32>, tensor<4xf64>) -> tensor<4xf32>
  return
}

// -----

// div_c1
func.func @f(%x: tensor<4xf32>) {
  // expected-error @below {{'aten.div.Tensor_mode' op expected rounding_mode to be "trunc" or "floor" but found "up" [div_c1]}}
  %0 = aten.div.Tensor_mode %x, %x {rounding_mode = "up"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// pow_c1
func.func @f(%x: tensor<4xi64>) {
  // expected-error @below {{'aten.pow.Tensor_Scalar' op expected a whole exponent from 0 to 63 of an integer but found 5.000000e-01 [pow_c1]}}
  %0 = aten.pow.Tensor_Scalar %x {exponent = 0.5} : (tensor<4xi64>) -> tensor<4xi64>
  return
}

// -----

// masked_fill: broadcast_c1
func.func @f(%x: tensor<4xf32>, %m: tensor<3xi1>) {
  // expected-error @below {{'aten.masked_fill.Scalar' op expected shapes that broadcast but found [4] and [3] [broadcast_c1]}}
  %0 = aten.masked_fill.Scalar %x, %m {value = 0.0} : (tensor<4xf32>, tensor<3xi1>) -> tensor<4xf32>
  return
}

// -----

// full_c1
func.func @f() {
  // expected-error @below {{'aten.full' op expected extents of at least 0 but found [-1] [full_c1]}}
  %0 = aten.full size [-1] fill_value 0.0 dtype f32 : () -> tensor<1xf32>
  return
}

// -----

// arange_c1
func.func @f() {
  // expected-error @below {{'aten.arange.start_step' op expected a step that leads from 0.000000e+00 to 4.000000e+00 but found -1.000000e+00 [arange_c1]}}
  %0 = aten.arange.start_step start 0.0 end 4.0 step -1.0 dtype i64 : () -> tensor<4xi64>
  return
}

// -----

// constant_c1
func.func @f() {
  // expected-error @below {{'aten.constant' op expected the elements of a tensor but found 'vector<2xi64>' [constant_c1]}}
  %0 = aten.constant dense<0> : vector<2xi64> : () -> tensor<2xi64>
  return
}

// -----

// embedding_c1
func.func @f(%w: tensor<4xf32>, %i: tensor<2xi64>) {
  // expected-error @below {{'aten.embedding' op expected a weight of rank 2 but found 1 [embedding_c1]}}
  %0 = aten.embedding %w, %i : (tensor<4xf32>, tensor<2xi64>) -> tensor<2x4xf32>
  return
}

// -----

// index_select_c1
func.func @f(%x: tensor<4x4xf32>, %i: tensor<2x2xi64>) {
  // expected-error @below {{'aten.index_select' op expected an index of rank 1 but found 2 [index_select_c1]}}
  %0 = aten.index_select %x, %i dim 0 : (tensor<4x4xf32>, tensor<2x2xi64>) -> tensor<4x4xf32>
  return
}

// -----

// gather_c1
func.func @f(%x: tensor<4x4xf32>, %i: tensor<2x5xi64>) {
  // expected-error @below {{'aten.gather' op expected an index within [4, 4] but for dimension 0 but found [2, 5] [gather_c1]}}
  %0 = aten.gather %x, %i dim 0 : (tensor<4x4xf32>, tensor<2x5xi64>) -> tensor<2x5xf32>
  return
}

// -----

// index_c1
func.func @f(%x: tensor<4x4xf32>, %i: tensor<2xi64>) {
  // expected-error @below {{'aten.index.Tensor' op expected 1 increasing dimensions of a tensor of rank 2 but found [2] [index_c1]}}
  %0 = aten.index.Tensor %x, %i dims [2] : (tensor<4x4xf32>, tensor<2xi64>) -> tensor<2xf32>
  return
}

// -----

// index: broadcast_c1
func.func @f(%x: tensor<4x4xf32>, %i: tensor<2xi64>, %j: tensor<3xi64>) {
  // expected-error @below {{'aten.index.Tensor' op expected indices that broadcast but found different shapes [broadcast_c1]}}
  %0 = aten.index.Tensor %x, %i, %j dims [0, 1] : (tensor<4x4xf32>, tensor<2xi64>, tensor<3xi64>) -> tensor<2xf32>
  return
}

// -----

// index_put_c1
func.func @f(%x: tensor<4x4xf32>, %i: tensor<2xi64>, %v: tensor<3xf32>) {
  // expected-error @below {{'aten.index_put' op expected values of 'f32' that broadcast to [2, 4] but found 'tensor<3xf32>' [index_put_c1]}}
  %0 = aten.index_put %x, %i values %v dims [0] : (tensor<4x4xf32>, tensor<2xi64>, tensor<3xf32>) -> tensor<4x4xf32>
  return
}

// -----

// scatter_c1
func.func @f(%x: tensor<4x4xf32>, %i: tensor<2x4xi64>, %s: tensor<1x4xf32>) {
  // expected-error @below {{'aten.scatter_add' op expected a source of 'f32' of at least [2, 4] but found 'tensor<1x4xf32>' [scatter_c1]}}
  %0 = aten.scatter_add %x, %i, %s dim 0 : (tensor<4x4xf32>, tensor<2x4xi64>, tensor<1x4xf32>) -> tensor<4x4xf32>
  return
}

// -----

// scatter_reduce_c1
func.func @f(%x: tensor<4xi64>, %i: tensor<2xi64>) {
  // expected-error @below {{'aten.scatter_reduce.two' op expected reduce to be sum, prod, amax, amin or, of floats, mean but found "mean" [scatter_reduce_c1]}}
  %0 = aten.scatter_reduce.two %x, %i, %i dim 0 reduce "mean" : (tensor<4xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<4xi64>
  return
}

// -----

// slice_scatter_c1
func.func @f(%x: tensor<4xf32>, %s: tensor<3xf32>) {
  // expected-error @below {{'aten.slice_scatter' op expected a source of type 'tensor<2xf32>' but found 'tensor<3xf32>' [slice_scatter_c1]}}
  %0 = aten.slice_scatter %x, %s end 2 : (tensor<4xf32>, tensor<3xf32>) -> tensor<4xf32>
  return
}

// -----

// topk_c1
func.func @f(%x: tensor<4xf32>) {
  // expected-error @below {{'aten.topk' op expected k from 1 to 4 but found 5 [topk_c1]}}
  %v, %i = aten.topk %x k 5 : (tensor<4xf32>) -> (tensor<5xf32>, tensor<5xi64>)
  return
}

// -----

// grouped_mm_c1
func.func @f(%x: tensor<4xf32>, %w: tensor<2x4x3xf32>, %o: tensor<2xi64>) {
  // expected-error @below {{'aten._grouped_mm' op expected operands of rank 2 and 3 but found 1 and 3 [grouped_mm_c1]}}
  %0 = aten._grouped_mm %x, %w, %o : (tensor<4xf32>, tensor<2x4x3xf32>, tensor<2xi64>) -> tensor<3xf32>
  return
}

// -----

// grouped_mm_c2
func.func @f(%x: tensor<6x5xf32>, %w: tensor<2x4x3xf32>, %o: tensor<2xi64>) {
  // expected-error @below {{'aten._grouped_mm' op expected matrices of 'f32' with 5 rows but found 'tensor<2x4x3xf32>' [grouped_mm_c2]}}
  %0 = aten._grouped_mm %x, %w, %o : (tensor<6x5xf32>, tensor<2x4x3xf32>, tensor<2xi64>) -> tensor<6x3xf32>
  return
}

// -----

// grouped_mm_c3
func.func @f(%x: tensor<6x4xf32>, %w: tensor<2x4x3xf32>, %o: tensor<3xi64>) {
  // expected-error @below {{'aten._grouped_mm' op expected offs of shape [2] but found [3] [grouped_mm_c3]}}
  %0 = aten._grouped_mm %x, %w, %o : (tensor<6x4xf32>, tensor<2x4x3xf32>, tensor<3xi64>) -> tensor<6x3xf32>
  return
}

// -----

// repeat_c1
func.func @f(%x: tensor<4x4xf32>) {
  // expected-error @below {{'aten.repeat' op expected at least 2 repeats but found [2] [repeat_c1]}}
  %0 = aten.repeat %x repeats [2] : (tensor<4x4xf32>) -> tensor<8xf32>
  return
}

// -----

// repeat_c2
func.func @f(%x: tensor<4xf32>) {
  // expected-error @below {{'aten.repeat' op expected repeats of at least 0 but found [-1] [repeat_c2]}}
  %0 = aten.repeat %x repeats [-1] : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// roll_c1
func.func @f(%x: tensor<4xf32>) {
  // expected-error @below {{'aten.roll' op expected a shift for each of 1 dimensions but found [1, 2] [roll_c1]}}
  %0 = aten.roll %x shifts [1, 2] dims [0] : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// pad_c1
func.func @f(%x: tensor<4xf32>) {
  // expected-error @below {{'aten.constant_pad_nd' op expected two numbers for each of at most 1 dimensions but found [1] [pad_c1]}}
  %0 = aten.constant_pad_nd %x pad [1] : (tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

// pad_c2
func.func @f(%x: tensor<4xf32>) {
  // expected-error @below {{'aten.constant_pad_nd' op expected padding that takes at most the extent 4 but found -2 and -3 [pad_c2]}}
  %0 = aten.constant_pad_nd %x pad [-2, -3] : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// unfold_c1
func.func @f(%x: tensor<4xf32>) {
  // expected-error @below {{'aten.unfold' op expected windows of at most 4 elements and a positive step but found 5 and 1 [unfold_c1]}}
  %0 = aten.unfold %x dimension 0 size 5 step 1 : (tensor<4xf32>) -> tensor<1x5xf32>
  return
}

// -----

// diagonal_c1
func.func @f(%x: tensor<4x4xf32>) {
  // expected-error @below {{'aten.diagonal' op expected two dimensions but found 1 twice [diagonal_c1]}}
  %0 = aten.diagonal %x dim1 1 : (tensor<4x4xf32>) -> tensor<4xf32>
  return
}

// -----

// as_strided_c1
func.func @f(%x: tensor<4xf32>) {
  // expected-error @below {{'aten.as_strided' op expected a stride for each of 1 extents but found [2] and [1, 1] [as_strided_c1]}}
  %0 = aten.as_strided %x size [2] stride [1, 1] : (tensor<4xf32>) -> tensor<2xf32>
  return
}

// -----

// as_strided_c2
func.func @f(%x: tensor<4xf32>) {
  // expected-error @below {{'aten.as_strided' op expected elements from 0 to 3 but found 0 to 4 [as_strided_c2]}}
  %0 = aten.as_strided %x size [3] stride [2] : (tensor<4xf32>) -> tensor<3xf32>
  return
}
