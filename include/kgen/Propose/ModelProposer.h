//===- ModelProposer.h - Ideas from a language model ----------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Propose/Model.h"
#include "kgen/Propose/ModelWait.h"
#include "kgen/Propose/Proposer.h"

namespace kgen::propose {

/// Asks MODEL with the prompts of prompts/. An answer that cannot be used is sent back once with the
/// reason; after that the branch is BADREPLY. An answer that never came is an Error. LOG may be null;
/// WAITING is told when a question leaves and when its answer is there.
std::unique_ptr<Proposer> createModelProposer(std::unique_ptr<Model> model, ExchangeLog *log = nullptr,
                                              WaitObserver waiting = {});

/// One of several proposers, by name, with how much it is trusted at first.
struct ProposerArm {
  std::string name;
  double weight = 1;
  std::unique_ptr<Proposer> proposer;
};

/// Asks one of ARMS for each parent: by Thompson sampling on what their branches gained so far, times
/// the weight, from the context's seed. The choice is in each idea's `by`.
std::unique_ptr<Proposer> createMixedProposer(std::vector<ProposerArm> arms);

/// The prompts in the order in which they are sent.
std::string printSystemPrompt();
/// STAGE is "ideas", "materialize" or "repair"; IDEA and FAILED as the stage needs them.
std::string printUserPrompt(const ProposalContext &context, llvm::StringRef stage, const Idea *idea,
                            const FailedBranch *failed, int n);
/// The schema of the answer to STAGE, JSON.
std::string printAnswerSchema(llvm::StringRef stage);

/// Whether a model's ANSWER holds WAY, as it was recorded from it: the same directives, or the same device code, whose
/// headers were inlined since.
bool isAnswered(const Materialization &way, llvm::StringRef answer);

/// Gives PLAN, of which only workspace and launches count, the buffers and the head of ROUND0, the
/// plan.json of round 0.
std::string completePlan(llvm::StringRef plan, llvm::StringRef round0);

} // namespace kgen::propose
