// RUN: kgen-opt %s -split-input-file -verify-diagnostics -kgen-lower-dispatches
// RUN: not kgen-opt %s -split-input-file -kgen-lower-dispatches='arch=sm_89' 2>&1 | FileCheck %s --check-prefix=ARCH
// ARCH: mma = wgmma needs sm_90a, the chip is sm_89

func.func @stages(%a: tensor<512x512xf16>, %b: tensor<512x512xf16>) -> tensor<512x512xf16> {
  // expected-error @below {{the tiles of 5 stages take 278608 bytes of shared memory, sm_90a has 232448}}
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = gemm, mma = wgmma, tile = [128, 256, 64], stages = 5>)
      ins(%a, %b : tensor<512x512xf16>, tensor<512x512xf16>) {
  ^bb0(%l: tensor<512x512xf16>, %r: tensor<512x512xf16>):
    %m = aten.mm %l, %r : (tensor<512x512xf16>, tensor<512x512xf16>) -> tensor<512x512xf16>
    kgen.yield %m : tensor<512x512xf16>
  } : tensor<512x512xf16>
  return %0 : tensor<512x512xf16>
}

// -----

func.func @rows(%a: tensor<512x512xf16>, %b: tensor<512x512xf16>) -> tensor<512x512xf16> {
  // expected-error @below {{a tile of 2 consumers has a multiple of 128 rows, at most 256, found 192}}
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = gemm, mma = wgmma, tile = [192, 128, 64], consumers = 2>)
      ins(%a, %b : tensor<512x512xf16>, tensor<512x512xf16>) {
  ^bb0(%l: tensor<512x512xf16>, %r: tensor<512x512xf16>):
    %m = aten.mm %l, %r : (tensor<512x512xf16>, tensor<512x512xf16>) -> tensor<512x512xf16>
    kgen.yield %m : tensor<512x512xf16>
  } : tensor<512x512xf16>
  return %0 : tensor<512x512xf16>
}

// -----

func.func @registers(%a: tensor<512x512xf16>, %b: tensor<512x512xf16>) -> tensor<512x512xf16> {
  // expected-error @below {{reg_split asks for 520 registers (40 + 2 * 240), 3 warpgroups have 504}}
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = gemm, mma = wgmma, tile = [128, 256, 64], reg_split = [40, 240]>)
      ins(%a, %b : tensor<512x512xf16>, tensor<512x512xf16>) {
  ^bb0(%l: tensor<512x512xf16>, %r: tensor<512x512xf16>):
    %m = aten.mm %l, %r : (tensor<512x512xf16>, tensor<512x512xf16>) -> tensor<512x512xf16>
    kgen.yield %m : tensor<512x512xf16>
  } : tensor<512x512xf16>
  return %0 : tensor<512x512xf16>
}

// -----

func.func @accumulators(%a: tensor<512x512xf16>, %b: tensor<512x512xf16>) -> tensor<512x512xf16> {
  // expected-error @below {{the tile needs 256 accumulators and about 40 other registers in a thread, reg_split gives 232}}
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = gemm, mma = wgmma, tile = [256, 256, 64], consumers = 2, stages = 2>)
      ins(%a, %b : tensor<512x512xf16>, tensor<512x512xf16>) {
  ^bb0(%l: tensor<512x512xf16>, %r: tensor<512x512xf16>):
    %m = aten.mm %l, %r : (tensor<512x512xf16>, tensor<512x512xf16>) -> tensor<512x512xf16>
    kgen.yield %m : tensor<512x512xf16>
  } : tensor<512x512xf16>
  return %0 : tensor<512x512xf16>
}

// -----

func.func @alignment(%a: tensor<512x51xf16>, %b: tensor<51x512xf16>) -> tensor<512x512xf16> {
  // expected-error @below {{tensor maps need rows of a multiple of 16 bytes: the left operand has rows of 51 16-bit elements; mma = mma_sync takes any length}}
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = gemm, mma = wgmma>)
      ins(%a, %b : tensor<512x51xf16>, tensor<51x512xf16>) {
  ^bb0(%l: tensor<512x51xf16>, %r: tensor<51x512xf16>):
    %m = aten.mm %l, %r : (tensor<512x51xf16>, tensor<51x512xf16>) -> tensor<512x512xf16>
    kgen.yield %m : tensor<512x512xf16>
  } : tensor<512x512xf16>
  return %0 : tensor<512x512xf16>
}

// -----

module attributes {kgen.precision = "strict-fp32"} {
func.func @precision(%a: tensor<512x512xf32>, %b: tensor<512x512xf32>) -> tensor<512x512xf32> {
  // expected-error @below {{expected split_precision = fp16x3 within precision class strict-fp32, found none}}
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = gemm, mma = wgmma, split_precision = none>)
      ins(%a, %b : tensor<512x512xf32>, tensor<512x512xf32>) {
  ^bb0(%l: tensor<512x512xf32>, %r: tensor<512x512xf32>):
    %m = aten.mm %l, %r : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
    kgen.yield %m : tensor<512x512xf32>
  } : tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
}
}

// -----

func.func @together(%a: tensor<512x512xf16>, %b: tensor<512x512xf16>) -> tensor<512x512xf16> {
  // expected-error @below {{schedule key 'pipeline' of gemm/mma_sync and gemm/stream expected cp_async, found "tma"}}
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = gemm, mma = mma_sync, pipeline = tma>)
      ins(%a, %b : tensor<512x512xf16>, tensor<512x512xf16>) {
  ^bb0(%l: tensor<512x512xf16>, %r: tensor<512x512xf16>):
    %m = aten.mm %l, %r : (tensor<512x512xf16>, tensor<512x512xf16>) -> tensor<512x512xf16>
    kgen.yield %m : tensor<512x512xf16>
  } : tensor<512x512xf16>
  return %0 : tensor<512x512xf16>
}

// -----

func.func @waits(%a: tensor<512x512xf16>, %b: tensor<512x512xf16>) -> tensor<512x512xf16> {
  // expected-error @below {{overlap = on keeps results that leave by store = tma, found store = direct}}
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = gemm, mma = wgmma, store = direct, overlap = on>)
      ins(%a, %b : tensor<512x512xf16>, tensor<512x512xf16>) {
  ^bb0(%l: tensor<512x512xf16>, %r: tensor<512x512xf16>):
    %m = aten.mm %l, %r : (tensor<512x512xf16>, tensor<512x512xf16>) -> tensor<512x512xf16>
    kgen.yield %m : tensor<512x512xf16>
  } : tensor<512x512xf16>
  return %0 : tensor<512x512xf16>
}

// -----

func.func @slices(%a: tensor<512x384xf16>, %b: tensor<384x512xf16>) -> tensor<512x512xf16> {
  // expected-error @below {{split_k = 4 leaves a slice empty: k has 6 tiles of 64}}
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = gemm, mma = wgmma, split_k = 4>)
      ins(%a, %b : tensor<512x384xf16>, tensor<384x512xf16>) {
  ^bb0(%l: tensor<512x384xf16>, %r: tensor<384x512xf16>):
    %m = aten.mm %l, %r : (tensor<512x384xf16>, tensor<384x512xf16>) -> tensor<512x512xf16>
    kgen.yield %m : tensor<512x512xf16>
  } : tensor<512x512xf16>
  return %0 : tensor<512x512xf16>
}

// -----

func.func @transposed(%a: tensor<512x384xf32>, %b: tensor<384x512xf32>) -> tensor<512x512xf32> {
  // expected-error @below {{convert_at = registers of the right operand computes the transposed result, which leaves directly or in slices: expected store = direct, found tma}}
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = gemm, mma = wgmma, dtype = tf32, convert_at = registers, split_k = 1, store = tma>)
      ins(%a, %b : tensor<512x384xf32>, tensor<384x512xf32>) {
  ^bb0(%l: tensor<512x384xf32>, %r: tensor<384x512xf32>):
    %m = aten.mm %l, %r : (tensor<512x384xf32>, tensor<384x512xf32>) -> tensor<512x512xf32>
    kgen.yield %m : tensor<512x512xf32>
  } : tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
}

// -----

func.func @rows_across(%a: tensor<512x384xf32>, %b: tensor<384x510xf32>) -> tensor<512x510xf32> {
  // expected-error @below {{convert_at = registers needs an operand with rows across k, of a multiple of 16 bytes}}
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = gemm, mma = wgmma, dtype = tf32, convert_at = registers>)
      ins(%a, %b : tensor<512x384xf32>, tensor<384x510xf32>) {
  ^bb0(%l: tensor<512x384xf32>, %r: tensor<384x510xf32>):
    %m = aten.mm %l, %r : (tensor<512x384xf32>, tensor<384x510xf32>) -> tensor<512x510xf32>
    kgen.yield %m : tensor<512x510xf32>
  } : tensor<512x510xf32>
  return %0 : tensor<512x510xf32>
}

// -----

func.func @inflight(%a: tensor<384x512xf32>, %b: tensor<512x384xf32>) -> tensor<512x512xf32> {
  // expected-error @below {{convert_at = registers fills them while no products are in flight: expected mma_inflight = 0, found 1}}
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = gemm, mma = wgmma, dtype = tf32, convert_at = registers, mma_inflight = 1>)
      ins(%a, %b : tensor<384x512xf32>, tensor<512x384xf32>) {
  ^bb0(%l: tensor<384x512xf32>, %r: tensor<512x384xf32>):
    %t = aten.numpy_T %l : (tensor<384x512xf32>) -> tensor<512x384xf32>
    %m = aten.linear %t, %r : (tensor<512x384xf32>, tensor<512x384xf32>) -> tensor<512x512xf32>
    kgen.yield %m : tensor<512x512xf32>
  } : tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
}

// -----

func.func @halves(%a: tensor<512x383xf32>, %b: tensor<383x510xf32>) -> tensor<512x510xf32> {
  // expected-error @below {{convert_at = registers with dtype = fp16 needs an operand with rows of a multiple of 16 bytes}}
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = gemm, mma = wgmma, dtype = fp16, convert_at = registers>)
      ins(%a, %b : tensor<512x383xf32>, tensor<383x510xf32>) {
  ^bb0(%l: tensor<512x383xf32>, %r: tensor<383x510xf32>):
    %m = aten.mm %l, %r : (tensor<512x383xf32>, tensor<383x510xf32>) -> tensor<512x510xf32>
    kgen.yield %m : tensor<512x510xf32>
  } : tensor<512x510xf32>
  return %0 : tensor<512x510xf32>
}

// -----

func.func @powers(%a: tensor<512x8192xf32>, %b: tensor<8192x512xf32>) -> tensor<512x512xf32> {
  // expected-error @below {{convert_at = registers with dtype = fp16 keeps the powers of two of a tile's rows with its sums: expected split_k = 1, found 4}}
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = gemm, mma = wgmma, dtype = fp16, convert_at = registers, split_k = 4>)
      ins(%a, %b : tensor<512x8192xf32>, tensor<8192x512xf32>) {
  ^bb0(%l: tensor<512x8192xf32>, %r: tensor<8192x512xf32>):
    %m = aten.mm %l, %r : (tensor<512x8192xf32>, tensor<8192x512xf32>) -> tensor<512x512xf32>
    kgen.yield %m : tensor<512x512xf32>
  } : tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
}

// -----

func.func @chains(%a: tensor<512x8192xf32>, %b: tensor<8192x512xf32>) -> tensor<512x512xf32> {
  // expected-error @below {{convert_at = registers with dtype = fp16 keeps all sums under one power of two of their row: expected promote_k = 0, found 128}}
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = gemm, mma = wgmma, dtype = fp16, convert_at = registers, promote_k = 128>)
      ins(%a, %b : tensor<512x8192xf32>, tensor<8192x512xf32>) {
  ^bb0(%l: tensor<512x8192xf32>, %r: tensor<8192x512xf32>):
    %m = aten.mm %l, %r : (tensor<512x8192xf32>, tensor<8192x512xf32>) -> tensor<512x512xf32>
    kgen.yield %m : tensor<512x512xf32>
  } : tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
}

// -----

module attributes {kgen.precision = "strict-fp32"} {
func.func @strict(%a: tensor<512x512xf32>, %b: tensor<512x512xf32>) -> tensor<512x512xf32> {
  // expected-error @below {{precision class strict-fp32 does not admit dtype = tf32}}
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = gemm, mma = wgmma, dtype = tf32>)
      ins(%a, %b : tensor<512x512xf32>, tensor<512x512xf32>) {
  ^bb0(%l: tensor<512x512xf32>, %r: tensor<512x512xf32>):
    %m = aten.linear %l, %r : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
    kgen.yield %m : tensor<512x512xf32>
  } : tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
}
}

// -----

func.func @converted(%a: tensor<512x512xf32>, %b: tensor<512x512xf32>) -> tensor<512x512xf32> {
  // expected-error @below {{convert_at is for f32 operands that become fp16 or lie across k, found dtype = tf32 and rows along k}}
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = gemm, mma = wgmma, dtype = tf32, convert_at = prepass>)
      ins(%a, %b : tensor<512x512xf32>, tensor<512x512xf32>) {
  ^bb0(%l: tensor<512x512xf32>, %r: tensor<512x512xf32>):
    %m = aten.linear %l, %r : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
    kgen.yield %m : tensor<512x512xf32>
  } : tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
}

// -----

func.func @depth(%a: tensor<512x512xf16>, %b: tensor<512x512xf16>) -> tensor<512x512xf16> {
  // expected-error @below {{a tile's rows along k are whole pieces of 128 bytes: expected a multiple of 64 elements, found 32}}
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = gemm, mma = wgmma, tile = [128, 128, 32]>)
      ins(%a, %b : tensor<512x512xf16>, tensor<512x512xf16>) {
  ^bb0(%l: tensor<512x512xf16>, %r: tensor<512x512xf16>):
    %m = aten.mm %l, %r : (tensor<512x512xf16>, tensor<512x512xf16>) -> tensor<512x512xf16>
    kgen.yield %m : tensor<512x512xf16>
  } : tensor<512x512xf16>
  return %0 : tensor<512x512xf16>
}
