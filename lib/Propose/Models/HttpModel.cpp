//===- HttpModel.cpp - A model behind an HTTP provider --------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kgen/Propose/ReplyText.h"
#include "kgen/Propose/WireFormat.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/Twine.h"

using namespace llvm;

namespace kgen::propose {
namespace {

class HttpModel : public Model {
public:
  HttpModel(StringRef kind, std::unique_ptr<WireFormat> format, std::unique_ptr<HttpClient> client,
            std::unique_ptr<Sleeper> sleeper, const ModelOptions &options, WaitObserver waiting)
      : kind(kind), format(std::move(format)), client(std::move(client)), sleeper(std::move(sleeper)), options(options),
        waiting(std::move(waiting)) {}

  std::string getName() const override { return kind + ":" + options.model; }

  Expected<ModelReply> ask(const ModelQuestion &question) override {
    std::vector<std::string> headers = format->headers(options.key);
    headers.insert(headers.begin(), "Content-Type: application/json");
    std::string body =
        format->request(options, question).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    auto reply =
        postWithRetry(*client, *sleeper, options.url, headers, body, [&](int attempt, StringRef why, double seconds) {
          if (waiting) {
            ModelWait wait{getName(), attempt, why.str(), seconds, ""};
            waiting(&wait);
          }
        });
    if (!reply)
      return createStringError(hideKey(toString(reply.takeError())));
    if (reply->status != 200)
      return createStringError("the provider answers " + Twine(reply->status) + ": " + oneLine(hideKey(reply->body)));
    auto json = parseUntrustedJson(reply->body, "the provider's answer");
    if (!json)
      return json.takeError();
    auto answer = format->read(*json);
    if (!answer)
      return createStringError(oneLine(hideKey(toString(answer.takeError()))));
    // A server that echoes its headers must not put the key into the record.
    answer->text = hideKey(std::move(answer->text));
    answer->refusal = hideKey(std::move(answer->refusal));
    return answer;
  }

private:
  /// The start of a provider's page, where no key stands any more: a cut must not go through one.
  static std::string oneLine(StringRef text) {
    std::string line;
    for (char c : text.take_front(600))
      line += (unsigned char)c < 0x20 ? ' ' : c;
    return line;
  }

  std::string hideKey(std::string text) const {
    if (!options.key.empty())
      for (size_t at = 0; (at = text.find(options.key, at)) != std::string::npos; at += 3)
        text.replace(at, options.key.size(), "***");
    return text;
  }

  std::string kind;
  std::unique_ptr<WireFormat> format;
  std::unique_ptr<HttpClient> client;
  std::unique_ptr<Sleeper> sleeper;
  ModelOptions options;
  WaitObserver waiting;
};

} // namespace

std::unique_ptr<WireFormat> createWireFormat(StringRef kind) {
  using Create = std::unique_ptr<WireFormat> (*)();
  Create create = StringSwitch<Create>(kind)
                      .Case("openai", createOpenAiFormat)
                      .Case("chat", createChatFormat)
                      .Case("anthropic", createAnthropicFormat)
                      .Case("gemini", createGeminiFormat)
                      .Default(nullptr);
  return create ? create() : nullptr;
}

std::unique_ptr<Model> createHttpModel(StringRef kind, std::unique_ptr<WireFormat> format,
                                       std::unique_ptr<HttpClient> client, std::unique_ptr<Sleeper> sleeper,
                                       const ModelOptions &options, WaitObserver waiting) {
  return std::make_unique<HttpModel>(kind, std::move(format), std::move(client), std::move(sleeper), options,
                                     std::move(waiting));
}

} // namespace kgen::propose
