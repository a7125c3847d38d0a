//===- conv_halo_visit.cuh - Which pixels a thread loads ------------------===//
//
// Where a loading thread of conv_halo.cuh finds its pixels, one step of a tile after the other: part of its kernel.
//
//===----------------------------------------------------------------------===//
    // A step of a tile, and where each of the thread's runs begins in its plane of the image, in bytes, if it lies
    // inside.
    struct Cursor {
      int box, step = 0;
      unsigned offset[EACH] = {};
      bool inside[EACH] = {};
      Tile tile = {};
      int filters = 0;    // which of the filters' steps, or portions, it needs
      bool first = false; // of a tile
    };
    // Takes the step of CURSOR, the CHANNEL-th of each of its runs where that IS_INSIDE, and goes on to the next one;
    // false after the last one.
    auto visit = [&](Cursor &cursor, auto take) {
      auto &[box, step, offset, inside, tile, filters, first] = cursor;
#if depth_phases
      Taps taps_d = taps_of(tile.phase_d, KD, STRIDE_D, PAD_D, DILATION_D, LEAD_D);
#endif
      while (step == 0) {
        if (box >= BOXES)
          return false;
        tile = tile_at(box);
#pragma unroll
        for (int i = 0; i < EACH; ++i) {
#if scaled
          const int unit = thread + i * PRODUCERS, pixel = unit % RUNS * RUN, plane = pixel / PLANE, at = pixel % PLANE;
#else
          const int pixel = (thread + i * PRODUCERS) * RUN, plane = pixel / PLANE, at = pixel % PLANE;
#endif
          const int y = (tile.y + at / PITCH) * SHIFT_H + plane / PLANES_W - LEAD_H;
          const int x = (tile.x + at % PITCH) * SHIFT_W + plane % PLANES_W - LEAD_W - BEFORE_W;
          // A run lies inside of a row or outside of it.
#if scaled
          inside[i] = unit < UNITS && y >= 0 && y < H && x >= 0 && x < W;
#if stacked
          offset[i] = inside[i] ? unsigned(y * W + x) * unsigned(sizeof(In)) : 0;
#else
          offset[i] = inside[i] ? unsigned(y * W + x + unit / RUNS * (LANES * D * H * W)) * unsigned(sizeof(In)) : 0;
#endif
#else
          inside[i] = pixel < LOADED && y >= 0 && y < H && x >= 0 && x < W;
          offset[i] = inside[i] ? unsigned(y * W + x) * unsigned(sizeof(In)) : 0;
#endif
        }
#if depth_phases
        taps_d = taps_of(tile.phase_d, KD, STRIDE_D, PAD_D, DILATION_D, LEAD_D);
        if (taps_d.count == 0) {
          box += GRID / N_TILES;
          continue;
        }
#endif
        break;
      }
      // Of the channels that a load of run I has of a step, which one is its C-th.
#if scaled
      constexpr int channels = LANES;
      auto channel_of = [&](int i, int c) { return (thread + i * PRODUCERS) / RUNS * LANES + c; };
#else
      constexpr int channels = BK;
      auto channel_of = [](int, int c) { return c; };
#endif
#if stacked
      // A step's channels are depths of the input, those of one channel one behind the other.
      const int c0 = step * BK, z = tile.z * ADVANCE_D - LEAD_D;
      constexpr int steps = CHANNEL_STEPS;
      filters = step;
      first = step == 0;
      const In *from = input + (long long)tile.i * C * D * (H * W);
#pragma unroll
      for (int c = 0; c < channels; ++c) {
#pragma unroll
        for (int i = 0; i < EACH; ++i) {
          const int place = c0 + channel_of(i, c);
          const int slice = z + place % SLICES;
          const bool there = inside[i] && place < CHANNELS && slice >= 0 && slice < D;
          const In *plane = from + (there ? ((long long)(place / SLICES) * D + slice) * (H * W) : 0);
          take(i, c, reinterpret_cast<const char *>(plane) + offset[i], there);
        }
      }
#else
      const int d = step / CHANNEL_STEPS, c0 = step % CHANNEL_STEPS * BK;
#if depth_phases
      const int steps = taps_d.count * CHANNEL_STEPS;
      const int depth = taps_d.tap + d * APART_D, z = tile.z - LEAD_D + taps_d.shift - d * NEARER_D;
#else
      const int steps = KD * CHANNEL_STEPS, depth = d, z = tile.z * STRIDE_D + d * DILATION_D - LEAD_D;
#endif
      filters = depth * CHANNEL_STEPS + step % CHANNEL_STEPS;
      first = step == 0;
      const bool there = D == 1 || (z >= 0 && z < D);
      const In *from = input + (((long long)tile.i * C + c0) * D + (there ? z : 0)) * (H * W);
#pragma unroll
      for (int c = 0; c < channels; ++c) {
        // The same for all threads: an address is that of the channel and 32 bits of the thread's own.
        const char *channel = reinterpret_cast<const char *>(from + (long long)c * (D * H * W));
#pragma unroll
        for (int i = 0; i < EACH; ++i) {
          const bool is_channel = C % example::BK == 0 || c0 + channel_of(i, c) < C;
          take(i, c, channel + offset[i], there && inside[i] && is_channel);
        }
      }
#endif
      if (++step == steps) {
        step = 0;
        box += GRID / N_TILES;
      }
      return true;
    };
