// RUN: kgen-opt %s -kgen-lower-dispatches -split-input-file -verify-diagnostics

func.func @f(%q: tensor<2x256x64xf16>, %k: tensor<2x256x64xf16>, %v: tensor<2x256x64xf16>) -> tensor<2x256x64xf16> {
  // expected-error @+1 {{schedule key 'tile' of attention/mma_sync expected [a multiple of 16 from 16 to 4096, a multiple of 16 from 16 to 4096], found [40, 64]}}
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = attention, mma = mma_sync, tile = [40, 64]>) ins(%q, %k, %v : tensor<2x256x64xf16>, tensor<2x256x64xf16>, tensor<2x256x64xf16>) {
  ^bb0(%a: tensor<2x256x64xf16>, %b: tensor<2x256x64xf16>, %c: tensor<2x256x64xf16>):
    %1 = aten.scaled_dot_product_attention %a, %b, %c : (tensor<2x256x64xf16>, tensor<2x256x64xf16>, tensor<2x256x64xf16>) -> tensor<2x256x64xf16>
    kgen.yield %1 : tensor<2x256x64xf16>
  } : tensor<2x256x64xf16>
  return %0 : tensor<2x256x64xf16>
}

// -----

func.func @f(%q: tensor<2x256x64xf16>, %k: tensor<2x256x64xf16>, %v: tensor<2x256x64xf16>) -> tensor<2x256x64xf16> {
  // expected-error @+1 {{schedule key 'tile' of attention/mma_sync expected [a multiple of 16 from 16 to 4096, a multiple of 16 from 16 to 4096], found [64, 24]}}
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = attention, mma = mma_sync, tile = [64, 24]>) ins(%q, %k, %v : tensor<2x256x64xf16>, tensor<2x256x64xf16>, tensor<2x256x64xf16>) {
  ^bb0(%a: tensor<2x256x64xf16>, %b: tensor<2x256x64xf16>, %c: tensor<2x256x64xf16>):
    %1 = aten.scaled_dot_product_attention %a, %b, %c : (tensor<2x256x64xf16>, tensor<2x256x64xf16>, tensor<2x256x64xf16>) -> tensor<2x256x64xf16>
    kgen.yield %1 : tensor<2x256x64xf16>
  } : tensor<2x256x64xf16>
  return %0 : tensor<2x256x64xf16>
}

// -----

func.func @f(%q: tensor<2x256x64xf16>, %k: tensor<2x256x64xf16>, %v: tensor<2x256x64xf16>) -> tensor<2x256x64xf16> {
  // expected-error @+1 {{schedule key 'tile' expected a list of 2 to 3 integers, found 1 integers}}
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = attention, mma = mma_sync, tile = [64]>) ins(%q, %k, %v : tensor<2x256x64xf16>, tensor<2x256x64xf16>, tensor<2x256x64xf16>) {
  ^bb0(%a: tensor<2x256x64xf16>, %b: tensor<2x256x64xf16>, %c: tensor<2x256x64xf16>):
    %1 = aten.scaled_dot_product_attention %a, %b, %c : (tensor<2x256x64xf16>, tensor<2x256x64xf16>, tensor<2x256x64xf16>) -> tensor<2x256x64xf16>
    kgen.yield %1 : tensor<2x256x64xf16>
  } : tensor<2x256x64xf16>
  return %0 : tensor<2x256x64xf16>
}

// -----

func.func @f(%q: tensor<2x256x64xf16>, %k: tensor<2x256x64xf16>, %v: tensor<2x256x64xf16>) -> tensor<2x256x64xf16> {
  // expected-error @+1 {{attention schedule of @d: tile [256, 128] holds 112 registers of operands in a thread, at most 88 fit}}
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = attention, mma = mma_sync, tile = [256, 128]>) ins(%q, %k, %v : tensor<2x256x64xf16>, tensor<2x256x64xf16>, tensor<2x256x64xf16>) {
  ^bb0(%a: tensor<2x256x64xf16>, %b: tensor<2x256x64xf16>, %c: tensor<2x256x64xf16>):
    %1 = aten.scaled_dot_product_attention %a, %b, %c : (tensor<2x256x64xf16>, tensor<2x256x64xf16>, tensor<2x256x64xf16>) -> tensor<2x256x64xf16>
    kgen.yield %1 : tensor<2x256x64xf16>
  } : tensor<2x256x64xf16>
  return %0 : tensor<2x256x64xf16>
}

// -----

func.func @f(%q: tensor<2x256x64xf16>, %k: tensor<2x256x64xf16>, %v: tensor<2x256x64xf16>) -> tensor<2x256x64xf16> {
  // expected-error @+1 {{schedule key 'stages' expected an integer from 2 to 8, found 1}}
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = attention, mma = mma_sync, stages = 1>) ins(%q, %k, %v : tensor<2x256x64xf16>, tensor<2x256x64xf16>, tensor<2x256x64xf16>) {
  ^bb0(%a: tensor<2x256x64xf16>, %b: tensor<2x256x64xf16>, %c: tensor<2x256x64xf16>):
    %1 = aten.scaled_dot_product_attention %a, %b, %c : (tensor<2x256x64xf16>, tensor<2x256x64xf16>, tensor<2x256x64xf16>) -> tensor<2x256x64xf16>
    kgen.yield %1 : tensor<2x256x64xf16>
  } : tensor<2x256x64xf16>
  return %0 : tensor<2x256x64xf16>
}

// -----

func.func @f(%q: tensor<2x256x64xf16>, %k: tensor<2x256x64xf16>, %v: tensor<2x256x64xf16>) -> tensor<2x256x64xf16> {
  // expected-error @+1 {{attention schedule of @d: stages = 8 of 128 keys need 294912 bytes of shared memory, expected 2 or more stages in 232448}}
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = attention, mma = mma_sync, stages = 8, tile = [64, 128]>) ins(%q, %k, %v : tensor<2x256x64xf16>, tensor<2x256x64xf16>, tensor<2x256x64xf16>) {
  ^bb0(%a: tensor<2x256x64xf16>, %b: tensor<2x256x64xf16>, %c: tensor<2x256x64xf16>):
    %1 = aten.scaled_dot_product_attention %a, %b, %c : (tensor<2x256x64xf16>, tensor<2x256x64xf16>, tensor<2x256x64xf16>) -> tensor<2x256x64xf16>
    kgen.yield %1 : tensor<2x256x64xf16>
  } : tensor<2x256x64xf16>
  return %0 : tensor<2x256x64xf16>
}

// -----

func.func @f(%q: tensor<2x256x64xf16>, %k: tensor<2x256x64xf16>, %v: tensor<2x256x64xf16>) -> tensor<2x256x64xf16> {
  // expected-error @+1 {{schedule key 'mma' of family attention expected one of none, mma_sync, wgmma, found "wmma"}}
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = attention, mma = wmma>) ins(%q, %k, %v : tensor<2x256x64xf16>, tensor<2x256x64xf16>, tensor<2x256x64xf16>) {
  ^bb0(%a: tensor<2x256x64xf16>, %b: tensor<2x256x64xf16>, %c: tensor<2x256x64xf16>):
    %1 = aten.scaled_dot_product_attention %a, %b, %c : (tensor<2x256x64xf16>, tensor<2x256x64xf16>, tensor<2x256x64xf16>) -> tensor<2x256x64xf16>
    kgen.yield %1 : tensor<2x256x64xf16>
  } : tensor<2x256x64xf16>
  return %0 : tensor<2x256x64xf16>
}

// -----

func.func @f(%q: tensor<2x256x64xf16>, %k: tensor<2x256x64xf16>, %v: tensor<2x256x64xf16>) -> tensor<2x256x64xf16> {
  // expected-error @+1 {{attention schedule of @d: dtype = bf16, expected fp16, the type of the queries}}
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = attention, mma = mma_sync, dtype = bf16>) ins(%q, %k, %v : tensor<2x256x64xf16>, tensor<2x256x64xf16>, tensor<2x256x64xf16>) {
  ^bb0(%a: tensor<2x256x64xf16>, %b: tensor<2x256x64xf16>, %c: tensor<2x256x64xf16>):
    %1 = aten.scaled_dot_product_attention %a, %b, %c : (tensor<2x256x64xf16>, tensor<2x256x64xf16>, tensor<2x256x64xf16>) -> tensor<2x256x64xf16>
    kgen.yield %1 : tensor<2x256x64xf16>
  } : tensor<2x256x64xf16>
  return %0 : tensor<2x256x64xf16>
}

// -----

module attributes {kgen.precision = "strict-fp32"} {
func.func @f(%q: tensor<2x256x64xf32>, %k: tensor<2x256x64xf32>, %v: tensor<2x256x64xf32>) -> tensor<2x256x64xf32> {
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = attention, mma = mma_sync>) ins(%q, %k, %v : tensor<2x256x64xf32>, tensor<2x256x64xf32>, tensor<2x256x64xf32>) {
  ^bb0(%a: tensor<2x256x64xf32>, %b: tensor<2x256x64xf32>, %c: tensor<2x256x64xf32>):
    // expected-error @+1 {{works on 'f32' in precision class strict-fp32, which tensor cores round}}
    %1 = aten.scaled_dot_product_attention %a, %b, %c : (tensor<2x256x64xf32>, tensor<2x256x64xf32>, tensor<2x256x64xf32>) -> tensor<2x256x64xf32>
    kgen.yield %1 : tensor<2x256x64xf32>
  } : tensor<2x256x64xf32>
  return %0 : tensor<2x256x64xf32>
}
}

// -----

// In class tf32 fp32 is taken, at multiples of 8.
func.func @f(%q: tensor<2x256x68xf32>) -> tensor<2x256x68xf32> {
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = attention, mma = mma_sync>) ins(%q : tensor<2x256x68xf32>) {
  ^bb0(%a: tensor<2x256x68xf32>):
    // expected-error @+1 {{has heads of 68 and values of 68 elements, expected the same multiple of 8, at most 128}}
    %1 = aten.scaled_dot_product_attention %a, %a, %a : (tensor<2x256x68xf32>, tensor<2x256x68xf32>, tensor<2x256x68xf32>) -> tensor<2x256x68xf32>
    kgen.yield %1 : tensor<2x256x68xf32>
  } : tensor<2x256x68xf32>
  return %0 : tensor<2x256x68xf32>
}

// -----

func.func @f(%q: tensor<2x256x64xf16>, %m: tensor<256x256xi1>) -> tensor<2x256x64xf16> {
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = attention, mma = wgmma>) ins(%q, %m : tensor<2x256x64xf16>, tensor<256x256xi1>) {
  ^bb0(%a: tensor<2x256x64xf16>, %b: tensor<256x256xi1>):
    // expected-error @+1 {{has a mask, which attention by wgmma does not read}}
    %1 = aten.scaled_dot_product_attention %a, %a, %a attn_mask %b : (tensor<2x256x64xf16>, tensor<2x256x64xf16>, tensor<2x256x64xf16>, tensor<256x256xi1>) -> tensor<2x256x64xf16>
    kgen.yield %1 : tensor<2x256x64xf16>
  } : tensor<2x256x64xf16>
  return %0 : tensor<2x256x64xf16>
}

// -----

// Of views, those are read that strides describe.
func.func @f(%q: tensor<256x2x16xf16>) -> tensor<2x256x16xf16> {
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = attention, mma = mma_sync>) ins(%q : tensor<256x2x16xf16>) {
  ^bb0(%a: tensor<256x2x16xf16>):
    %s = aten.flip %a dims [2] : (tensor<256x2x16xf16>) -> tensor<256x2x16xf16>
    // expected-error @-1 {{has no place in an attention kernel: expected one scaled_dot_product_attention alone}}
    %t = aten.transpose.int %s dim0 0 dim1 1 : (tensor<256x2x16xf16>) -> tensor<2x256x16xf16>
    %1 = aten.scaled_dot_product_attention %t, %t, %t : (tensor<2x256x16xf16>, tensor<2x256x16xf16>, tensor<2x256x16xf16>) -> tensor<2x256x16xf16>
    kgen.yield %1 : tensor<2x256x16xf16>
  } : tensor<2x256x16xf16>
  return %0 : tensor<2x256x16xf16>
}

// -----

// Neither are slices whose rows begin anywhere, nor every second element of a row.
func.func @f(%q: tensor<256x2x36xf16>) -> tensor<2x256x16xf16> {
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = attention, mma = mma_sync>) ins(%q : tensor<256x2x36xf16>) {
  ^bb0(%a: tensor<256x2x36xf16>):
    %s = aten.narrow %a dim 2 start 1 length 16 : (tensor<256x2x36xf16>) -> tensor<256x2x16xf16>
    %t = aten.transpose.int %s dim0 0 dim1 1 : (tensor<256x2x16xf16>) -> tensor<2x256x16xf16>
    // expected-error @+1 {{reads rows that do not begin at multiples of 16 bytes}}
    %1 = aten.scaled_dot_product_attention %t, %t, %t : (tensor<2x256x16xf16>, tensor<2x256x16xf16>, tensor<2x256x16xf16>) -> tensor<2x256x16xf16>
    kgen.yield %1 : tensor<2x256x16xf16>
  } : tensor<2x256x16xf16>
  return %0 : tensor<2x256x16xf16>
}

// -----

func.func @f(%q: tensor<256x2x32xf16>) -> tensor<2x256x16xf16> {
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = attention, mma = mma_sync>) ins(%q : tensor<256x2x32xf16>) {
  ^bb0(%a: tensor<256x2x32xf16>):
    %s = aten.slice.Tensor %a dim 2 step 2 : (tensor<256x2x32xf16>) -> tensor<256x2x16xf16>
    %t = aten.transpose.int %s dim0 0 dim1 1 : (tensor<256x2x16xf16>) -> tensor<2x256x16xf16>
    // expected-error @+1 {{reads rows that are not an input's, one stride apart}}
    %1 = aten.scaled_dot_product_attention %t, %t, %t : (tensor<2x256x16xf16>, tensor<2x256x16xf16>, tensor<2x256x16xf16>) -> tensor<2x256x16xf16>
    kgen.yield %1 : tensor<2x256x16xf16>
  } : tensor<2x256x16xf16>
  return %0 : tensor<2x256x16xf16>
}

// -----

// A result whose rows lie across is not written through its permutation.
func.func @f(%q: tensor<2x256x16xf16>) -> tensor<2x16x256xf16> {
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = attention, mma = mma_sync>) ins(%q : tensor<2x256x16xf16>) {
  ^bb0(%a: tensor<2x256x16xf16>):
    %1 = aten.scaled_dot_product_attention %a, %a, %a : (tensor<2x256x16xf16>, tensor<2x256x16xf16>, tensor<2x256x16xf16>) -> tensor<2x256x16xf16>
    // expected-error @+1 {{leaves no rows of a head one stride apart}}
    %2 = aten.transpose.int %1 dim0 1 dim1 2 : (tensor<2x256x16xf16>) -> tensor<2x16x256xf16>
    kgen.yield %2 : tensor<2x16x256xf16>
  } : tensor<2x16x256xf16>
  return %0 : tensor<2x16x256xf16>
}

// -----

func.func @f(%q: tensor<2x256x72xf16>, %k: tensor<2x256x72xf16>, %v: tensor<2x256x72xf16>) -> tensor<2x256x72xf16> {
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = attention, mma = mma_sync>) ins(%q, %k, %v : tensor<2x256x72xf16>, tensor<2x256x72xf16>, tensor<2x256x72xf16>) {
  ^bb0(%a: tensor<2x256x72xf16>, %b: tensor<2x256x72xf16>, %c: tensor<2x256x72xf16>):
    // expected-error @+1 {{has heads of 72 and values of 72 elements, expected the same multiple of 16, at most 256}}
    %1 = aten.scaled_dot_product_attention %a, %b, %c : (tensor<2x256x72xf16>, tensor<2x256x72xf16>, tensor<2x256x72xf16>) -> tensor<2x256x72xf16>
    kgen.yield %1 : tensor<2x256x72xf16>
  } : tensor<2x256x72xf16>
  return %0 : tensor<2x256x72xf16>
}

// -----

func.func @f(%q: tensor<2x256x64xf16>, %k: tensor<2x256x64xf16>, %v: tensor<2x256x64xf16>) -> tensor<2x256x64xf16> {
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = attention, mma = mma_sync>) ins(%q, %k, %v : tensor<2x256x64xf16>, tensor<2x256x64xf16>, tensor<2x256x64xf16>) {
  ^bb0(%a: tensor<2x256x64xf16>, %b: tensor<2x256x64xf16>, %c: tensor<2x256x64xf16>):
    // expected-error @+1 {{has no place in an attention kernel: expected one scaled_dot_product_attention alone}}
    %1 = aten.relu %a : (tensor<2x256x64xf16>) -> tensor<2x256x64xf16>
    kgen.yield %1 : tensor<2x256x64xf16>
  } : tensor<2x256x64xf16>
  return %0 : tensor<2x256x64xf16>
}

// -----

func.func @f(%q: tensor<2x256x64xf16>, %k: tensor<2x256x64xf16>, %v: tensor<2x256x64xf16>) -> tensor<2x256x64xf16> {
  // expected-error @+1 {{schedule key 'tile' of attention/simt expected [a multiple of 16 from 16 to 4096, a multiple of 16 from 16 to 4096], found [64, 40]}}
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = attention, mma = none, tile = [64, 40]>) ins(%q, %k, %v : tensor<2x256x64xf16>, tensor<2x256x64xf16>, tensor<2x256x64xf16>) {
  ^bb0(%a: tensor<2x256x64xf16>, %b: tensor<2x256x64xf16>, %c: tensor<2x256x64xf16>):
    %1 = aten.scaled_dot_product_attention %a, %b, %c : (tensor<2x256x64xf16>, tensor<2x256x64xf16>, tensor<2x256x64xf16>) -> tensor<2x256x64xf16>
    kgen.yield %1 : tensor<2x256x64xf16>
  } : tensor<2x256x64xf16>
  return %0 : tensor<2x256x64xf16>
}

// -----

func.func @f(%q: tensor<2x256x128xf32>, %k: tensor<2x256x128xf32>, %v: tensor<2x256x128xf32>) -> tensor<2x256x128xf32> {
  // expected-error @+1 {{attention schedule of @d: tile [256, 64] holds 192 registers of scores and results in a thread, at most 160 fit}}
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = attention, mma = none, tile = [256, 64]>) ins(%q, %k, %v : tensor<2x256x128xf32>, tensor<2x256x128xf32>, tensor<2x256x128xf32>) {
  ^bb0(%a: tensor<2x256x128xf32>, %b: tensor<2x256x128xf32>, %c: tensor<2x256x128xf32>):
    %1 = aten.scaled_dot_product_attention %a, %b, %c : (tensor<2x256x128xf32>, tensor<2x256x128xf32>, tensor<2x256x128xf32>) -> tensor<2x256x128xf32>
    kgen.yield %1 : tensor<2x256x128xf32>
  } : tensor<2x256x128xf32>
  return %0 : tensor<2x256x128xf32>
}

// -----

func.func @f(%q: tensor<2x256x64xf32>, %k: tensor<2x256x64xf32>, %v: tensor<2x256x64xf32>) -> tensor<2x256x64xf32> {
  // expected-error @+1 {{attention schedule of @d: tile [16, 1024] needs 336000 bytes of shared memory, expected at most 232448}}
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = attention, mma = none, tile = [16, 1024]>) ins(%q, %k, %v : tensor<2x256x64xf32>, tensor<2x256x64xf32>, tensor<2x256x64xf32>) {
  ^bb0(%a: tensor<2x256x64xf32>, %b: tensor<2x256x64xf32>, %c: tensor<2x256x64xf32>):
    %1 = aten.scaled_dot_product_attention %a, %b, %c : (tensor<2x256x64xf32>, tensor<2x256x64xf32>, tensor<2x256x64xf32>) -> tensor<2x256x64xf32>
    kgen.yield %1 : tensor<2x256x64xf32>
  } : tensor<2x256x64xf32>
  return %0 : tensor<2x256x64xf32>
}

// -----

func.func @f(%q: tensor<2x256x64xf16>, %k: tensor<2x256x64xf16>, %v: tensor<2x256x64xf16>) -> tensor<2x256x64xf16> {
  // expected-error @+1 {{schedule key 'tile' of attention/wgmma expected [a multiple of 64 from 64 to 192, one of 16, 32, 48, 64, 80, 96, 112, 128, 160, 192, 224, 256], found [96, 64]}}
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = attention, mma = wgmma, tile = [96, 64]>) ins(%q, %k, %v : tensor<2x256x64xf16>, tensor<2x256x64xf16>, tensor<2x256x64xf16>) {
  ^bb0(%a: tensor<2x256x64xf16>, %b: tensor<2x256x64xf16>, %c: tensor<2x256x64xf16>):
    %1 = aten.scaled_dot_product_attention %a, %b, %c : (tensor<2x256x64xf16>, tensor<2x256x64xf16>, tensor<2x256x64xf16>) -> tensor<2x256x64xf16>
    kgen.yield %1 : tensor<2x256x64xf16>
  } : tensor<2x256x64xf16>
  return %0 : tensor<2x256x64xf16>
}

// -----

func.func @f(%q: tensor<2x256x64xf16>, %k: tensor<2x256x64xf16>, %v: tensor<2x256x64xf16>) -> tensor<2x256x64xf16> {
  // expected-error @+1 {{schedule key 'tile' of attention/wgmma expected [a multiple of 64 from 64 to 192, one of 16, 32, 48, 64, 80, 96, 112, 128, 160, 192, 224, 256], found [128, 72]}}
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = attention, mma = wgmma, tile = [128, 72]>) ins(%q, %k, %v : tensor<2x256x64xf16>, tensor<2x256x64xf16>, tensor<2x256x64xf16>) {
  ^bb0(%a: tensor<2x256x64xf16>, %b: tensor<2x256x64xf16>, %c: tensor<2x256x64xf16>):
    %1 = aten.scaled_dot_product_attention %a, %b, %c : (tensor<2x256x64xf16>, tensor<2x256x64xf16>, tensor<2x256x64xf16>) -> tensor<2x256x64xf16>
    kgen.yield %1 : tensor<2x256x64xf16>
  } : tensor<2x256x64xf16>
  return %0 : tensor<2x256x64xf16>
}

// -----

func.func @f(%q: tensor<2x256x64xf16>, %k: tensor<2x256x64xf16>, %v: tensor<2x256x64xf16>) -> tensor<2x256x64xf16> {
  // expected-error @+1 {{attention schedule of @d: tile [192, 160] holds 152 registers of scores, weights and results in a thread, at most 130 fit}}
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = attention, mma = wgmma, tile = [192, 160]>) ins(%q, %k, %v : tensor<2x256x64xf16>, tensor<2x256x64xf16>, tensor<2x256x64xf16>) {
  ^bb0(%a: tensor<2x256x64xf16>, %b: tensor<2x256x64xf16>, %c: tensor<2x256x64xf16>):
    %1 = aten.scaled_dot_product_attention %a, %b, %c : (tensor<2x256x64xf16>, tensor<2x256x64xf16>, tensor<2x256x64xf16>) -> tensor<2x256x64xf16>
    kgen.yield %1 : tensor<2x256x64xf16>
  } : tensor<2x256x64xf16>
  return %0 : tensor<2x256x64xf16>
}

// -----

func.func @f(%q: tensor<2x256x128xf16>, %k: tensor<2x256x128xf16>, %v: tensor<2x256x128xf16>) -> tensor<2x256x128xf16> {
  // expected-error @+1 {{attention schedule of @d: stages = 4 of 128 keys need 295072 bytes of shared memory, expected 2 or more stages in 232448}}
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = attention, mma = wgmma, tile = [128, 128], stages = 4>) ins(%q, %k, %v : tensor<2x256x128xf16>, tensor<2x256x128xf16>, tensor<2x256x128xf16>) {
  ^bb0(%a: tensor<2x256x128xf16>, %b: tensor<2x256x128xf16>, %c: tensor<2x256x128xf16>):
    %1 = aten.scaled_dot_product_attention %a, %b, %c : (tensor<2x256x128xf16>, tensor<2x256x128xf16>, tensor<2x256x128xf16>) -> tensor<2x256x128xf16>
    kgen.yield %1 : tensor<2x256x128xf16>
  } : tensor<2x256x128xf16>
  return %0 : tensor<2x256x128xf16>
}

// -----

func.func @f(%q: tensor<2x256x64xf16>, %k: tensor<2x256x64xf16>, %v: tensor<2x256x64xf16>) -> tensor<2x256x64xf16> {
  // expected-error @+1 {{attention schedule of @d: pingpong = on with a tile of 64 queries, expected two warpgroups or more to take turns}}
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = attention, mma = wgmma, tile = [64, 64], pingpong = on>) ins(%q, %k, %v : tensor<2x256x64xf16>, tensor<2x256x64xf16>, tensor<2x256x64xf16>) {
  ^bb0(%a: tensor<2x256x64xf16>, %b: tensor<2x256x64xf16>, %c: tensor<2x256x64xf16>):
    %1 = aten.scaled_dot_product_attention %a, %b, %c : (tensor<2x256x64xf16>, tensor<2x256x64xf16>, tensor<2x256x64xf16>) -> tensor<2x256x64xf16>
    kgen.yield %1 : tensor<2x256x64xf16>
  } : tensor<2x256x64xf16>
  return %0 : tensor<2x256x64xf16>
}

// -----

func.func @f(%q: tensor<2x256x64xf16>, %k: tensor<2x256x64xf16>, %v: tensor<2x256x64xf16>) -> tensor<2x256x64xf16> {
  // expected-error @+1 {{attention schedule of @d: consumers = 3 with a tile of 128 queries, expected one for each 64}}
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = attention, mma = wgmma, tile = [128, 64], consumers = 3>) ins(%q, %k, %v : tensor<2x256x64xf16>, tensor<2x256x64xf16>, tensor<2x256x64xf16>) {
  ^bb0(%a: tensor<2x256x64xf16>, %b: tensor<2x256x64xf16>, %c: tensor<2x256x64xf16>):
    %1 = aten.scaled_dot_product_attention %a, %b, %c : (tensor<2x256x64xf16>, tensor<2x256x64xf16>, tensor<2x256x64xf16>) -> tensor<2x256x64xf16>
    kgen.yield %1 : tensor<2x256x64xf16>
  } : tensor<2x256x64xf16>
  return %0 : tensor<2x256x64xf16>
}

// -----

func.func @f(%q: tensor<2x256x64xf16>, %k: tensor<2x256x64xf16>, %v: tensor<2x256x64xf16>) -> tensor<2x256x64xf16> {
  // expected-error @+1 {{schedule key 'pipeline' of attention/wgmma expected tma, found "cp_async"}}
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = attention, mma = wgmma, pipeline = cp_async>) ins(%q, %k, %v : tensor<2x256x64xf16>, tensor<2x256x64xf16>, tensor<2x256x64xf16>) {
  ^bb0(%a: tensor<2x256x64xf16>, %b: tensor<2x256x64xf16>, %c: tensor<2x256x64xf16>):
    %1 = aten.scaled_dot_product_attention %a, %b, %c : (tensor<2x256x64xf16>, tensor<2x256x64xf16>, tensor<2x256x64xf16>) -> tensor<2x256x64xf16>
    kgen.yield %1 : tensor<2x256x64xf16>
  } : tensor<2x256x64xf16>
  return %0 : tensor<2x256x64xf16>
}

// -----

// A tensor map has one stride for the heads.
func.func @f(%q: tensor<4x256x64xf16>, %k: tensor<2x1x256x64xf16>) -> tensor<4x256x64xf16> {
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = attention, mma = wgmma>) ins(%q, %k : tensor<4x256x64xf16>, tensor<2x1x256x64xf16>) {
  ^bb0(%a: tensor<4x256x64xf16>, %b: tensor<2x1x256x64xf16>):
    %w = aten.expand %b size [2, 2, 256, 64] : (tensor<2x1x256x64xf16>) -> tensor<2x2x256x64xf16>
    %k4 = aten.reshape %w shape [4, 256, 64] : (tensor<2x2x256x64xf16>) -> tensor<4x256x64xf16>
    // expected-error @+1 {{reads heads that are not one stride apart, a multiple of 16 bytes, which attention by wgmma does not}}
    %1 = aten.scaled_dot_product_attention %a, %k4, %a : (tensor<4x256x64xf16>, tensor<4x256x64xf16>, tensor<4x256x64xf16>) -> tensor<4x256x64xf16>
    kgen.yield %1 : tensor<4x256x64xf16>
  } : tensor<4x256x64xf16>
  return %0 : tensor<4x256x64xf16>
}

// -----

func.func @f(%q: tensor<4x64x64xf16>) -> tensor<4x64x64xf16> {
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = attention, mma = none>) ins(%q : tensor<4x64x64xf16>) {
  ^bb0(%a: tensor<4x64x64xf16>):
    %t = aten.transpose.int %a dim0 1 dim1 2 : (tensor<4x64x64xf16>) -> tensor<4x64x64xf16>
    // expected-error @+1 {{reads rows that are not an input's, one stride apart}}
    %1 = aten.scaled_dot_product_attention %a, %t, %a : (tensor<4x64x64xf16>, tensor<4x64x64xf16>, tensor<4x64x64xf16>) -> tensor<4x64x64xf16>
    kgen.yield %1 : tensor<4x64x64xf16>
  } : tensor<4x64x64xf16>
  return %0 : tensor<4x64x64xf16>
}

// -----

func.func @f(%q: tensor<2x256x64xf16>, %k: tensor<2x256x64xf16>, %v: tensor<2x256x64xf16>) -> tensor<2x256x64xf16> {
  // expected-error @+1 {{attention schedule of @d: split_keys = 9, expected at most 8, the tiles of 32 keys}}
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = attention, split_keys = 9>) ins(%q, %k, %v : tensor<2x256x64xf16>, tensor<2x256x64xf16>, tensor<2x256x64xf16>) {
  ^bb0(%a: tensor<2x256x64xf16>, %b: tensor<2x256x64xf16>, %c: tensor<2x256x64xf16>):
    %1 = aten.scaled_dot_product_attention %a, %b, %c : (tensor<2x256x64xf16>, tensor<2x256x64xf16>, tensor<2x256x64xf16>) -> tensor<2x256x64xf16>
    kgen.yield %1 : tensor<2x256x64xf16>
  } : tensor<2x256x64xf16>
  return %0 : tensor<2x256x64xf16>
}

// -----

func.func @f(%q: tensor<2x256x64xf16>, %k: tensor<2x256x64xf16>, %v: tensor<2x256x64xf16>) -> tensor<2x256x64xf16> {
  // expected-error @+1 {{attention schedule of @d: split_at = cluster needs sm_90a and 2 to 8 parts, found 16 on sm_90a}}
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = attention, split_keys = 16, split_at = cluster>) ins(%q, %k, %v : tensor<2x256x64xf16>, tensor<2x256x64xf16>, tensor<2x256x64xf16>) {
  ^bb0(%a: tensor<2x256x64xf16>, %b: tensor<2x256x64xf16>, %c: tensor<2x256x64xf16>):
    %1 = aten.scaled_dot_product_attention %a, %b, %c : (tensor<2x256x64xf16>, tensor<2x256x64xf16>, tensor<2x256x64xf16>) -> tensor<2x256x64xf16>
    kgen.yield %1 : tensor<2x256x64xf16>
  } : tensor<2x256x64xf16>
  return %0 : tensor<2x256x64xf16>
}

// -----

func.func @f(%q: tensor<2x256x64xf16>, %k: tensor<2x256x64xf16>, %v: tensor<2x256x64xf16>) -> tensor<2x256x64xf16> {
  // expected-error @+1 {{schedule key 'split_keys' is not taken by attention/mma_sync and attention/wgmma}}
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = attention, split_keys = 4, stages = 2>) ins(%q, %k, %v : tensor<2x256x64xf16>, tensor<2x256x64xf16>, tensor<2x256x64xf16>) {
  ^bb0(%a: tensor<2x256x64xf16>, %b: tensor<2x256x64xf16>, %c: tensor<2x256x64xf16>):
    %1 = aten.scaled_dot_product_attention %a, %b, %c : (tensor<2x256x64xf16>, tensor<2x256x64xf16>, tensor<2x256x64xf16>) -> tensor<2x256x64xf16>
    kgen.yield %1 : tensor<2x256x64xf16>
  } : tensor<2x256x64xf16>
  return %0 : tensor<2x256x64xf16>
}

// -----

func.func @f(%q: tensor<2x256x64xf16>, %k: tensor<2x256x64xf16>, %v: tensor<2x256x64xf16>) -> tensor<2x256x64xf16> {
  // expected-error @+1 {{attention schedule of @d: block = 512 needs 294912 bytes of shared memory for a tile of each warp, expected at most 232448}}
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = attention, split_keys = 2, block = 512, warp_tile = [16, 64]>) ins(%q, %k, %v : tensor<2x256x64xf16>, tensor<2x256x64xf16>, tensor<2x256x64xf16>) {
  ^bb0(%a: tensor<2x256x64xf16>, %b: tensor<2x256x64xf16>, %c: tensor<2x256x64xf16>):
    %1 = aten.scaled_dot_product_attention %a, %b, %c : (tensor<2x256x64xf16>, tensor<2x256x64xf16>, tensor<2x256x64xf16>) -> tensor<2x256x64xf16>
    kgen.yield %1 : tensor<2x256x64xf16>
  } : tensor<2x256x64xf16>
  return %0 : tensor<2x256x64xf16>
}
