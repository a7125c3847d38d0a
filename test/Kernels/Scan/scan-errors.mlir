// RUN: kgen-opt %s -kgen-lower-dispatches -split-input-file -verify-diagnostics

func.func @f(%x0: tensor<8x64xi64>) -> tensor<8x64xi64> {
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = scan>) ins(%x0 : tensor<8x64xi64>) {
  ^bb0(%a0: tensor<8x64xi64>):
    // expected-error @+1 {{works on 'tensor<8x64xi64>', expected rows of f32, f16 or bf16}}
    %s = aten.cumsum %a0 dim 1 : (tensor<8x64xi64>) -> tensor<8x64xi64>
    kgen.yield %s : tensor<8x64xi64>
  } : tensor<8x64xi64>
  return %0 : tensor<8x64xi64>
}

// -----

func.func @f(%x0: tensor<8x64xf32>) -> tensor<8x64xf32> {
  // expected-error @+1 {{scan schedule of @d: vec = 4, expected 1: the elements of a row lie 64 apart}}
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = scan, vec = 4>) ins(%x0 : tensor<8x64xf32>) {
  ^bb0(%a0: tensor<8x64xf32>):
    %s = aten.cumsum %a0 dim 0 : (tensor<8x64xf32>) -> tensor<8x64xf32>
    kgen.yield %s : tensor<8x64xf32>
  } : tensor<8x64xf32>
  return %0 : tensor<8x64xf32>
}

// -----

func.func @f(%x0: tensor<8x64xf32>) -> tensor<8x64xf32> {
  // expected-error @+1 {{scan schedule of @d: unroll * vec = 128 elements in a thread, at most 64 stay in registers}}
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = scan, unroll = 32>) ins(%x0 : tensor<8x64xf32>) {
  ^bb0(%a0: tensor<8x64xf32>):
    %s = aten.cumsum %a0 dim 1 : (tensor<8x64xf32>) -> tensor<8x64xf32>
    kgen.yield %s : tensor<8x64xf32>
  } : tensor<8x64xf32>
  return %0 : tensor<8x64xf32>
}

// -----

func.func @f(%x0: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = scan>) ins(%x0 : tensor<8x64xf32>) {
  ^bb0(%a0: tensor<8x64xf32>):
    %s = aten.cumsum %a0 dim 1 : (tensor<8x64xf32>) -> tensor<8x64xf32>
    // expected-error @+1 {{is a second scan; a scan dispatch holds one}}
    %t = aten.cumprod %s dim 1 : (tensor<8x64xf32>) -> tensor<8x64xf32>
    kgen.yield %t : tensor<8x64xf32>
  } : tensor<8x64xf32>
  return %0 : tensor<8x64xf32>
}

// -----

func.func @f(%x: tensor<8x4096xf32>) -> tensor<8x4097xf32> {
  // expected-error @+1 {{scan schedule of @d: block = 512 threads hold 65536 bytes of results that begin anywhere, at most 40960 pass through shared memory}}
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = scan, block = 512, unroll = 8>) ins(%x : tensor<8x4096xf32>) {
  ^bb0(%a: tensor<8x4096xf32>):
    %p = aten.constant_pad_nd %a pad [1, 0] : (tensor<8x4096xf32>) -> tensor<8x4097xf32>
    %s = aten.cumsum %p dim 1 : (tensor<8x4097xf32>) -> tensor<8x4097xf32>
    kgen.yield %s : tensor<8x4097xf32>
  } : tensor<8x4097xf32>
  return %0 : tensor<8x4097xf32>
}

// -----

func.func @f(%x: tensor<8x64xf32>) -> tensor<8x65xf32> {
  // expected-error @+1 {{result 0 is not the scan's, whose results are one more than a row's elements}}
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = scan>) ins(%x : tensor<8x64xf32>) {
  ^bb0(%a: tensor<8x64xf32>):
    %p = aten.constant_pad_nd %a pad [1, 0] : (tensor<8x64xf32>) -> tensor<8x65xf32>
    %s = aten.cumsum %p dim 1 : (tensor<8x65xf32>) -> tensor<8x65xf32>
    %n = aten.neg %s : (tensor<8x65xf32>) -> tensor<8x65xf32>
    kgen.yield %n : tensor<8x65xf32>
  } : tensor<8x65xf32>
  return %0 : tensor<8x65xf32>
}
