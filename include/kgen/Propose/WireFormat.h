//===- WireFormat.h - What an HTTP provider sends and reads ---------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Propose/Http.h"
#include "kgen/Propose/Model.h"
#include "kgen/Propose/ModelWait.h"

#include <nlohmann/json.hpp>

namespace kgen::propose {

/// One provider: builds the request's JSON and reads the reply's. Facts as of August 2026.
class WireFormat {
public:
  virtual ~WireFormat() = default;
  /// Where requests for OPTIONS.model go when no URL is given. PATH alone is appended to a URL
  /// without one.
  virtual std::string getHost() const = 0;
  virtual std::string getPath(const ModelOptions &options) const = 0;
  /// The environment variable that holds the key.
  virtual std::string getKeyVariable() const = 0;
  virtual std::vector<std::string> headers(const std::string &key) const = 0;
  virtual nlohmann::ordered_json request(const ModelOptions &options, const ModelQuestion &question) const = 0;
  /// An Error says what is missing in REPLY, an object of any shape.
  virtual llvm::Expected<ModelReply> read(const nlohmann::json &reply) const = 0;
};

std::unique_ptr<WireFormat> createOpenAiFormat();    ///< POST /v1/responses
std::unique_ptr<WireFormat> createChatFormat();      ///< POST /v1/chat/completions
std::unique_ptr<WireFormat> createAnthropicFormat(); ///< POST /v1/messages
std::unique_ptr<WireFormat> createGeminiFormat();    ///< POST /v1beta/models/MODEL:generateContent

/// The format called KIND ("openai", "chat", "anthropic", "gemini"), or null.
std::unique_ptr<WireFormat> createWireFormat(llvm::StringRef kind);

/// Asks over HTTP. KIND names the format in the record. A spent quota, a wrong key and an answer of
/// the wrong form are Errors without the key in them. WAITING is told of each further try.
std::unique_ptr<Model> createHttpModel(llvm::StringRef kind, std::unique_ptr<WireFormat> format,
                                       std::unique_ptr<HttpClient> client, std::unique_ptr<Sleeper> sleeper,
                                       const ModelOptions &options, WaitObserver waiting = {});

} // namespace kgen::propose
