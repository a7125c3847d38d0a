//===- GraphMarks.h - Attributes of a graph's results -----------*- C++ -*-===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/StringRef.h"

namespace kgen {

/// Of which argument a result is the new value, by its kgen.name; the importer writes it.
constexpr llvm::StringLiteral mutatesAttr = "kgen.mutates";
/// The number of the argument (i64) whose memory a result is; the pass kgen-mark-updates writes it.
constexpr llvm::StringLiteral updatesAttr = "kgen.updates";

} // namespace kgen
