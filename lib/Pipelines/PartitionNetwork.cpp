//===- PartitionNetwork.cpp - A network as calls of tasks -----------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Kernels/Passes.h"
#include "kgen/Pipelines/GraphFacts.h"
#include "kgen/Pipelines/Partition.h"
#include "kgen/Pipelines/Passes.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

namespace kgen::pipelines {
#define GEN_PASS_DEF_PARTITIONNETWORK
#include "kgen/Pipelines/Passes.h.inc"
} // namespace kgen::pipelines

using namespace mlir;
using namespace kgen::pipelines;

namespace {

struct PartitionNetwork : kgen::pipelines::impl::PartitionNetworkBase<PartitionNetwork> {
  using PartitionNetworkBase::PartitionNetworkBase;

  void runOnOperation() override {
    ModuleOp graph = getOperation();
    FailureOr<Partition> partition = partitionGraph(graph);
    if (failed(partition))
      return signalPassFailure();
    func::FuncOp network = findGraphFunction(graph);
    OpBuilder builder(network);
    SmallVector<func::FuncOp> functions;
    for (PartitionTask &task : partition->tasks) {
      auto function = cast<func::FuncOp>(builder.clone(**task.module->getOps<func::FuncOp>().begin()));
      function.setPrivate();
      function->setAttr("kgen.count", builder.getI64IntegerAttr(task.count));
      function->setAttr("kgen.precision", task.module.get()->getAttr("kgen.precision"));
      function->setAttr(kgen::kernels::kTiledProducts, builder.getUnitAttr());
      functions.push_back(function);
    }
    IRMapping computed;
    for (PartitionStep &step : partition->steps) {
      builder.setInsertionPointAfter(step.last);
      SmallVector<Value> reads;
      for (Value value : step.reads)
        reads.push_back(computed.lookupOrDefault(value));
      auto call = func::CallOp::create(builder, step.last->getLoc(), functions[step.task], reads);
      if (step.prepare)
        call->setAttr("kgen.prepare", builder.getUnitAttr());
      for (auto [value, result] : llvm::zip_equal(step.writes, call.getResults())) {
        computed.map(value, result);
        value.replaceAllUsesWith(result);
      }
    }
    // What the tasks compute now.
    SmallVector<Operation *> rest;
    for (Operation &op : network.getBody().front().without_terminator())
      if (!isa<func::CallOp>(op))
        rest.push_back(&op);
    for (Operation *op : llvm::reverse(rest))
      if (op->use_empty())
        op->erase();
  }
};

} // namespace
