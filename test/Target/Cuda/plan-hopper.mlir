// RUN: kgen-opt %s | kgen-opt | FileCheck %s --check-prefix=IR
// RUN: kgen-translate --kgen-to-plan %s | FileCheck %s

// Clusters, grids whose blocks wait for each other, and tensor maps over inputs and outputs; only where they are set.
// CHECK:      "launches": [
// CHECK-NEXT:  {"kernel": "k", "grid": [4, 1, 1], "block": [128, 1, 1], "shared_bytes": 1024, "cluster": [2, 1, 1],
// CHECK-NEXT:   "args": [{"buffer": "in0"}, {"buffer": "out0"},
// CHECK-SAME:    {"tensor_map": {"buffer": "in0", "dtype": "f16", "dims": [64, 128], "strides": [128], "box": [64, 64], "swizzle": "128B", "l2": "256B", "fill": "zero"}},
// CHECK-SAME:    {"tensor_map": {"buffer": "out0", "dtype": "f32", "dims": [8192], "strides": [], "box": [256], "swizzle": "none", "l2": "none", "fill": "zero"}}]},
// CHECK-NEXT:  {"kernel": "k", "grid": [2, 1, 1], "block": [64, 1, 1], "shared_bytes": 0, "cooperative": true,
// CHECK-NEXT:   "args": [{"buffer": "in0"}, {"buffer": "out0"}, {"i32": 3}]}
// IR: shared 1024 cluster [2, 1, 1] maps [#kgen.tensor_map<operand = 0, dtype = f16, dims = [64, 128], strides = [128], box = [64, 64], swizzle = 128, l2 = 256>, #kgen.tensor_map<operand = 1, dtype = f32, dims = [8192], strides = [], box = [256]>]
// IR: shared 0 cooperative scalars [3 : i32]
kgen.source @s arch "sm_90a" "extern \22C\22 __global__ void k() {}"
func.func @f(%x: tensor<128x64xf16>) -> tensor<8192xf32> {
  %e = tensor.empty() : tensor<8192xf32>
  %0 = kgen.launch @s::@k grid [4, 1, 1] block [128, 1, 1] shared 1024 cluster [2, 1, 1]
      maps [#kgen.tensor_map<operand = 0, dtype = f16, dims = [64, 128], strides = [128], box = [64, 64], swizzle = 128, l2 = 256>,
            #kgen.tensor_map<operand = 1, dtype = f32, dims = [8192], strides = [], box = [256]>]
      ins(%x : tensor<128x64xf16>) outs(%e : tensor<8192xf32>) : tensor<8192xf32>
  %1 = kgen.launch @s::@k grid [2, 1, 1] block [64, 1, 1] shared 0 cooperative scalars [3 : i32]
      ins(%x : tensor<128x64xf16>) outs(%0 : tensor<8192xf32>) : tensor<8192xf32>
  return %1 : tensor<8192xf32>
}
