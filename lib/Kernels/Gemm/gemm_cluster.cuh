//===- gemm_cluster.cuh - Matrix product, a cluster for a tile (sm_90a) ----===//
//
// C[b] = epilogue(A[b] * B[b]) for products of few tiles. Operands are
// contiguous along K; 16-bit ones may lie across K, and so may an A of f32. A cluster has CLUSTER tiles, one below the other, and
// SPLIT_K blocks for each, with a slice of K each: those of a slice share their
// tiles of B by multicast, those of a tile add their sums through each other's
// shared memory, in the order of the slices. A block has one tile and ends. One
// thread of the first warpgroup copies by tensor map into a ring of STAGES
// buffers; each of the other CONSUMERS warpgroups multiplies BM / CONSUMERS rows.
//
//===----------------------------------------------------------------------===//
#include "kgen_hopper.cuh"

//@ replace constants
namespace example {
// The problem.
using In = float;   // element type of the products
using Out = float;  // element type of C
constexpr int M = 1024, N = 768, K = 768;
constexpr int BATCH = 1;
constexpr int BATCHES_OF_A = 1, BATCHES_OF_B = 1; // 1: the same matrix for every batch
// The schedule.
constexpr int BM = 128, BN = 128, BK = 32; // block tile
constexpr int CONSUMERS = 2;               // warpgroups that multiply
constexpr int STAGES = 6;
constexpr int CLUSTER = 1; // tiles of a cluster, one below the other, that share their tiles of B
constexpr int SPLIT_K = 2; // slices of K, a block each
constexpr int ROWS_OF_A = 128; // of a tile that are copied: all, or those that there are
constexpr int SHARED_BYTES = 227 * 1024; // dynamic shared memory of the launch
} // namespace example
//@ end

namespace example {

constexpr int THREADS = 128 * (CONSUMERS + 1);
constexpr int MT = BM / CONSUMERS / 64; // products of 64 rows, one above the other, of a consumer
constexpr int RANKS = CLUSTER * SPLIT_K; // blocks of a cluster: the slices of the first tiles, then those of the second ones
#if grouped
//@ replace group_constants
//@ end
// Of a cluster; each group has at most one tile that is not full.
constexpr int TILES_M = (M + (GROUPS < M ? GROUPS : M) * (BM - 1)) / BM, TILES_N = (N + BN - 1) / BN;
static_assert(CLUSTER == 1, "tiles below each other may be of different groups");
#else
constexpr int TILES_M = (M + BM * CLUSTER - 1) / (BM * CLUSTER), TILES_N = (N + BN - 1) / BN; // of a cluster
#endif
constexpr int BLOCKS = TILES_M * TILES_N * BATCH * RANKS;
constexpr int K_TILES = (K + BK - 1) / BK;
constexpr int STEPS = (K_TILES + SPLIT_K - 1) / SPLIT_K; // of a slice; the last one may have fewer
static_assert((SPLIT_K - 1) * STEPS < K_TILES, "every slice has a step");

// Shared memory: stages of [A | B], then barriers. Every piece is made of slabs: 128 swizzled bytes along K for each
// row. The sums of a slice take the place of the stages.
constexpr int SLAB = 128 / sizeof(In); // elements
constexpr int A_BYTES = BM * BK * sizeof(In), B_BYTES = BN * BK * sizeof(In), STAGE_BYTES = A_BYTES + B_BYTES;
// Products of rows that are not copied are of what lies there, and nobody's.
constexpr int COPIED_BYTES = ROWS_OF_A * BK * sizeof(In) + B_BYTES;
static_assert(ROWS_OF_A == BM || (M <= ROWS_OF_A && ROWS_OF_A < BM), "every row of A is copied");
constexpr int SUM_BYTES = SPLIT_K > 1 ? BM * BN * 4 : 0;
constexpr int RING_BYTES = STAGES * STAGE_BYTES > SUM_BYTES ? STAGES * STAGE_BYTES : SUM_BYTES;
#if grouped
constexpr int ORDER_BYTES = GROUPS * sizeof(int);
static_assert(RING_BYTES + 16 * STAGES + ORDER_BYTES <= SHARED_BYTES, "the launch gives too little shared memory");
#else
static_assert(RING_BYTES + 16 * STAGES <= SHARED_BYTES, "the launch gives too little shared memory");
#endif
static_assert(BM % (64 * CONSUMERS) == 0 && BK % SLAB == 0 && BN % (8 * CLUSTER) == 0, "tiles are made of whole products");

//@ replace epilogue
__device__ __forceinline__ Out epilogue(float value, int batch, int row, int column) {
  return static_cast<Out>(value);
}
//@ end

// The 32 bytes of products' step STEP begin here in a tile of ROWS.
__device__ __forceinline__ constexpr int step_bytes(int step, int rows) {
  return step * 32 / 128 * rows * 128 + step * 32 % 128;
}
#if across
// The same of an operand that lies across K: its slabs hold 64 rows or columns of each of BK indices along K.
__device__ __forceinline__ constexpr int step_bytes_across(int step) { return step * 16 * 128; }
#endif

//@ replace mma
__device__ __forceinline__ void mma(float (&c)[BN / 2], uint64_t a, uint64_t b, bool accumulate) {
  kgen::wgmma_tf32<BN>(c, a, b, accumulate);
}
//@ end

#if fragments
__device__ __forceinline__ constexpr int b_step(int step) { return step_bytes(step, BN); }

//@ replace fragments
//@ end
#else
// All products of one stage.
__device__ __forceinline__ void multiply(float (&c)[MT][BN / 2], uint64_t a, uint64_t b, bool accumulate) {
#pragma unroll
  for (int step = 0; step < BK * int(sizeof(In)) / 32; ++step)
#pragma unroll
    for (int i = 0; i < MT; ++i)
      //@ replace products
      mma(c[i], a + (step_bytes(step, BM) + i * 64 * 128) / 16, b + step_bytes(step, BN) / 16, accumulate || step > 0);
      //@ end
}
#endif

#if grouped
//@ replace groups
//@ end
#endif
// Finishes four sums, at `row` and 8 further, `column` and the next, and stores them.
template <typename... Extra>
#if grouped
__device__ __forceinline__ void store(Out *c, const float (&sums)[4], int end, int row, int column, Extra... extra) {
  constexpr int batch = 0;
#else
__device__ __forceinline__ void store(Out *c, const float (&sums)[4], int batch, int row, int column, Extra... extra) {
#endif
#if swapped
  // The kernel's rows are the result's columns, of which eight lanes have neighbours.
#pragma unroll
  for (int e = 0; e < 4; ++e)
    if (const int r = row + e / 2 * 8, at = column + e % 2; r < M && at < N)
      c[((long long)batch * N + at) * M + r] = epilogue(sums[e], batch, at, r, extra...);
  return;
#endif
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int r = row + 8 * half;
#if grouped
    if (r >= end)
#else
#if guarded
    // Always false where tiles divide M, which ptxas does not see: where 16-bit results are rounded right behind the
    // products, in no block of their own, it serialises those.
    if (r >= M)
#else
    if (M % (BM * CLUSTER) && r >= M)
#endif
#endif
      continue;
    Out *to = c + ((long long)batch * M + r) * N + column;
    struct alignas(2 * sizeof(Out)) Pair {
      Out first, second;
    };
    if (N % 2 == 0) {
      if (N % BN == 0 || column < N)
        *reinterpret_cast<Pair *>(to) = Pair{epilogue(sums[2 * half], batch, r, column, extra...),
                                             epilogue(sums[2 * half + 1], batch, r, column + 1, extra...)};
    } else {
      if (column < N)
        to[0] = epilogue(sums[2 * half], batch, r, column, extra...);
      if (column + 1 < N)
        to[1] = epilogue(sums[2 * half + 1], batch, r, column + 1, extra...);
    }
  }
}

} // namespace example

//@ replace kernel
//@ sizes THREADS | SHARED_BYTES | BLOCKS
//@ asserts RANKS <= 8
extern "C" __global__ void __launch_bounds__(example::THREADS, 1)
    example_main(example::Out *__restrict__ c, const __grid_constant__ kgen::tensor_map map_a,
                 const __grid_constant__ kgen::tensor_map map_b) {
  //@ end
  using namespace example;
  extern __shared__ __align__(1024) unsigned char example_shared[];
  uint64_t *full = reinterpret_cast<uint64_t *>(example_shared + RING_BYTES), *empty = full + STAGES;
  const int rank = RANKS > 1 ? kgen::cluster_rank() : 0, slice = rank % SPLIT_K, below = rank / SPLIT_K;
  // Clusters that run at the same time share their columns.
#if grouped
  const int tile = blockIdx.x / RANKS;
  const Rows rows = rows_of(ends, tile % TILES_M, reinterpret_cast<int *>(empty + STAGES));
  if (rows.first >= rows.end)
    return; // and so do the others of the cluster
  const int batch = rows.matrix, m0 = rows.first, n0 = tile / TILES_M * BN;
#else
  const int tile = blockIdx.x / RANKS, batch = tile / (TILES_M * TILES_N);
  const int m0 = (tile % TILES_M * CLUSTER + below) * BM, n0 = tile / TILES_M % TILES_N * BN;
#endif
  const int first_step = slice * STEPS, steps = SPLIT_K == 1 ? K_TILES : min(STEPS, K_TILES - first_step);
  const int group = threadIdx.x / 128, consumer = group - 1, thread = threadIdx.x % 128;

  if (threadIdx.x == 0) {
    kgen::tma_prefetch(&map_a);
    kgen::tma_prefetch(&map_b);
    for (int s = 0; s < STAGES; ++s) {
      kgen::mbar_init(&full[s], 1);
#if fragments
      kgen::mbar_init(&empty[s], 4 * CONSUMERS * CLUSTER); // each warp reads A by itself
#else
      kgen::mbar_init(&empty[s], CONSUMERS * CLUSTER);
#endif
    }
    kgen::fence_barrier_init();
  }
  if constexpr (CLUSTER > 1)
    kgen::cluster_sync();
  else
    __syncthreads();

  int stage = 0;
  unsigned phase = 0;
  auto advance = [&] {
    if (++stage == STAGES) {
      stage = 0;
      phase ^= 1;
    }
  };

  if (group == 0) {
    if (threadIdx.x == 0)
      for (int step = 0; step < steps; ++step) {
        kgen::mbar_wait(&empty[stage], phase ^ 1);
        kgen::mbar_arrive_expect_tx(&full[stage], COPIED_BYTES);
        unsigned char *a = example_shared + stage * STAGE_BYTES, *b = a + A_BYTES;
        const int k0 = (first_step + step) * BK, a_batch = BATCHES_OF_A == 1 ? 0 : batch,
                  b_batch = BATCHES_OF_B == 1 ? 0 : batch;
#if left_across
#pragma unroll
        for (int s = 0; s < BM / SLAB; ++s)
          kgen::tma_load_3d(a + s * BK * 128, &map_a, &full[stage], m0 + s * SLAB, k0, a_batch);
#endif
#if right_across
#pragma unroll
        for (int s = 0; s < BN / CLUSTER / SLAB; ++s) {
          unsigned char *share = b + (below * (BN / CLUSTER / SLAB) + s) * BK * 128;
          const int column = n0 + below * (BN / CLUSTER) + s * SLAB;
          if constexpr (CLUSTER > 1) {
            unsigned short all = 0;
#pragma unroll
            for (int i = 0; i < CLUSTER; ++i)
              all |= 1 << (i * SPLIT_K);
            kgen::tma_load_3d_multicast(share, &map_b, &full[stage], column, k0, b_batch, all << slice);
          } else {
            kgen::tma_load_3d(share, &map_b, &full[stage], column, k0, b_batch);
          }
        }
#endif
#if both_across
#else
#pragma unroll
        for (int s = 0; s < BK / SLAB; ++s) {
#if left_across
#else
          kgen::tma_load_3d(a + s * BM * 128, &map_a, &full[stage], k0 + s * SLAB, m0, a_batch);
#endif
#if right_across
#else
          // Each block of a slice copies its share to all of them.
          constexpr int SHARE = BN / CLUSTER;
          unsigned char *share = b + (s * BN + below * SHARE) * 128;
          if constexpr (CLUSTER > 1) {
            unsigned short all = 0;
#pragma unroll
            for (int i = 0; i < CLUSTER; ++i)
              all |= 1 << (i * SPLIT_K);
            kgen::tma_load_3d_multicast(share, &map_b, &full[stage], k0 + s * SLAB, n0 + below * SHARE, b_batch,
                                        all << slice);
          } else {
            kgen::tma_load_3d(share, &map_b, &full[stage], k0 + s * SLAB, n0, b_batch);
          }
#endif
        }
#endif
        advance();
      }
  } else {
#if fragments
    const uint4 *a_first = reinterpret_cast<const uint4 *>(example_shared);
#else
#if left_across
    const uint64_t a_first =
        kgen::smem_descriptor(example_shared + consumer * MT * BK * 128, BK * 128, 1024, kgen::SWIZZLE_128B);
#else
    const uint64_t a_first =
        kgen::smem_descriptor(example_shared + consumer * MT * 64 * 128, 16, 1024, kgen::SWIZZLE_128B);
#endif
#endif
#if right_across
    const uint64_t b_first = kgen::smem_descriptor(example_shared + A_BYTES, BK * 128, 1024, kgen::SWIZZLE_128B);
#else
    const uint64_t b_first = kgen::smem_descriptor(example_shared + A_BYTES, 16, 1024, kgen::SWIZZLE_128B);
#endif
    auto release = [&](int s) {
#if fragments
      if (thread % 32 < CLUSTER)
        kgen::mbar_arrive_cluster(&empty[s], thread % 32 * SPLIT_K + slice);
#else
      if constexpr (CLUSTER > 1) {
        if (thread < CLUSTER)
          kgen::mbar_arrive_cluster(&empty[s], thread * SPLIT_K + slice);
      } else if (thread == 0) {
        kgen::mbar_arrive(&empty[s]);
      }
#endif
    };
    float sums[MT][BN / 2];
#if fragments
#else
    int previous = 0;
#endif
    for (int step = 0; step < steps; ++step) {
      kgen::mbar_wait(&full[stage], phase);
      kgen::wgmma_fence();
      multiply(sums, a_first + stage * (STAGE_BYTES / 16), b_first + stage * (STAGE_BYTES / 16), step > 0);
      kgen::wgmma_commit();
#if fragments
      // Nothing is in flight while registers are filled.
      kgen::wgmma_wait<0>();
      release(stage);
#else
      kgen::wgmma_wait<1>();
      // With one stage in flight, the one before it is free.
      if (step > 0)
        release(previous);
      previous = stage;
#endif
      advance();
    }
    kgen::wgmma_wait<0>();
#pragma unroll
    for (int i = 0; i < MT; ++i)
      kgen::wgmma_hold(sums[i]);
    // Also: nobody multiplies any more, so that sums may take the place of tiles.
    kgen::named_barrier_sync(1, 128 * CONSUMERS);
#pragma unroll
    for (int i = 0; i < MT; ++i)
#pragma unroll
      for (int j = 0; j < BN / 8; ++j) {
        const float four[4] = {sums[i][4 * j], sums[i][4 * j + 1], sums[i][4 * j + 2], sums[i][4 * j + 3]};
        if constexpr (SPLIT_K > 1) {
          float4 *to = reinterpret_cast<float4 *>(example_shared) + (i * (BN / 8) + j) * (128 * CONSUMERS);
          to[consumer * 128 + thread] = make_float4(four[0], four[1], four[2], four[3]);
        } else {
          const int row = m0 + (consumer * MT + i) * 64 + thread / 32 * 16 + thread % 32 / 4;
          const int column = n0 + 8 * j + thread % 4 * 2;
          //@ replace store
          store(c, four, batch, row, column);
          //@ end
        }
      }
  }

  if constexpr (SPLIT_K > 1) {
    kgen::cluster_sync();
    // Each slice's block finishes a share of the columns.
    constexpr int FOURS = MT * (BN / 8), SHARE = (FOURS + SPLIT_K - 1) / SPLIT_K;
    if (group > 0) {
      float4 *sums = reinterpret_cast<float4 *>(example_shared) + consumer * 128 + thread;
#pragma unroll 4
      for (int number = slice * SHARE; number < min((slice + 1) * SHARE, FOURS); ++number) {
        float four[4] = {};
#pragma unroll
        for (int s = 0; s < SPLIT_K; ++s) {
          const float4 more = *kgen::cluster_map(sums + number * (128 * CONSUMERS), below * SPLIT_K + s);
          four[0] += more.x;
          four[1] += more.y;
          four[2] += more.z;
          four[3] += more.w;
        }
        const int row =
            m0 + (consumer * MT + number / (BN / 8)) * 64 + thread / 32 * 16 + thread % 32 / 4;
        const int column = n0 + number % (BN / 8) * 8 + thread % 4 * 2;
        //@ replace store_sum
        store(c, four, batch, row, column);
        //@ end
      }
    }
  }
  // Nobody leaves while others of the cluster may still use its shared memory.
  if constexpr (RANKS > 1)
    kgen::cluster_sync();
}
