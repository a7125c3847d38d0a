//===- conv_halo_fold.cuh - Folding outputs of shifted pixels --------------===//
//
// What conv_halo.cuh does with a tile's sums where its outputs are folded before they leave. Over channels (section channels): one warpgroup has all of a tile's filters
// for its pixels, BLOCKS products of 64 filters, whose warps tell each other what theirs come to; where there are
// several tiles of filters (section pieces) another kernel folds what each left of an output. Over pixels (section
// pixels): each tile leaves a sum for each channel, and another kernel adds those of an image up, always in the same
// order. A file of three parts: functions in front of the kernel (section functions), what is between a tile's last
// product and the next tile (section in_tile), and the kernels behind.
//
//===----------------------------------------------------------------------===//
#if functions
//@ replace finish_function
// What is stored of outputs that were folded.
__device__ __forceinline__ float finish(float value, int image, int channel, int z, int y, int x) { return value; }
//@ end
#if plain_fold

//@ replace fold
__device__ __forceinline__ float nothing() { return 0.0f; }
__device__ __forceinline__ float fold(float a, float b) { return a + b; }
//@ end
#endif
#if exponentials

// Outputs of a warp: the largest, and the sum of the exponentials of what they are less.
struct Share {
  float largest, sum;
};
__device__ __forceinline__ float infinity() { return __int_as_float(0x7f800000); }
#if softmax
// Infinity less infinity is no number, but smaller ones of several channels add nothing.
__device__ __forceinline__ float base_of(float largest) { return largest == -infinity() ? 0.0f : largest; }
#else
// The logarithm of infinity's exponential is infinite.
__device__ __forceinline__ float base_of(float largest) { return fabsf(largest) == infinity() ? 0.0f : largest; }
#endif
#endif
#else
#if in_tile
#if pixels
      // A thread adds up what it has of two of its warp's 16 channels, then four lanes what they have of one.
      const int lane = thread % 32, first_channel = n_tile * OWN + (part_f + thread / 32 * 16) % OWN;
      float totals[2] = {};
#pragma unroll
      for (int j = 0; j < N; j += 8) {
#if stacked
        if (!is_finite) {
          // Eight columns of the warp's channels, summed once more.
          float *patch = reinterpret_cast<float *>(example_shared + PATCHES_AT) + (threadIdx.x / 32) * 16 * PATCH_PITCH;
          auto own = [&](int set, int i) -> float & {
            return patch[(lane / 4 + i / 2 * 8) * PATCH_PITCH + (lane % 4 * 2 + i % 2) * SETS + set];
          };
          __syncwarp();
#pragma unroll
          for (int set = 0; set < SETS; ++set)
#pragma unroll
            for (int i = 0; i < 4; ++i)
              own(set, i) = sums[set][j / 2 + i];
          __syncwarp();
          sum_again(input, raw_weights, {patch, PATCH_PITCH, 16, 8 * SETS, first_channel, j * SETS}, tile.i, z, first_y, step_h,
                    tile.x);
#pragma unroll
          for (int set = 0; set < SETS; ++set)
#pragma unroll
            for (int i = 0; i < 4; ++i)
              sums[set][j / 2 + i] = own(set, i);
        }
#endif
#pragma unroll
        for (int i = 0; i < 2; ++i)
#pragma unroll
          for (int set = 0; set < SETS; ++set) {
            // What is no output is computed, too, and added as zero: a branch would let one output wait for another.
            const int column = j + lane % 4 * 2 + i, y = first_y + column / PITCH * step_h;
            const int x = (tile.x + column % PITCH) * SETS + set;
            const bool is_output = column % PITCH < TW && column / PITCH < TH && z < OD && y < OH && x < OW;
            const int some_z = smaller(z, OD - 1), some_y = smaller(y, OH - 1), some_x = smaller(x, OW - 1);
#pragma unroll
            for (int half = 0; half < 2; ++half) { // rows of the product 8 apart
              const int channel = smaller(first_channel + lane / 4 + half * 8, OC - 1);
              const float value = sums[set][j / 2 + half * 2 + i];
              //@ replace add_output
              const float added = epilogue(value, tile.i, channel, some_z, some_y, some_x);
              //@ end
              totals[half] += is_output ? added : 0.0f;
            }
          }
      }
#if transposed
      const int part_of_box = box % (BOXES / IMAGES) * PHASES_H + phase_h;
#else
      const int part_of_box = box % (BOXES / IMAGES);
#endif
      const int share = part_of_box * (F / OWN) + (part_f + thread / 32 * 16) / OWN % (F / OWN);
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int channel = first_channel + lane / 4 + half * 8;
        float total = totals[half] + __shfl_xor_sync(0xffffffffu, totals[half], 1);
        total += __shfl_xor_sync(0xffffffffu, total, 2);
        if (lane % 4 == 0 && channel < OC)
          output[((long long)tile.i * OC + channel) * SHARES + share] = total;
      }
#else
#if stacked
      // All warps meet below, those too whose depth is none.
      constexpr int SHARERS = OWN / 16; // warps with channels of one output
#else
      constexpr int SHARERS = 4; // warps with channels of one output
      if (z >= OD)
        continue;
#endif
      // 32 neighbouring outputs of all of a warp's channels at a time go through shared memory: then a lane has an
      // output of each of them, folds these, and does the same with what the other warps of its warpgroup have.
      const int lane = thread % 32, warp = thread / 32, first_channel = n_tile * OWN + warp * 16 % OWN;
      float *patch = reinterpret_cast<float *>(example_shared + PATCHES_AT) + (threadIdx.x / 32) * ROWS * PATCH_PITCH;
      float *shares = reinterpret_cast<float *>(example_shared + SHARES_AT) + group * (2 * 4 * 64) + lane;
#pragma unroll
      for (int j0 = 0; j0 < N; j0 += 32 / SETS) {
        __syncwarp();
#pragma unroll
        for (int j = j0; j < j0 + 32 / SETS; j += 8)
          if (j < N)
#pragma unroll
            for (int i = 0; i < 4; ++i)
#pragma unroll
              for (int set = 0; set < BLOCKS * SETS; ++set)
                patch[(set / SETS * 16 + lane / 4 + i / 2 * 8) * PATCH_PITCH +
                      (j - j0 + lane % 4 * 2 + i % 2) * SETS + set % SETS] = sums[set][j / 2 + i];
        __syncwarp();
#if stacked
        if (!is_finite)
          sum_again(input, raw_weights, {patch, PATCH_PITCH, 16, 32, first_channel, j0 * SETS}, tile.i, z, first_y, step_h,
                    tile.x);
#endif
        const int column = j0 + lane / SETS, y = first_y + column / PITCH * step_h;
        const int x = (tile.x + column % PITCH) * SETS + lane % SETS;
        const bool inside = column < N && column % PITCH < TW && column / PITCH < TH && z < OD && y < OH && x < OW;
        // The warps read one half of the shares while they write the other.
        float *turn_shares = shares + j0 / (32 / SETS) % 2 * (4 * 64);
        const float *those = turn_shares + warp / SHARERS * SHARERS * 64; // of the warps with channels of these outputs
#if exponentials
        Share own = {-infinity(), 0.0f};
        if (inside) {
#pragma unroll 8
          for (int row = 0; row < ROWS; ++row) {
            const int channel = first_channel + row / 16 * 64 + row % 16;
            if (OC % OWN == 0 || channel < OC) {
              //@ replace largest_output
              const float value = epilogue(patch[row * PATCH_PITCH + lane], tile.i, channel, z, y, x);
              //@ end
              patch[row * PATCH_PITCH + lane] = value;
              own.largest = fmaxf(own.largest, value);
            }
          }
          const float base = base_of(own.largest);
#pragma unroll 8
          for (int row = 0; row < ROWS; ++row)
            if (OC % OWN == 0 || first_channel + row / 16 * 64 + row % 16 < OC) {
              const float power = expf(patch[row * PATCH_PITCH + lane] - base);
#if softmax
              patch[row * PATCH_PITCH + lane] = power;
#endif
              own.sum += power;
            }
        }
        turn_shares[warp * 64] = own.largest;
        turn_shares[warp * 64 + 32] = own.sum;
        kgen::named_barrier_sync(1 + group, 128);
        Share all = {-infinity(), 0.0f};
#pragma unroll
        for (int w = 0; w < SHARERS; ++w)
          all.largest = fmaxf(all.largest, those[w * 64]);
#if softmax
#pragma unroll
        for (int w = 0; w < SHARERS; ++w)
          all.sum += those[w * 64 + 32] * expf(those[w * 64] - all.largest);
        if (!inside)
          continue;
        const float scale = expf(own.largest - all.largest) / all.sum;
        Out *to = output + ((long long)tile.i * OC * OD + z) * (OH * OW) + y * OW + x;
#pragma unroll 8
        for (int row = 0; row < ROWS; ++row) {
          const int channel = first_channel + row / 16 * 64 + row % 16;
          if (OC % OWN == 0 || channel < OC) {
            const float value = patch[row * PATCH_PITCH + lane] * scale;
            //@ replace store_softmax
            to[(long long)channel * (OD * OH * OW)] = static_cast<Out>(finish(value, tile.i, channel, z, y, x));
            //@ end
          }
        }
#else
        const float base = base_of(all.largest);
#pragma unroll
        for (int w = 0; w < SHARERS; ++w) {
          const float sum = those[w * 64 + 32];
          // A warp without anything has nothing to add, however small the others' outputs are.
          all.sum += sum == 0.0f ? 0.0f : sum * expf(base_of(those[w * 64]) - base);
        }
#if whole
        const float value = base + logf(all.sum);
#endif
#endif
#else
        float own = nothing();
        if (inside) {
#pragma unroll 8
          for (int row = 0; row < ROWS; ++row) {
            const int channel = first_channel + row / 16 * 64 + row % 16;
            if (OC % OWN == 0 || channel < OC) {
              //@ replace fold_output
              own = fold(own, epilogue(patch[row * PATCH_PITCH + lane], tile.i, channel, z, y, x));
              //@ end
            }
          }
        }
        turn_shares[warp * 64] = own;
        kgen::named_barrier_sync(1 + group, 128);
#if stacked
        float value = those[0];
#pragma unroll
        for (int w = 1; w < SHARERS; ++w)
          value = fold(value, those[w * 64]);
#else
        float value = fold(fold(those[0], those[64]), fold(those[2 * 64], those[3 * 64]));
#endif
#endif
#if pieces
        if (inside && j0 / (32 / SETS) % SHARERS == warp % SHARERS) {
          const long long index = (((long long)tile.i * OD + z) * OH + y) * OW + x;
#if exponentials
          output[n_tile * 2 * OUTPUTS + index] = all.largest;
          output[(n_tile * 2 + 1) * OUTPUTS + index] = all.sum;
#else
          output[n_tile * OUTPUTS + index] = value;
#endif
        }
#endif
#if whole
        // One of the warps stores, another each time.
        if (inside && j0 / (32 / SETS) % SHARERS == warp % SHARERS) {
          //@ replace store_fold
          output[((long long)tile.i * OD + z) * (OH * OW) + y * OW + x] =
              static_cast<Out>(finish(value, tile.i, 0, z, y, x));
          //@ end
        }
#endif
      }
#endif
#else
#if pieces

// Folds what the tiles of filters left of an output.
//@ replace piece_kernel
extern "C" __global__ void __launch_bounds__(256)
    example_total(const float *__restrict__ pieces, example::Out *__restrict__ output) {
  //@ end
  using namespace example;
  const long long index = blockIdx.x * 256ll + threadIdx.x;
  if (index >= OUTPUTS)
    return;
#if exponentials
  float largest = -infinity(), sum = 0.0f;
#pragma unroll
  for (int piece = 0; piece < N_TILES; ++piece)
    largest = fmaxf(largest, pieces[piece * 2 * OUTPUTS + index]);
  const float base = base_of(largest);
#pragma unroll
  for (int piece = 0; piece < N_TILES; ++piece) {
    const float part = pieces[(piece * 2 + 1) * OUTPUTS + index];
    sum += part == 0.0f ? 0.0f : part * expf(base_of(pieces[piece * 2 * OUTPUTS + index]) - base);
  }
  const float value = base + logf(sum);
#else
  float value = pieces[index];
#pragma unroll
  for (int piece = 1; piece < N_TILES; ++piece)
    value = fold(value, pieces[piece * OUTPUTS + index]);
#endif
  const int x = index % OW, y = index / OW % OH, z = index / (OW * OH) % OD;
  const int image = index / ((long long)OW * OH * OD);
  //@ replace store_piece
  output[index] = static_cast<Out>(finish(value, image, 0, z, y, x));
  //@ end
}
#endif
#if pixels

// Adds up what the tiles of an image left of a channel, a warp for each.
//@ replace total_kernel
extern "C" __global__ void __launch_bounds__(256)
    example_total(const float *__restrict__ shares, example::Out *__restrict__ output) {
  //@ end
  using namespace example;
  const int lane = threadIdx.x % 32, index = blockIdx.x * 8 + threadIdx.x / 32;
  if (index >= IMAGES * OC)
    return;
  float value = 0.0f;
  for (int share = lane; share < SHARES; share += 32)
    value += shares[(long long)index * SHARES + share];
#pragma unroll
  for (int apart = 16; apart > 0; apart /= 2)
    value += __shfl_xor_sync(0xffffffffu, value, apart);
  if (lane == 0) {
    //@ replace store_total
    output[index] = static_cast<Out>(finish(value, index / OC, index % OC, 0, 0, 0));
    //@ end
  }
}
#endif
#endif
#endif
