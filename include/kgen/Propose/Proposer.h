//===- Proposer.h - Who has ideas -----------------------------------------===//
#pragma once

#include "kgen/Propose/Idea.h"
#include "kgen/Propose/Usage.h"

#include "llvm/Support/Error.h"

#include <memory>
#include <string>
#include <vector>

namespace kgen {

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
  /// What was billed since the last call, one entry for each model; asked for after every question,
  /// also after one that failed. A decorator passes it on.
  virtual std::vector<TokenUsage> takeUsage() { return {}; }
  /// Whether an idea in a person's words can be handed to materialize().
  virtual bool readsWords() const { return true; }
};

/// How to reach an HTTP provider.
struct ProposerOptions {
  std::string url = "https://api.openai.com/v1/chat/completions";
  std::string keyEnv = "OPENAI_API_KEY"; ///< environment variable that holds the key
};

/// SPEC is "builtin", "replay:RUN" (the answers recorded in run folder RUN) or "chat:MODEL".
llvm::Expected<std::unique_ptr<Proposer>> createProposer(llvm::StringRef spec, const ProposerOptions &options = {});

/// The catalogue of ideas; deterministic in the context.
std::unique_ptr<Proposer> createBuiltinProposer();

/// What a proposer is asked, as canonical JSON: the same context gives the same bytes. STAGE is
/// "ideas" or "materialize"; IDEA is null in the first stage.
std::string printRequest(const ProposalContext &context, llvm::StringRef stage, const Idea *idea, int n);
/// Lower-case hex SHA-256 of TEXT; the name of a recorded reply is that of its request.
std::string hashText(llvm::StringRef text);

/// JSON of answers and back, the form in which replies are recorded.
std::string printIdeas(const std::vector<Idea> &ideas);
llvm::Expected<std::vector<Idea>> parseIdeas(llvm::StringRef json);
std::string printMaterializations(const std::vector<Materialization> &list);
llvm::Expected<std::vector<Materialization>> parseMaterializations(llvm::StringRef json);

} // namespace kgen
