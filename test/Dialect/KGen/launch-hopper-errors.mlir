// RUN: kgen-opt %s -split-input-file -verify-diagnostics

kgen.source @s arch "sm_90a" "extern \22C\22 __global__ void k() {}"
func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  // expected-error @below {{expected grid dimension 0 to be a multiple of the cluster's 2, found 3}}
  %0 = kgen.launch @s::@k grid [3, 1, 1] block [8, 1, 1] shared 0 cluster [2, 1, 1] ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

kgen.source @s arch "sm_90a" "extern \22C\22 __global__ void k() {}"
func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  // expected-error @below {{expected a tensor map of operand 0 to 1, found 2}}
  %0 = kgen.launch @s::@k grid [1, 1, 1] block [8, 1, 1] shared 0 maps [#kgen.tensor_map<operand = 2, dtype = f32, dims = [8], strides = [], box = [8]>] ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// expected-error @below {{expected rows of the box that are a multiple of 16 bytes and at most the swizzle's 64, found 128}}
func.func private @f() attributes {map = #kgen.tensor_map<operand = 0, dtype = f16, dims = [64, 64], strides = [128], box = [64, 8], swizzle = 64>}

// -----

// expected-error @below {{expected strides that are multiples of 16 bytes, found 20}}
func.func private @f() attributes {map = #kgen.tensor_map<operand = 0, dtype = f16, dims = [10, 64], strides = [20], box = [8, 8]>}

// -----

// expected-error @below {{expected 1 to 5 dimensions, one stride fewer and as many entries of the box, found 2, 0 and 2}}
func.func private @f() attributes {map = #kgen.tensor_map<operand = 0, dtype = f16, dims = [8, 64], strides = [], box = [8, 8]>}
