%rows = transform.kgen.select "aten.softmax.int" in %f as row
transform.kgen.vec %rows 4
transform.kgen.resident %rows smem
transform.kgen.threads_per_row %rows 512
transform.kgen.rows_per_block %rows 1
