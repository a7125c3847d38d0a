// RUN: kgen-opt %s -kgen-lower-dispatches -split-input-file | FileCheck %s

// Convolution, relu and pooling are one kernel: a box of 2 x 27 pooled outputs needs 5 x 55 outputs
// of the convolution.
// CHECK-LABEL: kgen.source @conv_pool arch "sm_90a"
// CHECK-SAME: conv_pool_pointwise(float acc0
// CHECK-SAME: constexpr int C = 3, D = 1, H = 224, W = 224;
// CHECK-SAME: constexpr int OC = 96, OD = 1, OH = 55, OW = 55;
// CHECK-SAME: constexpr int POOL_D = 1, POOL_H = 3, POOL_W = 3;
// CHECK-SAME: constexpr int BOX_I = 1, BOX_D = 1, BOX_H = 2, BOX_W = 27;
// CHECK-SAME: kgen::mma_m16n8k8_tf32
// CHECK-SAME: a NaN wins
// CHECK-SAME: static_cast<Out>(pooled)
// CHECK-SAME: slab_channels = 3
// CHECK: %[[W:.*]] = tensor.empty() : tensor<36864xf32>
// CHECK: %[[P:.*]] = kgen.launch @conv_pool::@conv_pool_weights grid [144, 1, 1] block [256, 1, 1] shared 0 ins(%arg1 :
// CHECK-SAME: outs(%[[W]] :
// CHECK: kgen.launch @conv_pool::@conv_pool_main grid [1400, 1, 1] block [384, 1, 1] shared 113696
// CHECK-SAME: ins(%arg0, %[[P]], %arg2 :
func.func @f(%x: tensor<100x3x224x224xf32>, %w: tensor<96x3x11x11xf32>, %b: tensor<96xf32>)
    -> tensor<100x96x27x27xf32> {
  %0 = kgen.dispatch @conv_pool schedule(#kgen.schedule<family = conv>)
      ins(%x, %w, %b : tensor<100x3x224x224xf32>, tensor<96x3x11x11xf32>, tensor<96xf32>) {
  ^bb0(%a: tensor<100x3x224x224xf32>, %c: tensor<96x3x11x11xf32>, %d: tensor<96xf32>):
    %1 = aten.conv2d %a, %c, %d stride [4, 4] padding [2, 2]
        : (tensor<100x3x224x224xf32>, tensor<96x3x11x11xf32>, tensor<96xf32>) -> tensor<100x96x55x55xf32>
    %2 = aten.relu %1 : (tensor<100x96x55x55xf32>) -> tensor<100x96x55x55xf32>
    %3 = aten.max_pool2d %2 kernel [3, 3] stride [2, 2] : (tensor<100x96x55x55xf32>) -> tensor<100x96x27x27xf32>
    kgen.yield %3 : tensor<100x96x27x27xf32>
  } : tensor<100x96x27x27xf32>
  return %0 : tensor<100x96x27x27xf32>
}

// -----

// A depthwise convolution has one output channel in a group: no tensor cores. No trace of pooling. With stages it has
// the tiles of other convolutions; without, a schedule of its own.
// CHECK-LABEL: kgen.source @depthwise
// CHECK-SAME: constexpr int IMAGES = 2, GROUPS = 8;
// CHECK-SAME: constexpr bool TENSOR_CORES = false;
// CHECK-NOT: mma_m16n8k8
// CHECK-NOT: float pooled
// CHECK-SAME: thread_tile = [
// CHECK: kgen.launch @depthwise::@depthwise_main
func.func @f(%x: tensor<2x8x12x12xf32>, %w: tensor<8x1x3x3xf32>) -> tensor<2x8x12x12xf32> {
  %0 = kgen.dispatch @depthwise schedule(#kgen.schedule<family = conv, stages = 3>)
      ins(%x, %w : tensor<2x8x12x12xf32>, tensor<8x1x3x3xf32>) {
  ^bb0(%a: tensor<2x8x12x12xf32>, %c: tensor<8x1x3x3xf32>):
    %1 = aten.conv2d %a, %c padding [1, 1] groups 8
        : (tensor<2x8x12x12xf32>, tensor<8x1x3x3xf32>) -> tensor<2x8x12x12xf32>
    kgen.yield %1 : tensor<2x8x12x12xf32>
  } : tensor<2x8x12x12xf32>
  return %0 : tensor<2x8x12x12xf32>
}

// -----

// So has one whose filter no thread can hold.
// CHECK-LABEL: kgen.source @wide
// CHECK-SAME: constexpr bool TENSOR_CORES = false;
func.func @f(%x: tensor<2x8x12x12xf32>, %w: tensor<8x1x9x9xf32>) -> tensor<2x8x4x4xf32> {
  %0 = kgen.dispatch @wide schedule(#kgen.schedule<family = conv>)
      ins(%x, %w : tensor<2x8x12x12xf32>, tensor<8x1x9x9xf32>) {
  ^bb0(%a: tensor<2x8x12x12xf32>, %c: tensor<8x1x9x9xf32>):
    %1 = aten.conv2d %a, %c groups 8
        : (tensor<2x8x12x12xf32>, tensor<8x1x9x9xf32>) -> tensor<2x8x4x4xf32>
    kgen.yield %1 : tensor<2x8x4x4xf32>
  } : tensor<2x8x4x4xf32>
  return %0 : tensor<2x8x4x4xf32>
}
