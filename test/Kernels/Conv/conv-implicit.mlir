// RUN: kgen-opt %s -kgen-lower-dispatches -split-input-file | FileCheck %s

// A tile of three sizes is enough to say so. Images and weights are put in order first; a map for each residue by the stride, the second begins a pixel later.
// CHECK-LABEL: kgen.source @first
// CHECK-SAME: constexpr bool CHANNELS_LAST = false;
// CHECK-SAME: constexpr int BOX_I = 8, BOX_D = 1, BOX_H = 4, BOX_W = 4;
// CHECK-SAME: kgen::wgmma_tf32<BN>
// CHECK: kgen.launch @first::@first_image
// CHECK: kgen.launch @first::@first_weights
// CHECK: kgen.launch @first::@first_main
// CHECK-SAME: #kgen.tensor_map<operand = 1, dtype = tf32, dims = [64, 9, 64], strides = [256, 2304], box = [32, 1, 64], swizzle = 128, l2 = 256>
// CHECK-SAME: #kgen.tensor_map<operand = 0, dtype = tf32, dims = [64, 28, 28, 8], strides = [512, 28672, 802816], box = [32, 4, 4, 8], swizzle = 128, l2 = 256>
// CHECK-SAME: offset = 256>
// CHECK-SAME: offset = 14336>
// CHECK-SAME: offset = 14592>
module attributes {kgen.precision = "tf32"} {
func.func @f(%x: tensor<8x64x56x56xf32>, %w: tensor<64x64x3x3xf32>) -> tensor<8x64x28x28xf32> {
  %0 = kgen.dispatch @first schedule(#kgen.schedule<family = conv, mma = wgmma, tile = [128, 64, 32], split_k = 1>)
      ins(%x, %w : tensor<8x64x56x56xf32>, tensor<64x64x3x3xf32>) {
  ^bb0(%a: tensor<8x64x56x56xf32>, %b: tensor<64x64x3x3xf32>):
    %1 = aten.conv2d %a, %b stride [2, 2] padding [1, 1] : (tensor<8x64x56x56xf32>, tensor<64x64x3x3xf32>) -> tensor<8x64x28x28xf32>
    kgen.yield %1 : tensor<8x64x28x28xf32>
  } : tensor<8x64x28x28xf32>
  return %0 : tensor<8x64x28x28xf32>
}
}

// -----

// Channels-last buffers are read and written where they are: one launch, all pixels one row.
// CHECK-LABEL: kgen.source @last
// CHECK-SAME: constexpr bool CHANNELS_LAST = true;
// CHECK-SAME: constexpr int SPAN_I = 1, SPAN_D = 1, SPAN_H = 1, SPAN_W = 6272;
// CHECK-NOT: @last_image
// CHECK-NOT: @last_weights
// CHECK: kgen.launch @last::@last_main
// CHECK-NOT: kgen.launch
func.func @f(%x: tensor<8x28x28x64xf16>, %w: tensor<256x64x1x1xf16>, %r: tensor<8x28x28x256xf16>) -> tensor<8x28x28x256xf16> {
  %0 = kgen.dispatch @last schedule(#kgen.schedule<family = conv, pipeline = tma>)
      ins(%x, %w, %r : tensor<8x28x28x64xf16>, tensor<256x64x1x1xf16>, tensor<8x28x28x256xf16>) {
  ^bb0(%a: tensor<8x28x28x64xf16>, %b: tensor<256x64x1x1xf16>, %c: tensor<8x28x28x256xf16>):
    %1 = aten.permute %a dims [0, 3, 1, 2] : (tensor<8x28x28x64xf16>) -> tensor<8x64x28x28xf16>
    %2 = aten.conv2d %1, %b : (tensor<8x64x28x28xf16>, tensor<256x64x1x1xf16>) -> tensor<8x256x28x28xf16>
    %3 = aten.permute %c dims [0, 3, 1, 2] : (tensor<8x28x28x256xf16>) -> tensor<8x256x28x28xf16>
    %4 = aten.add.Tensor %2, %3 : (tensor<8x256x28x28xf16>, tensor<8x256x28x28xf16>) -> tensor<8x256x28x28xf16>
    %5 = aten.permute %4 dims [0, 2, 3, 1] : (tensor<8x256x28x28xf16>) -> tensor<8x28x28x256xf16>
    kgen.yield %5 : tensor<8x28x28x256xf16>
  } : tensor<8x28x28x256xf16>
  return %0 : tensor<8x28x28x256xf16>
}

// -----

// A transposed convolution: each phase of the stride is a tile, with the taps that it has; one map of the image serves all.
// CHECK-LABEL: kgen.source @transposed
// CHECK-SAME: constexpr int OD = 1, OH = 16, OW = 16;
// CHECK-SAME: constexpr int MOST_TAPS = 4;
// CHECK-SAME: constexpr int APART_D = 1, APART_H = 2, APART_W = 2;
// CHECK-SAME: constexpr int SPAN_I = 8, SPAN_D = 1, SPAN_H = 8, SPAN_W = 8;
// CHECK-SAME: packed[index] = weights[(channel * OC + index / (TAPS * C)) * TAPS + tap];
// CHECK-SAME: if (steps == 0)
// CHECK: kgen.launch @transposed::@transposed_image
// CHECK: kgen.launch @transposed::@transposed_weights
// CHECK: kgen.launch @transposed::@transposed_main
// CHECK-SAME: grid [16, 1, 1]
// CHECK-SAME: dims = [64, 9, 32], strides = [128, 1152], box = [64, 1, 32]
// CHECK-SAME: dims = [64, 8, 8, 8], strides = [128, 1024, 8192], box = [64, 8, 8, 2]
func.func @f(%x: tensor<8x64x8x8xf16>, %w: tensor<64x32x3x3xf16>) -> tensor<8x32x16x16xf16> {
  %0 = kgen.dispatch @transposed schedule(#kgen.schedule<family = conv, mma = wgmma, tile = [128, 32, 64], split_k = 1>)
      ins(%x, %w : tensor<8x64x8x8xf16>, tensor<64x32x3x3xf16>) {
  ^bb0(%a: tensor<8x64x8x8xf16>, %b: tensor<64x32x3x3xf16>):
    %1 = aten.conv_transpose2d.input %a, %b stride [2, 2] padding [1, 1] output_padding [1, 1] : (tensor<8x64x8x8xf16>, tensor<64x32x3x3xf16>) -> tensor<8x32x16x16xf16>
    kgen.yield %1 : tensor<8x32x16x16xf16>
  } : tensor<8x32x16x16xf16>
  return %0 : tensor<8x32x16x16xf16>
}

// -----

// A group's channels are a dimension of the map, so that zeros follow them in a slab; a tile's filters are those of one group.
// CHECK-LABEL: kgen.source @grouped
// CHECK-SAME: constexpr int IMAGES = 10, C = 20, OC = 240;
// CHECK-SAME: constexpr int GROUPS = 3, GROUP_OC = 80;
// CHECK-SAME: constexpr int PITCH = 20;
// CHECK-NOT: kgen.launch @grouped::@grouped_image
// CHECK: kgen.launch @grouped::@grouped_main
// CHECK-SAME: dims = [20, 1, 240], strides = [80, 80], box = [32, 1, 80]
// CHECK-SAME: dims = [20, 3, 31360, 1, 1], strides = [80, 240, 7526400, 7526400], box = [32, 1, 128, 1, 1]
module attributes {kgen.precision = "tf32"} {
func.func @f(%x: tensor<10x56x56x60xf32>, %w: tensor<240x20x1x1xf32>) -> tensor<10x56x56x240xf32> {
  %0 = kgen.dispatch @grouped schedule(#kgen.schedule<family = conv, mma = wgmma, pipeline = tma, tile = [128, 80, 32]>)
      ins(%x, %w : tensor<10x56x56x60xf32>, tensor<240x20x1x1xf32>) {
  ^bb0(%a: tensor<10x56x56x60xf32>, %b: tensor<240x20x1x1xf32>):
    %1 = aten.permute %a dims [0, 3, 1, 2] : (tensor<10x56x56x60xf32>) -> tensor<10x60x56x56xf32>
    %2 = aten.conv2d %1, %b groups 3 : (tensor<10x60x56x56xf32>, tensor<240x20x1x1xf32>) -> tensor<10x240x56x56xf32>
    %3 = aten.permute %2 dims [0, 2, 3, 1] : (tensor<10x240x56x56xf32>) -> tensor<10x56x56x240xf32>
    kgen.yield %3 : tensor<10x56x56x240xf32>
  } : tensor<10x56x56x240xf32>
  return %0 : tensor<10x56x56x240xf32>
}
}

// -----

// Rows that 16 bytes do not divide are laid out at a pitch in front.
// CHECK-LABEL: kgen.source @uneven
// CHECK-SAME: constexpr int PITCH = 24;
// CHECK: kgen.launch @uneven::@uneven_image
// CHECK: kgen.launch @uneven::@uneven_weights
// CHECK: kgen.launch @uneven::@uneven_main
// CHECK-SAME: dims = [20, 9, 24], strides = [48, 432]
// CHECK-SAME: dims = [20, 3, 14, 14, 2], strides = [48, 144, 2016, 28224]
func.func @f(%x: tensor<2x60x14x14xf16>, %w: tensor<24x20x3x3xf16>) -> tensor<2x24x14x14xf16> {
  %0 = kgen.dispatch @uneven schedule(#kgen.schedule<family = conv, mma = wgmma, pipeline = tma>)
      ins(%x, %w : tensor<2x60x14x14xf16>, tensor<24x20x3x3xf16>) {
  ^bb0(%a: tensor<2x60x14x14xf16>, %b: tensor<24x20x3x3xf16>):
    %1 = aten.conv2d %a, %b padding [1, 1] groups 3 : (tensor<2x60x14x14xf16>, tensor<24x20x3x3xf16>) -> tensor<2x24x14x14xf16>
    kgen.yield %1 : tensor<2x24x14x14xf16>
  } : tensor<2x24x14x14xf16>
  return %0 : tensor<2x24x14x14xf16>
}
