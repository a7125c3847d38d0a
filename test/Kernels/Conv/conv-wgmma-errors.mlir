// RUN: kgen-opt %s -kgen-lower-dispatches -split-input-file -verify-diagnostics

func.func @f(%x: tensor<2x3x16x16xf32>, %w: tensor<16x3x3x3xf32>) -> tensor<2x16x14x14xf32> {
  // expected-error @+1 {{schedule key 'tile' of conv/wgmma, conv/implicit and conv/halo expected [64, one of 8, 16, 24, 32, 48, 64, 80, 96, 112, 128, 160, 192, 224, 256] (conv/wgmma), or [a multiple of 64 from 64 to 256, one of 8, 16, 24, 32, 48, 64, 80, 96, 112, 128, 160, 192, 224, 256, a multiple of 32 from 32 to 256] (conv/implicit), or [one of 8, 16, 24, 32, 48, 64, 80, 96, 112, 128, 160, 192, 224, 256, a multiple of 64 from 64 to 192, a multiple of 8 from 8 to 64] (conv/halo), found [64, 40]}}
  %0 = kgen.dispatch @cv schedule(#kgen.schedule<family = conv, mma = wgmma, tile = [64, 40]>) ins(%x, %w : tensor<2x3x16x16xf32>, tensor<16x3x3x3xf32>) {
  ^bb0(%a: tensor<2x3x16x16xf32>, %b: tensor<16x3x3x3xf32>):
    %1 = aten.conv2d %a, %b : (tensor<2x3x16x16xf32>, tensor<16x3x3x3xf32>) -> tensor<2x16x14x14xf32>
    kgen.yield %1 : tensor<2x16x14x14xf32>
  } : tensor<2x16x14x14xf32>
  return %0 : tensor<2x16x14x14xf32>
}

// -----

func.func @f(%x: tensor<2x3x16x16xf32>, %w: tensor<16x3x3x3xf32>) -> tensor<2x16x14x14xf32> {
  // expected-error @+1 {{chunk = [channels, rows, columns] has 8 elements, rows divide the stride of 1, and columns divide the stride of 1 or are its multiple}}
  %0 = kgen.dispatch @cv schedule(#kgen.schedule<family = conv, mma = wgmma, chunk = [1, 2, 4]>) ins(%x, %w : tensor<2x3x16x16xf32>, tensor<16x3x3x3xf32>) {
  ^bb0(%a: tensor<2x3x16x16xf32>, %b: tensor<16x3x3x3xf32>):
    %1 = aten.conv2d %a, %b : (tensor<2x3x16x16xf32>, tensor<16x3x3x3xf32>) -> tensor<2x16x14x14xf32>
    kgen.yield %1 : tensor<2x16x14x14xf32>
  } : tensor<2x16x14x14xf32>
  return %0 : tensor<2x16x14x14xf32>
}

// -----

func.func @f(%x: tensor<2x3x16x16xf32>, %w: tensor<16x3x3x3xf32>) -> tensor<2x16x14x14xf32> {
  // expected-error @+1 {{a row of outputs reads 3 groups of input rows: at least one more stage is expected, found 3}}
  %0 = kgen.dispatch @cv schedule(#kgen.schedule<family = conv, mma = wgmma, stages = 3>) ins(%x, %w : tensor<2x3x16x16xf32>, tensor<16x3x3x3xf32>) {
  ^bb0(%a: tensor<2x3x16x16xf32>, %b: tensor<16x3x3x3xf32>):
    %1 = aten.conv2d %a, %b : (tensor<2x3x16x16xf32>, tensor<16x3x3x3xf32>) -> tensor<2x16x14x14xf32>
    kgen.yield %1 : tensor<2x16x14x14xf32>
  } : tensor<2x16x14x14xf32>
  return %0 : tensor<2x16x14x14xf32>
}

// -----

func.func @f(%x: tensor<2x3x16x16xf32>, %w: tensor<16x3x3x3xf32>) -> tensor<2x16x14x14xf32> {
  // expected-error @+1 {{schedule key 'warp_tile' is not taken by conv/wgmma, conv/implicit and conv/halo, which take blocks, chunk, consumers, depths, dtype, im2col, l2_promotion, min_blocks, mma, mma_inflight, pipeline, producer_warps, split_k, stages, tile}}
  %0 = kgen.dispatch @cv schedule(#kgen.schedule<family = conv, mma = wgmma, warp_tile = [64, 48]>) ins(%x, %w : tensor<2x3x16x16xf32>, tensor<16x3x3x3xf32>) {
  ^bb0(%a: tensor<2x3x16x16xf32>, %b: tensor<16x3x3x3xf32>):
    %1 = aten.conv2d %a, %b : (tensor<2x3x16x16xf32>, tensor<16x3x3x3xf32>) -> tensor<2x16x14x14xf32>
    kgen.yield %1 : tensor<2x16x14x14xf32>
  } : tensor<2x16x14x14xf32>
  return %0 : tensor<2x16x14x14xf32>
}

// -----

func.func @f(%x: tensor<2x3x16x16xf32>, %w: tensor<16x3x3x3xf32>) -> tensor<2x16x14x14xf32> {
  // expected-error @+1 {{family conv multiplies fp32 as fp16 with mma = wgmma, found dtype = tf32}}
  %0 = kgen.dispatch @cv schedule(#kgen.schedule<family = conv, mma = wgmma, dtype = tf32>) ins(%x, %w : tensor<2x3x16x16xf32>, tensor<16x3x3x3xf32>) {
  ^bb0(%a: tensor<2x3x16x16xf32>, %b: tensor<16x3x3x3xf32>):
    %1 = aten.conv2d %a, %b : (tensor<2x3x16x16xf32>, tensor<16x3x3x3xf32>) -> tensor<2x16x14x14xf32>
    kgen.yield %1 : tensor<2x16x14x14xf32>
  } : tensor<2x16x14x14xf32>
  return %0 : tensor<2x16x14x14xf32>
}

// -----

func.func @f(%x: tensor<2x3x16x16xf32>, %w: tensor<16x3x3x3xf32>) -> tensor<2x16x12x12xf32> {
  // expected-error @+1 {{family conv has mma = wgmma without dilation, found 2}}
  %0 = kgen.dispatch @cv schedule(#kgen.schedule<family = conv, mma = wgmma>) ins(%x, %w : tensor<2x3x16x16xf32>, tensor<16x3x3x3xf32>) {
  ^bb0(%a: tensor<2x3x16x16xf32>, %b: tensor<16x3x3x3xf32>):
    %1 = aten.conv2d %a, %b dilation [2, 2] : (tensor<2x3x16x16xf32>, tensor<16x3x3x3xf32>) -> tensor<2x16x12x12xf32>
    kgen.yield %1 : tensor<2x16x12x12xf32>
  } : tensor<2x16x12x12xf32>
  return %0 : tensor<2x16x12x12xf32>
}

// -----

func.func @f(%x: tensor<2x8x16x16xf32>, %w: tensor<16x2x3x3xf32>) -> tensor<2x16x14x14xf32> {
  // expected-error @+1 {{family conv has mma = wgmma without groups, found 4}}
  %0 = kgen.dispatch @cv schedule(#kgen.schedule<family = conv, mma = wgmma>) ins(%x, %w : tensor<2x8x16x16xf32>, tensor<16x2x3x3xf32>) {
  ^bb0(%a: tensor<2x8x16x16xf32>, %b: tensor<16x2x3x3xf32>):
    %1 = aten.conv2d %a, %b groups 4 : (tensor<2x8x16x16xf32>, tensor<16x2x3x3xf32>) -> tensor<2x16x14x14xf32>
    kgen.yield %1 : tensor<2x16x14x14xf32>
  } : tensor<2x16x14x14xf32>
  return %0 : tensor<2x16x14x14xf32>
}

// -----

func.func @f(%x: tensor<2x3x16x16xf32>, %w: tensor<16x3x3x3xf32>) -> tensor<2x16x12x12xf32> {
  // expected-error @+1 {{mma = wgmma pools windows that meet or share one row: of stride to stride + 1 rows, found 3 rows and stride 1}}
  %0 = kgen.dispatch @cv schedule(#kgen.schedule<family = conv, mma = wgmma>) ins(%x, %w : tensor<2x3x16x16xf32>, tensor<16x3x3x3xf32>) {
  ^bb0(%a: tensor<2x3x16x16xf32>, %b: tensor<16x3x3x3xf32>):
    %1 = aten.conv2d %a, %b : (tensor<2x3x16x16xf32>, tensor<16x3x3x3xf32>) -> tensor<2x16x14x14xf32>
    %2 = aten.max_pool2d %1 kernel [3, 3] stride [1, 1] : (tensor<2x16x14x14xf32>) -> tensor<2x16x12x12xf32>
    kgen.yield %2 : tensor<2x16x12x12xf32>
  } : tensor<2x16x12x12xf32>
  return %0 : tensor<2x16x12x12xf32>
}

// -----

func.func @f(%x: tensor<2x3x16x16xf32>, %w: tensor<16x3x3x3xf32>) -> tensor<2x16x7x7xf32> {
  // expected-error @+1 {{family conv fuses maximum pooling only with mma = wgmma}}
  %0 = kgen.dispatch @cv schedule(#kgen.schedule<family = conv, mma = wgmma>) ins(%x, %w : tensor<2x3x16x16xf32>, tensor<16x3x3x3xf32>) {
  ^bb0(%a: tensor<2x3x16x16xf32>, %b: tensor<16x3x3x3xf32>):
    %1 = aten.conv2d %a, %b : (tensor<2x3x16x16xf32>, tensor<16x3x3x3xf32>) -> tensor<2x16x14x14xf32>
    %2 = aten.avg_pool2d %1 kernel [2, 2] : (tensor<2x16x14x14xf32>) -> tensor<2x16x7x7xf32>
    kgen.yield %2 : tensor<2x16x7x7xf32>
  } : tensor<2x16x7x7xf32>
  return %0 : tensor<2x16x7x7xf32>
}

// -----

func.func @f(%x: tensor<2x3x16x16xf32>, %w: tensor<256x3x3x3xf32>) -> tensor<2x256x14x14xf32> {
  // expected-error @+1 {{a thread needs 112 registers for its sums and 56 others, 768 threads leave it 104; a narrower tile or fewer consumers need less}}
  %0 = kgen.dispatch @cv schedule(#kgen.schedule<family = conv, mma = wgmma, tile = [64, 224], consumers = 3, producer_warps = 4>) ins(%x, %w : tensor<2x3x16x16xf32>, tensor<256x3x3x3xf32>) {
  ^bb0(%a: tensor<2x3x16x16xf32>, %b: tensor<256x3x3x3xf32>):
    %1 = aten.conv2d %a, %b : (tensor<2x3x16x16xf32>, tensor<256x3x3x3xf32>) -> tensor<2x256x14x14xf32>
    kgen.yield %1 : tensor<2x256x14x14xf32>
  } : tensor<2x256x14x14xf32>
  return %0 : tensor<2x256x14x14xf32>
}

// -----

module attributes {kgen.precision = "strict-fp32"} {
func.func @f(%x: tensor<2x3x16x16xf32>, %w: tensor<16x3x3x3xf32>) -> tensor<2x16x14x14xf32> {
  // expected-error @+1 {{expected an operand type within precision class strict-fp32, found dtype = fp16}}
  %0 = kgen.dispatch @cv schedule(#kgen.schedule<family = conv, mma = wgmma>) ins(%x, %w : tensor<2x3x16x16xf32>, tensor<16x3x3x3xf32>) {
  ^bb0(%a: tensor<2x3x16x16xf32>, %b: tensor<16x3x3x3xf32>):
    %1 = aten.conv2d %a, %b : (tensor<2x3x16x16xf32>, tensor<16x3x3x3xf32>) -> tensor<2x16x14x14xf32>
    kgen.yield %1 : tensor<2x16x14x14xf32>
  } : tensor<2x16x14x14xf32>
  return %0 : tensor<2x16x14x14xf32>
}
}

// -----

func.func @f(%x: tensor<2x256x16x16xf32>, %w: tensor<8x256x7x7xf32>) -> tensor<2x8x10x10xf32> {
  // expected-error @+1 {{a row of outputs takes 784 products, the limit with mma = wgmma is 192}}
  %0 = kgen.dispatch @cv schedule(#kgen.schedule<family = conv, mma = wgmma>) ins(%x, %w : tensor<2x256x16x16xf32>, tensor<8x256x7x7xf32>) {
  ^bb0(%a: tensor<2x256x16x16xf32>, %b: tensor<8x256x7x7xf32>):
    %1 = aten.conv2d %a, %b : (tensor<2x256x16x16xf32>, tensor<8x256x7x7xf32>) -> tensor<2x8x10x10xf32>
    kgen.yield %1 : tensor<2x8x10x10xf32>
  } : tensor<2x8x10x10xf32>
  return %0 : tensor<2x8x10x10xf32>
}

// -----

func.func @f(%x: tensor<2x3x60x24xf32>, %w: tensor<8x3x4x4xf32>) -> tensor<2x8x7x2xf32> {
  // expected-error @+1 {{mma_inflight = 1 before a pooling expects rows of outputs that share input rows, found 4 rows of the filter and a stride of 4}}
  %0 = kgen.dispatch @cv schedule(#kgen.schedule<family = conv, mma = wgmma, mma_inflight = 1>) ins(%x, %w : tensor<2x3x60x24xf32>, tensor<8x3x4x4xf32>) {
  ^bb0(%a: tensor<2x3x60x24xf32>, %b: tensor<8x3x4x4xf32>):
    %1 = aten.conv2d %a, %b stride [4, 4] : (tensor<2x3x60x24xf32>, tensor<8x3x4x4xf32>) -> tensor<2x8x15x6xf32>
    %2 = aten.max_pool2d %1 kernel [3, 3] stride [2, 2] : (tensor<2x8x15x6xf32>) -> tensor<2x8x7x2xf32>
    kgen.yield %2 : tensor<2x8x7x2xf32>
  } : tensor<2x8x7x2xf32>
  return %0 : tensor<2x8x7x2xf32>
}
