//===- GraphFacts.h - A graph's facts, from MLIR ----------------*- C++ -*-===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The MLIR side of GraphCompiler::facts, shared with the pass that asks a
// proposer for an idea.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Graph/GraphFacts.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace kgen::pipelines {

/// The one function of GRAPH. Emits a diagnostic and returns null when there is not exactly one, or
/// when its body is not one block of aten ops on static tensors with one return.
mlir::func::FuncOp findGraphFunction(mlir::ModuleOp graph);

/// The families of FACTS' ops and the kernels that they form; FACTS has the ops of GRAPH already.
void collectGroups(mlir::ModuleOp graph, graph::GraphFacts &facts);

/// The facts of GRAPH, a level 1 module; ops in program order.
mlir::FailureOr<graph::GraphFacts> collectFacts(mlir::ModuleOp graph);

} // namespace kgen::pipelines
