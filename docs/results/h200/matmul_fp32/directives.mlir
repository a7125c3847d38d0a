%d0 = transform.kgen.select "aten.matmul" in %f as gemm
transform.kgen.tile %d0 [256, 128, 32]
transform.kgen.warp_tile %d0 [64, 64]
transform.kgen.mma %d0 mma_sync
transform.kgen.mma_dtype %d0 tf32
transform.kgen.pipeline %d0 stages = 3
transform.kgen.smem_layout %d0 smem_pad = 8
transform.kgen.raster %d0 2
