//===- Proposer.h - Who has ideas -----------------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Propose/Idea.h"
#include "kgen/Propose/Model.h"
#include "kgen/Propose/ModelWait.h"
#include "kgen/Propose/Usage.h"

#include "llvm/Support/Error.h"

#include <memory>
#include <string>
#include <vector>

namespace kgen::propose {

/// Two stages: ideas in words, then several ways to carry each of them out. An answer may be
/// shorter than asked for; an empty list means that there is nothing left to say. An Error ends
/// the search, so a proposer that talks to a service retries first.
class Proposer {
public:
  virtual ~Proposer() = default;

  /// At most N new ideas for the parent in CONTEXT.
  virtual llvm::Expected<std::vector<Idea>> proposeIdeas(const ProposalContext &context, int n) = 0;
  /// At most N materialisations of IDEA, best guess first.
  virtual llvm::Expected<std::vector<Materialization>> materialize(const ProposalContext &context, const Idea &idea,
                                                                   int n) = 0;
  /// At most N neighbours of the parent in CONTEXT: the same structure with other constants, the most
  /// promising first. Nothing from who cannot tune.
  virtual llvm::Expected<std::vector<Materialization>> tune(const ProposalContext &context, int n) {
    return std::vector<Materialization>();
  }
  virtual bool canTune() const { return false; }
  /// What was billed since the last call, one entry for each model; asked for after every question,
  /// also after one that failed. A decorator passes it on.
  virtual std::vector<TokenUsage> takeUsage() { return {}; }
  /// Whether an idea in a person's words can be handed to materialize().
  virtual bool readsWords() const { return true; }
  /// Whether repair() may be asked: then a branch that failed gets one more try.
  virtual bool canRepair() const { return false; }
  /// At most one materialisation of IDEA that mends FAILED.
  virtual llvm::Expected<std::vector<Materialization>> repair(const ProposalContext &context, const Idea &idea,
                                                              const FailedBranch &failed) {
    return std::vector<Materialization>();
  }
};

/// How to reach a provider; what is empty or 0 is the provider's own.
struct ProposerOptions {
  std::string url;
  std::string keyEnv; ///< environment variable that holds the key
  std::string effort; ///< how long a model thinks: "low", "medium", "high", as the provider has it
  int maxTokens = 0;  ///< of an answer
  std::optional<double> temperature;
  double timeoutSeconds = 0; ///< of a question to a provider or a command
  // What follows is of one process and not recorded.
  ExchangeLog *log = nullptr;
  const std::atomic<bool> *stop = nullptr; ///< ends a question that waits
  WaitObserver waiting;                    ///< told of what is waited for
};

/// SPEC names a proposer: "builtin", "replay:RUN" (the answers recorded in run folder RUN),
/// "openai:MODEL", "chat:MODEL", "anthropic:MODEL", "gemini:MODEL" (each may end in "@URL"),
/// "exec:COMMAND", "dir:FOLDER"; or several of them with commas between and perhaps "=WEIGHT" behind.
llvm::Expected<std::unique_ptr<Proposer>> createProposer(llvm::StringRef spec, const ProposerOptions &options = {});

/// Whether all answers of SPEC are kgen's own: others are applied in a child process.
bool isTrustedProposer(llvm::StringRef spec);

/// "dir:a=2,builtin" as its parts: (spec, weight).
llvm::Expected<std::vector<std::pair<std::string, double>>> splitProposers(llvm::StringRef spec);

/// The catalogue of ideas; deterministic in the context.
std::unique_ptr<Proposer> createBuiltinProposer();

/// What a proposer is asked, as canonical JSON: the same context gives the same bytes. STAGE is
/// "ideas", "materialize" or "repair"; IDEA is null in the first stage, FAILED is the last one's.
std::string printRequest(const ProposalContext &context, llvm::StringRef stage, const Idea *idea, int n,
                         const FailedBranch *failed = nullptr);
/// What printRequest printed, as a context again.
struct RecordedRequest {
  ProposalContext context;
  std::string stage;
  std::optional<Idea> idea;
  std::optional<FailedBranch> failed;
  int n = 0;
};
llvm::Expected<RecordedRequest> parseRequest(llvm::StringRef json);
/// Lower-case hex SHA-256 of TEXT; the name of a recorded reply is that of its request.
std::string hashText(llvm::StringRef text);

/// JSON of answers and back, the form in which replies are recorded.
std::string printIdeas(const std::vector<Idea> &ideas);
llvm::Expected<std::vector<Idea>> parseIdeas(llvm::StringRef json);
std::string printMaterializations(const std::vector<Materialization> &list);
llvm::Expected<std::vector<Materialization>> parseMaterializations(llvm::StringRef json);

} // namespace kgen::propose
