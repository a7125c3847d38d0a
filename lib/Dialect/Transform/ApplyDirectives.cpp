//===- ApplyDirectives.cpp - Runs a script of directives on a graph ------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Dialect/KGen/CaptureError.h"
#include "kgen/Dialect/Transform/KGenTransform.h"
#include "kgen/Dialect/Transform/Passes.h"

#include "mlir/Dialect/Transform/IR/TransformOps.h"
#include "mlir/Dialect/Transform/Transforms/TransformInterpreterUtils.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

namespace kgen::directive {
#define GEN_PASS_DEF_APPLYDIRECTIVES
#include "kgen/Dialect/Transform/Passes.h.inc"
} // namespace kgen::directive

using namespace mlir;
using namespace kgen;
using namespace kgen::directive;

namespace {

/// Opens a module and its sequence around a script that is just a body. One line, so that the
/// body's line numbers are off by one.
constexpr StringLiteral bodyHeader = "module attributes {transform.with_named_sequence} { transform.named_sequence "
                                     "@__transform_main(%f: !transform.any_op) {\n";
constexpr StringLiteral bodyFooter = "\ntransform.yield } }\n";

/// Ops outside of the vetted vocabulary can crash the process or rewrite anything.
LogicalResult checkVocabulary(ModuleOp script) {
  static const llvm::StringSet<> admitted = {"builtin.module",      "transform.named_sequence",
                                             "transform.yield",     "transform.param.constant",
                                             "transform.tune.knob", "transform.tune.alternatives"};
  WalkResult result = script.walk([](Operation *op) {
    StringRef name = op->getName().getStringRef();
    if (name.starts_with("transform.kgen.") || admitted.contains(name))
      return WalkResult::advance();
    op->emitError() << "expected a directive (transform.kgen.*), a parameter or a knob, found " << name;
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

/// Parses SCRIPT and runs its main sequence on GRAPH. Emits diagnostics.
LogicalResult runScript(ModuleOp graph, const std::string &text, StringRef name) {
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer(text, name), SMLoc());
  ParserConfig config(graph.getContext());
  OwningOpRef<ModuleOp> script = parseSourceFile<ModuleOp>(sources, config);
  if (!script)
    return failure();
  if (failed(checkVocabulary(*script)))
    return failure();
  auto entry = dyn_cast_or_null<mlir::transform::NamedSequenceOp>(
      SymbolTable::lookupSymbolIn(*script, mlir::transform::TransformDialect::kTransformEntryPointSymbolName));
  if (!entry)
    return script->emitError("expected a named sequence @__transform_main, found none");
  if (entry.getBody().getNumArguments() != 1 || entry.isExternal())
    return entry.emitError("expected a body with one argument, the graph");
  mlir::transform::TransformOptions options;
  if (failed(mlir::transform::applyTransformNamedSequence(graph.getOperation(), entry, *script, options)))
    return failure();
  return verify(graph);
}

/// Applies SCRIPT to a clone of GRAPH; null, WHERE and MESSAGE on failure.
OwningOpRef<ModuleOp> applyScript(ModuleOp graph, StringRef script, IdeaAttr idea, StringRef name, Location &where,
                                  std::string &message) {
  OwningOpRef<ModuleOp> clone = graph.clone();
  llvm::StringSet<> before;
  clone->walk([&](DispatchOp dispatch) { before.insert(dispatch.getName()); });

  bool isBody = !script.contains("transform.named_sequence");
  std::string text = isBody ? (bodyHeader + script + bodyFooter).str() : script.str();
  CaptureError error(graph.getContext(), name, isBody ? 1 : 0);
  if (failed(runScript(*clone, text, name))) {
    where = error.getLocation();
    message = error.empty() ? "the script failed without a reason" : error.getMessage();
    return nullptr;
  }
  if (idea)
    clone->walk([&](DispatchOp dispatch) {
      if (!before.contains(dispatch.getName()))
        dispatch.setIdeaAttr(idea);
    });
  return clone;
}

} // namespace

llvm::Expected<OwningOpRef<ModuleOp>> kgen::directive::applyDirectives(ModuleOp graph, StringRef script, IdeaAttr idea,
                                                                       StringRef name) {
  Location where = graph.getLoc();
  std::string message;
  OwningOpRef<ModuleOp> result = applyScript(graph, script, idea, name, where, message);
  if (!result)
    return llvm::createStringError(llvm::inconvertibleErrorCode(), printPlace(where) + message);
  return result;
}

namespace {

struct ApplyDirectives : kgen::directive::impl::ApplyDirectivesBase<ApplyDirectives> {
  using ApplyDirectivesBase::ApplyDirectivesBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto buffer = llvm::MemoryBuffer::getFile(script);
    if (!buffer) {
      module.emitError() << "cannot read the script '" << script << "': " << buffer.getError().message();
      return signalPassFailure();
    }
    IdeaAttr ideaAttr;
    if (!idea.empty()) {
      std::optional<Category> word = symbolizeCategory(category);
      if (!word) {
        module.emitError() << "expected a category memory, async, dtype, compute, parallel or control, found '"
                           << category << "'";
        return signalPassFailure();
      }
      ideaAttr = IdeaAttr::get(&getContext(), idea, *word);
    }
    Location where = module.getLoc();
    std::string message;
    OwningOpRef<ModuleOp> result = applyScript(module, (*buffer)->getBuffer(), ideaAttr, script, where, message);
    if (!result) {
      emitError(where) << message;
      return signalPassFailure();
    }
    module.getBodyRegion().takeBody(result->getBodyRegion());
  }
};

} // namespace
