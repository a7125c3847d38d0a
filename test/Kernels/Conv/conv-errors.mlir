// RUN: kgen-opt %s -kgen-lower-dispatches -split-input-file -verify-diagnostics

func.func @f(%x: tensor<2x8x16x16xf32>, %w: tensor<32x8x3x3xf32>) -> tensor<2x32x14x14xf32> {
  // expected-error @+1 {{pool_tile needs a pooling in the dispatch}}
  %0 = kgen.dispatch @cv schedule(#kgen.schedule<family = conv, pool_tile = [2, 2]>) ins(%x, %w : tensor<2x8x16x16xf32>, tensor<32x8x3x3xf32>) {
  ^bb0(%a: tensor<2x8x16x16xf32>, %b: tensor<32x8x3x3xf32>):
    %1 = aten.conv2d %a, %b : (tensor<2x8x16x16xf32>, tensor<32x8x3x3xf32>) -> tensor<2x32x14x14xf32>
    kgen.yield %1 : tensor<2x32x14x14xf32>
  } : tensor<2x32x14x14xf32>
  return %0 : tensor<2x32x14x14xf32>
}

// -----

func.func @f(%x: tensor<2x8x16x16xf32>, %w: tensor<32x8x3x3xf32>) -> tensor<2x32x7x7xf32> {
  // expected-error @+1 {{the tile's channels are a multiple of 16 on tensor cores, found 24}}
  %0 = kgen.dispatch @cv schedule(#kgen.schedule<family = conv, tile = [64, 24, 32]>) ins(%x, %w : tensor<2x8x16x16xf32>, tensor<32x8x3x3xf32>) {
  ^bb0(%a: tensor<2x8x16x16xf32>, %b: tensor<32x8x3x3xf32>):
    %1 = aten.conv2d %a, %b : (tensor<2x8x16x16xf32>, tensor<32x8x3x3xf32>) -> tensor<2x32x14x14xf32>
    %2 = aten.max_pool2d %1 kernel [2, 2] : (tensor<2x32x14x14xf32>) -> tensor<2x32x7x7xf32>
    kgen.yield %2 : tensor<2x32x7x7xf32>
  } : tensor<2x32x7x7xf32>
  return %0 : tensor<2x32x7x7xf32>
}

// -----

func.func @f(%x: tensor<2x8x16x16xf32>, %w: tensor<32x8x3x3xf32>) -> tensor<2x32x7x7xf32> {
  // expected-error @+1 {{the tile's k is a multiple of 8 for tf32, found 12}}
  %0 = kgen.dispatch @cv schedule(#kgen.schedule<family = conv, tile = [64, 32, 12]>) ins(%x, %w : tensor<2x8x16x16xf32>, tensor<32x8x3x3xf32>) {
  ^bb0(%a: tensor<2x8x16x16xf32>, %b: tensor<32x8x3x3xf32>):
    %1 = aten.conv2d %a, %b : (tensor<2x8x16x16xf32>, tensor<32x8x3x3xf32>) -> tensor<2x32x14x14xf32>
    %2 = aten.max_pool2d %1 kernel [2, 2] : (tensor<2x32x14x14xf32>) -> tensor<2x32x7x7xf32>
    kgen.yield %2 : tensor<2x32x7x7xf32>
  } : tensor<2x32x7x7xf32>
  return %0 : tensor<2x32x7x7xf32>
}

// -----

func.func @f(%x: tensor<2x8x16x16xf32>, %w: tensor<32x8x3x3xf32>) -> tensor<2x32x7x7xf32> {
  // expected-error @+1 {{the warp tile's 48 channels do not divide the tile's 32}}
  %0 = kgen.dispatch @cv schedule(#kgen.schedule<family = conv, tile = [64, 32, 32], warp_tile = [32, 48]>) ins(%x, %w : tensor<2x8x16x16xf32>, tensor<32x8x3x3xf32>) {
  ^bb0(%a: tensor<2x8x16x16xf32>, %b: tensor<32x8x3x3xf32>):
    %1 = aten.conv2d %a, %b : (tensor<2x8x16x16xf32>, tensor<32x8x3x3xf32>) -> tensor<2x32x14x14xf32>
    %2 = aten.max_pool2d %1 kernel [2, 2] : (tensor<2x32x14x14xf32>) -> tensor<2x32x7x7xf32>
    kgen.yield %2 : tensor<2x32x7x7xf32>
  } : tensor<2x32x7x7xf32>
  return %0 : tensor<2x32x7x7xf32>
}

// -----

func.func @f(%x: tensor<2x8x16x16xf32>, %w: tensor<32x8x3x3xf32>) -> tensor<2x32x7x7xf32> {
  // expected-error @+1 {{slab_channels is at most the 8 channels of a group, found 16}}
  %0 = kgen.dispatch @cv schedule(#kgen.schedule<family = conv, slab_channels = 16>) ins(%x, %w : tensor<2x8x16x16xf32>, tensor<32x8x3x3xf32>) {
  ^bb0(%a: tensor<2x8x16x16xf32>, %b: tensor<32x8x3x3xf32>):
    %1 = aten.conv2d %a, %b : (tensor<2x8x16x16xf32>, tensor<32x8x3x3xf32>) -> tensor<2x32x14x14xf32>
    %2 = aten.max_pool2d %1 kernel [2, 2] : (tensor<2x32x14x14xf32>) -> tensor<2x32x7x7xf32>
    kgen.yield %2 : tensor<2x32x7x7xf32>
  } : tensor<2x32x7x7xf32>
  return %0 : tensor<2x32x7x7xf32>
}

// -----

func.func @f(%x: tensor<2x8x16x16xf32>, %w: tensor<32x8x3x3xf32>) -> tensor<2x32x7x7xf32> {
  // expected-error @+1 {{schedule key 'im2col' expected one of raw_smem, halo, found "gather"}}
  %0 = kgen.dispatch @cv schedule(#kgen.schedule<family = conv, im2col = gather>) ins(%x, %w : tensor<2x8x16x16xf32>, tensor<32x8x3x3xf32>) {
  ^bb0(%a: tensor<2x8x16x16xf32>, %b: tensor<32x8x3x3xf32>):
    %1 = aten.conv2d %a, %b : (tensor<2x8x16x16xf32>, tensor<32x8x3x3xf32>) -> tensor<2x32x14x14xf32>
    %2 = aten.max_pool2d %1 kernel [2, 2] : (tensor<2x32x14x14xf32>) -> tensor<2x32x7x7xf32>
    kgen.yield %2 : tensor<2x32x7x7xf32>
  } : tensor<2x32x7x7xf32>
  return %0 : tensor<2x32x7x7xf32>
}

// -----

func.func @f(%x: tensor<2x8x16x16xf32>, %w: tensor<32x8x3x3xf32>) -> tensor<2x32x7x7xf32> {
  // expected-error @+1 {{schedule key 'smem_pad' of conv/simt and conv/mma_sync expected a multiple of 4 from 0 to 64, found 6}}
  %0 = kgen.dispatch @cv schedule(#kgen.schedule<family = conv, smem_pad = 6>) ins(%x, %w : tensor<2x8x16x16xf32>, tensor<32x8x3x3xf32>) {
  ^bb0(%a: tensor<2x8x16x16xf32>, %b: tensor<32x8x3x3xf32>):
    %1 = aten.conv2d %a, %b : (tensor<2x8x16x16xf32>, tensor<32x8x3x3xf32>) -> tensor<2x32x14x14xf32>
    %2 = aten.max_pool2d %1 kernel [2, 2] : (tensor<2x32x14x14xf32>) -> tensor<2x32x7x7xf32>
    kgen.yield %2 : tensor<2x32x7x7xf32>
  } : tensor<2x32x7x7xf32>
  return %0 : tensor<2x32x7x7xf32>
}

// -----

func.func @f(%x: tensor<2x8x16x16xf32>, %w: tensor<32x8x3x3xf32>) -> tensor<2x32x7x7xf32> {
  // expected-error @+1 {{schedule key 'raster' is not taken by family conv, which takes block, blocks, chunk, consumers, depths, dtype, }}
  %0 = kgen.dispatch @cv schedule(#kgen.schedule<family = conv, raster = 4>) ins(%x, %w : tensor<2x8x16x16xf32>, tensor<32x8x3x3xf32>) {
  ^bb0(%a: tensor<2x8x16x16xf32>, %b: tensor<32x8x3x3xf32>):
    %1 = aten.conv2d %a, %b : (tensor<2x8x16x16xf32>, tensor<32x8x3x3xf32>) -> tensor<2x32x14x14xf32>
    %2 = aten.max_pool2d %1 kernel [2, 2] : (tensor<2x32x14x14xf32>) -> tensor<2x32x7x7xf32>
    kgen.yield %2 : tensor<2x32x7x7xf32>
  } : tensor<2x32x7x7xf32>
  return %0 : tensor<2x32x7x7xf32>
}

// -----

func.func @f(%x: tensor<1x3x4x4xf32>, %w: tensor<16x3x3x3xf32>) -> tensor<1x16x2x2xf32> {
  // expected-error @+1 {{the tiles make 8 threads, at least 32 are expected}}
  %0 = kgen.dispatch @cv schedule(#kgen.schedule<family = conv, tile = [4, 8, 16], thread_tile = [4, 8]>)
      ins(%x, %w : tensor<1x3x4x4xf32>, tensor<16x3x3x3xf32>) {
  ^bb0(%a: tensor<1x3x4x4xf32>, %b: tensor<16x3x3x3xf32>):
    %1 = aten.conv2d %a, %b : (tensor<1x3x4x4xf32>, tensor<16x3x3x3xf32>) -> tensor<1x16x2x2xf32>
    kgen.yield %1 : tensor<1x16x2x2xf32>
  } : tensor<1x16x2x2xf32>
  return %0 : tensor<1x16x2x2xf32>
}

// -----

func.func @f(%x: tensor<2x8x8x18xf32>, %w: tensor<18x1x3x3xf32>) -> tensor<2x8x8x18xf32> {
  // expected-error @+1 {{vec = 4 does not divide the 18 channels}}
  %0 = kgen.dispatch @cv schedule(#kgen.schedule<family = conv, vec = 4>) ins(%x, %w : tensor<2x8x8x18xf32>, tensor<18x1x3x3xf32>) {
  ^bb0(%a: tensor<2x8x8x18xf32>, %b: tensor<18x1x3x3xf32>):
    %p = aten.permute %a dims [0, 3, 1, 2] : (tensor<2x8x8x18xf32>) -> tensor<2x18x8x8xf32>
    %y = aten.conv2d %p, %b padding [1, 1] groups 18 : (tensor<2x18x8x8xf32>, tensor<18x1x3x3xf32>) -> tensor<2x18x8x8xf32>
    %l = aten.permute %y dims [0, 2, 3, 1] : (tensor<2x18x8x8xf32>) -> tensor<2x8x8x18xf32>
    kgen.yield %l : tensor<2x8x8x18xf32>
  } : tensor<2x8x8x18xf32>
  return %0 : tensor<2x8x8x18xf32>
}

// -----

func.func @f(%x: tensor<2x32x32x16xf32>, %w: tensor<16x1x7x7xf32>) -> tensor<2x32x32x16xf32> {
  // expected-error @+1 {{a thread tile of 8 x 8 outputs of 4 channels takes 312 registers for sums and a row of pixels, the limit is 200}}
  %0 = kgen.dispatch @cv schedule(#kgen.schedule<family = conv, thread_tile = [8, 8]>) ins(%x, %w : tensor<2x32x32x16xf32>, tensor<16x1x7x7xf32>) {
  ^bb0(%a: tensor<2x32x32x16xf32>, %b: tensor<16x1x7x7xf32>):
    %p = aten.permute %a dims [0, 3, 1, 2] : (tensor<2x32x32x16xf32>) -> tensor<2x16x32x32xf32>
    %y = aten.conv2d %p, %b padding [3, 3] groups 16 : (tensor<2x16x32x32xf32>, tensor<16x1x7x7xf32>) -> tensor<2x16x32x32xf32>
    %l = aten.permute %y dims [0, 2, 3, 1] : (tensor<2x16x32x32xf32>) -> tensor<2x32x32x16xf32>
    kgen.yield %l : tensor<2x32x32x16xf32>
  } : tensor<2x32x32x16xf32>
  return %0 : tensor<2x32x32x16xf32>
}
