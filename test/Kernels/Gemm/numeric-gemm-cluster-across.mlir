// Products of which a cluster has a tile and whose operands lie across k, against the fp64 oracle on the host: f32 through registers, on the
// left and, by the transposed result, on the right; 16-bit ones on either side and both. Sizes that the tiles do not divide, batches,
// epilogues. Device host runs clusters of one block.
// REQUIRES: host-compiler
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: for n in tf32 half bf16; do mkdir c-$n && kgen-opt $n.mlir -kgen-inline-dispatches=all -o $n-graph.mlir && kgen-opt $n.mlir -kgen-lower-dispatches="assert-sizes" -o $n-lowered.mlir && kgen-translate --kgen-to-cuda $n-lowered.mlir -o c-$n/kernel.cu && kgen-translate --kgen-to-plan $n-lowered.mlir -o c-$n/plan.json || exit 1; done
// RUN: kgen-eval c-tf32 --graph tf32-graph.mlir --device host --samples 1 | FileCheck %s
// RUN: kgen-eval c-half --graph half-graph.mlir --device host --samples 1 | FileCheck %s
// RUN: kgen-eval c-bf16 --graph bf16-graph.mlir --device host --samples 1 | FileCheck %s
// CHECK: verdict PASS

// Copies that do not round leave it to the tensor cores, which cut: too much where all numbers have one sign.
// RUN: mkdir cut && cp c-tf32/kernel.cu cut/ && sed 's/"dtype": "tf32"/"dtype": "f32"/' c-tf32/plan.json > cut/plan.json
// RUN: not kgen-eval cut --graph tf32-graph.mlir --device host --samples 1 | FileCheck %s --check-prefix=CUT
// CUT: verdict WRONG
// CUT: input offset

// One wrong index is seen: of a fragment, of the transposed result, of a step and of a piece that lie across.
// RUN: for n in fragment result; do mkdir w-$n && cp c-tf32/plan.json w-$n/; done && for n in step piece; do mkdir w-$n && cp c-half/plan.json w-$n/; done
// RUN: sed 's/at % 8 \* 16/at % 4 * 16/' c-tf32/kernel.cu > w-fragment/kernel.cu
// RUN: not kgen-eval w-fragment --graph tf32-graph.mlir --device host --samples 1 | FileCheck %s --check-prefix=WRONG
// RUN: sed 's/N + at) \* M + r\]/N + (at ^ 1)) * M + r]/' c-tf32/kernel.cu > w-result/kernel.cu
// RUN: not kgen-eval w-result --graph tf32-graph.mlir --device host --samples 1 | FileCheck %s --check-prefix=WRONG
// RUN: sed 's/return step \* 16 \* 128;/return step * 8 * 128;/' c-half/kernel.cu > w-step/kernel.cu
// RUN: not kgen-eval w-step --graph half-graph.mlir --device host --samples 1 | FileCheck %s --check-prefix=WRONG
// RUN: sed 's/(BN \/ CLUSTER) + s \* SLAB;/(BN \/ CLUSTER) + (s ^ 1) * SLAB;/' c-half/kernel.cu > w-piece/kernel.cu
// RUN: not kgen-eval w-piece --graph half-graph.mlir --device host --samples 1 | FileCheck %s --check-prefix=WRONG
// WRONG: verdict WRONG

//--- tf32.mlir
module attributes {kgen.precision = "tf32"} {
func.func @tf32(%a: tensor<300x72xf32>, %w: tensor<72x136xf32>, %bias: tensor<136xf32>, %residual: tensor<300x136xf32>,
    %q: tensor<3x160x40xf32>, %k: tensor<3x71x160xf32>) -> (tensor<300x136xf32>, tensor<3x40x71xf32>) {
  // The right one, and what follows it.
  %0 = kgen.dispatch @product schedule(#kgen.schedule<family = gemm, split_at = cluster, tile = [128, 96, 64], split_k = 1, cluster = 1, stages = 3>)
      ins(%a, %w, %bias, %residual : tensor<300x72xf32>, tensor<72x136xf32>, tensor<136xf32>, tensor<300x136xf32>) {
  ^bb0(%l: tensor<300x72xf32>, %r: tensor<72x136xf32>, %c: tensor<136xf32>, %s: tensor<300x136xf32>):
    %m = aten.mm %l, %r : (tensor<300x72xf32>, tensor<72x136xf32>) -> tensor<300x136xf32>
    %b = aten.add.Tensor %m, %c : (tensor<300x136xf32>, tensor<136xf32>) -> tensor<300x136xf32>
    %g = aten.gelu %b : (tensor<300x136xf32>) -> tensor<300x136xf32>
    %y = aten.add.Tensor %g, %s : (tensor<300x136xf32>, tensor<300x136xf32>) -> tensor<300x136xf32>
    kgen.yield %y : tensor<300x136xf32>
  } : tensor<300x136xf32>
  // The left one of a batch, with rows of 71 results.
  %1 = kgen.dispatch @scores schedule(#kgen.schedule<family = gemm, split_at = cluster, tile = [64, 48, 32], split_k = 1, cluster = 1>)
      ins(%q, %k : tensor<3x160x40xf32>, tensor<3x71x160xf32>) {
  ^bb0(%l: tensor<3x160x40xf32>, %r: tensor<3x71x160xf32>):
    %u = aten.transpose.int %l dim0 1 dim1 2 : (tensor<3x160x40xf32>) -> tensor<3x40x160xf32>
    %t = aten.transpose.int %r dim0 1 dim1 2 : (tensor<3x71x160xf32>) -> tensor<3x160x71xf32>
    %m = aten.bmm %u, %t : (tensor<3x40x160xf32>, tensor<3x160x71xf32>) -> tensor<3x40x71xf32>
    kgen.yield %m : tensor<3x40x71xf32>
  } : tensor<3x40x71xf32>
  return %0, %1 : tensor<300x136xf32>, tensor<3x40x71xf32>
}
}

//--- half.mlir
module attributes {kgen.precision = "fp16"} {
func.func @half(%x: tensor<70x264xf16>, %w: tensor<264x200xf16>, %bias: tensor<200xf16>) -> tensor<70x200xf16> {
  %0 = kgen.dispatch @product schedule(#kgen.schedule<family = gemm, split_at = cluster, tile = [128, 128, 64], split_k = 1, cluster = 1>)
      ins(%x, %w, %bias : tensor<70x264xf16>, tensor<264x200xf16>, tensor<200xf16>) {
  ^bb0(%l: tensor<70x264xf16>, %r: tensor<264x200xf16>, %c: tensor<200xf16>):
    %m = aten.mm %l, %r : (tensor<70x264xf16>, tensor<264x200xf16>) -> tensor<70x200xf16>
    %b = aten.add.Tensor %m, %c : (tensor<70x200xf16>, tensor<200xf16>) -> tensor<70x200xf16>
    %y = aten.relu %b : (tensor<70x200xf16>) -> tensor<70x200xf16>
    kgen.yield %y : tensor<70x200xf16>
  } : tensor<70x200xf16>
  return %0 : tensor<70x200xf16>
}
}

//--- bf16.mlir
module attributes {kgen.precision = "bf16"} {
func.func @bf16(%x: tensor<96x72xbf16>, %w: tensor<96x88xbf16>, %v: tensor<56x96xbf16>) -> (tensor<72x88xbf16>, tensor<72x56xbf16>) {
  // Both, then the left one alone.
  %0 = kgen.dispatch @both schedule(#kgen.schedule<family = gemm, split_at = cluster, tile = [256, 64, 64], split_k = 1, cluster = 1>)
      ins(%x, %w : tensor<96x72xbf16>, tensor<96x88xbf16>) {
  ^bb0(%l: tensor<96x72xbf16>, %r: tensor<96x88xbf16>):
    %t = aten.transpose.int %l dim0 0 dim1 1 : (tensor<96x72xbf16>) -> tensor<72x96xbf16>
    %m = aten.mm %t, %r : (tensor<72x96xbf16>, tensor<96x88xbf16>) -> tensor<72x88xbf16>
    kgen.yield %m : tensor<72x88xbf16>
  } : tensor<72x88xbf16>
  %1 = kgen.dispatch @left schedule(#kgen.schedule<family = gemm, split_at = cluster, tile = [64, 32, 64], split_k = 1, cluster = 1>)
      ins(%x, %v : tensor<96x72xbf16>, tensor<56x96xbf16>) {
  ^bb0(%l: tensor<96x72xbf16>, %r: tensor<56x96xbf16>):
    %t = aten.transpose.int %l dim0 0 dim1 1 : (tensor<96x72xbf16>) -> tensor<72x96xbf16>
    %m = aten.linear %t, %r : (tensor<72x96xbf16>, tensor<56x96xbf16>) -> tensor<72x56xbf16>
    kgen.yield %m : tensor<72x56xbf16>
  } : tensor<72x56xbf16>
  return %0, %1 : tensor<72x88xbf16>, tensor<72x56xbf16>
}
}
