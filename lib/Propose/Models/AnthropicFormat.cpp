//===- AnthropicFormat.cpp - Anthropic's Messages -------------------------===//
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

class AnthropicFormat : public WireFormat {
public:
  std::string getHost() const override { return "https://api.anthropic.com"; }
  std::string getPath(const ModelOptions &) const override { return "/v1/messages"; }
  std::string getKeyVariable() const override { return "ANTHROPIC_API_KEY"; }
  std::vector<std::string> headers(const std::string &key) const override {
    return {"x-api-key: " + key, "anthropic-version: 2023-06-01"};
  }

  OrderedJson request(const ModelOptions &options, const ModelQuestion &question) const override {
    OrderedJson system = OrderedJson::array();
    system.push_back({{"type", "text"}, {"text", question.system}, {"cache_control", {{"type", "ephemeral"}}}});
    OrderedJson messages = OrderedJson::array();
    for (const ModelTurn &turn : question.turns)
      messages.push_back({{"role", turn.role}, {"content", turn.text}});
    OrderedJson output = {{"format", {{"type", "json_schema"}, {"schema", OrderedJson::parse(question.schema)}}}};
    OrderedJson json = {
        {"model", options.model}, {"max_tokens", options.maxTokens}, {"system", system}, {"messages", messages}};
    if (!options.effort.empty()) {
      json["thinking"] = {{"type", "adaptive"}};
      output["effort"] = options.effort;
    }
    json["output_config"] = output;
    if (options.temperature)
      json["temperature"] = *options.temperature;
    return json;
  }

  Expected<ModelReply> read(const nlohmann::json &json) const override {
    const nlohmann::json *content = arrayAt(json, "content");
    if (!content)
      return createStringError("the provider's answer has no content");
    ModelReply reply;
    for (const nlohmann::json &part : *content)
      if (stringAt(part, "type") == "text")
        reply.text += stringAt(part, "text");
    std::string stop = stringAt(json, "stop_reason");
    reply.finish = stop == "refusal"                               ? FinishReason::Refused
                   : stop == "end_turn" || stop == "stop_sequence" ? FinishReason::Complete
                                                                   : FinishReason::CutOff;
    // Here the parts of the prompt are counted apart.
    const nlohmann::json &usage = objectAt(json, "usage");
    int64_t cached = countAt(usage, "cache_read_input_tokens");
    reply.usage.input = countAt(usage, "input_tokens") + cached + countAt(usage, "cache_creation_input_tokens");
    reply.usage.cached = cached;
    reply.usage.output = countAt(usage, "output_tokens");
    return reply;
  }
};

} // namespace

std::unique_ptr<WireFormat> createAnthropicFormat() { return std::make_unique<AnthropicFormat>(); }

} // namespace kgen::propose
