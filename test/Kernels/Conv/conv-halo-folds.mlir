// RUN: kgen-opt %s -kgen-lower-dispatches -split-input-file -verify-diagnostics | FileCheck %s

// Without a word, the one schedule that folds outputs. A softmax needs all channels in one tile.
// CHECK-LABEL: kgen.source @normal
// CHECK-SAME: constexpr int F = 128, BK = 16;
// CHECK-SAME: constexpr int PARTS = 2, TEAMS = 1;
// CHECK: kgen.launch @normal::@normal_weights
// CHECK: kgen.launch @normal::@normal_main
// CHECK-NOT: kgen.launch
func.func @f(%x: tensor<8x64x8x8xf16>, %w: tensor<64x100x3x3xf16>) -> tensor<8x100x16x16xf16> {
  %0 = kgen.dispatch @normal schedule(#kgen.schedule<family = conv>)
      ins(%x, %w : tensor<8x64x8x8xf16>, tensor<64x100x3x3xf16>) {
  ^bb0(%a: tensor<8x64x8x8xf16>, %b: tensor<64x100x3x3xf16>):
    %1 = aten.conv_transpose2d.input %a, %b stride [2, 2] padding [1, 1] output_padding [1, 1] : (tensor<8x64x8x8xf16>, tensor<64x100x3x3xf16>) -> tensor<8x100x16x16xf16>
    %2 = aten.softmax.int %1 dim 1 : (tensor<8x100x16x16xf16>) -> tensor<8x100x16x16xf16>
    kgen.yield %2 : tensor<8x100x16x16xf16>
  } : tensor<8x100x16x16xf16>
  return %0 : tensor<8x100x16x16xf16>
}

// -----

// What several tiles of filters, or of pixels, leave is added up by a launch behind them.
// CHECK-LABEL: kgen.source @pieces
// CHECK: kgen.launch @pieces::@pieces_main
// CHECK: kgen.launch @pieces::@pieces_total
func.func @f(%x: tensor<8x64x8x8xf16>, %w: tensor<256x64x3x3xf16>) -> tensor<8x6x6xf16> {
  %0 = kgen.dispatch @pieces schedule(#kgen.schedule<family = conv, mma = wgmma, im2col = halo, tile = [64, 64, 16]>)
      ins(%x, %w : tensor<8x64x8x8xf16>, tensor<256x64x3x3xf16>) {
  ^bb0(%a: tensor<8x64x8x8xf16>, %b: tensor<256x64x3x3xf16>):
    %1 = aten.conv2d %a, %b : (tensor<8x64x8x8xf16>, tensor<256x64x3x3xf16>) -> tensor<8x256x6x6xf16>
    %2, %3 = aten.max.dim %1 dim 1 : (tensor<8x256x6x6xf16>) -> (tensor<8x6x6xf16>, tensor<8x6x6xi64>)
    kgen.yield %2 : tensor<8x6x6xf16>
  } : tensor<8x6x6xf16>
  return %0 : tensor<8x6x6xf16>
}

// -----

func.func @f(%x: tensor<8x64x8x8xf16>, %w: tensor<256x64x3x3xf16>) -> tensor<8x256x6x6xf16> {
  %0 = kgen.dispatch @many schedule(#kgen.schedule<family = conv, mma = wgmma, im2col = halo>)
      ins(%x, %w : tensor<8x64x8x8xf16>, tensor<256x64x3x3xf16>) {
  ^bb0(%a: tensor<8x64x8x8xf16>, %b: tensor<256x64x3x3xf16>):
    %1 = aten.conv2d %a, %b : (tensor<8x64x8x8xf16>, tensor<256x64x3x3xf16>) -> tensor<8x256x6x6xf16>
    // expected-error @+1 {{family conv with im2col = halo normalises up to 192 channels, found 256}}
    %2 = aten.softmax.int %1 dim 1 : (tensor<8x256x6x6xf16>) -> tensor<8x256x6x6xf16>
    kgen.yield %2 : tensor<8x256x6x6xf16>
  } : tensor<8x256x6x6xf16>
  return %0 : tensor<8x256x6x6xf16>
}

// -----

func.func @f(%x: tensor<8x64x8x8xf16>, %w: tensor<64x64x3x3xf16>) -> tensor<8x64xf16> {
  %0 = kgen.dispatch @other schedule(#kgen.schedule<family = conv, mma = mma_sync>)
      ins(%x, %w : tensor<8x64x8x8xf16>, tensor<64x64x3x3xf16>) {
  ^bb0(%a: tensor<8x64x8x8xf16>, %b: tensor<64x64x3x3xf16>):
    %1 = aten.conv2d %a, %b : (tensor<8x64x8x8xf16>, tensor<64x64x3x3xf16>) -> tensor<8x64x6x6xf16>
    // expected-error @+1 {{family conv fuses aten.mean.dim with mma = wgmma, im2col = halo only}}
    %2 = aten.mean.dim %1 dim [2, 3] : (tensor<8x64x6x6xf16>) -> tensor<8x64xf16>
    kgen.yield %2 : tensor<8x64xf16>
  } : tensor<8x64xf16>
  return %0 : tensor<8x64xf16>
}
