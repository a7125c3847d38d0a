%d0 = transform.kgen.select "aten.layer_norm" in %f as row
transform.kgen.cache_hint %d0 streaming
transform.kgen.resident %d0 grid
transform.kgen.threads_per_row %d0 256
