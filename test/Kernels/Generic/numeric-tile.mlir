// Products and convolutions in fp64, by tiles: rows and columns that do not fill them, batches, groups, padding, strides.
// REQUIRES: host-compiler
// RUN: rm -rf %t && mkdir -p %t/c
// RUN: kgen-opt %s --kgen-lower -o %t/lowered.mlir
// RUN: kgen-translate --kgen-to-cuda %t/lowered.mlir -o %t/c/kernel.cu
// RUN: kgen-translate --kgen-to-plan %t/lowered.mlir -o %t/c/plan.json
// RUN: FileCheck %s --check-prefix=TEXT --input-file %t/c/kernel.cu
// TEXT-COUNT-4: one block per tile of outputs
// RUN: kgen-eval %t/c --graph %s --device host --samples 1 | FileCheck %s
// CHECK: verdict PASS

module attributes {kgen.precision = "strict-fp32"} {
  func.func @tiles(%x: tensor<3x70x100xf64>, %w: tensor<90x100xf64>, %b: tensor<90xf64>, %i: tensor<2x5x17x19xf64>,
                   %f: tensor<40x5x3x3xf64>, %q: tensor<4x80x33xf64>, %k: tensor<4x33x65xf64>, %gi: tensor<2x8x40x40xf64>,
                   %gf: tensor<64x4x3x3xf64>)
      -> (tensor<3x70x90xf64>, tensor<2x40x17x19xf64>, tensor<4x80x65xf64>, tensor<2x64x20x20xf64>) {
    %0 = aten.linear %x, %w, %b : (tensor<3x70x100xf64>, tensor<90x100xf64>, tensor<90xf64>) -> tensor<3x70x90xf64>
    %1 = aten.conv2d %i, %f stride [1, 1] padding [1, 1] : (tensor<2x5x17x19xf64>, tensor<40x5x3x3xf64>) -> tensor<2x40x17x19xf64>
    %2 = aten.bmm %q, %k : (tensor<4x80x33xf64>, tensor<4x33x65xf64>) -> tensor<4x80x65xf64>
    %3 = aten.conv2d %gi, %gf stride [2, 2] padding [1, 1] groups 2 : (tensor<2x8x40x40xf64>, tensor<64x4x3x3xf64>) -> tensor<2x64x20x20xf64>
    return %0, %1, %2, %3 : tensor<3x70x90xf64>, tensor<2x40x17x19xf64>, tensor<4x80x65xf64>, tensor<2x64x20x20xf64>
  }
}
