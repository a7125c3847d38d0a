// Families compute no tensors without elements.
// RUN: not kgen-opt %s -kgen-lower 2>&1 | FileCheck %s
// CHECK: expected tensors with elements in a dispatch of family row, found 'aten.softmax.int' on an extent of 0
func.func @f(%x: tensor<3x0xf32>) -> tensor<3x0xf32> {
  %0 = kgen.dispatch @softmax schedule(#kgen.schedule<family = row>) ins(%x : tensor<3x0xf32>) {
  ^bb0(%a: tensor<3x0xf32>):
    %s = aten.softmax.int %a dim 1 : (tensor<3x0xf32>) -> tensor<3x0xf32>
    kgen.yield %s : tensor<3x0xf32>
  } : tensor<3x0xf32>
  return %0 : tensor<3x0xf32>
}
