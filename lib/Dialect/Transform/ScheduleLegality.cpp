//===- ScheduleLegality.cpp - Checks that need the dispatch --------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the table of keys cannot say. What only a family knows (its shared
// memory, what divides what) is asked when a script has ended.
//
//===----------------------------------------------------------------------===//
#include "kgen/Dialect/KGen/Precision.h"
#include "kgen/Dialect/KGen/ScheduleText.h"
#include "kgen/Dialect/Transform/Knobs.h"
#include "kgen/Schedule/Schedules.h"

#include "llvm/ADT/Twine.h"

using namespace mlir;

namespace kgen::directive {
namespace key = schedule::key;
using schedule::Dtype;
using schedule::Mma;

/// The widest access of a vector of LENGTH elements, in bytes.
static int64_t vectorBytes(DispatchOp dispatch, int64_t length) {
  unsigned bits = 8;
  for (Value value : llvm::concat<Value>(dispatch.getInputs(), dispatch.getResults()))
    if (Type element = getElementTypeOrSelf(value.getType()); element.isIntOrFloat())
      bits = std::max(bits, element.getIntOrFloatBitWidth());
  return length * bits / 8;
}

/// The operand type that a schedule asks of its products, none when it leaves that open. Tensor cores
/// have no fp32 operands, so that with them the closest type is tf32.
static std::optional<Dtype> productType(ScheduleAttr schedule) {
  std::optional<Mma> mma = schedule.getWord(key::mma);
  // On warpgroups the family chooses, and splits where one 16-bit product is too coarse.
  if (!schedule.has("dtype") && mma && mma != Mma::None && mma != Mma::Wgmma)
    return Dtype::Tf32;
  return schedule.getWord(key::dtype);
}

std::string findScheduleFault(DispatchOp dispatch, ScheduleAttr schedule, graph::Refusal &refusal) {
  if (std::string fault = findRefusal(schedule.getFamily(), schedule.getSettings(), refusal); !fault.empty())
    return fault;
  if (int64_t bytes = vectorBytes(dispatch, schedule.getInt("vec", 1)); schedule.has("vec") && bytes > 16) {
    std::string bound = "expected vector accesses of at most 16 bytes", vec = std::to_string(schedule.getInt("vec", 1));
    refusal = {graph::RefusalKind::Conflict, "vec", vec, bound};
    return bound + ", found vec = " + vec + " which makes " + std::to_string(bytes) + " bytes";
  }
  // Half inputs are what they are: only f32 graphs can lose precision by rounding operands.
  if (std::optional<Dtype> dtype = productType(schedule)) {
    Precision precision = precisionOf(dispatch->getParentOfType<ModuleOp>());
    // A scaled prepass keeps fp32's range: docs/precision.md.
    bool scaled = dtype == Dtype::Fp16 && schedule.getWord(key::mma) == Mma::Wgmma &&
                  admitsScaledHalf(precision, schedule.getWord(key::splitPrecision));
    if (!scaled && !admitsOperandType(precision, *dtype)) {
      std::string bound = ("expected an operand type within precision class " + stringifyPrecision(precision)).str();
      refusal = {graph::RefusalKind::Conflict, "dtype", wordOf(*dtype), bound};
      return bound + ", found " + wordOf(*dtype);
    }
  }
  return "";
}

} // namespace kgen::directive
