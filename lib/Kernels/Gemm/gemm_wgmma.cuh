//===- gemm_wgmma.cuh - Matrix product on warpgroups (sm_90a) -------------===//
//
// C[b] = epilogue(A[b] * B[b]) in 16-bit products summed in fp32. One thread of
// the first warpgroup copies tiles of A and B by tensor map into a ring of STAGES
// buffers; each of the other CONSUMERS warpgroups multiplies BM / CONSUMERS rows
// of the tile. Blocks are persistent: while consumers finish a tile, the copies
// of the next one are under way. With PARTS = 2 an operand is the sum of two
// matrices, and the product of the two small parts is left out. With SPLIT_K > 1 a tile
// is one slice of K, and a second kernel adds the slices.
//
//===----------------------------------------------------------------------===//
#include "kgen_hopper.cuh"

//@ replace constants
namespace example {
// The problem.
using In = __half;  // element type of the products
using InA = In;     // element type of A's tiles
using Out = __half; // element type of C
using Stored = Out; // what the main kernel writes: Out, or partial sums with SPLIT_K
constexpr int M = 4096, N = 4096, K = 4096;
constexpr int BATCH = 1;
constexpr int BATCHES_OF_A = 1, BATCHES_OF_B = 1; // 1: the same matrix for every batch
constexpr bool A_K_CONTIGUOUS = true;  // A is [M, K]; else [K, M]
constexpr bool B_K_CONTIGUOUS = false; // B is [N, K]; else [K, N]
constexpr int PARTS = 1;               // matrices whose sum is an operand
// The schedule.
constexpr int BM = 128, BN = 256, BK = 64; // block tile
constexpr int CONSUMERS = 2;               // warpgroups that multiply
constexpr int STAGES = 4;
constexpr int CLUSTER = 2;       // blocks, one below the other, that share their tiles of B
constexpr int RASTER = 8;        // tile rows of one group in the block order
constexpr int INFLIGHT = 1;      // stages whose products run while the next one is waited for
constexpr int PROMOTE = 0;       // k tiles that are summed in the tensor cores before an fp32 addition; 0: all
constexpr int SPLIT_K = 1;       // slices of K, whose sums a second kernel adds
constexpr int BLOCKS = 132;      // of the grid
constexpr bool STORE_TMA = true; // results leave through shared memory and a tensor map
constexpr int KEPT = 4;          // stores that wait in registers for the first steps of the next tile
constexpr bool LOOPS = false;    // results are finished in a loop: their steps are long
constexpr int STORE_BUFFERS = 2; // 64 rows of 128 bytes each, for each consumer
constexpr int PRODUCER_REGISTERS = 40, CONSUMER_REGISTERS = 232;
constexpr int SHARED_BYTES = 227 * 1024; // dynamic shared memory of the launch
constexpr bool LOWER = true;             // what a triangle keeps of the result
constexpr int DIAGONAL = 1 << 30;        // results right of it are zero, by column - row
} // namespace example
//@ end

namespace example {

constexpr int THREADS = 128 * (CONSUMERS + 1);
constexpr int MT = BM / CONSUMERS / 64; // products of 64 rows, one above the other, of a consumer
constexpr int TILES_M = (M + BM * CLUSTER - 1) / (BM * CLUSTER), TILES_N = (N + BN - 1) / BN; // of a cluster
constexpr int TILES = TILES_M * TILES_N * BATCH * SPLIT_K;
constexpr int K_TILES = (K + BK - 1) / BK;
constexpr int STEPS = (K_TILES + SPLIT_K - 1) / SPLIT_K; // of a tile; the last slice may have fewer
constexpr int CLUSTERS = BLOCKS / CLUSTER;
constexpr int CHAIN = PROMOTE ? PROMOTE : 1;
constexpr int CHUNK = 128 / sizeof(Stored), CHUNKS = STORE_TMA ? BN / CHUNK : 1; // columns of a store, stores of 64 rows
constexpr int UNROLLED = LOOPS ? 1 : CHUNKS;
constexpr int AT_ONCE = MT * CHUNKS - KEPT;                                   // stores of a consumer that do not wait
static_assert(KEPT <= MT * CHUNKS && KEPT < K_TILES && (KEPT == 0 || (STORE_TMA && SPLIT_K == 1)), "each step has time for one store");
static_assert((SPLIT_K - 1) * STEPS < K_TILES, "every slice has a step");

// Shared memory: stages of [A parts | B parts], store buffers, barriers. Every piece is made of slabs: 128 bytes
// of the contiguous dimension, swizzled, for each index of the other one.
constexpr int SLAB = 128 / sizeof(In), A_SLAB = 128 / sizeof(InA); // elements
constexpr int A_BYTES = BM * BK * sizeof(InA), B_BYTES = BN * BK * sizeof(In);
#if halves
// Tiles of A wait in a ring of their own, which has one fewer: they are free once fragments are made of them.
constexpr int A_STAGES = STAGES - 1, STAGE_BYTES = B_BYTES, B_BEGIN = A_STAGES * A_BYTES;
constexpr int RING_BYTES = B_BEGIN + STAGES * B_BYTES, BARRIERS = 2 * STAGES + 2 * A_STAGES;
#else
constexpr int STAGE_BYTES = PARTS * (A_BYTES + B_BYTES), B_BEGIN = PARTS * A_BYTES;
constexpr int RING_BYTES = STAGES * STAGE_BYTES, BARRIERS = 2 * STAGES;
#endif
constexpr int STORE_BYTES = STORE_TMA ? CONSUMERS * STORE_BUFFERS * 64 * 128 : 0;
static_assert(RING_BYTES + STORE_BYTES + 8 * BARRIERS <= SHARED_BYTES, "the launch gives too little shared memory");
static_assert(BM % (64 * CONSUMERS) == 0 && BK % SLAB == 0 && BN % (8 * CLUSTER) == 0, "tiles are made of whole products");
static_assert(B_K_CONTIGUOUS || BN % (SLAB * CLUSTER) == 0, "tiles of B are made of whole slabs");

//@ replace epilogue
__device__ __forceinline__ Out epilogue(float value, int batch, int row, int column) {
  return static_cast<Out>(value);
}
//@ end

// The tile of a cluster: groups of RASTER tile rows, column by column, so that blocks that run at the
// same time share tiles in L2; every other group from right to left, so that those share columns with the group before.
struct Tile {
  int m0, n0, batch, slice;
};
// Where a tile's results go: slices are batches of a larger result.
__device__ __forceinline__ int stored_batch(const Tile &tile) { return tile.slice * BATCH + tile.batch; }
__device__ __forceinline__ int steps_of(const Tile &tile) {
  //@ section skip
  // A cluster's tiles share copies, so all of them are zeros or none counts as such.
  constexpr int ROWS = BM * CLUSTER;
  const int m0 = tile.m0 / ROWS * ROWS;
  if (LOWER ? tile.n0 - (m0 + ROWS - 1) > DIAGONAL : tile.n0 + BN - 1 - m0 < DIAGONAL)
    return 0;
  //@ end
  return SPLIT_K == 1 ? K_TILES : min(STEPS, K_TILES - tile.slice * STEPS);
}
__device__ __forceinline__ Tile tile_at(int index, int rank) {
  const int tile = index % (TILES_M * TILES_N);
  const int group = tile / (RASTER * TILES_N), inside = tile % (RASTER * TILES_N);
  const int rows = min(RASTER, TILES_M - group * RASTER);
  const int column = group % 2 ? TILES_N - 1 - inside / rows : inside / rows;
  const int outer = index / (TILES_M * TILES_N);
  return {((group * RASTER + inside % rows) * CLUSTER + rank) * BM, column * BN, outer % BATCH, outer / BATCH};
}

// Copies the tile of one part; slab by slab.
__device__ __forceinline__ void load_a(unsigned char *to, const kgen::tensor_map *map, uint64_t *bar, int m0, int k0,
                                       int batch) {
  if constexpr (A_K_CONTIGUOUS) {
#pragma unroll
    for (int s = 0; s < BK / A_SLAB; ++s)
      kgen::tma_load_3d(to + s * BM * 128, map, bar, k0 + s * A_SLAB, m0, batch);
  } else {
#pragma unroll
    for (int s = 0; s < BM / A_SLAB; ++s)
      kgen::tma_load_3d(to + s * BK * 128, map, bar, m0 + s * A_SLAB, k0, batch);
  }
}
// Each block of a cluster copies its share to all.
__device__ __forceinline__ void load_b(unsigned char *to, const kgen::tensor_map *map, uint64_t *bar, int n0, int k0,
                                       int batch, int rank) {
  constexpr int SHARE = BN / CLUSTER;
  constexpr unsigned short ALL = (1 << CLUSTER) - 1;
  auto copy = [&](unsigned char *slab, int c0, int c1) {
    if constexpr (CLUSTER > 1)
      kgen::tma_load_3d_multicast(slab, map, bar, c0, c1, batch, ALL);
    else
      kgen::tma_load_3d(slab, map, bar, c0, c1, batch);
  };
  if constexpr (B_K_CONTIGUOUS) {
#pragma unroll
    for (int s = 0; s < BK / SLAB; ++s)
      copy(to + s * BN * 128 + rank * SHARE * 128, k0 + s * SLAB, n0 + rank * SHARE);
  } else {
#pragma unroll
    for (int s = 0; s < SHARE / SLAB; ++s)
      copy(to + (rank * (SHARE / SLAB) + s) * BK * 128, n0 + rank * SHARE + s * SLAB, k0);
  }
}

#if tf32
// Where the 8 elements of k step `step` begin in a tile, in bytes; both operands are contiguous along k.
__device__ __forceinline__ constexpr int a_step(int step) { return step * 8 / SLAB * BM * 128 + step * 8 % SLAB * 4; }
__device__ __forceinline__ constexpr int b_step(int step) { return step * 8 / SLAB * BN * 128 + step * 8 % SLAB * 4; }
#else
// Where the 16 elements of k step `step` begin in a tile, in bytes, and how its descriptor strides.
__device__ __forceinline__ constexpr int a_step(int step) {
  return A_K_CONTIGUOUS ? step * 16 / SLAB * BM * 128 + step * 16 % SLAB * 2 : step * 16 * 128;
}
__device__ __forceinline__ constexpr int b_step(int step) {
  return B_K_CONTIGUOUS ? step * 16 / SLAB * BN * 128 + step * 16 % SLAB * 2 : step * 16 * 128;
}
#endif

//@ replace mma
__device__ __forceinline__ void mma(float (&c)[BN / 2], uint64_t a, uint64_t b, bool accumulate) {
  kgen::wgmma_f16<BN, !A_K_CONTIGUOUS, !B_K_CONTIGUOUS>(c, a, b, accumulate);
}
//@ end

// Products are done: reads of their sums stay behind this point.
__device__ __forceinline__ void hold(float (&c)[MT][BN / 2]) {
#pragma unroll
  for (int i = 0; i < MT; ++i)
    kgen::wgmma_hold(c[i]);
}

//@ section scaled
// value * 2^exponent, in two steps that cannot overflow where the result does not. Below -252 all is lost anyway.
__device__ __forceinline__ float scaled(float value, int exponent) {
  exponent = max(exponent, -252);
  const int half = exponent / 2;
  return value * __int_as_float((127 + half) << 23) * __int_as_float((127 + exponent - half) << 23);
}
//@ end

// The row, of 8, of what a lane has of a product.
#if halves
// Four neighbouring lanes / 4 read rows apart, whose swizzled 32 bytes along K lie in different banks.
__device__ __forceinline__ constexpr int row_of(int lane) { return lane / 4 < 4 ? lane / 4 * 2 : lane / 4 * 2 - 7; }
#else
__device__ __forceinline__ constexpr int row_of(int lane) { return lane / 4; }
#endif

#if fragments
//@ replace fragments
//@ end
#else
// All products of one stage.
__device__ __forceinline__ void multiply(float (&c)[MT][BN / 2], uint64_t a, uint64_t b, bool accumulate) {
#pragma unroll
#if tf32
  for (int step = 0; step < BK / 8; ++step)
#else
  for (int step = 0; step < BK / 16; ++step)
#endif
#pragma unroll
    for (int product = 0; product < (PARTS == 1 ? 1 : 3); ++product) {
      // Small terms first.
      const int a_part = product == 1, b_part = PARTS == 2 && product == 0;
#pragma unroll
      for (int i = 0; i < MT; ++i)
        mma(c[i], a + (a_part * A_BYTES + a_step(step) + i * (A_K_CONTIGUOUS ? 64 : BK) * 128) / 16,
            b + (b_part * B_BYTES + b_step(step)) / 16, accumulate || step > 0 || product > 0);
    }
}
#endif

// Finishes the sums at `row` (and 8 further), `column` (and the next).
template <typename Scale, typename... Extra>
__device__ __forceinline__ void finish(Stored (&out)[4], const float *sums, int batch, int row, int column,
                                       const Scale &scale, Extra... extra) {
#pragma unroll
  for (int e = 0; e < 4; ++e) {
    const int r = row + e / 2 * 8, c = column + e % 2;
    if constexpr (SPLIT_K > 1)
      out[e] = sums[e];
    else if ((M % (BM * CLUSTER) == 0 || r < M) && (N % BN == 0 || c < N))
#if swapped
      out[e] = epilogue(scale(sums[e], e / 2, c), batch, c, r, extra...);
#else
      out[e] = epilogue(scale(sums[e], e / 2, c), batch, r, c, extra...);
#endif
    else
      out[e] = Stored(0.0f);
  }
}

//@ replace stores
//@ end

} // namespace example

//@ replace kernel
//@ sizes THREADS | SHARED_BYTES | BLOCKS
//@ asserts BLOCKS % CLUSTER == 0 && CLUSTERS <= TILES
//@ asserts 128 * (PRODUCER_REGISTERS + CONSUMERS * CONSUMER_REGISTERS) <= 65536
extern "C" __global__ void __launch_bounds__(example::THREADS, 1)
    example_main(example::Stored *__restrict__ c, const __grid_constant__ kgen::tensor_map map_a,
                 const __grid_constant__ kgen::tensor_map map_b, const __grid_constant__ kgen::tensor_map map_c) {
  //@ end
  using namespace example;
  extern __shared__ __align__(1024) unsigned char example_shared[];
  unsigned char *store_buffers = example_shared + RING_BYTES;
  uint64_t *full = reinterpret_cast<uint64_t *>(store_buffers + STORE_BYTES), *empty = full + STAGES;
#if halves
  uint64_t *a_full = empty + STAGES, *a_empty = a_full + A_STAGES;
#endif
  const int rank = CLUSTER > 1 ? kgen::cluster_rank() : 0;
  const int group = threadIdx.x / 128;

  if (threadIdx.x == 32) {
    kgen::tma_prefetch(&map_a);
    kgen::tma_prefetch(&map_b);
  }
  if (threadIdx.x == 0) {
    for (int s = 0; s < STAGES; ++s) {
      kgen::mbar_init(&full[s], 1);
#if fragments
      kgen::mbar_init(&empty[s], 4 * CONSUMERS * CLUSTER); // each warp reads A by itself
#else
      kgen::mbar_init(&empty[s], CONSUMERS * CLUSTER);
#endif
    }
#if halves
    for (int s = 0; s < A_STAGES; ++s) {
      kgen::mbar_init(&a_full[s], 1);
      kgen::mbar_init(&a_empty[s], 4 * CONSUMERS);
    }
#endif
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
    kgen::setmaxnreg_dec<PRODUCER_REGISTERS>();
    auto each_step = [&](auto copy) {
      for (int index = blockIdx.x / CLUSTER; index < TILES; index += CLUSTERS) {
        const Tile tile = tile_at(index, rank);
        const int steps = steps_of(tile);
        // Every other tile backwards: what was read last is still in L2.
        for (int step = 0; step < steps; ++step)
          copy(tile, tile.slice * STEPS + (index / CLUSTERS % 2 ? steps - 1 - step : step));
      }
    };
#if halves
    if (threadIdx.x == 32) {
      int a_stage = 0;
      unsigned a_phase = 0;
      each_step([&](const Tile &tile, int k_tile) {
        kgen::mbar_wait(&a_empty[a_stage], a_phase ^ 1);
        kgen::mbar_arrive_expect_tx(&a_full[a_stage], A_BYTES);
        load_a(example_shared + a_stage * A_BYTES, &map_a, &a_full[a_stage], tile.m0, k_tile * BK,
               BATCHES_OF_A == 1 ? 0 : tile.batch);
        if (++a_stage == A_STAGES)
          a_stage = 0, a_phase ^= 1;
      });
    }
#endif
    if (threadIdx.x == 0)
      each_step([&](const Tile &tile, int k_tile) {
        kgen::mbar_wait(&empty[stage], phase ^ 1);
        kgen::mbar_arrive_expect_tx(&full[stage], STAGE_BYTES);
#if halves
        load_b(example_shared + B_BEGIN + stage * B_BYTES, &map_b, &full[stage], tile.n0, k_tile * BK,
               BATCHES_OF_B == 1 ? 0 : tile.batch, rank);
#else
        unsigned char *a = example_shared + stage * STAGE_BYTES, *b = a + PARTS * A_BYTES;
#pragma unroll
        for (int part = 0; part < PARTS; ++part) {
          load_a(a + part * A_BYTES, &map_a, &full[stage], tile.m0, k_tile * BK,
                 part * BATCHES_OF_A + (BATCHES_OF_A == 1 ? 0 : tile.batch));
          load_b(b + part * B_BYTES, &map_b, &full[stage], tile.n0, k_tile * BK,
                 part * BATCHES_OF_B + (BATCHES_OF_B == 1 ? 0 : tile.batch), rank);
        }
#endif
        advance();
      });
  } else {
    kgen::setmaxnreg_inc<CONSUMER_REGISTERS>();
    const int consumer = group - 1, thread = threadIdx.x % 128;
#if fragments
    const uint4 *a_first = reinterpret_cast<const uint4 *>(example_shared);
#else
    const uint64_t a_first = kgen::smem_descriptor(example_shared + consumer * MT * (A_K_CONTIGUOUS ? 64 : BK) * 128,
                                                   BK * 128, 1024, kgen::SWIZZLE_128B);
#endif
    const uint64_t b_first = kgen::smem_descriptor(example_shared + B_BEGIN, BK * 128, 1024, kgen::SWIZZLE_128B);
    auto release = [&](int s) {
#if fragments
      if (thread % 32 < CLUSTER)
        kgen::mbar_arrive_cluster(&empty[s], thread % 32);
#else
      if constexpr (CLUSTER > 1) {
        if (thread < CLUSTER)
          kgen::mbar_arrive_cluster(&empty[s], thread);
      } else if (thread == 0) {
        kgen::mbar_arrive(&empty[s]);
      }
#endif
    };

    int previous = 0;
#if halves
    Powers powers = {}; // of the tile under way
    int a_stage = 0;
    unsigned a_phase = 0;
    // Waits for a tile of A and makes its fragments.
    auto prepare = [&](Fragments &next, bool first) {
      kgen::mbar_wait(&a_full[a_stage], a_phase);
      make_fragments(next, powers, a_first + a_stage * (A_BYTES / 16), first);
      __syncwarp();
      if (thread % 32 == 0)
        kgen::mbar_arrive(&a_empty[a_stage]);
      if (++a_stage == A_STAGES)
        a_stage = 0, a_phase ^= 1;
    };
    // The products of one stage; `meanwhile` runs beside them, and then the next stage's fragments are made.
    auto step = [&](float (&sums)[MT][BN / 2], const Fragments &these, Fragments &next, bool first, bool last,
                    auto meanwhile) {
      kgen::mbar_wait(&full[stage], phase);
      kgen::wgmma_fence();
      multiply(sums, these, b_first + stage * (STAGE_BYTES / 16), !first);
      kgen::wgmma_commit();
      meanwhile();
      previous = stage;
      advance();
      if (!last)
        prepare(next, false);
      kgen::wgmma_wait<0>();
      release(previous);
      follow(sums, powers);
    };
#else
    // The products of one stage; `meanwhile` runs beside them.
    auto step = [&](float (&sums)[MT][BN / 2], bool first, auto meanwhile) {
      kgen::mbar_wait(&full[stage], phase);
      kgen::wgmma_fence();
      multiply(sums, a_first + stage * (STAGE_BYTES / 16), b_first + stage * (STAGE_BYTES / 16), !first);
      kgen::wgmma_commit();
      meanwhile();
      kgen::wgmma_wait<INFLIGHT>();
      // With one stage in flight, the one before it is free.
      if (INFLIGHT == 0)
        release(stage);
      else if (!first)
        release(previous);
      previous = stage;
      advance();
    };
#endif
    //@ section store_tma
    int store_buffer = 0;
    // Makes room for 64 rows of 128 bytes.
    auto open_buffer = [&] {
      if (thread == 0)
        kgen::bulk_wait_read<STORE_BUFFERS - 1>();
      kgen::named_barrier_sync(1 + consumer, 128);
      unsigned char *buffer = store_buffers + (consumer * STORE_BUFFERS + store_buffer) * 64 * 128;
      store_buffer = store_buffer + 1 == STORE_BUFFERS ? 0 : store_buffer + 1;
      return buffer;
    };
    // Fills the buffer and sends it off.
    auto store = [&](unsigned char *buffer, const Pair (&pairs)[PAIRS], int number, const Tile &tile) {
      store_shared(buffer, pairs, thread / 32 * 16 + row_of(thread % 32), thread % 4 * 2);
      kgen::fence_proxy_async();
      kgen::named_barrier_sync(1 + consumer, 128);
      if (thread == 0) {
        const int column = tile.n0 + number % CHUNKS * CHUNK, row = tile.m0 + (consumer * MT + number / CHUNKS) * 64;
#if turned
        kgen::tma_store_3d(&map_c, buffer, row, column, stored_batch(tile));
        kgen::tma_store_3d(&map_c, buffer + 32 * 128, row + 32, column, stored_batch(tile));
#else
        kgen::tma_store_3d(&map_c, buffer, column, row, stored_batch(tile));
#endif
        kgen::bulk_commit();
      }
    };
    Pair kept[KEPT ? KEPT : 1][PAIRS]; // of the tile before
    Tile kept_tile = {-1, 0, 0, 0};
    auto store_kept = [&](int i) {
      if (kept_tile.m0 >= 0)
        store(open_buffer(), kept[i], AT_ONCE + i, kept_tile);
    };
    //@ end

    for (int index = blockIdx.x / CLUSTER; index < TILES; index += CLUSTERS) {
      const Tile tile = tile_at(index, rank);
      const int steps = steps_of(tile);
      //@ section skip
      if (steps == 0) {
        for (int i = consumer * 128 + thread; i < BM * BN; i += 128 * CONSUMERS) {
          const int row = tile.m0 + i / BN, column = tile.n0 + i % BN;
          if (row < M && column < N) {
            //@ replace store_zero
            const Stored zero = epilogue(0.0f, tile.batch, row, column);
            //@ end
            c[((long long)stored_batch(tile) * M + row) * N + column] = zero;
          }
        }
        continue;
      }
      //@ end
      float sums[MT][BN / 2];
      if constexpr (LOOPS) // below they move, and not from one tile to the next
#pragma unroll
        for (int i = 0; i < MT; ++i)
          kgen::wgmma_begin(sums[i]);
#if halves
      {
        Fragments fragments[2];
        prepare(fragments[0], true);
        //@ section store_tma
#pragma unroll
        for (int k_tile = 0; k_tile < KEPT; ++k_tile)
          step(sums, fragments[k_tile % 2], fragments[1 - k_tile % 2], k_tile == 0, false, [&] { store_kept(k_tile); });
        //@ end
        for (int k_tile = KEPT; k_tile < steps; k_tile += 2) {
          step(sums, fragments[KEPT % 2], fragments[1 - KEPT % 2], k_tile == 0, k_tile + 1 == steps, [] {});
          if (k_tile + 1 < steps)
            step(sums, fragments[1 - KEPT % 2], fragments[KEPT % 2], false, k_tile + 2 == steps, [] {});
        }
        hold(sums);
      }
#else
      if constexpr (PROMOTE == 0) {
        //@ section store_tma
#pragma unroll
        for (int k_tile = 0; k_tile < KEPT; ++k_tile)
          step(sums, k_tile == 0, [&] { store_kept(k_tile); });
        //@ end
        for (int k_tile = KEPT; k_tile < steps; ++k_tile)
          step(sums, k_tile == 0, [] {});
        kgen::wgmma_wait<0>();
        hold(sums);
        if (INFLIGHT == 1)
          release(previous);
      } else {
        float partial[MT][BN / 2];
#pragma unroll
        for (int i = 0; i < MT * (BN / 2); ++i)
          sums[i / (BN / 2)][i % (BN / 2)] = 0.0f;
        auto chained = [&](int k_tile, auto meanwhile) {
          kgen::mbar_wait(&full[stage], phase);
          kgen::wgmma_fence();
          multiply(partial, a_first + stage * (STAGE_BYTES / 16), b_first + stage * (STAGE_BYTES / 16),
                   k_tile % CHAIN > 0);
          kgen::wgmma_commit();
          meanwhile();
          kgen::wgmma_wait<0>();
          hold(partial);
          release(stage);
          advance();
          if (k_tile % CHAIN == CHAIN - 1 || k_tile == steps - 1) {
#pragma unroll
            for (int i = 0; i < MT * (BN / 2); ++i)
              sums[i / (BN / 2)][i % (BN / 2)] += partial[i / (BN / 2)][i % (BN / 2)];
          }
        };
        //@ section store_tma
#pragma unroll
        for (int k_tile = 0; k_tile < KEPT; ++k_tile)
          chained(k_tile, [&] { store_kept(k_tile); });
        //@ end
        for (int k_tile = KEPT; k_tile < steps; ++k_tile)
          chained(k_tile, [] {});
      }
#endif

      // Also keeps reads of the sums behind the products' end.
      kgen::named_barrier_sync(1 + consumer, 128);
#pragma unroll
      for (int i = 0; i < MT; ++i) {
        const int m0 = tile.m0 + (consumer * MT + i) * 64, local = thread / 32 * 16 + row_of(thread % 32);
        const int row = m0 + local, pair = thread % 4 * 2;
        //@ replace scale
        auto scale = [](float value, int, int) { return value; };
        //@ end
        //@ section store_tma
        if constexpr (STORE_TMA) {
#pragma unroll UNROLLED
          for (int chunk = 0; chunk < CHUNKS; ++chunk) {
            const int number = i * CHUNKS + chunk;
            unsigned char *buffer = KEPT == 0 || number < AT_ONCE ? open_buffer() : nullptr;
            Pair pairs[PAIRS];
#pragma unroll
            for (int j = 0; j < CHUNK; j += 8) {
              Stored out[4];
              //@ replace finish
              finish(out, &sums[i][((LOOPS ? 0 : chunk * CHUNK) + j) / 2], tile.batch, row, tile.n0 + chunk * CHUNK + j + pair,
                     scale);
              //@ end
              pairs[j / 4] = Pair{out[0], out[1]};
              pairs[j / 4 + 1] = Pair{out[2], out[3]};
            }
            if (KEPT == 0 || number < AT_ONCE) {
              store(buffer, pairs, number, tile);
              if constexpr (LOOPS) // the next ones move to the front: registers have no index
#pragma unroll
                for (int j = 0; j + CHUNK / 2 < BN / 2; ++j)
                  sums[i][j] = sums[i][j + CHUNK / 2];
            } else {
#pragma unroll
              for (int j = 0; j < PAIRS; ++j) {
                pin(pairs[j]);
                kept[number - AT_ONCE][j] = pairs[j];
              }
            }
          }
        }
        //@ end
        //@ section store_direct
        if constexpr (!STORE_TMA) {
#pragma unroll
          for (int j = 0; j < BN; j += 8) {
            Stored out[4];
            //@ replace finish_direct
            finish(out, &sums[i][j / 2], tile.batch, row, tile.n0 + j + pair, scale);
            //@ end
            store_direct(c, out, stored_batch(tile), row, tile.n0 + j + pair);
          }
        }
        //@ end
      }
      //@ section store_tma
      kept_tile = tile;
      //@ end
    }
    //@ section store_tma
#pragma unroll
    for (int i = 0; i < KEPT; ++i)
      store_kept(i);
    //@ end
    if (STORE_TMA && thread == 0)
      kgen::bulk_wait_read<0>();
  }
  // Nobody leaves while others of the cluster may still write to its shared memory.
  if constexpr (CLUSTER > 1)
    kgen::cluster_sync();
}

//@ section split_k
// Adds the slices' sums in order, and finishes the results.
namespace example {
constexpr long long RESULTS = (long long)BATCH * M * N;
constexpr int EACH = N % 4 == 0 && RESULTS >= 1 << 18 ? 4 : 1; // results of a thread
} // namespace example
//@ replace reduce
extern "C" __global__ void __launch_bounds__(256)
    example_reduce(const float *__restrict__ partial, example::Out *__restrict__ c) {
  //@ end
  using namespace example;
  struct alignas(EACH * sizeof(float)) Sums {
    float value[EACH];
  } sums = {};
#if swapped
#else
  struct alignas(EACH * sizeof(Out)) Results {
    Out value[EACH];
  } results;
#endif
  const long long first = (blockIdx.x * 256ll + threadIdx.x) * EACH;
  if (first >= RESULTS)
    return;
#pragma unroll 8
  for (int slice = 0; slice < SPLIT_K; ++slice) {
    const Sums more = *reinterpret_cast<const Sums *>(&partial[slice * RESULTS + first]);
#pragma unroll
    for (int i = 0; i < EACH; ++i)
      sums.value[i] += more.value[i];
  }
  const int batch = first / ((long long)M * N), row = first / N % M, column = first % N;
#if swapped
  // The kernel's rows are the result's columns.
#pragma unroll
  for (int i = 0; i < EACH; ++i)
    //@ replace reduce_swapped
    c[((long long)batch * N + column + i) * M + row] = epilogue(sums.value[i], batch, column + i, row);
    //@ end
#else
  //@ replace reduce_scale
  auto scale = [](float value, int) { return value; };
  //@ end
#pragma unroll
  for (int i = 0; i < EACH; ++i) {
    //@ replace reduce_call
    results.value[i] = epilogue(scale(sums.value[i], column + i), batch, row, column + i);
    //@ end
  }
  *reinterpret_cast<Results *>(&c[first]) = results;
#endif
}
//@ end
