%d0 = transform.kgen.select "aten.layer_norm" in %f as row
transform.kgen.cache_hint %d0 none
transform.kgen.resident %d0 none
transform.kgen.split_rows %d0 32
transform.kgen.occupancy %d0 min_blocks = 4
