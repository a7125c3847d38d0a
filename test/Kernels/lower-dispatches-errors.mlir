// RUN: kgen-opt %s -kgen-lower-dispatches -split-input-file -verify-diagnostics

func.func @bad_name(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @+1 {{name @"a-b" of a lowered dispatch has to be a C identifier}}
  %0 = kgen.dispatch @"a-b" schedule(#kgen.schedule<family = gemm>) ins(%x : tensor<4x8xf32>) {
  ^bb0(%a: tensor<4x8xf32>):
    kgen.yield %a : tensor<4x8xf32>
  } : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
