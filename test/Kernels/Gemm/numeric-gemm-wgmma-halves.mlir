// Warpgroup products of f32 operands as fp16 where one becomes fp16 in registers, under a power of two that fits what its row had so far,
// against the fp64 oracle on the host: from the left or, of the transposed result, from the right, along k and across it. Sizes that the tiles do
// not divide, batches, epilogues, both ways of stores, rows whose values grow along k by far more than fp16 holds.
// REQUIRES: host-compiler
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: mkdir c && kgen-opt halves.mlir -kgen-inline-dispatches=all -o graph.mlir && kgen-opt halves.mlir -kgen-lower-dispatches="multiprocessors=2 assert-sizes" -o lowered.mlir && kgen-translate --kgen-to-cuda lowered.mlir -o c/kernel.cu && kgen-translate --kgen-to-plan lowered.mlir -o c/plan.json
// RUN: kgen-eval c --graph graph.mlir --device host --samples 1 | FileCheck %s
// CHECK: verdict PASS

// RUN: FileCheck %s --check-prefix=PLAN < c/plan.json
// PLAN: "kernel": "left_clear"
// PLAN: "kernel": "left_main"
// PLAN: "tensor_map": {"buffer": "in0", "dtype": "f32", "dims": [136, 300, 1], "strides": [544, 163200], "box": [32, 128, 1], "swizzle": "128B"
// PLAN: "tensor_map": {"buffer": "ws{{.*}}", "dtype": "f16", "dims": [72, 136, 1]
// PLAN: "kernel": "right_prepare"
// PLAN: "kernel": "right_main"
// PLAN: "tensor_map": {"buffer": "in{{.*}}", "dtype": "f32", "dims": [260, 140, 1]
// PLAN: "tensor_map": {"buffer": "out1", "dtype": "f32", "dims": [140, 70, 1], "strides": [560, 39200], "box": [32, 32, 1], "swizzle": "128B"
// PLAN: "kernel": "across_prepare"
// PLAN: "kernel": "across_main"
// PLAN: "tensor_map": {"buffer": "in{{.*}}", "dtype": "f32", "dims": [300, 132, 1], "strides": [1200, 158400], "box": [32, 64, 1], "swizzle": "128B"
// PLAN: "kernel": "turned_main"

// One wrong index, of a row or of a fragment, is seen, and so are sums that do not follow their row's power, and a power that does not.
// RUN: mkdir row pair sums stays piece deep && for d in row pair sums stays piece deep; do cp c/plan.json $d/; done
// RUN: sed 's/lane \/ 4 \* 2 - 7/lane \/ 4 * 2 - 8/' c/kernel.cu > row/kernel.cu
// RUN: not kgen-eval row --graph graph.mlir --device host --samples 1 | FileCheck %s --check-prefix=WRONG
// RUN: sed 's/pair \/ 2 \* 8 + lane/pair \/ 2 * 4 + lane/' c/kernel.cu > pair/kernel.cu
// RUN: not kgen-eval pair --graph graph.mlir --device host --samples 1 | FileCheck %s --check-prefix=WRONG
// RUN: sed 's/scaled(c\[i\]\[j\], powers.shift\[i\]\[j % 4 \/ 2\])/c[i][j]/' c/kernel.cu > sums/kernel.cu
// RUN: not kgen-eval sums --graph graph.mlir --device host --samples 1 | FileCheck %s --check-prefix=WRONG
// RUN: sed 's/fits > before + 1/fits > before + 5/' c/kernel.cu > stays/kernel.cu
// RUN: not kgen-eval stays --graph graph.mlir --device host --samples 1 | FileCheck %s --check-prefix=WRONG
// RUN: sed 's/row + 32, column, stored_batch/row + 16, column, stored_batch/' c/kernel.cu > piece/kernel.cu
// RUN: not kgen-eval piece --graph graph.mlir --device host --samples 1 | FileCheck %s --check-prefix=WRONG
// RUN: sed 's/make_float2(at(k), at(k + 1))/make_float2(at(k), at(k + 2))/' c/kernel.cu > deep/kernel.cu
// RUN: not kgen-eval deep --graph graph.mlir --device host --samples 1 | FileCheck %s --check-prefix=WRONG
// Results of long steps are finished in a loop, before which the next sums move to the front.
// RUN: grep -c 'bool LOOPS = true' c/kernel.cu | FileCheck %s --check-prefix=LOOPS
// LOOPS: {{^1$}}
// RUN: mkdir front && cp c/plan.json front/ && sed 's/sums\[i\]\[j + CHUNK \/ 2\];/sums[i][j + CHUNK \/ 4];/' c/kernel.cu > front/kernel.cu
// RUN: not kgen-eval front --graph graph.mlir --device host --samples 1 | FileCheck %s --check-prefix=WRONG
// WRONG: verdict {{WRONG|RACE}}

//--- halves.mlir
module attributes {kgen.precision = "tf32"} {
func.func @halves(%a: tensor<300x136xf32>, %b: tensor<136x72xf32>, %x: tensor<70x260xf32>, %w: tensor<140x260xf32>, %bias: tensor<140xf32>,
    %p: tensor<2x68x200xf32>, %q: tensor<2x48x200xf32>, %g: tensor<40x512xf32>, %h: tensor<512x96xf32>, %ramp: tensor<512xf32>,
    %c1: tensor<40x132xf32>, %c2: tensor<132x300xf32>, %d1: tensor<72x260xf32>, %d2: tensor<52x72xf32>)
    -> (tensor<300x72xf32>, tensor<70x140xf32>, tensor<2x68x48xf32>, tensor<40x96xf32>, tensor<40x300xf32>, tensor<260x52xf32>) {
  %0 = kgen.dispatch @left schedule(#kgen.schedule<family = gemm, mma = wgmma, convert_at = registers, tile = [128, 128, 64]>)
      ins(%a, %b : tensor<300x136xf32>, tensor<136x72xf32>) {
  ^bb0(%l: tensor<300x136xf32>, %r: tensor<136x72xf32>):
    %m = aten.mm %l, %r : (tensor<300x136xf32>, tensor<136x72xf32>) -> tensor<300x72xf32>
    %s = aten.relu %m : (tensor<300x72xf32>) -> tensor<300x72xf32>
    kgen.yield %s : tensor<300x72xf32>
  } : tensor<300x72xf32>
  // The larger one is the right one.
  %1 = kgen.dispatch @right schedule(#kgen.schedule<family = gemm, mma = wgmma, dtype = fp16, convert_at = registers, tile = [64, 64, 128]>)
      ins(%x, %w, %bias : tensor<70x260xf32>, tensor<140x260xf32>, tensor<140xf32>) {
  ^bb0(%l: tensor<70x260xf32>, %r: tensor<140x260xf32>, %c: tensor<140xf32>):
    %m = aten.linear %l, %r, %c : (tensor<70x260xf32>, tensor<140x260xf32>, tensor<140xf32>) -> tensor<70x140xf32>
    %s = aten.sigmoid %m : (tensor<70x140xf32>) -> tensor<70x140xf32>
    %z = aten.tanh %s : (tensor<70x140xf32>) -> tensor<70x140xf32>
    kgen.yield %z : tensor<70x140xf32>
  } : tensor<70x140xf32>
  // One across k takes longer to write anew.
  %5 = kgen.dispatch @across schedule(#kgen.schedule<family = gemm, mma = wgmma, convert_at = registers, store = direct, overlap = off>)
      ins(%c1, %c2 : tensor<40x132xf32>, tensor<132x300xf32>) {
  ^bb0(%l: tensor<40x132xf32>, %r: tensor<132x300xf32>):
    %m = aten.mm %l, %r : (tensor<40x132xf32>, tensor<132x300xf32>) -> tensor<40x300xf32>
    %n = aten.neg %m : (tensor<40x300xf32>) -> tensor<40x300xf32>
    kgen.yield %n : tensor<40x300xf32>
  } : tensor<40x300xf32>
  %6 = kgen.dispatch @turned schedule(#kgen.schedule<family = gemm, mma = wgmma, convert_at = registers, tile = [64, 64, 64]>)
      ins(%d1, %d2 : tensor<72x260xf32>, tensor<52x72xf32>) {
  ^bb0(%l: tensor<72x260xf32>, %r: tensor<52x72xf32>):
    %x2 = aten.numpy_T %l : (tensor<72x260xf32>) -> tensor<260x72xf32>
    %m = aten.linear %x2, %r : (tensor<260x72xf32>, tensor<52x72xf32>) -> tensor<260x52xf32>
    kgen.yield %m : tensor<260x52xf32>
  } : tensor<260x52xf32>
  %2 = kgen.dispatch @batches schedule(#kgen.schedule<family = gemm, mma = wgmma, convert_at = registers, consumers = 1, tile = [128, 64, 64]>)
      ins(%p, %q : tensor<2x68x200xf32>, tensor<2x48x200xf32>) {
  ^bb0(%l: tensor<2x68x200xf32>, %r: tensor<2x48x200xf32>):
    %t = aten.transpose.int %r dim0 1 dim1 2 : (tensor<2x48x200xf32>) -> tensor<2x200x48xf32>
    %m = aten.bmm %l, %t : (tensor<2x68x200xf32>, tensor<2x200x48xf32>) -> tensor<2x68x48xf32>
    kgen.yield %m : tensor<2x68x48xf32>
  } : tensor<2x68x48xf32>
  // A row of 2^12 numbers of all sizes.
  %3 = kgen.dispatch @grow schedule(#kgen.schedule<family = pointwise>) ins(%g, %ramp : tensor<40x512xf32>, tensor<512xf32>) {
  ^bb0(%l: tensor<40x512xf32>, %r: tensor<512xf32>):
    %s = aten.mul.Scalar %r {other = 12.0 : f64} : (tensor<512xf32>) -> tensor<512xf32>
    %e = aten.exp2 %s : (tensor<512xf32>) -> tensor<512xf32>
    %m = aten.mul.Tensor %l, %e : (tensor<40x512xf32>, tensor<512xf32>) -> tensor<40x512xf32>
    kgen.yield %m : tensor<40x512xf32>
  } : tensor<40x512xf32>
  %4 = kgen.dispatch @grown schedule(#kgen.schedule<family = gemm, mma = wgmma, convert_at = registers, tile = [64, 128, 64]>)
      ins(%3, %h : tensor<40x512xf32>, tensor<512x96xf32>) {
  ^bb0(%l: tensor<40x512xf32>, %r: tensor<512x96xf32>):
    %m = aten.mm %l, %r : (tensor<40x512xf32>, tensor<512x96xf32>) -> tensor<40x96xf32>
    kgen.yield %m : tensor<40x96xf32>
  } : tensor<40x96xf32>
  return %0, %1, %2, %4, %5, %6 : tensor<300x72xf32>, tensor<70x140xf32>, tensor<2x68x48xf32>, tensor<40x96xf32>, tensor<40x300xf32>, tensor<260x52xf32>
}
}
