// RUN: kgen-opt %s -kgen-lower-dispatches -split-input-file -verify-diagnostics

func.func @f(%x: tensor<64x64xf32>, %y: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // expected-error @+1 {{the warp tile 48 x 64 does not divide the block tile 128 x 128}}
  %0 = kgen.dispatch @mm schedule(#kgen.schedule<family = gemm, tile = [128, 128, 32], warp_tile = [48, 64]>) ins(%x, %y : tensor<64x64xf32>, tensor<64x64xf32>) {
  ^bb0(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>):
    %1 = aten.mm %a, %b : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    kgen.yield %1 : tensor<64x64xf32>
  } : tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// -----

func.func @f(%x: tensor<64x64xf32>, %y: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // expected-error @+1 {{schedule key 'warp_tile' of gemm/wmma, gemm/mma_sync and gemm/stream expected [a multiple of 16 from 16 to 512, a multiple of 16 from 16 to 512] (gemm/wmma), or [a multiple of 16 from 16 to 512, a multiple of 8 from 8 to 512] (gemm/mma_sync), or [a multiple of 16 from 16 to 128, a multiple of 32 from 32 to 256] (gemm/stream), found [24, 64]}}
  %0 = kgen.dispatch @mm schedule(#kgen.schedule<family = gemm, tile = [96, 128, 32], warp_tile = [24, 64]>) ins(%x, %y : tensor<64x64xf32>, tensor<64x64xf32>) {
  ^bb0(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>):
    %1 = aten.mm %a, %b : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    kgen.yield %1 : tensor<64x64xf32>
  } : tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// -----

func.func @f(%x: tensor<64x64xf32>, %y: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // expected-error @+1 {{a warp tile of 128 x 64 needs 256 accumulators in a thread, the limit is 128}}
  %0 = kgen.dispatch @mm schedule(#kgen.schedule<family = gemm, tile = [128, 128, 32], warp_tile = [128, 64]>) ins(%x, %y : tensor<64x64xf32>, tensor<64x64xf32>) {
  ^bb0(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>):
    %1 = aten.mm %a, %b : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    kgen.yield %1 : tensor<64x64xf32>
  } : tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// -----

func.func @f(%x: tensor<64x64xf32>, %y: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // expected-error @+1 {{the block tile's k is a multiple of 16 for tf32, found 24}}
  %0 = kgen.dispatch @mm schedule(#kgen.schedule<family = gemm, tile = [64, 64, 24]>) ins(%x, %y : tensor<64x64xf32>, tensor<64x64xf32>) {
  ^bb0(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>):
    %1 = aten.mm %a, %b : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    kgen.yield %1 : tensor<64x64xf32>
  } : tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// -----

func.func @f(%x: tensor<64x64xf32>, %y: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // expected-error @+1 {{the tiles of 8 stages take 286720 bytes of shared memory, sm_90a has 232448}}
  %0 = kgen.dispatch @mm schedule(#kgen.schedule<family = gemm, tile = [128, 128, 32], stages = 8>) ins(%x, %y : tensor<64x64xf32>, tensor<64x64xf32>) {
  ^bb0(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>):
    %1 = aten.mm %a, %b : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    kgen.yield %1 : tensor<64x64xf32>
  } : tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// -----

func.func @f(%x: tensor<64x64xf32>, %y: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // expected-error @+1 {{schedule key 'stages' expected an integer from 2 to 8, found 1}}
  %0 = kgen.dispatch @mm schedule(#kgen.schedule<family = gemm, stages = 1>) ins(%x, %y : tensor<64x64xf32>, tensor<64x64xf32>) {
  ^bb0(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>):
    %1 = aten.mm %a, %b : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    kgen.yield %1 : tensor<64x64xf32>
  } : tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// -----

func.func @f(%x: tensor<64x64xf32>, %y: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // expected-error @+1 {{schedule key 'tile' of gemm/simt, gemm/wmma, gemm/mma_sync, gemm/stream, gemm/wgmma and gemm/cluster expected a list of 3 integers, found 2 integers}}
  %0 = kgen.dispatch @mm schedule(#kgen.schedule<family = gemm, tile = [64, 64]>) ins(%x, %y : tensor<64x64xf32>, tensor<64x64xf32>) {
  ^bb0(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>):
    %1 = aten.mm %a, %b : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    kgen.yield %1 : tensor<64x64xf32>
  } : tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// -----

func.func @f(%x: tensor<64x64xf32>, %y: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // expected-error @+1 {{schedule key 'dtype' of gemm/simt and gemm/vector expected fp32, found "tf32"}}
  %0 = kgen.dispatch @mm schedule(#kgen.schedule<family = gemm, mma = none, dtype = tf32>) ins(%x, %y : tensor<64x64xf32>, tensor<64x64xf32>) {
  ^bb0(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>):
    %1 = aten.mm %a, %b : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    kgen.yield %1 : tensor<64x64xf32>
  } : tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// -----

func.func @f(%x: tensor<64x64xf32>, %y: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // expected-error @+1 {{schedule key 'dtype' of gemm/mma_sync and gemm/stream expected one of tf32, fp16, bf16, found "fp32"}}
  %0 = kgen.dispatch @mm schedule(#kgen.schedule<family = gemm, mma = mma_sync, dtype = fp32>) ins(%x, %y : tensor<64x64xf32>, tensor<64x64xf32>) {
  ^bb0(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>):
    %1 = aten.mm %a, %b : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    kgen.yield %1 : tensor<64x64xf32>
  } : tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// -----

func.func @f(%x: tensor<64x64xf32>, %y: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // expected-error @+1 {{expected an operand type within precision class tf32, found dtype = fp16}}
  %0 = kgen.dispatch @mm schedule(#kgen.schedule<family = gemm, dtype = fp16>) ins(%x, %y : tensor<64x64xf32>, tensor<64x64xf32>) {
  ^bb0(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>):
    %1 = aten.mm %a, %b : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    kgen.yield %1 : tensor<64x64xf32>
  } : tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// -----

func.func @f(%x: tensor<64x64xf32>, %y: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // expected-error @+1 {{schedule key 'pool_tile' is not taken by family gemm, which takes cluster, }}
  %0 = kgen.dispatch @mm schedule(#kgen.schedule<family = gemm, pool_tile = [2, 2]>) ins(%x, %y : tensor<64x64xf32>, tensor<64x64xf32>) {
  ^bb0(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>):
    %1 = aten.mm %a, %b : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    kgen.yield %1 : tensor<64x64xf32>
  } : tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// -----

func.func @f(%x: tensor<64x64xf32>, %y: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // expected-error @+1 {{the tiles make 4096 threads, the limit is 1024}}
  %0 = kgen.dispatch @mm schedule(#kgen.schedule<family = gemm, mma = none, tile = [128, 128, 16], thread_tile = [2, 2]>) ins(%x, %y : tensor<64x64xf32>, tensor<64x64xf32>) {
  ^bb0(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>):
    %1 = aten.mm %a, %b : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    kgen.yield %1 : tensor<64x64xf32>
  } : tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// -----

func.func @f(%x: tensor<64x64xf32>, %y: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = kgen.dispatch @mm schedule(#kgen.schedule<family = gemm>) ins(%x, %y : tensor<64x64xf32>, tensor<64x64xf32>) {
  ^bb0(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>):
    // expected-error @+1 {{family gemm takes element-wise ops after its product only}}
    %c = aten.relu %a : (tensor<64x64xf32>) -> tensor<64x64xf32>
    %1 = aten.mm %c, %b : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    kgen.yield %1 : tensor<64x64xf32>
  } : tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// -----

func.func @f(%x: tensor<64x64xf32>, %y: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = kgen.dispatch @mm schedule(#kgen.schedule<family = gemm>) ins(%x, %y : tensor<64x64xf32>, tensor<64x64xf32>) {
  ^bb0(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>):
    // expected-error @+1 {{family gemm cannot compute aten.softmax.int}}
    %1 = aten.softmax.int %a dim 1 : (tensor<64x64xf32>) -> tensor<64x64xf32>
    kgen.yield %1 : tensor<64x64xf32>
  } : tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// -----

func.func @f(%x: tensor<64x96xf32>, %y: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // expected-error @+1 {{expected mma = none, mma = mma_sync or mma = wmma, in the operands' own type or tf32, for matrices behind views, found rows_per_block}}
  %0 = kgen.dispatch @mm schedule(#kgen.schedule<family = gemm, rows_per_block = 4>) ins(%x, %y : tensor<64x96xf32>, tensor<64x64xf32>) {
  ^bb0(%a: tensor<64x96xf32>, %b: tensor<64x64xf32>):
    %s = aten.slice.Tensor %a dim 1 start 32 end 96 : (tensor<64x96xf32>) -> tensor<64x64xf32>
    %1 = aten.mm %s, %b : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    kgen.yield %1 : tensor<64x64xf32>
  } : tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// -----

module attributes {kgen.precision = "fp16"} {
func.func @f(%x: tensor<64x96xf32>, %y: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // expected-error @+1 {{for matrices behind views, found fp16}}
  %0 = kgen.dispatch @mm schedule(#kgen.schedule<family = gemm, mma = mma_sync, dtype = fp16>) ins(%x, %y : tensor<64x96xf32>, tensor<64x64xf32>) {
  ^bb0(%a: tensor<64x96xf32>, %b: tensor<64x64xf32>):
    %s = aten.slice.Tensor %a dim 1 start 32 end 96 : (tensor<64x96xf32>) -> tensor<64x64xf32>
    %1 = aten.mm %s, %b : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    kgen.yield %1 : tensor<64x64xf32>
  } : tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}
}

// -----

func.func @f(%x: tensor<64x2x32xf32>, %y: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = kgen.dispatch @mm schedule(#kgen.schedule<family = gemm>) ins(%x, %y : tensor<64x2x32xf32>, tensor<64x64xf32>) {
  ^bb0(%a: tensor<64x2x32xf32>, %b: tensor<64x64xf32>):
    %p = aten.permute %a dims [0, 2, 1] : (tensor<64x2x32xf32>) -> tensor<64x32x2xf32>
    %v = aten.view %p size [64, 64] : (tensor<64x32x2xf32>) -> tensor<64x64xf32>
    // expected-error @+1 {{behind views that leave a matrix's rows or columns neighbours}}
    %1 = aten.mm %v, %b : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    kgen.yield %1 : tensor<64x64xf32>
  } : tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}
