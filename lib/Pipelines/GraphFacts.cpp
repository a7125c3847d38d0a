//===- GraphFacts.cpp - A graph's facts, from MLIR -----------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Pipelines/GraphFacts.h"

#include "kgen/Dialect/Aten/Algebra.h"
#include "kgen/Dialect/Aten/Aten.h"
#include "kgen/Dialect/Aten/Updates.h"
#include "kgen/Dialect/KGen/Precision.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace kgen::pipelines {

static constexpr int64_t maxTensorElements = int64_t(1) << 50;

func::FuncOp findGraphFunction(ModuleOp graph) {
  func::FuncOp found;
  for (Operation &op : *graph.getBody()) {
    auto func = dyn_cast<func::FuncOp>(op);
    if (!func) { // CUDA-C in a graph would end in what counts as kgen's own text
      op.emitError() << "expected one function in the graph, found " << op.getName();
      return {};
    }
    if (found) {
      func.emitError("expected one function in the graph, found a second one");
      return {};
    }
    found = func;
  }
  if (!found) {
    graph.emitError("expected one function in the graph, found none");
    return {};
  }
  if (!found.getBody().hasOneBlock()) {
    found.emitError("expected a body of one block");
    return {};
  }
  auto isStatic = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && tensor.hasStaticShape();
  };
  for (Type type : llvm::concat<const Type>(found.getArgumentTypes(), found.getResultTypes()))
    if (!isStatic(type)) {
      found.emitError() << "expected arguments and results of static tensor type, found " << type;
      return {};
    }
  for (Operation &op : found.getBody().front().without_terminator())
    if (!isa<aten::AtenCostOpInterface>(op)) {
      op.emitError() << "expected a graph of aten ops, found " << op.getName();
      return {};
    }
  // Sizes are multiplied, by bytes and by threads, everywhere from here on.
  auto fits = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    int64_t elements = 1;
    for (int64_t extent : tensor &&tensor.hasStaticShape() ? tensor.getShape() : ArrayRef<int64_t>())
      if (__builtin_mul_overflow(elements, extent, &elements) || elements > maxTensorElements)
        return false;
    return true;
  };
  for (Type type : found.getArgumentTypes())
    if (!fits(type)) {
      found.emitError() << "expected tensors of at most 2^50 elements, found " << type;
      return {};
    }
  for (Operation &op : found.getBody().front())
    for (Type type : op.getResultTypes())
      if (!fits(type)) {
        op.emitError() << "expected tensors of at most 2^50 elements, found " << type;
        return {};
      }
  return found;
}

static graph::TensorFact tensorFact(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  graph::TensorFact fact;
  llvm::raw_string_ostream(fact.dtype) << tensor.getElementType();
  fact.shape.assign(tensor.getShape().begin(), tensor.getShape().end());
  return fact;
}

/// A value as a script would write it: "[4, 4]", "2", "true", "none".
static std::string printAttribute(Attribute attribute) {
  if (auto text = dyn_cast<StringAttr>(attribute))
    return text.getValue().str();
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (auto list = dyn_cast<DenseI64ArrayAttr>(attribute)) {
    stream << "[";
    llvm::interleaveComma(list.asArrayRef(), stream);
    stream << "]";
  } else {
    attribute.print(stream, /*elideType=*/true);
  }
  return text;
}

/// What GRAPH is, without its forms.
static FailureOr<graph::GraphFacts> collectOwnFacts(ModuleOp graph) {
  func::FuncOp func = findGraphFunction(graph);
  if (!func)
    return failure();
  graph::GraphFacts facts;
  facts.name = func.getName().str();
  facts.precision = stringifyPrecision(precisionOf(graph)).str();
  for (Type type : func.getArgumentTypes())
    facts.inputs.push_back(tensorFact(type));
  for (auto [i, type] : llvm::enumerate(func.getResultTypes())) {
    facts.outputs.push_back(tensorFact(type));
    if (std::optional<unsigned> argument = aten::findUpdate(func, unsigned(i)))
      facts.outputs.back().updates = int(*argument);
  }
  facts.compulsoryBytes = aten::compulsoryBytes(func);

  llvm::DenseMap<Operation *, int> indices;
  for (Operation &op : func.getBody().front().without_terminator())
    indices.try_emplace(&op, indices.size());
  for (Operation &op : func.getBody().front().without_terminator()) {
    graph::OpFact fact;
    fact.name = op.getName().getStringRef().str();
    for (Value operand : op.getOperands())
      fact.operands.push_back(tensorFact(operand.getType()));
    for (Value result : op.getResults())
      fact.results.push_back(tensorFact(result.getType()));
    for (NamedAttribute entry : op.getAttrDictionary())
      if (entry.getName() != "operandSegmentSizes")
        fact.attributes[entry.getName().str()] = printAttribute(entry.getValue());
    for (Operation *user : op.getUsers())
      if (auto it = indices.find(user); it != indices.end())
        fact.users.push_back(it->second);
    llvm::sort(fact.users);
    fact.users.erase(std::unique(fact.users.begin(), fact.users.end()), fact.users.end());
    auto cost = cast<aten::AtenCostOpInterface>(op);
    fact.flops = cost.getFlops();
    fact.isWindow = cost.getKind() == aten::OpKind::Window;
    facts.flops += fact.flops;
    facts.ops.push_back(std::move(fact));
  }
  // What is larger is searched as a network, whose tasks have groups of their own; forming them takes time in
  // proportion to the square of the ops.
  constexpr size_t mostGrouped = 1024;
  if (facts.ops.size() <= mostGrouped)
    collectGroups(graph, facts);
  return facts;
}

FailureOr<graph::GraphFacts> collectFacts(ModuleOp graph) {
  FailureOr<graph::GraphFacts> facts = collectOwnFacts(graph);
  if (failed(facts))
    return failure();
  func::FuncOp func = findGraphFunction(graph);
  for (const aten::Rewrite &rewrite : aten::rewrites()) {
    OwningOpRef<ModuleOp> copy = graph.clone();
    (*copy)->setAttr("kgen.precision", StringAttr::get(graph.getContext(), facts->precision));
    if (!aten::applyRewrite(findGraphFunction(*copy), rewrite))
      continue;
    FailureOr<graph::GraphFacts> form = collectOwnFacts(*copy);
    if (failed(form))
      return failure();
    facts->forms.push_back({rewrite.name.str(), std::make_shared<const graph::GraphFacts>(std::move(*form))});
  }
  facts->flops = std::min(facts->flops, aten::leastFlops(func));
  return facts;
}

} // namespace kgen::pipelines
