%d0 = transform.kgen.select "aten.conv2d" in %f as conv
transform.kgen.pipeline %d0 stages = 6
transform.kgen.im2col %d0 slab_channels = 3
