%d0 = transform.kgen.select "aten.matmul" in %f as gemm
transform.kgen.mma %d0 wgmma
transform.kgen.cache_hint %d0 l2_promotion = 128
transform.kgen.raster %d0 4
