// RUN: kgen-translate --kgen-to-plan %s | FileCheck %s

// CHECK:      {"version": 1, "problem": "chain", "arch": "sm_90a", "precision": "fp16",
// CHECK-NEXT:  "inputs": [
// CHECK-NEXT:   {"name": "x", "dtype": "f32", "shape": [8, 4], "init": "uniform(0, 1)"},
// CHECK-NEXT:   {"name": "fc.weight", "dtype": "f16", "shape": [4], "init": "normal(0, 1)", "parameter": true}],
// CHECK-NEXT:  "outputs": [
// CHECK-NEXT:   {"name": "out0", "dtype": "f32", "shape": [32]},
// CHECK-NEXT:   {"name": "out1", "dtype": "i1", "shape": [3]}],
// Three intermediate tensors are never alive together: the third takes the first one's place.
// CHECK-NEXT:  "workspace": [
// CHECK-NEXT:   {"name": "ws0", "bytes": 128},
// CHECK-NEXT:   {"name": "ws1", "bytes": 128}],
// CHECK-NEXT:  "launches": [
// CHECK-NEXT:   {"kernel": "k", "grid": [1, 1, 1], "block": [32, 1, 1], "shared_bytes": 0,
// CHECK-NEXT:    "args": [{"buffer": "in0"}, {"buffer": "in1"}, {"buffer": "ws0"}]},
// CHECK-NEXT:   {"kernel": "k", "grid": [2, 1, 1], "block": [16, 1, 1], "shared_bytes": 1024,
// CHECK-NEXT:    "args": [{"buffer": "ws0"}, {"buffer": "in1"}, {"buffer": "ws1"}, {"i32": 5}, {"i64": -7}, {"f32": 0.5}]},
// CHECK-NEXT:   {"kernel": "k", "grid": [1, 1, 1], "block": [32, 1, 1], "shared_bytes": 0,
// CHECK-NEXT:    "args": [{"buffer": "ws1"}, {"buffer": "in1"}, {"buffer": "ws0"}]},
// The result is the reshaped value's buffer.
// CHECK-NEXT:   {"kernel": "k", "grid": [1, 1, 1], "block": [32, 1, 1], "shared_bytes": 0,
// CHECK-NEXT:    "args": [{"buffer": "ws0"}, {"buffer": "in1"}, {"buffer": "out0"}]},
// In place: a launch that writes an earlier one's result.
// CHECK-NEXT:   {"kernel": "pair", "grid": [1, 1, 1], "block": [3, 1, 1], "shared_bytes": 0,
// CHECK-NEXT:    "args": [{"buffer": "out1"}]},
// CHECK-NEXT:   {"kernel": "pair", "grid": [1, 1, 1], "block": [3, 1, 1], "shared_bytes": 0,
// CHECK-NEXT:    "args": [{"buffer": "out1"}]}]}
module attributes {kgen.problem = "chain", kgen.precision = "fp16"} {
  kgen.source @s arch "sm_90a" "extern \22C\22 __global__ void k() {} extern \22C\22 __global__ void pair() {}"
  func.func @f(%x: tensor<8x4xf32> {kgen.name = "x", kgen.init = "uniform(0, 1)"},
               %w: tensor<4xf16> {kgen.name = "fc.weight", kgen.parameter}) -> (tensor<32xf32>, tensor<3xi1>) {
    %e = tensor.empty() : tensor<8x4xf32>
    %b = tensor.empty() : tensor<3xi1>
    %0 = kgen.launch @s::@k grid [1, 1, 1] block [32, 1, 1] shared 0 ins(%x, %w : tensor<8x4xf32>, tensor<4xf16>) outs(%e : tensor<8x4xf32>) : tensor<8x4xf32>
    %1 = kgen.launch @s::@k grid [2, 1, 1] block [16, 1, 1] shared 1024 scalars [5 : i32, -7 : i64, 5.0e-01 : f32] ins(%0, %w : tensor<8x4xf32>, tensor<4xf16>) outs(%e : tensor<8x4xf32>) : tensor<8x4xf32>
    %2 = kgen.launch @s::@k grid [1, 1, 1] block [32, 1, 1] shared 0 ins(%1, %w : tensor<8x4xf32>, tensor<4xf16>) outs(%e : tensor<8x4xf32>) : tensor<8x4xf32>
    %3 = kgen.launch @s::@k grid [1, 1, 1] block [32, 1, 1] shared 0 ins(%2, %w : tensor<8x4xf32>, tensor<4xf16>) outs(%e : tensor<8x4xf32>) : tensor<8x4xf32>
    %4 = tensor.collapse_shape %3 [[0, 1]] : tensor<8x4xf32> into tensor<32xf32>
    %5 = kgen.launch @s::@pair grid [1, 1, 1] block [3, 1, 1] shared 0 outs(%b : tensor<3xi1>) : tensor<3xi1>
    %6 = kgen.launch @s::@pair grid [1, 1, 1] block [3, 1, 1] shared 0 outs(%5 : tensor<3xi1>) : tensor<3xi1>
    return %4, %6 : tensor<32xf32>, tensor<3xi1>
  }
}
