//===- ScheduleText.h - The text form of schedule values --------*- C++ -*-===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared by #kgen.schedule and by the directives that set its keys: spelling and
// refusals.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Graph/Refusal.h"
#include "kgen/Schedule/Schedule.h"

#include "mlir/IR/OpImplementation.h"

namespace kgen {

/// Parses an integer, a list of integers, a word or a quoted text into an I64 IntegerAttr, a
/// DenseI64ArrayAttr or a StringAttr.
mlir::ParseResult parseScheduleValue(mlir::AsmParser &parser, mlir::Attribute &value);

/// Prints what parseScheduleValue reads.
void printScheduleValue(mlir::AsmPrinter &printer, mlir::Attribute value);

/// What parseScheduleValue reads as a value of the table; none for other attributes.
std::optional<schedule::Value> toScheduleValue(mlir::Attribute value);

/// Why no variant of FAMILY takes all of SETTINGS, in a sentence and as data; "" when one does.
std::string findRefusal(llvm::StringRef family, const schedule::Settings &settings, graph::Refusal &refusal);

} // namespace kgen
