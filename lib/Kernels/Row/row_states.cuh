// row_states.cuh - what a thread remembers of a row, and how two memories merge.
//
// Each statistic defines
//   Accumulator, start(), accumulate(Accumulator &, lanes, column)  one thread's elements
//   State, summarize(Accumulator)                                   what threads exchange
//   combine(State, State), exchange(State, mask)                    order of arguments is row order
// The emitter keeps the one section that a dispatch needs.
//@ section standalone
#pragma once
#include "row_example.cuh"
namespace example {
//@ end
#if STATE_SOFTMAX
/// The running maximum of a row and the sum of exp(x - maximum), updated together in one pass.
struct State {
  float maximum, sum;
};
using Accumulator = State;

// A finite start keeps exp(-inf - maximum) at 0 instead of NaN in rows masked with -inf.
__device__ __forceinline__ Accumulator start() { return {-3.402823466e38f, 0.0f}; }

#if KEEPS_INFINITY
/// What exponents are relative to: infinity less infinity is no number, and the logarithm of the sum is infinite.
__device__ __forceinline__ float shift(float maximum) {
  return maximum == __int_as_float(0x7f800000) ? 0.0f : maximum;
}

#endif
#if PEELED
template <int kVector>
#endif
__device__ __forceinline__ void accumulate(Accumulator &state, const float (&value)[kVector], int) {
  float maximum = state.maximum;
#pragma unroll
  for (int lane = 0; lane < kVector; ++lane)
    maximum = fmaxf(maximum, value[lane]);
  float sum = 0.0f; // of the pack first: shorter chains of additions lose fewer digits
#pragma unroll
  for (int lane = 0; lane < kVector; ++lane)
#if KEEPS_INFINITY
    sum += exponential(value[lane] - shift(maximum));
  state = {maximum, state.sum * exponential(shift(state.maximum) - shift(maximum)) + sum};
#else
    sum += exponential(value[lane] - maximum);
  state = {maximum, state.sum * exponential(state.maximum - maximum) + sum};
#endif
}

__device__ __forceinline__ State combine(const State &a, const State &b) {
  const float maximum = fmaxf(a.maximum, b.maximum);
#if KEEPS_INFINITY
  return {maximum, a.sum * exponential(shift(a.maximum) - shift(maximum)) +
                       b.sum * exponential(shift(b.maximum) - shift(maximum))};
#else
  return {maximum, a.sum * exponential(a.maximum - maximum) + b.sum * exponential(b.maximum - maximum)};
#endif
}

__device__ __forceinline__ State exchange(const State &state, int mask) {
  return {__shfl_xor_sync(0xffffffffu, state.maximum, mask), __shfl_xor_sync(0xffffffffu, state.sum, mask)};
}

__device__ __forceinline__ State summarize(const Accumulator &state) { return state; }
#endif
#if STATE_MOMENTS
/// Count, mean and sum of squared deviations; merged by Chan's formula.
struct State {
  float count, mean, deviation;
};

/// Sums of x - shift, where shift is the thread's first element: the difference of two values of
/// one row is small, so the squares keep their digits also when the mean is large.
struct Accumulator {
  float count, shift, sum, square;
};

__device__ __forceinline__ Accumulator start() { return {0.0f, 0.0f, 0.0f, 0.0f}; }

#if PEELED
template <int kVector>
#endif
__device__ __forceinline__ void accumulate(Accumulator &a, const float (&value)[kVector], int) {
  a.shift = a.count == 0.0f ? value[0] : a.shift;
  float sum = 0.0f, square = 0.0f; // of the pack first: shorter chains of additions lose fewer digits
#pragma unroll
  for (int lane = 0; lane < kVector; ++lane) {
    const float difference = value[lane] - a.shift;
    sum += difference;
    square += difference * difference;
  }
  a.count += kVector;
  a.sum += sum;
  a.square += square;
}

__device__ __forceinline__ State combine(const State &a, const State &b) {
  const float count = a.count + b.count;
  const float weight = count > 0.0f ? b.count / count : 0.0f;
  const float delta = b.mean - a.mean;
  return {count, a.mean + delta * weight, a.deviation + b.deviation + delta * delta * a.count * weight};
}

__device__ __forceinline__ State exchange(const State &state, int mask) {
  return {__shfl_xor_sync(0xffffffffu, state.count, mask), __shfl_xor_sync(0xffffffffu, state.mean, mask),
          __shfl_xor_sync(0xffffffffu, state.deviation, mask)};
}

__device__ __forceinline__ State summarize(const Accumulator &a) {
  const float mean = a.count > 0.0f ? a.sum / a.count : 0.0f;
  // Squares beyond what a float holds are infinite; with an infinite element they are no number, nor is what deviates.
  const float deviation = a.square <= 3.40282347e+38f ? a.square - a.sum * mean : a.square + (mean - mean);
  return {a.count, a.shift + mean, deviation < 0.0f ? 0.0f : deviation};
}
#endif
#if STATE_SUM
/// A sum.
struct State {
  float sum;
};
using Accumulator = State;

__device__ __forceinline__ Accumulator start() { return {0.0f}; }

#if PEELED
template <int kVector>
#endif
__device__ __forceinline__ void accumulate(Accumulator &state, const float (&value)[kVector], int) {
  float sum = 0.0f; // of the pack first: shorter chains of additions lose fewer digits
#pragma unroll
  for (int lane = 0; lane < kVector; ++lane)
    sum += term(value[lane]);
  state.sum += sum;
}

__device__ __forceinline__ State combine(const State &a, const State &b) { return {a.sum + b.sum}; }

__device__ __forceinline__ State exchange(const State &state, int mask) {
  return {__shfl_xor_sync(0xffffffffu, state.sum, mask)};
}

__device__ __forceinline__ State summarize(const Accumulator &state) { return state; }
#endif
#if STATE_SUMS
/// Several sums.
struct State {
  float sum[kSums];
};
using Accumulator = State;

__device__ __forceinline__ Accumulator start() { return {}; }

__device__ __forceinline__ State combine(const State &a, const State &b) {
  State both;
#pragma unroll
  for (int i = 0; i < kSums; ++i)
    both.sum[i] = a.sum[i] + b.sum[i];
  return both;
}

__device__ __forceinline__ State exchange(const State &state, int mask) {
  State other;
#pragma unroll
  for (int i = 0; i < kSums; ++i)
    other.sum[i] = __shfl_xor_sync(0xffffffffu, state.sum[i], mask);
  return other;
}

__device__ __forceinline__ State summarize(const Accumulator &state) { return state; }
#endif
#if STATE_EXTREME
/// The largest or smallest element and where it stands; the first of equal elements wins, NaN wins over all.
struct State {
  float value;
  int index;
};
using Accumulator = State;

__device__ __forceinline__ Accumulator start() { return {worst(), 0x7fffffff}; }

__device__ __forceinline__ bool precedes(float a, int a_index, float b, int b_index) {
  if (a != a || b != b) // a NaN comes first, as in PyTorch
    return a != a && (b == b || a_index < b_index);
  return better(a, b) || (a == b && a_index < b_index);
}

#if PEELED
template <int kVector>
#endif
__device__ __forceinline__ void accumulate(Accumulator &state, const float (&value)[kVector], int column) {
#pragma unroll
  for (int lane = 0; lane < kVector; ++lane)
    if (precedes(value[lane], column + lane, state.value, state.index))
      state = {value[lane], column + lane};
}

__device__ __forceinline__ State combine(const State &a, const State &b) {
  return precedes(b.value, b.index, a.value, a.index) ? b : a;
}

__device__ __forceinline__ State exchange(const State &state, int mask) {
  return {__shfl_xor_sync(0xffffffffu, state.value, mask), __shfl_xor_sync(0xffffffffu, state.index, mask)};
}

__device__ __forceinline__ State summarize(const Accumulator &state) { return state; }
#endif
//@ section standalone
} // namespace example
//@ end
