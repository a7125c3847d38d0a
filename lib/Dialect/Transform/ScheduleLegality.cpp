//===- ScheduleLegality.cpp - Checks that need the dispatch --------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a single key's range cannot say. What only a family knows (its shared
// memory, its divisibility) is checked when the family completes a schedule.
//
//===----------------------------------------------------------------------===//
#include "kgen/Dialect/KGen/Precision.h"
#include "kgen/Dialect/Transform/Knobs.h"

#include "llvm/ADT/Twine.h"

using namespace mlir;

namespace kgen::directive {

/// The widest access of a vector of LENGTH elements, in bytes.
static int64_t vectorBytes(DispatchOp dispatch, int64_t length) {
  unsigned bits = 8;
  for (Value value : llvm::concat<Value>(dispatch.getInputs(), dispatch.getResults()))
    if (Type element = getElementTypeOrSelf(value.getType()); element.isIntOrFloat())
      bits = std::max(bits, element.getIntOrFloatBitWidth());
  return length * bits / 8;
}

/// The operand type that a schedule asks of its products, "" when it leaves that open. Tensor cores
/// have no fp32 operands, so that with them the closest type is tf32.
static StringRef productType(ScheduleAttr schedule) {
  StringRef dtype = schedule.getWord("dtype", "");
  // On warpgroups the family chooses, and splits where one 16-bit product is too coarse.
  if (dtype.empty() && schedule.getWord("mma", "none") != "none" && schedule.getWord("mma", "none") != "wgmma")
    return "tf32";
  return dtype;
}

std::string findScheduleFault(DispatchOp dispatch, ScheduleAttr schedule) {
  if (std::string fault = schedule::findFault(schedule.getFamily(), schedule.getSettings()); !fault.empty())
    return fault;
  if (int64_t bytes = vectorBytes(dispatch, schedule.getInt("vec", 1)); schedule.has("vec") && bytes > 16)
    return ("expected vector accesses of at most 16 bytes, found vec = " + Twine(schedule.getInt("vec", 1)) +
            " which makes " + Twine(bytes) + " bytes")
        .str();
  for (int64_t registers : schedule.getInts("reg_split"))
    if (registers % 8)
      return "expected numbers of registers that are multiples of 8, found " + std::to_string(registers);
  if (schedule.getWord("pipeline", "none") == "cp_async" && schedule.getInt("stages", 2) < 2)
    return "expected at least 2 stages with cp_async, found 1";
  if (int64_t threads = schedule.getInt("block", 32); threads % 32)
    return "expected a multiple of 32 threads in a block, found " + std::to_string(threads);

  StringRef dtype = productType(schedule);
  if (schedule.getWord("mma", "none") != "none" && dtype == "fp32")
    return "expected dtype tf32, fp16 or bf16 with tensor cores, found fp32";
  // Half inputs are what they are: only f32 graphs can lose precision by rounding operands.
  if (!dtype.empty()) {
    Precision precision = precisionOf(dispatch->getParentOfType<ModuleOp>());
    // A scaled prepass keeps fp32's range: docs/precision.md.
    bool scaled = dtype == "fp16" && schedule.getWord("mma", "none") == "wgmma" &&
                  admitsScaledHalf(precision, schedule.getWord("split_precision", ""));
    if (!scaled && !admitsOperandType(precision, dtype))
      return ("expected an operand type within precision class " + stringifyPrecision(precision) + ", found " + dtype)
          .str();
  }
  return "";
}

} // namespace kgen::directive
