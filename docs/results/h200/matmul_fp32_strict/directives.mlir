%d0 = transform.kgen.select "aten.matmul" in %f as gemm
transform.kgen.tile %d0 [128, 64, 16]
transform.kgen.thread_tile %d0 [8, 8]
transform.kgen.mma %d0 none
transform.kgen.pipeline %d0 stages = 2
transform.kgen.raster %d0 16
