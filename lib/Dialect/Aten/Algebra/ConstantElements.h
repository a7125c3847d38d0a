//===- ConstantElements.h - Elements that follow from the graph -*- C++ -*-===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Private to the rewrites of Algebra.h.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/Value.h"
#include "mlir/Support/LLVM.h"

#include <optional>

namespace kgen::aten {

/// The element of VALUE, a tensor, at INDEX, where no argument decides it: positions, constants, and comparisons,
/// logic, triangles, arithmetic and views of these. One element is looked at, not the tensor. An i1 is 0 or 1.
std::optional<double> constantElement(mlir::Value value, llvm::ArrayRef<int64_t> index);

/// The one number that VALUE holds in all its elements, a constant.
std::optional<double> splatOf(mlir::Value value);

} // namespace kgen::aten
