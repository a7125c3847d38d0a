%d0 = transform.kgen.select "aten.scaled_dot_product_attention" in %f as attention
transform.kgen.mma %d0 wgmma
