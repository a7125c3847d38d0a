%d0 = transform.kgen.select "aten.matmul" in %f as gemm
transform.kgen.tile %d0 [128, 128, 32]
transform.kgen.warp_tile %d0 [64, 64]
transform.kgen.mma %d0 mma_sync
transform.kgen.pipeline %d0 stages = 4
transform.kgen.smem_layout %d0 smem_pad = 16
transform.kgen.raster %d0 2
