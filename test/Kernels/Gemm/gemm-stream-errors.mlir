// RUN: kgen-opt %s -split-input-file -verify-diagnostics -kgen-lower-dispatches

func.func @tap(%x: tensor<2x16x9x9xf16>, %w: tensor<8x16x3x3xf16>) -> tensor<2x8x7x7xf16> {
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = gemm>) ins(%x, %w : tensor<2x16x9x9xf16>, tensor<8x16x3x3xf16>) {
  ^bb0(%a: tensor<2x16x9x9xf16>, %b: tensor<8x16x3x3xf16>):
    // expected-error @below {{family gemm computes convolutions of one tap without stride, padding and groups, found aten.conv2d}}
    %c = aten.conv2d %a, %b : (tensor<2x16x9x9xf16>, tensor<8x16x3x3xf16>) -> tensor<2x8x7x7xf16>
    kgen.yield %c : tensor<2x8x7x7xf16>
  } : tensor<2x8x7x7xf16>
  return %0 : tensor<2x8x7x7xf16>
}

// -----

func.func @layout(%x: tensor<2x9x16xf16>, %w: tensor<8x16x1xf16>) -> tensor<2x8x9xf16> {
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = gemm>) ins(%x, %w : tensor<2x9x16xf16>, tensor<8x16x1xf16>) {
  ^bb0(%a: tensor<2x9x16xf16>, %b: tensor<8x16x1xf16>):
    %t = aten.permute %a dims [0, 2, 1] : (tensor<2x9x16xf16>) -> tensor<2x16x9xf16>
    // expected-error @below {{family gemm reads a convolution's image and filters from the dispatch's inputs, directly or reshaped}}
    %c = aten.conv1d %t, %b : (tensor<2x16x9xf16>, tensor<8x16x1xf16>) -> tensor<2x8x9xf16>
    kgen.yield %c : tensor<2x8x9xf16>
  } : tensor<2x8x9xf16>
  return %0 : tensor<2x8x9xf16>
}

// -----

func.func @along(%a: tensor<512x64xf16>, %b: tensor<512x64xf16>) -> tensor<512x512xf16> {
  // expected-error @below {{persistent = static on warps streams a right operand whose rows, along n, are contiguous, found one that is contiguous along k}}
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = gemm, mma = mma_sync, persistent = static>) ins(%a, %b : tensor<512x64xf16>, tensor<512x64xf16>) {
  ^bb0(%l: tensor<512x64xf16>, %r: tensor<512x64xf16>):
    %m = aten.linear %l, %r : (tensor<512x64xf16>, tensor<512x64xf16>) -> tensor<512x512xf16>
    kgen.yield %m : tensor<512x512xf16>
  } : tensor<512x512xf16>
  return %0 : tensor<512x512xf16>
}

// -----

func.func @batches(%a: tensor<3x64x64xf16>, %b: tensor<3x64x512xf16>) -> tensor<3x64x512xf16> {
  // expected-error @below {{persistent = static on warps keeps one left operand for all batches, found 3}}
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = gemm, mma = mma_sync, persistent = static>) ins(%a, %b : tensor<3x64x64xf16>, tensor<3x64x512xf16>) {
  ^bb0(%l: tensor<3x64x64xf16>, %r: tensor<3x64x512xf16>):
    %m = aten.bmm %l, %r : (tensor<3x64x64xf16>, tensor<3x64x512xf16>) -> tensor<3x64x512xf16>
    kgen.yield %m : tensor<3x64x512xf16>
  } : tensor<3x64x512xf16>
  return %0 : tensor<3x64x512xf16>
}

// -----

func.func @dtype(%a: tensor<64x64xf32>, %b: tensor<64x512xf32>) -> tensor<64x512xf32> {
  // expected-error @below {{persistent = static on warps multiplies operands of fp32 as tf32, found dtype = fp16}}
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = gemm, mma = mma_sync, persistent = static, dtype = fp16>) ins(%a, %b : tensor<64x64xf32>, tensor<64x512xf32>) {
  ^bb0(%l: tensor<64x64xf32>, %r: tensor<64x512xf32>):
    %m = aten.mm %l, %r : (tensor<64x64xf32>, tensor<64x512xf32>) -> tensor<64x512xf32>
    kgen.yield %m : tensor<64x512xf32>
  } : tensor<64x512xf32>
  return %0 : tensor<64x512xf32>
}

// -----

func.func @room(%a: tensor<128x1024xf32>, %b: tensor<1024x512xf32>) -> tensor<128x512xf32> {
  // expected-error @below {{the rows that stay and the slabs of 2 stages take 543744 bytes of shared memory, sm_90a has 232448}}
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = gemm, mma = mma_sync, persistent = static, tile = [128, 64, 32]>) ins(%a, %b : tensor<128x1024xf32>, tensor<1024x512xf32>) {
  ^bb0(%l: tensor<128x1024xf32>, %r: tensor<1024x512xf32>):
    %m = aten.mm %l, %r : (tensor<128x1024xf32>, tensor<1024x512xf32>) -> tensor<128x512xf32>
    kgen.yield %m : tensor<128x512xf32>
  } : tensor<128x512xf32>
  return %0 : tensor<128x512xf32>
}
