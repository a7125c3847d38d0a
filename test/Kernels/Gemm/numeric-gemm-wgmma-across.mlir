// Warpgroup products of f32 operands as tf32 where one is not contiguous along k, against the fp64 oracle on the host: laid out along k by a
// launch, or read by registers from tiles across k, from the left or, of the transposed result, from the right. Sizes that the tiles do not
// divide, rows that 16 bytes do not, batches, epilogues.
// REQUIRES: host-compiler
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: mkdir c && kgen-opt across.mlir -kgen-inline-dispatches=all -o graph.mlir && kgen-opt across.mlir -kgen-lower-dispatches="multiprocessors=2 assert-sizes" -o lowered.mlir && kgen-translate --kgen-to-cuda lowered.mlir -o c/kernel.cu && kgen-translate --kgen-to-plan lowered.mlir -o c/plan.json
// RUN: kgen-eval c --graph graph.mlir --device host --samples 1 | FileCheck %s
// CHECK: verdict PASS

// RUN: FileCheck %s --check-prefix=PLAN < c/plan.json
// PLAN: "kernel": "small_arrange"
// PLAN: "kernel": "small_main"
// PLAN: "tensor_map": {"buffer": "in0", "dtype": "tf32", "dims": [72, 300, 1]
// PLAN: "tensor_map": {"buffer": "ws{{.*}}", "dtype": "tf32", "dims": [72, 136, 1], "strides": [288, 39168]
// PLAN: "kernel": "odd_arrange"
// PLAN: "kernel": "odd_main"
// PLAN: "dims": [75, 100, 1], "strides": [320, 32000]
// PLAN: "kernel": "left_main"
// PLAN: "tensor_map": {"buffer": "in{{.*}}", "dtype": "tf32", "dims": [140, 72, 3], "strides": [560, 40320], "box": [32, 32, 1], "swizzle": "128B"
// PLAN: "kernel": "right_main"
// PLAN: "tensor_map": {"buffer": "in{{.*}}", "dtype": "tf32", "dims": [100, 260, 2]
// PLAN: "kernel": "right_reduce"
// PLAN: "kernel": "both_arrange"
// PLAN: "kernel": "both_main"
// PLAN: "kernel": "turned_main"

// One wrong index, of a fragment's slab or of the transposed sum, is seen.
// RUN: mkdir slab turn out && cp c/plan.json slab/ && cp c/plan.json turn/ && cp c/plan.json out/
// RUN: sed 's/batch \* N + at) \* M + r\]/batch * M + r) * N + at]/' c/kernel.cu > out/kernel.cu
// RUN: not kgen-eval out --graph graph.mlir --device host --samples 1 | FileCheck %s --check-prefix=WRONG
// RUN: sed 's/at % 8 \* 16/at % 4 * 16/' c/kernel.cu > slab/kernel.cu
// RUN: not kgen-eval slab --graph graph.mlir --device host --samples 1 | FileCheck %s --check-prefix=WRONG
// RUN: sed 's/batch \* N + column + i) \* M + row/batch * M + row) * N + column + i/' c/kernel.cu > turn/kernel.cu
// RUN: not kgen-eval turn --graph graph.mlir --device host --samples 1 | FileCheck %s --check-prefix=WRONG
// WRONG: verdict WRONG

//--- across.mlir
module attributes {kgen.precision = "tf32"} {
func.func @across(%a: tensor<300x72xf32>, %b: tensor<72x136xf32>, %o: tensor<100x75xf32>, %p: tensor<75x36xf32>, %x: tensor<3x72x140xf32>,
    %y: tensor<3x80x72xf32>, %u: tensor<2x70x260xf32>, %v: tensor<2x260x100xf32>, %bias: tensor<100xf32>, %e: tensor<260x68xf32>, %f: tensor<260x52xf32>,
    %h: tensor<2x40x76xf32>, %i: tensor<2x76x300xf32>, %j: tensor<2x40x300xf32>)
    -> (tensor<300x136xf32>, tensor<100x36xf32>, tensor<3x140x80xf32>, tensor<2x70x100xf32>, tensor<68x52xf32>, tensor<2x40x300xf32>) {
  %0 = kgen.dispatch @small schedule(#kgen.schedule<family = gemm, mma = wgmma, dtype = tf32, convert_at = prepass, tile = [128, 96, 32]>)
      ins(%a, %b : tensor<300x72xf32>, tensor<72x136xf32>) {
  ^bb0(%l: tensor<300x72xf32>, %r: tensor<72x136xf32>):
    %m = aten.mm %l, %r : (tensor<300x72xf32>, tensor<72x136xf32>) -> tensor<300x136xf32>
    %g = aten.relu %m : (tensor<300x136xf32>) -> tensor<300x136xf32>
    kgen.yield %g : tensor<300x136xf32>
  } : tensor<300x136xf32>
  // Rows of 75 elements are copied, too.
  %1 = kgen.dispatch @odd schedule(#kgen.schedule<family = gemm, mma = wgmma, dtype = tf32>)
      ins(%o, %p : tensor<100x75xf32>, tensor<75x36xf32>) {
  ^bb0(%l: tensor<100x75xf32>, %r: tensor<75x36xf32>):
    %m = aten.mm %l, %r : (tensor<100x75xf32>, tensor<75x36xf32>) -> tensor<100x36xf32>
    kgen.yield %m : tensor<100x36xf32>
  } : tensor<100x36xf32>
  %2 = kgen.dispatch @left schedule(#kgen.schedule<family = gemm, mma = wgmma, dtype = tf32, convert_at = registers, tile = [64, 64, 32]>)
      ins(%x, %y : tensor<3x72x140xf32>, tensor<3x80x72xf32>) {
  ^bb0(%l: tensor<3x72x140xf32>, %r: tensor<3x80x72xf32>):
    %s = aten.transpose.int %l dim0 1 dim1 2 : (tensor<3x72x140xf32>) -> tensor<3x140x72xf32>
    %t = aten.transpose.int %r dim0 1 dim1 2 : (tensor<3x80x72xf32>) -> tensor<3x72x80xf32>
    %m = aten.bmm %s, %t : (tensor<3x140x72xf32>, tensor<3x72x80xf32>) -> tensor<3x140x80xf32>
    kgen.yield %m : tensor<3x140x80xf32>
  } : tensor<3x140x80xf32>
  %3 = kgen.dispatch @right schedule(#kgen.schedule<family = gemm, mma = wgmma, dtype = tf32, convert_at = registers, tile = [128, 64, 64], split_k = 3>)
      ins(%u, %v, %bias : tensor<2x70x260xf32>, tensor<2x260x100xf32>, tensor<100xf32>) {
  ^bb0(%l: tensor<2x70x260xf32>, %r: tensor<2x260x100xf32>, %c: tensor<100xf32>):
    %m = aten.bmm %l, %r : (tensor<2x70x260xf32>, tensor<2x260x100xf32>) -> tensor<2x70x100xf32>
    %s = aten.add.Tensor %m, %c : (tensor<2x70x100xf32>, tensor<100xf32>) -> tensor<2x70x100xf32>
    kgen.yield %s : tensor<2x70x100xf32>
  } : tensor<2x70x100xf32>
  // Across k both: registers read the larger, a launch lays the other out.
  %4 = kgen.dispatch @both schedule(#kgen.schedule<family = gemm, mma = wgmma, dtype = tf32, convert_at = registers, split_k = 2, promote_k = 32>)
      ins(%e, %f : tensor<260x68xf32>, tensor<260x52xf32>) {
  ^bb0(%l: tensor<260x68xf32>, %r: tensor<260x52xf32>):
    %s = aten.numpy_T %l : (tensor<260x68xf32>) -> tensor<68x260xf32>
    %m = aten.mm %s, %r : (tensor<68x260xf32>, tensor<260x52xf32>) -> tensor<68x52xf32>
    kgen.yield %m : tensor<68x52xf32>
  } : tensor<68x52xf32>
  // The transposed result, without slices.
  %5 = kgen.dispatch @turned schedule(#kgen.schedule<family = gemm, mma = wgmma, dtype = tf32, tile = [128, 48, 32]>)
      ins(%h, %i, %j : tensor<2x40x76xf32>, tensor<2x76x300xf32>, tensor<2x40x300xf32>) {
  ^bb0(%l: tensor<2x40x76xf32>, %r: tensor<2x76x300xf32>, %c: tensor<2x40x300xf32>):
    %m = aten.bmm %l, %r : (tensor<2x40x76xf32>, tensor<2x76x300xf32>) -> tensor<2x40x300xf32>
    %s = aten.add.Tensor %m, %c : (tensor<2x40x300xf32>, tensor<2x40x300xf32>) -> tensor<2x40x300xf32>
    kgen.yield %s : tensor<2x40x300xf32>
  } : tensor<2x40x300xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<300x136xf32>, tensor<100x36xf32>, tensor<3x140x80xf32>, tensor<2x70x100xf32>, tensor<68x52xf32>, tensor<2x40x300xf32>
}
}
