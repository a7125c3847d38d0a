// A depthwise convolution with stages has tiles of products. A block of 104 threads copies rows of 16 lanes: the last 8 threads are no whole row, and would write what the first lanes of a later turn write.
// compute-sanitizer's racecheck found that on a card; the values are equal.
// RUN: kgen-opt %s -kgen-lower-dispatches=assert-sizes | kgen-translate --kgen-to-cuda | FileCheck %s
// CHECK: BOX_H = 14, BOX_W = 56
// CHECK: threadIdx.x / LANES < THREADS / LANES ? threadIdx.x / LANES : ROWS

module attributes {kgen.precision = "tf32"} {
func.func @depthwise(%x: tensor<8x96x56x56xf32>, %w: tensor<96x1x7x7xf32>, %b: tensor<96xf32>) -> tensor<8x96x56x56xf32> {
  %r = kgen.dispatch @conv schedule(#kgen.schedule<family = conv, stages = 3>)
      ins(%x, %w, %b : tensor<8x96x56x56xf32>, tensor<96x1x7x7xf32>, tensor<96xf32>) {
  ^bb0(%a0: tensor<8x96x56x56xf32>, %a1: tensor<96x1x7x7xf32>, %a2: tensor<96xf32>):
    %c = aten.conv2d %a0, %a1, %a2 padding [3, 3] groups 96 : (tensor<8x96x56x56xf32>, tensor<96x1x7x7xf32>, tensor<96xf32>) -> tensor<8x96x56x56xf32>
    kgen.yield %c : tensor<8x96x56x56xf32>
  } : tensor<8x96x56x56xf32>
  return %r : tensor<8x96x56x56xf32>
}
}
