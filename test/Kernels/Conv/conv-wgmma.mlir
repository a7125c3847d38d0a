// RUN: kgen-opt %s -kgen-lower-dispatches -split-input-file | FileCheck %s

// A first layer with pooling: a chunk is four columns of two rows; producers give registers to the sums.
// CHECK-LABEL: kgen.source @conv_pool arch "sm_90a"
// CHECK-SAME: using Compute = __half;
// CHECK-SAME: constexpr int BN = 96;
// CHECK-SAME: constexpr int BC = 1, BH = 2, BW = 4;
// CHECK-SAME: constexpr int PRODUCER_REGISTERS = 96, CONSUMER_REGISTERS = 160;
// CHECK-SAME: constexpr bool EPILOGUE_FIRST = false;
// CHECK-SAME: kgen::wgmma_f16<BN>
// CHECK-SAME: kgen::max_nan(best
// CHECK: %[[W:.*]] = tensor.empty() : tensor<41472xf16>
// CHECK: %[[S:.*]] = tensor.empty() : tensor<96xf32>
// CHECK: kgen.launch @conv_pool::@conv_pool_weights grid [96, 1, 1] block [128, 1, 1]
// CHECK: kgen.launch @conv_pool::@conv_pool_main grid [132, 1, 1] block [512, 1, 1]
func.func @f(%x: tensor<100x3x224x224xf32>, %w: tensor<96x3x11x11xf32>, %b: tensor<96xf32>)
    -> tensor<100x96x27x27xf32> {
  %0 = kgen.dispatch @conv_pool schedule(#kgen.schedule<family = conv, mma = wgmma>)
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

// bf16 data is multiplied as it is. No trace of pooling; many channels come eight to a chunk.
// CHECK-LABEL: kgen.source @many
// CHECK-SAME: using Compute = __nv_bfloat16;
// CHECK-SAME: constexpr int BC = 8, BH = 1, BW = 1;
// CHECK-SAME: kgen::wgmma_bf16<BN>
// CHECK-NOT: -infinity
// CHECK: kgen.launch @many::@many_main
func.func @f(%x: tensor<2x64x32x32xbf16>, %w: tensor<64x64x3x3xbf16>) -> tensor<2x64x32x32xbf16> {
  %0 = kgen.dispatch @many schedule(#kgen.schedule<family = conv, mma = wgmma>)
      ins(%x, %w : tensor<2x64x32x32xbf16>, tensor<64x64x3x3xbf16>) {
  ^bb0(%a: tensor<2x64x32x32xbf16>, %c: tensor<64x64x3x3xbf16>):
    %1 = aten.conv2d %a, %c padding [1, 1] : (tensor<2x64x32x32xbf16>, tensor<64x64x3x3xbf16>) -> tensor<2x64x32x32xbf16>
    kgen.yield %1 : tensor<2x64x32x32xbf16>
  } : tensor<2x64x32x32xbf16>
  return %0 : tensor<2x64x32x32xbf16>
}
