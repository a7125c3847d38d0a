// RUN: kgen-opt %s -kgen-lower-dispatches -split-input-file | FileCheck %s

// Scores never reach memory; the causal bound ends the loop over keys and masks the tiles on the diagonal.
// CHECK-LABEL: kgen.source @heads arch "sm_90a"
// CHECK-SAME: // heads: causal attention of 64 heads, 4096 queries by 4096 keys of 128 elements.
// CHECK-SAME: constexpr int kWarps = 8, kTileQueries = 16 * kWarps, kTileKeys = 64;
// CHECK-SAME: constexpr float kScale = 0.08838
// CHECK-SAME: kgen::mma_m16n8k16_f16(d, a, b);
// CHECK-SAME: const int visible = last_query < kKeys ? last_query : kKeys;
// CHECK-NOT: #if
// CHECK-SAME: kgen.schedule = #kgen.schedule<family = attention, dtype = fp16, mma = mma_sync, reduce = online, stages = 2, tile = [128, 64]>
// CHECK: kgen.launch @heads::@heads_attention grid [2048, 1, 1] block [256, 1, 1] shared 69632
func.func @f(%q: tensor<4x16x4096x128xf16>, %k: tensor<4x16x4096x128xf16>, %v: tensor<4x16x4096x128xf16>) -> tensor<4x16x4096x128xf16> {
  %0 = kgen.dispatch @heads schedule(#kgen.schedule<family = attention, mma = mma_sync>) ins(%q, %k, %v : tensor<4x16x4096x128xf16>, tensor<4x16x4096x128xf16>, tensor<4x16x4096x128xf16>) {
  ^bb0(%a: tensor<4x16x4096x128xf16>, %b: tensor<4x16x4096x128xf16>, %c: tensor<4x16x4096x128xf16>):
    %1 = aten.scaled_dot_product_attention %a, %b, %c is_causal true : (tensor<4x16x4096x128xf16>, tensor<4x16x4096x128xf16>, tensor<4x16x4096x128xf16>) -> tensor<4x16x4096x128xf16>
    kgen.yield %1 : tensor<4x16x4096x128xf16>
  } : tensor<4x16x4096x128xf16>
  return %0 : tensor<4x16x4096x128xf16>
}

// -----

// bf16, another tile, three stages; the kernel reads keys before queries because the dispatch has them so.
// CHECK-LABEL: kgen.source @brain
// CHECK-SAME: using Element = __nv_bfloat16;
// CHECK-SAME: constexpr int kStages = 3;
// CHECK-SAME: __floats2bfloat162_rn(low, high)
// CHECK-NOT: visible < kKeys
// CHECK: kgen.launch @brain::@brain_attention grid [8, 1, 1] block [128, 1, 1] shared 27648 ins(%arg1, %arg0, %arg2 :
func.func @f(%k: tensor<2x256x64xbf16>, %q: tensor<2x256x64xbf16>, %v: tensor<2x256x64xbf16>) -> tensor<2x256x64xbf16> {
  %0 = kgen.dispatch @brain schedule(#kgen.schedule<family = attention, mma = mma_sync, tile = [64, 32], stages = 3>) ins(%k, %q, %v : tensor<2x256x64xbf16>, tensor<2x256x64xbf16>, tensor<2x256x64xbf16>) {
  ^bb0(%a: tensor<2x256x64xbf16>, %b: tensor<2x256x64xbf16>, %c: tensor<2x256x64xbf16>):
    %1 = aten.scaled_dot_product_attention %b, %a, %c : (tensor<2x256x64xbf16>, tensor<2x256x64xbf16>, tensor<2x256x64xbf16>) -> tensor<2x256x64xbf16>
    kgen.yield %1 : tensor<2x256x64xbf16>
  } : tensor<2x256x64xbf16>
  return %0 : tensor<2x256x64xbf16>
}

// -----

// On sm_90a the family's own choice is warpgroup products: copies by tensor map, tiles dealt out by a table when the mask
// is causal.
// CHECK-LABEL: kgen.source @hopper
// CHECK-SAME: constexpr int CONSUMERS = 2, TILE_KEYS = 128, STAGES = 2;
// CHECK-SAME: constexpr int BLOCKS = 132; // of the grid
// CHECK-SAME: kgen::wgmma_f16<N>(d, a, b, accumulate);
// CHECK-SAME: __device__ const short DEAL[
// CHECK-SAME: kgen.schedule = #kgen.schedule<family = attention, consumers = 2, dtype = fp16, lazy = on, mma = wgmma, overlap = on, pingpong = on, pipeline = tma, reduce = online, stages = 2, tile = [128, 128]>
// CHECK: kgen.launch @hopper::@hopper_attention grid [132, 1, 1] block [384, 1, 1] shared {{[0-9]+}}
// CHECK-SAME: #kgen.tensor_map<operand = 0, dtype = f16, dims = [128, 4096, 64], strides = [256, 1048576], box = [64, 128, 1], swizzle = 128, l2 = 256>
func.func @f(%q: tensor<4x16x4096x128xf16>, %k: tensor<4x16x4096x128xf16>, %v: tensor<4x16x4096x128xf16>) -> tensor<4x16x4096x128xf16> {
  %0 = kgen.dispatch @hopper schedule(#kgen.schedule<family = attention>) ins(%q, %k, %v : tensor<4x16x4096x128xf16>, tensor<4x16x4096x128xf16>, tensor<4x16x4096x128xf16>) {
  ^bb0(%a: tensor<4x16x4096x128xf16>, %b: tensor<4x16x4096x128xf16>, %c: tensor<4x16x4096x128xf16>):
    %1 = aten.scaled_dot_product_attention %a, %b, %c is_causal true : (tensor<4x16x4096x128xf16>, tensor<4x16x4096x128xf16>, tensor<4x16x4096x128xf16>) -> tensor<4x16x4096x128xf16>
    kgen.yield %1 : tensor<4x16x4096x128xf16>
  } : tensor<4x16x4096x128xf16>
  return %0 : tensor<4x16x4096x128xf16>
}

// -----

// One query for each of four heads that share keys, in eight parts whose results meet in the shared memory of a cluster.
// CHECK-LABEL: kgen.source @decode
// CHECK-SAME: constexpr int kGroup = 4;
// CHECK-SAME: long long key_start(long long head) { return head / 4 * 131072; }
// CHECK-SAME: kgen::cluster_map(received + part * kShare + pair % kShare, pair / kShare) = all.value;
// CHECK-SAME: kgen.schedule = #kgen.schedule<family = attention, block = 256, dtype = bf16, mma = mma_sync, reduce = online, split_at = cluster, split_keys = 8, warp_tile = [16, 32]>
// CHECK: kgen.launch @decode::@decode_attention grid [64, 1, 1] block [256, 1, 1] shared 75008 cluster [8, 1, 1]
// CHECK-NOT: kgen.launch
func.func @f(%q: tensor<32x1x64xbf16>, %k: tensor<8x1x2048x64xbf16>, %v: tensor<8x1x2048x64xbf16>) -> tensor<32x1x64xbf16> {
  %0 = kgen.dispatch @decode schedule(#kgen.schedule<family = attention, split_keys = 8, split_at = cluster>) ins(%q, %k, %v : tensor<32x1x64xbf16>, tensor<8x1x2048x64xbf16>, tensor<8x1x2048x64xbf16>) {
  ^bb0(%a: tensor<32x1x64xbf16>, %b: tensor<8x1x2048x64xbf16>, %c: tensor<8x1x2048x64xbf16>):
    %1 = aten.expand %b size [8, 4, 2048, 64] : (tensor<8x1x2048x64xbf16>) -> tensor<8x4x2048x64xbf16>
    %2 = aten.reshape %1 shape [32, 2048, 64] : (tensor<8x4x2048x64xbf16>) -> tensor<32x2048x64xbf16>
    %3 = aten.expand %c size [8, 4, 2048, 64] : (tensor<8x1x2048x64xbf16>) -> tensor<8x4x2048x64xbf16>
    %4 = aten.reshape %3 shape [32, 2048, 64] : (tensor<8x4x2048x64xbf16>) -> tensor<32x2048x64xbf16>
    %5 = aten.scaled_dot_product_attention %a, %2, %4 : (tensor<32x1x64xbf16>, tensor<32x2048x64xbf16>, tensor<32x2048x64xbf16>) -> tensor<32x1x64xbf16>
    kgen.yield %5 : tensor<32x1x64xbf16>
  } : tensor<32x1x64xbf16>
  return %0 : tensor<32x1x64xbf16>
}
