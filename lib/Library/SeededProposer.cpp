//===- SeededProposer.cpp - A library's kernels as the first ideas --------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kgen/Library/KernelLibrary.h"

using namespace llvm;

namespace kgen::library {
namespace {

constexpr StringLiteral keyPrefix = "library:";

class SeededProposer : public propose::Proposer {
public:
  SeededProposer(std::unique_ptr<propose::Proposer> inner, std::vector<LibraryEntry> entries)
      : inner(std::move(inner)), entries(std::move(entries)) {}

  Expected<std::vector<propose::Idea>> proposeIdeas(const propose::ProposalContext &context, int n) override {
    std::vector<propose::Idea> ideas;
    // Before round 1 the history has round 0 alone, unless a person gave something.
    bool isStart = context.parent.id == "round-00/b00" && StringRef(context.slot).starts_with("round-01/");
    for (const LibraryEntry &entry : entries) {
      if (!isStart || int(ideas.size()) == n || isTried(context, keyOf(entry)))
        continue;
      constexpr StringLiteral prefix = "Known from an earlier search: ";
      StringRef words = entry.idea.text;
      words.consume_front(prefix); // found again, it is still the first search's idea
      ideas.push_back({keyOf(entry), (prefix + words).str(), entry.idea.category});
    }
    if (int(ideas.size()) == n)
      return ideas;
    auto others = inner->proposeIdeas(context, n - ideas.size());
    if (!others)
      return others.takeError();
    ideas.insert(ideas.end(), others->begin(), others->end());
    return ideas;
  }

  Expected<std::vector<propose::Materialization>> materialize(const propose::ProposalContext &context,
                                                              const propose::Idea &idea, int n) override {
    for (const LibraryEntry &entry : entries)
      if (idea.key == keyOf(entry))
        return std::vector<propose::Materialization>{entry.materialization};
    if (StringRef(idea.key).starts_with(keyPrefix))
      return std::vector<propose::Materialization>(); // asked before a kill, and no longer in the library
    return inner->materialize(context, idea, n);
  }

  bool canRepair() const override { return inner->canRepair(); }
  Expected<std::vector<propose::Materialization>> repair(const propose::ProposalContext &context,
                                                         const propose::Idea &idea,
                                                         const propose::FailedBranch &failed) override {
    if (StringRef(idea.key).starts_with(keyPrefix))
      return std::vector<propose::Materialization>();
    return inner->repair(context, idea, failed);
  }
  Expected<std::vector<propose::Materialization>> tune(const propose::ProposalContext &context, int n) override {
    return inner->tune(context, n);
  }
  bool canTune() const override { return inner->canTune(); }
  std::vector<propose::TokenUsage> takeUsage() override { return inner->takeUsage(); }
  bool readsWords() const override { return inner->readsWords(); }

private:
  static std::string keyOf(const LibraryEntry &entry) {
    return (keyPrefix + propose::hashText(propose::printMaterializations({entry.materialization})).substr(0, 8)).str();
  }
  static bool isTried(const propose::ProposalContext &context, StringRef key) {
    for (const propose::TriedBranch &tried : context.history)
      if (tried.idea.key == key)
        return true;
    return false;
  }

  std::unique_ptr<propose::Proposer> inner;
  std::vector<LibraryEntry> entries;
};

} // namespace

std::unique_ptr<propose::Proposer> createSeededProposer(std::unique_ptr<propose::Proposer> inner,
                                                        std::vector<LibraryEntry> entries) {
  return std::make_unique<SeededProposer>(std::move(inner), std::move(entries));
}

} // namespace kgen::library
