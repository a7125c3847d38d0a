// RUN: kgen-opt %s -kgen-lower-dispatches -split-input-file -verify-diagnostics

func.func @f(%x: tensor<2x6x16x16xf32>, %w: tensor<16x6x3x3xf32>) -> tensor<2x16x14x14xf32> {
  // expected-error @+1 {{family conv with pipeline = tma takes a multiple of 4 channels of 'f32', since tensor maps need strides of 16 bytes, found 6}}
  %0 = kgen.dispatch @cv schedule(#kgen.schedule<family = conv, mma = wgmma, pipeline = tma>) ins(%x, %w : tensor<2x6x16x16xf32>, tensor<16x6x3x3xf32>) {
  ^bb0(%a: tensor<2x6x16x16xf32>, %b: tensor<16x6x3x3xf32>):
    %1 = aten.conv2d %a, %b : (tensor<2x6x16x16xf32>, tensor<16x6x3x3xf32>) -> tensor<2x16x14x14xf32>
    kgen.yield %1 : tensor<2x16x14x14xf32>
  } : tensor<2x16x14x14xf32>
  return %0 : tensor<2x16x14x14xf32>
}

// -----

func.func @f(%x: tensor<2x12x16x16xf16>, %w: tensor<16x12x3x3xf16>) -> tensor<2x16x14x14xf16> {
  // expected-error @+1 {{family conv with pipeline = tma takes a multiple of 8 channels of 'f16', since tensor maps need strides of 16 bytes, found 12}}
  %0 = kgen.dispatch @cv schedule(#kgen.schedule<family = conv, mma = wgmma, pipeline = tma>) ins(%x, %w : tensor<2x12x16x16xf16>, tensor<16x12x3x3xf16>) {
  ^bb0(%a: tensor<2x12x16x16xf16>, %b: tensor<16x12x3x3xf16>):
    %1 = aten.conv2d %a, %b : (tensor<2x12x16x16xf16>, tensor<16x12x3x3xf16>) -> tensor<2x16x14x14xf16>
    kgen.yield %1 : tensor<2x16x14x14xf16>
  } : tensor<2x16x14x14xf16>
  return %0 : tensor<2x16x14x14xf16>
}

// -----

func.func @f(%x: tensor<2x16x8x8x8xf32>, %w: tensor<16x8x3x3x3xf32>) -> tensor<2x16x6x6x6xf32> {
  // expected-error @+1 {{family conv with pipeline = tma takes groups of plain convolutions in one and two dimensions only, found 2}}
  %0 = kgen.dispatch @cv schedule(#kgen.schedule<family = conv, mma = wgmma, pipeline = tma>) ins(%x, %w : tensor<2x16x8x8x8xf32>, tensor<16x8x3x3x3xf32>) {
  ^bb0(%a: tensor<2x16x8x8x8xf32>, %b: tensor<16x8x3x3x3xf32>):
    %1 = aten.conv3d %a, %b groups 2 : (tensor<2x16x8x8x8xf32>, tensor<16x8x3x3x3xf32>) -> tensor<2x16x6x6x6xf32>
    kgen.yield %1 : tensor<2x16x6x6x6xf32>
  } : tensor<2x16x6x6x6xf32>
  return %0 : tensor<2x16x6x6x6xf32>
}

// -----

func.func @f(%x: tensor<2x16x16x16xf32>, %w: tensor<16x16x3x3xf32>) -> tensor<2x16x7x7xf32> {
  // expected-error @+1 {{family conv with pipeline = tma fuses no pooling, found aten.max_pool2d}}
  %0 = kgen.dispatch @cv schedule(#kgen.schedule<family = conv, mma = wgmma, pipeline = tma>) ins(%x, %w : tensor<2x16x16x16xf32>, tensor<16x16x3x3xf32>) {
  ^bb0(%a: tensor<2x16x16x16xf32>, %b: tensor<16x16x3x3xf32>):
    %1 = aten.conv2d %a, %b : (tensor<2x16x16x16xf32>, tensor<16x16x3x3xf32>) -> tensor<2x16x14x14xf32>
    %2 = aten.max_pool2d %1 kernel [2, 2] stride [2, 2] : (tensor<2x16x14x14xf32>) -> tensor<2x16x7x7xf32>
    kgen.yield %2 : tensor<2x16x7x7xf32>
  } : tensor<2x16x7x7xf32>
  return %0 : tensor<2x16x7x7xf32>
}

// -----

func.func @f(%x: tensor<2x16x16x16xf32>, %w: tensor<16x16x3x3xf32>) -> tensor<2x16x5x5xf32> {
  // expected-error @+1 {{family conv with pipeline = tma takes at most 8 phases of a stride, found 9}}
  %0 = kgen.dispatch @cv schedule(#kgen.schedule<family = conv, mma = wgmma, pipeline = tma>) ins(%x, %w : tensor<2x16x16x16xf32>, tensor<16x16x3x3xf32>) {
  ^bb0(%a: tensor<2x16x16x16xf32>, %b: tensor<16x16x3x3xf32>):
    %1 = aten.conv2d %a, %b stride [3, 3] : (tensor<2x16x16x16xf32>, tensor<16x16x3x3xf32>) -> tensor<2x16x5x5xf32>
    kgen.yield %1 : tensor<2x16x5x5xf32>
  } : tensor<2x16x5x5xf32>
  return %0 : tensor<2x16x5x5xf32>
}

// -----

func.func @f(%x: tensor<2x16x16x16xf32>, %w: tensor<16x16x3x3xf32>) -> tensor<2x16x14x14xf32> {
  // expected-error @+1 {{family conv multiplies fp32 as tf32 with pipeline = tma, found dtype = fp16}}
  %0 = kgen.dispatch @cv schedule(#kgen.schedule<family = conv, mma = wgmma, pipeline = tma, dtype = fp16>) ins(%x, %w : tensor<2x16x16x16xf32>, tensor<16x16x3x3xf32>) {
  ^bb0(%a: tensor<2x16x16x16xf32>, %b: tensor<16x16x3x3xf32>):
    %1 = aten.conv2d %a, %b : (tensor<2x16x16x16xf32>, tensor<16x16x3x3xf32>) -> tensor<2x16x14x14xf32>
    kgen.yield %1 : tensor<2x16x14x14xf32>
  } : tensor<2x16x14x14xf32>
  return %0 : tensor<2x16x14x14xf32>
}

// -----

module attributes {kgen.precision = "strict-fp32"} {
func.func @f(%x: tensor<2x16x16x16xf32>, %w: tensor<16x16x3x3xf32>) -> tensor<2x16x14x14xf32> {
  // expected-error @+1 {{expected an operand type within precision class strict-fp32, found dtype = tf32}}
  %0 = kgen.dispatch @cv schedule(#kgen.schedule<family = conv, mma = wgmma, pipeline = tma>) ins(%x, %w : tensor<2x16x16x16xf32>, tensor<16x16x3x3xf32>) {
  ^bb0(%a: tensor<2x16x16x16xf32>, %b: tensor<16x16x3x3xf32>):
    %1 = aten.conv2d %a, %b : (tensor<2x16x16x16xf32>, tensor<16x16x3x3xf32>) -> tensor<2x16x14x14xf32>
    kgen.yield %1 : tensor<2x16x14x14xf32>
  } : tensor<2x16x14x14xf32>
  return %0 : tensor<2x16x14x14xf32>
}
}

// -----

func.func @f(%x: tensor<2x16x16x16xf32>, %w: tensor<16x16x3x3xf32>) -> tensor<2x16x14x14xf32> {
  // expected-error @+1 {{a tile of 2 consumers has a multiple of 128 pixels, found 192}}
  %0 = kgen.dispatch @cv schedule(#kgen.schedule<family = conv, mma = wgmma, pipeline = tma, tile = [192, 64, 32], consumers = 2>) ins(%x, %w : tensor<2x16x16x16xf32>, tensor<16x16x3x3xf32>) {
  ^bb0(%a: tensor<2x16x16x16xf32>, %b: tensor<16x16x3x3xf32>):
    %1 = aten.conv2d %a, %b : (tensor<2x16x16x16xf32>, tensor<16x16x3x3xf32>) -> tensor<2x16x14x14xf32>
    kgen.yield %1 : tensor<2x16x14x14xf32>
  } : tensor<2x16x14x14xf32>
  return %0 : tensor<2x16x14x14xf32>
}

// -----

func.func @f(%x: tensor<2x16x16x16xf16>, %w: tensor<16x16x3x3xf16>) -> tensor<2x16x14x14xf16> {
  // expected-error @+1 {{a step takes whole slabs of 64 channels of 'f16', found 32}}
  %0 = kgen.dispatch @cv schedule(#kgen.schedule<family = conv, mma = wgmma, pipeline = tma, tile = [64, 64, 32]>) ins(%x, %w : tensor<2x16x16x16xf16>, tensor<16x16x3x3xf16>) {
  ^bb0(%a: tensor<2x16x16x16xf16>, %b: tensor<16x16x3x3xf16>):
    %1 = aten.conv2d %a, %b : (tensor<2x16x16x16xf16>, tensor<16x16x3x3xf16>) -> tensor<2x16x14x14xf16>
    kgen.yield %1 : tensor<2x16x14x14xf16>
  } : tensor<2x16x14x14xf16>
  return %0 : tensor<2x16x14x14xf16>
}

// -----

func.func @f(%x: tensor<2x16x16x16xf32>, %w: tensor<16x16x3x3xf32>) -> tensor<2x16x14x14xf32> {
  // expected-error @+1 {{split_k = 8 leaves a slice empty: the taps and channels make 9 steps}}
  %0 = kgen.dispatch @cv schedule(#kgen.schedule<family = conv, mma = wgmma, pipeline = tma, tile = [64, 64, 32], split_k = 8>) ins(%x, %w : tensor<2x16x16x16xf32>, tensor<16x16x3x3xf32>) {
  ^bb0(%a: tensor<2x16x16x16xf32>, %b: tensor<16x16x3x3xf32>):
    %1 = aten.conv2d %a, %b : (tensor<2x16x16x16xf32>, tensor<16x16x3x3xf32>) -> tensor<2x16x14x14xf32>
    kgen.yield %1 : tensor<2x16x14x14xf32>
  } : tensor<2x16x14x14xf32>
  return %0 : tensor<2x16x14x14xf32>
}

// -----

func.func @f(%x: tensor<2x64x16x16xf32>, %w: tensor<256x64x3x3xf32>) -> tensor<2x256x14x14xf32> {
  // expected-error @+1 {{the tiles of 8 stages take 393344 bytes of shared memory, 232448 are left to a block with min_blocks = 1}}
  %0 = kgen.dispatch @cv schedule(#kgen.schedule<family = conv, mma = wgmma, pipeline = tma, tile = [128, 256, 32], stages = 8, min_blocks = 1>) ins(%x, %w : tensor<2x64x16x16xf32>, tensor<256x64x3x3xf32>) {
  ^bb0(%a: tensor<2x64x16x16xf32>, %b: tensor<256x64x3x3xf32>):
    %1 = aten.conv2d %a, %b : (tensor<2x64x16x16xf32>, tensor<256x64x3x3xf32>) -> tensor<2x256x14x14xf32>
    kgen.yield %1 : tensor<2x256x14x14xf32>
  } : tensor<2x256x14x14xf32>
  return %0 : tensor<2x256x14x14xf32>
}

// -----

func.func @f(%x: tensor<2x64x16x16xf32>, %w: tensor<256x64x3x3xf32>) -> tensor<2x256x14x14xf32> {
  // expected-error @+1 {{the tile needs 128 accumulators and about 48 other registers in a thread, min_blocks = 2 leaves 112}}
  %0 = kgen.dispatch @cv schedule(#kgen.schedule<family = conv, mma = wgmma, pipeline = tma, tile = [128, 256, 32], min_blocks = 2>) ins(%x, %w : tensor<2x64x16x16xf32>, tensor<256x64x3x3xf32>) {
  ^bb0(%a: tensor<2x64x16x16xf32>, %b: tensor<256x64x3x3xf32>):
    %1 = aten.conv2d %a, %b : (tensor<2x64x16x16xf32>, tensor<256x64x3x3xf32>) -> tensor<2x256x14x14xf32>
    kgen.yield %1 : tensor<2x256x14x14xf32>
  } : tensor<2x256x14x14xf32>
  return %0 : tensor<2x256x14x14xf32>
}
