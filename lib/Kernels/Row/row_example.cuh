// row_example.cuh - a dispatch as the emitter would write it, so that each row_*.cuh compiles alone:
//   nvcc -arch=sm_90a -cubin -x cu row_registers.cuh
// (softmax over rows of 65536 floats, one block of 1024 threads for each row)
#pragma once
#define STATE_SOFTMAX 1
#define MANY_WARPS 1
#define NEEDS_SCRATCH 1
#define STREAMING 1
#define STORES_ELEMENTS 1
#define HAS_REGISTER_PACKS 1
#include "kgen_device.cuh"
namespace example {
constexpr int kWarp = 32, kVector = 4, kThreads = 1024, kThreadsPerRow = 1024, kRowsPerBlock = 1, kMinBlocks = 1;
constexpr int kWarpsPerRow = kThreadsPerRow / kWarp, kScratchStates = kThreads / kWarp;
constexpr int kColumns = 65536, kPacks = kColumns / kThreadsPerRow / kVector, kUnroll = 4;
constexpr int kSharedPacks = 13, kRegisterPacks = kPacks - kSharedPacks;
constexpr long long kRows = 4096;
constexpr bool kRagged = kColumns % (kThreadsPerRow * kVector) != 0;
constexpr int kChunks = 16, kChunkColumns = kColumns / kChunks, kRowGroup = 16, kRowUnroll = 4,
              kTiles = kColumns / kThreads / kVector;
// row_ring.cuh: a cluster of two blocks.
constexpr int kParts = 2, kBatch = 4, kBatches = 2, kSlots = 3, kLead = 1;
constexpr bool kFullSteps = kRows % kRowGroup == 0 && kRowGroup % kRowUnroll == 0;
struct Operands {
  const float *in0;
  float *out0;
};
__device__ __forceinline__ float exponential(float x) { return __expf(x); }
} // namespace example
#include "row_memory.cuh"
#include "row_states.cuh"
namespace example {
struct RowValue {
  float maximum, scale;
};
using Held = Pack<float>;
__device__ __forceinline__ const float *held_address(const Operands &operands, long long row, int column) {
  return operands.in0 + row * kColumns + column;
}
__device__ __forceinline__ Held load_held(const Operands &operands, long long row, int column) {
  return load_pack(held_address(operands, row, column));
}
__device__ __forceinline__ void widen(const Held &held, const Operands &, long long, int, float (&value)[kVector]) {
  for (int lane = 0; lane < kVector; ++lane)
    value[lane] = held.lane[lane];
}
__device__ __forceinline__ void load(const Operands &operands, long long row, int column, float (&value)[kVector]) {
  widen(load_held(operands, row, column), operands, row, column, value);
}
__device__ __forceinline__ void observe(Accumulator &accumulator, const Operands &, long long, int column,
                                        const float (&value)[kVector]) {
  accumulate(accumulator, value, column);
}
__device__ __forceinline__ RowValue finish(const Operands &, long long, const State &state) {
  return {state.maximum, 1.0f / state.sum};
}
__device__ __forceinline__ void store(const Operands &operands, long long row, int column,
                                      const float (&value)[kVector], const RowValue &of_row) {
  Pack<float> result;
  for (int lane = 0; lane < kVector; ++lane)
    result.lane[lane] = exponential(value[lane] - of_row.maximum) * of_row.scale;
  store_pack(operands.out0 + row * kColumns + column, result);
}
} // namespace example
