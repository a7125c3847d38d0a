%d0 = transform.kgen.select "aten.matmul" in %f as gemm
transform.kgen.tile %d0 [128, 256, 64]
transform.kgen.mma %d0 wgmma
