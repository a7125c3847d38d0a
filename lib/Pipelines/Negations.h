//===- Negations.h - Signs of parts in the table they are multiplied by ---===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Private to Pipelines. Rotary embeddings (Su et al., 2021, as transformers writes them) are x * cos + cat(-x2, x1) *
// sin for halves x1, x2 of each head: the negation is an element-wise op behind which a cat stands, a kernel of its own
// for each query and key of each layer, though all of them are multiplied by one table.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace kgen::pipelines {

/// Gives negated parts of a cat in FUNC that is multiplied by a table their signs in the table: cat(-a, b) * s is
/// cat(a, b) * cat(-s1, s2), to the bit. Where several products take one table, which is computed once then.
void moveNegations(mlir::func::FuncOp func);

} // namespace kgen::pipelines
