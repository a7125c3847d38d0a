// RUN: split-file %s %t
// RUN: kgen-opt %t/graph.mlir --kgen-apply-directives="script=%t/body.mlir idea='one pass over the image' category=memory" | FileCheck %t/graph.mlir
// RUN: kgen-opt %t/graph.mlir --kgen-apply-directives=script=%t/module.mlir | FileCheck %t/graph.mlir --check-prefix=PLAIN
// RUN: kgen-opt %t/residual.mlir --kgen-apply-directives=script=%t/all.mlir | FileCheck %t/residual.mlir
// RUN: kgen-opt %t/siblings.mlir --kgen-apply-directives=script=%t/join.mlir | FileCheck %t/siblings.mlir

//--- body.mlir
// A body; the handle follows the dispatch as it grows.
%d = transform.kgen.select "aten.conv2d" in %f
transform.kgen.fuse %d consumers 1
transform.kgen.fuse %d consumers all
transform.kgen.fuse %d producers any
transform.kgen.tile %d [128, 96, 32]
%p = transform.tune.knob<"stages"> = 3 from options = [2, 3, 4] -> !transform.any_param
%t = transform.tune.knob<"tile"> = [64, 48] from options = [[64, 48], [32, 96]] -> !transform.any_param
transform.kgen.pipeline %d cp_async stages = %p
transform.kgen.warp_tile %d %t
transform.kgen.mma %d mma_sync
transform.kgen.smem_layout %d smem_pad = 8
// The last word counts.
transform.kgen.smem_layout %d smem_pad = 16

//--- module.mlir
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%f: !transform.any_op) {
    %d = transform.kgen.select "aten.relu" in %f
    %p = transform.param.constant 4 : i32 -> !transform.param<i32>
    transform.kgen.vec %d %p : !transform.param<i32>
    transform.yield
  }
}

//--- graph.mlir
// CHECK-LABEL: func.func @conv
// CHECK-SAME: (%[[X:.*]]: tensor<2x3x8x8xf32>, %[[W:.*]]: tensor<4x3x3x3xf32>, %[[B:.*]]: tensor<4xf32>)
// CHECK-NEXT: %[[R:.*]] = kgen.dispatch @conv2d_0 idea(#kgen.idea<"one pass over the image", category = memory>)
// CHECK-SAME: schedule(#kgen.schedule<family = conv, mma = mma_sync, pipeline = cp_async, smem_pad = 16, stages = 3, tile = [128, 96, 32], warp_tile = [64, 48]>)
// CHECK-SAME: ins(%[[X]], %[[W]], %[[B]] :
// CHECK-NEXT: ^bb0(%[[A0:.*]]: tensor<2x3x8x8xf32>, %[[A1:.*]]: tensor<4x3x3x3xf32>, %[[A2:.*]]: tensor<4xf32>):
// CHECK-NEXT: %[[C:.*]] = aten.conv2d %[[A0]], %[[A1]], %[[A2]]
// CHECK-NEXT: %[[E:.*]] = aten.relu %[[C]]
// CHECK-NEXT: %[[P:.*]] = aten.max_pool2d %[[E]]
// CHECK-NEXT: kgen.yield %[[P]] : tensor<2x4x3x3xf32>
// CHECK: return %[[R]]
//
// PLAIN: aten.conv2d
// PLAIN: kgen.dispatch @relu_0 schedule(#kgen.schedule<family = pointwise, vec = 4>)
// PLAIN: aten.max_pool2d
func.func @conv(%x: tensor<2x3x8x8xf32>, %w: tensor<4x3x3x3xf32>, %b: tensor<4xf32>) -> tensor<2x4x3x3xf32> {
  %0 = aten.conv2d %x, %w, %b : (tensor<2x3x8x8xf32>, tensor<4x3x3x3xf32>, tensor<4xf32>) -> tensor<2x4x6x6xf32>
  %1 = aten.relu %0 : (tensor<2x4x6x6xf32>) -> tensor<2x4x6x6xf32>
  %2 = aten.max_pool2d %1 kernel [2, 2] : (tensor<2x4x6x6xf32>) -> tensor<2x4x3x3xf32>
  return %2 : tensor<2x4x3x3xf32>
}

//--- all.mlir
%d = transform.kgen.select "aten.linear" in %f
transform.kgen.fuse %d consumers all
transform.kgen.fuse %d producers all

//--- residual.mlir
// The product is used twice, but both users come along; the exp behind them stays, since the transposition uses the
// result. What is in front joins, the swap of the weight's dimensions as a layout.
// CHECK-LABEL: func.func @swish
// CHECK: %[[R:.*]] = kgen.dispatch @linear_0
// CHECK-SAME: ins(%arg0, %arg1 : tensor<4x8xf32>, tensor<8x8xf32>)
// CHECK: aten.neg
// CHECK: aten.numpy_T
// CHECK: aten.linear
// CHECK: aten.sigmoid
// CHECK: %[[M:.*]] = aten.mul.Tensor
// CHECK: kgen.yield %[[M]] :
// CHECK: aten.numpy_T %[[R]]
// CHECK: aten.exp %[[R]]
func.func @swish(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> (tensor<8x4xf32>, tensor<4x8xf32>) {
  %n = aten.neg %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %t = aten.numpy_T %w : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %0 = aten.linear %n, %t : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %1 = aten.sigmoid %0 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %2 = aten.mul.Tensor %0, %1 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %3 = aten.numpy_T %2 : (tensor<4x8xf32>) -> tensor<8x4xf32>
  %4 = aten.exp %2 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %3, %4 : tensor<8x4xf32>, tensor<4x8xf32>
}

//--- join.mlir
%d = transform.kgen.select "aten.exp" in %f
%e = transform.kgen.select "aten.neg" in %f
transform.kgen.fuse_siblings %d with %e
transform.kgen.vec %d 2

//--- siblings.mlir
// The user of the first result stands between the siblings and has to move behind them.
// CHECK-LABEL: func.func @siblings
// CHECK-NEXT: %[[R:.*]]:2 = kgen.dispatch @exp_0 schedule(#kgen.schedule<family = pointwise, vec = 2>)
// CHECK: %[[A:.*]] = aten.exp
// CHECK: %[[B:.*]] = aten.neg
// CHECK: kgen.yield %[[A]], %[[B]]
// CHECK: %[[S:.*]] = aten.relu %[[R]]#0
// CHECK: return %[[S]], %[[R]]#1
func.func @siblings(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = aten.exp %x : (tensor<8xf32>) -> tensor<8xf32>
  %1 = aten.relu %0 : (tensor<8xf32>) -> tensor<8xf32>
  %2 = aten.neg %x : (tensor<8xf32>) -> tensor<8xf32>
  return %1, %2 : tensor<8xf32>, tensor<8xf32>
}
