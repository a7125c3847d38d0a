%d0 = transform.kgen.select "aten.conv2d" in %f as conv
transform.kgen.mma %d0 wgmma
transform.kgen.pipeline %d0 stages = 6
