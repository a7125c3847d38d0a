// row_ring.cuh - resident = cluster or grid: kParts blocks keep one row in their shared memories, each its part,
// and the next row's elements travel while this one is written.
//@ section standalone
#include "row_reduce.cuh"
namespace example {
//@ end
// A thread's shared memory is a ring of kSlots batches of kBatch packs, which it fills by asynchronous copies and reads
// itself, so the copies need no barrier: the slot of a batch that was written out takes the batch kSlots further on. The
// statistic of the next row is taken, and told to the other blocks, after kLead batches of this row are written: what
// the others have to say arrives while the rest is written.

/// Column of a thread's pack. The blocks of a row take turns, so that together they read it from front to back.
__device__ __forceinline__ int column_of(int pack) {
  const int part = static_cast<int>(blockIdx.x) % kParts;
  return ((pack * kParts + part) * kThreads + static_cast<int>(threadIdx.x)) * kVector;
}

/// Whether the pack lies in the row: the last one of a row may not.
__device__ __forceinline__ bool in_row(int pack) { return !kRagged || column_of(pack) < kColumns; }

/// The slot PLACES behind BASE.
__device__ __forceinline__ int slot_of(int base, int places) {
  const int slot = base + places;
  return slot < kSlots ? slot : slot - kSlots;
}

/// Starts the copies of one batch of ROW into its slot.
__device__ __forceinline__ void fetch(Held *packs, const Operands &operands, long long row, int batch, int slot) {
#pragma unroll
  for (int i = 0; i < kBatch; ++i) {
    const int pack = batch * kBatch + i;
    if (row < kRows && in_row(pack)) {
      Held *const to = &packs[(slot * kBatch + i) * kThreads];
#if HAS_COLUMN_VALUES
      if constexpr (sizeof(Held) == 16)
        kgen::cp_async16_once(to, held_address(operands, row, column_of(pack)));
      else
#endif
        kgen::cp_async<sizeof(Held)>(to, held_address(operands, row, column_of(pack)));
    }
  }
  kgen::cp_async_commit();
}

/// Folds batch BATCH and those after it into the accumulator, each as soon as it has arrived. AFTER batches were
/// fetched after batch 0.
template <int BATCH, int AFTER>
__device__ __forceinline__ void observe_ring(Accumulator &accumulator, const Held *packs, const Operands &operands,
                                             long long row, int base) {
  kgen::cp_async_wait<AFTER - BATCH>();
  Held held[kBatch]; // all of them first, so that they are on their way together
#pragma unroll
  for (int i = 0; i < kBatch; ++i)
    held[i] = packs[(slot_of(base, BATCH) * kBatch + i) * kThreads];
#pragma unroll
  for (int i = 0; i < kBatch; ++i) {
    const int pack = BATCH * kBatch + i;
    if (in_row(pack)) {
      float value[kVector];
      widen(held[i], operands, row, column_of(pack), value);
      observe(accumulator, operands, row, column_of(pack), value);
    }
  }
  if constexpr (BATCH + 1 < kBatches)
    observe_ring<BATCH + 1, AFTER>(accumulator, packs, operands, row, base);
}
#if BY_GRID

/// A state in words of 64 bits, each with the number of its row above it: whoever finds the number finds the value,
/// without a fence. Two rows of places alternate, since a block cannot be two rows ahead of another.
constexpr int kWords = sizeof(State) / 4;

__device__ __forceinline__ long long *place_of(long long *board, int block, int step) {
  return board + (static_cast<long long>(step & 1) * gridDim.x + block) * kWords;
}

/// Tells the other blocks of the row this block's STATE.
__device__ __forceinline__ void publish(long long *board, const State &state, int step) {
  if (threadIdx.x == 0) {
    unsigned word[kWords];
    memcpy(word, &state, sizeof(state));
    long long *const place = place_of(board, blockIdx.x, step);
#pragma unroll
    for (int i = 0; i < kWords; ++i)
      kgen::store_relaxed(place + i, static_cast<long long>(step) << 32 | word[i]);
  }
}

/// The state of the whole row: the first warp waits for the blocks of the row, and tells the others.
__device__ __forceinline__ State collect(long long *board, State *whole, int step) {
  if (threadIdx.x < kWarp) {
    const int first = static_cast<int>(blockIdx.x) / kParts * kParts;
    State state = summarize(start());
    constexpr int kOfLane = (kParts + kWarp - 1) / kWarp;
    __syncwarp(); // this block's own state is told
    long long found[kOfLane][kWords];
    bool told;
    do { // all words of a lane at once: one round trip
      told = true;
#pragma unroll
      for (int i = 0; i < kOfLane; ++i)
#pragma unroll
        for (int word = 0; word < kWords; ++word) {
          const int part = i * kWarp + static_cast<int>(threadIdx.x);
          found[i][word] = kgen::load_relaxed(place_of(board, first + (part < kParts ? part : 0), step) + word);
        }
#pragma unroll
      for (int i = 0; i < kOfLane; ++i)
#pragma unroll
        for (int word = 0; word < kWords; ++word)
          told &= found[i][word] >> 32 == step;
    } while (!told);
#pragma unroll
    for (int i = 0; i < kOfLane; ++i) {
      unsigned words[kWords];
#pragma unroll
      for (int word = 0; word < kWords; ++word)
        words[word] = static_cast<unsigned>(found[i][word]);
      State other;
      memcpy(&other, words, sizeof(other));
      if (i * kWarp + static_cast<int>(threadIdx.x) < kParts)
        state = combine(state, other);
    }
#pragma unroll
    for (int mask = kWarp / 2; mask > 0; mask /= 2)
      state = combine(state, exchange(state, mask));
    if (threadIdx.x == 0)
      whole[step & 1] = state;
  }
  __syncthreads();
  return whole[step & 1];
}
#endif
//@ section standalone
} // namespace example
//@ end
#if BY_GRID
// Before the rows: no place holds the number of a row.
//@ sizes kThreads | kSlots * kBatch * kThreads * sizeof(Held)
//@ asserts kParts * kPacks * kThreads * kVector >= kColumns && kSlots >= kBatches && kLead <= kBatches
extern "C" __global__ void __launch_bounds__(example::kThreads)
//@ replace init_signature
    example_init(long long *__restrict__ board) {
//@ end
  for (int i = threadIdx.x; i < 2 * example::kBlocks * example::kWords; i += example::kThreads)
    board[i] = -1;
}

#endif
extern "C" __global__ void __launch_bounds__(example::kThreads, 1)
//@ replace ring_signature
    example_rows(const float *__restrict__ in0, float *__restrict__ out0) {
//@ end
  using namespace example;
  extern __shared__ __align__(16) unsigned char kgen_dynamic_shared[];
  __shared__ State scratch[2][kThreads / kWarp];
#if BY_CLUSTER
  __shared__ State peers[2][kParts];
#endif
#if BY_GRID
  __shared__ State whole[2];
#endif
//@ replace operands
  const Operands operands{in0, out0};
//@ end
  Held *const packs = reinterpret_cast<Held *>(kgen_dynamic_shared) + threadIdx.x;
  const long long first_row = blockIdx.x / kParts, row_step = gridDim.x / kParts;

#pragma unroll
  for (int slot = 0; slot < kSlots; ++slot)
    fetch(packs, operands, first_row + slot / kBatches * row_step, slot % kBatches, slot);
#if HAS_COLUMN_VALUES
  // A thread meets the same columns in every row. Of each batch, it keeps the values of the first kHeldColumns packs in
  // registers, and reads those of the others again for each row, one batch ahead.
  constexpr int kStreamed = kBatch - kHeldColumns;
  ColumnValues held_columns[kBatches * kHeldColumns + 1], streamed_columns[2][kStreamed + 1];
#pragma unroll
  for (int pack = 0; pack < kPacks; ++pack)
    if (pack % kBatch < kHeldColumns && in_row(pack))
      held_columns[pack / kBatch * kHeldColumns + pack % kBatch] = load_columns(operands, column_of(pack));
  const auto stream_columns = [&](int batch) {
#pragma unroll
    for (int i = 0; i < kStreamed; ++i)
      if (const int pack = batch * kBatch + kHeldColumns + i; in_row(pack))
        streamed_columns[batch & 1][i] = load_columns(operands, column_of(pack));
  };
#endif
#if BY_CLUSTER
  kgen::cluster_arrive();
  kgen::cluster_wait(); // before anybody writes into the memory of a block that has not begun
#endif

  // The statistic of the first row.
  Accumulator accumulator = start();
  observe_ring<0, kSlots - 1>(accumulator, packs, operands, first_row, 0);
  State state = reduce_row(summarize(accumulator), scratch[0]);
#if BY_CLUSTER
  publish(peers, state, 0);
#endif
#if BY_GRID
  publish(board, state, 0);
#endif

  int base = 0, step = 0; // slot of the row's first batch, number of the row among the block's rows
  for (long long row = first_row; row < kRows; row += row_step, ++step) {
#if HAS_COLUMN_VALUES
    stream_columns(0);
#endif
#if BY_CLUSTER
    state = collect(peers, step);
#endif
#if BY_GRID
    state = collect(board, whole, step);
#endif
    const RowValue row_value = finish(operands, row, state);
#if STORES_ROWS
    if (threadIdx.x == 0 && column_of(0) == 0)
      store_row(operands, row, row_value);
#endif

    const auto write_batch = [&](int batch) {
      const int slot = slot_of(base, batch);
#if STORES_ELEMENTS
#if HAS_COLUMN_VALUES
      if (batch + 1 < kBatches)
        stream_columns(batch + 1);
#endif
      Held held[kBatch];
#pragma unroll
      for (int i = 0; i < kBatch; ++i)
        held[i] = packs[(slot * kBatch + i) * kThreads];
#pragma unroll
      for (int i = 0; i < kBatch; ++i) {
        const int pack = batch * kBatch + i;
        if (!in_row(pack))
          continue;
        float value[kVector];
        widen(held[i], operands, row, column_of(pack), value);
#if HAS_COLUMN_VALUES
        store(operands, row, column_of(pack), value, row_value,
              i < kHeldColumns ? held_columns[i < kHeldColumns ? batch * kHeldColumns + i : 0]
                               : streamed_columns[batch & 1][i < kHeldColumns ? 0 : i - kHeldColumns]);
#else
        store(operands, row, column_of(pack), value, row_value);
#endif
      }
#endif
      fetch(packs, operands, row + (batch + kSlots) / kBatches * row_step, (batch + kSlots) % kBatches, slot);
    };
#pragma unroll
    for (int batch = 0; batch < kLead; ++batch)
      write_batch(batch);
    if (row + row_step < kRows) {
      accumulator = start();
      observe_ring<0, kLead - 1 + kSlots - kBatches>(accumulator, packs, operands, row + row_step,
                                                     slot_of(base, kBatches));
      state = reduce_row(summarize(accumulator), scratch[(step + 1) & 1]);
#if BY_CLUSTER
      publish(peers, state, step + 1);
#endif
#if BY_GRID
      publish(board, state, step + 1);
#endif
    }
#pragma unroll
    for (int batch = kLead; batch < kBatches; ++batch)
      write_batch(batch);
    base = slot_of(base, kBatches);
  }
}
