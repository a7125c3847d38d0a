//===- Model.h - One question to a language model -------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A model gets text and gives text. What is asked, and what the answer means,
// is ModelProposer's; how it travels is the business of the files that
// implement this interface, one for each kind of provider.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kgen::propose {

/// Tokens of one answer. INPUT counts the whole prompt, CACHED the part of it that the provider had
/// in its cache; OUTPUT counts everything that was generated, REASONING the part that is not in the
/// answer. 0 where the provider does not say.
struct ModelUsage {
  int64_t input = 0, cached = 0, output = 0, reasoning = 0;
};

/// One message after the system prompt; roles are "user" and "assistant".
struct ModelTurn {
  std::string role, text;
};

struct ModelQuestion {
  std::string slot;   ///< where in the run: "round-01/seed-0/ideas", ".../idea-2", ".../idea-2/repair-0"
  std::string system; ///< the stable part, the same bytes in each question of a run
  std::vector<ModelTurn> turns;
  std::string form;   ///< name of the answer's form: "ideas" or "materializations"
  std::string schema; ///< JSON schema of the answer; a request, not a guarantee
};

enum class FinishReason {
  Complete, ///< the model ended its answer
  CutOff,   ///< a limit ended it, or the provider gives no reason
  Refused,  ///< the model or a filter declined
};
/// "complete", "cut-off", "refused".
llvm::StringRef finishName(FinishReason reason);
FinishReason parseFinish(llvm::StringRef name);

struct ModelReply {
  std::string text;
  FinishReason finish = FinishReason::Complete;
  std::string refusal; ///< what was said instead of an answer
  ModelUsage usage;
};

/// How a model is asked; a field that is empty is left to the provider.
struct ModelOptions {
  std::string model;
  std::string url; ///< of the endpoint
  std::string key; ///< goes into one header, or one child's environment, and nowhere else
  std::string effort;
  int maxTokens = 32000;
  std::optional<double> temperature;
};

class Model {
public:
  virtual ~Model() = default;
  /// "anthropic:MODEL": provider and model, for the record.
  virtual std::string getName() const = 0;
  /// An Error means that no answer came: the search pauses. Bad answers are values.
  virtual llvm::Expected<ModelReply> ask(const ModelQuestion &question) = 0;
};

/// One question that was answered, as it is recorded.
struct Exchange {
  std::string hash; ///< of everything that was sent, see hashQuestion()
  std::string model;
  ModelQuestion question;
  ModelReply reply;
  double seconds = 0; ///< from question to answer
};

/// Lower-case hex SHA-256 of what is sent: model, options, system prompt, turns and schema.
std::string hashQuestion(llvm::StringRef model, const ModelQuestion &question);

/// Where answered questions are kept. An answer that is there already is not asked for again.
class ExchangeLog {
public:
  virtual ~ExchangeLog() = default;
  virtual std::optional<ModelReply> find(llvm::StringRef hash) = 0;
  /// On disk when it returns.
  virtual llvm::Error record(const Exchange &exchange) = 0;
};

} // namespace kgen::propose
