//===- conv_halo_store.cuh - Storing outputs of shifted pixels -------------===//
//
// What conv_halo.cuh does with a tile's sums where nothing is folded. A file of two parts: how they come to shared
// memory (section functions, for poolings, too), and what is between a tile's last product and the next tile.
//
//===----------------------------------------------------------------------===//
#if functions
struct alignas(8 * SETS) Outputs { // of a thread, neighbours in a channel
  float of[2 * SETS];
};
// Puts AT_ONCE of a warp's 16 channels into PATCH, from FIRST_ROW on: all outputs of a channel one after the other.
__device__ __forceinline__ void put_channels(float *patch, const float (&sums)[SETS][N / 2], int lane, int first_row) {
#pragma unroll
  for (int half = 0; half < 2; ++half) { // rows of the product 8 apart
    const int row = lane / 4 + half * 8 - first_row;
    if (half * 8 < first_row + AT_ONCE && half * 8 + 8 > first_row && row >= 0 && row < AT_ONCE)
#pragma unroll
      for (int j = 0; j < N; j += 8) {
        Outputs own;
#pragma unroll
        for (int i = 0; i < 2 * SETS; ++i)
          own.of[i] = sums[i % SETS][j / 2 + half * 2 + i / SETS];
        *reinterpret_cast<Outputs *>(patch + row * CHANNEL_PITCH + (j + lane % 4 * 2) * SETS) = own;
      }
  }
}
#else
      // AT_ONCE of a warp's 16 channels at a time go through shared memory, so that a warp stores all outputs of a
      // channel one after the other: what a thread has of a product lies in eight channels, whose pages of memory are
      // far apart.
      const int lane = thread % 32;
      // From another lane where some warps store less than others: what depends on it diverges for nobody.
      const int warp = OC % F == 0 ? thread / 32 : __shfl_sync(0xffffffffu, thread / 32, 0);
      const int first_channel = n_tile * OWN + (part_f + warp * 16) % OWN;
      float *patch = reinterpret_cast<float *>(example_shared + PATCHES_AT) + threadIdx.x / 32 * AT_ONCE * CHANNEL_PITCH;
      int places[SWEEPS]; // of the lane's outputs in a channel
      unsigned there = 0; // which of them are outputs
#pragma unroll
      for (int sweep = 0; sweep < SWEEPS; ++sweep) {
        const int column = (sweep * 32 + lane) / SETS, y = first_y + column / PITCH * step_h;
        const int x = (tile.x + column % PITCH) * SETS + lane % SETS;
        const bool is_output = column < N && column % PITCH < TW && column / PITCH < TH && y < OH && x < OW;
        places[sweep] = is_output ? y * OW + x : 0;
        there |= unsigned(is_output) << sweep;
      }
#pragma unroll
      for (int first_row = 0; first_row < 16; first_row += AT_ONCE) {
        if (OC % OWN != 0 && first_channel + first_row >= OC)
          break;
        __syncwarp();
        put_channels(patch, sums, lane, first_row);
        __syncwarp();
#if stacked
        if (!is_finite)
          sum_again(input, raw_weights, {patch, CHANNEL_PITCH, AT_ONCE, SWEEPS * 32, first_channel + first_row, 0}, tile.i, z,
                    first_y, step_h, tile.x);
#endif
#pragma unroll 1
        for (int first = 0; first < AT_ONCE; first += TOGETHER) {
          // All outputs of some channels, there or not: none waits for another, nor for a register that is being stored.
          Out values[TOGETHER][SWEEPS];
#pragma unroll
          for (int row = 0; row < TOGETHER; ++row)
#pragma unroll
            for (int sweep = 0; sweep < SWEEPS; ++sweep) {
              const int channel = smaller(first_channel + first_row + first + row, OC - 1), place = places[sweep];
              const float value = patch[(first + row) * CHANNEL_PITCH + sweep * 32 + lane];
              //@ replace finish
              values[row][sweep] =
                  static_cast<Out>(epilogue(value, tile.i, channel, z, place / OW, place % OW));
              //@ end
            }
#pragma unroll
          for (int row = 0; row < TOGETHER; ++row) {
            const int channel = first_channel + first_row + first + row;
            Out *to = output + (((long long)tile.i * OC + channel) * OD + z) * (OH * OW);
#pragma unroll
            for (int sweep = 0; sweep < SWEEPS; ++sweep)
              if ((OC % OWN == 0 || channel < OC) && there >> sweep & 1)
                to[places[sweep]] = values[row][sweep];
          }
        }
      }
#endif
