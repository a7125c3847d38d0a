// Products of which a triangle is kept, against the fp64 oracle: what tiles of zeros leave out, before and behind other element-wise ops, in all
// variants that leave it out; batches, slices, and rows of several matrices in one (where nothing is left out).
// REQUIRES: host-compiler
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: for n in blocks halves single; do mkdir c-$n && kgen-opt $n.mlir -kgen-inline-dispatches=all -o $n-graph.mlir && kgen-opt $n.mlir -kgen-lower-dispatches="multiprocessors=2 assert-sizes" -o $n-lowered.mlir && kgen-translate --kgen-to-cuda $n-lowered.mlir -o c-$n/kernel.cu && kgen-translate --kgen-to-plan $n-lowered.mlir -o c-$n/plan.json || exit 1; done
// RUN: kgen-eval c-blocks --graph blocks-graph.mlir --device host --samples 1 | FileCheck %s
// RUN: kgen-eval c-halves --graph halves-graph.mlir --device host --samples 1 | FileCheck %s
// RUN: kgen-eval c-single --graph single-graph.mlir --device host --samples 1 | FileCheck %s
// CHECK: verdict PASS

// A tile that the diagonal crosses is not empty.
// RUN: mkdir wrong-blocks wrong-halves && sed 's/n0 - (m0 + BM - 1) > DIAGONAL/n0 - m0 > DIAGONAL - 1/' c-blocks/kernel.cu > wrong-blocks/kernel.cu && cp c-blocks/plan.json wrong-blocks/
// RUN: sed 's/tile.n0 - (m0 + ROWS - 1) > DIAGONAL/tile.n0 - m0 > DIAGONAL - 1/' c-halves/kernel.cu > wrong-halves/kernel.cu && cp c-halves/plan.json wrong-halves/
// RUN: not kgen-eval wrong-blocks --graph blocks-graph.mlir --device host --samples 1 | FileCheck %s --check-prefix=WRONG
// RUN: not kgen-eval wrong-halves --graph halves-graph.mlir --device host --samples 1 | FileCheck %s --check-prefix=WRONG
// WRONG: verdict WRONG

// Rows of several matrices in one leave nothing out.
// RUN: grep -c "is_empty(int" c-blocks/kernel.cu | FileCheck %s --check-prefix=SKIP
// SKIP: {{^}}4{{$}}

//--- blocks.mlir
module attributes {kgen.precision = "tf32"} {
func.func @blocks(%a0: tensor<100x40xf32> {kgen.init = "uniform(0, 1)"}, %b0: tensor<40x90xf32> {kgen.init = "normal(0, 0.1)"}, %a1: tensor<100x40xf32> {kgen.init = "uniform(0, 1)"}, %b1: tensor<40x130xf32> {kgen.init = "normal(0, 0.1)"}, %a2: tensor<2x70x40xf32> {kgen.init = "uniform(0, 1)"}, %b2: tensor<2x40x90xf32> {kgen.init = "normal(0, 0.1)"}, %a3: tensor<2x40x40xf32> {kgen.init = "uniform(0, 1)"}, %b3: tensor<40x90xf32> {kgen.init = "normal(0, 0.1)"}, %a4: tensor<90x48xf32> {kgen.init = "uniform(0, 1)"}, %b4: tensor<90x48xf32> {kgen.init = "normal(0, 0.1)"}) -> (tensor<100x90xf32>, tensor<100x130xf32>, tensor<2x70x90xf32>, tensor<2x40x90xf32>, tensor<90x90xf32>) {
  %0 = kgen.dispatch @blocks0 schedule(#kgen.schedule<family = gemm, mma = none, tile = [32, 32, 16]>)
      ins(%a0, %b0 : tensor<100x40xf32>, tensor<40x90xf32>) {
  ^bb0(%l: tensor<100x40xf32>, %r: tensor<40x90xf32>):
    %m = aten.mm %l, %r : (tensor<100x40xf32>, tensor<40x90xf32>) -> tensor<100x90xf32>
    %t = aten.tril %m diagonal 0 : (tensor<100x90xf32>) -> tensor<100x90xf32>
    kgen.yield %t : tensor<100x90xf32>
  } : tensor<100x90xf32>
  %1 = kgen.dispatch @blocks1 schedule(#kgen.schedule<family = gemm, mma = mma_sync, dtype = tf32, tile = [32, 32, 16]>)
      ins(%a1, %b1 : tensor<100x40xf32>, tensor<40x130xf32>) {
  ^bb0(%l: tensor<100x40xf32>, %r: tensor<40x130xf32>):
    %m = aten.matmul %l, %r : (tensor<100x40xf32>, tensor<40x130xf32>) -> tensor<100x130xf32>
    %p = aten.relu %m : (tensor<100x130xf32>) -> tensor<100x130xf32>
    %t = aten.triu %p diagonal 3 : (tensor<100x130xf32>) -> tensor<100x130xf32>
    kgen.yield %t : tensor<100x130xf32>
  } : tensor<100x130xf32>
  %2 = kgen.dispatch @blocks2 schedule(#kgen.schedule<family = gemm, mma = none, tile = [32, 16, 16], split_k = 2>)
      ins(%a2, %b2 : tensor<2x70x40xf32>, tensor<2x40x90xf32>) {
  ^bb0(%l: tensor<2x70x40xf32>, %r: tensor<2x40x90xf32>):
    %m = aten.bmm %l, %r : (tensor<2x70x40xf32>, tensor<2x40x90xf32>) -> tensor<2x70x90xf32>
    %t = aten.tril %m diagonal -9 : (tensor<2x70x90xf32>) -> tensor<2x70x90xf32>
    %q = aten.sigmoid %t : (tensor<2x70x90xf32>) -> tensor<2x70x90xf32>
    kgen.yield %q : tensor<2x70x90xf32>
  } : tensor<2x70x90xf32>
  %3 = kgen.dispatch @blocks3 schedule(#kgen.schedule<family = gemm, mma = none, tile = [32, 32, 16]>)
      ins(%a3, %b3 : tensor<2x40x40xf32>, tensor<40x90xf32>) {
  ^bb0(%l: tensor<2x40x40xf32>, %r: tensor<40x90xf32>):
    %m = aten.matmul %l, %r : (tensor<2x40x40xf32>, tensor<40x90xf32>) -> tensor<2x40x90xf32>
    %t = aten.triu %m diagonal -7 : (tensor<2x40x90xf32>) -> tensor<2x40x90xf32>
    kgen.yield %t : tensor<2x40x90xf32>
  } : tensor<2x40x90xf32>
  %4 = kgen.dispatch @blocks4 schedule(#kgen.schedule<family = gemm, mma = wmma, dtype = tf32, tile = [32, 32, 16]>)
      ins(%a4, %b4 : tensor<90x48xf32>, tensor<90x48xf32>) {
  ^bb0(%l: tensor<90x48xf32>, %r: tensor<90x48xf32>):
    %m = aten.linear %l, %r : (tensor<90x48xf32>, tensor<90x48xf32>) -> tensor<90x90xf32>
    %t = aten.triu %m diagonal 0 : (tensor<90x90xf32>) -> tensor<90x90xf32>
    %q = aten.sigmoid %t : (tensor<90x90xf32>) -> tensor<90x90xf32>
    kgen.yield %q : tensor<90x90xf32>
  } : tensor<90x90xf32>
  return %0, %1, %2, %3, %4 : tensor<100x90xf32>, tensor<100x130xf32>, tensor<2x70x90xf32>, tensor<2x40x90xf32>, tensor<90x90xf32>
}
}

//--- halves.mlir
module attributes {kgen.precision = "fp16"} {
func.func @halves(%a0: tensor<200x72xf16> {kgen.init = "uniform(0, 1)"}, %b0: tensor<72x200xf16> {kgen.init = "normal(0, 0.1)"}, %a1: tensor<200x72xf16> {kgen.init = "uniform(0, 1)"}, %b1: tensor<264x72xf16> {kgen.init = "normal(0, 0.1)"}, %a2: tensor<2x136x200xf16> {kgen.init = "uniform(0, 1)"}, %b2: tensor<2x200x136xf16> {kgen.init = "normal(0, 0.1)"}, %a3: tensor<256x72xf16> {kgen.init = "uniform(0, 1)"}, %b3: tensor<72x72xf16> {kgen.init = "normal(0, 0.1)"}) -> (tensor<200x200xf16>, tensor<200x264xf16>, tensor<2x136x136xf16>, tensor<256x72xf16>) {
  %0 = kgen.dispatch @halves0 schedule(#kgen.schedule<family = gemm, mma = wgmma, tile = [64, 64, 64], stages = 2>)
      ins(%a0, %b0 : tensor<200x72xf16>, tensor<72x200xf16>) {
  ^bb0(%l: tensor<200x72xf16>, %r: tensor<72x200xf16>):
    %m = aten.mm %l, %r : (tensor<200x72xf16>, tensor<72x200xf16>) -> tensor<200x200xf16>
    %t = aten.tril %m diagonal 0 : (tensor<200x200xf16>) -> tensor<200x200xf16>
    kgen.yield %t : tensor<200x200xf16>
  } : tensor<200x200xf16>
  %1 = kgen.dispatch @halves1 schedule(#kgen.schedule<family = gemm, mma = wgmma, tile = [64, 64, 64], persistent = static>)
      ins(%a1, %b1 : tensor<200x72xf16>, tensor<264x72xf16>) {
  ^bb0(%l: tensor<200x72xf16>, %r: tensor<264x72xf16>):
    %m = aten.linear %l, %r : (tensor<200x72xf16>, tensor<264x72xf16>) -> tensor<200x264xf16>
    %p = aten.relu %m : (tensor<200x264xf16>) -> tensor<200x264xf16>
    %t = aten.triu %p diagonal 3 : (tensor<200x264xf16>) -> tensor<200x264xf16>
    %q = aten.sigmoid %t : (tensor<200x264xf16>) -> tensor<200x264xf16>
    kgen.yield %q : tensor<200x264xf16>
  } : tensor<200x264xf16>
  %2 = kgen.dispatch @halves2 schedule(#kgen.schedule<family = gemm, mma = wgmma, tile = [64, 64, 64], split_k = 2>)
      ins(%a2, %b2 : tensor<2x136x200xf16>, tensor<2x200x136xf16>) {
  ^bb0(%l: tensor<2x136x200xf16>, %r: tensor<2x200x136xf16>):
    %m = aten.bmm %l, %r : (tensor<2x136x200xf16>, tensor<2x200x136xf16>) -> tensor<2x136x136xf16>
    %t = aten.tril %m diagonal -9 : (tensor<2x136x136xf16>) -> tensor<2x136x136xf16>
    %q = aten.sigmoid %t : (tensor<2x136x136xf16>) -> tensor<2x136x136xf16>
    kgen.yield %q : tensor<2x136x136xf16>
  } : tensor<2x136x136xf16>
  %3 = kgen.dispatch @halves3 schedule(#kgen.schedule<family = gemm, mma = wgmma, tile = [128, 64, 64], store = direct>)
      ins(%a3, %b3 : tensor<256x72xf16>, tensor<72x72xf16>) {
  ^bb0(%l: tensor<256x72xf16>, %r: tensor<72x72xf16>):
    %m = aten.mm %l, %r : (tensor<256x72xf16>, tensor<72x72xf16>) -> tensor<256x72xf16>
    %t = aten.triu %m diagonal -70 : (tensor<256x72xf16>) -> tensor<256x72xf16>
    kgen.yield %t : tensor<256x72xf16>
  } : tensor<256x72xf16>
  return %0, %1, %2, %3 : tensor<200x200xf16>, tensor<200x264xf16>, tensor<2x136x136xf16>, tensor<256x72xf16>
}
}

//--- single.mlir
module attributes {kgen.precision = "tf32"} {
func.func @single(%a0: tensor<200x72xf32> {kgen.init = "uniform(0, 1)"}, %b0: tensor<72x200xf32> {kgen.init = "normal(0, 0.1)"}, %a1: tensor<200x72xf32> {kgen.init = "uniform(0, 1)"}, %b1: tensor<200x72xf32> {kgen.init = "normal(0, 0.1)"}) -> (tensor<200x200xf32>, tensor<200x200xf32>) {
  %0 = kgen.dispatch @single0 schedule(#kgen.schedule<family = gemm, mma = wgmma, tile = [64, 64, 64]>)
      ins(%a0, %b0 : tensor<200x72xf32>, tensor<72x200xf32>) {
  ^bb0(%l: tensor<200x72xf32>, %r: tensor<72x200xf32>):
    %m = aten.mm %l, %r : (tensor<200x72xf32>, tensor<72x200xf32>) -> tensor<200x200xf32>
    %t = aten.tril %m diagonal 0 : (tensor<200x200xf32>) -> tensor<200x200xf32>
    kgen.yield %t : tensor<200x200xf32>
  } : tensor<200x200xf32>
  %1 = kgen.dispatch @single1 schedule(#kgen.schedule<family = gemm, mma = wgmma, dtype = tf32, tile = [64, 64, 32]>)
      ins(%a1, %b1 : tensor<200x72xf32>, tensor<200x72xf32>) {
  ^bb0(%l: tensor<200x72xf32>, %r: tensor<200x72xf32>):
    %m = aten.linear %l, %r : (tensor<200x72xf32>, tensor<200x72xf32>) -> tensor<200x200xf32>
    %t = aten.triu %m diagonal 1 : (tensor<200x200xf32>) -> tensor<200x200xf32>
    kgen.yield %t : tensor<200x200xf32>
  } : tensor<200x200xf32>
  return %0, %1 : tensor<200x200xf32>, tensor<200x200xf32>
}
}
