%d0 = transform.kgen.select "aten.scaled_dot_product_attention" in %f as attention
transform.kgen.tile %d0 [192, 80]
transform.kgen.mma %d0 wgmma
transform.kgen.specialize %d0 pingpong = off overlap = on
