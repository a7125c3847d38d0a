//===- NetworkMarks.h - Where a network is cut ------------------*- C++ -*-===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attributes of ops of a network, which directives set and the partition reads.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/StringRef.h"

namespace kgen {

/// Unit. A task begins here: the op joins none in front of it.
constexpr llvm::StringLiteral splitMark = "kgen.split";
/// The name of an op, as "aten.max_pool2d": this op's task is a part of the one that reads what it computes, where just
/// one does and has such an op.
constexpr llvm::StringLiteral fuseMark = "kgen.fuse";
/// Unit, of an aten.permute: a task writes what it computes in this order, where one value leaves it.
constexpr llvm::StringLiteral storeMark = "kgen.store";

} // namespace kgen
