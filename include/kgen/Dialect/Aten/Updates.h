//===- Updates.h - Results that are arguments written in place --*- C++ -*-===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A step of a language model writes one position of each cache. As a graph that is a result, all of the cache; as
// memory it is the argument's own, of which a few bytes change.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Support/GraphMarks.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>

namespace kgen::aten {

/// The argument of FUNC, a graph of ATen ops, whose memory result INDEX can be: the result says that it is the
/// argument's new value (`kgen.mutates` with its name, or `kgen.updates`), is an index_put of one position into it, and
/// nothing else reads the argument.
std::optional<unsigned> findUpdate(mlir::func::FuncOp func, unsigned index);

} // namespace kgen::aten
