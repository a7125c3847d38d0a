//===- ChatProposerTest.cpp - Against a server on loopback ----------------===//

#include "kgen/Propose/ChatProposer.h"
#include "../Search/Fakes.h"
#include "LoopbackServer.h"

#include <nlohmann/json.hpp>

#include "gtest/gtest.h"

using namespace kgen;
using namespace kgen::test;
using llvm::toString;
using Json = nlohmann::json;

namespace {

constexpr const char *key = "sk-very-secret";

struct RecordingSleeper : Sleeper {
  explicit RecordingSleeper(std::vector<double> &waits) : waits(waits) {}
  void sleep(double seconds) override { waits.push_back(seconds); }
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
        {"round-00/b00", "", {"generic", "Generic.", IdeaCategory::Control}, "", "", "PASS", "", 1000});
  }

  std::unique_ptr<Proposer> connect(const std::string &url, HttpLimits limits = {2, 10, 1 << 20}) {
    return createChatProposer(createCurlClient(limits), std::make_unique<RecordingSleeper>(waits), {"m-1", url, key});
  }
};

TEST_F(ChatTest, AsksAndReadsIdeas) {
  LoopbackServer server([](int, const std::string &) { return httpResponse(200, completion(goodIdeas)); });
  auto ideas = connect(server.url())->proposeIdeas(context, 3);
  ASSERT_TRUE(bool(ideas)) << toString(ideas.takeError());
  ASSERT_EQ(ideas->size(), 1u);
  EXPECT_EQ((*ideas)[0].text, "Use larger tiles.");
  EXPECT_EQ((*ideas)[0].category, IdeaCategory::Compute);
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
  EXPECT_NE(server.requests[1].find("That answer cannot be used: reply is not valid JSON"), std::string::npos);
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
  auto list = connect(server.url())->materialize(context, {"tile", "Use larger tiles.", IdeaCategory::Compute}, 2);
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
                                                                      {403, "no"},
                                                                      {429, "{\"code\": \"insufficient_quota\"}"}}) {
    LoopbackServer server(
        [&, status = status, body = body](int, const std::string &) { return httpResponse(status, body); });
    auto ideas = connect(server.url())->proposeIdeas(context, 3);
    ASSERT_FALSE(bool(ideas));
    std::string message = toString(ideas.takeError());
    EXPECT_EQ(message.find(key), std::string::npos) << message;
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
