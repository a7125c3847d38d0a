// A matrix times a few vectors against the fp64 oracle on the host: from the right and from the left, slices of k, lines that blocks do not
// divide, lines that 16 bytes do not, 16-bit elements, batches, epilogues.
// REQUIRES: host-compiler
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: for n in single half; do mkdir c-$n && kgen-opt $n.mlir -kgen-inline-dispatches=all -o $n-graph.mlir && kgen-opt $n.mlir -kgen-lower-dispatches="multiprocessors=2 assert-sizes" -o $n-lowered.mlir && kgen-translate --kgen-to-cuda $n-lowered.mlir -o c-$n/kernel.cu && kgen-translate --kgen-to-plan $n-lowered.mlir -o c-$n/plan.json || exit 1; done
// RUN: kgen-eval c-single --graph single-graph.mlir --device host --samples 1 | FileCheck %s
// RUN: kgen-eval c-half --graph half-graph.mlir --device host --samples 1 | FileCheck %s
// CHECK: verdict PASS
// RUN: FileCheck %s --check-prefix=PLAN < c-single/plan.json
// PLAN: "kernel": "column_main", "grid": [15, 1, 1]
// PLAN: "kernel": "column_reduce"
// PLAN: "kernel": "rows_main"
// PLAN-NOT: rows_reduce

// A slice that begins one step too late is seen.
// RUN: mkdir late && cp c-single/plan.json late/ && sed 's/first = slice \* SLICE,/first = slice * SLICE + 1,/' c-single/kernel.cu > late/kernel.cu
// RUN: not kgen-eval late --graph single-graph.mlir --device host --samples 1 | FileCheck %s --check-prefix=WRONG
// WRONG: verdict WRONG

// RUN: kgen-opt %t/errors.mlir -split-input-file -verify-diagnostics -kgen-lower-dispatches

//--- single.mlir
module attributes {kgen.precision = "strict-fp32"} {
func.func @single(%a: tensor<18x9000xf32>, %b: tensor<9000x1xf32>, %x: tensor<3x1030xf32>, %w: tensor<21x1030xf32>, %bias: tensor<21xf32>,
    %p: tensor<2x7x1025xf32>, %q: tensor<1025x1xf32>, %u: tensor<2x9x512xf32>, %v: tensor<2x512x1xf32>)
    -> (tensor<18x1xf32>, tensor<3x21xf32>, tensor<2x7x1xf32>, tensor<2x9x1xf32>) {
  %0 = kgen.dispatch @column schedule(#kgen.schedule<family = gemm, mma = none, rows_per_block = 4, split_k = 3>)
      ins(%a, %b : tensor<18x9000xf32>, tensor<9000x1xf32>) {
  ^bb0(%l: tensor<18x9000xf32>, %r: tensor<9000x1xf32>):
    %m = aten.matmul %l, %r : (tensor<18x9000xf32>, tensor<9000x1xf32>) -> tensor<18x1xf32>
    %y = aten.relu %m : (tensor<18x1xf32>) -> tensor<18x1xf32>
    kgen.yield %y : tensor<18x1xf32>
  } : tensor<18x1xf32>
  %1 = kgen.dispatch @rows schedule(#kgen.schedule<family = gemm, rows_per_block = 2>)
      ins(%x, %w, %bias : tensor<3x1030xf32>, tensor<21x1030xf32>, tensor<21xf32>) {
  ^bb0(%l: tensor<3x1030xf32>, %r: tensor<21x1030xf32>, %c: tensor<21xf32>):
    %m = aten.linear %l, %r, %c : (tensor<3x1030xf32>, tensor<21x1030xf32>, tensor<21xf32>) -> tensor<3x21xf32>
    kgen.yield %m : tensor<3x21xf32>
  } : tensor<3x21xf32>
  %2 = kgen.dispatch @odd schedule(#kgen.schedule<family = gemm, rows_per_block = 4, split_k = 2>)
      ins(%p, %q : tensor<2x7x1025xf32>, tensor<1025x1xf32>) {
  ^bb0(%l: tensor<2x7x1025xf32>, %r: tensor<1025x1xf32>):
    %m = aten.matmul %l, %r : (tensor<2x7x1025xf32>, tensor<1025x1xf32>) -> tensor<2x7x1xf32>
    kgen.yield %m : tensor<2x7x1xf32>
  } : tensor<2x7x1xf32>
  %3 = kgen.dispatch @batched schedule(#kgen.schedule<family = gemm, rows_per_block = 8>)
      ins(%u, %v : tensor<2x9x512xf32>, tensor<2x512x1xf32>) {
  ^bb0(%l: tensor<2x9x512xf32>, %r: tensor<2x512x1xf32>):
    %m = aten.bmm %l, %r : (tensor<2x9x512xf32>, tensor<2x512x1xf32>) -> tensor<2x9x1xf32>
    kgen.yield %m : tensor<2x9x1xf32>
  } : tensor<2x9x1xf32>
  return %0, %1, %2, %3 : tensor<18x1xf32>, tensor<3x21xf32>, tensor<2x7x1xf32>, tensor<2x9x1xf32>
}
}

//--- half.mlir
module attributes {kgen.precision = "fp16"} {
func.func @half(%x: tensor<2x4104xf16>, %w: tensor<33x4104xf16>) -> tensor<2x33xf16> {
  %0 = kgen.dispatch @pair schedule(#kgen.schedule<family = gemm, mma = none, rows_per_block = 4, split_k = 3>)
      ins(%x, %w : tensor<2x4104xf16>, tensor<33x4104xf16>) {
  ^bb0(%l: tensor<2x4104xf16>, %r: tensor<33x4104xf16>):
    %m = aten.linear %l, %r : (tensor<2x4104xf16>, tensor<33x4104xf16>) -> tensor<2x33xf16>
    %y = aten.gelu %m : (tensor<2x33xf16>) -> tensor<2x33xf16>
    kgen.yield %y : tensor<2x33xf16>
  } : tensor<2x33xf16>
  return %0 : tensor<2x33xf16>
}
}

//--- errors.mlir
func.func @many(%a: tensor<64x512xf32>, %b: tensor<9x512xf32>) -> tensor<64x9xf32> {
  // expected-error @below {{rows_per_block is for a matrix times at most 8 vectors, found 9}}
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = gemm, rows_per_block = 4>) ins(%a, %b : tensor<64x512xf32>, tensor<9x512xf32>) {
  ^bb0(%l: tensor<64x512xf32>, %r: tensor<9x512xf32>):
    %m = aten.linear %l, %r : (tensor<64x512xf32>, tensor<9x512xf32>) -> tensor<64x9xf32>
    kgen.yield %m : tensor<64x9xf32>
  } : tensor<64x9xf32>
  return %0 : tensor<64x9xf32>
}

// -----

func.func @across(%a: tensor<1x512xf32>, %b: tensor<512x64xf32>) -> tensor<1x64xf32> {
  // expected-error @below {{rows_per_block needs a matrix and vectors that are contiguous along k, found a matrix across it}}
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = gemm, rows_per_block = 4>) ins(%a, %b : tensor<1x512xf32>, tensor<512x64xf32>) {
  ^bb0(%l: tensor<1x512xf32>, %r: tensor<512x64xf32>):
    %m = aten.mm %l, %r : (tensor<1x512xf32>, tensor<512x64xf32>) -> tensor<1x64xf32>
    kgen.yield %m : tensor<1x64xf32>
  } : tensor<1x64xf32>
  return %0 : tensor<1x64xf32>
}

// -----

func.func @slices(%a: tensor<64x2048xf32>, %b: tensor<2048x1xf32>) -> tensor<64x1xf32> {
  // expected-error @below {{split_k = 4 leaves a slice empty: k has 2 steps of 256 threads}}
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = gemm, rows_per_block = 4, split_k = 4>) ins(%a, %b : tensor<64x2048xf32>, tensor<2048x1xf32>) {
  ^bb0(%l: tensor<64x2048xf32>, %r: tensor<2048x1xf32>):
    %m = aten.mm %l, %r : (tensor<64x2048xf32>, tensor<2048x1xf32>) -> tensor<64x1xf32>
    kgen.yield %m : tensor<64x1xf32>
  } : tensor<64x1xf32>
  return %0 : tensor<64x1xf32>
}
