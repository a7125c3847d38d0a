// RUN: kgen-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{unknown kernel family 'convolution', expected one of generic, pointwise, pool, row, gemm, conv, attention, scan}}
module attributes {s = #kgen.schedule<family = convolution>} {}

// -----

// expected-error @+1 {{unknown schedule key 'stage', expected one of tile, }}
module attributes {s = #kgen.schedule<family = conv, stage = 4>} {}

// -----

// expected-error @+1 {{schedule key 'stages' expected an integer from 2 to 8, found 9}}
module attributes {s = #kgen.schedule<family = conv, stages = 9>} {}

// -----

// expected-error @+1 {{schedule key 'stages' expected an integer from 2 to 8, found "many"}}
module attributes {s = #kgen.schedule<family = conv, stages = many>} {}

// -----

// expected-error @+1 {{schedule key 'vec' expected one of 1, 2, 4, 8, 16, found 3}}
module attributes {s = #kgen.schedule<family = pointwise, vec = 3>} {}

// -----

// expected-error @+1 {{schedule key 'tile' expected a list of 2 to 3 integers, found 4 integers}}
module attributes {s = #kgen.schedule<family = gemm, tile = [1, 2, 3, 4]>} {}

// -----

// expected-error @+1 {{schedule key 'tile' expected integers from 1 to 4096, found 0}}
module attributes {s = #kgen.schedule<family = gemm, tile = [128, 0]>} {}

// -----

// expected-error @+1 {{schedule key 'mma' expected one of none, wmma, mma_sync, wgmma, found "dmma"}}
module attributes {s = #kgen.schedule<family = gemm, mma = dmma>} {}

// -----

// expected-error @+1 {{schedule key 'vec' is not taken by gemm/wgmma and gemm/cluster, which take cluster, consumers, convert_at, dtype, }}
module attributes {s = #kgen.schedule<family = gemm, vec = 4, mma = wgmma>} {}

// -----

// expected-error @+1 {{schedule key 'tile' is not taken by family generic, which takes no keys}}
module attributes {s = #kgen.schedule<family = generic, tile = [64, 64, 16]>} {}

// -----

// expected-error @+1 {{schedule key 'tile' of gemm/simt expected a list of 3 integers, found 2 integers}}
module attributes {s = #kgen.schedule<family = gemm, tile = [64, 64], mma = none>} {}

// -----

// expected-error @+1 {{schedule key 'vec' is set twice}}
module attributes {s = #kgen.schedule<family = gemm, vec = 1, vec = 2>} {}

// -----

// expected-error @+1 {{expected an integer, a list of integers, a word or a quoted text}}
module attributes {s = #kgen.schedule<family = gemm, vec = {}>} {}

// -----

// expected-error @+1 {{idea expected a text, found an empty one}}
module attributes {i = #kgen.idea<" ", category = memory>} {}

// -----

func.func @arguments(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{'kgen.dispatch' op expected as many block arguments as inputs (1), found 0}}
  %0 = kgen.dispatch @d ins(%x : tensor<8xf32>) {
    kgen.yield
  } : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @argument_type(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{expected block arguments 0 of type 'tensor<8xf32>', found 'tensor<9xf32>'}}
  %0 = kgen.dispatch @d ins(%x : tensor<8xf32>) {
  ^bb0(%a: tensor<9xf32>):
    kgen.yield %a : tensor<9xf32>
  } : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @yielded(%x: tensor<8xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{expected yielded values 0 of type 'tensor<4xf32>', found 'tensor<8xf32>'}}
  %0 = kgen.dispatch @d ins(%x : tensor<8xf32>) {
  ^bb0(%a: tensor<8xf32>):
    kgen.yield %a : tensor<8xf32>
  } : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @foreign(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{expected ops of the aten dialect in the region}}
  %0 = kgen.dispatch @d ins(%x : tensor<8xf32>) {
  ^bb0(%a: tensor<8xf32>):
    // expected-note @+1 {{found math.exp}}
    %r = math.exp %a : tensor<8xf32>
    kgen.yield %r : tensor<8xf32>
  } : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// expected-error @+1 {{expected an architecture like "sm_90a", found "hopper"}}
kgen.source @s arch "hopper" "text"

// -----

// expected-error @+1 {{expected a CUDA-C text, found an empty one}}
kgen.source @s arch "sm_90a" " "

// -----

func.func @no_source(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{expected a kgen.source @s in the module, found none}}
  %0 = kgen.launch @s::@k grid [1, 1, 1] block [1, 1, 1] shared 0 outs(%x : tensor<8xf32>) : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

kgen.source @s arch "sm_90a" "void my_k(); void k_main(); int k;"
func.func @no_kernel(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{expected a kernel k in the text of @s, found none}}
  %0 = kgen.launch @s::@k grid [1, 1, 1] block [1, 1, 1] shared 0 outs(%x : tensor<8xf32>) : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

kgen.source @s arch "sm_90a" "void k();"
func.func @flat(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{expected a kernel of the form @source::@kernel, found @s}}
  %0 = kgen.launch @s grid [1, 1, 1] block [1, 1, 1] shared 0 outs(%x : tensor<8xf32>) : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

kgen.source @s arch "sm_90a" "void k();"
func.func @grid_rank(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{expected three grid dimensions, found 1}}
  %0 = kgen.launch @s::@k grid [1] block [1, 1, 1] shared 0 outs(%x : tensor<8xf32>) : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

kgen.source @s arch "sm_90a" "void k();"
func.func @grid(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{expected grid dimension 1 from 1 to 65535, found 65536}}
  %0 = kgen.launch @s::@k grid [1, 65536, 1] block [1, 1, 1] shared 0 outs(%x : tensor<8xf32>) : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

kgen.source @s arch "sm_90a" "void k();"
func.func @empty_grid(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{expected grid dimension 0 from 1 to 2147483647, found 0}}
  %0 = kgen.launch @s::@k grid [0, 1, 1] block [1, 1, 1] shared 0 outs(%x : tensor<8xf32>) : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

kgen.source @s arch "sm_90a" "void k();"
func.func @threads(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{expected at most 1024 threads in a block, found 1088}}
  %0 = kgen.launch @s::@k grid [1, 1, 1] block [32, 34, 1] shared 0 outs(%x : tensor<8xf32>) : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

kgen.source @s arch "sm_90a" "void k();"
func.func @shared(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{expected dynamic shared memory from 0 to 232448 bytes, found 232449}}
  %0 = kgen.launch @s::@k grid [1, 1, 1] block [32, 1, 1] shared 232449 outs(%x : tensor<8xf32>) : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

kgen.source @s arch "sm_90a" "void k();"
func.func @scalars(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{expected scalars of type i32, i64 or f32, found 5.000000e-01 : f64}}
  %0 = kgen.launch @s::@k grid [1, 1, 1] block [32, 1, 1] shared 0 scalars [0.5] outs(%x : tensor<8xf32>) : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

kgen.source @s arch "sm_90a" "void k();"
func.func @results(%x: tensor<8xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{expected type of operand #0 ('tensor<8xf32>') to match type of corresponding result ('tensor<4xf32>')}}
  %0 = kgen.launch @s::@k grid [1, 1, 1] block [32, 1, 1] shared 0 outs(%x : tensor<8xf32>) : tensor<4xf32>
  return %0 : tensor<4xf32>
}
