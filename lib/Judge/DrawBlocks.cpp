//===- DrawBlocks.cpp - Elements of inputs, a block at a time -------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A block goes through simple loops that become vector code: bits, numbers by the
// law, what is made of them, the bytes. What few elements need (the tails of a
// normal distribution, special values) is done to these alone. Vectors round as
// scalars do, so that a block has the bits of kgen_draw_element.
//
//===----------------------------------------------------------------------===//
#include "DrawBlocks.h"

#include "llvm/ADT/bit.h"

#include <algorithm>

using namespace kgen;
using namespace kgen::judge;

/// Into each function below, which is compiled for units of its own.
#define KGEN_INLINED __attribute__((always_inline))

namespace {

constexpr int blockSize = 512, tailVector = 8;

struct Block {
  alignas(64) kgen_word bits[blockSize];
  alignas(64) double values[blockSize], units[blockSize];
  int chosen[blockSize]; ///< elements that something is done to
};

template <typename Value>
KGEN_INLINED inline void each(Block &block, const Value &value) {
  for (int j = 0; j < blockSize; ++j)
    block.values[j] = value(j);
}

/// Lists the elements that IS says; how many they are.
template <typename Is>
KGEN_INLINED inline int choose(Block &block, const Is &is) {
  int count = 0;
  for (int j = 0; j < blockSize; ++j) {
    block.chosen[count] = j;
    count += is(j);
  }
  return count;
}

KGEN_INLINED inline void drawNormal(const kgen_drawing *d, Block &block) {
  each(block, [&](int j) KGEN_INLINED {
    block.units[j] = kgen_draw_unit(block.bits[j]);
    return kgen_draw_normal(d, kgen_draw_middle(block.units[j]));
  });
  const int count = choose(block, [&](int j) KGEN_INLINED { return kgen_draw_is_tail(block.units[j]); });
  // A twentieth of them, side by side: vectors of tails, not one after the other.
  for (int k = 0; k < count; k += tailVector) {
    double tails[tailVector];
    for (int t = 0; t < tailVector; ++t)
      tails[t] = block.units[block.chosen[std::min(k + t, count - 1)]];
    for (int t = 0; t < tailVector; ++t)
      tails[t] = kgen_draw_normal(d, kgen_draw_tail(tails[t]));
    for (int t = 0; t < tailVector; ++t)
      block.values[block.chosen[std::min(k + t, count - 1)]] = tails[t];
  }
}

KGEN_INLINED inline void drawByLaw(const kgen_drawing *d, Block &block) {
  const kgen_word *bits = block.bits;
  switch (d->law) {
  case KGEN_LAW_NORMAL:
    return drawNormal(d, block);
  case KGEN_LAW_UNIFORM:
    return each(block, [=](int j) KGEN_INLINED { return kgen_draw_uniform(d, bits[j]); });
  case KGEN_LAW_INTEGER:
    return each(block, [=](int j) KGEN_INLINED { return kgen_draw_integer(d, bits[j]); });
  case KGEN_LAW_ONE_OR_TWO:
    return each(block, [=](int j) KGEN_INLINED { return kgen_draw_one_or_two(bits[j]); });
  default:
    return each(block, [=](int j) KGEN_INLINED { return kgen_draw_sign(bits[j]); });
  }
}

KGEN_INLINED inline void drawRuns(const kgen_drawing *d, int64_t begin, Block &block) {
  int64_t row = begin / d->row, place = begin % d->row;
  for (int j = 0; j < blockSize; ++j) {
    block.values[j] = kgen_draw_in_run(d, row, place, block.bits[j]);
    if (++place == d->row)
      place = 0, ++row;
  }
}

KGEN_INLINED inline void alter(const kgen_drawing *d, int64_t begin, Block &block) {
  double *values = block.values;
  switch (d->alter) {
  case KGEN_ALTER_WIDE:
    return each(block, [&](int j) KGEN_INLINED {
      return values[j] * kgen_draw_spread(kgen_draw_unit(kgen_draw_mix(block.bits[j])));
    });
  case KGEN_ALTER_IMPULSE:
    return each(block, [&](int j) KGEN_INLINED { return begin + j == d->place ? 1.0 : 0.0; });
  case KGEN_ALTER_SCALED:
    return each(block, [&](int j) KGEN_INLINED { return values[j] * d->factor; });
  case KGEN_ALTER_SPECIAL: {
    const int count = choose(block, [&](int j) KGEN_INLINED { return kgen_draw_case(block.bits[j]) < 5; });
    for (int k = 0; k < count; ++k) {
      const int j = block.chosen[k];
      values[j] = kgen_draw_special(d, values[j], block.bits[j]);
    }
    return;
  }
  case KGEN_ALTER_NAN:
    for (int64_t row = begin / d->row; row * d->row < begin + blockSize; ++row) {
      const int64_t place = kgen_draw_nan_place(d, row), at = row * d->row + place - begin;
      if (place >= 0 && at >= 0 && at < blockSize)
        values[at] = kgen_draw_nan();
    }
    return;
  default:
    return;
  }
}

template <int type>
KGEN_INLINED inline void store(const double *values, void *out, int64_t count) {
  if (count == blockSize)
    for (int j = 0; j < blockSize; ++j)
      kgen_draw_store(out, type, j, values[j]);
  else
    for (int j = 0; j < count; ++j)
      kgen_draw_store(out, type, j, values[j]);
}

KGEN_INLINED inline void storeAs(candidate::DType type, const double *values, void *out, int64_t count) {
  switch (type) {
  case candidate::DType::F64:
    return store<0>(values, out, count);
  case candidate::DType::F32:
    return store<1>(values, out, count);
  case candidate::DType::F16:
    return store<2>(values, out, count);
  case candidate::DType::BF16:
    return store<3>(values, out, count);
  case candidate::DType::I64:
    return store<4>(values, out, count);
  case candidate::DType::I32:
    return store<5>(values, out, count);
  case candidate::DType::I8:
    return store<6>(values, out, count);
  case candidate::DType::I1:
    return store<7>(values, out, count);
  }
}

KGEN_INLINED inline void drawAll(const kgen_drawing &drawing, candidate::DType type, void *out, int64_t begin,
                                 int64_t end) {
  const kgen_drawing d = drawing;
  Block block;
  const size_t width = candidate::byteSize(type);
  for (; begin < end; begin += blockSize) {
    const kgen_word first = d.key + kgen_word(begin);
    for (int j = 0; j < blockSize; ++j)
      block.bits[j] = kgen_draw_mix(first + kgen_word(j));
    if (d.runs == KGEN_RUNS_NONE)
      drawByLaw(&d, block);
    else
      drawRuns(&d, begin, block);
    alter(&d, begin, block);
    storeAs(type, block.values, static_cast<char *>(out) + size_t(begin) * width,
            std::min<int64_t>(blockSize, end - begin));
  }
}

void drawPlain(const kgen_drawing &drawing, candidate::DType type, void *out, int64_t begin, int64_t end) {
  drawAll(drawing, type, out, begin, end);
}

#ifdef __x86_64__
__attribute__((target("avx2,fma"))) void drawAvx2(const kgen_drawing &drawing, candidate::DType type, void *out,
                                                  int64_t begin, int64_t end) {
  drawAll(drawing, type, out, begin, end);
}
__attribute__((target("avx2,fma,avx512f,avx512bw,avx512dq,avx512vl"))) void
drawAvx512(const kgen_drawing &drawing, candidate::DType type, void *out, int64_t begin, int64_t end) {
  drawAll(drawing, type, out, begin, end);
}
#endif

} // namespace

/// What kgen_judge_draw takes has this order, too.
std::array<uint64_t, drawingWords> kgen::judge::wordsOf(const kgen_drawing &d) {
  return {d.key,
          llvm::bit_cast<uint64_t>(d.first),
          llvm::bit_cast<uint64_t>(d.second),
          llvm::bit_cast<uint64_t>(d.high),
          llvm::bit_cast<uint64_t>(d.factor),
          uint64_t(d.row),
          uint64_t(d.place),
          uint64_t(d.law),
          uint64_t(d.runs),
          uint64_t(d.alter),
          uint64_t(d.may)};
}

kgen_drawing kgen::judge::drawingOfWords(llvm::ArrayRef<uint64_t> words) {
  assert(words.size() == drawingWords);
  kgen_drawing d;
  d.key = words[0];
  d.first = llvm::bit_cast<double>(words[1]);
  d.second = llvm::bit_cast<double>(words[2]);
  d.high = llvm::bit_cast<double>(words[3]);
  d.factor = llvm::bit_cast<double>(words[4]);
  d.row = int64_t(words[5]);
  d.place = int64_t(words[6]);
  d.law = int(words[7]);
  d.runs = int(words[8]);
  d.alter = int(words[9]);
  d.may = int(words[10]);
  return d;
}

DrawUnits kgen::judge::availableDrawUnits() {
#ifdef __x86_64__
  static const DrawUnits best = [] {
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
      return DrawUnits::Plain;
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                   __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")
               ? DrawUnits::Avx512
               : DrawUnits::Avx2;
  }();
  return best;
#else
  return DrawUnits::Plain;
#endif
}

void kgen::judge::drawElements(const kgen_drawing &drawing, candidate::DType type, void *out, int64_t begin,
                               int64_t end, DrawUnits units) {
#ifdef __x86_64__
  if (units != DrawUnits::Plain)
    return (units == DrawUnits::Avx512 ? drawAvx512 : drawAvx2)(drawing, type, out, begin, end);
#endif
  drawPlain(drawing, type, out, begin, end);
}
