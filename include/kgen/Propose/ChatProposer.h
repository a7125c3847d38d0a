//===- ChatProposer.h - Ideas from a Chat Completions server --------------===//
#pragma once

#include "kgen/Propose/Http.h"
#include "kgen/Propose/Proposer.h"

namespace kgen {

struct ChatOptions {
  std::string model;
  std::string url;
  std::string key; ///< bearer token; empty sends none. Goes into one header and nowhere else.
};

/// Speaks POST /v1/chat/completions: OpenAI, vLLM, Ollama, llama.cpp, OpenRouter and others.
/// An answer that cannot be read is sent back once with the reason; after that the branch is
/// BADREPLY. An answer that never came is an Error.
std::unique_ptr<Proposer> createChatProposer(std::unique_ptr<HttpClient> client, std::unique_ptr<Sleeper> sleeper,
                                             const ChatOptions &options);

/// The stable part of every prompt: the task, the directives and the form of the answer.
std::string printSystemPrompt();
/// The part that changes: graph, chip, parent, history and the question.
std::string printUserPrompt(const ProposalContext &context, const Idea *idea, int n);

/// The JSON in a model's answer: without a byte-order mark, code fence or words around it.
llvm::StringRef extractJson(llvm::StringRef content);

} // namespace kgen
