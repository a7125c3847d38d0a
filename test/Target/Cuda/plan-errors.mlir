// RUN: kgen-translate --kgen-to-plan %s -split-input-file -verify-diagnostics

func.func @argument(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @below {{result 0 is in0 and needs a buffer of its own}}
  return %x : tensor<8xf32>
}

// -----

func.func @unwritten() -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  // expected-error @below {{result 0 is not written by a launch}}
  return %e : tensor<8xf32>
}

// -----

func.func @not_lowered() -> tensor<f32> {
  // expected-error @below {{is not lowered to launches}}
  %0 = arith.constant dense<1.0> : tensor<f32>
  return %0 : tensor<f32>
}

// -----

kgen.source @s arch "sm_90a" "extern \22C\22 __global__ void k() {}"
func.func @overwritten(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %e = tensor.empty() : tensor<8xf32>
  %0 = kgen.launch @s::@k grid [1, 1, 1] block [8, 1, 1] shared 0 ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) : tensor<8xf32>
  // expected-error @below {{overwrites a tensor that is used later}}
  %1 = kgen.launch @s::@k grid [1, 1, 1] block [8, 1, 1] shared 0 ins(%x : tensor<8xf32>) outs(%0 : tensor<8xf32>) : tensor<8xf32>
  // expected-note @below {{used here}}
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

// -----

kgen.source @s arch "sm_90a" "extern \22C\22 __global__ void k() {}"
func.func @writes_argument(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @below {{writes a tensor that is neither empty nor a launch's result}}
  %0 = kgen.launch @s::@k grid [1, 1, 1] block [8, 1, 1] shared 0 outs(%x : tensor<8xf32>) : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @dynamic(%x: tensor<?xf32>) -> tensor<8xf32> // expected-error {{expected static tensors, found 'tensor<?xf32>'}}
{
  %e = tensor.empty() : tensor<8xf32>
  return %e : tensor<8xf32>
}

// -----

// expected-error @below {{expected one function, found 2}}
module {
  func.func @f() { return }
  func.func @g() { return }
}
