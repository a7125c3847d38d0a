// RUN: kgen-opt %s -kgen-lower-dispatches -split-input-file -verify-diagnostics

func.func @f(%x0: tensor<15x77xf32>) -> tensor<15x77xf32> {
  // expected-error @+1 {{pointwise schedule of @d: vec = 8 of 4-byte elements is 32 bytes, an access has at most 16}}
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = pointwise, vec = 8>) ins(%x0 : tensor<15x77xf32>) {
  ^bb0(%a0: tensor<15x77xf32>):
    %s = aten.relu %a0 : (tensor<15x77xf32>) -> tensor<15x77xf32>
    kgen.yield %s : tensor<15x77xf32>
  } : tensor<15x77xf32>
  return %0 : tensor<15x77xf32>
}

// -----

func.func @f(%x0: tensor<15x77xf32>) -> tensor<15x77xf32> {
  // expected-error @+1 {{pointwise schedule of @d: vec = 2 does not divide the 1155 elements}}
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = pointwise, vec = 2>) ins(%x0 : tensor<15x77xf32>) {
  ^bb0(%a0: tensor<15x77xf32>):
    %s = aten.relu %a0 : (tensor<15x77xf32>) -> tensor<15x77xf32>
    kgen.yield %s : tensor<15x77xf32>
  } : tensor<15x77xf32>
  return %0 : tensor<15x77xf32>
}

// -----

func.func @f(%x0: tensor<15x77xf32>) -> tensor<15x77xf32> {
  // expected-error @+1 {{schedule key 'block' expected a multiple of 32 from 32 to 1024, found 100}}
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = pointwise, block = 100>) ins(%x0 : tensor<15x77xf32>) {
  ^bb0(%a0: tensor<15x77xf32>):
    %s = aten.relu %a0 : (tensor<15x77xf32>) -> tensor<15x77xf32>
    kgen.yield %s : tensor<15x77xf32>
  } : tensor<15x77xf32>
  return %0 : tensor<15x77xf32>
}

// -----

func.func @f(%x0: tensor<8x64xf32>) -> tensor<8x64xf32> {
  // expected-error @+1 {{pointwise schedule of @d: coarsen * vec = 128 elements in a thread, at most 64 keep their loads in registers}}
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = pointwise, coarsen = 32>) ins(%x0 : tensor<8x64xf32>) {
  ^bb0(%a0: tensor<8x64xf32>):
    %s = aten.relu %a0 : (tensor<8x64xf32>) -> tensor<8x64xf32>
    kgen.yield %s : tensor<8x64xf32>
  } : tensor<8x64xf32>
  return %0 : tensor<8x64xf32>
}

// -----

func.func @f(%x0: tensor<8x64xf32>) -> tensor<8xf32> {
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = pointwise>) ins(%x0 : tensor<8x64xf32>) {
  ^bb0(%a0: tensor<8x64xf32>):
    // expected-error @+1 {{is not element-wise, which family pointwise requires of every op}}
    %s = aten.sum.dim_IntList %a0 dim [1] : (tensor<8x64xf32>) -> tensor<8xf32>
    kgen.yield %s : tensor<8xf32>
  } : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @f(%x0: tensor<8x64xf32>, %x1: tensor<64xf32>) -> (tensor<8x64xf32>, tensor<64xf32>) {
  // expected-error @+1 {{result 1 of type 'tensor<64xf32>' has another shape than result 0; one kernel covers one shape}}
  %0:2 = kgen.dispatch @d schedule(#kgen.schedule<family = pointwise>) ins(%x0, %x1 : tensor<8x64xf32>, tensor<64xf32>) {
  ^bb0(%a0: tensor<8x64xf32>, %a1: tensor<64xf32>):
    %s = aten.relu %a0 : (tensor<8x64xf32>) -> tensor<8x64xf32>
    %t = aten.relu %a1 : (tensor<64xf32>) -> tensor<64xf32>
    kgen.yield %s, %t : tensor<8x64xf32>, tensor<64xf32>
  } : tensor<8x64xf32>, tensor<64xf32>
  return %0#0, %0#1 : tensor<8x64xf32>, tensor<64xf32>
}
