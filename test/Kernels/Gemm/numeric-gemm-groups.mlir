// Products of groups of rows, each with a matrix of its own, against the fp64 oracle on the host: on clusters, by mma.sync and in fp32; ends
// of groups in any order, of both types, before the first row and behind the last one; groups that are empty, shorter and longer than tiles.
// REQUIRES: host-compiler
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: for n in cluster half blocks; do mkdir c-$n && kgen-opt $n.mlir -kgen-inline-dispatches=all -o $n-graph.mlir && kgen-opt $n.mlir -kgen-lower-dispatches="assert-sizes" -o $n-lowered.mlir && kgen-translate --kgen-to-cuda $n-lowered.mlir -o c-$n/kernel.cu && kgen-translate --kgen-to-plan $n-lowered.mlir -o c-$n/plan.json || exit 1; done
// RUN: kgen-eval c-cluster --graph cluster-graph.mlir --device host --samples 1 | FileCheck %s
// RUN: kgen-eval c-half --graph half-graph.mlir --device host --samples 1 | FileCheck %s
// RUN: kgen-eval c-blocks --graph blocks-graph.mlir --device host --samples 1 | FileCheck %s
// CHECK: verdict PASS

// Where nothing is declared, ends lie between the rows.
// RUN: FileCheck %s --check-prefix=DRAWN --input-file=c-half/plan.json
// DRAWN: integer(0, 150)

// One wrong index is seen: of a group's rows (of 300 in 4 groups one has more than a tile), of its end, of its matrix.
// RUN: for n in first order end matrix; do mkdir w-$n && cp c-cluster/plan.json w-$n/; done
// RUN: sed 's/first + index \* BM/first + index * (BM + 1)/' c-cluster/kernel.cu > w-first/kernel.cu
// RUN: not kgen-eval w-first --graph cluster-graph.mlir --device host --samples 1 | FileCheck %s --check-prefix=WRONG
// RUN: sed 's/other < end ||/other <= end ||/' c-cluster/kernel.cu > w-order/kernel.cu
// RUN: not kgen-eval w-order --graph cluster-graph.mlir --device host --samples 1 | FileCheck %s --check-prefix=WRONG
// RUN: sed 's/r >= end/r + 1 >= end/' c-cluster/kernel.cu > w-end/kernel.cu
// RUN: not kgen-eval w-end --graph cluster-graph.mlir --device host --samples 1 | FileCheck %s --check-prefix=WRONG
// RUN: sed 's/batch = rows.matrix/batch = rows.matrix ^ 1/' c-cluster/kernel.cu > w-matrix/kernel.cu
// RUN: not kgen-eval w-matrix --graph cluster-graph.mlir --device host --samples 1 | FileCheck %s --check-prefix=WRONG
// WRONG: verdict {{WRONG|FAULT|CHEAT|RACE}}

//--- cluster.mlir
module attributes {kgen.precision = "tf32"} {
func.func @cluster(%x: tensor<300x72xf32>, %w: tensor<4x136x72xf32>, %ends: tensor<4xi32> {kgen.init = "integer(-20, 330)"},
    %residual: tensor<300x136xf32>) -> tensor<300x136xf32> {
  %0 = kgen.dispatch @experts schedule(#kgen.schedule<family = gemm, split_at = cluster, tile = [64, 96, 32], split_k = 1>)
      ins(%x, %w, %ends, %residual : tensor<300x72xf32>, tensor<4x136x72xf32>, tensor<4xi32>, tensor<300x136xf32>) {
  ^bb0(%l: tensor<300x72xf32>, %r: tensor<4x136x72xf32>, %e: tensor<4xi32>, %s: tensor<300x136xf32>):
    %t = aten.transpose.int %r dim0 1 dim1 2 : (tensor<4x136x72xf32>) -> tensor<4x72x136xf32>
    %m = aten._grouped_mm %l, %t, %e : (tensor<300x72xf32>, tensor<4x72x136xf32>, tensor<4xi32>) -> tensor<300x136xf32>
    %g = aten.gelu %m : (tensor<300x136xf32>) -> tensor<300x136xf32>
    %y = aten.add.Tensor %g, %s : (tensor<300x136xf32>, tensor<300x136xf32>) -> tensor<300x136xf32>
    kgen.yield %y : tensor<300x136xf32>
  } : tensor<300x136xf32>
  return %0 : tensor<300x136xf32>
}
}

//--- half.mlir
module attributes {kgen.precision = "bf16"} {
func.func @half(%x: tensor<150x264xbf16>, %w: tensor<3x264x72xbf16>, %ends: tensor<3xi64>, %y: tensor<5x128xbf16>, %v: tensor<9x64x128xbf16>,
    %few: tensor<9xi32>) -> (tensor<150x72xbf16>, tensor<5x64xbf16>) {
  // Matrices across k; tiles of 128 rows.
  %0 = kgen.dispatch @across schedule(#kgen.schedule<family = gemm, split_at = cluster, tile = [128, 64, 64], split_k = 1>)
      ins(%x, %w, %ends : tensor<150x264xbf16>, tensor<3x264x72xbf16>, tensor<3xi64>) {
  ^bb0(%l: tensor<150x264xbf16>, %r: tensor<3x264x72xbf16>, %e: tensor<3xi64>):
    %m = aten._grouped_mm %l, %r, %e : (tensor<150x264xbf16>, tensor<3x264x72xbf16>, tensor<3xi64>) -> tensor<150x72xbf16>
    kgen.yield %m : tensor<150x72xbf16>
  } : tensor<150x72xbf16>
  // More groups than rows.
  %1 = kgen.dispatch @few schedule(#kgen.schedule<family = gemm, split_at = cluster>)
      ins(%y, %v, %few : tensor<5x128xbf16>, tensor<9x64x128xbf16>, tensor<9xi32>) {
  ^bb0(%l: tensor<5x128xbf16>, %r: tensor<9x64x128xbf16>, %e: tensor<9xi32>):
    %t = aten.transpose.int %r dim0 1 dim1 2 : (tensor<9x64x128xbf16>) -> tensor<9x128x64xbf16>
    %m = aten._grouped_mm %l, %t, %e : (tensor<5x128xbf16>, tensor<9x128x64xbf16>, tensor<9xi32>) -> tensor<5x64xbf16>
    kgen.yield %m : tensor<5x64xbf16>
  } : tensor<5x64xbf16>
  return %0, %1 : tensor<150x72xbf16>, tensor<5x64xbf16>
}
}

//--- blocks.mlir
module attributes {kgen.precision = "tf32"} {
func.func @blocks(%x: tensor<128x70xf32>, %w: tensor<5x51x70xf32>, %v: tensor<5x70x51xf32>, %ends: tensor<5xi32>, %h: tensor<90x40xbf16>,
    %u: tensor<4x40x33xbf16>, %more: tensor<4xi64>) -> (tensor<128x51xf32>, tensor<128x51xf32>, tensor<90x33xbf16>) {
  // Rows that tiles divide, and groups that they do not; slices of k.
  %0 = kgen.dispatch @simt schedule(#kgen.schedule<family = gemm, mma = none, tile = [32, 32, 16], split_k = 2>)
      ins(%x, %w, %ends : tensor<128x70xf32>, tensor<5x51x70xf32>, tensor<5xi32>) {
  ^bb0(%l: tensor<128x70xf32>, %r: tensor<5x51x70xf32>, %e: tensor<5xi32>):
    %t = aten.transpose.int %r dim0 1 dim1 2 : (tensor<5x51x70xf32>) -> tensor<5x70x51xf32>
    %m = aten._grouped_mm %l, %t, %e : (tensor<128x70xf32>, tensor<5x70x51xf32>, tensor<5xi32>) -> tensor<128x51xf32>
    %y = aten.relu %m : (tensor<128x51xf32>) -> tensor<128x51xf32>
    kgen.yield %y : tensor<128x51xf32>
  } : tensor<128x51xf32>
  %1 = kgen.dispatch @tensor_cores schedule(#kgen.schedule<family = gemm, mma = mma_sync, dtype = tf32, tile = [64, 32, 32]>)
      ins(%x, %v, %ends : tensor<128x70xf32>, tensor<5x70x51xf32>, tensor<5xi32>) {
  ^bb0(%l: tensor<128x70xf32>, %r: tensor<5x70x51xf32>, %e: tensor<5xi32>):
    %m = aten._grouped_mm %l, %r, %e : (tensor<128x70xf32>, tensor<5x70x51xf32>, tensor<5xi32>) -> tensor<128x51xf32>
    kgen.yield %m : tensor<128x51xf32>
  } : tensor<128x51xf32>
  %2 = kgen.dispatch @sixteen schedule(#kgen.schedule<family = gemm, mma = mma_sync>)
      ins(%h, %u, %more : tensor<90x40xbf16>, tensor<4x40x33xbf16>, tensor<4xi64>) {
  ^bb0(%l: tensor<90x40xbf16>, %r: tensor<4x40x33xbf16>, %e: tensor<4xi64>):
    %m = aten._grouped_mm %l, %r, %e : (tensor<90x40xbf16>, tensor<4x40x33xbf16>, tensor<4xi64>) -> tensor<90x33xbf16>
    kgen.yield %m : tensor<90x33xbf16>
  } : tensor<90x33xbf16>
  return %0, %1, %2 : tensor<128x51xf32>, tensor<128x51xf32>, tensor<90x33xbf16>
}
}
