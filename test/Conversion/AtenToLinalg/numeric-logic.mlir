// RUN: kgen-oracle %s --check
// Written by Inputs/generate.py with PyTorch 2.13.0+cpu; do not edit.

// case: eq.Tensor_f32
// inputs: uniform uniform
// expect:
//   0.0 0.0 0.0 0.0 0.0 0.0
//   0.0 0.0 0.0 0.0 0.0 0.0
func.func @f(%a0: tensor<3x4xf32>, %a1: tensor<4xf32>) -> tensor<3x4xi1> {
  %r0 = aten.eq.Tensor %a0, %a1 : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3x4xi1>
  return %r0 : tensor<3x4xi1>
}

// -----
// case: eq.Tensor_i64
// inputs: integer integer
// expect:
//   0.0 0.0 0.0 1.0 0.0 0.0
//   0.0 0.0 0.0 0.0 0.0 1.0
func.func @f(%a0: tensor<3x4xi64>, %a1: tensor<4xi64>) -> tensor<3x4xi1> {
  %r0 = aten.eq.Tensor %a0, %a1 : (tensor<3x4xi64>, tensor<4xi64>) -> tensor<3x4xi1>
  return %r0 : tensor<3x4xi1>
}

// -----
// case: eq.Tensor_i32
// inputs: integer integer
// expect:
//   0.0 0.0 0.0 1.0 0.0 0.0
//   0.0 0.0 0.0 0.0 0.0 1.0
func.func @f(%a0: tensor<3x4xi32>, %a1: tensor<4xi32>) -> tensor<3x4xi1> {
  %r0 = aten.eq.Tensor %a0, %a1 : (tensor<3x4xi32>, tensor<4xi32>) -> tensor<3x4xi1>
  return %r0 : tensor<3x4xi1>
}

// -----
// case: eq.Tensor_i1
// inputs: bool bool
// expect:
//   1.0 1.0 0.0 1.0 1.0 1.0
//   0.0 1.0 1.0 1.0 0.0 1.0
func.func @f(%a0: tensor<3x4xi1>, %a1: tensor<4xi1>) -> tensor<3x4xi1> {
  %r0 = aten.eq.Tensor %a0, %a1 : (tensor<3x4xi1>, tensor<4xi1>) -> tensor<3x4xi1>
  return %r0 : tensor<3x4xi1>
}

// -----
// case: eq.Scalar_f32
// inputs: uniform
// expect:
//   0.0 0.0 0.0 0.0 0.0 0.0
//   0.0 0.0 0.0 0.0 0.0 0.0
func.func @f(%a0: tensor<3x4xf32>) -> tensor<3x4xi1> {
  %r0 = aten.eq.Scalar %a0 {other = 0.5} : (tensor<3x4xf32>) -> tensor<3x4xi1>
  return %r0 : tensor<3x4xi1>
}

// -----
// case: eq.Scalar_i64
// inputs: integer
// expect:
//   0.0 0.0 0.0 1.0 1.0 1.0
//   0.0 0.0 0.0 1.0 0.0 1.0
func.func @f(%a0: tensor<3x4xi64>) -> tensor<3x4xi1> {
  %r0 = aten.eq.Scalar %a0 {other = 1.0} : (tensor<3x4xi64>) -> tensor<3x4xi1>
  return %r0 : tensor<3x4xi1>
}

// -----
// case: eq.Scalar_i1
// inputs: bool
// expect:
//   1.0 1.0 1.0 0.0 1.0 1.0
//   1.0 0.0 1.0 1.0 1.0 0.0
func.func @f(%a0: tensor<3x4xi1>) -> tensor<3x4xi1> {
  %r0 = aten.eq.Scalar %a0 {other = 1.0} : (tensor<3x4xi1>) -> tensor<3x4xi1>
  return %r0 : tensor<3x4xi1>
}

// -----
// case: eq.Tensor_special
// inputs: special special
// expect:
//   0.0 0.0 0.0 0.0 0.0 0.0
//   0.0 0.0 0.0 0.0 0.0 0.0
//   0.0 1.0 0.0 0.0 0.0 0.0
//   0.0 0.0 0.0 0.0 0.0 0.0
//   0.0 0.0 1.0 0.0 0.0 0.0
//   0.0 0.0 0.0 0.0 0.0 0.0
//   0.0 0.0 0.0 1.0 1.0 0.0
//   0.0 0.0 0.0 0.0 0.0 0.0
//   0.0 0.0 0.0 1.0 1.0 0.0
//   0.0 0.0 0.0 0.0 0.0 0.0
func.func @f(%a0: tensor<12xf32>, %a1: tensor<5x1xf32>) -> tensor<5x12xi1> {
  %r0 = aten.eq.Tensor %a0, %a1 : (tensor<12xf32>, tensor<5x1xf32>) -> tensor<5x12xi1>
  return %r0 : tensor<5x12xi1>
}

// -----
// case: ge.Tensor_f32
// inputs: uniform uniform
// expect:
//   1.0 1.0 0.0 0.0 0.0 1.0
//   1.0 0.0 0.0 1.0 0.0 0.0
func.func @f(%a0: tensor<3x4xf32>, %a1: tensor<4xf32>) -> tensor<3x4xi1> {
  %r0 = aten.ge.Tensor %a0, %a1 : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3x4xi1>
  return %r0 : tensor<3x4xi1>
}

// -----
// case: ge.Tensor_i64
// inputs: integer integer
// expect:
//   0.0 0.0 0.0 1.0 1.0 1.0
//   0.0 0.0 1.0 1.0 0.0 1.0
func.func @f(%a0: tensor<3x4xi64>, %a1: tensor<4xi64>) -> tensor<3x4xi1> {
  %r0 = aten.ge.Tensor %a0, %a1 : (tensor<3x4xi64>, tensor<4xi64>) -> tensor<3x4xi1>
  return %r0 : tensor<3x4xi1>
}

// -----
// case: ge.Tensor_i32
// inputs: integer integer
// expect:
//   0.0 0.0 0.0 1.0 1.0 1.0
//   0.0 0.0 1.0 1.0 0.0 1.0
func.func @f(%a0: tensor<3x4xi32>, %a1: tensor<4xi32>) -> tensor<3x4xi1> {
  %r0 = aten.ge.Tensor %a0, %a1 : (tensor<3x4xi32>, tensor<4xi32>) -> tensor<3x4xi1>
  return %r0 : tensor<3x4xi1>
}

// -----
// case: ge.Tensor_i1
// inputs: bool bool
// expect:
//   1.0 1.0 1.0 1.0 1.0 1.0
//   1.0 1.0 1.0 1.0 1.0 1.0
func.func @f(%a0: tensor<3x4xi1>, %a1: tensor<4xi1>) -> tensor<3x4xi1> {
  %r0 = aten.ge.Tensor %a0, %a1 : (tensor<3x4xi1>, tensor<4xi1>) -> tensor<3x4xi1>
  return %r0 : tensor<3x4xi1>
}

// -----
// case: ge.Scalar_f32
// inputs: uniform
// expect:
//   1.0 0.0 0.0 0.0 0.0 0.0
//   1.0 0.0 0.0 1.0 0.0 0.0
func.func @f(%a0: tensor<3x4xf32>) -> tensor<3x4xi1> {
  %r0 = aten.ge.Scalar %a0 {other = 0.5} : (tensor<3x4xf32>) -> tensor<3x4xi1>
  return %r0 : tensor<3x4xi1>
}

// -----
// case: ge.Scalar_i64
// inputs: integer
// expect:
//   0.0 0.0 0.0 1.0 1.0 1.0
//   0.0 0.0 0.0 1.0 0.0 1.0
func.func @f(%a0: tensor<3x4xi64>) -> tensor<3x4xi1> {
  %r0 = aten.ge.Scalar %a0 {other = 1.0} : (tensor<3x4xi64>) -> tensor<3x4xi1>
  return %r0 : tensor<3x4xi1>
}

// -----
// case: ge.Scalar_i1
// inputs: bool
// expect:
//   1.0 1.0 1.0 0.0 1.0 1.0
//   1.0 0.0 1.0 1.0 1.0 0.0
func.func @f(%a0: tensor<3x4xi1>) -> tensor<3x4xi1> {
  %r0 = aten.ge.Scalar %a0 {other = 1.0} : (tensor<3x4xi1>) -> tensor<3x4xi1>
  return %r0 : tensor<3x4xi1>
}

// -----
// case: ge.Tensor_special
// inputs: special special
// expect:
//   0.0 0.0 0.0 0.0 0.0 0.0
//   0.0 0.0 0.0 0.0 0.0 0.0
//   0.0 1.0 0.0 0.0 0.0 0.0
//   0.0 0.0 0.0 0.0 0.0 0.0
//   0.0 1.0 1.0 1.0 1.0 1.0
//   1.0 1.0 1.0 1.0 1.0 1.0
//   0.0 1.0 0.0 1.0 1.0 1.0
//   0.0 1.0 0.0 1.0 0.0 1.0
//   0.0 1.0 0.0 1.0 1.0 1.0
//   0.0 1.0 0.0 1.0 0.0 1.0
func.func @f(%a0: tensor<12xf32>, %a1: tensor<5x1xf32>) -> tensor<5x12xi1> {
  %r0 = aten.ge.Tensor %a0, %a1 : (tensor<12xf32>, tensor<5x1xf32>) -> tensor<5x12xi1>
  return %r0 : tensor<5x12xi1>
}

// -----
// case: gt.Tensor_f32
// inputs: uniform uniform
// expect:
//   1.0 1.0 0.0 0.0 0.0 1.0
//   1.0 0.0 0.0 1.0 0.0 0.0
func.func @f(%a0: tensor<3x4xf32>, %a1: tensor<4xf32>) -> tensor<3x4xi1> {
  %r0 = aten.gt.Tensor %a0, %a1 : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3x4xi1>
  return %r0 : tensor<3x4xi1>
}

// -----
// case: gt.Tensor_i64
// inputs: integer integer
// expect:
//   0.0 0.0 0.0 0.0 1.0 1.0
//   0.0 0.0 1.0 1.0 0.0 0.0
func.func @f(%a0: tensor<3x4xi64>, %a1: tensor<4xi64>) -> tensor<3x4xi1> {
  %r0 = aten.gt.Tensor %a0, %a1 : (tensor<3x4xi64>, tensor<4xi64>) -> tensor<3x4xi1>
  return %r0 : tensor<3x4xi1>
}

// -----
// case: gt.Tensor_i32
// inputs: integer integer
// expect:
//   0.0 0.0 0.0 0.0 1.0 1.0
//   0.0 0.0 1.0 1.0 0.0 0.0
func.func @f(%a0: tensor<3x4xi32>, %a1: tensor<4xi32>) -> tensor<3x4xi1> {
  %r0 = aten.gt.Tensor %a0, %a1 : (tensor<3x4xi32>, tensor<4xi32>) -> tensor<3x4xi1>
  return %r0 : tensor<3x4xi1>
}

// -----
// case: gt.Tensor_i1
// inputs: bool bool
// expect:
//   0.0 0.0 1.0 0.0 0.0 0.0
//   1.0 0.0 0.0 0.0 1.0 0.0
func.func @f(%a0: tensor<3x4xi1>, %a1: tensor<4xi1>) -> tensor<3x4xi1> {
  %r0 = aten.gt.Tensor %a0, %a1 : (tensor<3x4xi1>, tensor<4xi1>) -> tensor<3x4xi1>
  return %r0 : tensor<3x4xi1>
}

// -----
// case: gt.Scalar_f32
// inputs: uniform
// expect:
//   1.0 0.0 0.0 0.0 0.0 0.0
//   1.0 0.0 0.0 1.0 0.0 0.0
func.func @f(%a0: tensor<3x4xf32>) -> tensor<3x4xi1> {
  %r0 = aten.gt.Scalar %a0 {other = 0.5} : (tensor<3x4xf32>) -> tensor<3x4xi1>
  return %r0 : tensor<3x4xi1>
}

// -----
// case: gt.Scalar_i64
// inputs: integer
// expect:
//   0.0 0.0 0.0 0.0 0.0 0.0
//   0.0 0.0 0.0 0.0 0.0 0.0
func.func @f(%a0: tensor<3x4xi64>) -> tensor<3x4xi1> {
  %r0 = aten.gt.Scalar %a0 {other = 1.0} : (tensor<3x4xi64>) -> tensor<3x4xi1>
  return %r0 : tensor<3x4xi1>
}

// -----
// case: gt.Scalar_i1
// inputs: bool
// expect:
//   0.0 0.0 0.0 0.0 0.0 0.0
//   0.0 0.0 0.0 0.0 0.0 0.0
func.func @f(%a0: tensor<3x4xi1>) -> tensor<3x4xi1> {
  %r0 = aten.gt.Scalar %a0 {other = 1.0} : (tensor<3x4xi1>) -> tensor<3x4xi1>
  return %r0 : tensor<3x4xi1>
}

// -----
// case: gt.Tensor_special
// inputs: special special
// expect:
//   0.0 0.0 0.0 0.0 0.0 0.0
//   0.0 0.0 0.0 0.0 0.0 0.0
//   0.0 0.0 0.0 0.0 0.0 0.0
//   0.0 0.0 0.0 0.0 0.0 0.0
//   0.0 1.0 0.0 1.0 1.0 1.0
//   1.0 1.0 1.0 1.0 1.0 1.0
//   0.0 1.0 0.0 0.0 0.0 1.0
//   0.0 1.0 0.0 1.0 0.0 1.0
//   0.0 1.0 0.0 0.0 0.0 1.0
//   0.0 1.0 0.0 1.0 0.0 1.0
func.func @f(%a0: tensor<12xf32>, %a1: tensor<5x1xf32>) -> tensor<5x12xi1> {
  %r0 = aten.gt.Tensor %a0, %a1 : (tensor<12xf32>, tensor<5x1xf32>) -> tensor<5x12xi1>
  return %r0 : tensor<5x12xi1>
}

// -----
// case: le.Tensor_f32
// inputs: uniform uniform
// expect:
//   0.0 0.0 1.0 1.0 1.0 0.0
//   0.0 1.0 1.0 0.0 1.0 1.0
func.func @f(%a0: tensor<3x4xf32>, %a1: tensor<4xf32>) -> tensor<3x4xi1> {
  %r0 = aten.le.Tensor %a0, %a1 : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3x4xi1>
  return %r0 : tensor<3x4xi1>
}

// -----
// case: le.Tensor_i64
// inputs: integer integer
// expect:
//   1.0 1.0 1.0 1.0 0.0 0.0
//   1.0 1.0 0.0 0.0 1.0 1.0
func.func @f(%a0: tensor<3x4xi64>, %a1: tensor<4xi64>) -> tensor<3x4xi1> {
  %r0 = aten.le.Tensor %a0, %a1 : (tensor<3x4xi64>, tensor<4xi64>) -> tensor<3x4xi1>
  return %r0 : tensor<3x4xi1>
}

// -----
// case: le.Tensor_i32
// inputs: integer integer
// expect:
//   1.0 1.0 1.0 1.0 0.0 0.0
//   1.0 1.0 0.0 0.0 1.0 1.0
func.func @f(%a0: tensor<3x4xi32>, %a1: tensor<4xi32>) -> tensor<3x4xi1> {
  %r0 = aten.le.Tensor %a0, %a1 : (tensor<3x4xi32>, tensor<4xi32>) -> tensor<3x4xi1>
  return %r0 : tensor<3x4xi1>
}

// -----
// case: le.Tensor_i1
// inputs: bool bool
// expect:
//   1.0 1.0 0.0 1.0 1.0 1.0
//   0.0 1.0 1.0 1.0 0.0 1.0
func.func @f(%a0: tensor<3x4xi1>, %a1: tensor<4xi1>) -> tensor<3x4xi1> {
  %r0 = aten.le.Tensor %a0, %a1 : (tensor<3x4xi1>, tensor<4xi1>) -> tensor<3x4xi1>
  return %r0 : tensor<3x4xi1>
}

// -----
// case: le.Scalar_f32
// inputs: uniform
// expect:
//   0.0 1.0 1.0 1.0 1.0 1.0
//   0.0 1.0 1.0 0.0 1.0 1.0
func.func @f(%a0: tensor<3x4xf32>) -> tensor<3x4xi1> {
  %r0 = aten.le.Scalar %a0 {other = 0.5} : (tensor<3x4xf32>) -> tensor<3x4xi1>
  return %r0 : tensor<3x4xi1>
}

// -----
// case: le.Scalar_i64
// inputs: integer
// expect:
//   1.0 1.0 1.0 1.0 1.0 1.0
//   1.0 1.0 1.0 1.0 1.0 1.0
func.func @f(%a0: tensor<3x4xi64>) -> tensor<3x4xi1> {
  %r0 = aten.le.Scalar %a0 {other = 1.0} : (tensor<3x4xi64>) -> tensor<3x4xi1>
  return %r0 : tensor<3x4xi1>
}

// -----
// case: le.Scalar_i1
// inputs: bool
// expect:
//   1.0 1.0 1.0 1.0 1.0 1.0
//   1.0 1.0 1.0 1.0 1.0 1.0
func.func @f(%a0: tensor<3x4xi1>) -> tensor<3x4xi1> {
  %r0 = aten.le.Scalar %a0 {other = 1.0} : (tensor<3x4xi1>) -> tensor<3x4xi1>
  return %r0 : tensor<3x4xi1>
}

// -----
// case: le.Tensor_special
// inputs: special special
// expect:
//   0.0 0.0 0.0 0.0 0.0 0.0
//   0.0 0.0 0.0 0.0 0.0 0.0
//   0.0 1.0 1.0 1.0 1.0 1.0
//   1.0 1.0 1.0 1.0 1.0 1.0
//   0.0 0.0 1.0 0.0 0.0 0.0
//   0.0 0.0 0.0 0.0 0.0 0.0
//   0.0 0.0 1.0 1.0 1.0 0.0
//   1.0 0.0 1.0 0.0 1.0 0.0
//   0.0 0.0 1.0 1.0 1.0 0.0
//   1.0 0.0 1.0 0.0 1.0 0.0
func.func @f(%a0: tensor<12xf32>, %a1: tensor<5x1xf32>) -> tensor<5x12xi1> {
  %r0 = aten.le.Tensor %a0, %a1 : (tensor<12xf32>, tensor<5x1xf32>) -> tensor<5x12xi1>
  return %r0 : tensor<5x12xi1>
}

// -----
// case: lt.Tensor_f32
// inputs: uniform uniform
// expect:
//   0.0 0.0 1.0 1.0 1.0 0.0
//   0.0 1.0 1.0 0.0 1.0 1.0
func.func @f(%a0: tensor<3x4xf32>, %a1: tensor<4xf32>) -> tensor<3x4xi1> {
  %r0 = aten.lt.Tensor %a0, %a1 : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3x4xi1>
  return %r0 : tensor<3x4xi1>
}

// -----
// case: lt.Tensor_i64
// inputs: integer integer
// expect:
//   1.0 1.0 1.0 0.0 0.0 0.0
//   1.0 1.0 0.0 0.0 1.0 0.0
func.func @f(%a0: tensor<3x4xi64>, %a1: tensor<4xi64>) -> tensor<3x4xi1> {
  %r0 = aten.lt.Tensor %a0, %a1 : (tensor<3x4xi64>, tensor<4xi64>) -> tensor<3x4xi1>
  return %r0 : tensor<3x4xi1>
}

// -----
// case: lt.Tensor_i32
// inputs: integer integer
// expect:
//   1.0 1.0 1.0 0.0 0.0 0.0
//   1.0 1.0 0.0 0.0 1.0 0.0
func.func @f(%a0: tensor<3x4xi32>, %a1: tensor<4xi32>) -> tensor<3x4xi1> {
  %r0 = aten.lt.Tensor %a0, %a1 : (tensor<3x4xi32>, tensor<4xi32>) -> tensor<3x4xi1>
  return %r0 : tensor<3x4xi1>
}

// -----
// case: lt.Tensor_i1
// inputs: bool bool
// expect:
//   0.0 0.0 0.0 0.0 0.0 0.0
//   0.0 0.0 0.0 0.0 0.0 0.0
func.func @f(%a0: tensor<3x4xi1>, %a1: tensor<4xi1>) -> tensor<3x4xi1> {
  %r0 = aten.lt.Tensor %a0, %a1 : (tensor<3x4xi1>, tensor<4xi1>) -> tensor<3x4xi1>
  return %r0 : tensor<3x4xi1>
}

// -----
// case: lt.Scalar_f32
// inputs: uniform
// expect:
//   0.0 1.0 1.0 1.0 1.0 1.0
//   0.0 1.0 1.0 0.0 1.0 1.0
func.func @f(%a0: tensor<3x4xf32>) -> tensor<3x4xi1> {
  %r0 = aten.lt.Scalar %a0 {other = 0.5} : (tensor<3x4xf32>) -> tensor<3x4xi1>
  return %r0 : tensor<3x4xi1>
}

// -----
// case: lt.Scalar_i64
// inputs: integer
// expect:
//   1.0 1.0 1.0 0.0 0.0 0.0
//   1.0 1.0 1.0 0.0 1.0 0.0
func.func @f(%a0: tensor<3x4xi64>) -> tensor<3x4xi1> {
  %r0 = aten.lt.Scalar %a0 {other = 1.0} : (tensor<3x4xi64>) -> tensor<3x4xi1>
  return %r0 : tensor<3x4xi1>
}

// -----
// case: lt.Scalar_i1
// inputs: bool
// expect:
//   0.0 0.0 0.0 1.0 0.0 0.0
//   0.0 1.0 0.0 0.0 0.0 1.0
func.func @f(%a0: tensor<3x4xi1>) -> tensor<3x4xi1> {
  %r0 = aten.lt.Scalar %a0 {other = 1.0} : (tensor<3x4xi1>) -> tensor<3x4xi1>
  return %r0 : tensor<3x4xi1>
}

// -----
// case: lt.Tensor_special
// inputs: special special
// expect:
//   0.0 0.0 0.0 0.0 0.0 0.0
//   0.0 0.0 0.0 0.0 0.0 0.0
//   0.0 0.0 1.0 1.0 1.0 1.0
//   1.0 1.0 1.0 1.0 1.0 1.0
//   0.0 0.0 0.0 0.0 0.0 0.0
//   0.0 0.0 0.0 0.0 0.0 0.0
//   0.0 0.0 1.0 0.0 0.0 0.0
//   1.0 0.0 1.0 0.0 1.0 0.0
//   0.0 0.0 1.0 0.0 0.0 0.0
//   1.0 0.0 1.0 0.0 1.0 0.0
func.func @f(%a0: tensor<12xf32>, %a1: tensor<5x1xf32>) -> tensor<5x12xi1> {
  %r0 = aten.lt.Tensor %a0, %a1 : (tensor<12xf32>, tensor<5x1xf32>) -> tensor<5x12xi1>
  return %r0 : tensor<5x12xi1>
}

// -----
// case: ne.Tensor_f32
// inputs: uniform uniform
// expect:
//   1.0 1.0 1.0 1.0 1.0 1.0
//   1.0 1.0 1.0 1.0 1.0 1.0
func.func @f(%a0: tensor<3x4xf32>, %a1: tensor<4xf32>) -> tensor<3x4xi1> {
  %r0 = aten.ne.Tensor %a0, %a1 : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3x4xi1>
  return %r0 : tensor<3x4xi1>
}

// -----
// case: ne.Tensor_i64
// inputs: integer integer
// expect:
//   1.0 1.0 1.0 0.0 1.0 1.0
//   1.0 1.0 1.0 1.0 1.0 0.0
func.func @f(%a0: tensor<3x4xi64>, %a1: tensor<4xi64>) -> tensor<3x4xi1> {
  %r0 = aten.ne.Tensor %a0, %a1 : (tensor<3x4xi64>, tensor<4xi64>) -> tensor<3x4xi1>
  return %r0 : tensor<3x4xi1>
}

// -----
// case: ne.Tensor_i32
// inputs: integer integer
// expect:
//   1.0 1.0 1.0 0.0 1.0 1.0
//   1.0 1.0 1.0 1.0 1.0 0.0
func.func @f(%a0: tensor<3x4xi32>, %a1: tensor<4xi32>) -> tensor<3x4xi1> {
  %r0 = aten.ne.Tensor %a0, %a1 : (tensor<3x4xi32>, tensor<4xi32>) -> tensor<3x4xi1>
  return %r0 : tensor<3x4xi1>
}

// -----
// case: ne.Tensor_i1
// inputs: bool bool
// expect:
//   0.0 0.0 1.0 0.0 0.0 0.0
//   1.0 0.0 0.0 0.0 1.0 0.0
func.func @f(%a0: tensor<3x4xi1>, %a1: tensor<4xi1>) -> tensor<3x4xi1> {
  %r0 = aten.ne.Tensor %a0, %a1 : (tensor<3x4xi1>, tensor<4xi1>) -> tensor<3x4xi1>
  return %r0 : tensor<3x4xi1>
}

// -----
// case: ne.Scalar_f32
// inputs: uniform
// expect:
//   1.0 1.0 1.0 1.0 1.0 1.0
//   1.0 1.0 1.0 1.0 1.0 1.0
func.func @f(%a0: tensor<3x4xf32>) -> tensor<3x4xi1> {
  %r0 = aten.ne.Scalar %a0 {other = 0.5} : (tensor<3x4xf32>) -> tensor<3x4xi1>
  return %r0 : tensor<3x4xi1>
}

// -----
// case: ne.Scalar_i64
// inputs: integer
// expect:
//   1.0 1.0 1.0 0.0 0.0 0.0
//   1.0 1.0 1.0 0.0 1.0 0.0
func.func @f(%a0: tensor<3x4xi64>) -> tensor<3x4xi1> {
  %r0 = aten.ne.Scalar %a0 {other = 1.0} : (tensor<3x4xi64>) -> tensor<3x4xi1>
  return %r0 : tensor<3x4xi1>
}

// -----
// case: ne.Scalar_i1
// inputs: bool
// expect:
//   0.0 0.0 0.0 1.0 0.0 0.0
//   0.0 1.0 0.0 0.0 0.0 1.0
func.func @f(%a0: tensor<3x4xi1>) -> tensor<3x4xi1> {
  %r0 = aten.ne.Scalar %a0 {other = 1.0} : (tensor<3x4xi1>) -> tensor<3x4xi1>
  return %r0 : tensor<3x4xi1>
}

// -----
// case: ne.Tensor_special
// inputs: special special
// expect:
//   1.0 1.0 1.0 1.0 1.0 1.0
//   1.0 1.0 1.0 1.0 1.0 1.0
//   1.0 0.0 1.0 1.0 1.0 1.0
//   1.0 1.0 1.0 1.0 1.0 1.0
//   1.0 1.0 0.0 1.0 1.0 1.0
//   1.0 1.0 1.0 1.0 1.0 1.0
//   1.0 1.0 1.0 0.0 0.0 1.0
//   1.0 1.0 1.0 1.0 1.0 1.0
//   1.0 1.0 1.0 0.0 0.0 1.0
//   1.0 1.0 1.0 1.0 1.0 1.0
func.func @f(%a0: tensor<12xf32>, %a1: tensor<5x1xf32>) -> tensor<5x12xi1> {
  %r0 = aten.ne.Tensor %a0, %a1 : (tensor<12xf32>, tensor<5x1xf32>) -> tensor<5x12xi1>
  return %r0 : tensor<5x12xi1>
}

// -----
// case: logical_and_f32
// inputs: integer integer
// expect:
//   1.0 0.0 1.0 1.0 1.0 0.0
//   0.0 0.0 0.0 0.0 1.0 1.0
func.func @f(%a0: tensor<3x4xf32>, %a1: tensor<4xf32>) -> tensor<3x4xi1> {
  %r0 = aten.logical_and %a0, %a1 : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3x4xi1>
  return %r0 : tensor<3x4xi1>
}

// -----
// case: logical_and_i64
// inputs: integer integer
// expect:
//   1.0 0.0 1.0 1.0 1.0 0.0
//   0.0 0.0 0.0 0.0 1.0 1.0
func.func @f(%a0: tensor<3x4xi64>, %a1: tensor<4xi64>) -> tensor<3x4xi1> {
  %r0 = aten.logical_and %a0, %a1 : (tensor<3x4xi64>, tensor<4xi64>) -> tensor<3x4xi1>
  return %r0 : tensor<3x4xi1>
}

// -----
// case: logical_and_i1
// inputs: bool bool
// expect:
//   1.0 1.0 0.0 0.0 1.0 1.0
//   0.0 0.0 1.0 1.0 0.0 0.0
func.func @f(%a0: tensor<3x4xi1>, %a1: tensor<4xi1>) -> tensor<3x4xi1> {
  %r0 = aten.logical_and %a0, %a1 : (tensor<3x4xi1>, tensor<4xi1>) -> tensor<3x4xi1>
  return %r0 : tensor<3x4xi1>
}

// -----
// case: logical_or_f32
// inputs: integer integer
// expect:
//   1.0 1.0 1.0 1.0 1.0 1.0
//   1.0 1.0 1.0 1.0 1.0 1.0
func.func @f(%a0: tensor<3x4xf32>, %a1: tensor<4xf32>) -> tensor<3x4xi1> {
  %r0 = aten.logical_or %a0, %a1 : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3x4xi1>
  return %r0 : tensor<3x4xi1>
}

// -----
// case: logical_or_i64
// inputs: integer integer
// expect:
//   1.0 1.0 1.0 1.0 1.0 1.0
//   1.0 1.0 1.0 1.0 1.0 1.0
func.func @f(%a0: tensor<3x4xi64>, %a1: tensor<4xi64>) -> tensor<3x4xi1> {
  %r0 = aten.logical_or %a0, %a1 : (tensor<3x4xi64>, tensor<4xi64>) -> tensor<3x4xi1>
  return %r0 : tensor<3x4xi1>
}

// -----
// case: logical_or_i1
// inputs: bool bool
// expect:
//   1.0 1.0 1.0 0.0 1.0 1.0
//   1.0 0.0 1.0 1.0 1.0 0.0
func.func @f(%a0: tensor<3x4xi1>, %a1: tensor<4xi1>) -> tensor<3x4xi1> {
  %r0 = aten.logical_or %a0, %a1 : (tensor<3x4xi1>, tensor<4xi1>) -> tensor<3x4xi1>
  return %r0 : tensor<3x4xi1>
}

// -----
// case: logical_xor_f32
// inputs: integer integer
// expect:
//   0.0 1.0 0.0 0.0 0.0 1.0
//   1.0 1.0 1.0 1.0 0.0 0.0
func.func @f(%a0: tensor<3x4xf32>, %a1: tensor<4xf32>) -> tensor<3x4xi1> {
  %r0 = aten.logical_xor %a0, %a1 : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3x4xi1>
  return %r0 : tensor<3x4xi1>
}

// -----
// case: logical_xor_i64
// inputs: integer integer
// expect:
//   0.0 1.0 0.0 0.0 0.0 1.0
//   1.0 1.0 1.0 1.0 0.0 0.0
func.func @f(%a0: tensor<3x4xi64>, %a1: tensor<4xi64>) -> tensor<3x4xi1> {
  %r0 = aten.logical_xor %a0, %a1 : (tensor<3x4xi64>, tensor<4xi64>) -> tensor<3x4xi1>
  return %r0 : tensor<3x4xi1>
}

// -----
// case: logical_xor_i1
// inputs: bool bool
// expect:
//   0.0 0.0 1.0 0.0 0.0 0.0
//   1.0 0.0 0.0 0.0 1.0 0.0
func.func @f(%a0: tensor<3x4xi1>, %a1: tensor<4xi1>) -> tensor<3x4xi1> {
  %r0 = aten.logical_xor %a0, %a1 : (tensor<3x4xi1>, tensor<4xi1>) -> tensor<3x4xi1>
  return %r0 : tensor<3x4xi1>
}

// -----
// case: logical_not_f32
// inputs: integer
// expect:
//   0.0 0.0 0.0 0.0 0.0 0.0
//   1.0 1.0 1.0
func.func @f(%a0: tensor<9xf32>) -> tensor<9xi1> {
  %r0 = aten.logical_not %a0 : (tensor<9xf32>) -> tensor<9xi1>
  return %r0 : tensor<9xi1>
}

// -----
// case: logical_not_i64
// inputs: integer
// expect:
//   0.0 0.0 0.0 0.0 0.0 0.0
//   1.0 1.0 1.0
func.func @f(%a0: tensor<9xi64>) -> tensor<9xi1> {
  %r0 = aten.logical_not %a0 : (tensor<9xi64>) -> tensor<9xi1>
  return %r0 : tensor<9xi1>
}

// -----
// case: logical_not_i1
// inputs: bool
// expect:
//   0.0 0.0 0.0 1.0 0.0 0.0
//   0.0 1.0 0.0
func.func @f(%a0: tensor<9xi1>) -> tensor<9xi1> {
  %r0 = aten.logical_not %a0 : (tensor<9xi1>) -> tensor<9xi1>
  return %r0 : tensor<9xi1>
}

// -----
// case: bitwise_and.Tensor_i64
// inputs: integer integer
// expect:
//   -2.0 0.0 2.0 1.0 1.0 0.0
//   0.0 0.0 0.0 0.0 2.0 1.0
func.func @f(%a0: tensor<3x4xi64>, %a1: tensor<4xi64>) -> tensor<3x4xi64> {
  %r0 = aten.bitwise_and.Tensor %a0, %a1 : (tensor<3x4xi64>, tensor<4xi64>) -> tensor<3x4xi64>
  return %r0 : tensor<3x4xi64>
}

// -----
// case: bitwise_and.Tensor_i32
// inputs: integer integer
// expect:
//   -2.0 0.0 2.0 1.0 1.0 0.0
//   0.0 0.0 0.0 0.0 2.0 1.0
func.func @f(%a0: tensor<3x4xi32>, %a1: tensor<4xi32>) -> tensor<3x4xi32> {
  %r0 = aten.bitwise_and.Tensor %a0, %a1 : (tensor<3x4xi32>, tensor<4xi32>) -> tensor<3x4xi32>
  return %r0 : tensor<3x4xi32>
}

// -----
// case: bitwise_and.Tensor_i1
// inputs: bool bool
// expect:
//   1.0 1.0 0.0 0.0 1.0 1.0
//   0.0 0.0 1.0 1.0 0.0 0.0
func.func @f(%a0: tensor<3x4xi1>, %a1: tensor<4xi1>) -> tensor<3x4xi1> {
  %r0 = aten.bitwise_and.Tensor %a0, %a1 : (tensor<3x4xi1>, tensor<4xi1>) -> tensor<3x4xi1>
  return %r0 : tensor<3x4xi1>
}

// -----
// case: bitwise_and.Scalar
// inputs: integer
// expect:
//   2.0 2.0 2.0 1.0 1.0 1.0
//   0.0 0.0 0.0
func.func @f(%a0: tensor<9xi64>) -> tensor<9xi64> {
  %r0 = aten.bitwise_and.Scalar %a0 {other = 3.0} : (tensor<9xi64>) -> tensor<9xi64>
  return %r0 : tensor<9xi64>
}

// -----
// case: bitwise_or.Tensor_i64
// inputs: integer integer
// expect:
//   -1.0 -2.0 -2.0 1.0 -1.0 1.0
//   2.0 1.0 -1.0 1.0 -1.0 1.0
func.func @f(%a0: tensor<3x4xi64>, %a1: tensor<4xi64>) -> tensor<3x4xi64> {
  %r0 = aten.bitwise_or.Tensor %a0, %a1 : (tensor<3x4xi64>, tensor<4xi64>) -> tensor<3x4xi64>
  return %r0 : tensor<3x4xi64>
}

// -----
// case: bitwise_or.Tensor_i32
// inputs: integer integer
// expect:
//   -1.0 -2.0 -2.0 1.0 -1.0 1.0
//   2.0 1.0 -1.0 1.0 -1.0 1.0
func.func @f(%a0: tensor<3x4xi32>, %a1: tensor<4xi32>) -> tensor<3x4xi32> {
  %r0 = aten.bitwise_or.Tensor %a0, %a1 : (tensor<3x4xi32>, tensor<4xi32>) -> tensor<3x4xi32>
  return %r0 : tensor<3x4xi32>
}

// -----
// case: bitwise_or.Tensor_i1
// inputs: bool bool
// expect:
//   1.0 1.0 1.0 0.0 1.0 1.0
//   1.0 0.0 1.0 1.0 1.0 0.0
func.func @f(%a0: tensor<3x4xi1>, %a1: tensor<4xi1>) -> tensor<3x4xi1> {
  %r0 = aten.bitwise_or.Tensor %a0, %a1 : (tensor<3x4xi1>, tensor<4xi1>) -> tensor<3x4xi1>
  return %r0 : tensor<3x4xi1>
}

// -----
// case: bitwise_or.Scalar
// inputs: integer
// expect:
//   -1.0 -1.0 -1.0 3.0 3.0 3.0
//   3.0 3.0 3.0
func.func @f(%a0: tensor<9xi64>) -> tensor<9xi64> {
  %r0 = aten.bitwise_or.Scalar %a0 {other = 3.0} : (tensor<9xi64>) -> tensor<9xi64>
  return %r0 : tensor<9xi64>
}

// -----
// case: bitwise_xor.Tensor_i64
// inputs: integer integer
// expect:
//   1.0 -2.0 -4.0 0.0 -2.0 1.0
//   2.0 1.0 -1.0 1.0 -3.0 0.0
func.func @f(%a0: tensor<3x4xi64>, %a1: tensor<4xi64>) -> tensor<3x4xi64> {
  %r0 = aten.bitwise_xor.Tensor %a0, %a1 : (tensor<3x4xi64>, tensor<4xi64>) -> tensor<3x4xi64>
  return %r0 : tensor<3x4xi64>
}

// -----
// case: bitwise_xor.Tensor_i32
// inputs: integer integer
// expect:
//   1.0 -2.0 -4.0 0.0 -2.0 1.0
//   2.0 1.0 -1.0 1.0 -3.0 0.0
func.func @f(%a0: tensor<3x4xi32>, %a1: tensor<4xi32>) -> tensor<3x4xi32> {
  %r0 = aten.bitwise_xor.Tensor %a0, %a1 : (tensor<3x4xi32>, tensor<4xi32>) -> tensor<3x4xi32>
  return %r0 : tensor<3x4xi32>
}

// -----
// case: bitwise_xor.Tensor_i1
// inputs: bool bool
// expect:
//   0.0 0.0 1.0 0.0 0.0 0.0
//   1.0 0.0 0.0 0.0 1.0 0.0
func.func @f(%a0: tensor<3x4xi1>, %a1: tensor<4xi1>) -> tensor<3x4xi1> {
  %r0 = aten.bitwise_xor.Tensor %a0, %a1 : (tensor<3x4xi1>, tensor<4xi1>) -> tensor<3x4xi1>
  return %r0 : tensor<3x4xi1>
}

// -----
// case: bitwise_xor.Scalar
// inputs: integer
// expect:
//   -3.0 -3.0 -3.0 2.0 2.0 2.0
//   3.0 3.0 3.0
func.func @f(%a0: tensor<9xi64>) -> tensor<9xi64> {
  %r0 = aten.bitwise_xor.Scalar %a0 {other = 3.0} : (tensor<9xi64>) -> tensor<9xi64>
  return %r0 : tensor<9xi64>
}

// -----
// case: bitwise_not_i64
// inputs: integer
// expect:
//   1.0 1.0 1.0 -2.0 -2.0 -2.0
//   -1.0 -1.0 -1.0
func.func @f(%a0: tensor<9xi64>) -> tensor<9xi64> {
  %r0 = aten.bitwise_not %a0 : (tensor<9xi64>) -> tensor<9xi64>
  return %r0 : tensor<9xi64>
}

// -----
// case: bitwise_not_i1
// inputs: bool
// expect:
//   0.0 0.0 0.0 1.0 0.0 0.0
//   0.0 1.0 0.0
func.func @f(%a0: tensor<9xi1>) -> tensor<9xi1> {
  %r0 = aten.bitwise_not %a0 : (tensor<9xi1>) -> tensor<9xi1>
  return %r0 : tensor<9xi1>
}

// -----
// case: where.self_f32
// inputs: bool uniform uniform
// expect:
//   1.065207029356344 -1.4958759183160515 0.803724967482828 1.62026091151274 1.065207029356344 -1.4958759183160515
//   0.803724967482828 1.62026091151274 1.065207029356344 -1.4958759183160515 0.803724967482828 1.62026091151274
//   -0.4549793012915604 -0.7314183631196802 -1.6610451714773449 1.62026091151274 -0.4549793012915604 -0.7314183631196802
//   -1.6610451714773449 1.62026091151274 -0.4549793012915604 -0.7314183631196802 -1.6610451714773449 1.62026091151274
func.func @f(%a0: tensor<3x4xi1>, %a1: tensor<2x1x4xf32>, %a2: tensor<f32>) -> tensor<2x3x4xf32> {
  %r0 = aten.where.self %a0, %a1, %a2 : (tensor<3x4xi1>, tensor<2x1x4xf32>, tensor<f32>) -> tensor<2x3x4xf32>
  return %r0 : tensor<2x3x4xf32>
}

// -----
// case: masked_fill.Scalar_f32
// inputs: uniform bool
// expect:
//   1.0 1.0 0.36475893679231763 -1.5461986317713818 1.0 1.0
//   0.9592680574203296 1.0 0.4740185001267774 1.0 1.0 1.0
//   1.0 1.0 -0.3333840181954333 0.11496425389471643 1.0 1.0
//   -1.7323790043252822 1.0 -1.154153451061255 1.0 1.0 1.0
func.func @f(%a0: tensor<2x3x4xf32>, %a1: tensor<3x4xi1>) -> tensor<2x3x4xf32> {
  %r0 = aten.masked_fill.Scalar %a0, %a1 {value = 1.0} : (tensor<2x3x4xf32>, tensor<3x4xi1>) -> tensor<2x3x4xf32>
  return %r0 : tensor<2x3x4xf32>
}

// -----
// case: where.self_i64
// inputs: bool integer integer
// expect:
//   -1.0 0.0 2.0 0.0 -1.0 0.0
//   2.0 0.0 -1.0 0.0 2.0 0.0
//   2.0 1.0 -1.0 0.0 2.0 1.0
//   -1.0 0.0 2.0 1.0 -1.0 0.0
func.func @f(%a0: tensor<3x4xi1>, %a1: tensor<2x1x4xi64>, %a2: tensor<i64>) -> tensor<2x3x4xi64> {
  %r0 = aten.where.self %a0, %a1, %a2 : (tensor<3x4xi1>, tensor<2x1x4xi64>, tensor<i64>) -> tensor<2x3x4xi64>
  return %r0 : tensor<2x3x4xi64>
}

// -----
// case: masked_fill.Scalar_i64
// inputs: integer bool
// expect:
//   1.0 1.0 -2.0 1.0 1.0 1.0
//   0.0 1.0 0.0 1.0 1.0 1.0
//   1.0 1.0 1.0 -1.0 1.0 1.0
//   -2.0 1.0 2.0 1.0 1.0 1.0
func.func @f(%a0: tensor<2x3x4xi64>, %a1: tensor<3x4xi1>) -> tensor<2x3x4xi64> {
  %r0 = aten.masked_fill.Scalar %a0, %a1 {value = 1.0} : (tensor<2x3x4xi64>, tensor<3x4xi1>) -> tensor<2x3x4xi64>
  return %r0 : tensor<2x3x4xi64>
}

// -----
// case: where.self_i1
// inputs: bool bool bool
// expect:
//   1.0 1.0 0.0 1.0 1.0 1.0
//   0.0 1.0 1.0 1.0 0.0 1.0
//   1.0 1.0 0.0 1.0 1.0 1.0
//   0.0 1.0 1.0 1.0 0.0 1.0
func.func @f(%a0: tensor<3x4xi1>, %a1: tensor<2x1x4xi1>, %a2: tensor<i1>) -> tensor<2x3x4xi1> {
  %r0 = aten.where.self %a0, %a1, %a2 : (tensor<3x4xi1>, tensor<2x1x4xi1>, tensor<i1>) -> tensor<2x3x4xi1>
  return %r0 : tensor<2x3x4xi1>
}

// -----
// case: masked_fill.Scalar_i1
// inputs: bool bool
// expect:
//   1.0 1.0 1.0 0.0 1.0 1.0
//   1.0 1.0 1.0 1.0 1.0 1.0
//   1.0 1.0 1.0 1.0 1.0 1.0
//   1.0 1.0 0.0 1.0 1.0 1.0
func.func @f(%a0: tensor<2x3x4xi1>, %a1: tensor<3x4xi1>) -> tensor<2x3x4xi1> {
  %r0 = aten.masked_fill.Scalar %a0, %a1 {value = 1.0} : (tensor<2x3x4xi1>, tensor<3x4xi1>) -> tensor<2x3x4xi1>
  return %r0 : tensor<2x3x4xi1>
}

// -----
// case: masked_fill.Scalar_infinite
// inputs: uniform bool
// expect:
//   -inf -inf 0.36475893679231763 -1.5461986317713818 -inf -inf
//   0.9592680574203296 -inf 0.4740185001267774 -inf -inf -inf
func.func @f(%a0: tensor<3x4xf32>, %a1: tensor<3x4xi1>) -> tensor<3x4xf32> {
  %r0 = aten.masked_fill.Scalar %a0, %a1 {value = 0xFFF0000000000000 : f64} : (tensor<3x4xf32>, tensor<3x4xi1>) -> tensor<3x4xf32>
  return %r0 : tensor<3x4xf32>
}

// -----
// case: _to_copy_f32_None_f32
// inputs: uniform
// expect:
//   1.5332432328545704 0.2662463006891236 0.36475893679231763 -1.5461986317713818 -0.2741767290201049 -0.452927816064264
//   0.9592680574203296 -0.44068100643491404 0.4740185001267774 0.7294509399159832 -1.8667557849172431 -0.7350224283163671
func.func @f(%a0: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %r0 = aten._to_copy %a0 dtype f32 : (tensor<3x4xf32>) -> tensor<3x4xf32>
  return %r0 : tensor<3x4xf32>
}

// -----
// case: _to_copy_f32_None_i64
// inputs: uniform
// expect:
//   1.0 0.0 0.0 -1.0 0.0 0.0
//   0.0 0.0 0.0 0.0 -1.0 0.0
func.func @f(%a0: tensor<3x4xf32>) -> tensor<3x4xi64> {
  %r0 = aten._to_copy %a0 dtype i64 : (tensor<3x4xf32>) -> tensor<3x4xi64>
  return %r0 : tensor<3x4xi64>
}

// -----
// case: _to_copy_f32_None_i32
// inputs: uniform
// expect:
//   1.0 0.0 0.0 -1.0 0.0 0.0
//   0.0 0.0 0.0 0.0 -1.0 0.0
func.func @f(%a0: tensor<3x4xf32>) -> tensor<3x4xi32> {
  %r0 = aten._to_copy %a0 dtype i32 : (tensor<3x4xf32>) -> tensor<3x4xi32>
  return %r0 : tensor<3x4xi32>
}

// -----
// case: _to_copy_f32_None_i1
// inputs: uniform
// expect:
//   1.0 1.0 1.0 1.0 1.0 1.0
//   1.0 1.0 1.0 1.0 1.0 1.0
func.func @f(%a0: tensor<3x4xf32>) -> tensor<3x4xi1> {
  %r0 = aten._to_copy %a0 dtype i1 : (tensor<3x4xf32>) -> tensor<3x4xi1>
  return %r0 : tensor<3x4xi1>
}

// -----
// case: _to_copy_f32_integer_f32
// inputs: integer
// expect:
//   -2.0 -2.0 -2.0 1.0 1.0 1.0
//   0.0 0.0 0.0 1.0 -1.0 1.0
func.func @f(%a0: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %r0 = aten._to_copy %a0 dtype f32 : (tensor<3x4xf32>) -> tensor<3x4xf32>
  return %r0 : tensor<3x4xf32>
}

// -----
// case: _to_copy_f32_integer_i64
// inputs: integer
// expect:
//   -2.0 -2.0 -2.0 1.0 1.0 1.0
//   0.0 0.0 0.0 1.0 -1.0 1.0
func.func @f(%a0: tensor<3x4xf32>) -> tensor<3x4xi64> {
  %r0 = aten._to_copy %a0 dtype i64 : (tensor<3x4xf32>) -> tensor<3x4xi64>
  return %r0 : tensor<3x4xi64>
}

// -----
// case: _to_copy_f32_integer_i32
// inputs: integer
// expect:
//   -2.0 -2.0 -2.0 1.0 1.0 1.0
//   0.0 0.0 0.0 1.0 -1.0 1.0
func.func @f(%a0: tensor<3x4xf32>) -> tensor<3x4xi32> {
  %r0 = aten._to_copy %a0 dtype i32 : (tensor<3x4xf32>) -> tensor<3x4xi32>
  return %r0 : tensor<3x4xi32>
}

// -----
// case: _to_copy_f32_integer_i1
// inputs: integer
// expect:
//   1.0 1.0 1.0 1.0 1.0 1.0
//   0.0 0.0 0.0 1.0 1.0 1.0
func.func @f(%a0: tensor<3x4xf32>) -> tensor<3x4xi1> {
  %r0 = aten._to_copy %a0 dtype i1 : (tensor<3x4xf32>) -> tensor<3x4xi1>
  return %r0 : tensor<3x4xi1>
}

// -----
// case: _to_copy_i64_None_f32
// inputs: integer
// expect:
//   -2.0 -2.0 -2.0 1.0 1.0 1.0
//   0.0 0.0 0.0 1.0 -1.0 1.0
func.func @f(%a0: tensor<3x4xi64>) -> tensor<3x4xf32> {
  %r0 = aten._to_copy %a0 dtype f32 : (tensor<3x4xi64>) -> tensor<3x4xf32>
  return %r0 : tensor<3x4xf32>
}

// -----
// case: _to_copy_i64_None_i64
// inputs: integer
// expect:
//   -2.0 -2.0 -2.0 1.0 1.0 1.0
//   0.0 0.0 0.0 1.0 -1.0 1.0
func.func @f(%a0: tensor<3x4xi64>) -> tensor<3x4xi64> {
  %r0 = aten._to_copy %a0 dtype i64 : (tensor<3x4xi64>) -> tensor<3x4xi64>
  return %r0 : tensor<3x4xi64>
}

// -----
// case: _to_copy_i64_None_i32
// inputs: integer
// expect:
//   -2.0 -2.0 -2.0 1.0 1.0 1.0
//   0.0 0.0 0.0 1.0 -1.0 1.0
func.func @f(%a0: tensor<3x4xi64>) -> tensor<3x4xi32> {
  %r0 = aten._to_copy %a0 dtype i32 : (tensor<3x4xi64>) -> tensor<3x4xi32>
  return %r0 : tensor<3x4xi32>
}

// -----
// case: _to_copy_i64_None_i1
// inputs: integer
// expect:
//   1.0 1.0 1.0 1.0 1.0 1.0
//   0.0 0.0 0.0 1.0 1.0 1.0
func.func @f(%a0: tensor<3x4xi64>) -> tensor<3x4xi1> {
  %r0 = aten._to_copy %a0 dtype i1 : (tensor<3x4xi64>) -> tensor<3x4xi1>
  return %r0 : tensor<3x4xi1>
}

// -----
// case: _to_copy_i32_None_f32
// inputs: integer
// expect:
//   -2.0 -2.0 -2.0 1.0 1.0 1.0
//   0.0 0.0 0.0 1.0 -1.0 1.0
func.func @f(%a0: tensor<3x4xi32>) -> tensor<3x4xf32> {
  %r0 = aten._to_copy %a0 dtype f32 : (tensor<3x4xi32>) -> tensor<3x4xf32>
  return %r0 : tensor<3x4xf32>
}

// -----
// case: _to_copy_i32_None_i64
// inputs: integer
// expect:
//   -2.0 -2.0 -2.0 1.0 1.0 1.0
//   0.0 0.0 0.0 1.0 -1.0 1.0
func.func @f(%a0: tensor<3x4xi32>) -> tensor<3x4xi64> {
  %r0 = aten._to_copy %a0 dtype i64 : (tensor<3x4xi32>) -> tensor<3x4xi64>
  return %r0 : tensor<3x4xi64>
}

// -----
// case: _to_copy_i32_None_i32
// inputs: integer
// expect:
//   -2.0 -2.0 -2.0 1.0 1.0 1.0
//   0.0 0.0 0.0 1.0 -1.0 1.0
func.func @f(%a0: tensor<3x4xi32>) -> tensor<3x4xi32> {
  %r0 = aten._to_copy %a0 dtype i32 : (tensor<3x4xi32>) -> tensor<3x4xi32>
  return %r0 : tensor<3x4xi32>
}

// -----
// case: _to_copy_i32_None_i1
// inputs: integer
// expect:
//   1.0 1.0 1.0 1.0 1.0 1.0
//   0.0 0.0 0.0 1.0 1.0 1.0
func.func @f(%a0: tensor<3x4xi32>) -> tensor<3x4xi1> {
  %r0 = aten._to_copy %a0 dtype i1 : (tensor<3x4xi32>) -> tensor<3x4xi1>
  return %r0 : tensor<3x4xi1>
}

// -----
// case: _to_copy_i1_None_f32
// inputs: bool
// expect:
//   1.0 1.0 1.0 0.0 1.0 1.0
//   1.0 0.0 1.0 1.0 1.0 0.0
func.func @f(%a0: tensor<3x4xi1>) -> tensor<3x4xf32> {
  %r0 = aten._to_copy %a0 dtype f32 : (tensor<3x4xi1>) -> tensor<3x4xf32>
  return %r0 : tensor<3x4xf32>
}

// -----
// case: _to_copy_i1_None_i64
// inputs: bool
// expect:
//   1.0 1.0 1.0 0.0 1.0 1.0
//   1.0 0.0 1.0 1.0 1.0 0.0
func.func @f(%a0: tensor<3x4xi1>) -> tensor<3x4xi64> {
  %r0 = aten._to_copy %a0 dtype i64 : (tensor<3x4xi1>) -> tensor<3x4xi64>
  return %r0 : tensor<3x4xi64>
}

// -----
// case: _to_copy_i1_None_i32
// inputs: bool
// expect:
//   1.0 1.0 1.0 0.0 1.0 1.0
//   1.0 0.0 1.0 1.0 1.0 0.0
func.func @f(%a0: tensor<3x4xi1>) -> tensor<3x4xi32> {
  %r0 = aten._to_copy %a0 dtype i32 : (tensor<3x4xi1>) -> tensor<3x4xi32>
  return %r0 : tensor<3x4xi32>
}

// -----
// case: _to_copy_i1_None_i1
// inputs: bool
// expect:
//   1.0 1.0 1.0 0.0 1.0 1.0
//   1.0 0.0 1.0 1.0 1.0 0.0
func.func @f(%a0: tensor<3x4xi1>) -> tensor<3x4xi1> {
  %r0 = aten._to_copy %a0 dtype i1 : (tensor<3x4xi1>) -> tensor<3x4xi1>
  return %r0 : tensor<3x4xi1>
}
