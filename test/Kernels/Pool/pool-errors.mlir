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

// -----

func.func @f(%x0: tensor<2x3x8x8xf32>) -> tensor<2x3x7x7xf32> {
  // expected-error @+1 {{pool schedule of @d: resident = smem folds windows of fixed size along one dimension that lies innermost}}
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = pool, resident = smem>) ins(%x0 : tensor<2x3x8x8xf32>) {
  ^bb0(%a0: tensor<2x3x8x8xf32>):
    %s = aten.max_pool2d %a0 kernel [2, 2] stride [1, 1] : (tensor<2x3x8x8xf32>) -> tensor<2x3x7x7xf32>
    kgen.yield %s : tensor<2x3x7x7xf32>
  } : tensor<2x3x7x7xf32>
  return %0 : tensor<2x3x7x7xf32>
}

// -----

func.func @f(%x0: tensor<4x2000xf32>) -> tensor<4x997xf32> {
  // expected-error @+1 {{pool schedule of @d: coarsen = 32 takes 70 elements of an input row, at most 64 fit in a thread's registers}}
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = pool, resident = smem, coarsen = 32>) ins(%x0 : tensor<4x2000xf32>) {
  ^bb0(%a0: tensor<4x2000xf32>):
    %s = aten.max_pool1d %a0 kernel [8] stride [2] : (tensor<4x2000xf32>) -> tensor<4x997xf32>
    kgen.yield %s : tensor<4x997xf32>
  } : tensor<4x997xf32>
  return %0 : tensor<4x997xf32>
}

// -----

func.func @f(%x0: tensor<4x2000xf32>) -> tensor<4x1993xf32> {
  // expected-error @+1 {{pool schedule of @d: a block of 32 threads with coarsen = 1 has less than a line of 128 bytes of results}}
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = pool, resident = smem, coarsen = 1, block = 32>) ins(%x0 : tensor<4x2000xf32>) {
  ^bb0(%a0: tensor<4x2000xf32>):
    %s = aten.max_pool1d %a0 kernel [2] stride [1] dilation [7] : (tensor<4x2000xf32>) -> tensor<4x1993xf32>
    kgen.yield %s : tensor<4x1993xf32>
  } : tensor<4x1993xf32>
  return %0 : tensor<4x1993xf32>
}
