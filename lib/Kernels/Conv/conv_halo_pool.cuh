//===- conv_halo_pool.cuh - Pooling outputs of shifted pixels --------------===//
//
// What conv_halo.cuh does with a tile's sums where windows that do not overlap are pooled before they leave. A file of
// two parts: functions in front of the kernel (section functions), and what is between a tile's last product and the
// next tile.
//
//===----------------------------------------------------------------------===//
#if functions
//@ replace finish_function
// What is stored of a window.
__device__ __forceinline__ float finish(float value, int image, int channel, int z, int y, int x) { return value; }
//@ end
//@ replace pool
__device__ __forceinline__ float nothing() { return 0.0f; }
__device__ __forceinline__ float pool(float a, float b) { return a + b; }
//@ end
// A tile has whole windows of its warpgroup's outputs. Another warp has what they need of another phase of the height,
// or of another depth.
constexpr int SHARED_H = POOL_H == 1 ? 1 : PHASES_H, WINDOW_ROWS = POOL_H / SHARED_H; // of one phase
constexpr int WINDOWS_H = TH / WINDOW_ROWS, WINDOWS_W = TW * SETS / POOL_W, WINDOWS = WINDOWS_H * WINDOWS_W;
constexpr int FIRST_BARRIER = 2 + CONSUMERS; // behind those of the warpgroups and of what loads
constexpr int DEPTH_WARPS = smaller(OWN / 16, 4), SHARERS = POOL_D * SHARED_H; // warps with outputs of a window
static_assert(POOL_H % SHARED_H == 0 && WINDOWS > 0 && (BOXES_H == 1 || TH % WINDOW_ROWS == 0) &&
                  (BOXES_W == 1 || TW * SETS % POOL_W == 0) && DEPTH_WARPS * POOL_D <= 4,
              "windows lie inside of tiles");
#else
      // AT_ONCE of a warp's 16 channels at a time go through shared memory, where a lane finds the outputs of a window:
      // those of its own warp, and those of the warps that share it, which take turns with the windows.
      const int lane = thread % 32, warp = __shfl_sync(0xffffffffu, thread / 32, 0);
      const int first_channel = n_tile * OWN + (part_f + warp * 16) % OWN;
#if transposed
      const int share_h = SHARED_H == 1 ? 0 : phase_h;
#else
      constexpr int share_h = 0;
#endif
      const int share_d = POOL_D == 1 ? 0 : warp / DEPTH_WARPS % POOL_D, share = share_h * POOL_D + share_d;
      constexpr int PATCH = AT_ONCE * CHANNEL_PITCH, NEXT_H = F / 64 * 4 * PATCH, NEXT_D = DEPTH_WARPS * PATCH;
      float *patch = reinterpret_cast<float *>(example_shared + PATCHES_AT) + threadIdx.x / 32 * PATCH;
      const float *patches = patch - share_h * NEXT_H - share_d * NEXT_D; // of the first of the sharers
      struct alignas(POOL_W % 2 == 0 && PITCH * SETS % 2 == 0 ? 8 : 4) Row { // of a window
        float of[POOL_W];
      };
      auto meet = [&] {
        if (SHARERS == 1) {
          __syncwarp();
        } else {
          const int set = SHARED_H == 1 ? group : team * (F / 64) + part % (F / 64); // of the sharers
          const int among = warp / (DEPTH_WARPS * POOL_D) * DEPTH_WARPS + warp % DEPTH_WARPS;
          kgen::named_barrier_sync(FIRST_BARRIER + set * (4 / POOL_D) + among, 32 * SHARERS);
        }
      };
#pragma unroll
      for (int first_row = 0; first_row < 16; first_row += AT_ONCE) {
        if (OC % OWN != 0 && first_channel + first_row >= OC)
          break;
        meet();
        put_channels(patch, sums, lane, first_row);
#if stacked
        if (!is_finite) {
          __syncwarp();
          sum_again(input, raw_weights, {patch, CHANNEL_PITCH, AT_ONCE, SWEEPS * 32, first_channel + first_row, 0}, tile.i, z,
                    first_y, step_h, tile.x);
        }
#endif
        meet();
        // What is no window is computed, too: a branch would let one window wait for another.
        constexpr int TURNS = ceil_div(AT_ONCE * WINDOWS, 32 * SHARERS);
#pragma unroll 4
        for (int turn = 0; turn < TURNS; ++turn) {
          const int item = (turn * SHARERS + share) * 32 + lane, some = smaller(item, AT_ONCE * WINDOWS - 1);
          const int row = some / WINDOWS, up = some % WINDOWS / WINDOWS_W, left = some % WINDOWS_W;
          const int channel = first_channel + first_row + row, some_channel = smaller(channel, OC - 1);
          const int window_z = z / POOL_D, window_x = tile.x * SETS / POOL_W + left;
          const int window_y = POOL_H == 1 ? first_y + up * step_h : tile.y / WINDOW_ROWS + up;
          const int some_y = smaller(window_y, POH - 1), some_x = smaller(window_x, POW - 1);
          const float *of_window = patches + row * CHANNEL_PITCH + up * WINDOW_ROWS * PITCH * SETS + left * POOL_W;
          float pooled = nothing();
#pragma unroll
          for (int d = 0; d < POOL_D; ++d)
#pragma unroll
            for (int y = 0; y < POOL_H; ++y) {
              const Row outputs = *reinterpret_cast<const Row *>(of_window + y % SHARED_H * NEXT_H + d * NEXT_D +
                                                                 y / SHARED_H * PITCH * SETS);
#pragma unroll
              for (int x = 0; x < POOL_W; ++x) {
                const float value = outputs.of[x];
                //@ replace pool_output
                pooled = pool(pooled, epilogue(value, tile.i, some_channel, window_z * POOL_D + d, some_y * POOL_H + y,
                                               some_x * POOL_W + x));
                //@ end
              }
            }
          //@ replace store_window
          const float value = finish(pooled, tile.i, some_channel, window_z, some_y, some_x);
          //@ end
          if (item < AT_ONCE * WINDOWS && (OC % OWN == 0 || channel < OC) && window_y < POH && window_x < POW)
            output[((((long long)tile.i * OC + channel) * POD + window_z) * POH + window_y) * POW + window_x] =
                static_cast<Out>(value);
        }
      }
#endif
