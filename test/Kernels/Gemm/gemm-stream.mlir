// RUN: kgen-opt %s -split-input-file -kgen-form-dispatches -kgen-lower-dispatches | FileCheck %s

// Filters stay in parts of at most 128, two blocks of a multiprocessor store in turns.
// CHECK-LABEL: kgen.source @conv2d_0 arch "sm_90a"
// CHECK-SAME: constexpr int M = 128, N = 16384, K = 64;
// CHECK-SAME: constexpr int BATCH = 16;
// CHECK-SAME: constexpr bool SHARED_B = false;
// CHECK-SAME: constexpr bool A_K_CONTIGUOUS = true;
// CHECK-SAME: constexpr int BM = 128, BN = 128, BK = 32;
// CHECK-SAME: conv2d_0_pointwise(value + bias[row], batch, row, column / 128, column % 128, extra0)
// CHECK-SAME: kgen::mma_m16n8k8_tf32
// CHECK-SAME: __stcs(reinterpret_cast<uint4 *>(destination + i), bits)
// CHECK-SAME: kgen.schedule = #kgen.schedule<family = gemm, dtype = tf32, min_blocks = 2, mma = mma_sync, persistent = static, pipeline = cp_async, stages = 4, tile = [128, 128, 32], warp_tile = [32, 64]>
// CHECK: kgen.launch @conv2d_0::@conv2d_0_main grid [264, 1, 1] block [256, 1, 1] shared 102400
module attributes {kgen.precision = "tf32"} {
func.func @f(%x: tensor<16x64x128x128xf32>, %w: tensor<128x64x1x1xf32>, %b: tensor<128xf32>, %r: tensor<16x128x128x128xf32>) -> tensor<16x128x128x128xf32> {
  %0 = aten.conv2d %x, %w, %b : (tensor<16x64x128x128xf32>, tensor<128x64x1x1xf32>, tensor<128xf32>) -> tensor<16x128x128x128xf32>
  %1 = aten.add.Tensor %0, %r : (tensor<16x128x128x128xf32>, tensor<16x128x128x128xf32>) -> tensor<16x128x128x128xf32>
  return %1 : tensor<16x128x128x128xf32>
}
}

// -----

// A transposed convolution has its filters as [channels, filters]; with many channels, one block has all the room.
// CHECK-LABEL: kgen.source @conv_transpose1d_0
// CHECK-SAME: constexpr int M = 192, N = 65536, K = 256;
// CHECK-SAME: constexpr bool A_K_CONTIGUOUS = false;
// CHECK-SAME: constexpr int BM = 96, BN = 128, BK = 64;
// CHECK-SAME: kgen::mma_m16n8k16_bf16
// CHECK-SAME: family = gemm, dtype = bf16, min_blocks = {{[12]}},
func.func @t(%x: tensor<4x256x65536xbf16>, %w: tensor<256x192x1xbf16>) -> tensor<4x192x65536xbf16> {
  %0 = aten.conv_transpose1d %x, %w : (tensor<4x256x65536xbf16>, tensor<256x192x1xbf16>) -> tensor<4x192x65536xbf16>
  return %0 : tensor<4x192x65536xbf16>
}

// -----

// Results that a cache may hold stay in it.
// CHECK-LABEL: kgen.source @conv_transpose1d_0
// CHECK-SAME: constexpr int M = 192, N = 8192, K = 64;
// CHECK-NOT: __stcs
// CHECK: persistent = static
func.func @small(%x: tensor<4x64x8192xbf16>, %w: tensor<64x192x1xbf16>) -> tensor<4x192x8192xbf16> {
  %0 = aten.conv_transpose1d %x, %w : (tensor<4x64x8192xbf16>, tensor<64x192x1xbf16>) -> tensor<4x192x8192xbf16>
  return %0 : tensor<4x192x8192xbf16>
}

// -----

// What is more to multiply than to move, in strict-fp32, strided, padded or between permutes stays a convolution, and
// so do few pixels, groups and what a pooling follows.
// CHECK-COUNT-8: family = conv
// CHECK-NOT: family = gemm
module attributes {kgen.precision = "strict-fp32"} {
func.func @strict(%x: tensor<2x64x16x16xf32>, %w: tensor<64x64x1x1xf32>) -> tensor<2x64x16x16xf32> {
  %0 = aten.conv2d %x, %w : (tensor<2x64x16x16xf32>, tensor<64x64x1x1xf32>) -> tensor<2x64x16x16xf32>
  return %0 : tensor<2x64x16x16xf32>
}
}

// -----

func.func @large(%x: tensor<2x512x16x16xf16>, %w: tensor<512x512x1x1xf16>) -> tensor<2x512x16x16xf16> {
  %0 = aten.conv2d %x, %w : (tensor<2x512x16x16xf16>, tensor<512x512x1x1xf16>) -> tensor<2x512x16x16xf16>
  return %0 : tensor<2x512x16x16xf16>
}

// -----

func.func @strided(%x: tensor<2x64x32x32xf16>, %w: tensor<64x64x1x1xf16>) -> tensor<2x64x16x16xf16> {
  %0 = aten.conv2d %x, %w stride [2, 2] : (tensor<2x64x32x32xf16>, tensor<64x64x1x1xf16>) -> tensor<2x64x16x16xf16>
  return %0 : tensor<2x64x16x16xf16>
}

// -----

func.func @padded(%x: tensor<2x64x16x16xf16>, %w: tensor<64x64x1x1xf16>) -> tensor<2x64x18x18xf16> {
  %0 = aten.conv2d %x, %w padding [1, 1] : (tensor<2x64x16x16xf16>, tensor<64x64x1x1xf16>) -> tensor<2x64x18x18xf16>
  return %0 : tensor<2x64x18x18xf16>
}

// -----

func.func @last(%x: tensor<2x16x16x64xf16>, %w: tensor<64x64x1x1xf16>) -> tensor<2x16x16x64xf16> {
  %0 = aten.permute %x dims [0, 3, 1, 2] : (tensor<2x16x16x64xf16>) -> tensor<2x64x16x16xf16>
  %1 = aten.conv2d %0, %w : (tensor<2x64x16x16xf16>, tensor<64x64x1x1xf16>) -> tensor<2x64x16x16xf16>
  %2 = aten.relu %1 : (tensor<2x64x16x16xf16>) -> tensor<2x64x16x16xf16>
  %3 = aten.permute %2 dims [0, 2, 3, 1] : (tensor<2x64x16x16xf16>) -> tensor<2x16x16x64xf16>
  return %3 : tensor<2x16x16x64xf16>
}

// -----

func.func @few(%x: tensor<2x64x7x7xf16>, %w: tensor<64x64x1x1xf16>) -> tensor<2x64x7x7xf16> {
  %0 = aten.conv2d %x, %w : (tensor<2x64x7x7xf16>, tensor<64x64x1x1xf16>) -> tensor<2x64x7x7xf16>
  return %0 : tensor<2x64x7x7xf16>
}

// -----

func.func @groups(%x: tensor<2x64x16x16xf16>, %w: tensor<64x32x1x1xf16>) -> tensor<2x64x16x16xf16> {
  %0 = aten.conv2d %x, %w groups 2 : (tensor<2x64x16x16xf16>, tensor<64x32x1x1xf16>) -> tensor<2x64x16x16xf16>
  return %0 : tensor<2x64x16x16xf16>
}

// -----

func.func @pooled(%x: tensor<2x64x16x16xf16>, %w: tensor<64x64x1x1xf16>) -> tensor<2x64x8x8xf16> {
  %0 = aten.conv2d %x, %w : (tensor<2x64x16x16xf16>, tensor<64x64x1x1xf16>) -> tensor<2x64x16x16xf16>
  %1 = aten.relu %0 : (tensor<2x64x16x16xf16>) -> tensor<2x64x16x16xf16>
  %2 = aten.max_pool2d %1 kernel [2, 2] : (tensor<2x64x16x16xf16>) -> tensor<2x64x8x8xf16>
  return %2 : tensor<2x64x8x8xf16>
}
