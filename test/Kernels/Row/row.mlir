// RUN: kgen-opt %s -kgen-lower-dispatches -split-input-file | FileCheck %s

// A long row stays on chip: what shared memory cannot hold is in registers, and the next row is fetched meanwhile.
// CHECK-LABEL: kgen.source @softmax arch "sm_90a"
// CHECK-SAME: constexpr int kSharedPacks = 14;
// CHECK-SAME: constexpr int kRegisterPacks = 2;
// CHECK-SAME: kgen::cp_async16(&slots[pack * kThreads], held_address(operands, row, column));
// CHECK-SAME: __launch_bounds__(softmax::kThreads, 1)\0A    softmax_rows(const float *__restrict__ in0, float *__restrict__ out0)
// CHECK-NOT: #if
// CHECK-NOT: //@
// CHECK-SAME: cache_hint = streaming, fast_math = off, min_blocks = 1, reduce = online, resident = hybrid, rows_per_block = 1, split_rows = 1, threads_per_row = 1024, unroll = 4, vec = 4
// CHECK: kgen.launch @softmax::@softmax_rows grid [132, 1, 1] block [1024, 1, 1] shared 229376
func.func @f(%x0: tensor<4096x65536xf32>) -> tensor<4096x65536xf32> {
  %0 = kgen.dispatch @softmax schedule(#kgen.schedule<family = row>) ins(%x0 : tensor<4096x65536xf32>) {
  ^bb0(%a0: tensor<4096x65536xf32>):
    %s = aten.softmax.int %a0 dim 1 : (tensor<4096x65536xf32>) -> tensor<4096x65536xf32>
    kgen.yield %s : tensor<4096x65536xf32>
  } : tensor<4096x65536xf32>
  return %0 : tensor<4096x65536xf32>
}

// -----

// The same, read twice: the second pass walks backwards.
// CHECK-LABEL: kgen.source @softmax
// CHECK-SAME: for (int column = kLast + lane * kVector; column >= 0; column -= kStep)
// CHECK: grid [4096, 1, 1] block [512, 1, 1] shared 0
func.func @f(%x0: tensor<4096x65536xf32>) -> tensor<4096x65536xf32> {
  %0 = kgen.dispatch @softmax schedule(#kgen.schedule<family = row, resident = none, threads_per_row = 512, rows_per_block = 1>) ins(%x0 : tensor<4096x65536xf32>) {
  ^bb0(%a0: tensor<4096x65536xf32>):
    %s = aten.softmax.int %a0 dim 1 : (tensor<4096x65536xf32>) -> tensor<4096x65536xf32>
    kgen.yield %s : tensor<4096x65536xf32>
  } : tensor<4096x65536xf32>
  return %0 : tensor<4096x65536xf32>
}

// -----

// Short rows: a warp each, reduced by shuffles alone; 77 elements allow no vectors.
// CHECK-LABEL: kgen.source @short
// CHECK-SAME: constexpr int kVector = 1;
// CHECK-SAME: constexpr int kPacks = 3;
// CHECK-NOT: __syncthreads
// CHECK: grid [250, 1, 1] block [128, 1, 1] shared 0
func.func @f(%x0: tensor<1000x77xf32>) -> tensor<1000x77xf32> {
  %0 = kgen.dispatch @short schedule(#kgen.schedule<family = row>) ins(%x0 : tensor<1000x77xf32>) {
  ^bb0(%a0: tensor<1000x77xf32>):
    %s = aten.log_softmax.int %a0 dim 1 : (tensor<1000x77xf32>) -> tensor<1000x77xf32>
    kgen.yield %s : tensor<1000x77xf32>
  } : tensor<1000x77xf32>
  return %0 : tensor<1000x77xf32>
}

// -----

// Few, long rows are split: partial states first; each block of the second kernel reads its weights once for 16 rows. In CUDA a norm is a
// function, so that the kernels' namespace has another name.
// CHECK-LABEL: kgen.source @norm0
// CHECK-SAME: norm0_partial(const float *__restrict__ in0, const float *__restrict__ in1, const float *__restrict__ in2, float *__restrict__ partials)
// CHECK-SAME: norm0_finish(
// CHECK: %[[WS:.*]] = tensor.empty() : tensor<16x64x3xf32>
// CHECK: %[[P:.*]] = kgen.launch @norm0::@norm0_partial grid [1024, 1, 1] block [512, 1, 1] shared 0 ins(%arg0, %arg1, %arg2 : {{.*}}) outs(%[[WS]] :
// CHECK: kgen.launch @norm0::@norm0_finish grid [528, 1, 1] block [512, 1, 1] shared 0 ins(%arg0, %arg1, %arg2, %[[P]] :
func.func @f(%x0: tensor<16x64x256x256xf32>, %x1: tensor<64x256x256xf32>, %x2: tensor<64x256x256xf32>) -> tensor<16x64x256x256xf32> {
  %0 = kgen.dispatch @norm schedule(#kgen.schedule<family = row>) ins(%x0, %x1, %x2 : tensor<16x64x256x256xf32>, tensor<64x256x256xf32>, tensor<64x256x256xf32>) {
  ^bb0(%a0: tensor<16x64x256x256xf32>, %a1: tensor<64x256x256xf32>, %a2: tensor<64x256x256xf32>):
    %s = aten.layer_norm %a0 weight %a1 bias %a2 normalized_shape [64, 256, 256] : (tensor<16x64x256x256xf32>, tensor<64x256x256xf32>, tensor<64x256x256xf32>) -> tensor<16x64x256x256xf32>
    kgen.yield %s : tensor<16x64x256x256xf32>
  } : tensor<16x64x256x256xf32>
  return %0 : tensor<16x64x256x256xf32>
}

// -----

// Folding a middle dimension: neighbouring threads take neighbouring rows. What is fused has one function for each stretch.
// CHECK-LABEL: kgen.source @rms
// CHECK-SAME: rms_inside(float acc0
// CHECK-SAME: rms_of_row0(float acc0
// CHECK-SAME: rms_behind0(float acc0, float acc1
// CHECK-SAME: constexpr int kInner = 1024;
// CHECK-SAME: const int slot = threadIdx.x % kRowsPerBlock;
// CHECK: kgen.launch @rms::@rms_rows grid [256, 1, 1] block [256, 1, 1]
func.func @f(%x0: tensor<8x64x32x32xf32>) -> tensor<8x64x32x32xf32> {
  %0 = kgen.dispatch @rms schedule(#kgen.schedule<family = row>) ins(%x0 : tensor<8x64x32x32xf32>) {
  ^bb0(%a0: tensor<8x64x32x32xf32>):
    %p = aten.pow.Tensor_Scalar %a0 {exponent = 2.0} : (tensor<8x64x32x32xf32>) -> tensor<8x64x32x32xf32>
    %m = aten.mean.dim %p dim [1] keepdim true : (tensor<8x64x32x32xf32>) -> tensor<8x1x32x32xf32>
    %e = aten.add.Scalar %m {other = 1.0e-5} : (tensor<8x1x32x32xf32>) -> tensor<8x1x32x32xf32>
    %q = aten.sqrt %e : (tensor<8x1x32x32xf32>) -> tensor<8x1x32x32xf32>
    %y = aten.div.Tensor %a0, %q : (tensor<8x64x32x32xf32>, tensor<8x1x32x32xf32>) -> tensor<8x64x32x32xf32>
    kgen.yield %y : tensor<8x64x32x32xf32>
  } : tensor<8x64x32x32xf32>
  return %0 : tensor<8x64x32x32xf32>
}

// -----

// Both results of one reduction.
// CHECK-LABEL: kgen.source @best
// CHECK-SAME: operands.out0[row] = of_row.value0;
// CHECK-SAME: operands.out1[row] = of_row.value1;
// CHECK-SAME: float *__restrict__ out0, long long *__restrict__ out1)
func.func @f(%x0: tensor<16x1000xf32>) -> (tensor<16xf32>, tensor<16xi64>) {
  %0:2 = kgen.dispatch @best schedule(#kgen.schedule<family = row>) ins(%x0 : tensor<16x1000xf32>) {
  ^bb0(%a0: tensor<16x1000xf32>):
    %v, %i = aten.max.dim %a0 dim 1 : (tensor<16x1000xf32>) -> (tensor<16xf32>, tensor<16xi64>)
    kgen.yield %v, %i : tensor<16xf32>, tensor<16xi64>
  } : tensor<16xf32>, tensor<16xi64>
  return %0#0, %0#1 : tensor<16xf32>, tensor<16xi64>
}

// -----

// The blocks of a cluster hold a row in their registers, and keep exponentials instead of elements.
// CHECK-LABEL: kgen.source @softmax
// CHECK-SAME: constexpr int kParts = 4; // blocks that share a row
// CHECK-SAME: const float normal = value[lane] * of_row.scale;
// CHECK-SAME: kgen::cluster_map(&peers[step & 1][kgen::cluster_rank()], threadIdx.x)
// CHECK-SAME: value.scale *= exponential(of_thread - value.maximum);
// CHECK: kgen.launch @softmax::@softmax_rows grid [16384, 1, 1] block [256, 1, 1] shared 0 cluster [4, 1, 1]
func.func @f(%x0: tensor<4096x65536xf32>) -> tensor<4096x65536xf32> {
  %0 = kgen.dispatch @softmax schedule(#kgen.schedule<family = row, resident = reg, split_rows = 4, min_blocks = 3, reduce = two_pass>) ins(%x0 : tensor<4096x65536xf32>) {
  ^bb0(%a0: tensor<4096x65536xf32>):
    %s = aten.softmax.int %a0 dim 1 : (tensor<4096x65536xf32>) -> tensor<4096x65536xf32>
    kgen.yield %s : tensor<4096x65536xf32>
  } : tensor<4096x65536xf32>
  return %0 : tensor<4096x65536xf32>
}

// -----

// A row over the whole grid, in a ring of shared memory; the board is prepared by a launch of its own.
// CHECK-LABEL: kgen.source @norm
// CHECK-SAME: constexpr int kParts = 128; // blocks that share a row
// CHECK-SAME: constexpr int kSlots = 14; // batches of one thread in shared memory
// CHECK-SAME: constexpr int kLead = 4;
// CHECK-SAME: constexpr int kHeldColumns = 3;
// CHECK: %[[BOARD:.*]] = kgen.launch @norm0::@norm0_init grid [1, 1, 1] block [256, 1, 1] shared 0 outs({{.*}} : tensor<2x128x3xi64>)
// CHECK: kgen.launch @norm0::@norm0_rows grid [128, 1, 1] block [256, 1, 1] shared 229376 cooperative ins({{.*}}) outs(%[[BOARD]], {{.*}})
func.func @f(%x: tensor<16x64x256x256xf32>, %w: tensor<64x256x256xf32>, %b: tensor<64x256x256xf32>) -> tensor<16x64x256x256xf32> {
  %0 = kgen.dispatch @norm schedule(#kgen.schedule<family = row, resident = grid>)
      ins(%x, %w, %b : tensor<16x64x256x256xf32>, tensor<64x256x256xf32>, tensor<64x256x256xf32>) {
  ^bb0(%a0: tensor<16x64x256x256xf32>, %a1: tensor<64x256x256xf32>, %a2: tensor<64x256x256xf32>):
    %s = aten.layer_norm %a0 weight %a1 bias %a2 normalized_shape [64, 256, 256]
        : (tensor<16x64x256x256xf32>, tensor<64x256x256xf32>, tensor<64x256x256xf32>) -> tensor<16x64x256x256xf32>
    kgen.yield %s : tensor<16x64x256x256xf32>
  } : tensor<16x64x256x256xf32>
  return %0 : tensor<16x64x256x256xf32>
}

// -----

// Squares are of differences from a chain's first element; one far off costs as many digits as the chain is long.
// CHECK-LABEL: kgen.source @chains
// CHECK-SAME: constexpr int kSegmentSteps = 16;
func.func @short_chains(%x: tensor<6x459xf32>) -> tensor<6x459xf32> {
  %0 = kgen.dispatch @chains schedule(#kgen.schedule<family = row, resident = none, rows_per_block = 32, threads_per_row = 1>) ins(%x : tensor<6x459xf32>) {
  ^bb0(%a0: tensor<6x459xf32>):
    %s = aten.layer_norm %a0 normalized_shape [459] : (tensor<6x459xf32>) -> tensor<6x459xf32>
    kgen.yield %s : tensor<6x459xf32>
  } : tensor<6x459xf32>
  return %0 : tensor<6x459xf32>
}
