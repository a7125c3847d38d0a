%d0 = transform.kgen.select "aten.conv2d" in %f as conv
transform.kgen.mma %d0 wgmma
transform.kgen.specialize %d0 1 producer_warps = 4
