%d0 = transform.kgen.select "aten.conv2d" in %f as conv
transform.kgen.fuse %d0 consumers 2
transform.kgen.mma %d0 wgmma
transform.kgen.pipeline %d0 stages = 5
transform.kgen.specialize %d0 producer_warps = 2
