//===- OpenAiFormat.cpp - OpenAI's Responses ------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../JsonFields.h"
#include "kgen/Propose/WireFormat.h"

#include "kgen/Propose/Proposer.h"

using namespace llvm;

namespace kgen::propose {
namespace {

using OrderedJson = nlohmann::ordered_json;

class OpenAiFormat : public WireFormat {
public:
  std::string getHost() const override { return "https://api.openai.com"; }
  std::string getPath(const ModelOptions &) const override { return "/v1/responses"; }
  std::string getKeyVariable() const override { return "OPENAI_API_KEY"; }
  std::vector<std::string> headers(const std::string &key) const override { return {"Authorization: Bearer " + key}; }

  OrderedJson request(const ModelOptions &options, const ModelQuestion &question) const override {
    OrderedJson input = OrderedJson::array();
    for (const ModelTurn &turn : question.turns)
      input.push_back({{"role", turn.role}, {"content", turn.text}});
    OrderedJson json = {{"model", options.model},
                        {"instructions", question.system},
                        {"input", input},
                        {"max_output_tokens", options.maxTokens},
                        {"store", false},
                        {"text",
                         {{"format",
                           {{"type", "json_schema"},
                            {"name", question.form},
                            {"schema", OrderedJson::parse(question.schema)},
                            {"strict", true}}}}},
                        // The same prefix goes to the same cache.
                        {"prompt_cache_key", "kgen-" + hashText(question.system).substr(0, 16)}};
    if (!options.effort.empty())
      json["reasoning"] = {{"effort", options.effort}};
    if (options.temperature)
      json["temperature"] = *options.temperature;
    return json;
  }

  Expected<ModelReply> read(const nlohmann::json &json) const override {
    if (!arrayAt(json, "output"))
      return createStringError("the provider's answer has no output");
    ModelReply reply;
    for (const nlohmann::json &item : *arrayAt(json, "output")) {
      const nlohmann::json *content = arrayAt(item, "content");
      if (stringAt(item, "type") != "message" || !content)
        continue;
      for (const nlohmann::json &part : *content) {
        if (stringAt(part, "type") == "output_text")
          reply.text += stringAt(part, "text");
        else if (stringAt(part, "type") == "refusal")
          reply.refusal += stringAt(part, "refusal");
      }
    }
    std::string status = stringAt(json, "status");
    if (status == "failed")
      return createStringError("the provider failed: " + stringAt(objectAt(json, "error"), "message"));
    bool filtered = stringAt(objectAt(json, "incomplete_details"), "reason") == "content_filter";
    reply.finish = !reply.refusal.empty() || filtered ? FinishReason::Refused
                   : status == "completed"            ? FinishReason::Complete
                                                      : FinishReason::CutOff;
    const nlohmann::json &usage = objectAt(json, "usage");
    reply.usage = {countAt(usage, "input_tokens"), countAt(objectAt(usage, "input_tokens_details"), "cached_tokens"),
                   countAt(usage, "output_tokens"),
                   countAt(objectAt(usage, "output_tokens_details"), "reasoning_tokens")};
    return reply;
  }
};

} // namespace

std::unique_ptr<WireFormat> createOpenAiFormat() { return std::make_unique<OpenAiFormat>(); }

} // namespace kgen::propose
