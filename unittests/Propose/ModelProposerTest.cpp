//===- ModelProposerTest.cpp - Against a server on loopback ---------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kgen/Propose/ModelProposer.h"
#include "../Search/Fakes.h"
#include "LoopbackServer.h"
#include "kgen/Propose/WireFormat.h"

#include <nlohmann/json.hpp>

#include "gtest/gtest.h"

using namespace kgen;
using namespace kgen::propose;
using namespace kgen::test;
using llvm::toString;
using Json = nlohmann::json;

namespace {

constexpr const char *key = "sk-very-secret";

struct RecordingSleeper : Sleeper {
  explicit RecordingSleeper(std::vector<double> &waits) : waits(waits) {}
  bool sleep(double seconds) override {
    waits.push_back(seconds);
    return true;
  }
  std::vector<double> &waits;
};

std::string completion(const std::string &content, const char *finish = "stop") {
  return Json({{"choices", {{{"message", {{"role", "assistant"}, {"content", content}}}, {"finish_reason", finish}}}}})
      .dump();
}

const char *goodIdeas = R"({"ideas": [{"key": "tile", "category": "compute", "idea": "Use larger tiles."}]})";

struct ChatTest : ::testing::Test {
  std::vector<double> waits;
  ProposalContext context;

  void SetUp() override {
    context.slot = "round-01/seed-0";
    context.facts = convReluPoolFacts();
    context.graph = "the graph";
    context.precision = "tf32";
    context.history.push_back(
        {"round-00/b00", "", {"generic", "Generic.", ideas::IdeaCategory::Control}, "", "", "PASS", "", 1000});
  }

  std::unique_ptr<Proposer> connect(const std::string &url, HttpLimits limits = {2, 10, 1 << 20}) {
    ModelOptions options;
    options.model = "m-1";
    options.url = url;
    options.key = key;
    return createModelProposer(createHttpModel("chat", createChatFormat(), createCurlClient(limits),
                                               std::make_unique<RecordingSleeper>(waits), options));
  }
};

TEST_F(ChatTest, AsksAndReadsIdeas) {
  LoopbackServer server([](int, const std::string &) { return httpResponse(200, completion(goodIdeas)); });
  auto ideas = connect(server.url())->proposeIdeas(context, 3);
  ASSERT_TRUE(bool(ideas)) << toString(ideas.takeError());
  ASSERT_EQ(ideas->size(), 1u);
  EXPECT_EQ((*ideas)[0].text, "Use larger tiles.");
  EXPECT_EQ((*ideas)[0].category, ideas::IdeaCategory::Compute);
  // The wire form: bearer key in a header only, stable prompt first, a schema, no temperature.
  ASSERT_EQ(server.requests.size(), 1u);
  const std::string &request = server.requests[0];
  EXPECT_NE(request.find("POST /v1/chat/completions"), std::string::npos);
  EXPECT_NE(request.find(std::string("Authorization: Bearer ") + key), std::string::npos);
  std::string body = request.substr(request.find("\r\n\r\n") + 4);
  EXPECT_EQ(body.find(key), std::string::npos);
  Json json = Json::parse(body);
  EXPECT_EQ(json["model"], "m-1");
  EXPECT_EQ(json["messages"][0]["role"], "system");
  EXPECT_EQ(json["messages"][0]["content"], printSystemPrompt());
  EXPECT_NE(json["messages"][1]["content"].get<std::string>().find("round-00/b00"), std::string::npos);
  EXPECT_EQ(json["response_format"]["type"], "json_schema");
  EXPECT_FALSE(json.contains("temperature"));
}

TEST_F(ChatTest, ReadsJsonBehindAFenceAndAMark) {
  LoopbackServer server([](int, const std::string &) {
    return httpResponse(200, completion("\xEF\xBB\xBFSure!\n```json\n" + std::string(goodIdeas) + "\n```\nGood luck."));
  });
  auto ideas = connect(server.url())->proposeIdeas(context, 3);
  ASSERT_TRUE(bool(ideas));
  EXPECT_EQ(ideas->size(), 1u);
}

TEST_F(ChatTest, AsksOnceMoreWithTheReason) {
  LoopbackServer server([](int number, const std::string &) {
    return httpResponse(200, completion(number == 0 ? "I think tiles are nice." : goodIdeas));
  });
  auto ideas = connect(server.url())->proposeIdeas(context, 3);
  ASSERT_TRUE(bool(ideas));
  EXPECT_EQ((*ideas)[0].key, "tile");
  ASSERT_EQ(server.requests.size(), 2u);
  EXPECT_NE(server.requests[1].find("That answer cannot be used: reply holds no JSON"), std::string::npos);
}

TEST_F(ChatTest, ABadAnswerIsADeadBranch) {
  for (std::string bad : {std::string("nonsense"), std::string(""), std::string("{\"ideas\": [{\"idea\": \"x\"}]}"),
                          std::string(100000, '['), std::string("{\"ideas\": {}}")}) {
    LoopbackServer server([&](int, const std::string &) { return httpResponse(200, completion(bad)); });
    auto proposer = connect(server.url());
    auto ideas = proposer->proposeIdeas(context, 3);
    ASSERT_TRUE(bool(ideas)) << toString(ideas.takeError());
    ASSERT_EQ(ideas->size(), 1u);
    EXPECT_EQ((*ideas)[0].key, "bad-reply");
    auto list = proposer->materialize(context, (*ideas)[0], 2);
    ASSERT_TRUE(bool(list));
    ASSERT_EQ(list->size(), 1u);
    EXPECT_FALSE((*list)[0].problem.empty());
    EXPECT_EQ(server.requests.size(), 2u) << bad.substr(0, 40);
  }
}

TEST_F(ChatTest, ATruncatedMaterialisationIsADeadBranch) {
  LoopbackServer server([](int, const std::string &) {
    return httpResponse(200, completion(R"({"materializations": [{"directives": "%d = tra)", "length"));
  });
  auto list =
      connect(server.url())->materialize(context, {"tile", "Use larger tiles.", ideas::IdeaCategory::Compute}, 2);
  ASSERT_TRUE(bool(list));
  EXPECT_EQ((*list)[0].problem, "the answer was cut off");
}

TEST_F(ChatTest, RetriesAsAskedAndNoLonger) {
  LoopbackServer server([](int number, const std::string &) {
    switch (number) {
    case 0:
      return httpResponse(429, "{}", "retry-after-ms: 1500\r\n");
    case 1:
      return httpResponse(503, "busy", "Retry-After: 7\r\n");
    case 2:
      return httpResponse(529, "overloaded", "Retry-After: 100000\r\n");
    case 3:
      return httpResponse(200, "<html>gateway</html>");
    case 4:
      return std::string(); // closes the connection
    }
    return httpResponse(200, completion(goodIdeas));
  });
  auto ideas = connect(server.url())->proposeIdeas(context, 3);
  ASSERT_TRUE(bool(ideas)) << toString(ideas.takeError());
  ASSERT_EQ(waits.size(), 5u);
  EXPECT_EQ(waits[0], 1.5);
  EXPECT_EQ(waits[1], 7);
  EXPECT_EQ(waits[2], 120);
  EXPECT_GE(waits[3], 4);
  EXPECT_LE(waits[3], 8);
}

TEST_F(ChatTest, GivesUpAfterFiveRetries) {
  LoopbackServer server([](int, const std::string &) { return httpResponse(500, "broken"); });
  auto ideas = connect(server.url())->proposeIdeas(context, 3);
  ASSERT_FALSE(bool(ideas));
  EXPECT_EQ(toString(ideas.takeError()), "the provider answers 500: broken");
  EXPECT_EQ(server.requests.size(), 6u);
}

TEST_F(ChatTest, NeverRetriesWhatStaysWrong) {
  for (auto [status, body] : std::vector<std::pair<int, std::string>>{{400, "bad request"},
                                                                      {401, "key sk-very-secret is wrong"},
                                                                      {401, std::string(590, ' ') + key},
                                                                      {403, "no"},
                                                                      {429, "{\"code\": \"insufficient_quota\"}"}}) {
    LoopbackServer server(
        [&, status = status, body = body](int, const std::string &) { return httpResponse(status, body); });
    auto ideas = connect(server.url())->proposeIdeas(context, 3);
    ASSERT_FALSE(bool(ideas));
    std::string message = toString(ideas.takeError());
    // Nor its start, where what is quoted ends.
    EXPECT_EQ(message.find("sk-very"), std::string::npos) << message;
    EXPECT_EQ(server.requests.size(), 1u);
  }
}

TEST_F(ChatTest, RefusesALongBodyAndRedirects) {
  LoopbackServer big([](int, const std::string &) { return httpResponse(200, std::string(5000, 'x')); });
  auto ideas = connect(big.url(), {2, 10, 1000})->proposeIdeas(context, 3);
  ASSERT_FALSE(bool(ideas));
  EXPECT_EQ(toString(ideas.takeError()), "the provider's answer is longer than 1000 bytes");
  LoopbackServer redirect(
      [](int, const std::string &) { return httpResponse(302, "", "Location: https://example.com/\r\n"); });
  ideas = connect(redirect.url())->proposeIdeas(context, 3);
  ASSERT_FALSE(bool(ideas));
  EXPECT_EQ(toString(ideas.takeError()), "the provider answers 302: ");
}

TEST_F(ChatTest, AStalledServerTimesOut) {
  LoopbackServer server([](int, const std::string &) {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    return std::string();
  });
  auto ideas = connect(server.url(), {2, 0.1, 1000})->proposeIdeas(context, 3);
  ASSERT_FALSE(bool(ideas));
  EXPECT_NE(toString(ideas.takeError()).find("cannot reach 127.0.0.1"), std::string::npos);
}

TEST_F(ChatTest, WaitsAsTheBodyOrADateAsks) {
  LoopbackServer server([](int number, const std::string &) {
    if (number == 0)
      return httpResponse(429, R"({"error": {"details": [{"@type": "RetryInfo", "retryDelay": "17s"}]}})");
    if (number == 1)
      return httpResponse(503, "{}", "Retry-After: Wed, 21 Oct 2015 07:28:00 GMT\r\n"); // long past
    if (number == 2)
      return httpResponse(503, "{}", "Retry-After: Wed, 21 Oct 2099 07:28:00 GMT\r\n");
    if (number == 3)
      return httpResponse(503, "{}", "Retry-After: nan\r\n");
    return httpResponse(200, completion(goodIdeas));
  });
  auto ideas = connect(server.url())->proposeIdeas(context, 3);
  ASSERT_TRUE(bool(ideas)) << toString(ideas.takeError());
  ASSERT_EQ(waits.size(), 4u);
  EXPECT_EQ(waits[0], 17);
  EXPECT_EQ(waits[1], 0);
  EXPECT_EQ(waits[2], 120);
  EXPECT_GE(waits[3], 4);
}

TEST_F(ChatTest, ACutBodyIsAskedForAgain) {
  LoopbackServer server([](int number, const std::string &) {
    std::string whole = httpResponse(200, completion(goodIdeas));
    return number == 0 ? whole.substr(0, whole.size() - 20) : whole;
  });
  auto ideas = connect(server.url())->proposeIdeas(context, 3);
  ASSERT_TRUE(bool(ideas)) << toString(ideas.takeError());
  EXPECT_EQ(server.requests.size(), 2u);
}

TEST_F(ChatTest, AnAnswerOfAnotherFormPauses) {
  for (auto [body, message] : std::vector<std::pair<std::string, std::string>>{
           {"{\"choices\": []}", "the provider's answer has no choices[0]"},
           {"{\"object\": \"list\"}", "the provider's answer has no choices[0]"},
           {"{\"choices\": [", "the provider's answer is not valid JSON"},
           {std::string(R"({"a":)") + std::string(100000, '['), "the provider's answer nests deeper than 64 levels"}}) {
    LoopbackServer server([&, body = body](int, const std::string &) { return httpResponse(200, body); });
    auto ideas = connect(server.url())->proposeIdeas(context, 3);
    ASSERT_FALSE(bool(ideas));
    EXPECT_EQ(toString(ideas.takeError()), message);
    EXPECT_EQ(server.requests.size(), 1u);
  }
}

TEST_F(ChatTest, TenMegabytesAreABadReply) {
  LoopbackServer server(
      [](int, const std::string &) { return httpResponse(200, completion(std::string(10 << 20, ' ') + "x")); });
  auto proposer = connect(server.url(), {2, 20, 16 << 20});
  auto ideas = proposer->proposeIdeas(context, 3);
  ASSERT_TRUE(bool(ideas)) << toString(ideas.takeError());
  EXPECT_EQ((*ideas)[0].text, "No usable idea came back: reply has 10485761 bytes, at most 4194304 are read");
}

TEST_F(ChatTest, AStopEndsARequestInProgress) {
  std::atomic<bool> stop{true};
  LoopbackServer server([](int, const std::string &) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1500));
    return std::string();
  });
  auto begin = std::chrono::steady_clock::now();
  HttpLimits limits = {2, 60, 1000, &stop};
  auto ideas = connect(server.url(), limits)->proposeIdeas(context, 3);
  ASSERT_FALSE(bool(ideas));
  EXPECT_EQ(toString(ideas.takeError()), "interrupted while waiting for 127.0.0.1");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(1400));
}

//===----------------------------------------------------------------------===//
// What an answer may hold
//===----------------------------------------------------------------------===//

TEST_F(ChatTest, ChecksCudaAgainstItsPlanAndFillsItIn) {
  context.plan =
      R"({"version":1,"problem":"p","arch":"sm_90a","precision":"tf32","inputs":[{"name":"x"}],"outputs":[],)"
      R"("workspace":[],"launches":[]})";
  auto answer = [](const char *cuda, const char *plan) {
    return Json({{"materializations", {{{"settings", "s"}, {"directives", ""}, {"cuda", cuda}, {"plan", plan}}}}})
        .dump();
  };
  const char *code = "extern \"C\" __global__ void k(const float *a, float *b) { b[0] = a[0]; }";
  auto problemOf = [&](const char *cuda, const char *plan) {
    LoopbackServer server([&](int, const std::string &) { return httpResponse(200, completion(answer(cuda, plan))); });
    auto list = connect(server.url())->materialize(context, {"i", "Idea.", ideas::IdeaCategory::Compute}, 2);
    EXPECT_TRUE(bool(list));
    EXPECT_EQ(list->size(), 1u);
    return list->front().problem + list->front().plan;
  };
  std::string plan = problemOf(code, R"({"precision":"fp16","launches":[{"kernel":"k","grid":[1,1,1],"block":[1,1,1],)"
                                     R"("args":[{"buffer":"in0"},{"buffer":"out0"}]}]})");
  Json filled = Json::parse(plan);
  EXPECT_EQ(filled["precision"], "tf32"); // the model's word does not count
  EXPECT_EQ(filled["inputs"][0]["name"], "x");
  EXPECT_EQ(filled["launches"][0]["kernel"], "k");
  EXPECT_EQ(problemOf(code, ""), "materializations[0] has \"cuda\" but no \"plan\"");
  EXPECT_EQ(problemOf(code, "{}"), "materializations[0]: plan has no launches");
  EXPECT_EQ(problemOf(code, "{\"launches\": [{\"kernel\": \"l\"}]}"),
            "materializations[0]: plan.launches[0] calls kernel 'l', which the CUDA-C does not define");
  EXPECT_EQ(problemOf(code, R"({"launches": [{"kernel": "k", "args": [{"buffer": "in0"}]}]})"),
            "materializations[0]: plan.launches[0] gives 1 arguments to 'k', which has 2 parameters");
  EXPECT_EQ(problemOf("extern \"C\" void k(int a) {}", R"({"launches": [{"kernel": "k", "args": [{"i32": 1}]}]})"),
            "materializations[0]: plan.launches[0] calls 'k', which is not a __global__ function");
  EXPECT_EQ(problemOf("__global__ void k(int a) {}", R"({"launches": [{"kernel": "k", "args": [{"i32": 1}]}]})"),
            "materializations[0]: the CUDA-C has no extern \"C\" kernel");
}

TEST_F(ChatTest, WhatComesBackInPromptsIsBounded) {
  auto answer = [](const std::string &text) { return httpResponse(200, completion(text)); };
  LoopbackServer server([&](int, const std::string &) {
    return answer(R"({"ideas": [{"key": "k", "category": "memory", "idea": ")" + std::string(5000, 'x') + "\"}]}");
  });
  auto ideas = connect(server.url(), {2, 10, 1 << 24})->proposeIdeas(context, 1);
  ASSERT_TRUE(bool(ideas));
  EXPECT_EQ(ideas->at(0).text, "No usable idea came back: ideas[0].idea has 5000 bytes, at most 4000 are read");
  LoopbackServer category([&](int, const std::string &) {
    return answer(R"({"ideas": [{"idea": "x", "category": ")" + std::string(50000, 'c') + "\"}]}");
  });
  ideas = connect(category.url(), {2, 10, 1 << 24})->proposeIdeas(context, 1);
  ASSERT_TRUE(bool(ideas));
  EXPECT_LT(ideas->at(0).text.size(), 1100u);
  LoopbackServer ways([&](int, const std::string &) {
    return answer(R"({"materializations": [{"directives": "d", "settings": ")" + std::string(5000, 's') + "\"}]}");
  });
  auto list =
      connect(ways.url(), {2, 10, 1 << 24})->materialize(context, {"k", "Tile.", ideas::IdeaCategory::Memory, ""}, 1);
  ASSERT_TRUE(bool(list));
  EXPECT_EQ(list->at(0).problem, "materializations[0].settings has 5000 bytes, at most 1000 are read");
}

TEST_F(ChatTest, ARefusalAndAFilterAreBadReplies) {
  std::string refusal = R"({"choices": [{"message": {"refusal": "I cannot help."}, "finish_reason": "stop"}]})";
  for (auto [body, problem] : std::vector<std::pair<std::string, std::string>>{
           {refusal, "the model declined to answer: I cannot help."},
           {completion(goodIdeas, "content_filter"), "the model declined to answer"},
           {completion(" \n"), "the answer is empty"},
           {R"({"choices": [{"message": {"content": "[]"}}]})", "the answer was cut off"}}) {
    LoopbackServer server([&, body = body](int, const std::string &) { return httpResponse(200, body); });
    auto ideas = connect(server.url())->proposeIdeas(context, 3);
    ASSERT_TRUE(bool(ideas));
    EXPECT_EQ((*ideas)[0].text, "No usable idea came back: " + problem);
    EXPECT_EQ(server.requests.size(), 2u); // one repair turn
  }
}

TEST_F(ChatTest, IdeasThatWereTriedAreLeftOut) {
  context.parent.id = "round-00/b00";
  context.history.push_back(
      {"round-01/b00", "round-00/b00", {"t", "use LARGER   tiles", ideas::IdeaCategory::Compute}});
  std::string two = R"({"ideas": [{"key": "a", "category": "compute", "idea": "Use larger tiles."},
                                  {"key": "b", "category": "memory", "idea": "Pad rows."}]})";
  LoopbackServer server([&](int, const std::string &) { return httpResponse(200, completion(two)); });
  auto ideas = connect(server.url())->proposeIdeas(context, 3);
  ASSERT_TRUE(bool(ideas));
  ASSERT_EQ(ideas->size(), 1u);
  EXPECT_EQ((*ideas)[0].text, "Pad rows.");
}

TEST_F(ChatTest, ARepairCarriesTheDiagnosticAndMustBeNew) {
  std::string same =
      R"({"materializations": [{"settings": "", "directives": "%d = a  // note", "cuda": "", "plan": ""}]})";
  std::string fresh = R"({"materializations": [{"settings": "", "directives": "%d = b", "cuda": "", "plan": ""}]})";
  LoopbackServer server(
      [&](int number, const std::string &) { return httpResponse(200, completion(number == 0 ? same : fresh)); });
  FailedBranch failed;
  failed.id = "round-01/b04";
  failed.materialization.directives = "%d   = a";
  failed.verdict = "WRONG";
  failed.detail = "out0[17] is 3, expected 4";
  failed.log = "ptxas says so";
  auto list = connect(server.url())->repair(context, {"i", "Idea.", ideas::IdeaCategory::Compute}, failed);
  ASSERT_TRUE(bool(list)) << toString(list.takeError());
  EXPECT_EQ((*list)[0].directives, "%d = b");
  ASSERT_EQ(server.requests.size(), 2u);
  for (const char *part : {"round-01/b04", "Verdict: WRONG", "out0[17] is 3, expected 4", "ptxas says so"})
    EXPECT_NE(server.requests[0].find(part), std::string::npos) << part;
  EXPECT_NE(server.requests[1].find("it is the branch that failed, unchanged"), std::string::npos);
}

TEST_F(ChatTest, ARepairOfCodeWhoseHeadersWereInlinedMustBeNewToo) {
  // The failed branch as it was recorded: the answer's text with kgen's header in the place of the include line.
  auto code = [](const char *header, const char *number) {
    return std::string(header) + "extern \"C\" __global__ void k(float *out) { out[0] = " + number + "; }\n";
  };
  const char *plan = R"({"launches": [{"kernel": "k", "args": [{"buffer": "out0"}]}]})";
  auto answer = [&](const char *number) {
    nlohmann::json way = {
        {"settings", ""}, {"directives", ""},           {"cuda", code("#include \"kgen_device.cuh\"\n", number)},
        {"plan", plan},   {"notes", "{\"fusion\": 1}"}, {"prior_us", 1}};
    return completion(nlohmann::json{{"materializations", {way}}}.dump());
  };
  LoopbackServer server([&](int number, const std::string &) { return httpResponse(200, answer(number ? "2" : "1")); });
  FailedBranch failed;
  failed.materialization.cuda =
      code("// kgen's\n#ifndef KGEN_DEVICE_CUH\n#define KGEN_DEVICE_CUH\nint f();\n#endif // KGEN_DEVICE_CUH\n", "1");
  failed.materialization.plan = plan;
  auto list = connect(server.url())->repair(context, {"i", "Idea.", ideas::IdeaCategory::Compute}, failed);
  ASSERT_TRUE(bool(list)) << toString(list.takeError());
  ASSERT_EQ(server.requests.size(), 2u);
  EXPECT_EQ(server.requests[0].find("int f();"), std::string::npos); // nobody reads the header again
  EXPECT_NE(server.requests[1].find("it is the branch that failed, unchanged"), std::string::npos);
  EXPECT_EQ((*list)[0].cuda, code("#include \"kgen_device.cuh\"\n", "2"));
  // What is kgen's own is never a model's.
  EXPECT_EQ((*list)[0].notes, "");
  EXPECT_EQ((*list)[0].priorUs, 0);
}

//===----------------------------------------------------------------------===//
// Several at once
//===----------------------------------------------------------------------===//

struct NamedProposer : Proposer {
  llvm::Expected<std::vector<Idea>> proposeIdeas(const ProposalContext &, int) override {
    return std::vector<Idea>{{"k", "An idea.", ideas::IdeaCategory::Memory}};
  }
  llvm::Expected<std::vector<Materialization>> materialize(const ProposalContext &, const Idea &, int) override {
    ++materialized;
    return std::vector<Materialization>(1);
  }
  std::vector<TokenUsage> takeUsage() override { return {{"m", 1, 10, 0, 5, 0}}; }
  int materialized = 0;
};

TEST(Mixed, WeightsDecideAtFirstAndGainsLater) {
  auto first = std::make_unique<NamedProposer>(), second = std::make_unique<NamedProposer>();
  NamedProposer *b = second.get();
  std::vector<ProposerArm> arms;
  arms.push_back({"a", 3, std::move(first)});
  arms.push_back({"b", 1, std::move(second)});
  auto mixed = createMixedProposer(std::move(arms));
  ProposalContext context;
  auto countOfA = [&] {
    int count = 0;
    for (int i = 0; i < 400; ++i) {
      context.slot = "round-01/seed-" + std::to_string(i);
      auto ideas = mixed->proposeIdeas(context, 1);
      count += (*ideas)[0].by == "a";
      auto again = mixed->proposeIdeas(context, 1);
      EXPECT_EQ((*again)[0].by, (*ideas)[0].by); // the seed and the place decide
    }
    return count;
  };
  int before = countOfA();
  EXPECT_GT(before, 300); // 5 of 6 by the formula
  EXPECT_LT(before, 370);
  // a's branches gain nothing, b's are twice as fast as their parent.
  context.history.push_back({"r/p", "", {"g", "Generic.", ideas::IdeaCategory::Control}, "", "", "PASS", "", 100});
  for (int i = 0; i < 20; ++i) {
    context.history.push_back({"r/a", "r/p", {"k", "x", ideas::IdeaCategory::Memory, "a"}, "", "", "WRONG"});
    context.history.push_back({"r/b", "r/p", {"k", "x", ideas::IdeaCategory::Memory, "b"}, "", "", "PASS", "", 50});
  }
  EXPECT_LT(countOfA(), 20);
  ASSERT_TRUE(bool(mixed->materialize(context, {"k", "x", ideas::IdeaCategory::Memory, "b"}, 1)));
  EXPECT_EQ(b->materialized, 1);
  EXPECT_EQ(mixed->takeUsage().size(), 2u);
}

TEST(Mixed, NamesAreSplitAtProposersOnly) {
  auto split = [](const char *spec) {
    std::string text;
    auto parts = splitProposers(spec);
    if (!parts)
      return toString(parts.takeError());
    for (auto &[name, weight] : *parts)
      text += name + " " + std::to_string(int(weight * 10)) + "; ";
    return text;
  };
  EXPECT_EQ(split("builtin"), "builtin 10; ");
  EXPECT_EQ(split("dir:a,b=2,builtin=0.5"), "dir:a,b 20; builtin 5; ");
  EXPECT_EQ(split("exec:x --y=3 z,chat:m@http://localhost:1/v1,openai:q"),
            "exec:x --y=3 z 10; chat:m@http://localhost:1/v1 10; openai:q 10; ");
  EXPECT_EQ(split("builtin=0,dir:a"), "the weight of 'builtin' is 0, expected a number above 0");
}

TEST(ProviderUrl, HttpOnLoopbackOnly) {
  for (const char *good :
       {"https://api.example.com/v1", "http://localhost:8000/v1", "http://127.0.0.1/v1", "http://[::1]:80/"})
    EXPECT_FALSE(bool(checkProviderUrl(good))) << good;
  for (const char *bad :
       {"http://api.example.com/v1", "http://127.evil.com/", "ftp://localhost/", "http://localhost.evil.com/",
        "http://127.0.0.1@evil.com/", "http://evil.com\\@127.0.0.1/", "nonsense", "http://127.0.0.256/"}) {
    llvm::Error error = checkProviderUrl(bad);
    EXPECT_TRUE(bool(error)) << bad;
    llvm::consumeError(std::move(error));
  }
}

} // namespace
