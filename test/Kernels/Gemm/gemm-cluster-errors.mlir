// RUN: kgen-opt %s -split-input-file -verify-diagnostics -kgen-lower-dispatches
// RUN: not kgen-opt %s -split-input-file -kgen-lower-dispatches='arch=sm_100a' 2>&1 | FileCheck %s --check-prefix=ARCH
// ARCH: split_at = cluster needs sm_90a, the chip is sm_100a

func.func @ranks(%a: tensor<512x768xf32>, %b: tensor<512x768xf32>) -> tensor<512x512xf32> {
  // expected-error @below {{a cluster has at most 8 blocks, found cluster = 4 times split_k = 3}}
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = gemm, split_at = cluster, cluster = 4, split_k = 3>)
      ins(%a, %b : tensor<512x768xf32>, tensor<512x768xf32>) {
  ^bb0(%l: tensor<512x768xf32>, %r: tensor<512x768xf32>):
    %m = aten.linear %l, %r : (tensor<512x768xf32>, tensor<512x768xf32>) -> tensor<512x512xf32>
    kgen.yield %m : tensor<512x512xf32>
  } : tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
}

// -----

func.func @slices(%a: tensor<512x128xf32>, %b: tensor<512x128xf32>) -> tensor<512x512xf32> {
  // expected-error @below {{split_k = 3 leaves a slice empty: k has 2 tiles of 64}}
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = gemm, split_at = cluster, tile = [64, 64, 64], split_k = 3>)
      ins(%a, %b : tensor<512x128xf32>, tensor<512x128xf32>) {
  ^bb0(%l: tensor<512x128xf32>, %r: tensor<512x128xf32>):
    %m = aten.linear %l, %r : (tensor<512x128xf32>, tensor<512x128xf32>) -> tensor<512x512xf32>
    kgen.yield %m : tensor<512x512xf32>
  } : tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
}

// -----

func.func @layout(%a: tensor<768x512xf32>, %b: tensor<768x512xf32>) -> tensor<512x512xf32> {
  // expected-error @below {{split_at = cluster takes one f32 operand whose rows lie across k, through registers: found two}}
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = gemm, split_at = cluster>)
      ins(%a, %b : tensor<768x512xf32>, tensor<768x512xf32>) {
  ^bb0(%l: tensor<768x512xf32>, %r: tensor<768x512xf32>):
    %t = aten.transpose.int %l dim0 0 dim1 1 : (tensor<768x512xf32>) -> tensor<512x768xf32>
    %m = aten.mm %t, %r : (tensor<512x768xf32>, tensor<768x512xf32>) -> tensor<512x512xf32>
    kgen.yield %m : tensor<512x512xf32>
  } : tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
}

// -----

func.func @across(%a: tensor<512x768xf16>, %b: tensor<768x510xf16>) -> tensor<512x510xf16> {
  // expected-error @below {{tensor maps need rows of a multiple of 16 bytes: the right operand has rows of 1020}}
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = gemm, split_at = cluster>)
      ins(%a, %b : tensor<512x768xf16>, tensor<768x510xf16>) {
  ^bb0(%l: tensor<512x768xf16>, %r: tensor<768x510xf16>):
    %m = aten.mm %l, %r : (tensor<512x768xf16>, tensor<768x510xf16>) -> tensor<512x510xf16>
    kgen.yield %m : tensor<512x510xf16>
  } : tensor<512x510xf16>
  return %0 : tensor<512x510xf16>
}

// -----

func.func @pieces(%a: tensor<512x768xf16>, %b: tensor<768x512xf16>) -> tensor<512x512xf16> {
  // expected-error @below {{each block of a cluster copies pieces of 64 columns of the right operand: with cluster = 2 expected a tile of a multiple of 128 columns, found 64}}
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = gemm, split_at = cluster, tile = [64, 64, 64], cluster = 2>)
      ins(%a, %b : tensor<512x768xf16>, tensor<768x512xf16>) {
  ^bb0(%l: tensor<512x768xf16>, %r: tensor<768x512xf16>):
    %m = aten.mm %l, %r : (tensor<512x768xf16>, tensor<768x512xf16>) -> tensor<512x512xf16>
    kgen.yield %m : tensor<512x512xf16>
  } : tensor<512x512xf16>
  return %0 : tensor<512x512xf16>
}

// -----

func.func @rows(%a: tensor<512x766xf32>, %b: tensor<512x766xf32>) -> tensor<512x512xf32> {
  // expected-error @below {{tensor maps need rows of a multiple of 16 bytes: the left operand has rows of 3064}}
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = gemm, split_at = cluster>)
      ins(%a, %b : tensor<512x766xf32>, tensor<512x766xf32>) {
  ^bb0(%l: tensor<512x766xf32>, %r: tensor<512x766xf32>):
    %m = aten.linear %l, %r : (tensor<512x766xf32>, tensor<512x766xf32>) -> tensor<512x512xf32>
    kgen.yield %m : tensor<512x512xf32>
  } : tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
}

// -----

func.func @dtype(%a: tensor<512x768xf32>, %b: tensor<512x768xf32>) -> tensor<512x512xf32> {
  // expected-error @below {{split_at = cluster multiplies operands of fp32 as tf32, found dtype = fp16}}
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = gemm, split_at = cluster, dtype = fp16>)
      ins(%a, %b : tensor<512x768xf32>, tensor<512x768xf32>) {
  ^bb0(%l: tensor<512x768xf32>, %r: tensor<512x768xf32>):
    %m = aten.linear %l, %r : (tensor<512x768xf32>, tensor<512x768xf32>) -> tensor<512x512xf32>
    kgen.yield %m : tensor<512x512xf32>
  } : tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
}

// -----

func.func @below(%a: tensor<64x768xf32>, %b: tensor<512x768xf32>) -> tensor<64x512xf32> {
  // expected-error @below {{a cluster of 2 tiles needs as many along m, found 1}}
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = gemm, split_at = cluster, cluster = 2>)
      ins(%a, %b : tensor<64x768xf32>, tensor<512x768xf32>) {
  ^bb0(%l: tensor<64x768xf32>, %r: tensor<512x768xf32>):
    %m = aten.linear %l, %r : (tensor<64x768xf32>, tensor<512x768xf32>) -> tensor<64x512xf32>
    kgen.yield %m : tensor<64x512xf32>
  } : tensor<64x512xf32>
  return %0 : tensor<64x512xf32>
}

// -----

func.func @columns(%a: tensor<512x768xf32>, %b: tensor<512x768xf32>) -> tensor<512x512xf32> {
  // expected-error @below {{each block of a cluster copies pieces of 8 columns of the right operand: with cluster = 2 expected a tile of a multiple of 16 columns, found 24}}
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = gemm, split_at = cluster, tile = [128, 24, 32], cluster = 2>)
      ins(%a, %b : tensor<512x768xf32>, tensor<512x768xf32>) {
  ^bb0(%l: tensor<512x768xf32>, %r: tensor<512x768xf32>):
    %m = aten.linear %l, %r : (tensor<512x768xf32>, tensor<512x768xf32>) -> tensor<512x512xf32>
    kgen.yield %m : tensor<512x512xf32>
  } : tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
}

// -----

func.func @stages(%a: tensor<512x768xf32>, %b: tensor<512x768xf32>) -> tensor<512x512xf32> {
  // expected-error @below {{the tiles of 4 stages take 262208 bytes of shared memory, sm_90a has 232448}}
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = gemm, split_at = cluster, tile = [128, 128, 64], stages = 4>)
      ins(%a, %b : tensor<512x768xf32>, tensor<512x768xf32>) {
  ^bb0(%l: tensor<512x768xf32>, %r: tensor<512x768xf32>):
    %m = aten.linear %l, %r : (tensor<512x768xf32>, tensor<512x768xf32>) -> tensor<512x512xf32>
    kgen.yield %m : tensor<512x512xf32>
  } : tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
}

// -----

func.func @registers(%a: tensor<512x768xf32>, %b: tensor<512x768xf32>) -> tensor<512x512xf32> {
  // expected-error @below {{the tile needs 256 accumulators and about 40 other registers in a thread, there are 168}}
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = gemm, split_at = cluster, tile = [256, 256, 32], stages = 2>)
      ins(%a, %b : tensor<512x768xf32>, tensor<512x768xf32>) {
  ^bb0(%l: tensor<512x768xf32>, %r: tensor<512x768xf32>):
    %m = aten.linear %l, %r : (tensor<512x768xf32>, tensor<512x768xf32>) -> tensor<512x512xf32>
    kgen.yield %m : tensor<512x512xf32>
  } : tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
}

// -----

func.func @conversion(%a: tensor<512x768xf32>, %b: tensor<512x768xf32>) -> tensor<512x512xf32> {
  // expected-error @below {{schedule key 'convert_at' is not taken by gemm/cluster}}
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = gemm, split_at = cluster, convert_at = prepass>)
      ins(%a, %b : tensor<512x768xf32>, tensor<512x768xf32>) {
  ^bb0(%l: tensor<512x768xf32>, %r: tensor<512x768xf32>):
    %m = aten.linear %l, %r : (tensor<512x768xf32>, tensor<512x768xf32>) -> tensor<512x512xf32>
    kgen.yield %m : tensor<512x512xf32>
  } : tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
}

// -----

module attributes {kgen.precision = "strict-fp32"} {
func.func @strict(%a: tensor<512x768xf32>, %b: tensor<512x768xf32>) -> tensor<512x512xf32> {
  // expected-error @below {{precision class strict-fp32 does not admit dtype = tf32}}
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = gemm, split_at = cluster>)
      ins(%a, %b : tensor<512x768xf32>, tensor<512x768xf32>) {
  ^bb0(%l: tensor<512x768xf32>, %r: tensor<512x768xf32>):
    %m = aten.linear %l, %r : (tensor<512x768xf32>, tensor<512x768xf32>) -> tensor<512x512xf32>
    kgen.yield %m : tensor<512x512xf32>
  } : tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
}
}
