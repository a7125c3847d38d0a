//===- BuiltinSession.h - One question to the catalogue -------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Private to Propose. What BuiltinProposer.cpp answers a question with: ideas (BuiltinRanking.cpp), ways to carry
// one out (BuiltinVariants.cpp), and what both look at (DispatchFacts.cpp).
//
//===----------------------------------------------------------------------===//
#pragma once

#include "Catalogue.h"
#include "kgen/Kernels/Ideas/Catalogue.h"
#include "kgen/Propose/Prior.h"
#include "kgen/Propose/Proposer.h"

#include <array>
#include <optional>
#include <set>

namespace kgen::propose {

int64_t productOf(llvm::ArrayRef<int64_t> values);

/// Integers in TEXT, in order: "[4, 4]" -> 4, 4.
std::vector<int64_t> readIntegers(llvm::StringRef text);

/// What the catalogue's tests look at, read from the graph around DISPATCH of PLAN.
ideas::DispatchFacts lookAt(const PlannedDispatch &dispatch, const SchedulePlan &plan, const ProposalContext &context);

/// A way to carry an idea out, before it is text.
struct PlanVariant {
  SchedulePlan plan;
  std::string label;
  double priorUs = 0;
};

/// The ideas about how ops are grouped, which belong to no family: families, fuse-pool and unfuse.
const std::array<Idea, 3> &structuralIdeas();

/// An idea that rewrites the graph before kernels are chosen: it applies where the graph has a form by REWRITE.
struct RewriteIdea {
  Idea idea;
  std::string rewrite;
};
const std::vector<RewriteIdea> &rewriteIdeas();

/// One question: the context and what follows from it.
class BuiltinSession {
public:
  explicit BuiltinSession(const ProposalContext &context);

  std::vector<Idea> rank(int n);
  /// Every variant of the idea that was not tried, best guess first.
  std::vector<PlanVariant> expand(llvm::StringRef key) const;
  /// The first N of them. Where that is two, and nothing came before, one is the prior's favourite.
  std::vector<PlanVariant> expandSome(llvm::StringRef key, int n) const;
  /// The parent with one setting moved to a neighbour, all that were not tried.
  std::vector<PlanVariant> neighbours() const;

private:
  /// Dispatches with their families' own choices, except that nobody multiplies by emulated tensor
  /// cores on the host.
  SchedulePlan group(graph::Fusion fusion, const std::string &rewrite) const;
  /// The ops grouped anew, each dispatch with the base's settings for the same op or with none.
  SchedulePlan regroup(graph::Fusion fusion, bool keepSettings) const;

  struct Scored {
    Idea idea;
    double score;
  };

  bool onHost() const { return context.device == "host"; }
  /// 0 to 1, the same for the same question.
  double jitter(llvm::StringRef key) const;
  double conditionOn(llvm::StringRef key) const;
  bool diagnosisNames(llvm::StringRef words) const;
  void addEntries(std::vector<Scored> &scored) const;
  void addStructure(std::vector<Scored> &scored) const;
  void addRewrites(std::vector<Scored> &scored) const;
  void addRefinements(std::vector<Scored> &scored) const;
  void addCombinations(std::vector<Scored> &scored) const;
  /// Takes IDEA among SCORED where something of it is left to try.
  void add(std::vector<Scored> &scored, Idea idea, double score) const;

  double leastPrior(llvm::StringRef key) const;
  void preferFast(std::vector<Scored> &scored) const;
  std::vector<PlanVariant> expandEntry(const ideas::CatalogueEntry &entry) const;
  std::vector<PlanVariant> expandStructure(llvm::StringRef key) const;
  std::vector<PlanVariant> expandRewrite(const RewriteIdea &idea) const;
  std::vector<PlanVariant> expandRefinement(llvm::StringRef key) const;
  std::vector<PlanVariant> expandCombination(llvm::StringRef branch) const;

  const ProposalContext &context;
  std::optional<SchedulePlan> parent; ///< none when the parent is round 0
  SchedulePlan base;
  std::set<std::string> seen;
};

} // namespace kgen::propose
