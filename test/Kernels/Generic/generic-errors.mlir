// RUN: kgen-opt %s --kgen-lower-generic -split-input-file -verify-diagnostics

func.func @dynamic(%x: tensor<?xf32>, %e: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @below {{expected static shapes, found 'tensor<?xf32>'}}
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %1 = arith.negf %a : f32
    linalg.yield %1 : f32
  } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func @element_type(%x: tensor<4xi7>) -> tensor<4xi7> {
  %e = tensor.empty() : tensor<4xi7>
  // expected-error @below {{yields 'tensor<4xi7>', whose elements CUDA-C kernels do not know}}
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<4xi7>) outs(%e : tensor<4xi7>) {
  ^bb0(%a: i7, %b: i7):
    %1 = arith.addi %a, %a : i7
    linalg.yield %1 : i7
  } -> tensor<4xi7>
  return %0 : tensor<4xi7>
}

// -----

func.func @scalar_op(%x: tensor<4xi32>) -> tensor<4xi32> {
  %e = tensor.empty() : tensor<4xi32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<4xi32>) outs(%e : tensor<4xi32>) {
  ^bb0(%a: i32, %b: i32):
    // expected-error @below {{has no CUDA-C form}}
    %1 = math.ctlz %a : i32
    linalg.yield %1 : i32
  } -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// -----

func.func @not_structured(%x: tensor<4xf32>, %i: index) -> tensor<4xf32> {
  %c = arith.constant 1.0 : f32
  // expected-note @below {{it comes from tensor.insert}}
  %0 = tensor.insert %c into %x[%i] : tensor<4xf32>
  %e = tensor.empty() : tensor<4xf32>
  // expected-error @below {{operand cannot be read by a generic kernel}}
  %1 = linalg.exp ins(%0 : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

func.func @too_large(%x: tensor<4194304x1048576xf32>) -> tensor<4194304x1048576xf32> {
  %e = tensor.empty() : tensor<4194304x1048576xf32>
  // expected-error @below {{needs 4294967296 blocks, and a grid has at most 2147483647}}
  %0 = linalg.exp ins(%x : tensor<4194304x1048576xf32>) outs(%e : tensor<4194304x1048576xf32>) -> tensor<4194304x1048576xf32>
  return %0 : tensor<4194304x1048576xf32>
}
