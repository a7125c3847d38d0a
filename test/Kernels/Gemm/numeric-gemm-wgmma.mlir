// Products on warpgroups against the fp64 oracle, on the host's twins of sm_90's instructions: layouts, sizes that the
// tiles do not divide, batches, blocks that walk over several tiles, epilogues, f32 operands as scaled fp16 in one part (class tf32) and in two (strict-fp32).
// REQUIRES: host-compiler
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: for n in half tf32 strict; do mkdir c-$n && kgen-opt $n.mlir -kgen-inline-dispatches=all -o $n-graph.mlir && kgen-opt $n.mlir -kgen-lower-dispatches="multiprocessors=2 assert-sizes" -o $n-lowered.mlir && kgen-translate --kgen-to-cuda $n-lowered.mlir -o c-$n/kernel.cu && kgen-translate --kgen-to-plan $n-lowered.mlir -o c-$n/plan.json || exit 1; done
// RUN: kgen-eval c-half --graph half-graph.mlir --device host --samples 1 | FileCheck %s
// RUN: kgen-eval c-tf32 --graph tf32-graph.mlir --device host --samples 1 | FileCheck %s
// RUN: kgen-eval c-strict --graph strict-graph.mlir --device host --samples 1 | FileCheck %s
// CHECK: verdict PASS

// The bytes that L2 fetches reach the plan, those of the operands alone.
// RUN: FileCheck %s --check-prefix=PLAN < c-half/plan.json
// PLAN: nn_main
// PLAN: "l2": "64B"
// PLAN: "l2": "64B"
// PLAN: linear_main
// PLAN: "l2": "256B"

// Results of long steps are finished in a loop, before each turn of which the next sums move to the front.
// RUN: grep -c 'bool LOOPS = true' c-half/kernel.cu | FileCheck %s --check-prefix=LOOPS
// LOOPS: {{^1$}}
// RUN: mkdir front && sed 's/sums\[i\]\[j + CHUNK \/ 2\];/sums[i][j + CHUNK \/ 4];/' c-half/kernel.cu > front/kernel.cu && cp c-half/plan.json front/
// RUN: not kgen-eval front --graph half-graph.mlir --device host --samples 1 | FileCheck %s --check-prefix=WRONG

// One wrong stride of a descriptor is seen.
// RUN: mkdir wrong && sed 's/BK \* 128, 1024, kgen/BK * 128, 512, kgen/' c-half/kernel.cu > wrong/kernel.cu && cp c-half/plan.json wrong/
// RUN: not kgen-eval wrong --graph half-graph.mlir --device host --samples 1 | FileCheck %s --check-prefix=WRONG
// WRONG: verdict WRONG

//--- half.mlir
module attributes {kgen.precision = "fp16"} {
func.func @half(%a: tensor<100x72xf16>, %b: tensor<72x136xf16>, %x: tensor<2x40x136xf16>, %w: tensor<72x136xf16>, %bias: tensor<72xf16>,
    %p: tensor<3x72x40xf16>, %q: tensor<3x72x64xf16>) -> (tensor<100x136xf16>, tensor<2x40x72xf16>, tensor<3x40x64xf16>, tensor<100x136xf16>) {
  %0 = kgen.dispatch @nn schedule(#kgen.schedule<family = gemm, mma = wgmma, tile = [64, 64, 64], stages = 2, l2_promotion = 64>)
      ins(%a, %b : tensor<100x72xf16>, tensor<72x136xf16>) {
  ^bb0(%l: tensor<100x72xf16>, %r: tensor<72x136xf16>):
    %m = aten.mm %l, %r : (tensor<100x72xf16>, tensor<72x136xf16>) -> tensor<100x136xf16>
    kgen.yield %m : tensor<100x136xf16>
  } : tensor<100x136xf16>
  // Rows of 72 results: tiles of 80 columns leave directly.
  %1 = kgen.dispatch @linear schedule(#kgen.schedule<family = gemm, pipeline = tma, tile = [128, 80, 64], mma_inflight = 0, persistent = none>)
      ins(%x, %w, %bias : tensor<2x40x136xf16>, tensor<72x136xf16>, tensor<72xf16>) {
  ^bb0(%l: tensor<2x40x136xf16>, %r: tensor<72x136xf16>, %c: tensor<72xf16>):
    %m = aten.linear %l, %r, %c : (tensor<2x40x136xf16>, tensor<72x136xf16>, tensor<72xf16>) -> tensor<2x40x72xf16>
    %y = aten.relu %m : (tensor<2x40x72xf16>) -> tensor<2x40x72xf16>
    kgen.yield %y : tensor<2x40x72xf16>
  } : tensor<2x40x72xf16>
  %2 = kgen.dispatch @batched schedule(#kgen.schedule<family = gemm, mma = wgmma, tile = [64, 64, 64], store = tma>)
      ins(%p, %q : tensor<3x72x40xf16>, tensor<3x72x64xf16>) {
  ^bb0(%l: tensor<3x72x40xf16>, %r: tensor<3x72x64xf16>):
    %t = aten.transpose.int %l dim0 1 dim1 2 : (tensor<3x72x40xf16>) -> tensor<3x40x72xf16>
    %m = aten.bmm %t, %r : (tensor<3x40x72xf16>, tensor<3x72x64xf16>) -> tensor<3x40x64xf16>
    kgen.yield %m : tensor<3x40x64xf16>
  } : tensor<3x40x64xf16>
  // Three long steps: a loop over pieces of 64 columns.
  %long = kgen.dispatch @long schedule(#kgen.schedule<family = gemm, mma = wgmma, tile = [64, 128, 64], stages = 2>)
      ins(%a, %b : tensor<100x72xf16>, tensor<72x136xf16>) {
  ^bb0(%l: tensor<100x72xf16>, %r: tensor<72x136xf16>):
    %m = aten.mm %l, %r : (tensor<100x72xf16>, tensor<72x136xf16>) -> tensor<100x136xf16>
    %s = aten.silu %m : (tensor<100x136xf16>) -> tensor<100x136xf16>
    %t = aten.tanh %s : (tensor<100x136xf16>) -> tensor<100x136xf16>
    kgen.yield %t : tensor<100x136xf16>
  } : tensor<100x136xf16>
  return %0, %1, %2, %long : tensor<100x136xf16>, tensor<2x40x72xf16>, tensor<3x40x64xf16>, tensor<100x136xf16>
}
}

//--- tf32.mlir
module attributes {kgen.precision = "tf32"} {
func.func @tf32(%a: tensor<100x72xf32>, %b: tensor<72x136xf32>, %x: tensor<72x40xf32>, %w: tensor<64x72xf32>, %bias: tensor<64xf32>)
    -> (tensor<100x136xf32>, tensor<40x64xf32>, tensor<40x136xf32>) {
  %0 = kgen.dispatch @nn schedule(#kgen.schedule<family = gemm, mma = wgmma, tile = [128, 64, 64]>)
      ins(%a, %b : tensor<100x72xf32>, tensor<72x136xf32>) {
  ^bb0(%l: tensor<100x72xf32>, %r: tensor<72x136xf32>):
    %m = aten.mm %l, %r : (tensor<100x72xf32>, tensor<72x136xf32>) -> tensor<100x136xf32>
    kgen.yield %m : tensor<100x136xf32>
  } : tensor<100x136xf32>
  %1 = kgen.dispatch @tt schedule(#kgen.schedule<family = gemm, mma = wgmma, tile = [64, 32, 64]>)
      ins(%x, %w, %bias : tensor<72x40xf32>, tensor<64x72xf32>, tensor<64xf32>) {
  ^bb0(%l: tensor<72x40xf32>, %r: tensor<64x72xf32>, %c: tensor<64xf32>):
    %t = aten.transpose.int %l dim0 0 dim1 1 : (tensor<72x40xf32>) -> tensor<40x72xf32>
    %m = aten.linear %t, %r, %c : (tensor<40x72xf32>, tensor<64x72xf32>, tensor<64xf32>) -> tensor<40x64xf32>
    kgen.yield %m : tensor<40x64xf32>
  } : tensor<40x64xf32>
  %2 = kgen.dispatch @tn schedule(#kgen.schedule<family = gemm, mma = wgmma, tile = [64, 64, 64]>)
      ins(%x, %b : tensor<72x40xf32>, tensor<72x136xf32>) {
  ^bb0(%l: tensor<72x40xf32>, %r: tensor<72x136xf32>):
    %t = aten.transpose.int %l dim0 0 dim1 1 : (tensor<72x40xf32>) -> tensor<40x72xf32>
    %m = aten.mm %t, %r : (tensor<40x72xf32>, tensor<72x136xf32>) -> tensor<40x136xf32>
    kgen.yield %m : tensor<40x136xf32>
  } : tensor<40x136xf32>
  return %0, %1, %2 : tensor<100x136xf32>, tensor<40x64xf32>, tensor<40x136xf32>
}
}

//--- strict.mlir
module attributes {kgen.precision = "strict-fp32"} {
func.func @strict(%a: tensor<70x200xf32>, %b: tensor<200x64xf32>, %w: tensor<48x200xf32>) -> (tensor<70x64xf32>, tensor<70x48xf32>) {
  %0 = kgen.dispatch @nn schedule(#kgen.schedule<family = gemm, mma = wgmma, tile = [64, 64, 64]>)
      ins(%a, %b : tensor<70x200xf32>, tensor<200x64xf32>) {
  ^bb0(%l: tensor<70x200xf32>, %r: tensor<200x64xf32>):
    %m = aten.mm %l, %r : (tensor<70x200xf32>, tensor<200x64xf32>) -> tensor<70x64xf32>
    kgen.yield %m : tensor<70x64xf32>
  } : tensor<70x64xf32>
  %1 = kgen.dispatch @nt schedule(#kgen.schedule<family = gemm, mma = wgmma, tile = [64, 32, 64], promote_k = 64>)
      ins(%a, %w : tensor<70x200xf32>, tensor<48x200xf32>) {
  ^bb0(%l: tensor<70x200xf32>, %r: tensor<48x200xf32>):
    %m = aten.linear %l, %r : (tensor<70x200xf32>, tensor<48x200xf32>) -> tensor<70x48xf32>
    kgen.yield %m : tensor<70x48xf32>
  } : tensor<70x48xf32>
  return %0, %1 : tensor<70x64xf32>, tensor<70x48xf32>
}
}
