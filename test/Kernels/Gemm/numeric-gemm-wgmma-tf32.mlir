// Warpgroup products of f32 operands as they are, rounded to tf32 by the copy, against the fp64 oracle on the host: both contiguous along
// k, sizes that the tiles do not divide, batches, slices of k, blocks that walk over several tiles, epilogues. No prepass.
// REQUIRES: host-compiler
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: mkdir c && kgen-opt tf32.mlir -kgen-inline-dispatches=all -o graph.mlir && kgen-opt tf32.mlir -kgen-lower-dispatches="multiprocessors=2 assert-sizes" -o lowered.mlir && kgen-translate --kgen-to-cuda lowered.mlir -o c/kernel.cu && kgen-translate --kgen-to-plan lowered.mlir -o c/plan.json
// RUN: kgen-eval c --graph graph.mlir --device host --samples 1 | FileCheck %s
// CHECK: verdict PASS

// RUN: FileCheck %s --check-prefix=PLAN --implicit-check-not=_prepare < c/plan.json
// PLAN: "kernel": "linear_main"
// PLAN: "tensor_map": {"buffer": "in0", "dtype": "tf32", "dims": [72, 100, 1], "strides": [288, 28800], "box": [32, 64, 1], "swizzle": "128B"
// PLAN: "kernel": "sliced_main"
// PLAN: "kernel": "sliced_reduce"
// PLAN: "kernel": "scores_main"

// One wrong index, of the 8 elements of a step or of a slab, is seen.
// RUN: mkdir step slab && cp c/plan.json step/ && cp c/plan.json slab/
// RUN: sed 's/step \* 8 % SLAB \* 4/step * 8 % SLAB * 2/' c/kernel.cu > step/kernel.cu
// RUN: not kgen-eval step --graph graph.mlir --device host --samples 1 | FileCheck %s --check-prefix=WRONG
// RUN: sed 's/step \* 8 \/ SLAB \* BN/(step * 8 \/ SLAB ^ 1) * BN/' c/kernel.cu > slab/kernel.cu
// RUN: not kgen-eval slab --graph graph.mlir --device host --samples 1 | FileCheck %s --check-prefix=WRONG
// WRONG: verdict WRONG

//--- tf32.mlir
module attributes {kgen.precision = "tf32"} {
func.func @tf32(%a: tensor<100x72xf32>, %w: tensor<136x72xf32>, %bias: tensor<136xf32>, %residual: tensor<100x136xf32>,
    %x: tensor<2x35x260xf32>, %v: tensor<96x260xf32>, %q: tensor<3x40x64xf32>, %k: tensor<3x70x64xf32>)
    -> (tensor<100x136xf32>, tensor<2x35x96xf32>, tensor<3x40x70xf32>) {
  %0 = kgen.dispatch @linear schedule(#kgen.schedule<family = gemm, mma = wgmma, dtype = tf32, tile = [64, 96, 64]>)
      ins(%a, %w, %bias, %residual : tensor<100x72xf32>, tensor<136x72xf32>, tensor<136xf32>, tensor<100x136xf32>) {
  ^bb0(%l: tensor<100x72xf32>, %r: tensor<136x72xf32>, %c: tensor<136xf32>, %s: tensor<100x136xf32>):
    %m = aten.linear %l, %r, %c : (tensor<100x72xf32>, tensor<136x72xf32>, tensor<136xf32>) -> tensor<100x136xf32>
    %g = aten.gelu %m : (tensor<100x136xf32>) -> tensor<100x136xf32>
    %y = aten.add.Tensor %g, %s : (tensor<100x136xf32>, tensor<100x136xf32>) -> tensor<100x136xf32>
    kgen.yield %y : tensor<100x136xf32>
  } : tensor<100x136xf32>
  %1 = kgen.dispatch @sliced schedule(#kgen.schedule<family = gemm, mma = wgmma, dtype = tf32, tile = [128, 96, 32], split_k = 3>)
      ins(%x, %v : tensor<2x35x260xf32>, tensor<96x260xf32>) {
  ^bb0(%l: tensor<2x35x260xf32>, %r: tensor<96x260xf32>):
    %m = aten.linear %l, %r : (tensor<2x35x260xf32>, tensor<96x260xf32>) -> tensor<2x35x96xf32>
    %y = aten.relu %m : (tensor<2x35x96xf32>) -> tensor<2x35x96xf32>
    kgen.yield %y : tensor<2x35x96xf32>
  } : tensor<2x35x96xf32>
  // Rows of 70 results leave directly.
  %2 = kgen.dispatch @scores schedule(#kgen.schedule<family = gemm, mma = wgmma, dtype = tf32>)
      ins(%q, %k : tensor<3x40x64xf32>, tensor<3x70x64xf32>) {
  ^bb0(%l: tensor<3x40x64xf32>, %r: tensor<3x70x64xf32>):
    %t = aten.transpose.int %r dim0 1 dim1 2 : (tensor<3x70x64xf32>) -> tensor<3x64x70xf32>
    %m = aten.bmm %l, %t : (tensor<3x40x64xf32>, tensor<3x64x70xf32>) -> tensor<3x40x70xf32>
    kgen.yield %m : tensor<3x40x70xf32>
  } : tensor<3x40x70xf32>
  return %0, %1, %2 : tensor<100x136xf32>, tensor<2x35x96xf32>, tensor<3x40x70xf32>
}
}
