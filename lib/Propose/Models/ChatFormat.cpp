//===- ChatFormat.cpp - Chat Completions: OpenAI and compatible servers ---===//
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

class ChatFormat : public WireFormat {
public:
  std::string getHost() const override { return "https://api.openai.com"; }
  std::string getPath(const ModelOptions &) const override { return "/v1/chat/completions"; }
  std::string getKeyVariable() const override { return "OPENAI_API_KEY"; }
  std::vector<std::string> headers(const std::string &key) const override {
    if (key.empty()) // a local server
      return {};
    return {"Authorization: Bearer " + key};
  }

  OrderedJson request(const ModelOptions &options, const ModelQuestion &question) const override {
    OrderedJson messages = OrderedJson::array();
    messages.push_back({{"role", "system"}, {"content", question.system}});
    for (const ModelTurn &turn : question.turns)
      messages.push_back({{"role", turn.role}, {"content", turn.text}});
    bool isOpenAi = StringRef(options.url).starts_with(getHost() + "/");
    OrderedJson schema = OrderedJson::parse(question.schema);
    OrderedJson format = {{"type", "json_schema"},
                          {"json_schema", {{"name", question.form}, {"strict", true}, {"schema", schema}}}};
    if (!isOpenAi)
      format["schema"] = schema; // where llama.cpp looks
    OrderedJson json = {{"model", options.model},
                        {"messages", messages},
                        {isOpenAi ? "max_completion_tokens" : "max_tokens", options.maxTokens},
                        {"response_format", format}};
    if (!options.effort.empty())
      json["reasoning_effort"] = options.effort;
    if (options.temperature)
      json["temperature"] = *options.temperature;
    return json;
  }

  Expected<ModelReply> read(const nlohmann::json &json) const override {
    const nlohmann::json *choices = arrayAt(json, "choices");
    if (!choices || choices->empty() || !choices->front().is_object())
      return createStringError("the provider's answer has no choices[0]");
    const nlohmann::json &choice = choices->front(), &message = objectAt(choice, "message");
    ModelReply reply;
    reply.text = stringAt(message, "content");
    if (const nlohmann::json *parts = arrayAt(message, "content"))
      for (const nlohmann::json &part : *parts)
        reply.text += stringAt(part, "text");
    reply.refusal = stringAt(message, "refusal");
    std::string finish = stringAt(choice, "finish_reason");
    reply.finish = !reply.refusal.empty() || finish == "content_filter" ? FinishReason::Refused
                   : finish == "stop"                                   ? FinishReason::Complete
                                                                        : FinishReason::CutOff;
    const nlohmann::json &usage = objectAt(json, "usage");
    reply.usage = {countAt(usage, "prompt_tokens"), countAt(objectAt(usage, "prompt_tokens_details"), "cached_tokens"),
                   countAt(usage, "completion_tokens"),
                   countAt(objectAt(usage, "completion_tokens_details"), "reasoning_tokens")};
    return reply;
  }
};

} // namespace

std::unique_ptr<WireFormat> createChatFormat() { return std::make_unique<ChatFormat>(); }

} // namespace kgen::propose
