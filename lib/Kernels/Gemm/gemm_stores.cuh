//===- gemm_stores.cuh - How results of warpgroups leave ------------------===//
//
// A part of gemm_wgmma.cuh, which says M, N, Stored, SPLIT_K and CHUNK: straight
// to global memory, or by shared memory for copies by tensor map. Of a
// transposed product the kernel's rows are the result's columns.
//
//===----------------------------------------------------------------------===//

//@ section store_direct
// Four results to global memory.
__device__ __forceinline__ void store_direct(Stored *c, const Stored (&out)[4], int batch, int row, int column) {
#if swapped
  // The kernel's rows are the result's columns, of which eight lanes have neighbours.
  if constexpr (SPLIT_K == 1) {
#pragma unroll
    for (int e = 0; e < 4; ++e)
      if (const int r = row + e / 2 * 8, at = column + e % 2; r < M && at < N)
        c[((long long)batch * N + at) * M + r] = out[e];
    return;
  }
#endif
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int r = row + 8 * half;
    if (r >= M)
      continue;
    Stored *to = c + ((long long)batch * M + r) * N + column;
    struct alignas(2 * sizeof(Stored)) Pair {
      Stored first, second;
    };
    if (N % 2 == 0 && column < N) {
      *reinterpret_cast<Pair *>(to) = Pair{out[2 * half], out[2 * half + 1]};
    } else {
      if (column < N)
        to[0] = out[2 * half];
      if (column + 1 < N)
        to[1] = out[2 * half + 1];
    }
  }
}

//@ end
//@ section store_tma
// A thread's share of 64 rows of 128 bytes: pairs of neighbouring results.
struct alignas(2 * sizeof(Stored)) Pair {
  Stored first, second;
};
constexpr int PAIRS = 64 * 128 / 128 / sizeof(Pair); // of a thread
// Made here and not later: the sums are about to be overwritten.
__device__ __forceinline__ void pin(Pair &pair) {
  unsigned *words = reinterpret_cast<unsigned *>(&pair);
#pragma unroll
  for (int i = 0; i < sizeof(Pair) / 4; ++i)
    words[i] = kgen::pinned(words[i]);
}

#if turned
// A thread's pairs to two buffers of 32 swizzled rows of 128 bytes: the kernel's columns, of 32 of its rows each.
__device__ __forceinline__ void store_shared(unsigned char *buffer, const Pair (&pairs)[PAIRS], int row, int column) {
  static_assert(sizeof(Stored) == 4 && CHUNK == 32, "rows of 128 bytes are 32 results");
#pragma unroll
  for (int i = 0; i < PAIRS; ++i) {
    const int r = row + i % 2 * 8, c = i / 2 * 8 + column;
    unsigned char *to = buffer + r / 32 * 32 * 128;
    *reinterpret_cast<Stored *>(to + c * 128 + (r % 32 * 4 ^ c % 8 * 16)) = pairs[i].first;
    *reinterpret_cast<Stored *>(to + (c + 1) * 128 + (r % 32 * 4 ^ (c + 1) % 8 * 16)) = pairs[i].second;
  }
}
#else
// A thread's pairs to a buffer of 64 swizzled rows of 128 bytes.
__device__ __forceinline__ void store_shared(unsigned char *buffer, const Pair (&pairs)[PAIRS], int row, int column) {
#pragma unroll
  for (int i = 0; i < PAIRS; ++i) {
    const int r = row + i % 2 * 8, byte = (i / 2 * 8 + column) * int(sizeof(Stored));
    *reinterpret_cast<Pair *>(buffer + r * 128 + (byte ^ (r % 8 * 16))) = pairs[i];
  }
}
#endif
//@ end
