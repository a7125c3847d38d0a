// Round trip of every directive, twice.
// RUN: kgen-opt %s | kgen-opt | FileCheck %s
// RUN: kgen-opt %s --mlir-print-op-generic | kgen-opt | FileCheck %s

module attributes {transform.with_named_sequence} {
  // CHECK-LABEL: @__transform_main
  transform.named_sequence @__transform_main(%f: !transform.any_op) {
    // CHECK: transform.kgen.rewrite %{{.*}} as reduce_first
    transform.kgen.rewrite %f as reduce_first
    // CHECK: %[[D:.*]] = transform.kgen.select "aten.conv2d" in %{{.*}}
    %d = transform.kgen.select "aten.conv2d" in %f
    // CHECK: %[[E:.*]] = transform.kgen.select "aten.conv2d" number 1 in %{{.*}} as conv
    %e = transform.kgen.select "aten.conv2d" number 1 in %f as conv
    // CHECK: transform.kgen.fuse %[[D]] consumers all
    transform.kgen.fuse %d consumers all
    // CHECK: transform.kgen.fuse %[[D]] producers any
    transform.kgen.fuse %d producers any
    // CHECK: transform.kgen.fuse %[[D]] consumers 2
    transform.kgen.fuse %d consumers 2
    // CHECK: transform.kgen.fuse_siblings %[[D]] with %[[E]]
    transform.kgen.fuse_siblings %d with %e
    // CHECK: transform.kgen.tile %[[D]] [128, 96, 32]
    transform.kgen.tile %d [128, 96, 32]
    // A name is allowed where it can be left out.
    // CHECK: transform.kgen.tile %[[D]] [64, 64]
    transform.kgen.tile %d tile = [64, 64]
    // CHECK: transform.kgen.warp_tile %[[D]] [64, 48]
    transform.kgen.warp_tile %d [64, 48]
    // CHECK: transform.kgen.pool_tile %[[D]] [4, 9]
    transform.kgen.pool_tile %d [4, 9]
    // CHECK: transform.kgen.raster %[[D]] 8
    transform.kgen.raster %d 8
    // CHECK: transform.kgen.split_k %[[D]] 4
    transform.kgen.split_k %d 4
    // CHECK: transform.kgen.split_keys %[[D]] 8 split_at = cluster
    transform.kgen.split_keys %d 8 split_at = cluster
    // CHECK: transform.kgen.coarsen %[[D]] 4
    transform.kgen.coarsen %d 4
    // CHECK: transform.kgen.rows_per_block %[[D]] 4
    transform.kgen.rows_per_block %d 4
    // CHECK: transform.kgen.threads_per_row %[[D]] 128
    transform.kgen.threads_per_row %d 128
    // CHECK: transform.kgen.split_rows %[[D]] 8
    transform.kgen.split_rows %d 8
    // CHECK: transform.kgen.resident %[[D]] smem
    transform.kgen.resident %d smem
    // CHECK: transform.kgen.resident %[[D]] grid column_packs = 3 lead = 4
    transform.kgen.resident %d grid column_packs = 3 lead = 4
    // CHECK: transform.kgen.occupancy %[[D]] 256 min_blocks = 2
    transform.kgen.occupancy %d 256, min_blocks = 2
    // CHECK: transform.kgen.occupancy %[[D]] min_blocks = 2
    transform.kgen.occupancy %d min_blocks = 2
    // CHECK: transform.kgen.vec %[[D]] 4
    transform.kgen.vec %d 4
    // CHECK: transform.kgen.smem_layout %[[D]] 8
    transform.kgen.smem_layout %d smem_pad = 8
    // CHECK: transform.kgen.im2col %[[D]] raw_smem
    transform.kgen.im2col %d raw_smem
    // CHECK: transform.kgen.im2col %[[D]] raw_smem slab_channels = 3 chunk = [4, 2, 1]
    transform.kgen.im2col %d raw_smem slab_channels = 3 chunk = [4, 2, 1]
    // CHECK: transform.kgen.persistent %[[D]] blocks = 128
    transform.kgen.persistent %d blocks = 128
    // CHECK: transform.kgen.cache_hint %[[D]] streaming
    transform.kgen.cache_hint %d streaming
    // CHECK: transform.kgen.pipeline %[[D]] cp_async stages = 4
    transform.kgen.pipeline %d cp_async stages = 4
    // CHECK: transform.kgen.mma_dtype %[[D]] tf32
    transform.kgen.mma_dtype %d tf32
    // CHECK: transform.kgen.fast_math %[[D]] on
    transform.kgen.fast_math %d on
    // CHECK: transform.kgen.mma %[[D]] wmma dtype = fp16
    transform.kgen.mma %d wmma dtype = fp16
    // CHECK: transform.kgen.thread_tile %[[D]] [8, 8]
    transform.kgen.thread_tile %d [8, 8]
    // CHECK: transform.kgen.reduce %[[D]] online
    transform.kgen.reduce %d online
    // CHECK: transform.kgen.reduce %[[D]] lazy = on
    transform.kgen.reduce %d lazy = on
    // CHECK: transform.kgen.specialize %[[D]] 2 pingpong = on overlap = off
    transform.kgen.specialize %d 2 pingpong = on overlap = off
    // CHECK: transform.kgen.unroll %[[D]] 4
    transform.kgen.unroll %d 4
    // Parameters, in any order of the keys.
    // CHECK: %[[P:.*]] = transform.tune.knob
    %p = transform.tune.knob<"stages"> = 4 from options = [2, 3, 4] -> !transform.any_param
    // CHECK: %[[Q:.*]] = transform.param.constant
    %q = transform.param.constant 2 : i64 -> !transform.param<i64>
    // CHECK: transform.kgen.pipeline %[[D]] cp_async stages = %[[P]]
    transform.kgen.pipeline %d cp_async stages = %p
    // CHECK: transform.kgen.occupancy %[[D]] %[[P]] min_blocks = %[[Q]] : !transform.param<i64>
    transform.kgen.occupancy %d min_blocks = %q : !transform.param<i64> block = %p
    transform.yield
  }
}
