%d0 = transform.kgen.select "aten.softmax.int" in %f as row
transform.kgen.fast_math %d0 on
transform.kgen.cache_hint %d0 none
transform.kgen.resident %d0 smem
transform.kgen.threads_per_row %d0 512
transform.kgen.rows_per_block %d0 1
