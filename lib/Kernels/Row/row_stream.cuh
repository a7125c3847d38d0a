// row_stream.cuh - resident = hybrid: a persistent block keeps a whole row on chip, the larger part
// in shared memory and the rest in registers, and fetches the next row while it writes this one.
//@ section standalone
#include "row_reduce.cuh"
namespace example {
//@ end
// A thread reads only the slots of shared memory that it filled itself, so the asynchronous copies
// need no barrier: a slot is refilled as soon as its old element was written out. Reads of the next
// row and writes of this one overlap, and each element crosses the memory bus once in each direction.

/// Column of a thread's pack; packs [0, kSharedPacks) lie in shared memory, the rest in registers.
__device__ __forceinline__ int column_of(int pack) { return (pack * kThreads + threadIdx.x) * kVector; }

/// Starts the copy of one pack of ROW into its slot.
__device__ __forceinline__ void fetch(Held *slots, const Operands &operands, long long row, int pack) {
  const int column = column_of(pack);
  if (!kRagged || column < kColumns)
    kgen::cp_async16(&slots[pack * kThreads], held_address(operands, row, column));
  kgen::cp_async_commit();
}

/// Folds pack PACK and those after it into the accumulator, each as soon as it has arrived.
template <int PACK>
__device__ __forceinline__ void observe_shared(Accumulator &accumulator, const Held *slots,
                                               const Operands &operands, long long row) {
  kgen::cp_async_wait<kSharedPacks - 1 - PACK>();
  const int column = column_of(PACK);
  if (!kRagged || column < kColumns) {
    float value[kVector];
    widen(slots[PACK * kThreads], operands, row, column, value);
    observe(accumulator, operands, row, column, value);
  }
  if constexpr (PACK + 1 < kSharedPacks)
    observe_shared<PACK + 1>(accumulator, slots, operands, row);
}
//@ section standalone
} // namespace example
//@ end
//@ sizes kThreads | kSharedPacks * kThreads * sizeof(Held)
//@ asserts kThreads == kThreadsPerRow && kSharedPacks >= 1 && kColumns % kVector == 0
extern "C" __global__ void __launch_bounds__(example::kThreads, 1)
//@ replace rows_signature
    example_rows(const float *__restrict__ in0, float *__restrict__ out0) {
//@ end
  using namespace example;
  extern __shared__ __align__(16) unsigned char kgen_dynamic_shared[];
  __shared__ State scratch[2][kThreads / kWarp];
//@ replace operands
  const Operands operands{in0, out0};
//@ end
  Held *const slots = reinterpret_cast<Held *>(kgen_dynamic_shared) + threadIdx.x;
#if HAS_REGISTER_PACKS
  Held registers[kRegisterPacks];
#endif

  long long row = blockIdx.x;
#pragma unroll
  for (int pack = 0; pack < kSharedPacks; ++pack)
    fetch(slots, operands, row, pack);
#if HAS_REGISTER_PACKS
#pragma unroll
  for (int pack = 0; pack < kRegisterPacks; ++pack) {
    const int column = column_of(kSharedPacks + pack);
    if (!kRagged || column < kColumns)
      registers[pack] = load_held(operands, row, column);
  }
#endif

  // The scratch alternates, so that one barrier for each row is enough.
  for (int parity = 0; row < kRows; row += gridDim.x, parity ^= 1) {
    Accumulator accumulator = start();
    observe_shared<0>(accumulator, slots, operands, row);
#if HAS_REGISTER_PACKS
#pragma unroll
    for (int pack = 0; pack < kRegisterPacks; ++pack) {
      const int column = column_of(kSharedPacks + pack);
      if (kRagged && column >= kColumns)
        continue;
      float value[kVector];
      widen(registers[pack], operands, row, column, value);
      observe(accumulator, operands, row, column, value);
    }
#endif
    const RowValue row_value = finish(operands, row, reduce_row(summarize(accumulator), scratch[parity]));
#if STORES_ROWS
    if (threadIdx.x == 0)
      store_row(operands, row, row_value);
#endif

    const long long next = row + gridDim.x;
    const bool more = next < kRows;
#pragma unroll
    for (int pack = 0; pack < kSharedPacks; ++pack) {
#if STORES_ELEMENTS
      const int column = column_of(pack);
      if (!kRagged || column < kColumns) {
        float value[kVector];
        widen(slots[pack * kThreads], operands, row, column, value);
        store(operands, row, column, value, row_value);
      }
#endif
      if (more)
        fetch(slots, operands, next, pack);
    }
#if HAS_REGISTER_PACKS
#pragma unroll
    for (int pack = 0; pack < kRegisterPacks; ++pack) {
      const int column = column_of(kSharedPacks + pack);
      if (kRagged && column >= kColumns)
        continue;
#if STORES_ELEMENTS
      float value[kVector];
      widen(registers[pack], operands, row, column, value);
      store(operands, row, column, value, row_value);
#endif
      if (more)
        registers[pack] = load_held(operands, next, column);
    }
#endif
  }
}
