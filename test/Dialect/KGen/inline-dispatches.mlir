// RUN: kgen-opt %s -kgen-inline-dispatches | FileCheck %s

// Generic dispatches dissolve, with and without a schedule; the others stay.
// CHECK-LABEL: func.func @f(%arg0: tensor<8xf32>)
// CHECK-NEXT: %[[A:.*]] = aten.neg %arg0
// CHECK-NEXT: %[[B:.*]] = aten.exp %[[A]]
// CHECK-NEXT: %[[C:.*]] = kgen.dispatch @c schedule(#kgen.schedule<family = pointwise>) ins(%[[B]] :
// CHECK: aten.relu
// CHECK: return %[[C]], %[[A]]
func.func @f(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0:2 = kgen.dispatch @a ins(%x : tensor<8xf32>) {
  ^bb0(%a: tensor<8xf32>):
    %r = aten.neg %a : (tensor<8xf32>) -> tensor<8xf32>
    %s = aten.exp %r : (tensor<8xf32>) -> tensor<8xf32>
    kgen.yield %s, %r : tensor<8xf32>, tensor<8xf32>
  } : tensor<8xf32>, tensor<8xf32>
  %1 = kgen.dispatch @b schedule(#kgen.schedule<family = generic>) ins(%0#0 : tensor<8xf32>) {
  ^bb0(%a: tensor<8xf32>):
    kgen.yield %a : tensor<8xf32>
  } : tensor<8xf32>
  %2 = kgen.dispatch @c schedule(#kgen.schedule<family = pointwise>) ins(%1 : tensor<8xf32>) {
  ^bb0(%a: tensor<8xf32>):
    %r = aten.relu %a : (tensor<8xf32>) -> tensor<8xf32>
    kgen.yield %r : tensor<8xf32>
  } : tensor<8xf32>
  return %2, %0#1 : tensor<8xf32>, tensor<8xf32>
}
