// Rows whose length is no multiple of a pack against the oracle: packs begin at the first boundary of 16 bytes in a row.
// REQUIRES: host-compiler
// RUN: rm -rf %t && mkdir -p %t/c
// RUN: kgen-opt %s -kgen-inline-dispatches=all -o %t/graph.mlir
// RUN: kgen-opt %s -kgen-lower-dispatches=assert-sizes -o %t/lowered.mlir
// RUN: kgen-translate --kgen-to-cuda %t/lowered.mlir -o %t/c/kernel.cu
// RUN: kgen-translate --kgen-to-plan %t/lowered.mlir -o %t/c/plan.json
// RUN: kgen-eval %t/c --graph %t/graph.mlir --device host --samples 1 | FileCheck %s
// CHECK: verdict PASS
// RUN: FileCheck %s --check-prefix=TEXT < %t/c/kernel.cu
// TEXT: namespace held {
// TEXT: constexpr int kVector = 4;
// TEXT: namespace edge {
// TEXT-NEXT: constexpr int kVector = 1;
// TEXT: edge::load(operands, row, single, held_single);

module {
func.func @peeled(%x0: tensor<5x259xf32>, %x1: tensor<6x1027xf32>, %x2: tensor<7x131xf32>, %x3: tensor<131xf32>, %x4: tensor<131xf32>,
    %x5: tensor<3x5003xf32>, %x6: tensor<4x5003xf32>, %x7: tensor<4x2050xf32>, %x8: tensor<4x2050xf32>)
    -> (tensor<5x259xf32>, tensor<6x1027xf32>, tensor<7x131xf32>, tensor<3xf32>, tensor<4x5003xf32>, tensor<4xi64>) {
  %r0 = kgen.dispatch @held schedule(#kgen.schedule<family = row, vec = 4, resident = "reg", threads_per_row = 16, rows_per_block = 4>) ins(%x0 : tensor<5x259xf32>) {
  ^bb0(%a: tensor<5x259xf32>):
    %s = aten.softmax.int %a dim -1 : (tensor<5x259xf32>) -> tensor<5x259xf32>
    kgen.yield %s : tensor<5x259xf32>
  } : tensor<5x259xf32>
  %r1 = kgen.dispatch @exponentials schedule(#kgen.schedule<family = row, vec = 4, resident = "reg", threads_per_row = 64, rows_per_block = 1, reduce = "two_pass">) ins(%x1 : tensor<6x1027xf32>) {
  ^bb0(%a: tensor<6x1027xf32>):
    %s = aten.softmax.int %a dim -1 : (tensor<6x1027xf32>) -> tensor<6x1027xf32>
    kgen.yield %s : tensor<6x1027xf32>
  } : tensor<6x1027xf32>
  %r2 = kgen.dispatch @affine schedule(#kgen.schedule<family = row, vec = 2, resident = "reg", threads_per_row = 32, rows_per_block = 2>) ins(%x2, %x3, %x4 : tensor<7x131xf32>, tensor<131xf32>, tensor<131xf32>) {
  ^bb0(%a: tensor<7x131xf32>, %w: tensor<131xf32>, %b: tensor<131xf32>):
    %n = aten.layer_norm %a weight %w bias %b normalized_shape [131] : (tensor<7x131xf32>, tensor<131xf32>, tensor<131xf32>) -> tensor<7x131xf32>
    kgen.yield %n : tensor<7x131xf32>
  } : tensor<7x131xf32>
  %r3 = kgen.dispatch @segments schedule(#kgen.schedule<family = row, vec = 4, resident = "none", threads_per_row = 8, rows_per_block = 4>) ins(%x5 : tensor<3x5003xf32>) {
  ^bb0(%a: tensor<3x5003xf32>):
    %n = aten.mean.dim %a dim [1] keepdim false : (tensor<3x5003xf32>) -> tensor<3xf32>
    kgen.yield %n : tensor<3xf32>
  } : tensor<3xf32>
  %r4 = kgen.dispatch @again schedule(#kgen.schedule<family = row, vec = 4, resident = "none", threads_per_row = 128, rows_per_block = 1>) ins(%x6 : tensor<4x5003xf32>) {
  ^bb0(%a: tensor<4x5003xf32>):
    %n = aten.linalg_vector_norm %a dim [1] keepdim true : (tensor<4x5003xf32>) -> tensor<4x1xf32>
    %d = aten.div.Tensor %a, %n : (tensor<4x5003xf32>, tensor<4x1xf32>) -> tensor<4x5003xf32>
    kgen.yield %d : tensor<4x5003xf32>
  } : tensor<4x5003xf32>
  %r5 = kgen.dispatch @place schedule(#kgen.schedule<family = row>) ins(%x7, %x8 : tensor<4x2050xf32>, tensor<4x2050xf32>) {
  ^bb0(%a: tensor<4x2050xf32>, %b: tensor<4x2050xf32>):
    %d = aten.mul.Tensor %a, %b : (tensor<4x2050xf32>, tensor<4x2050xf32>) -> tensor<4x2050xf32>
    %n = aten.argmax %d dim 1 : (tensor<4x2050xf32>) -> tensor<4xi64>
    kgen.yield %n : tensor<4xi64>
  } : tensor<4xi64>
  return %r0, %r1, %r2, %r3, %r4, %r5 : tensor<5x259xf32>, tensor<6x1027xf32>, tensor<7x131xf32>, tensor<3xf32>, tensor<4x5003xf32>, tensor<4xi64>
}
}
