// RUN: kgen-opt %s -kgen-lower-dispatches -split-input-file -verify-diagnostics

func.func @f(%x0: tensor<8x64xi64>, %x1: tensor<3xi64>) -> tensor<3x64xi64> {
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = gather>) ins(%x0, %x1 : tensor<8x64xi64>, tensor<3xi64>) {
  ^bb0(%a0: tensor<8x64xi64>, %a1: tensor<3xi64>):
    // expected-error @+1 {{works on 'i64', expected f32, f16 or bf16}}
    %s = aten.embedding %a0, %a1 : (tensor<8x64xi64>, tensor<3xi64>) -> tensor<3x64xi64>
    kgen.yield %s : tensor<3x64xi64>
  } : tensor<3x64xi64>
  return %0 : tensor<3x64xi64>
}

// -----

func.func @f(%x0: tensor<8x66xf32>, %x1: tensor<3xi64>) -> tensor<3x66xf32> {
  // expected-error @+1 {{gather schedule of @d: vec = 4 does not divide the 66 elements of a row}}
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = gather, vec = 4>) ins(%x0, %x1 : tensor<8x66xf32>, tensor<3xi64>) {
  ^bb0(%a0: tensor<8x66xf32>, %a1: tensor<3xi64>):
    %s = aten.embedding %a0, %a1 : (tensor<8x66xf32>, tensor<3xi64>) -> tensor<3x66xf32>
    kgen.yield %s : tensor<3x66xf32>
  } : tensor<3x66xf32>
  return %0 : tensor<3x66xf32>
}

// -----

func.func @f(%x0: tensor<8x64xf32>, %x1: tensor<3xi64>) -> tensor<3x64xf32> {
  // expected-error @+1 {{gather schedule of @d: threads_per_row = 256 does not divide the block of 128 threads}}
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = gather, block = 128, threads_per_row = 256>) ins(%x0, %x1 : tensor<8x64xf32>, tensor<3xi64>) {
  ^bb0(%a0: tensor<8x64xf32>, %a1: tensor<3xi64>):
    %s = aten.embedding %a0, %a1 : (tensor<8x64xf32>, tensor<3xi64>) -> tensor<3x64xf32>
    kgen.yield %s : tensor<3x64xf32>
  } : tensor<3x64xf32>
  return %0 : tensor<3x64xf32>
}

// -----

func.func @f(%x0: tensor<8x64xf32>, %x1: tensor<8x3xi64>) -> tensor<8x3xf32> {
  // expected-error @+1 {{gather schedule of @d: schedule key 'threads_per_row' is not taken by gather/elements, which takes block, cache_hint, coarsen, vec}}
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = gather, threads_per_row = 32>) ins(%x0, %x1 : tensor<8x64xf32>, tensor<8x3xi64>) {
  ^bb0(%a0: tensor<8x64xf32>, %a1: tensor<8x3xi64>):
    %s = aten.gather %a0, %a1 dim 1 : (tensor<8x64xf32>, tensor<8x3xi64>) -> tensor<8x3xf32>
    kgen.yield %s : tensor<8x3xf32>
  } : tensor<8x3xf32>
  return %0 : tensor<8x3xf32>
}

// -----

func.func @f(%x0: tensor<8x64xf32>, %x1: tensor<3xi64>) -> tensor<3xf32> {
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = gather>) ins(%x0, %x1 : tensor<8x64xf32>, tensor<3xi64>) {
  ^bb0(%a0: tensor<8x64xf32>, %a1: tensor<3xi64>):
    %s = aten.embedding %a0, %a1 : (tensor<8x64xf32>, tensor<3xi64>) -> tensor<3x64xf32>
    // expected-error @+1 {{has no place behind a gather: expected element-wise ops}}
    %t = aten.sum.dim_IntList %s dim [1] : (tensor<3x64xf32>) -> tensor<3xf32>
    kgen.yield %t : tensor<3xf32>
  } : tensor<3xf32>
  return %0 : tensor<3xf32>
}
