%d0 = transform.kgen.select "aten.softmax.int" in %f as row
transform.kgen.fast_math %d0 on
transform.kgen.cache_hint %d0 none
transform.kgen.resident %d0 reg
transform.kgen.reduce %d0 two_pass
transform.kgen.threads_per_row %d0 256
transform.kgen.rows_per_block %d0 1
transform.kgen.split_rows %d0 4
transform.kgen.occupancy %d0 min_blocks = 3
