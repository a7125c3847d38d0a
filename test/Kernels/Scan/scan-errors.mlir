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
