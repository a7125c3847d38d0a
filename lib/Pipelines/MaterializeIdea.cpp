//===- MaterializeIdea.cpp - Asks for an idea and applies it -------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Dialect/KGen/CaptureError.h"
#include "kgen/Dialect/Transform/KGenTransform.h"
#include "kgen/Kernels/Family.h"
#include "kgen/Pipelines/GraphFacts.h"
#include "kgen/Pipelines/Passes.h"
#include "kgen/Propose/Proposer.h"
#include "kgen/Support/Architectures.h"

#include "llvm/Support/raw_ostream.h"

namespace kgen::pipelines {
#define GEN_PASS_DEF_MATERIALIZEIDEA
#include "kgen/Pipelines/Passes.h.inc"
} // namespace kgen::pipelines

using namespace mlir;
using namespace kgen;
using namespace kgen::pipelines;

namespace {

/// How many ideas are looked at, and materialisations of one.
constexpr int maxIdeas = 64, maxVariants = 8;

struct MaterializeIdea : kgen::pipelines::impl::MaterializeIdeaBase<MaterializeIdea> {
  using MaterializeIdeaBase::MaterializeIdeaBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(materialize(module)))
      signalPassFailure();
  }

  Chip getChip() const { return chipOf(arch); }

  LogicalResult materialize(ModuleOp module) {
    FailureOr<graph::GraphFacts> facts = collectFacts(module);
    if (failed(facts))
      return failure();
    propose::ProposalContext context;
    context.slot = "kgen-opt";
    context.precision = facts->precision;
    context.facts = std::move(*facts);
    llvm::raw_string_ostream(context.graph) << module;
    context.chip = getChip();
    context.device = device;

    llvm::Expected<std::unique_ptr<propose::Proposer>> proposer = propose::createProposer(provider);
    if (!proposer)
      return module.emitError() << llvm::toString(proposer.takeError());
    llvm::Expected<std::vector<propose::Idea>> ideas = (*proposer)->proposeIdeas(context, maxIdeas);
    if (!ideas)
      return module.emitError() << llvm::toString(ideas.takeError());
    std::string reason = "the provider has no idea";
    for (const propose::Idea &candidate : *ideas) {
      if (!idea.empty() && candidate.key != idea)
        continue;
      FailureOr<bool> applied = apply(module, **proposer, context, candidate, reason);
      if (failed(applied) || *applied)
        return LogicalResult(applied);
      // An idea that was asked for by name has to work; otherwise the next one may.
      if (!idea.empty())
        return module.emitError() << "idea '" << candidate.key << "' has no legal materialisation: " << reason;
    }
    if (idea.empty()) {
      module.emitWarning() << "no idea applies to this graph, the generic path takes it: " << reason;
      return success();
    }
    InFlightDiagnostic diag = module.emitError() << "expected an idea '" << idea << "' for this graph, found ";
    if (ideas->empty())
      return diag << "none";
    for (const propose::Idea &candidate : *ideas)
      diag << (&candidate == &ideas->front() ? "" : ", ") << candidate.key;
    return diag;
  }

  /// Applies a legal materialisation of CANDIDATE to MODULE, as `variant` says. False with the REASON when
  /// there is none; failure when the provider is lost.
  FailureOr<bool> apply(ModuleOp module, propose::Proposer &proposer, const propose::ProposalContext &context,
                        const propose::Idea &candidate, std::string &reason) {
    llvm::Expected<std::vector<propose::Materialization>> variants =
        proposer.materialize(context, candidate, maxVariants);
    if (!variants)
      return module.emitError() << llvm::toString(variants.takeError());
    std::optional<Category> category = symbolizeCategory(ideas::categoryName(candidate.category));
    auto ideaAttr = IdeaAttr::get(&getContext(), candidate.text, category.value_or(Category::Compute));
    reason = "no materialisation has directives";
    OwningOpRef<ModuleOp> chosen;
    int legal = 0;
    for (const propose::Materialization &way : *variants) {
      if (way.directives.empty() || legal > variant)
        continue;
      auto result = directive::applyDirectives(module, way.directives, getChip(), ideaAttr);
      if (!result) {
        reason = llvm::toString(result.takeError());
        continue;
      }
      if (std::optional<std::string> fault = findFault(**result)) {
        reason = *fault;
        continue;
      }
      chosen = std::move(*result);
      ++legal;
    }
    if (!chosen)
      return false;
    module.getBodyRegion().takeBody(chosen->getBodyRegion());
    module->setAttrs(chosen.get()->getAttrDictionary());
    return true;
  }

  /// Why a dispatch of ANNOTATED cannot be lowered, from its family; nothing when all can.
  std::optional<std::string> findFault(ModuleOp annotated) {
    CaptureError error(&getContext());
    WalkResult result = annotated.walk([&](DispatchOp dispatch) {
      if (dispatch.getFamily() == "generic")
        return WalkResult::advance();
      const kernels::Family *family = kernels::findFamily(dispatch.getFamily());
      if (!family) {
        dispatch.emitError() << "no kernel family '" << dispatch.getFamily() << "'";
        return WalkResult::interrupt();
      }
      kernels::ScheduleParams params(dispatch.getSchedule()->getParams());
      bool legal = succeeded(kernels::completeSchedule(*family, dispatch, params, getChip()));
      return legal ? WalkResult::advance() : WalkResult::interrupt();
    });
    if (!result.wasInterrupted())
      return std::nullopt;
    return error.str("a family refused its dispatch");
  }
};

} // namespace
