//===- MlirGraphCompiler.cpp - The graph compiler on MLIR ----------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The only translation unit that implements GraphCompiler with mlir/. Each call
// has a context of its own: nothing leaks from one candidate into the next, and
// calls from several threads do not meet.
//
//===----------------------------------------------------------------------===//
#include "kgen/Candidate/LaunchPlan.h"
#include "kgen/Dialect/Aten/Passes.h"
#include "kgen/Dialect/Aten/Updates.h"
#include "kgen/Dialect/KGen/CaptureError.h"
#include "kgen/Dialect/KGen/KGen.h"
#include "kgen/Dialect/KGen/Precision.h"
#include "kgen/Dialect/Transform/KGenTransform.h"
#include "kgen/Graph/GraphCompiler.h"
#include "kgen/InitAll.h"
#include "kgen/Kernels/CudaTemplate.h"
#include "kgen/Pipelines/GraphFacts.h"
#include "kgen/Pipelines/Partition.h"
#include "kgen/Pipelines/Pipelines.h"
#include "kgen/Target/Cuda/CudaEmitter.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace kgen::graph {

/// Written by cmake/modules/GeneratorDigest.cmake.
extern const char *const generatorDigest;

namespace {

/// The name of a graph's text in messages.
constexpr llvm::StringLiteral graphName = "graph.mlir";

/// The line of TEXT on which more brackets are open than a graph has need of, or 0. The parser takes a level of its
/// stack for each, and ends the process when that is used up.
unsigned findDeepNesting(StringRef text) {
  constexpr int deepest = 256;
  int depth = 0;
  unsigned line = 1;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '\n') {
      ++line;
    } else if (c == '"') {
      for (++i; i < text.size() && text[i] != '"' && text[i] != '\n'; ++i)
        i += text[i] == '\\';
    } else if (text.substr(i).starts_with("//")) {
      i = std::min(text.find('\n', i), text.size()) - 1;
    } else if (c == '(' || c == '[' || c == '{' || c == '<') {
      if (++depth > deepest)
        return line;
    } else if (c == ')' || c == ']' || c == '}' || (c == '>' && (i == 0 || text[i - 1] != '-'))) {
      depth -= depth > 0;
    }
  }
  return 0;
}

/// A context with every dialect, and the graph in it.
class Session {
public:
  Session() : context(registry(), MLIRContext::Threading::DISABLED) {}

  /// Parses and checks TEXT, a level 1 module.
  llvm::Error load(StringRef text) {
    if (unsigned line = findDeepNesting(text))
      return llvm::createStringError(graphName + ":" + Twine(line) + ":1: nests deeper than 256 brackets");
    CaptureError error(&context, graphName);
    llvm::SourceMgr sources;
    sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(text, graphName), llvm::SMLoc());
    module = parseSourceFile<ModuleOp>(sources, ParserConfig(&context));
    if (!module || !(func = pipelines::findGraphFunction(*module)))
      return error.takeError("graph.mlir: the graph does not parse");
    return llvm::Error::success();
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  func::FuncOp func;

private:
  static const DialectRegistry &registry() {
    static const DialectRegistry all = [] {
      DialectRegistry registry;
      registerAllDialects(registry);
      return registry;
    }();
    return all;
  }
};

std::string print(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream);
  stream << "\n";
  return text;
}

/// Level 2 in SESSION's module to the snapshot's texts.
llvm::Expected<LoweredGraph> lower(Session &session, const Chip &chip) {
  LoweredGraph result;
  result.annotated = print(*session.module);
  CaptureError error(&session.context, graphName);
  PassManager pm(&session.context, ModuleOp::getOperationName());
  pipelines::LowerOptions options;
  options.arch = chip.arch;
  options.multiprocessors = chip.multiprocessors;
  options.sharedBytes = chip.sharedBytesPerBlock;
  pipelines::populateLower(pm, options);
  if (failed(pm.run(*session.module)))
    return error.takeError("graph.mlir: lowering failed without a reason");
  result.lowered = print(*session.module);
  llvm::raw_string_ostream cuda(result.cuda), plan(result.plan);
  if (failed(target::emitCuda(*session.module, cuda)) ||
      failed(target::emitPlan(*session.module, stringifyPrecision(precisionOf(*session.module)), plan)))
    return error.takeError("graph.mlir: emission failed without a reason");
  return result;
}

/// One buffer's shape and type against the graph's, as a message; empty when they agree.
std::string compareBuffer(StringRef what, size_t index, const candidate::BufferSpec &buffer, Type type) {
  auto tensor = cast<RankedTensorType>(type);
  std::string dtype;
  llvm::raw_string_ostream(dtype) << tensor.getElementType();
  bool same = candidate::dtypeName(buffer.dtype) == dtype && ArrayRef<int64_t>(buffer.shape) == tensor.getShape();
  if (same)
    return "";
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << "plan.json: " << what << "[" << index << "] is " << candidate::dtypeName(buffer.dtype) << "[";
  llvm::interleaveComma(buffer.shape, stream);
  stream << "], expected " << dtype << "[";
  llvm::interleaveComma(tensor.getShape(), stream);
  stream << "]";
  return text;
}

/// CUDA with the text of kgen's device headers where it includes them: a kernel.cu stands alone. A
/// text that holds the header already, from another kernel.cu, includes it no more.
std::string inlineDeviceHeaders(StringRef cuda) {
  std::string text;
  while (!cuda.empty()) {
    auto [line, rest] = cuda.split('\n');
    StringRef file = line.trim();
    bool includes = file.consume_front("#include") && file.ltrim().consume_front("\"");
    file = line.split('"').second.split('"').first;
    StringRef header =
        includes && file.starts_with("kgen_") && file.ends_with(".cuh") ? kernels::findCudaTemplate(file) : StringRef();
    if (header.empty())
      text += line;
    else // a header may include another one
      text += StringRef(inlineDeviceHeaders(header)).rtrim('\n');
    if (cuda.size() > line.size())
      text += '\n';
    cuda = rest;
  }
  return text;
}

/// Replaces FUNC's body by the launches of PLAN on kernels of SOURCE. Buffers that a launch names
/// and that are no inputs count as written by it.
llvm::Error buildLaunches(func::FuncOp func, StringRef source, const candidate::LaunchPlan &plan) {
  Block &body = func.getBody().front();
  Operation *terminator = body.getTerminator();
  SmallVector<std::optional<unsigned>> updates;
  for (unsigned i = 0; i < func.getNumResults(); ++i)
    updates.push_back(aten::findUpdate(func, i));
  terminator->setOperands({});
  while (&body.front() != terminator)
    body.getOperations().rbegin()->getPrevNode()->erase();

  OpBuilder builder(terminator);
  Location loc = func.getLoc();
  SmallVector<Value> outputs, workspaces;
  for (auto [i, type] : llvm::enumerate(func.getResultTypes())) {
    if (updates[i]) {
      outputs.push_back(body.getArgument(*updates[i]));
      func.setResultAttr(unsigned(i), updatesAttr, builder.getI64IntegerAttr(*updates[i]));
      continue;
    }
    auto tensor = cast<RankedTensorType>(type);
    outputs.push_back(tensor::EmptyOp::create(builder, loc, tensor.getShape(), tensor.getElementType()));
  }
  for (const candidate::WorkspaceSpec &workspace : plan.workspace)
    workspaces.push_back(
        tensor::EmptyOp::create(builder, loc, ArrayRef<int64_t>{workspace.bytes}, builder.getI8Type()));
  SmallVector<Value> untouched = outputs;

  for (const candidate::Launch &launch : plan.launches) {
    SmallVector<Value> ins;
    SmallVector<Value *> outs;
    SmallVector<Attribute> scalars;
    for (const candidate::LaunchArgument &argument : launch.arguments) {
      // A tensor map reads or writes its buffer; its shape stands in kgen.plan.
      auto *map = std::get_if<candidate::TensorMapSpec>(&argument);
      if (auto *buffer = map ? &map->buffer : std::get_if<candidate::BufferRef>(&argument)) {
        if (buffer->kind == candidate::BufferKind::Input) {
          ins.push_back(body.getArgument(buffer->index));
          continue;
        }
        Value *slot = &(buffer->kind == candidate::BufferKind::Output ? outputs : workspaces)[buffer->index];
        if (!llvm::is_contained(outs, slot))
          outs.push_back(slot);
      } else if (auto *i32 = std::get_if<int32_t>(&argument)) {
        scalars.push_back(builder.getI32IntegerAttr(*i32));
      } else if (auto *i64 = std::get_if<int64_t>(&argument)) {
        scalars.push_back(builder.getI64IntegerAttr(*i64));
      } else {
        scalars.push_back(builder.getF32FloatAttr(std::get<float>(argument)));
      }
    }
    auto kernel =
        SymbolRefAttr::get(builder.getContext(), source, {FlatSymbolRefAttr::get(builder.getContext(), launch.kernel)});
    SmallVector<Value> inits;
    for (Value *slot : outs)
      inits.push_back(*slot);
    auto op = LaunchOp::create(builder, loc, TypeRange(ValueRange(inits)), kernel, launch.grid, launch.block,
                               launch.sharedBytes, ins, inits);
    op.setCooperative(launch.cooperative);
    if (launch.cluster != std::array<int64_t, 3>{1, 1, 1})
      op.setCluster(launch.cluster);
    if (!scalars.empty())
      op.setScalarsAttr(builder.getArrayAttr(scalars));
    for (auto [slot, result] : llvm::zip_equal(outs, op.getResults()))
      *slot = result;
  }
  for (size_t i = 0; i < outputs.size(); ++i)
    if (outputs[i] == untouched[i])
      return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                     "plan.json: no launch has out%zu among its arguments", i);
  terminator->setOperands(outputs);
  return llvm::Error::success();
}

class MlirGraphCompiler : public GraphCompiler {
public:
  llvm::Expected<std::string> canonicalize(StringRef graph, bool small) override {
    Session session;
    if (llvm::Error error = session.load(graph))
      return error;
    if (small) {
      CaptureError error(&session.context, graphName);
      if (failed(aten::resizeToSmall(session.func)) || failed(verify(*session.module)))
        return error.takeError("graph.mlir: the graph has no small size");
    }
    pipelines::dropExpansions(session.func);
    return print(*session.module);
  }

  llvm::Expected<GraphFacts> facts(StringRef graph) override {
    Session session;
    if (llvm::Error error = session.load(graph))
      return error;
    CaptureError error(&session.context, graphName);
    FailureOr<GraphFacts> facts = pipelines::collectFacts(*session.module);
    if (failed(facts))
      return error.takeError("graph.mlir: the graph has no facts");
    return std::move(*facts);
  }

  llvm::Expected<NetworkPartition> partition(StringRef graph) override {
    Session session;
    if (llvm::Error error = session.load(graph))
      return error;
    CaptureError error(&session.context, graphName);
    FailureOr<pipelines::Partition> cut = pipelines::partitionGraph(*session.module);
    if (failed(cut))
      return error.takeError("graph.mlir: the graph cannot be cut into tasks");
    FailureOr<NetworkPartition> described = pipelines::describePartition(*session.module, *cut);
    if (failed(described))
      return error.takeError("graph.mlir: the graph cannot be cut into tasks");
    return std::move(*described);
  }

  llvm::Expected<std::string> rewriteNetwork(StringRef graph, StringRef directives, const Chip &chip) override {
    Session session;
    if (llvm::Error error = session.load(graph))
      return error;
    auto rewritten = directive::applyDirectives(*session.module, directives, chip, {}, "directives.mlir");
    if (!rewritten)
      return rewritten.takeError();
    bool hasKernels = false;
    (*rewritten)->walk([&](DispatchOp) { hasKernels = true; });
    if (hasKernels)
      return llvm::createStringError("a network's directives say where it is cut, found one that says how a kernel is "
                                     "made");
    return print(**rewritten);
  }

  llvm::Expected<LoweredGraph> lowerGeneric(StringRef graph, const Chip &chip) override {
    Session session;
    if (llvm::Error error = session.load(graph))
      return error;
    return lower(session, chip);
  }

  llvm::Expected<LoweredGraph> lowerWithDirectives(StringRef graph, StringRef directives, StringRef idea,
                                                   StringRef category, const Chip &chip) override {
    Session session;
    if (llvm::Error error = session.load(graph))
      return error;
    IdeaAttr ideaAttr;
    if (!idea.trim().empty()) {
      std::optional<Category> word = symbolizeCategory(category);
      if (!word)
        return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                       "expected a category memory, async, dtype, compute, parallel or control, "
                                       "found '" +
                                           category + "'");
      // A graph without an attribute of this dialect has not loaded it.
      session.context.loadDialect<KGenDialect>();
      ideaAttr = IdeaAttr::get(&session.context, idea, *word);
    }
    auto annotated = directive::applyDirectives(*session.module, directives, chip, ideaAttr, "directives.mlir");
    if (!annotated)
      return annotated.takeError();
    session.module = std::move(*annotated);
    return lower(session, chip);
  }

  llvm::Expected<LoweredGraph> wrapSource(StringRef graph, StringRef cuda, StringRef planText,
                                          const Chip &chip) override {
    Session session;
    if (llvm::Error error = session.load(graph))
      return error;
    llvm::Expected<candidate::LaunchPlan> plan = candidate::LaunchPlan::parse(planText);
    if (!plan)
      return plan.takeError();
    if (llvm::Error error = checkPlan(*plan, session.func))
      return error;
    LoweredGraph result;
    result.annotated = print(*session.module);
    result.cuda = inlineDeviceHeaders(cuda);
    result.plan = plan->print();

    CaptureError error(&session.context, graphName);
    session.context.loadDialect<KGenDialect, tensor::TensorDialect>();
    OpBuilder builder(session.func);
    StringRef source = "candidate";
    if (session.func.getName() == source)
      source = "candidate_kernels";
    SourceOp::create(builder, session.func.getLoc(), source, chip.arch, result.cuda);
    if (llvm::Error fault = buildLaunches(session.func, source, *plan))
      return fault;
    session.module.get()->setAttr("kgen.precision",
                                  builder.getStringAttr(stringifyPrecision(precisionOf(*session.module))));
    // Argument order and offsets, which kgen.launch does not say.
    session.module.get()->setAttr("kgen.plan", builder.getStringAttr(result.plan));
    if (failed(verify(*session.module)))
      return error.takeError("kernel.cu: the launches do not verify");
    result.lowered = print(*session.module);
    return result;
  }

  std::string inlineHeaders(StringRef cuda) override { return inlineDeviceHeaders(cuda); }

  std::string getGenerator() override { return generatorDigest; }

private:
  /// PLAN's buffers and indices against FUNC's.
  static llvm::Error checkPlan(const candidate::LaunchPlan &plan, func::FuncOp func) {
    auto fault = [](const std::string &text) { return llvm::createStringError(llvm::inconvertibleErrorCode(), text); };
    auto check = [&](StringRef what, const std::vector<candidate::BufferSpec> &buffers,
                     ArrayRef<Type> types) -> std::string {
      if (buffers.size() != types.size())
        return ("plan.json: " + what + " has " + Twine(buffers.size()) + " entries, expected " + Twine(types.size()))
            .str();
      for (size_t i = 0; i < buffers.size(); ++i)
        if (std::string text = compareBuffer(what, i, buffers[i], types[i]); !text.empty())
          return text;
      return "";
    };
    if (std::string text = check("inputs", plan.inputs, func.getArgumentTypes()); !text.empty())
      return fault(text);
    if (std::string text = check("outputs", plan.outputs, func.getResultTypes()); !text.empty())
      return fault(text);
    return llvm::Error::success();
  }
};

} // namespace

std::unique_ptr<GraphCompiler> createMlirGraphCompiler() { return std::make_unique<MlirGraphCompiler>(); }

} // namespace kgen::graph
