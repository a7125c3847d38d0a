//===- conv_halo_stacked.cuh - Outputs that stacked filters break ---------===//
//
// What conv_halo.cuh needs where a product's rows are filters of several output depths.
//
//===----------------------------------------------------------------------===//
// The place of the input that an output takes with a tap, or -1.
__device__ __forceinline__ int taken(int output, int tap, int stride, int pad, int dilation, int extent) {
#if transposed
  const int place = output + pad - tap * dilation, input = place % stride == 0 ? place / stride : -1;
#else
  const int input = output * stride - pad + tap * dilation;
#endif
  return input < extent ? input : -1;
}
// Where a warp's outputs lie: one row of a patch for each channel from `channel` on, each with the outputs of columns
// `column` and on.
struct Patch {
  float *of;
  int pitch, channels, columns, channel, column;
};
// Sums outputs that are not finite once more, from memory: an infinite pixel of another depth has made NaN of them.
__device__ __noinline__ void sum_again(const In *__restrict__ input, const In *__restrict__ weights, Patch patch,
                                       int image, int z, int first_y, int step_y, int first_x) {
  const int lane = threadIdx.x % 32;
  for (int row = 0; row < patch.channels; ++row)
    for (int at = lane; at < patch.columns; at += 32) {
      const int column = (patch.column + at) / SETS, filter = patch.channel + row;
      const int y = first_y + column / PITCH * step_y, x = (first_x + column % PITCH) * SETS + at % SETS;
      float &value = patch.of[row * patch.pitch + at];
      if (fabsf(value) <= 3.4028234e38f || column >= N || column % PITCH >= TW || column / PITCH >= TH || filter >= OC ||
          z >= OD || y >= OH || x >= OW)
        continue;
      value = 0.0f;
      for (int depth = 0; depth < KD; ++depth)
        for (int tap = 0; tap < TAPS; ++tap) {
          const int from_z = taken(z, depth, STRIDE_D, PAD_D, DILATION_D, D);
          const int from_y = taken(y, tap / KW, STRIDE_H, PAD_H, DILATION_H, H);
          const int from_x = taken(x, tap % KW, STRIDE_W, PAD_W, DILATION_W, W);
          if (from_z < 0 || from_y < 0 || from_x < 0)
            continue;
          for (int channel = 0; channel < C; ++channel) {
            In weight;
#if transposed
            weight = weights[(((long long)channel * OC + filter) * KD + depth) * TAPS + tap];
#else
            //@ replace raw_weight
            weight = weights[(((long long)filter * C + channel) * KD + depth) * TAPS + tap];
            //@ end
#endif
            const In pixel = input[((((long long)image * C + channel) * D + from_z) * H + from_y) * W + from_x];
            value += static_cast<float>(pixel) * static_cast<float>(weight);
          }
        }
    }
  __syncwarp();
}
