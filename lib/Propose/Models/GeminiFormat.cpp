//===- GeminiFormat.cpp - Google's generateContent ------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../JsonFields.h"
#include "kgen/Propose/WireFormat.h"

using namespace llvm;

namespace kgen::propose {
namespace {

using OrderedJson = nlohmann::ordered_json;

class GeminiFormat : public WireFormat {
public:
  std::string getHost() const override { return "https://generativelanguage.googleapis.com"; }
  std::string getPath(const ModelOptions &options) const override {
    return "/v1beta/models/" + options.model + ":generateContent";
  }
  std::string getKeyVariable() const override { return "GEMINI_API_KEY"; }
  std::vector<std::string> headers(const std::string &key) const override { return {"x-goog-api-key: " + key}; }

  OrderedJson request(const ModelOptions &options, const ModelQuestion &question) const override {
    auto part = [](const std::string &text) { return OrderedJson::array({OrderedJson{{"text", text}}}); };
    OrderedJson contents = OrderedJson::array();
    for (const ModelTurn &turn : question.turns)
      contents.push_back({{"role", turn.role == "assistant" ? "model" : "user"}, {"parts", part(turn.text)}});
    OrderedJson config = {{"maxOutputTokens", options.maxTokens},
                          {"responseMimeType", "application/json"},
                          {"responseJsonSchema", OrderedJson::parse(question.schema)}};
    if (!options.effort.empty())
      config["thinkingConfig"] = {{"thinkingLevel", options.effort}};
    if (options.temperature)
      config["temperature"] = *options.temperature;
    OrderedJson json;
    json["systemInstruction"] = {{"parts", part(question.system)}};
    json["contents"] = contents;
    json["generationConfig"] = config;
    return json;
  }

  Expected<ModelReply> read(const nlohmann::json &json) const override {
    ModelReply reply;
    const nlohmann::json &usage = objectAt(json, "usageMetadata");
    int64_t thoughts = countAt(usage, "thoughtsTokenCount");
    reply.usage = {countAt(usage, "promptTokenCount"), countAt(usage, "cachedContentTokenCount"),
                   countAt(usage, "candidatesTokenCount") + thoughts, thoughts};
    if (std::string blocked = stringAt(objectAt(json, "promptFeedback"), "blockReason"); !blocked.empty()) {
      reply.finish = FinishReason::Refused;
      reply.refusal = "the prompt was blocked: " + blocked;
      return reply;
    }
    const nlohmann::json *candidates = arrayAt(json, "candidates");
    if (!candidates || candidates->empty() || !candidates->front().is_object())
      return createStringError("the provider's answer has no candidates[0]");
    const nlohmann::json &candidate = candidates->front();
    if (const nlohmann::json *parts = arrayAt(objectAt(candidate, "content"), "parts"))
      for (const nlohmann::json &part : *parts) {
        bool isThought = part.is_object() && part.contains("thought") && part["thought"] == true;
        if (!isThought)
          reply.text += stringAt(part, "text");
      }
    std::string finish = stringAt(candidate, "finishReason");
    reply.finish = finish == "STOP" ? FinishReason::Complete
                   : finish.empty() || finish == "MAX_TOKENS" || finish == "MALFORMED_FUNCTION_CALL"
                       ? FinishReason::CutOff
                       : FinishReason::Refused; // SAFETY, RECITATION, BLOCKLIST, PROHIBITED_CONTENT, SPII, ...
    if (reply.finish == FinishReason::Refused)
      reply.refusal = finish;
    return reply;
  }
};

} // namespace

std::unique_ptr<WireFormat> createGeminiFormat() { return std::make_unique<GeminiFormat>(); }

} // namespace kgen::propose
