// RUN: kgen-opt %s -kgen-lower-dispatches -split-input-file -verify-diagnostics

func.func @f(%x0: tensor<2x3x8x8xf32>) -> tensor<2x3x4x4xf32> {
  // expected-error @+1 {{pool schedule of @d: coarsen = 8 outputs in a thread, a row has 4}}
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = pool, coarsen = 8>) ins(%x0 : tensor<2x3x8x8xf32>) {
  ^bb0(%a0: tensor<2x3x8x8xf32>):
    %s = aten.max_pool2d %a0 kernel [2, 2] : (tensor<2x3x8x8xf32>) -> tensor<2x3x4x4xf32>
    kgen.yield %s : tensor<2x3x4x4xf32>
  } : tensor<2x3x4x4xf32>
  return %0 : tensor<2x3x4x4xf32>
}

// -----

func.func @f(%x0: tensor<2x3x8x8xf32>) -> tensor<2x3x4x4xf32> {
  // expected-error @+1 {{schedule key 'block' expected a multiple of 32 from 32 to 1024, found 48}}
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = pool, block = 48>) ins(%x0 : tensor<2x3x8x8xf32>) {
  ^bb0(%a0: tensor<2x3x8x8xf32>):
    %s = aten.max_pool2d %a0 kernel [2, 2] : (tensor<2x3x8x8xf32>) -> tensor<2x3x4x4xf32>
    kgen.yield %s : tensor<2x3x4x4xf32>
  } : tensor<2x3x4x4xf32>
  return %0 : tensor<2x3x4x4xf32>
}

// -----

func.func @f(%x0: tensor<1x4x200xf32>) -> tensor<1x4x1xf32> {
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = pool>) ins(%x0 : tensor<1x4x200xf32>) {
  ^bb0(%a0: tensor<1x4x200xf32>):
    // expected-error @+1 {{has windows that span 200 elements of a row, at most 64 fit in a thread's registers}}
    %s = aten.avg_pool1d %a0 kernel [200] : (tensor<1x4x200xf32>) -> tensor<1x4x1xf32>
    kgen.yield %s : tensor<1x4x1xf32>
  } : tensor<1x4x1xf32>
  return %0 : tensor<1x4x1xf32>
}

// -----

func.func @f(%x0: tensor<1x4x2000xf32>) -> tensor<1x4x62xf32> {
  // expected-error @+1 {{pool schedule of @d: coarsen = 3 covers 96 elements of an input row, at most 64 fit in a thread's registers}}
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = pool, coarsen = 3>) ins(%x0 : tensor<1x4x2000xf32>) {
  ^bb0(%a0: tensor<1x4x2000xf32>):
    %s = aten.max_pool1d %a0 kernel [32] : (tensor<1x4x2000xf32>) -> tensor<1x4x62xf32>
    kgen.yield %s : tensor<1x4x62xf32>
  } : tensor<1x4x62xf32>
  return %0 : tensor<1x4x62xf32>
}

// -----

func.func @f(%x0: tensor<1x4x9x9xf32>) -> tensor<1x4x3x3xf32> {
  // expected-error @+1 {{pool schedule of @d: coarsen = 2, expected 1 for an adaptive pool}}
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = pool, coarsen = 2>) ins(%x0 : tensor<1x4x9x9xf32>) {
  ^bb0(%a0: tensor<1x4x9x9xf32>):
    %s = aten.adaptive_avg_pool2d %a0 output_size [3, 3] : (tensor<1x4x9x9xf32>) -> tensor<1x4x3x3xf32>
    kgen.yield %s : tensor<1x4x3x3xf32>
  } : tensor<1x4x3x3xf32>
  return %0 : tensor<1x4x3x3xf32>
}

// -----

func.func @f(%x0: tensor<2x3x8x8xf32>) -> tensor<2x3x8x8xf32> {
  // expected-error @+1 {{holds no pool}}
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = pool>) ins(%x0 : tensor<2x3x8x8xf32>) {
  ^bb0(%a0: tensor<2x3x8x8xf32>):
    %s = aten.relu %a0 : (tensor<2x3x8x8xf32>) -> tensor<2x3x8x8xf32>
    kgen.yield %s : tensor<2x3x8x8xf32>
  } : tensor<2x3x8x8xf32>
  return %0 : tensor<2x3x8x8xf32>
}
