// RUN: kgen-oracle %s --check
// Written by Inputs/generate.py with PyTorch 2.13.0+cpu; do not edit.

// case: constant
// inputs: uniform
// expect:
//   1.5 2.0 -3.0
func.func @f(%a0: tensor<1xf32>) -> tensor<1x3xf32> {
  %r0 = aten.constant dense<[[1.5, 2.0, -3.0]]> : tensor<1x3xf32> : () -> tensor<1x3xf32>
  return %r0 : tensor<1x3xf32>
}

// -----
// case: constant_i64
// inputs: uniform
// expect:
//   7.0 -9.0
func.func @f(%a0: tensor<1xf32>) -> tensor<2xi64> {
  %r0 = aten.constant dense<[7, -9]> : tensor<2xi64> : () -> tensor<2xi64>
  return %r0 : tensor<2xi64>
}

// -----
// case: constant_i1
// inputs: uniform
// expect:
//   1.0 0.0
func.func @f(%a0: tensor<1xf32>) -> tensor<2xi1> {
  %r0 = aten.constant dense<[true, false]> : tensor<2xi1> : () -> tensor<2xi1>
  return %r0 : tensor<2xi1>
}

// -----
// case: full_f32
// inputs: uniform
// expect:
//   0.5 0.5 0.5 0.5 0.5 0.5
func.func @f(%a0: tensor<1xf32>) -> tensor<2x3xf32> {
  %r0 = aten.full size [2, 3] fill_value 0.5 dtype f32 : () -> tensor<2x3xf32>
  return %r0 : tensor<2x3xf32>
}

// -----
// case: full_like_f32
// inputs: uniform
// expect:
//   0.5 0.5 0.5 0.5 0.5 0.5
func.func @f(%a0: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r0 = aten.full_like %a0 fill_value 0.5 dtype f32 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %r0 : tensor<2x3xf32>
}

// -----
// case: full_i64
// inputs: uniform
// expect:
//   -3.0 -3.0 -3.0 -3.0 -3.0 -3.0
func.func @f(%a0: tensor<1xf32>) -> tensor<2x3xi64> {
  %r0 = aten.full size [2, 3] fill_value -3.0 dtype i64 : () -> tensor<2x3xi64>
  return %r0 : tensor<2x3xi64>
}

// -----
// case: full_like_i64
// inputs: uniform
// expect:
//   -3.0 -3.0 -3.0 -3.0 -3.0 -3.0
func.func @f(%a0: tensor<2x3xf32>) -> tensor<2x3xi64> {
  %r0 = aten.full_like %a0 fill_value -3.0 dtype i64 : (tensor<2x3xf32>) -> tensor<2x3xi64>
  return %r0 : tensor<2x3xi64>
}

// -----
// case: full_i1
// inputs: uniform
// expect:
//   1.0 1.0 1.0 1.0 1.0 1.0
func.func @f(%a0: tensor<1xf32>) -> tensor<2x3xi1> {
  %r0 = aten.full size [2, 3] fill_value 1.0 dtype i1 : () -> tensor<2x3xi1>
  return %r0 : tensor<2x3xi1>
}

// -----
// case: full_like_i1
// inputs: uniform
// expect:
//   1.0 1.0 1.0 1.0 1.0 1.0
func.func @f(%a0: tensor<2x3xf32>) -> tensor<2x3xi1> {
  %r0 = aten.full_like %a0 fill_value 1.0 dtype i1 : (tensor<2x3xf32>) -> tensor<2x3xi1>
  return %r0 : tensor<2x3xi1>
}

// -----
// case: arange.start_step_f32_1
// inputs: uniform
// expect:
//   0.0 1.0 2.0 3.0 4.0
func.func @f(%a0: tensor<1xf32>) -> tensor<5xf32> {
  %r0 = aten.arange.start_step start 0.0 end 5.0 step 1.0 dtype f32 : () -> tensor<5xf32>
  return %r0 : tensor<5xf32>
}

// -----
// case: arange.start_step_f32_-0.5
// inputs: uniform
// expect:
//   1.5 1.0 0.5 0.0 -0.5 -1.0
//   -1.5
func.func @f(%a0: tensor<1xf32>) -> tensor<7xf32> {
  %r0 = aten.arange.start_step start 1.5 end -2.0 step -0.5 dtype f32 : () -> tensor<7xf32>
  return %r0 : tensor<7xf32>
}

// -----
// case: arange.start_step_i64_3
// inputs: uniform
// expect:
//   3.0 6.0 9.0
func.func @f(%a0: tensor<1xf32>) -> tensor<3xi64> {
  %r0 = aten.arange.start_step start 3.0 end 11.0 step 3.0 dtype i64 : () -> tensor<3xi64>
  return %r0 : tensor<3xi64>
}

// -----
// case: arange.start_step_i32_1
// inputs: uniform
// expect:
//   0.0 1.0 2.0 3.0
func.func @f(%a0: tensor<1xf32>) -> tensor<4xi32> {
  %r0 = aten.arange.start_step start 0.0 end 4.0 step 1.0 dtype i32 : () -> tensor<4xi32>
  return %r0 : tensor<4xi32>
}
