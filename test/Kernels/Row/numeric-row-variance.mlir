// Variances of rows, alone and with means in the same pass: along columns that lie apart, over several dimensions, split over blocks, with what
// follows of a row or of each element.
// REQUIRES: host-compiler
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: mkdir c && kgen-opt rows.mlir -kgen-inline-dispatches=all -o graph.mlir && kgen-opt rows.mlir -kgen-lower-dispatches -o lowered.mlir
// RUN: kgen-translate --kgen-to-cuda lowered.mlir -o c/kernel.cu && kgen-translate --kgen-to-plan lowered.mlir -o c/plan.json
// RUN: FileCheck %s --check-prefix=TEXT < c/kernel.cu
// TEXT: state.deviation / static_cast<float>(39.0)
// TEXT: = state.mean;
// RUN: kgen-eval c --graph graph.mlir --device host --samples 1 | FileCheck %s
// CHECK: verdict PASS

// One element too few.
// RUN: mkdir wrong && cp c/plan.json wrong/ && sed 's/static_cast<float>(39.0)/static_cast<float>(40.0)/' c/kernel.cu > wrong/kernel.cu
// RUN: not kgen-eval wrong --graph graph.mlir --device host --samples 1 | FileCheck %s --check-prefix=WRONG
// WRONG: verdict WRONG

// The mean of something else is no part of it.
// RUN: not kgen-opt other.mlir -kgen-lower-dispatches 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: is a second row statistic; a row dispatch holds one

//--- rows.mlir
module attributes {kgen.precision = "strict-fp32"} {
func.func @rows(%x: tensor<6x40x33xf32> {kgen.init = "normal(0, 1)"}, %y: tensor<70x300xf32> {kgen.init = "normal(0, 9)"}, %z: tensor<9x5x130xf16> {kgen.init = "normal(2, 1)"}) -> (tensor<6x33xf32>, tensor<6x33xf32>, tensor<70x300xf32>, tensor<70xf32>, tensor<9xf16>) {
  %0:2 = kgen.dispatch @both schedule(#kgen.schedule<family = row>) ins(%x : tensor<6x40x33xf32>) {
  ^bb0(%v: tensor<6x40x33xf32>):
    %m = aten.mean.dim %v dim [1] : (tensor<6x40x33xf32>) -> tensor<6x33xf32>
    %s = aten.var.correction %v dim [1] : (tensor<6x40x33xf32>) -> tensor<6x33xf32>
    kgen.yield %s, %m : tensor<6x33xf32>, tensor<6x33xf32>
  } : tensor<6x33xf32>, tensor<6x33xf32>
  %1 = kgen.dispatch @norm schedule(#kgen.schedule<family = row>) ins(%y : tensor<70x300xf32>) {
  ^bb0(%v: tensor<70x300xf32>):
    %m = aten.mean.dim %v dim [1] keepdim true : (tensor<70x300xf32>) -> tensor<70x1xf32>
    %s = aten.var.correction %v dim [1] correction 0.0 keepdim true : (tensor<70x300xf32>) -> tensor<70x1xf32>
    %e = aten.add.Scalar %s {other = 1.0e-5} : (tensor<70x1xf32>) -> tensor<70x1xf32>
    %q = aten.rsqrt %e : (tensor<70x1xf32>) -> tensor<70x1xf32>
    %d = aten.sub.Tensor %v, %m : (tensor<70x300xf32>, tensor<70x1xf32>) -> tensor<70x300xf32>
    %n = aten.mul.Tensor %d, %q : (tensor<70x300xf32>, tensor<70x1xf32>) -> tensor<70x300xf32>
    kgen.yield %n : tensor<70x300xf32>
  } : tensor<70x300xf32>
  %2 = kgen.dispatch @deviation schedule(#kgen.schedule<family = row, resident = smem>) ins(%y : tensor<70x300xf32>) {
  ^bb0(%v: tensor<70x300xf32>):
    %s = aten.var.correction %v dim [-1] : (tensor<70x300xf32>) -> tensor<70xf32>
    %q = aten.sqrt %s : (tensor<70xf32>) -> tensor<70xf32>
    kgen.yield %q : tensor<70xf32>
  } : tensor<70xf32>
  %3 = kgen.dispatch @halves schedule(#kgen.schedule<family = row, split_rows = 3>) ins(%z : tensor<9x5x130xf16>) {
  ^bb0(%v: tensor<9x5x130xf16>):
    %s = aten.var.correction %v dim [1, 2] correction 0.0 : (tensor<9x5x130xf16>) -> tensor<9xf16>
    kgen.yield %s : tensor<9xf16>
  } : tensor<9xf16>
  return %0#0, %0#1, %1, %2, %3 : tensor<6x33xf32>, tensor<6x33xf32>, tensor<70x300xf32>, tensor<70xf32>, tensor<9xf16>
}
}

//--- other.mlir
func.func @other(%x: tensor<6x40xf32>, %y: tensor<6x40xf32>) -> (tensor<6xf32>, tensor<6xf32>) {
  %0:2 = kgen.dispatch @both schedule(#kgen.schedule<family = row>) ins(%x, %y : tensor<6x40xf32>, tensor<6x40xf32>) {
  ^bb0(%v: tensor<6x40xf32>, %w: tensor<6x40xf32>):
    %s = aten.var.correction %v dim [1] : (tensor<6x40xf32>) -> tensor<6xf32>
    %m = aten.mean.dim %w dim [1] : (tensor<6x40xf32>) -> tensor<6xf32>
    kgen.yield %s, %m : tensor<6xf32>, tensor<6xf32>
  } : tensor<6xf32>, tensor<6xf32>
  return %0#0, %0#1 : tensor<6xf32>, tensor<6xf32>
}
