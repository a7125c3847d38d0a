// RUN: kgen-opt %s -kgen-lower-dispatches -split-input-file -verify-diagnostics | FileCheck %s

// The image is read as it is: one launch in front lays the filters out, which stay in each block. Rows begin where runs of four pixels do.
// CHECK-LABEL: kgen.source @plain
// CHECK-SAME: constexpr int TH = 4, TW = 56;
// CHECK-SAME: constexpr int RUN = 4, BEFORE_W = 3;
// CHECK-SAME: constexpr int PARTS = 1, TEAMS = 2;
// CHECK-SAME: constexpr bool RESIDENT = true;
// CHECK-SAME: kgen::wgmma_tf32<N>(c, a, b, true);
// CHECK: kgen.launch @plain::@plain_weights
// CHECK: kgen.launch @plain::@plain_main
// CHECK-SAME: grid [112, 1, 1] block [384, 1, 1]
// CHECK-NOT: kgen.launch
module attributes {kgen.precision = "tf32"} {
func.func @f(%x: tensor<8x64x56x56xf32>, %w: tensor<64x64x3x3xf32>) -> tensor<8x64x56x56xf32> {
  %0 = kgen.dispatch @plain schedule(#kgen.schedule<family = conv, mma = wgmma, im2col = halo, tile = [256, 64, 8]>)
      ins(%x, %w : tensor<8x64x56x56xf32>, tensor<64x64x3x3xf32>) {
  ^bb0(%a: tensor<8x64x56x56xf32>, %b: tensor<64x64x3x3xf32>):
    %1 = aten.conv2d %a, %b padding [1, 1] : (tensor<8x64x56x56xf32>, tensor<64x64x3x3xf32>) -> tensor<8x64x56x56xf32>
    kgen.yield %1 : tensor<8x64x56x56xf32>
  } : tensor<8x64x56x56xf32>
  return %0 : tensor<8x64x56x56xf32>
}
}

// -----

// f32 data as fp16: a launch in front scales the filters, the loads the pixels.
// CHECK-LABEL: kgen.source @halves
// CHECK-SAME: using In = float;
// CHECK-SAME: using Compute = __half;
// CHECK-SAME: constexpr int PORTION = 8;
// CHECK-SAME: kgen::wgmma_f16<N>(c, a, b, true);
// CHECK: kgen.launch @halves::@halves_weights
// CHECK-SAME: grid [64, 1, 1] block [128, 1, 1]
// CHECK: kgen.launch @halves::@halves_main
module attributes {kgen.precision = "tf32"} {
func.func @f(%x: tensor<8x64x56x56xf32>, %w: tensor<64x64x3x3xf32>) -> tensor<8x64x56x56xf32> {
  %0 = kgen.dispatch @halves schedule(#kgen.schedule<family = conv, mma = wgmma, im2col = halo, dtype = fp16, tile = [256, 64, 32]>)
      ins(%x, %w : tensor<8x64x56x56xf32>, tensor<64x64x3x3xf32>) {
  ^bb0(%a: tensor<8x64x56x56xf32>, %b: tensor<64x64x3x3xf32>):
    %1 = aten.conv2d %a, %b padding [1, 1] : (tensor<8x64x56x56xf32>, tensor<64x64x3x3xf32>) -> tensor<8x64x56x56xf32>
    kgen.yield %1 : tensor<8x64x56x56xf32>
  } : tensor<8x64x56x56xf32>
  return %0 : tensor<8x64x56x56xf32>
}
}

// -----

// Rows of 126 outputs begin inside of sectors of memory: a tile has whole ones, which lie one behind the other, and a warp stores four channels at once.
// CHECK-LABEL: kgen.source @rows
// CHECK-SAME: constexpr int TH = 2, TW = 126;
// CHECK-SAME: constexpr int AT_ONCE = 4;
// CHECK-SAME: constexpr int AHEAD = 2;
module attributes {kgen.precision = "tf32"} {
func.func @f(%x: tensor<8x64x128x128xf32>, %w: tensor<128x64x3x3xf32>) -> tensor<8x128x126x126xf32> {
  %0 = kgen.dispatch @rows schedule(#kgen.schedule<family = conv, mma = wgmma, im2col = halo, dtype = fp16, tile = [256, 128, 16], stages = 3>)
      ins(%x, %w : tensor<8x64x128x128xf32>, tensor<128x64x3x3xf32>) {
  ^bb0(%a: tensor<8x64x128x128xf32>, %b: tensor<128x64x3x3xf32>):
    %1 = aten.conv2d %a, %b : (tensor<8x64x128x128xf32>, tensor<128x64x3x3xf32>) -> tensor<8x128x126x126xf32>
    kgen.yield %1 : tensor<8x128x126x126xf32>
  } : tensor<8x128x126x126xf32>
  return %0 : tensor<8x128x126x126xf32>
}
}

// -----

module attributes {kgen.precision = "strict-fp32"} {
func.func @f(%x: tensor<8x64x56x56xf32>, %w: tensor<64x64x3x3xf32>) -> tensor<8x64x56x56xf32> {
  // expected-error @+1 {{expected an operand type within precision class strict-fp32, found dtype = fp16}}
  %0 = kgen.dispatch @strict schedule(#kgen.schedule<family = conv, mma = wgmma, im2col = halo, dtype = fp16>)
      ins(%x, %w : tensor<8x64x56x56xf32>, tensor<64x64x3x3xf32>) {
  ^bb0(%a: tensor<8x64x56x56xf32>, %b: tensor<64x64x3x3xf32>):
    %1 = aten.conv2d %a, %b padding [1, 1] : (tensor<8x64x56x56xf32>, tensor<64x64x3x3xf32>) -> tensor<8x64x56x56xf32>
    kgen.yield %1 : tensor<8x64x56x56xf32>
  } : tensor<8x64x56x56xf32>
  return %0 : tensor<8x64x56x56xf32>
}
}

// -----

// A warpgroup for each phase of the height, sums for both of the width.
// CHECK-LABEL: kgen.source @phases
// CHECK-SAME: constexpr int LEAD_D = 0, LEAD_H = 0, LEAD_W = 0;
// CHECK-SAME: constexpr int REACH_H = 1, REACH_W = 1;
// CHECK-SAME: constexpr int PARTS = 2, TEAMS = 1;
// CHECK-SAME: SETS = STRIDE_W; // sums of a thread
func.func @f(%x: tensor<8x64x8x8xf16>, %w: tensor<64x32x3x3xf16>) -> tensor<8x32x16x16xf16> {
  %0 = kgen.dispatch @phases schedule(#kgen.schedule<family = conv, mma = wgmma, im2col = halo>)
      ins(%x, %w : tensor<8x64x8x8xf16>, tensor<64x32x3x3xf16>) {
  ^bb0(%a: tensor<8x64x8x8xf16>, %b: tensor<64x32x3x3xf16>):
    %1 = aten.conv_transpose2d.input %a, %b stride [2, 2] padding [1, 1] output_padding [1, 1] : (tensor<8x64x8x8xf16>, tensor<64x32x3x3xf16>) -> tensor<8x32x16x16xf16>
    kgen.yield %1 : tensor<8x32x16x16xf16>
  } : tensor<8x32x16x16xf16>
  return %0 : tensor<8x32x16x16xf16>
}

// -----

func.func @f(%x: tensor<2x64x8x8xf16>, %w: tensor<64x32x3x3xf16>) -> tensor<2x32x24x24xf16> {
  // expected-error @+1 {{family conv with im2col = halo takes transposed convolutions of strides up to 2 along height and width, found 3}}
  %0 = kgen.dispatch @wide schedule(#kgen.schedule<family = conv, mma = wgmma, im2col = halo>)
      ins(%x, %w : tensor<2x64x8x8xf16>, tensor<64x32x3x3xf16>) {
  ^bb0(%a: tensor<2x64x8x8xf16>, %b: tensor<64x32x3x3xf16>):
    %1 = aten.conv_transpose2d.input %a, %b stride [3, 3] : (tensor<2x64x8x8xf16>, tensor<64x32x3x3xf16>) -> tensor<2x32x24x24xf16>
    kgen.yield %1 : tensor<2x32x24x24xf16>
  } : tensor<2x32x24x24xf16>
  return %0 : tensor<2x32x24x24xf16>
}

// -----

func.func @f(%x: tensor<8x64x56x56xf16>, %w: tensor<64x64x3x3xf16>) -> tensor<8x64x56x56xf16> {
  // expected-error @+1 {{im2col = halo: a step takes a multiple of 16 channels, found 8}}
  %0 = kgen.dispatch @narrow schedule(#kgen.schedule<family = conv, mma = wgmma, im2col = halo, tile = [256, 64, 8]>)
      ins(%x, %w : tensor<8x64x56x56xf16>, tensor<64x64x3x3xf16>) {
  ^bb0(%a: tensor<8x64x56x56xf16>, %b: tensor<64x64x3x3xf16>):
    %1 = aten.conv2d %a, %b padding [1, 1] : (tensor<8x64x56x56xf16>, tensor<64x64x3x3xf16>) -> tensor<8x64x56x56xf16>
    kgen.yield %1 : tensor<8x64x56x56xf16>
  } : tensor<8x64x56x56xf16>
  return %0 : tensor<8x64x56x56xf16>
}

// -----

// Four warpgroups are two tiles under way; small ones, since a thread has few registers.
// CHECK-LABEL: kgen.source @teams
// CHECK-SAME: constexpr int PARTS = 2, TEAMS = 2;
// CHECK-SAME: constexpr int PRODUCER_REGISTERS = 96, CONSUMER_REGISTERS = 96;
// CHECK-SAME: consumers = 4
// CHECK: kgen.launch @teams::@teams_main {{.*}} block [640, 1, 1]
func.func @f(%x: tensor<8x64x8x8xf32>, %w: tensor<64x32x3x3xf32>) -> tensor<8x32x16x16xf32> {
  %0 = kgen.dispatch @teams schedule(#kgen.schedule<family = conv, mma = wgmma, im2col = halo, dtype = fp16, consumers = 4>)
      ins(%x, %w : tensor<8x64x8x8xf32>, tensor<64x32x3x3xf32>) {
  ^bb0(%a: tensor<8x64x8x8xf32>, %b: tensor<64x32x3x3xf32>):
    %1 = aten.conv_transpose2d.input %a, %b stride [2, 2] padding [1, 1] output_padding [1, 1] : (tensor<8x64x8x8xf32>, tensor<64x32x3x3xf32>) -> tensor<8x32x16x16xf32>
    kgen.yield %1 : tensor<8x32x16x16xf32>
  } : tensor<8x32x16x16xf32>
  return %0 : tensor<8x32x16x16xf32>
}

// -----

func.func @f(%x: tensor<8x64x8x8xf16>, %w: tensor<64x32x3x3xf16>) -> tensor<8x32x16x16xf16> {
  // expected-error @+1 {{im2col = halo: a tile of 64 filters takes 2 warpgroups, and 3 consumers are no whole number of tiles}}
  %0 = kgen.dispatch @odd schedule(#kgen.schedule<family = conv, mma = wgmma, im2col = halo, tile = [64, 64, 16], consumers = 3>)
      ins(%x, %w : tensor<8x64x8x8xf16>, tensor<64x32x3x3xf16>) {
  ^bb0(%a: tensor<8x64x8x8xf16>, %b: tensor<64x32x3x3xf16>):
    %1 = aten.conv_transpose2d.input %a, %b stride [2, 2] padding [1, 1] output_padding [1, 1] : (tensor<8x64x8x8xf16>, tensor<64x32x3x3xf16>) -> tensor<8x32x16x16xf16>
    kgen.yield %1 : tensor<8x32x16x16xf16>
  } : tensor<8x32x16x16xf16>
  return %0 : tensor<8x32x16x16xf16>
}

// -----

func.func @f(%x: tensor<8x64x8x8xf16>, %w: tensor<64x32x3x3xf16>) -> tensor<8x32x16x16xf16> {
  // expected-error @+1 {{im2col = halo: the tile needs 96 accumulators and about 40 other registers in a thread, 96 are left to it}}
  %0 = kgen.dispatch @large schedule(#kgen.schedule<family = conv, mma = wgmma, im2col = halo, tile = [96, 64, 16], consumers = 4>)
      ins(%x, %w : tensor<8x64x8x8xf16>, tensor<64x32x3x3xf16>) {
  ^bb0(%a: tensor<8x64x8x8xf16>, %b: tensor<64x32x3x3xf16>):
    %1 = aten.conv_transpose2d.input %a, %b stride [2, 2] padding [1, 1] output_padding [1, 1] : (tensor<8x64x8x8xf16>, tensor<64x32x3x3xf16>) -> tensor<8x32x16x16xf16>
    kgen.yield %1 : tensor<8x32x16x16xf16>
  } : tensor<8x32x16x16xf16>
  return %0 : tensor<8x32x16x16xf16>
}

// -----

func.func @f(%x: tensor<2x3x8x8x8xf16>, %w: tensor<24x3x3x3x3xf16>) -> tensor<2x24x6x6x6xf16> {
  // expected-error @+1 {{im2col = halo: a tile of 4 depths has 16 filters for each, a convolution of 24 needs 64 in all and as many for each}}
  %0 = kgen.dispatch @many schedule(#kgen.schedule<family = conv, mma = wgmma, im2col = halo, tile = [64, 64, 16], depths = 4>)
      ins(%x, %w : tensor<2x3x8x8x8xf16>, tensor<24x3x3x3x3xf16>) {
  ^bb0(%a: tensor<2x3x8x8x8xf16>, %b: tensor<24x3x3x3x3xf16>):
    %1 = aten.conv3d %a, %b : (tensor<2x3x8x8x8xf16>, tensor<24x3x3x3x3xf16>) -> tensor<2x24x6x6x6xf16>
    kgen.yield %1 : tensor<2x24x6x6x6xf16>
  } : tensor<2x24x6x6x6xf16>
  return %0 : tensor<2x24x6x6x6xf16>
}

// -----

func.func @f(%x: tensor<2x3x8x8x8xf16>, %w: tensor<3x16x3x3x3xf16>) -> tensor<2x16x22x17x17xf16> {
  // expected-error @+1 {{im2col = halo: a tile of 4 depths is no whole number of strides, which are 3}}
  %0 = kgen.dispatch @thirds schedule(#kgen.schedule<family = conv, mma = wgmma, im2col = halo, tile = [64, 64, 16], depths = 4>)
      ins(%x, %w : tensor<2x3x8x8x8xf16>, tensor<3x16x3x3x3xf16>) {
  ^bb0(%a: tensor<2x3x8x8x8xf16>, %b: tensor<3x16x3x3x3xf16>):
    %1 = aten.conv_transpose3d.input %a, %b stride [3, 2, 2] padding [1, 0, 0] : (tensor<2x3x8x8x8xf16>, tensor<3x16x3x3x3xf16>) -> tensor<2x16x22x17x17xf16>
    kgen.yield %1 : tensor<2x16x22x17x17xf16>
  } : tensor<2x16x22x17x17xf16>
  return %0 : tensor<2x16x22x17x17xf16>
}
