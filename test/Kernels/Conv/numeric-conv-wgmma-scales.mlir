// Family conv with mma = wgmma against the fp64 oracle, where each row of outputs has its own power of two: a pooling
// window then compares sums that are held in different units, with and without the products of the next row in flight.
// REQUIRES: host-compiler
// RUN: rm -rf %t && mkdir -p %t/c
// RUN: kgen-opt %s -kgen-inline-dispatches=all -o %t/graph.mlir
// RUN: kgen-opt %s -kgen-lower-dispatches=assert-sizes -o %t/lowered.mlir
// RUN: kgen-translate --kgen-to-cuda %t/lowered.mlir -o %t/c/kernel.cu
// RUN: kgen-translate --kgen-to-plan %t/lowered.mlir -o %t/c/plan.json
// RUN: kgen-eval %t/c --graph %t/graph.mlir --device host --samples 1 | FileCheck %s
// CHECK: verdict PASS

module attributes {kgen.precision = "tf32"} {
func.func @scales(%x: tensor<2x3x60x24xf32>, %r: tensor<1x1x60x1xf32> {kgen.init = "uniform(-18, 18)"},
    %w: tensor<8x3x8x8xf32>, %b: tensor<8xf32>)
    -> (tensor<2x8x6x2xf32>, tensor<2x8x6x2xf32>, tensor<2x8x14x5xf32>) {
  %0 = kgen.dispatch @rows schedule(#kgen.schedule<family = pointwise>)
      ins(%x, %r : tensor<2x3x60x24xf32>, tensor<1x1x60x1xf32>) {
  ^bb0(%a: tensor<2x3x60x24xf32>, %c: tensor<1x1x60x1xf32>):
    %z = aten.clamp %c {max = 1.0, min = 0.0} : (tensor<1x1x60x1xf32>) -> tensor<1x1x60x1xf32>
    %k = aten.mul.Scalar %z {other = 32767.0} : (tensor<1x1x60x1xf32>) -> tensor<1x1x60x1xf32>
    %e = aten.add.Scalar %k {other = 1.0} : (tensor<1x1x60x1xf32>) -> tensor<1x1x60x1xf32>
    %m = aten.mul.Tensor %a, %e : (tensor<2x3x60x24xf32>, tensor<1x1x60x1xf32>) -> tensor<2x3x60x24xf32>
    kgen.yield %m : tensor<2x3x60x24xf32>
  } : tensor<2x3x60x24xf32>
  %1 = kgen.dispatch @turns schedule(#kgen.schedule<family = conv, mma = wgmma, blocks = 1, mma_inflight = 1>)
      ins(%0, %w, %b : tensor<2x3x60x24xf32>, tensor<8x3x8x8xf32>, tensor<8xf32>) {
  ^bb0(%a: tensor<2x3x60x24xf32>, %c: tensor<8x3x8x8xf32>, %d: tensor<8xf32>):
    %e = aten.conv2d %a, %c, %d stride [4, 4] : (tensor<2x3x60x24xf32>, tensor<8x3x8x8xf32>, tensor<8xf32>) -> tensor<2x8x14x5xf32>
    %p = aten.max_pool2d %e kernel [3, 3] stride [2, 2] : (tensor<2x8x14x5xf32>) -> tensor<2x8x6x2xf32>
    kgen.yield %p : tensor<2x8x6x2xf32>
  } : tensor<2x8x6x2xf32>
  %2 = kgen.dispatch @alone schedule(#kgen.schedule<family = conv, mma = wgmma, blocks = 2, mma_inflight = 0>)
      ins(%0, %w, %b : tensor<2x3x60x24xf32>, tensor<8x3x8x8xf32>, tensor<8xf32>) {
  ^bb0(%a: tensor<2x3x60x24xf32>, %c: tensor<8x3x8x8xf32>, %d: tensor<8xf32>):
    %e = aten.conv2d %a, %c, %d stride [4, 4] : (tensor<2x3x60x24xf32>, tensor<8x3x8x8xf32>, tensor<8xf32>) -> tensor<2x8x14x5xf32>
    %p = aten.max_pool2d %e kernel [3, 3] stride [2, 2] : (tensor<2x8x14x5xf32>) -> tensor<2x8x6x2xf32>
    kgen.yield %p : tensor<2x8x6x2xf32>
  } : tensor<2x8x6x2xf32>
  %3 = kgen.dispatch @direct schedule(#kgen.schedule<family = conv, mma = wgmma, blocks = 1, mma_inflight = 1>)
      ins(%0, %w, %b : tensor<2x3x60x24xf32>, tensor<8x3x8x8xf32>, tensor<8xf32>) {
  ^bb0(%a: tensor<2x3x60x24xf32>, %c: tensor<8x3x8x8xf32>, %d: tensor<8xf32>):
    %e = aten.conv2d %a, %c, %d stride [4, 4] : (tensor<2x3x60x24xf32>, tensor<8x3x8x8xf32>, tensor<8xf32>) -> tensor<2x8x14x5xf32>
    kgen.yield %e : tensor<2x8x14x5xf32>
  } : tensor<2x8x14x5xf32>
  return %1, %2, %3 : tensor<2x8x6x2xf32>, tensor<2x8x6x2xf32>, tensor<2x8x14x5xf32>
}
}
