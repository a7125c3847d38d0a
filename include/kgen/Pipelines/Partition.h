//===- Partition.h - Cutting a network into tasks ---------------*- C++ -*-===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Graph/Partition.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace kgen::pipelines {

/// One text that is computed at COUNT places.
struct PartitionTask {
  std::string name;                         ///< "00-conv2d"
  mlir::OwningOpRef<mlir::ModuleOp> module; ///< with the one function @t00_conv2d
  int count = 0;
};

/// Memory from byte OFFSET of ROOT on: what a step or a stack writes, or an argument.
struct PartitionPlace {
  mlir::Value root;
  int64_t offset = 0;
};

/// A task at its place in the network. READS are operands of the task's function, or what has the same elements in the
/// same order, and PLACES where they lie; WRITES its results.
struct PartitionStep {
  int task = 0;
  llvm::SmallVector<mlir::Value> reads, writes;
  llvm::SmallVector<PartitionPlace> places;
  mlir::Operation *last = nullptr; ///< the op in whose place the step stands
  bool prepare = false;            ///< it depends on weights and constants only, and writes no result of the network
};

struct Partition {
  std::vector<PartitionTask> tasks;
  std::vector<PartitionStep> steps;
  std::vector<mlir::Operation *> stacks; ///< aten.cat whose operands steps write where they lie in its result

  /// The value whose memory VALUE is: through reshapes, which move nothing.
  static mlir::Value rootOf(mlir::Value value);
};

/// Has element-wise ops of FUNC read what an aten.expand reads, where they expand it by themselves: `x /
/// norm.expand_as(x)` is `x / norm`, and a row's kernel may hold both.
void dropExpansions(mlir::func::FuncOp func);

/// Cuts the function of GRAPH, a level 1 module, into tasks: an anchor with the element-wise ops that fuse into it, or
/// a chain of element-wise ops. Views, constants and casts of arguments belong to whoever reads them, but a slice of
/// the outermost dimension that lies where a buffer may begin is read as it is. What depends on weights only (arguments
/// with kgen.parameter that the graph does not write) is no part of a task that depends on more, so that it need not be
/// computed in each run. Marks on ops (NetworkMarks.h) move boundaries. Equal ops are one where that leaves
/// fewer steps to a run. GRAPH may become an equal one, of which the partition speaks. Takes time in proportion to the
/// ops. Emits a diagnostic and fails where the graph is no level 1 graph.
mlir::FailureOr<Partition> partitionGraph(mlir::ModuleOp graph);

/// The same as data. Fails, with a diagnostic, where a result of the network is no result of a step, or of two.
mlir::FailureOr<graph::NetworkPartition> describePartition(mlir::ModuleOp graph, Partition &partition);

} // namespace kgen::pipelines
