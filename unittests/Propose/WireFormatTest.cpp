//===- WireFormatTest.cpp - Each provider, field by field -----------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kgen/Propose/WireFormat.h"
#include "LoopbackServer.h"
#include "kgen/Propose/Proposer.h"

#include "gtest/gtest.h"

#include <cstdlib>

using namespace kgen;
using namespace kgen::propose;
using namespace kgen::test;
using llvm::toString;
using Json = nlohmann::json;

namespace {

constexpr const char *key = "k-very-secret-0123456789";

struct NoSleep : Sleeper {
  bool sleep(double) override { return true; }
};

struct WireTest : ::testing::Test {
  ModelQuestion question;
  ModelOptions options;
  std::string head; ///< of the last request
  Json body;

  void SetUp() override {
    question.slot = "round-01/seed-0/ideas";
    question.system = "The rules.";
    question.turns = {{"user", "What now?"}, {"assistant", "Hm."}, {"user", "Again."}};
    question.form = "ideas";
    question.schema = R"({"type":"object"})";
    options.model = "m-1";
    options.key = key;
    options.maxTokens = 1234;
  }

  /// Asks a server that answers REPLY; the request is in `head` and `body`.
  llvm::Expected<ModelReply> ask(const char *kind, const std::string &reply) {
    LoopbackServer server([&](int, const std::string &) { return httpResponse(200, reply); });
    std::unique_ptr<WireFormat> format = createWireFormat(kind);
    options.url = server.host() + format->getPath(options);
    auto model = createHttpModel(kind, std::move(format), createCurlClient({2, 10, 1 << 20}),
                                 std::make_unique<NoSleep>(), options);
    EXPECT_EQ(model->getName(), std::string(kind) + ":m-1");
    auto answer = model->ask(question);
    EXPECT_EQ(server.requests.size(), 1u);
    size_t end = server.requests.at(0).find("\r\n\r\n");
    head = server.requests[0].substr(0, end);
    std::string text = server.requests[0].substr(end + 4);
    EXPECT_EQ(text.find(key), std::string::npos);
    EXPECT_NE(head.find(key), std::string::npos);
    body = Json::parse(text);
    return answer;
  }
  bool hasHeader(const std::string &line) const {
    return (head + "\r\n").find("\r\n" + line + "\r\n") != std::string::npos;
  }
};

TEST_F(WireTest, OpenAi) {
  options.effort = "high";
  auto reply = ask("openai", R"({"status":"completed","output":[{"type":"reasoning","summary":[]},
    {"type":"message","content":[{"type":"output_text","text":"one "},{"type":"output_text","text":"two"}]}],
    "usage":{"input_tokens":100,"input_tokens_details":{"cached_tokens":60},"output_tokens":40,
             "output_tokens_details":{"reasoning_tokens":30}}})");
  ASSERT_TRUE(bool(reply)) << toString(reply.takeError());
  EXPECT_EQ(reply->text, "one two");
  EXPECT_EQ(reply->finish, FinishReason::Complete);
  EXPECT_EQ(reply->usage.input, 100);
  EXPECT_EQ(reply->usage.cached, 60);
  EXPECT_EQ(reply->usage.output, 40);
  EXPECT_EQ(reply->usage.reasoning, 30);
  EXPECT_EQ(head.substr(0, 24), "POST /v1/responses HTTP/");
  EXPECT_TRUE(hasHeader(std::string("Authorization: Bearer ") + key));
  EXPECT_EQ(body, Json::parse(R"({"model":"m-1","instructions":"The rules.","max_output_tokens":1234,"store":false,
    "input":[{"role":"user","content":"What now?"},{"role":"assistant","content":"Hm."},{"role":"user","content":"Again."}],
    "text":{"format":{"type":"json_schema","name":"ideas","schema":{"type":"object"},"strict":true}},
    "reasoning":{"effort":"high"},"prompt_cache_key":")" +
                              ("kgen-" + hashText("The rules.").substr(0, 16)) + "\"}"));
  reply = ask("openai", R"({"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"},"output":[]})");
  EXPECT_EQ(reply->finish, FinishReason::CutOff);
  reply = ask("openai", R"({"status":"incomplete","incomplete_details":{"reason":"content_filter"},"output":[]})");
  EXPECT_EQ(reply->finish, FinishReason::Refused);
  reply = ask("openai", R"({"output":[{"type":"message","content":[{"type":"output_text","text":"x"}]}]})");
  EXPECT_EQ(reply->finish, FinishReason::CutOff);
  reply = ask("openai",
              R"({"status":"completed","output":[{"type":"message","content":[{"type":"refusal","refusal":"No."}]}]})");
  EXPECT_EQ(reply->finish, FinishReason::Refused);
  EXPECT_EQ(reply->refusal, "No.");
  reply = ask("openai", R"({"status":"failed","error":{"message":"it broke"},"output":[]})");
  EXPECT_EQ(toString(reply.takeError()), "the provider failed: it broke");
  reply = ask("openai", R"({"output":7})");
  EXPECT_EQ(toString(reply.takeError()), "the provider's answer has no output");
}

TEST_F(WireTest, Chat) {
  options.temperature = 0.5;
  auto reply = ask("chat", R"({"choices":[{"message":{"role":"assistant","content":"text","reasoning_content":"hm"},
    "finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":8,
    "prompt_tokens_details":{"cached_tokens":7},"completion_tokens_details":{"reasoning_tokens":6}}})");
  ASSERT_TRUE(bool(reply)) << toString(reply.takeError());
  EXPECT_EQ(reply->text, "text");
  EXPECT_EQ(reply->usage.input, 9);
  EXPECT_EQ(reply->usage.output, 8);
  EXPECT_EQ(reply->usage.cached, 7);
  EXPECT_EQ(reply->usage.reasoning, 6);
  EXPECT_TRUE(hasHeader(std::string("Authorization: Bearer ") + key));
  EXPECT_EQ(body, Json::parse(R"({"model":"m-1","max_tokens":1234,"temperature":0.5,
    "messages":[{"role":"system","content":"The rules."},{"role":"user","content":"What now?"},
                {"role":"assistant","content":"Hm."},{"role":"user","content":"Again."}],
    "response_format":{"type":"json_schema","schema":{"type":"object"},
                       "json_schema":{"name":"ideas","strict":true,"schema":{"type":"object"}}}})"));
  reply = ask("chat", R"({"choices":[{"message":{"content":"{"},"finish_reason":"length"}]})");
  EXPECT_EQ(reply->finish, FinishReason::CutOff);
}

TEST_F(WireTest, Anthropic) {
  options.effort = "medium";
  auto reply = ask("anthropic", R"({"content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"yes"}],
    "stop_reason":"end_turn","usage":{"input_tokens":10,"cache_read_input_tokens":200,"cache_creation_input_tokens":30,
    "output_tokens":4}})");
  ASSERT_TRUE(bool(reply)) << toString(reply.takeError());
  EXPECT_EQ(reply->text, "yes");
  EXPECT_EQ(reply->usage.input, 240);
  EXPECT_EQ(reply->usage.cached, 200);
  EXPECT_EQ(reply->usage.output, 4);
  EXPECT_EQ(head.substr(0, 23), "POST /v1/messages HTTP/");
  EXPECT_TRUE(hasHeader(std::string("x-api-key: ") + key));
  EXPECT_TRUE(hasHeader("anthropic-version: 2023-06-01"));
  EXPECT_EQ(body, Json::parse(R"({"model":"m-1","max_tokens":1234,
    "system":[{"type":"text","text":"The rules.","cache_control":{"type":"ephemeral"}}],
    "messages":[{"role":"user","content":"What now?"},{"role":"assistant","content":"Hm."},{"role":"user","content":"Again."}],
    "thinking":{"type":"adaptive"},
    "output_config":{"effort":"medium","format":{"type":"json_schema","schema":{"type":"object"}}}})"));
  EXPECT_EQ(ask("anthropic", R"({"content":[],"stop_reason":"max_tokens"})")->finish, FinishReason::CutOff);
  EXPECT_EQ(ask("anthropic", R"({"content":[],"stop_reason":"refusal"})")->finish, FinishReason::Refused);
  EXPECT_EQ(ask("anthropic", R"({"content":[],"stop_reason":null})")->finish, FinishReason::CutOff);
  options.effort = "";
  ASSERT_TRUE(bool(ask("anthropic", R"({"content":[],"stop_reason":"end_turn"})")));
  EXPECT_FALSE(body.contains("thinking"));
}

TEST_F(WireTest, Gemini) {
  options.effort = "low";
  auto reply = ask("gemini", R"({"candidates":[{"content":{"parts":[{"text":"hm","thought":true},{"text":"yes"}]},
    "finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":50,"cachedContentTokenCount":20,
    "candidatesTokenCount":3,"thoughtsTokenCount":11}})");
  ASSERT_TRUE(bool(reply)) << toString(reply.takeError());
  EXPECT_EQ(reply->text, "yes");
  EXPECT_EQ(reply->usage.input, 50);
  EXPECT_EQ(reply->usage.cached, 20);
  EXPECT_EQ(reply->usage.output, 14);
  EXPECT_EQ(reply->usage.reasoning, 11);
  EXPECT_EQ(head.substr(0, 46), "POST /v1beta/models/m-1:generateContent HTTP/1");
  EXPECT_TRUE(hasHeader(std::string("x-goog-api-key: ") + key));
  EXPECT_EQ(body, Json::parse(R"({"systemInstruction":{"parts":[{"text":"The rules."}]},
    "contents":[{"role":"user","parts":[{"text":"What now?"}]},{"role":"model","parts":[{"text":"Hm."}]},
                {"role":"user","parts":[{"text":"Again."}]}],
    "generationConfig":{"maxOutputTokens":1234,"thinkingConfig":{"thinkingLevel":"low"},
                        "responseMimeType":"application/json","responseJsonSchema":{"type":"object"}}})"));
  EXPECT_EQ(ask("gemini", R"({"candidates":[{"finishReason":"MAX_TOKENS"}]})")->finish, FinishReason::CutOff);
  EXPECT_EQ(ask("gemini", R"({"candidates":[{"finishReason":"SAFETY"}]})")->finish, FinishReason::Refused);
  EXPECT_EQ(ask("gemini", R"({"candidates":[{"content":{}}]})")->finish, FinishReason::CutOff);
  EXPECT_EQ(ask("gemini", R"({"promptFeedback":{"blockReason":"OTHER"}})")->finish, FinishReason::Refused);
}

TEST_F(WireTest, AKeyThatIsEchoedIsHidden) {
  auto reply = ask("chat", std::string(R"({"choices":[{"message":{"content":"your key is )") + key +
                               R"("},"finish_reason":"stop"}]})");
  ASSERT_TRUE(bool(reply));
  EXPECT_EQ(reply->text, "your key is ***");
}

TEST_F(WireTest, CountsThatAreNoCountsAreZero) {
  auto reply = ask("chat", R"({"choices":[{"message":{"content":"x"},"finish_reason":"stop"}],
    "usage":{"prompt_tokens":-3,"completion_tokens":99999999999999999999,"prompt_tokens_details":[]}})");
  ASSERT_TRUE(bool(reply));
  EXPECT_EQ(reply->usage.input, 0);
  EXPECT_EQ(reply->usage.output, 0);
}

TEST(Anthropic, ASpentQuotaIsFinal) {
  int requests = 0;
  auto post = [&](const std::string &headers) {
    LoopbackServer server([&](int, const std::string &) {
      return httpResponse(429, R"({"type":"error","error":{"type":"rate_limit_error","message":"spent"}})", headers);
    });
    NoSleep sleeper;
    auto reply = postWithRetry(*createCurlClient({2, 10, 1 << 20}), sleeper, server.url(), {}, "{}");
    EXPECT_EQ(reply->status, 429);
    requests = server.requests.size();
  };
  post("");
  EXPECT_EQ(requests, 1);
  post("retry-after: 1\r\n");
  EXPECT_EQ(requests, 6);
}

TEST(Providers, AreNamedAndNeedTheirOwnKey) {
  auto errorOf = [](const char *spec, const ProposerOptions &options = {}) {
    auto proposer = createProposer(spec, options);
    return proposer ? std::string() : toString(proposer.takeError());
  };
  for (const char *name : {"OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY"})
    ::unsetenv(name);
  EXPECT_EQ(errorOf("openai:m"),
            "no key in the environment variable OPENAI_API_KEY; set it, or name another one by --llm-key-env");
  EXPECT_EQ(errorOf("anthropic:m"),
            "no key in the environment variable ANTHROPIC_API_KEY; set it, or name another one by --llm-key-env");
  EXPECT_EQ(errorOf("gemini:m"),
            "no key in the environment variable GEMINI_API_KEY; set it, or name another one by --llm-key-env");
  ::setenv("ANTHROPIC_API_KEY", "k", 1);
  EXPECT_EQ(errorOf("anthropic:m"), "");
  ::setenv("ANTHROPIC_API_KEY", "k\r\nX-Evil: 1", 1);
  EXPECT_EQ(errorOf("anthropic:m"),
            "the key in ANTHROPIC_API_KEY holds a blank, a line break or a sign that is not ASCII");
  ::unsetenv("ANTHROPIC_API_KEY");
  EXPECT_EQ(errorOf("chat:m@http://127.0.0.1:8000/v1/chat/completions"), "");
  EXPECT_EQ(
      errorOf("chat:m@http://example.com"),
      "'http://example.com/v1/chat/completions' would send prompts in clear: expected https, or http on loopback");
  EXPECT_EQ(errorOf("gemini:../x"), "'../x' is not the name of a model: it becomes part of an address");
  EXPECT_EQ(errorOf("openai:"), "openai: needs the name of a model");
}

} // namespace
