// attention_wgmma.cuh - softmax(scale * Q K^T) V for 16-bit elements, by warpgroup products on sm_90a.
//
// One warpgroup copies tiles by tensor map; each of the CONSUMERS others owns 64 queries of the tile. Scores of a
// tile of keys live in a consumer's accumulators, become weights there and are the left operand of the product with
// the values. While that product runs, the exponentials of the next tile are computed (OVERLAP), and consumers take
// turns at the tensor cores, so that one multiplies while another computes exponentials (PINGPONG): the ideas of
// FlashAttention-3.
//
// What is new is the shift of the exponentials (LAZY). Any shift gives the same quotient, so the maximum of the first
// tile serves all of them: the sum of a tile's weights, which is computed anyway, tells when they have grown too
// large, and a power of two brings them down. Exponentials then begin as soon as a score is there, and the maxima
// (a fifth of the instructions) are gone. Should weights leave the range of fp32, 88 nats above the first maximum,
// the block marks the tile and computes it again at the end, by the maximum of every tile.
//@ section standalone
#include "kgen_hopper.cuh"
//@ end
//@ replace constants
namespace example {
using Element = __half;
constexpr int QUERIES = 4096, KEYS = 4096, DEPTH = 128;
constexpr bool CAUSAL = false;
constexpr float SCALE = 0.08838834764f;
// The schedule.
constexpr int CONSUMERS = 2, TILE_KEYS = 128, STAGES = 2;
constexpr bool PINGPONG = true;   // consumers take turns at the tensor cores
constexpr bool OVERLAP = true;    // exponentials of a tile beside the product of the one before
constexpr bool LAZY = true;       // exponentials shifted by the first tile's maximum, until they grow
constexpr int BLOCKS = 132;       // of the grid
constexpr int ROUNDS = 16;        // tiles of a block, at most
constexpr int PRODUCER_REGISTERS = 24, CONSUMER_REGISTERS = 240;
__device__ __forceinline__ unsigned pack(float low, float high) {
  const __half2 pair = __floats2half2_rn(low, high);
  unsigned bits;
  memcpy(&bits, &pair, sizeof(bits));
  return bits;
}
template <int N> __device__ __forceinline__ void multiply(float (&d)[N / 2], uint64_t a, uint64_t b, bool accumulate) {
  kgen::wgmma_f16<N>(d, a, b, accumulate);
}
template <int N>
__device__ __forceinline__ void multiply(float (&d)[N / 2], const unsigned (&a)[4], uint64_t b, bool accumulate) {
  kgen::wgmma_f16_ra<N, 1>(d, a, b, accumulate);
}
constexpr int FIRST_QUERY = 0, FIRST_KEY = 0, FIRST_VALUE = 0;
constexpr int OUT_ROW = 128;
__device__ __forceinline__ long long out_start(long long head) { return head * 524288; }
/// The tile that block BLOCK computes in a round, or -1.
__device__ __forceinline__ int tile_of(int block, int round) {
  const int tile = round * BLOCKS + block;
  return tile < 2048 ? tile : -1;
}
} // namespace example
//@ end

namespace example {
constexpr int THREADS = 128 * (CONSUMERS + 1);
#if sliced
constexpr int ALL_THREADS = 1 + CONSUMERS; // the barrier of all warps, which meet in two places of the text
#endif
constexpr int TILE_QUERIES = 64 * CONSUMERS, QUERY_TILES = (QUERIES + TILE_QUERIES - 1) / TILE_QUERIES;
constexpr float LOG2_SCALE = SCALE * 1.44269504089f; // exp(SCALE * x) as a power of two
constexpr float HIDDEN = -1.0e30f; // the score of a key that a query does not see
constexpr float GROWTH = 8.0f;     // powers of two by which a maximum may grow before sums are rescaled
constexpr float LARGE = 16384.0f;  // a thread's sum of one tile's weights, which fit fp16 below it
constexpr float LOST = 1.0e30f;    // and above this, weights may have overflown
constexpr float COARSE = 1.0e6f;   // the rounding of a shift beyond this may cost weights their range

// A tile is made of panels: rows of 64 elements, 128 bytes, swizzled; 8 rows are 1024 bytes.
constexpr int WIDTH = (DEPTH + 63) / 64 * 64; // tensor maps fill up with zeros
constexpr int PANELS = WIDTH / 64, QUERY_PANEL = TILE_QUERIES * 128, KEY_PANEL = TILE_KEYS * 128;
constexpr int QUERY_BYTES = PANELS * QUERY_PANEL, KEY_BYTES = PANELS * KEY_PANEL;
static_assert(DEPTH % 16 == 0 && TILE_KEYS % 16 == 0, "tiles are made of whole products");

/// A place in a ring of N buffers, and the parity of the round.
template <int N> struct Place {
  int index = 0;
  unsigned phase = 0;
  __device__ __forceinline__ void advance() {
    if (++index == N) {
      index = 0;
      phase ^= 1;
    }
  }
};
template <bool VALUE> struct Flag {
  static constexpr bool value = VALUE;
};

/// One tile of queries of one head, and the tiles of keys that it sees.
struct Work {
  int head, query_tile, key_tiles;
};
__device__ __forceinline__ Work work_of(int tile) {
  Work work = {tile / QUERY_TILES, tile % QUERY_TILES, 0};
  const int seen = (work.query_tile + 1) * TILE_QUERIES;
  // Known loops of few turns would be unrolled, for which there are no registers.
  work.key_tiles = kgen::opaque(((CAUSAL && seen < KEYS ? seen : KEYS) + TILE_KEYS - 1) / TILE_KEYS);
  return work;
}

__device__ __forceinline__ void copy_tile(unsigned char *tile, int panel_bytes, const kgen::tensor_map *map,
                                          uint64_t *bar, int row, int head) {
  kgen::mbar_arrive_expect_tx(bar, PANELS * panel_bytes);
#pragma unroll
  for (int panel = 0; panel < PANELS; ++panel)
    kgen::tma_load_3d(tile + panel * panel_bytes, map, bar, 64 * panel, row, head);
}

/// Scores of 64 queries against a tile of keys.
__device__ __forceinline__ void score(float (&scores)[TILE_KEYS / 2], uint64_t queries, uint64_t keys) {
  kgen::wgmma_fence();
#pragma unroll
  for (int step = 0; step < WIDTH / 16; ++step)
    multiply<TILE_KEYS>(scores, queries + (step / 4 * QUERY_PANEL + step % 4 * 32) / 16,
                        keys + (step / 4 * KEY_PANEL + step % 4 * 32) / 16, step > 0);
  kgen::wgmma_commit();
}

/// Adds weights times a tile of values, which lie along the depth, to the results.
__device__ __forceinline__ void weigh(float (&results)[WIDTH / 2], const unsigned (&weights)[TILE_KEYS / 16][4],
                                      uint64_t values, bool accumulate) {
  kgen::wgmma_fence();
#pragma unroll
  for (int step = 0; step < TILE_KEYS / 16; ++step)
    multiply<WIDTH>(results, weights[step], values + step * 16 * 128 / 16, accumulate || step > 0);
  kgen::wgmma_commit();
}

/// Shift and sum of a thread's two rows. Thread 4 g + m of a warp holds columns 2 m and 2 m + 1 of every eight, of
/// rows g and g + 8; each thread of a row sums its own columns.
struct Rows {
  float shift[2], sum[2], rescale[2]; ///< see exponentiate
  bool grown;                         ///< the results so far have to be rescaled
  bool lost;                          ///< weights have overflown, or the shift is too coarse
};

template <bool MASKED>
__device__ __forceinline__ void hide(float (&scores)[TILE_KEYS / 2], int first_key, int row, int member) {
  if constexpr (MASKED) {
#pragma unroll
    for (int i = 0; i < TILE_KEYS / 2; ++i) {
      const int key = first_key + i / 4 * 8 + 2 * member + i % 2;
      if (key >= KEYS || (CAUSAL && key > row + i / 2 % 2 * 8))
        scores[i] = HIDDEN;
    }
  }
}

/// The largest of the four threads that share a row.
__device__ __forceinline__ float largest(float x) {
  x = fmaxf(x, __shfl_xor_sync(0xffffffffu, x, 1));
  return fmaxf(x, __shfl_xor_sync(0xffffffffu, x, 2));
}

/// Scores become weights; SUM gets those of each row. A weight is 2^(score * LOG2_SCALE + shift), or where EXACT
/// 2^((score + shift) * LOG2_SCALE): scores near the one that is the shift have an exact distance from it, however large.
template <bool EXACT>
__device__ __forceinline__ void exponentiate(float (&scores)[TILE_KEYS / 2], const float (&shift)[2], float (&sum)[2]) {
#pragma unroll
  for (int i = 0; i < TILE_KEYS / 2; ++i) {
    if constexpr (EXACT)
      scores[i] = kgen::ex2((scores[i] + shift[i / 2 % 2]) * LOG2_SCALE);
    else
      scores[i] = kgen::ex2(fmaf(scores[i], LOG2_SCALE, shift[i / 2 % 2]));
    sum[i / 2 % 2] += scores[i];
  }
}

/// Weights shifted by the rows' maxima, which are kept online. Tiles after the first one are EXACT.
template <bool FIRST, bool EXACT>
__device__ __forceinline__ void weights_by_maximum(float (&scores)[TILE_KEYS / 2], Rows &rows) {
  float larger[2] = {fmaxf(scores[0], scores[1]), fmaxf(scores[2], scores[3])};
#pragma unroll
  for (int i = 4; i < TILE_KEYS / 2; i += 2)
    larger[i / 2 % 2] = fmaxf(larger[i / 2 % 2], fmaxf(scores[i], scores[i + 1]));
  float growth[2];
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    larger[half] = largest(larger[half]);
    growth[half] = (larger[half] + (FIRST ? 0.0f : rows.shift[half])) * LOG2_SCALE;
  }
  rows.grown = !FIRST && __any_sync(0xffffffffu, growth[0] > GROWTH || growth[1] > GROWTH);
  if (FIRST || rows.grown) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      rows.rescale[half] = FIRST ? 0.0f : kgen::ex2(-fmaxf(growth[half], 0.0f));
      rows.sum[half] = FIRST ? 0.0f : rows.sum[half] * rows.rescale[half];
      if constexpr (!EXACT) {
        rows.shift[half] = -growth[half];
        rows.lost |= fabsf(growth[half]) > COARSE;
      } else {
        rows.shift[half] = FIRST ? -larger[half] : fminf(rows.shift[half], -larger[half]);
      }
    }
  }
  exponentiate<EXACT>(scores, rows.shift, rows.sum);
}

/// Weights by the shift of the tiles before. A power of two brings them down when they have grown.
__device__ __forceinline__ void weights_by_old_shift(float (&scores)[TILE_KEYS / 2], Rows &rows) {
  float sum[2] = {0.0f, 0.0f};
  exponentiate<false>(scores, rows.shift, sum);
  rows.grown = __any_sync(0xffffffffu, !(fmaxf(sum[0], sum[1]) <= LARGE));
  if (rows.grown) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const float most = largest(sum[half]);
      rows.lost |= !(most <= LOST);
      const int exponent = most > 1.0f && most <= LOST ? (__float_as_int(most) >> 23) - 127 : 0;
      rows.rescale[half] = __int_as_float((127 - exponent) << 23);
      rows.shift[half] -= float(exponent);
      rows.sum[half] *= rows.rescale[half];
      sum[half] *= rows.rescale[half];
    }
#pragma unroll
    for (int i = 0; i < TILE_KEYS / 2; ++i)
      scores[i] *= rows.rescale[i / 2 % 2];
  }
  rows.sum[0] += sum[0];
  rows.sum[1] += sum[1];
}

/// Accumulators as the left operand of the next product: the same thread holds the same columns.
__device__ __forceinline__ void narrow(unsigned (&weights)[TILE_KEYS / 16][4], const float (&scores)[TILE_KEYS / 2]) {
#pragma unroll
  for (int i = 0; i < TILE_KEYS / 4; ++i)
    weights[i / 4][i % 4] = pack(scores[2 * i], scores[2 * i + 1]);
}

__device__ __forceinline__ void rescale(float (&results)[WIDTH / 2], const Rows &rows) {
  if (rows.grown) {
#pragma unroll
    for (int i = 0; i < WIDTH / 2; ++i)
      results[i] *= rows.rescale[i / 2 % 2];
  }
}

/// Thread m of four holds word m of four chunks; afterwards it holds the four words of chunk m.
__device__ __forceinline__ void transpose(unsigned (&words)[4], int member) {
#pragma unroll
  for (int bit = 1; bit <= 2; bit *= 2)
#pragma unroll
    for (int i = 0; i < 4; ++i)
      if ((i & bit) == 0) {
        const bool high = member & bit;
        const unsigned received = __shfl_xor_sync(0xffffffffu, high ? words[i] : words[i | bit], bit);
        words[i] = high ? received : words[i];
        words[i | bit] = high ? words[i | bit] : received;
      }
}
} // namespace example

//@ sizes THREADS | QUERY_BYTES + 2 * STAGES * KEY_BYTES + 8 * (2 + 4 * STAGES) + (ROUNDS + 15) / 16 * 16 | BLOCKS
//@ asserts 128 * (PRODUCER_REGISTERS + CONSUMERS * CONSUMER_REGISTERS) <= 65536
//@ asserts STAGES >= 2 && (!PINGPONG || CONSUMERS > 1)
extern "C" __global__ void __launch_bounds__(example::THREADS, 1)
    example_attention(const example::Element *__restrict__, const example::Element *__restrict__,
                      const example::Element *__restrict__, example::Element *__restrict__ out,
                      const __grid_constant__ kgen::tensor_map map_queries,
                      const __grid_constant__ kgen::tensor_map map_keys,
                      const __grid_constant__ kgen::tensor_map map_values) {
  using namespace example;
  extern __shared__ __align__(1024) unsigned char example_shared[];
  unsigned char *const query_tiles = example_shared, *const key_tiles = query_tiles + QUERY_BYTES;
  unsigned char *const value_tiles = key_tiles + STAGES * KEY_BYTES;
  uint64_t *const query_full = reinterpret_cast<uint64_t *>(value_tiles + STAGES * KEY_BYTES);
  uint64_t *const query_empty = query_full + 1;
  uint64_t *const key_full = query_empty + 1, *const key_empty = key_full + STAGES;
  uint64_t *const value_full = key_empty + STAGES, *const value_empty = value_full + STAGES;
  unsigned char *const again = reinterpret_cast<unsigned char *>(value_empty + STAGES); // rounds to compute again
  if (threadIdx.x == 0) {
    // Copies fill a tile, one thread of each consumer empties it.
    kgen::mbar_init(query_full, 1);
    kgen::mbar_init(query_empty, CONSUMERS);
    for (int i = 0; i < STAGES; ++i) {
      kgen::mbar_init(&key_full[i], 1);
      kgen::mbar_init(&key_empty[i], CONSUMERS);
      kgen::mbar_init(&value_full[i], 1);
      kgen::mbar_init(&value_empty[i], CONSUMERS);
    }
    kgen::fence_barrier_init();
    for (int round = 0; round < ROUNDS; ++round)
      again[round] = 0;
  }
  __syncthreads();

  Place<1> query_at;
  Place<STAGES> key_at, value_at;
  if (threadIdx.x < 128) {
    kgen::setmaxnreg_dec<PRODUCER_REGISTERS>();
    auto produce = [&](bool all) {
      for (int round = 0; round < ROUNDS; ++round) {
        const int index = tile_of(blockIdx.x, round);
        if (index < 0 || !(all || again[round]))
          continue;
        const Work work = work_of(index);
        // The order in which consumers need them: keys 0, queries, keys 1, values 0, keys 2, ...
        for (int tile = 0; tile <= work.key_tiles; ++tile) {
          if (tile < work.key_tiles) {
            kgen::mbar_wait(&key_empty[key_at.index], key_at.phase ^ 1);
            copy_tile(key_tiles + key_at.index * KEY_BYTES, KEY_PANEL, &map_keys, &key_full[key_at.index],
#if sliced
                      tile * TILE_KEYS, FIRST_KEY + work.head);
#else
                      tile * TILE_KEYS, work.head);
#endif
            key_at.advance();
          }
          if (tile == 0) {
            kgen::mbar_wait(query_empty, query_at.phase ^ 1);
#if sliced
            copy_tile(query_tiles, QUERY_PANEL, &map_queries, query_full, work.query_tile * TILE_QUERIES, FIRST_QUERY + work.head);
#else
            copy_tile(query_tiles, QUERY_PANEL, &map_queries, query_full, work.query_tile * TILE_QUERIES, work.head);
#endif
            query_at.advance();
          } else {
            kgen::mbar_wait(&value_empty[value_at.index], value_at.phase ^ 1);
            copy_tile(value_tiles + value_at.index * KEY_BYTES, KEY_PANEL, &map_values, &value_full[value_at.index],
#if sliced
                      (tile - 1) * TILE_KEYS, FIRST_VALUE + work.head);
#else
                      (tile - 1) * TILE_KEYS, work.head);
#endif
            value_at.advance();
          }
        }
      }
    };
    if (threadIdx.x < 32) {
      if (threadIdx.x == 0)
        produce(true);
      __syncwarp();
    }
    if constexpr (LAZY) {
#if sliced
      kgen::named_barrier_sync(ALL_THREADS, blockDim.x);
#else
      __syncthreads();
#endif
      if (threadIdx.x == 0)
        produce(false);
    }
    return;
  }

  kgen::setmaxnreg_inc<CONSUMER_REGISTERS>();
  const int consumer = threadIdx.x / 128 - 1, thread = threadIdx.x % 128, lane = thread % 32, member = lane % 4;
  const int next_consumer = consumer + 1 == CONSUMERS ? 0 : consumer + 1;
  const uint64_t queries = kgen::smem_descriptor(query_tiles + consumer * 64 * 128, 16, 1024, kgen::SWIZZLE_128B);
  const uint64_t key_first = kgen::smem_descriptor(key_tiles, 16, 1024, kgen::SWIZZLE_128B);
  const uint64_t value_first = kgen::smem_descriptor(value_tiles, KEY_PANEL, 1024, kgen::SWIZZLE_128B);
  auto release = [&](uint64_t *empty) {
    if (thread == 0)
      kgen::mbar_arrive(empty);
  };
  float results[WIDTH / 2], scores[TILE_KEYS / 2];
  unsigned weights[TILE_KEYS / 16][4];
  Rows rows;
  if (PINGPONG && consumer == 0)
    kgen::named_barrier_arrive(1, 256); // its own first turn
  auto compute = [&](int index, int round, auto lazily) {
    constexpr bool lazy = decltype(lazily)::value;
    const Work work = work_of(index);
    const int first_row = work.query_tile * TILE_QUERIES + 64 * consumer, row = first_row + thread / 32 * 16 + lane / 4;
    // Tiles of keys that every query of this consumer sees whole.
    const int clear = (CAUSAL && first_row + 1 < KEYS ? first_row + 1 : KEYS) / TILE_KEYS;

    kgen::mbar_wait(query_full, query_at.phase);
    kgen::mbar_wait(&key_full[key_at.index], key_at.phase);
    score(scores, queries, key_first + key_at.index * (KEY_BYTES / 16));
    kgen::wgmma_wait<0>();
    kgen::wgmma_hold(scores);
    release(&key_empty[key_at.index]);
    key_at.advance();
    if (clear == 0)
      hide<true>(scores, 0, row, member);
    rows.lost = false;
    weights_by_maximum<true, !lazy>(scores, rows);
    narrow(weights, scores);

    // Scores of this tile, and the product of the weights of the one before with its values.
    auto step = [&](int tile, auto masked) {
      kgen::mbar_wait(&key_full[key_at.index], key_at.phase);
      if constexpr (PINGPONG)
        kgen::named_barrier_sync(1 + consumer, 256);
      score(scores, queries, key_first + key_at.index * (KEY_BYTES / 16));
      kgen::mbar_wait(&value_full[value_at.index], value_at.phase);
      weigh(results, weights, value_first + value_at.index * (KEY_BYTES / 16), tile > 1);
      if constexpr (PINGPONG)
        kgen::named_barrier_arrive(1 + next_consumer, 256);
      kgen::wgmma_wait<OVERLAP ? 1 : 0>();
      kgen::wgmma_hold(scores);
      release(&key_empty[key_at.index]);
      key_at.advance();
      hide<decltype(masked)::value>(scores, tile * TILE_KEYS, row, member);
      if constexpr (lazy)
        weights_by_old_shift(scores, rows);
      else
        weights_by_maximum<false, true>(scores, rows);
      if constexpr (OVERLAP)
        kgen::wgmma_wait<0>();
      kgen::wgmma_hold(results);
      release(&value_empty[value_at.index]);
      value_at.advance();
      narrow(weights, scores);
      rescale(results, rows);
    };
    int tile = 1;
    for (; tile < clear && tile < work.key_tiles; ++tile)
      step(tile, Flag<false>());
    for (; tile < work.key_tiles; ++tile)
      step(tile, Flag<true>());
    release(query_empty);
    query_at.advance();

    kgen::mbar_wait(&value_full[value_at.index], value_at.phase);
    weigh(results, weights, value_first + value_at.index * (KEY_BYTES / 16), work.key_tiles > 1);
    float quotient[2];
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      float sum = rows.sum[half];
      sum += __shfl_xor_sync(0xffffffffu, sum, 1);
      sum += __shfl_xor_sync(0xffffffffu, sum, 2);
      quotient[half] = 1.0f / sum;
    }
    kgen::wgmma_wait<0>();
    kgen::wgmma_hold(results);
    release(&value_empty[value_at.index]);
    value_at.advance();

    // Four threads hold 32 columns of a row in pieces of two; exchanged, each stores eight neighbours.
#if sliced
    Element *const to = out + out_start(work.head) + static_cast<long long>(row) * OUT_ROW + 8 * member;
#else
    Element *const to = out + (static_cast<long long>(work.head) * QUERIES + row) * DEPTH + 8 * member;
#endif
#pragma unroll
    for (int half = 0; half < 2; ++half)
#pragma unroll
      for (int column = 0; column < WIDTH; column += 32) {
        unsigned words[4];
#pragma unroll
        for (int i = 0; i < 4; ++i) {
          const int at = column / 2 + 4 * i + 2 * half;
          words[i] = pack(results[at] * quotient[half], results[at + 1] * quotient[half]);
        }
        transpose(words, member);
        if (row + 8 * half < QUERIES && (DEPTH == WIDTH || column + 8 * member < DEPTH))
#if sliced
          *reinterpret_cast<uint4 *>(to + 8 * half * OUT_ROW + column) = make_uint4(words[0], words[1], words[2], words[3]);
#else
          *reinterpret_cast<uint4 *>(to + 8 * half * DEPTH + column) = make_uint4(words[0], words[1], words[2], words[3]);
#endif
      }
    if (lazy && rows.lost)
      again[round] = 1;
  };
  for (int round = 0; round < ROUNDS; ++round)
    if (const int index = tile_of(blockIdx.x, round); index >= 0)
      compute(index, round, Flag<LAZY>());
  if constexpr (LAZY) {
#if sliced
    kgen::named_barrier_sync(ALL_THREADS, blockDim.x);
#else
    __syncthreads();
#endif
    for (int round = 0; round < ROUNDS; ++round)
      if (const int index = tile_of(blockIdx.x, round); index >= 0 && again[round])
        compute(index, round, Flag<false>());
  }
}
