//===- Verify.h - Comparing an output with the oracle's -------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Candidate/Measurement.h"
#include "kgen/Judge/Inputs.h"
#include "kgen/Support/Accumulation.h"

namespace kgen::judge {

/// How one output differs from the fp64 reference.
struct Comparison {
  /// Beyond what honest rounding of each element by itself may have caused (see compareOutput); infinite when a NaN or
  /// infinity is in the wrong place.
  candidate::ErrorNorms norms;
  int64_t worst = -1; ///< flat index of the largest difference, -1 when all are equal but for honest rounding
  double found = 0, expected = 0;
  int64_t mismatches = 0; ///< elements that are not equal after rounding the reference to DTYPE
  int64_t far = 0;        ///< elements beyond CLOSE + CLOSE |reference|, when that was asked for
  int64_t skipped = 0;    ///< elements whose partial results some order takes out of range, when that was asked for
};

/// The Euclidean norm of numbers whose squares need not be numbers of fp64: those are scaled, as in LAPACK's dnrm2 and
/// dlassq (J. Blue, "A portable Fortran program to find the Euclidean norm of a vector", ACM TOMS 4(1), 1978; constants
/// of E. Anderson, "Algorithm 978", ACM TOMS 44(1), 2017).
struct NormSum {
  double large = 0, medium = 0, small = 0; ///< sums of squares

  void add(double value) {
    const double size = value < 0 ? -value : value;
    if (size > 0x1p486)
      large += (size * 0x1p-538) * (size * 0x1p-538);
    else if (size < 0x1p-511)
      small += (size * 0x1p537) * (size * 0x1p537);
    else // and what is no number
      medium += size * size;
  }
  void add(const NormSum &part) { large += part.large, medium += part.medium, small += part.small; }
  double norm() const;
};

/// What a Comparison is made of, for a part of the elements; thirteen words, as judge_kernels.cu writes them.
struct DifferenceSums {
  NormSum differences, reference;
  double worst = -1, found = 0, expected = 0;
  int64_t index = -1, mismatches = 0, far = 0, skipped = 0;

  void add(const DifferenceSums &part);
};
/// COUNT: of all elements.
Comparison summarize(const DifferenceSums &sums, int64_t count);

/// Gives elements BEGIN to BEGIN + N of what is compared.
using ValueSource = std::function<void(int64_t begin, int64_t n, double *out)>;

/// What is known of the elements of an answer besides their values; null where nothing is.
struct ElementFacts {
  const double *magnitudes = nullptr; ///< what was added up for each
  const double *reach = nullptr;      ///< how large its partial results may get; from MOST on it is not compared
  double most = 0;
  const int64_t *wide = nullptr; ///< the elements themselves, where they are integers that doubles do not tell apart
  bool onlyInfinite = false;     ///< REACH leaves out only an infinity or NaN where the answer is another of them
};

/// Compares COUNT elements of DTYPE at BYTES with REFERENCE. rms(ref) = 0 normalises by 1. A NaN
/// must stand where the reference has one, an infinity where it has the same one (or overflows
/// DTYPE). Integer outputs: any difference is infinite; where FACTS.wide has the
/// elements themselves, compareOutput sees every one of their bits.
/// Of each element's difference norms.max leaves out one unit in the last place of DTYPE at the element's own value:
/// the rms of an output says nothing of how its largest elements are stored. Both norms leave out
/// ACCUMULATIONROUNDOFF times the element of FACTS.magnitudes, where there are some.
/// CLOSE > 0 counts the elements that the published benchmark's allclose would refuse, NaN among them.
Comparison compareOutput(candidate::DType dtype, const void *bytes, const double *reference, int64_t count,
                         unsigned threads = 1, double close = 0, const ElementFacts &facts = {});
/// The same for values that need not lie in memory; they are stored as DTYPE first.
Comparison compareValues(candidate::DType dtype, const ValueSource &values, const double *reference, int64_t count,
                         unsigned threads = 1, double close = 0, const ElementFacts &facts = {});

/// Numbers below this are as good as zero in DTYPE: fp16's smallest subnormal number, fp32's smallest normal one (bf16
/// has its range), since units and what PyTorch computes with may flush what is subnormal there; 0 for others.
double smallestHeld(candidate::DType dtype);

/// A partial sum or product from here on may leave the range that DTYPE is computed in, fp64 or fp32, before it is
/// folded with the rest: some neighbours may exceed what was estimated by so much.
double largestPartial(candidate::DType dtype);

/// The contract's tolerance from two measured errors of trusted code: E_SAME in the candidate's
/// precision class, E_LOW one class down: min(8 e_same, sqrt(e_same e_low)), by norm, and never
/// below twice e_same (eight times for the largest element, where that is a tenth of the rms or more: it varies from
/// draw to draw) or some roundings of DTYPE.
candidate::ErrorNorms measuredTolerance(const candidate::ErrorNorms &same, const candidate::ErrorNorms &low,
                                        candidate::DType dtype);

/// One rounding (half a unit in the last place, relative) of the formats that PRECISION multiplies in; 0 for
/// strict-fp32. Its matrix units cut off what does not fit when they add to an accumulator (Fasi, Higham, Mikaitis and
/// Pranesh, "Numerical behavior of NVIDIA tensor cores", PeerJ Computer Science 7:e330, 2021), so that sums of one sign
/// drift while the roundings of the inputs cancel. On an H200 4096 products of numbers in (0, 1) drift by 2.4e-5 of
/// their sum.
double classRoundoff(llvm::StringRef precision);

/// What inputs are rounded to when the error of a class is measured on the oracle: tf32 -> TF32,
/// fp16 -> FP16, bf16 -> BF16, strict-fp32 -> None (its e_same comes from running trusted fp32 code).
RoundTo roundingOfClass(llvm::StringRef precision);
/// The next class down: strict-fp32 -> TF32, tf32 -> BF16, fp16 -> BF16, bf16 -> FP8.
RoundTo roundingBelowClass(llvm::StringRef precision);

/// "out0[3,17] is 0.25, expected 0.5" for a flat index into SPEC; "out0 is off as a whole" for none (-1).
std::string describeElement(const candidate::BufferSpec &spec, int64_t index, double found, double expected);

} // namespace kgen::judge
