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

// -----

// Windows of both phases of the height and of two depths: a tile has them whole.
// CHECK-LABEL: kgen.source @windows
// CHECK-SAME: constexpr int POOL_D = 2, POOL_H = 2, POOL_W = 2;
// CHECK-SAME: constexpr int POD = 4, POH = 7, POW = 7;
// CHECK-SAME: constexpr int DEPTHS = 4,
// CHECK-NOT: windows_total
func.func @f(%x: tensor<8x3x4x8x8xf16>, %w: tensor<3x16x3x3x3xf16>) -> tensor<8x16x4x7x7xf16> {
  %0 = kgen.dispatch @windows schedule(#kgen.schedule<family = conv>)
      ins(%x, %w : tensor<8x3x4x8x8xf16>, tensor<3x16x3x3x3xf16>) {
  ^bb0(%a: tensor<8x3x4x8x8xf16>, %b: tensor<3x16x3x3x3xf16>):
    %1 = aten.conv_transpose3d.input %a, %b stride [2, 2, 2] padding [1, 1, 1] output_padding [1, 0, 0] : (tensor<8x3x4x8x8xf16>, tensor<3x16x3x3x3xf16>) -> tensor<8x16x8x15x15xf16>
    %2 = aten.max_pool3d %1 kernel [2, 2, 2] : (tensor<8x16x8x15x15xf16>) -> tensor<8x16x4x7x7xf16>
    kgen.yield %2 : tensor<8x16x4x7x7xf16>
  } : tensor<8x16x4x7x7xf16>
  return %0 : tensor<8x16x4x7x7xf16>
}

// -----

func.func @f(%x: tensor<8x16x8x8xf16>, %w: tensor<16x16x3x3xf16>) -> tensor<8x16x7x7xf16> {
  %0 = kgen.dispatch @tiled schedule(#kgen.schedule<family = conv, mma = wgmma, pipeline = tma>)
      ins(%x, %w : tensor<8x16x8x8xf16>, tensor<16x16x3x3xf16>) {
  ^bb0(%a: tensor<8x16x8x8xf16>, %b: tensor<16x16x3x3xf16>):
    %1 = aten.conv_transpose2d.input %a, %b stride [2, 2] padding [1, 1] output_padding [0, 0] : (tensor<8x16x8x8xf16>, tensor<16x16x3x3xf16>) -> tensor<8x16x15x15xf16>
    // expected-error @+1 {{family conv fuses aten.max_pool2d behind a transposed convolution with mma = wgmma, im2col = halo only}}
    %2 = aten.max_pool2d %1 kernel [2, 2] : (tensor<8x16x15x15xf16>) -> tensor<8x16x7x7xf16>
    kgen.yield %2 : tensor<8x16x7x7xf16>
  } : tensor<8x16x7x7xf16>
  return %0 : tensor<8x16x7x7xf16>
}

// -----

func.func @f(%x: tensor<8x16x8x8xf16>, %w: tensor<16x16x3x3xf16>) -> tensor<8x16x2x2xf16> {
  %0 = kgen.dispatch @shared schedule(#kgen.schedule<family = conv, mma = wgmma, im2col = halo>)
      ins(%x, %w : tensor<8x16x8x8xf16>, tensor<16x16x3x3xf16>) {
  ^bb0(%a: tensor<8x16x8x8xf16>, %b: tensor<16x16x3x3xf16>):
    %1 = aten.conv2d %a, %b : (tensor<8x16x8x8xf16>, tensor<16x16x3x3xf16>) -> tensor<8x16x6x6xf16>
    // expected-error @+1 {{family conv with im2col = halo pools windows that lie inside of the outputs side by side, found aten.max_pool2d with windows of 3, stride 2 and padding 0}}
    %2 = aten.max_pool2d %1 kernel [3, 3] stride [2, 2] : (tensor<8x16x6x6xf16>) -> tensor<8x16x2x2xf16>
    kgen.yield %2 : tensor<8x16x2x2xf16>
  } : tensor<8x16x2x2xf16>
  return %0 : tensor<8x16x2x2xf16>
}

// -----

// A tile has one depth of many filters, and both rows of a stride.
func.func @f(%x: tensor<8x16x4x8x8xf16>, %w: tensor<16x64x3x3x3xf16>) -> tensor<8x64x4x7x7xf16> {
  // expected-error @+1 {{a tile has outputs of 1 depths, and windows have 2}}
  %0 = kgen.dispatch @deep schedule(#kgen.schedule<family = conv, mma = wgmma, im2col = halo>)
      ins(%x, %w : tensor<8x16x4x8x8xf16>, tensor<16x64x3x3x3xf16>) {
  ^bb0(%a: tensor<8x16x4x8x8xf16>, %b: tensor<16x64x3x3x3xf16>):
    %1 = aten.conv_transpose3d.input %a, %b stride [2, 2, 2] padding [1, 1, 1] output_padding [1, 0, 0] : (tensor<8x16x4x8x8xf16>, tensor<16x64x3x3x3xf16>) -> tensor<8x64x8x15x15xf16>
    %2 = aten.max_pool3d %1 kernel [2, 2, 2] : (tensor<8x64x8x15x15xf16>) -> tensor<8x64x4x7x7xf16>
    kgen.yield %2 : tensor<8x64x4x7x7xf16>
  } : tensor<8x64x4x7x7xf16>
  return %0 : tensor<8x64x4x7x7xf16>
}

// -----

func.func @f(%x: tensor<8x16x8x8xf16>, %w: tensor<16x16x3x3xf16>) -> tensor<8x16x5x5xf16> {
  // expected-error @+1 {{windows of 3 rows are no whole number of strides, which are 2}}
  %0 = kgen.dispatch @odd schedule(#kgen.schedule<family = conv, mma = wgmma, im2col = halo, tile = [64, 64, 16]>)
      ins(%x, %w : tensor<8x16x8x8xf16>, tensor<16x16x3x3xf16>) {
  ^bb0(%a: tensor<8x16x8x8xf16>, %b: tensor<16x16x3x3xf16>):
    %1 = aten.conv_transpose2d.input %a, %b stride [2, 2] padding [1, 1] output_padding [0, 0] : (tensor<8x16x8x8xf16>, tensor<16x16x3x3xf16>) -> tensor<8x16x15x15xf16>
    %2 = aten.max_pool2d %1 kernel [3, 3] : (tensor<8x16x15x15xf16>) -> tensor<8x16x5x5xf16>
    kgen.yield %2 : tensor<8x16x5x5xf16>
  } : tensor<8x16x5x5xf16>
  return %0 : tensor<8x16x5x5xf16>
}
