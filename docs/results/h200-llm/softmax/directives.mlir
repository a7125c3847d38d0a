%rows = transform.kgen.select "aten.softmax.int" in %f as row
transform.kgen.vec %rows 4
transform.kgen.resident %rows reg
transform.kgen.reduce %rows two_pass
transform.kgen.split_rows %rows 4
transform.kgen.threads_per_row %rows 256
transform.kgen.rows_per_block %rows 1
transform.kgen.occupancy %rows min_blocks = 3
transform.kgen.cache_hint %rows none
