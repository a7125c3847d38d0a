// Products and a convolution whose factors are rounded stay tiles, and each element is rounded where it is staged. A
// lone conversion stays where the product is: the tile of halves is half as large.
// REQUIRES: host-compiler
// RUN: rm -rf %t && mkdir -p %t/c
// RUN: kgen-opt %s --kgen-convert-aten-to-linalg --kgen-round-factors --kgen-lower=tiled-products -o %t/lowered.mlir
// RUN: kgen-translate --kgen-to-cuda %t/lowered.mlir -o %t/c/kernel.cu
// RUN: kgen-translate --kgen-to-plan %t/lowered.mlir -o %t/c/plan.json
// RUN: FileCheck %s --check-prefix=TEXT --input-file %t/c/kernel.cu
// RUN: kgen-eval %t/c --graph %s --device host --samples 1 | FileCheck %s
// CHECK: verdict PASS

// TEXT: one block per tile of outputs
// TEXT: __shared__ float left
// TEXT: __float_as_int(in0[
// TEXT: left[deep][at] = value
// TEXT: __float_as_int(in1[
// TEXT: right[deep][at] = value
// TEXT-NOT: __float_as_int
// TEXT: acc[y][x] +=
// TEXT: one block per tile of outputs
// TEXT: __float_as_int(
// TEXT: left[deep][at] = value
// TEXT: __float_as_int(
// TEXT: right[deep][at] = value
// TEXT-NOT: __float_as_int
// TEXT: acc[y][x] +=
// TEXT: one block per tile of outputs
// TEXT: __shared__ __half left
// TEXT: right[deep][at] = value
// TEXT: __half2float(a[y])
module attributes {kgen.precision = "tf32"} {
  func.func @staged(%x: tensor<210x100xf32>, %w: tensor<100x90xf32>, %i: tensor<2x5x17x19xf32>,
                    %f: tensor<40x5x3x3xf32>, %h: tensor<210x100xf16>, %v: tensor<100x90xf16>)
      -> (tensor<210x90xf32>, tensor<2x40x17x19xf32>, tensor<210x90xf16>) {
    %0 = aten.mm %x, %w : (tensor<210x100xf32>, tensor<100x90xf32>) -> tensor<210x90xf32>
    %1 = aten.conv2d %i, %f stride [1, 1] padding [1, 1] : (tensor<2x5x17x19xf32>, tensor<40x5x3x3xf32>) -> tensor<2x40x17x19xf32>
    %2 = aten.mm %h, %v : (tensor<210x100xf16>, tensor<100x90xf16>) -> tensor<210x90xf16>
    return %0, %1, %2 : tensor<210x90xf32>, tensor<2x40x17x19xf32>, tensor<210x90xf16>
  }
}
