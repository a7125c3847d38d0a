//===- Inputs.h - Input sets drawn from a seed ----------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every element is a pure function of (seed, argument, element index), so the
// oracle's process and the candidate's process draw the same bytes without
// sending them, and threads may split a buffer anywhere.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Candidate/LaunchPlan.h"

#include "llvm/ADT/ArrayRef.h"

namespace kgen::judge {

/// Kinds of input sets of the verification protocol (docs/evaluation.md). Arguments of integers and bools keep to what
/// is declared in all of them; in Wide, Scaled and Special they come in runs along their rows.
enum class InputKind {
  Declared, ///< as the problem's `init` says
  Uniform,  ///< symmetric in [-1, 1); arguments declared positive stay in their range
  Wide,     ///< declared times 2^u, u uniform in [-4, 4]: a wide dynamic range
  Integer,  ///< exact integers -1, 0, 1 (1 and 2 where declared positive): linear ops must be bit-equal
  Offset,   ///< inputs of mean 1000 and deviation 0.1, parameters as declared: catches E[x^2]-E[x]^2
  Impulse,  ///< the first argument is zero but for one 1, the others as declared
  Scaled,   ///< declared times one power of two, which the seed picks: exponents are no constants
  Special,  ///< declared with zeros and subnormals; below lastSpecial of both signs and with rows of one integer each,
            ///< below 2 with numbers from -1000 to -100, and at 0 with minus infinity in the first argument
  NaN,      ///< declared, with a NaN at one place of some rows of one argument
};

/// The ordinal of a set of special values that has the fewest of them.
constexpr unsigned lastSpecial = 3;

struct InputSet {
  InputKind kind = InputKind::Declared;
  uint64_t seed = 0;
  unsigned ordinal = 0;  ///< tells sets of one kind apart
  unsigned argument = 0; ///< that NaN stand in, where they do

  std::string name() const; ///< "normal#0"
};

/// A storage format to round through, for measuring what a precision class costs.
enum class RoundTo { None, TF32, FP16, BF16, FP8 };

/// Writes argument ARG's bytes for SET into BYTES (spec.bytes() long), rounded to nearest even
/// in spec.dtype, with THREADS workers. Fails only on a malformed `init`.
llvm::Error fillInput(const candidate::BufferSpec &spec, unsigned arg, const InputSet &set,
                      llvm::MutableArrayRef<char> bytes, unsigned threads = 1);

/// Whether an argument of SPEC may hold what is no number of its distribution: a tensor of floats of either sign that
/// is no weight. Fails only on a malformed `init`.
llvm::Expected<bool> takesNaN(const candidate::BufferSpec &spec);

/// The largest absolute value that an integer set can hold in an argument of SPEC. Fails only on a malformed `init`.
llvm::Expected<double> largestInteger(const candidate::BufferSpec &spec);

/// Widens stored elements to double, exactly; with ROUND, through that format first (float types).
void widen(candidate::DType dtype, const void *bytes, double *out, int64_t count, RoundTo round = RoundTo::None,
           unsigned threads = 1);

/// Moves each finite value by up to one rounding of fp32, by its place: what no fp32 code can be blamed for.
void jitter(llvm::MutableArrayRef<double> values, unsigned threads = 1);

/// Rounds to the nearest value that FORMAT holds (ties to even; fp16 and fp8 (e4m3) saturate).
double roundTo(RoundTo format, double value);

/// IEEE half and bfloat16 by bits, round to nearest even.
uint16_t toHalf(float value);
float fromHalf(uint16_t bits);
uint16_t toBFloat16(float value);
float fromBFloat16(uint16_t bits);

} // namespace kgen::judge
