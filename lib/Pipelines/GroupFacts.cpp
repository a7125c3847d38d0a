//===- GroupFacts.cpp - Which ops become one kernel -----------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Forms dispatches in a copy of the graph by the code that directives use, and asks the families for their kernels.
// What a family refuses, alone or with its neighbours, is left to the generic path: an idea for the rest of the graph
// never meets it.
//
//===----------------------------------------------------------------------===//
#include "kgen/Dialect/KGen/Dispatch.h"
#include "kgen/Kernels/Family.h"
#include "kgen/Pipelines/GraphFacts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

#include <map>

using namespace mlir;

namespace kgen::pipelines {

namespace {

/// Whether families make kernels of groups of ops, each group asked for once.
using Verdicts = std::map<std::pair<std::string, std::vector<int>>, bool>;

class Grouping {
public:
  Grouping(ModuleOp graph, graph::Fusion fusion, Verdicts &verdicts, graph::GraphFacts &facts)
      : fusion(fusion), verdicts(verdicts), facts(facts), groups(facts.groups[int(fusion)]), copy(graph.clone()),
        rewriter(graph.getContext()) {
    func::FuncOp func = *copy->getOps<func::FuncOp>().begin();
    block = &func.getBody().front();
    for (Operation &op : block->without_terminator()) {
      indices.try_emplace(&op, ops.size());
      ops.push_back(&op);
    }
    taken.resize(ops.size());
  }

  void form() {
    // Anchors first: an element-wise op between two of them belongs to the one that it follows.
    for (bool elementwise : {false, true})
      for (size_t i = 0; i < ops.size(); ++i)
        if (!taken[i] && isElementwise(ops[i]) == elementwise)
          formFrom(ops[i]);
    // A script forms dispatches in this order, too, and each leaves what the earlier ones took: with producers that
    // counts.
    if (llvm::all_of(groups, [](const graph::GroupFact &group) { return group.ops[0] == group.anchor; }))
      llvm::sort(groups, [](const graph::GroupFact &a, const graph::GroupFact &b) { return a.ops[0] < b.ops[0]; });
  }

private:
  /// How many ops join behind the anchor and in front of it.
  struct Reach {
    int64_t consumers = 0, producers = 0;
  };

  void formFrom(Operation *root) {
    std::string family = defaultFamily(root).str();
    const kernels::Family *known = kernels::findFamily(family);
    if (!known)
      return;
    Reach reach, most;
    if (fusion != graph::Fusion::None)
      most = findReach(root, *known);
    if (!findAccepted(root, family, most, reach))
      return;
    DispatchOp dispatch = *grow(root, family, reach);
    graph::GroupFact group{family, indices[root], indicesOf(dispatch)};
    for (int op : group.ops)
      taken[op] = true;
    if (group.ops.size() == 1)
      facts.ops[group.anchor].family = family;
    // What joins in front of a product says how its operands lie.
    if (group.ops.size() == 1 || (family == "gemm" && reach.producers))
      facts.ops[group.anchor].work = known->getWork(dispatch);
    for (Operation *view : known->findStridedViews(dispatch))
      facts.ops[indices[view]].readInPlace = true;
    groups.push_back(std::move(group));
  }

  /// The neighbours that fuse, whatever the family says of them.
  Reach findReach(Operation *root, const kernels::Family &family) {
    SmallVector<Operation *> order = getOrder();
    Reach reach;
    std::string why;
    DispatchOp dispatch = formDispatch(rewriter, root, ScheduleAttr::get(root->getContext(), family.name()));
    auto count = [&] { return llvm::range_size(dispatch.getBody().front().without_terminator()); };
    FuseLimit any{0, /*optional=*/true, /*elementwiseOnly=*/fusion != graph::Fusion::Pool || family.name() != "conv"};
    if (FailureOr<DispatchOp> grown = fuseConsumers(rewriter, dispatch, any, why); succeeded(grown))
      dispatch = *grown;
    reach.consumers = count() - 1;
    // Elsewhere, what is in front would be computed once for each use. Before a convolution, pooling or product that is
    // permutes only.
    Operation *source = dispatch.getInputs().empty() ? nullptr : dispatch.getInputs()[0].getDefiningOp();
    if (family.readsOnce(root) || family.name() == "conv" || family.name() == "gemm" ||
        (family.name() == "pool" && source && movesChannels(source, /*toLast=*/false)))
      if (FailureOr<DispatchOp> grown = fuseProducers(rewriter, dispatch, any, why); succeeded(grown))
        dispatch = *grown;
    reach.producers = count() - 1 - reach.consumers;
    inlineDispatch(rewriter, dispatch);
    restore(order);
    return reach;
  }

  /// The most of MOST that the family accepts, in REACH: first fewer ops in front, then fewer behind.
  bool findAccepted(Operation *root, StringRef family, Reach most, Reach &reach) {
    constexpr int64_t mostTries = 8; // of a long chain; then nothing joins
    auto accepted = [&](Reach candidate) {
      reach = candidate;
      return accepts(root, family, candidate);
    };
    if (accepted(most))
      return true;
    for (int64_t tries = 0; tries < mostTries && tries <= most.consumers; ++tries) {
      int64_t consumers = most.consumers - tries;
      if (!accepts(root, family, {consumers, 0}))
        continue;
      for (int64_t producers = most.producers - 1; producers > most.producers - mostTries && producers > 0; --producers)
        if (accepted({consumers, producers}))
          return true;
      return accepted({consumers, 0});
    }
    return accepted({0, 0});
  }

  /// Whether the family makes a kernel of ROOT with so many neighbours. The graph stays as it is.
  bool accepts(Operation *root, StringRef family, Reach reach) {
    SmallVector<Operation *> order = getOrder();
    FailureOr<DispatchOp> dispatch = grow(root, family, reach);
    if (succeeded(dispatch)) {
      auto [entry, isNew] = verdicts.try_emplace({family.str(), indicesOf(*dispatch)});
      if (isNew)
        entry->second = hasKernel(*dispatch);
      inlineDispatch(rewriter, *dispatch);
      restore(order);
      return entry->second;
    }
    restore(order);
    return false;
  }

  /// A dispatch of ROOT with exactly so many neighbours, as a directive that names their number forms it; failure, with
  /// the graph as it was but for the order of its ops, where so many do not fuse.
  FailureOr<DispatchOp> grow(Operation *root, StringRef family, Reach reach) {
    DispatchOp dispatch = formDispatch(rewriter, root, ScheduleAttr::get(root->getContext(), family));
    std::string why;
    auto join = [&](auto fuse, int64_t count) {
      if (count == 0)
        return true;
      FailureOr<DispatchOp> grown = fuse(rewriter, dispatch, FuseLimit{count}, why, {});
      if (succeeded(grown))
        dispatch = *grown;
      else
        inlineDispatch(rewriter, dispatch);
      return succeeded(grown);
    };
    if (join(fuseConsumers, reach.consumers) && join(fuseProducers, reach.producers))
      return dispatch;
    return failure();
  }

  static bool hasKernel(DispatchOp dispatch) {
    ScopedDiagnosticHandler quiet(dispatch.getContext(), [](Diagnostic &) { return success(); });
    const kernels::Family *family = kernels::findFamily(dispatch.getFamily());
    kernels::ScheduleParams params(dispatch.getSchedule()->getParams());
    Chip chip;
    return succeeded(kernels::completeSchedule(*family, dispatch, params, chip)) &&
           succeeded(family->emit(dispatch, params, chip));
  }

  std::vector<int> indicesOf(DispatchOp dispatch) {
    std::vector<int> list;
    for (Operation &op : dispatch.getBody().front().without_terminator())
      list.push_back(indices[&op]);
    llvm::sort(list);
    return list;
  }

  SmallVector<Operation *> getOrder() {
    return llvm::map_to_vector(block->without_terminator(), [](Operation &op) { return &op; });
  }
  void restore(ArrayRef<Operation *> order) {
    for (Operation *op : order)
      op->moveBefore(block->getTerminator());
  }

  graph::Fusion fusion;
  Verdicts &verdicts;
  graph::GraphFacts &facts;
  std::vector<graph::GroupFact> &groups;
  OwningOpRef<ModuleOp> copy;
  IRRewriter rewriter;
  Block *block = nullptr;
  std::vector<Operation *> ops; ///< in program order
  llvm::DenseMap<Operation *, int> indices;
  std::vector<bool> taken;
};

} // namespace

void collectGroups(ModuleOp graph, graph::GraphFacts &facts) {
  // Families read what is fused through linalg.
  graph.getContext()
      ->loadDialect<KGenDialect, arith::ArithDialect, linalg::LinalgDialect, math::MathDialect,
                    tensor::TensorDialect>();
  Verdicts verdicts;
  for (graph::Fusion fusion : {graph::Fusion::None, graph::Fusion::Epilogue, graph::Fusion::Pool})
    Grouping(graph, fusion, verdicts, facts).form();
}

} // namespace kgen::pipelines
