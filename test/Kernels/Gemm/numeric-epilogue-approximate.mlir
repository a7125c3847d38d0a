// What follows a product is computed by what the hardware approximates, in classes that round its factors: exponentials, sigmoids, mish, gelu
// and quotients by constants, of sums of every size. In strict fp32 nothing is.
// REQUIRES: host-compiler
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: mkdir c && sed 's/"tf32"/"strict-fp32"/; s/mma = mma_sync, dtype = tf32/mma = none/' layers.mlir > strict.mlir
// RUN: kgen-opt layers.mlir -kgen-inline-dispatches=all -o graph.mlir && kgen-opt layers.mlir -kgen-lower-dispatches="multiprocessors=2 assert-sizes" -o lowered.mlir
// RUN: kgen-translate --kgen-to-cuda lowered.mlir -o c/kernel.cu && kgen-translate --kgen-to-plan lowered.mlir -o c/plan.json
// RUN: FileCheck %s --check-prefix=TEXT < c/kernel.cu
// TEXT-DAG: = __expf(
// TEXT-DAG: = __fdividef(1.0f, t
// TEXT-DAG: = kgen_tanh_softplus(acc0)
// TEXT-DAG: * 0.16666667f;
// A whole quotient stays one.
// TEXT: float thirds_pointwise(
// TEXT: / 3.0f;
// TEXT: = kgen_erf_plus_one(
// RUN: kgen-opt strict.mlir -kgen-lower-dispatches="multiprocessors=2" | kgen-translate --kgen-to-cuda | FileCheck %s --check-prefix=STRICT --implicit-check-not=__expf --implicit-check-not=__fdividef --implicit-check-not=kgen_tanh_softplus --implicit-check-not=kgen_erf_plus_one
// STRICT-DAG: tanhf(
// STRICT-DAG: log1pf(
// STRICT-DAG: / 6.0f
// STRICT-DAG: erff(

// RUN: kgen-eval c --graph graph.mlir --device host --samples 1 | FileCheck %s
// CHECK: verdict PASS

// Beyond 15 it is 1; before, it is not.
// RUN: mkdir wrong && cp c/plan.json wrong/ && sed 's/x > 15.0f ? 1.0f/x > 1.5f ? 1.0f/' c/kernel.cu > wrong/kernel.cu
// RUN: not kgen-eval wrong --graph graph.mlir --device host --samples 1 | FileCheck %s --check-prefix=WRONG
// WRONG: verdict WRONG

// A tail of the error function that is off by a thousandth is told.
// RUN: sed 's/0.25482959f/0.25582959f/' c/kernel.cu > wrong/kernel.cu
// RUN: not kgen-eval wrong --graph graph.mlir --device host --samples 1 | FileCheck %s --check-prefix=WRONG

//--- layers.mlir
module attributes {kgen.precision = "tf32"} {
func.func @layers(%x: tensor<96x48xf32> {kgen.init = "normal(0, 1)"}, %small: tensor<64x48xf32> {kgen.init = "normal(0, 0.2)"}, %large: tensor<64x48xf32> {kgen.init = "normal(0, 20)"}) -> (tensor<96x64xf32>, tensor<96x64xf32>, tensor<96x64xf32>, tensor<96x64xf32>, tensor<96x64xf32>, tensor<96x64xf32>, tensor<96x64xf32>) {
  %0 = kgen.dispatch @swish schedule(#kgen.schedule<family = gemm, mma = mma_sync, dtype = tf32, tile = [32, 32, 16]>)
      ins(%x, %large : tensor<96x48xf32>, tensor<64x48xf32>) {
  ^bb0(%l: tensor<96x48xf32>, %r: tensor<64x48xf32>):
    %m = aten.linear %l, %r : (tensor<96x48xf32>, tensor<64x48xf32>) -> tensor<96x64xf32>
    %s = aten.sigmoid %m : (tensor<96x64xf32>) -> tensor<96x64xf32>
    %p = aten.mul.Tensor %s, %m : (tensor<96x64xf32>, tensor<96x64xf32>) -> tensor<96x64xf32>
    kgen.yield %p : tensor<96x64xf32>
  } : tensor<96x64xf32>
  %1 = kgen.dispatch @mish schedule(#kgen.schedule<family = gemm, mma = mma_sync, dtype = tf32, tile = [32, 32, 16]>)
      ins(%x, %small : tensor<96x48xf32>, tensor<64x48xf32>) {
  ^bb0(%l: tensor<96x48xf32>, %r: tensor<64x48xf32>):
    %m = aten.linear %l, %r : (tensor<96x48xf32>, tensor<64x48xf32>) -> tensor<96x64xf32>
    %p = aten.mish %m : (tensor<96x64xf32>) -> tensor<96x64xf32>
    kgen.yield %p : tensor<96x64xf32>
  } : tensor<96x64xf32>
  %2 = kgen.dispatch @mish_of_large schedule(#kgen.schedule<family = gemm, mma = mma_sync, dtype = tf32, tile = [32, 32, 16]>)
      ins(%x, %large : tensor<96x48xf32>, tensor<64x48xf32>) {
  ^bb0(%l: tensor<96x48xf32>, %r: tensor<64x48xf32>):
    %m = aten.linear %l, %r : (tensor<96x48xf32>, tensor<64x48xf32>) -> tensor<96x64xf32>
    %p = aten.mish %m : (tensor<96x64xf32>) -> tensor<96x64xf32>
    kgen.yield %p : tensor<96x64xf32>
  } : tensor<96x64xf32>
  %3 = kgen.dispatch @hardswish schedule(#kgen.schedule<family = gemm, mma = mma_sync, dtype = tf32, tile = [32, 32, 16]>)
      ins(%x, %small : tensor<96x48xf32>, tensor<64x48xf32>) {
  ^bb0(%l: tensor<96x48xf32>, %r: tensor<64x48xf32>):
    %m = aten.linear %l, %r : (tensor<96x48xf32>, tensor<64x48xf32>) -> tensor<96x64xf32>
    %p = aten.hardswish %m : (tensor<96x64xf32>) -> tensor<96x64xf32>
    kgen.yield %p : tensor<96x64xf32>
  } : tensor<96x64xf32>
  %4 = kgen.dispatch @thirds schedule(#kgen.schedule<family = gemm, mma = mma_sync, dtype = tf32, tile = [32, 32, 16]>)
      ins(%x, %small : tensor<96x48xf32>, tensor<64x48xf32>) {
  ^bb0(%l: tensor<96x48xf32>, %r: tensor<64x48xf32>):
    %m = aten.linear %l, %r : (tensor<96x48xf32>, tensor<64x48xf32>) -> tensor<96x64xf32>
    %d = aten.div.Scalar %m {other = 3.0} : (tensor<96x64xf32>) -> tensor<96x64xf32>
    %f = aten.floor %d : (tensor<96x64xf32>) -> tensor<96x64xf32>
    %p = aten.sub.Tensor %d, %f : (tensor<96x64xf32>, tensor<96x64xf32>) -> tensor<96x64xf32>
    %q = aten.mul.Scalar %p {other = 0.001} : (tensor<96x64xf32>) -> tensor<96x64xf32>
    %s = aten.add.Tensor %q, %d : (tensor<96x64xf32>, tensor<96x64xf32>) -> tensor<96x64xf32>
    kgen.yield %s : tensor<96x64xf32>
  } : tensor<96x64xf32>
  %5 = kgen.dispatch @gelu schedule(#kgen.schedule<family = gemm, mma = mma_sync, dtype = tf32, tile = [32, 32, 16]>)
      ins(%x, %small : tensor<96x48xf32>, tensor<64x48xf32>) {
  ^bb0(%l: tensor<96x48xf32>, %r: tensor<64x48xf32>):
    %m = aten.linear %l, %r : (tensor<96x48xf32>, tensor<64x48xf32>) -> tensor<96x64xf32>
    %p = aten.gelu %m : (tensor<96x64xf32>) -> tensor<96x64xf32>
    kgen.yield %p : tensor<96x64xf32>
  } : tensor<96x64xf32>
  %6 = kgen.dispatch @gelu_of_large schedule(#kgen.schedule<family = gemm, mma = mma_sync, dtype = tf32, tile = [32, 32, 16]>)
      ins(%x, %large : tensor<96x48xf32>, tensor<64x48xf32>) {
  ^bb0(%l: tensor<96x48xf32>, %r: tensor<64x48xf32>):
    %m = aten.linear %l, %r : (tensor<96x48xf32>, tensor<64x48xf32>) -> tensor<96x64xf32>
    %p = aten.gelu %m : (tensor<96x64xf32>) -> tensor<96x64xf32>
    kgen.yield %p : tensor<96x64xf32>
  } : tensor<96x64xf32>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<96x64xf32>, tensor<96x64xf32>, tensor<96x64xf32>, tensor<96x64xf32>, tensor<96x64xf32>, tensor<96x64xf32>, tensor<96x64xf32>
}
}
