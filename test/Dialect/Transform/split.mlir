// A dispatch is cut before an op of its region: the head keeps name, schedule and handle, the rest is a dispatch of its own family.
// RUN: split-file %s %t
// RUN: kgen-opt %t/graph.mlir --kgen-apply-directives=script=%t/cut.mlir | FileCheck %t/graph.mlir
// RUN: not kgen-opt %t/graph.mlir --kgen-apply-directives=script=%t/first.mlir 2>&1 | FileCheck %s --check-prefix=FIRST
// RUN: not kgen-opt %t/graph.mlir --kgen-apply-directives=script=%t/absent.mlir 2>&1 | FileCheck %s --check-prefix=ABSENT

//--- cut.mlir
%d = transform.kgen.select "aten.conv2d" in %f
transform.kgen.fuse %d consumers all
transform.kgen.tile %d [32, 16, 16]
%e = transform.kgen.split %d at "aten.max_pool2d"
transform.kgen.pipeline %d stages = 4
transform.kgen.coarsen %e 2

// FIRST: first.mlir:3:6: error: expected an op before aten.conv2d in the dispatch, found none
// FIRST-SAME: in dispatch @conv2d_0
//--- first.mlir
%d = transform.kgen.select "aten.conv2d" in %f
transform.kgen.fuse %d consumers all
%e = transform.kgen.split %d at "aten.conv2d"

// ABSENT: absent.mlir:2:6: error: expected aten.relu number 1 in dispatch @relu_0, found 1 of them
//--- absent.mlir
%d = transform.kgen.select "aten.relu" in %f
%e = transform.kgen.split %d at "aten.relu" number 1

//--- graph.mlir
// CHECK-LABEL: func.func @conv
// CHECK: %[[C:.*]] = kgen.dispatch @conv2d_0
// CHECK-SAME: schedule(#kgen.schedule<family = conv, stages = 4, tile = [32, 16, 16]>)
// CHECK: aten.conv2d
// CHECK-NEXT: %[[E:.*]] = aten.relu
// CHECK-NEXT: kgen.yield %[[E]]
// CHECK: %[[P:.*]] = kgen.dispatch @max_pool2d_0 schedule(#kgen.schedule<family = pool, coarsen = 2>) ins(%[[C]] :
// CHECK: aten.max_pool2d
// CHECK: return %[[P]]
func.func @conv(%x: tensor<2x3x8x8xf32>, %w: tensor<4x3x3x3xf32>, %b: tensor<4xf32>) -> tensor<2x4x3x3xf32> {
  %0 = aten.conv2d %x, %w, %b : (tensor<2x3x8x8xf32>, tensor<4x3x3x3xf32>, tensor<4xf32>) -> tensor<2x4x6x6xf32>
  %1 = aten.relu %0 : (tensor<2x4x6x6xf32>) -> tensor<2x4x6x6xf32>
  %2 = aten.max_pool2d %1 kernel [2, 2] : (tensor<2x4x6x6xf32>) -> tensor<2x4x3x3xf32>
  return %2 : tensor<2x4x3x3xf32>
}
