//===- ApplyDirectives.cpp - Runs a script of directives on a graph ------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Dialect/KGen/CaptureError.h"
#include "kgen/Dialect/KGen/DispatchChecker.h"
#include "kgen/Dialect/KGen/ScheduleText.h"
#include "kgen/Dialect/Transform/KGenTransform.h"
#include "kgen/Dialect/Transform/Passes.h"
#include "kgen/Support/Architectures.h"

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

/// Whether every dispatch that KNOBS set keys of has a kernel for CHIP. The diagnostic of one that has none stands at
/// the last directive without which it would have one.
LogicalResult checkDispatches(ModuleOp graph, ArrayRef<KnobLog::Entry> knobs, const Chip &chip) {
  auto *checker = graph.getContext()->getOrLoadDialect<KGenDialect>()->getRegisteredInterface<DispatchChecker>();
  if (!checker)
    return success();
  WalkResult result = graph.walk([&](DispatchOp dispatch) {
    auto mine =
        llvm::make_filter_range(knobs, [&](const KnobLog::Entry &knob) { return knob.dispatch == dispatch.getName(); });
    if (mine.empty())
      return WalkResult::advance();
    ScheduleAttr schedule = *dispatch.getSchedule();
    std::string why;
    {
      CaptureError error(graph.getContext());
      if (succeeded(checker->check(dispatch, schedule, chip)))
        return WalkResult::advance();
      why = error.getMessage();
    }
    std::vector<KnobLog::Entry> order(mine.begin(), mine.end());
    const KnobLog::Entry *place = &order.back();
    for (const KnobLog::Entry &knob : llvm::reverse(order)) {
      ScheduleAttr without = ScheduleAttr::get(graph.getContext(), schedule.getFamily());
      for (const KnobLog::Entry &other : order)
        if (&other != &knob)
          for (NamedAttribute entry : other.settings)
            without = without.with(entry.getName(), entry.getValue());
      CaptureError error(graph.getContext());
      if (succeeded(checker->check(dispatch, without, chip))) {
        place = &knob;
        break;
      }
    }
    NamedAttribute first = *place->settings.begin();
    std::string found = schedule::printValue(toScheduleValue(first.getValue()).value_or(schedule::Value("")));
    InFlightDiagnostic diag = emitError(place->loc) << why;
    markRefusal(diag, {graph::RefusalKind::Conflict, first.getName().str(), found, why});
    diag.attachNote(dispatch.getLoc()) << "in dispatch @" << dispatch.getName();
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

/// Parses SCRIPT and runs its main sequence on GRAPH. Emits diagnostics.
LogicalResult runScript(ModuleOp graph, const std::string &text, StringRef name, const Chip &chip) {
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
  std::vector<KnobLog::Entry> knobs;
  auto sequence = cast<mlir::transform::TransformOpInterface>(entry.getOperation());
  auto listen = [&](mlir::transform::TransformState &state) { state.addExtension<KnobLog>(knobs); };
  if (failed(mlir::transform::applyTransforms(graph, sequence, {}, mlir::transform::TransformOptions(),
                                              /*enforceToplevelTransformOp=*/false, listen)) ||
      failed(verify(graph)))
    return failure();
  return checkDispatches(graph, knobs, chip);
}

/// Applies SCRIPT to a clone of GRAPH.
llvm::Expected<OwningOpRef<ModuleOp>> applyScript(ModuleOp graph, StringRef script, const Chip &chip, IdeaAttr idea,
                                                  StringRef name, Location &where, std::string &message) {
  OwningOpRef<ModuleOp> clone = graph.clone();
  llvm::StringSet<> before;
  clone->walk([&](DispatchOp dispatch) { before.insert(dispatch.getName()); });

  bool isBody = !script.contains("transform.named_sequence");
  std::string text = isBody ? (bodyHeader + script + bodyFooter).str() : script.str();
  CaptureError error(graph.getContext(), name, isBody ? 1 : 0);
  if (failed(runScript(*clone, text, name, chip))) {
    constexpr StringLiteral unknown = "the script failed without a reason";
    where = error.getLocation();
    message = error.empty() ? unknown.str() : error.getMessage();
    return error.takeError(unknown);
  }
  if (idea)
    clone->walk([&](DispatchOp dispatch) {
      if (!before.contains(dispatch.getName()))
        dispatch.setIdeaAttr(idea);
    });
  return clone;
}

} // namespace

llvm::Expected<OwningOpRef<ModuleOp>>
kgen::directive::applyDirectives(ModuleOp graph, StringRef script, const Chip &chip, IdeaAttr idea, StringRef name) {
  Location where = graph.getLoc();
  std::string message;
  return applyScript(graph, script, chip, idea, name, where, message);
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
    auto result = applyScript(module, (*buffer)->getBuffer(), chipOf(arch), ideaAttr, script, where, message);
    if (!result) {
      llvm::consumeError(result.takeError());
      emitError(where) << message;
      return signalPassFailure();
    }
    module.getBodyRegion().takeBody((*result)->getBodyRegion());
  }
};

} // namespace
