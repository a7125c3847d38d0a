//===- InputDomains.h - What an argument of a graph can be ----------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace kgen {

/// Writes `kgen.init` on the arguments of MODULE's functions that are never negative and whose declared distribution
/// (normal(0, 1) where there is none) is: the variances of batch_norm and instance_norm, in dispatches and behind
/// views too, and parameters whose root or logarithm is taken. normal(m, d) becomes uniform over its positive part, so
/// that each kind of input set draws positive numbers. So with the ends of groups of rows for which nothing is
/// declared: integer(0, number of rows). Other arguments stay as they are.
void settleInputDomains(mlir::ModuleOp module);

} // namespace kgen
