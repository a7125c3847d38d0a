//===- MaterializeIdea.cpp - Asks for an idea and applies it -------------===//
#include "kgen/Dialect/Transform/KGenTransform.h"
#include "kgen/Pipelines/Passes.h"
#include "kgen/Propose/Proposer.h"
#include "kgen/Search/GraphFacts.h"

#include "llvm/Support/raw_ostream.h"

namespace kgen {
#define GEN_PASS_DEF_MATERIALIZEIDEA
#include "kgen/Pipelines/Passes.h.inc"
} // namespace kgen

using namespace mlir;
using namespace kgen;

namespace {

/// How many ideas are looked at, and materialisations of one.
constexpr int maxIdeas = 64, maxVariants = 8;

struct MaterializeIdea : kgen::impl::MaterializeIdeaBase<MaterializeIdea> {
  using MaterializeIdeaBase::MaterializeIdeaBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(materialize(module)))
      signalPassFailure();
  }

  LogicalResult materialize(ModuleOp module) {
    FailureOr<GraphFacts> facts = collectFacts(module);
    if (failed(facts))
      return failure();
    ProposalContext context;
    context.slot = "kgen-opt";
    context.precision = facts->precision;
    context.facts = std::move(*facts);
    llvm::raw_string_ostream(context.graph) << module;
    context.chip.arch = arch;
    context.device = device;

    llvm::Expected<std::unique_ptr<Proposer>> proposer = createProposer(provider);
    if (!proposer)
      return module.emitError() << llvm::toString(proposer.takeError());
    llvm::Expected<std::vector<Idea>> ideas = (*proposer)->proposeIdeas(context, maxIdeas);
    if (!ideas)
      return module.emitError() << llvm::toString(ideas.takeError());
    const Idea *chosen = nullptr;
    for (const Idea &candidate : *ideas)
      if (!chosen && (idea.empty() || candidate.key == idea))
        chosen = &candidate;
    if (!chosen) {
      // Nothing to say about this graph: the generic path takes it. An idea asked for by name is
      // another matter.
      if (idea.empty())
        return success();
      InFlightDiagnostic diag = module.emitError() << "expected an idea '" << idea << "' for this graph, found ";
      for (const Idea &candidate : *ideas)
        diag << (&candidate == &ideas->front() ? "" : ", ") << candidate.key;
      return ideas->empty() ? diag << "none" : diag;
    }
    llvm::Expected<std::vector<Materialization>> variants = (*proposer)->materialize(context, *chosen, maxVariants);
    if (!variants)
      return module.emitError() << llvm::toString(variants.takeError());

    std::optional<Category> category = symbolizeCategory(categoryName(chosen->category));
    auto ideaAttr = IdeaAttr::get(&getContext(), chosen->text, category.value_or(Category::Compute));
    std::string reason = "no materialisation has directives";
    for (const Materialization &variant : *variants) {
      if (variant.directives.empty())
        continue;
      auto result = applyDirectives(module, variant.directives, ideaAttr);
      if (!result) {
        reason = llvm::toString(result.takeError());
        continue;
      }
      module.getBodyRegion().takeBody((*result)->getBodyRegion());
      module->setAttrs(result->get()->getAttrDictionary());
      return success();
    }
    return module.emitError() << "idea '" << chosen->key << "' has no legal materialisation: " << reason;
  }
};

} // namespace
