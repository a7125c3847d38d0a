//===- Precision.h - Precision classes --------------------------*- C++ -*-===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How exact a graph's answer has to be, and which operand types of tensor-core
// products a class admits.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Schedule/Schedules.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringRef.h"

#include <optional>

namespace kgen {

/// From exact to coarse; FP16 and BF16 are not comparable with each other.
enum class Precision { StrictFP32, TF32, FP16, BF16 };

/// "strict-fp32", "tf32", "fp16", "bf16".
llvm::StringRef stringifyPrecision(Precision precision);
std::optional<Precision> parsePrecision(llvm::StringRef word);

/// The module attribute `kgen.precision`, or the default: the half type that the graph computes
/// with; else tf32 for an f32 graph with a contraction; else strict-fp32.
Precision precisionOf(mlir::ModuleOp module);

/// Whether products may round their operands to DTYPE under PRECISION.
bool admitsOperandType(Precision precision, schedule::Dtype dtype);

/// Whether f32 operands may be multiplied as fp16 after exact scaling by powers of two: in class tf32, whose
/// mantissa is as long, in one product; in strict-fp32 as sums of two (SPLIT is fp16x3, or none yet).
bool admitsScaledHalf(Precision precision, std::optional<schedule::SplitPrecision> split);

} // namespace kgen
