// Products of which a cluster has a tile, against the fp64 oracle on the host: f32 as tf32, 16-bit operands, sizes that the tiles do not
// divide, single rows, batches, epilogues. Device host runs clusters of one block.
// REQUIRES: host-compiler
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: for n in tf32 half bf16; do mkdir c-$n && kgen-opt $n.mlir -kgen-inline-dispatches=all -o $n-graph.mlir && kgen-opt $n.mlir -kgen-lower-dispatches="assert-sizes" -o $n-lowered.mlir && kgen-translate --kgen-to-cuda $n-lowered.mlir -o c-$n/kernel.cu && kgen-translate --kgen-to-plan $n-lowered.mlir -o c-$n/plan.json || exit 1; done
// RUN: kgen-eval c-tf32 --graph tf32-graph.mlir --device host --samples 1 | FileCheck %s
// RUN: kgen-eval c-half --graph half-graph.mlir --device host --samples 1 | FileCheck %s
// RUN: kgen-eval c-bf16 --graph bf16-graph.mlir --device host --samples 1 | FileCheck %s
// CHECK: verdict PASS

// The way of sums through shared memory, with one slice that has all of k; one that reads another's sums is seen.
// RUN: mkdir sums w-sums && cp c-tf32/plan.json sums/ && cp c-tf32/plan.json w-sums/
// RUN: sed 's/SPLIT_K > 1/SPLIT_K > 0/' c-tf32/kernel.cu > sums/kernel.cu
// RUN: kgen-eval sums --graph tf32-graph.mlir --device host --samples 1 | FileCheck %s
// RUN: sed 's/sums + number \* (128/sums + (number ^ 1) * (128/' sums/kernel.cu > w-sums/kernel.cu
// RUN: not kgen-eval w-sums --graph tf32-graph.mlir --device host --samples 1 | FileCheck %s --check-prefix=WRONG

// Copies that do not round leave it to the tensor cores, which cut: too much where all numbers have one sign.
// RUN: mkdir cut && cp c-tf32/kernel.cu cut/ && sed 's/"dtype": "tf32"/"dtype": "f32"/' c-tf32/plan.json > cut/plan.json
// RUN: not kgen-eval cut --graph tf32-graph.mlir --device host --samples 1 | FileCheck %s --check-prefix=CUT
// CUT: verdict WRONG
// CUT: input offset

// One wrong index is seen: of a step, of a column, of a row.
// RUN: for n in step column row; do mkdir w-$n && cp c-tf32/plan.json w-$n/; done
// RUN: sed 's/step \* 32 % 128;/step * 16 % 128;/' c-tf32/kernel.cu > w-step/kernel.cu
// RUN: not kgen-eval w-step --graph tf32-graph.mlir --device host --samples 1 | FileCheck %s --check-prefix=WRONG
// RUN: sed 's/n0 + 8 \* j + thread/n0 + 8 * (j ^ 1) + thread/' c-tf32/kernel.cu > w-column/kernel.cu
// RUN: not kgen-eval w-column --graph tf32-graph.mlir --device host --samples 1 | FileCheck %s --check-prefix=WRONG
// RUN: sed 's/consumer \* MT \* 64 \* 128/consumer * 64 * 128/' c-tf32/kernel.cu > w-row/kernel.cu
// RUN: not kgen-eval w-row --graph tf32-graph.mlir --device host --samples 1 | FileCheck %s --check-prefix=WRONG
// WRONG: verdict WRONG

//--- tf32.mlir
module attributes {kgen.precision = "tf32"} {
func.func @tf32(%a: tensor<300x72xf32>, %w: tensor<136x72xf32>, %bias: tensor<136xf32>, %residual: tensor<300x136xf32>,
    %q: tensor<3x40x160xf32>, %k: tensor<3x71x160xf32>) -> (tensor<300x136xf32>, tensor<3x40x71xf32>) {
  %0 = kgen.dispatch @linear schedule(#kgen.schedule<family = gemm, split_at = cluster, tile = [256, 96, 32], split_k = 1, cluster = 1, stages = 3>)
      ins(%a, %w, %bias, %residual : tensor<300x72xf32>, tensor<136x72xf32>, tensor<136xf32>, tensor<300x136xf32>) {
  ^bb0(%l: tensor<300x72xf32>, %r: tensor<136x72xf32>, %c: tensor<136xf32>, %s: tensor<300x136xf32>):
    %m = aten.linear %l, %r, %c : (tensor<300x72xf32>, tensor<136x72xf32>, tensor<136xf32>) -> tensor<300x136xf32>
    %g = aten.gelu %m : (tensor<300x136xf32>) -> tensor<300x136xf32>
    %y = aten.add.Tensor %g, %s : (tensor<300x136xf32>, tensor<300x136xf32>) -> tensor<300x136xf32>
    kgen.yield %y : tensor<300x136xf32>
  } : tensor<300x136xf32>
  // Rows of 71 results.
  %1 = kgen.dispatch @scores schedule(#kgen.schedule<family = gemm, split_at = cluster, tile = [64, 48, 64], split_k = 1, cluster = 1>)
      ins(%q, %k : tensor<3x40x160xf32>, tensor<3x71x160xf32>) {
  ^bb0(%l: tensor<3x40x160xf32>, %r: tensor<3x71x160xf32>):
    %t = aten.transpose.int %r dim0 1 dim1 2 : (tensor<3x71x160xf32>) -> tensor<3x160x71xf32>
    %m = aten.bmm %l, %t : (tensor<3x40x160xf32>, tensor<3x160x71xf32>) -> tensor<3x40x71xf32>
    kgen.yield %m : tensor<3x40x71xf32>
  } : tensor<3x40x71xf32>
  return %0, %1 : tensor<300x136xf32>, tensor<3x40x71xf32>
}
}

//--- half.mlir
module attributes {kgen.precision = "fp16"} {
func.func @half(%x: tensor<2x35x264xf16>, %w: tensor<72x264xf16>, %bias: tensor<72xf16>) -> tensor<2x35x72xf16> {
  %0 = kgen.dispatch @linear schedule(#kgen.schedule<family = gemm, split_at = cluster, tile = [128, 32, 64], split_k = 1, cluster = 1, l2_promotion = 128>)
      ins(%x, %w, %bias : tensor<2x35x264xf16>, tensor<72x264xf16>, tensor<72xf16>) {
  ^bb0(%l: tensor<2x35x264xf16>, %r: tensor<72x264xf16>, %c: tensor<72xf16>):
    %m = aten.linear %l, %r, %c : (tensor<2x35x264xf16>, tensor<72x264xf16>, tensor<72xf16>) -> tensor<2x35x72xf16>
    %y = aten.relu %m : (tensor<2x35x72xf16>) -> tensor<2x35x72xf16>
    kgen.yield %y : tensor<2x35x72xf16>
  } : tensor<2x35x72xf16>
  return %0 : tensor<2x35x72xf16>
}
}

//--- bf16.mlir
module attributes {kgen.precision = "bf16"} {
func.func @bf16(%x: tensor<1x1x512xbf16>, %w: tensor<70x512xbf16>, %residual: tensor<1x1x70xbf16>) -> tensor<1x1x70xbf16> {
  %0 = kgen.dispatch @row schedule(#kgen.schedule<family = gemm, split_at = cluster, tile = [64, 16, 128], split_k = 1, cluster = 1>)
      ins(%x, %w, %residual : tensor<1x1x512xbf16>, tensor<70x512xbf16>, tensor<1x1x70xbf16>) {
  ^bb0(%l: tensor<1x1x512xbf16>, %r: tensor<70x512xbf16>, %s: tensor<1x1x70xbf16>):
    %m = aten.linear %l, %r : (tensor<1x1x512xbf16>, tensor<70x512xbf16>) -> tensor<1x1x70xbf16>
    %y = aten.add.Tensor %m, %s : (tensor<1x1x70xbf16>, tensor<1x1x70xbf16>) -> tensor<1x1x70xbf16>
    kgen.yield %y : tensor<1x1x70xbf16>
  } : tensor<1x1x70xbf16>
  return %0 : tensor<1x1x70xbf16>
}
}
