// What is computed of a row's elements behind its statistics is approximated with `fast_math = on`, but in strict fp32.
// REQUIRES: host-compiler
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: mkdir c && sed 's/"tf32"/"strict-fp32"/' rows.mlir > strict.mlir && sed 's/fast_math = on/fast_math = off/' rows.mlir > exact.mlir
// RUN: kgen-opt rows.mlir -kgen-inline-dispatches=all -o graph.mlir && kgen-opt rows.mlir -kgen-lower-dispatches -o lowered.mlir
// RUN: kgen-translate --kgen-to-cuda lowered.mlir -o c/kernel.cu && kgen-translate --kgen-to-plan lowered.mlir -o c/plan.json
// RUN: FileCheck %s --check-prefix=TEXT < c/kernel.cu
// TEXT: float gate_behind0(
// TEXT: __fdividef(1.0f,
// TEXT: float swish_behind0(
// TEXT: * 0.33333334f
// TEXT: __fdividef(1.0f,
// RUN: kgen-opt strict.mlir -kgen-lower-dispatches | kgen-translate --kgen-to-cuda | FileCheck %s --check-prefix=EXACT --implicit-check-not=__fdividef
// RUN: kgen-opt exact.mlir -kgen-lower-dispatches | kgen-translate --kgen-to-cuda | FileCheck %s --check-prefix=EXACT --implicit-check-not=__fdividef
// EXACT: float gate_behind0(
// EXACT: expf(
// EXACT: 1.0f /
// EXACT: float swish_behind0(
// EXACT: / 3.0f

// Rows that are read through a view are a dispatch of their own, which no module holds.
// RUN: kgen-opt view.mlir -kgen-take-row-views -kgen-lower-dispatches | kgen-translate --kgen-to-cuda | FileCheck %s --check-prefix=VIEW
// VIEW: __fdividef(1.0f,

// RUN: kgen-eval c --graph graph.mlir --device host --samples 1 | FileCheck %s
// CHECK: verdict PASS

//--- rows.mlir
module attributes {kgen.precision = "tf32"} {
func.func @rows(%x: tensor<6x40x33xf32> {kgen.init = "normal(0, 1)"}, %b: tensor<40x1xf32> {kgen.init = "normal(0, 1)"}, %y: tensor<70x300xf32> {kgen.init = "normal(0, 9)"}) -> (tensor<6x40x33xf32>, tensor<70x300xf32>) {
  %0 = kgen.dispatch @gate schedule(#kgen.schedule<family = row, fast_math = on>)
      ins(%x, %b : tensor<6x40x33xf32>, tensor<40x1xf32>) {
  ^bb0(%v: tensor<6x40x33xf32>, %c: tensor<40x1xf32>):
    %s = aten.softmax.int %v dim 1 : (tensor<6x40x33xf32>) -> tensor<6x40x33xf32>
    %a = aten.add.Tensor %s, %c : (tensor<6x40x33xf32>, tensor<40x1xf32>) -> tensor<6x40x33xf32>
    %g = aten.sigmoid %a : (tensor<6x40x33xf32>) -> tensor<6x40x33xf32>
    kgen.yield %g : tensor<6x40x33xf32>
  } : tensor<6x40x33xf32>
  %1 = kgen.dispatch @swish schedule(#kgen.schedule<family = row, fast_math = on>)
      ins(%y : tensor<70x300xf32>) {
  ^bb0(%v: tensor<70x300xf32>):
    %n = aten.layer_norm %v normalized_shape [300] : (tensor<70x300xf32>) -> tensor<70x300xf32>
    %d = aten.div.Scalar %n {other = 3.0} : (tensor<70x300xf32>) -> tensor<70x300xf32>
    %g = aten.sigmoid %d : (tensor<70x300xf32>) -> tensor<70x300xf32>
    %p = aten.mul.Tensor %g, %d : (tensor<70x300xf32>, tensor<70x300xf32>) -> tensor<70x300xf32>
    kgen.yield %p : tensor<70x300xf32>
  } : tensor<70x300xf32>
  return %0, %1 : tensor<6x40x33xf32>, tensor<70x300xf32>
}
}

//--- view.mlir
module attributes {kgen.precision = "tf32"} {
func.func @view(%x: tensor<7x8x64xf32>) -> tensor<1x8x64xf32> {
  %0 = aten.narrow %x dim 0 start 3 length 1 : (tensor<7x8x64xf32>) -> tensor<1x8x64xf32>
  %1 = kgen.dispatch @gate schedule(#kgen.schedule<family = row, fast_math = on>) ins(%0 : tensor<1x8x64xf32>) {
  ^bb0(%v: tensor<1x8x64xf32>):
    %m = aten.softmax.int %v dim 2 : (tensor<1x8x64xf32>) -> tensor<1x8x64xf32>
    %g = aten.sigmoid %m : (tensor<1x8x64xf32>) -> tensor<1x8x64xf32>
    kgen.yield %g : tensor<1x8x64xf32>
  } : tensor<1x8x64xf32>
  return %1 : tensor<1x8x64xf32>
}
}
