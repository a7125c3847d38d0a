//===- FuzzTest.cpp - Mutated answers and HTTP exchanges ------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Deterministic: the same number gives the same bytes. KGEN_FUZZ says how many
// of each kind; scripts/fuzz.sh runs 10,000 under AddressSanitizer and UBSan.
//
//===----------------------------------------------------------------------===//

#include "../Search/Fakes.h"
#include "LoopbackServer.h"
#include "kgen/Propose/ModelProposer.h"
#include "kgen/Propose/ReplyText.h"
#include "kgen/Propose/SchedulePlan.h"
#include "kgen/Propose/WireFormat.h"

#include "gtest/gtest.h"

#include <chrono>
#include <cstdlib>
#include <random>

using namespace kgen;
using namespace kgen::propose;
using namespace kgen::test;

namespace {

int countFromEnvironment() {
  const char *text = std::getenv("KGEN_FUZZ");
  return text ? std::atoi(text) : 300;
}

/// Pieces that break parsers.
const std::vector<std::string> pieces = {"{",
                                         "}",
                                         "[",
                                         "]",
                                         "\"",
                                         "\\",
                                         "\\u",
                                         "\\ud800",
                                         ",",
                                         ":",
                                         "null",
                                         "true",
                                         "1e999",
                                         "-",
                                         "\xEF\xBB\xBF",
                                         "\xE2\x80\xAE",
                                         "\xE2\x80\x9C",
                                         "\xFF",
                                         std::string(1, '\0'),
                                         "```",
                                         "```json\n",
                                         "\n",
                                         "\r\n",
                                         "\r\n\r\n",
                                         "Content-Length: 99999999999999999999\r\n",
                                         "Transfer-Encoding: chunked\r\n",
                                         "Retry-After: -1\r\n",
                                         "retry-after-ms: 1e308\r\n",
                                         "HTTP/1.1 100 Continue\r\n\r\n",
                                         "HTTP/1.1 429 X\r\n",
                                         "\"ideas\"",
                                         "\"materializations\"",
                                         "\"cuda\"",
                                         "\"plan\"",
                                         "\"launches\"",
                                         "extern \"C\" __global__ void k(",
                                         "/*",
                                         "//",
                                         "(",
                                         ")",
                                         "<",
                                         "{{graph}}",
                                         std::string(70, '['),
                                         std::string(5000, '{'),
                                         std::string(300, '9')};

std::string mutate(std::string text, std::mt19937_64 &random) {
  int edits = 1 + random() % 6;
  for (int i = 0; i < edits; ++i) {
    size_t at = text.empty() ? 0 : random() % text.size();
    size_t length = text.empty() ? 0 : random() % std::min<size_t>(text.size() - at, 40) + 1;
    switch (random() % 8) {
    case 0: // another byte
      if (!text.empty())
        text[at] = char(random());
      break;
    case 1: // one bit
      if (!text.empty())
        text[at] ^= char(1 << random() % 8);
      break;
    case 2:
      text.insert(at, pieces[random() % pieces.size()]);
      break;
    case 3:
      text.erase(at, length);
      break;
    case 4: // said twice
      text.insert(at, text.substr(at, length));
      break;
    case 5: // cut off
      if (random() % 4 == 0)
        text.resize(at);
      break;
    case 6: // a stretch from elsewhere
      if (!text.empty())
        text.replace(at, length, text.substr(random() % text.size(), random() % 200));
      break;
    default:
      if (random() % 16 == 0)
        for (int n = 0; n < 2000; ++n)
          text.insert(at, pieces[at % pieces.size()]);
      break;
    }
  }
  return text;
}

/// A model that says the given text.
struct SayingModel : Model {
  std::string text;
  std::string getName() const override { return "saying:m"; }
  llvm::Expected<ModelReply> ask(const ModelQuestion &) override {
    ModelReply reply;
    reply.text = text;
    return reply;
  }
};

struct NoSleep : Sleeper {
  bool sleep(double seconds) override {
    EXPECT_LE(seconds, 120);
    return true;
  }
};

const char *ideaAnswer =
    R"(Here you are: {"ideas": [{"key": "tile", "category": "compute", "idea": "Use larger \"tiles\"\n é."},
{"key": "pad", "category": "memory", "idea": "Pad rows."}]} Good luck!)";
const char *wayAnswer =
    R"(```json
{"materializations": [{"settings": "a", "directives": "%d = transform.kgen.select \"aten.relu\" in %f", "cuda": "", "plan": ""},
{"settings": "b", "directives": "", "cuda": "extern \"C\" __global__ void k(const float *a, float *b) { b[0] = a[0]; } // x",
"plan": "{\"launches\": [{\"kernel\": \"k\", \"grid\": [1,1,1], \"block\": [32,1,1], \"args\": [{\"buffer\": \"in0\"}, {\"buffer\": \"out0\"}]}]}"}]}
```)";

TEST(Fuzz, MutatedReplies) {
  int count = countFromEnvironment(), accepted = 0;
  ProposalContext context;
  context.facts = convReluPoolFacts();
  context.plan = R"({"version":1,"inputs":[],"outputs":[],"workspace":[],"launches":[]})";
  auto owned = std::make_unique<SayingModel>();
  SayingModel *model = owned.get();
  auto proposer = createModelProposer(std::move(owned));
  double slowest = 0;
  for (int i = 0; i < count; ++i) {
    std::mt19937_64 random(i);
    bool ideas = i % 2;
    model->text = mutate(ideas ? ideaAnswer : wayAnswer, random);
    auto begin = std::chrono::steady_clock::now();
    if (ideas) {
      auto list = proposer->proposeIdeas(context, 4);
      ASSERT_TRUE(bool(list)) << i; // a bad answer is a value
      ASSERT_FALSE(list->empty());
      accepted += (*list)[0].key != "bad-reply";
      for (const Idea &idea : *list)
        ASSERT_FALSE(idea.text.empty());
      // What is recorded can be read again.
      auto again = parseIdeas(printIdeas(*list));
      ASSERT_TRUE(bool(again)) << i << llvm::toString(again.takeError());
    } else {
      auto list = proposer->materialize(context, {"k", "Idea.", ideas::IdeaCategory::Compute}, 3);
      ASSERT_TRUE(bool(list)) << i;
      ASSERT_FALSE(list->empty());
      accepted += (*list)[0].problem.empty();
      auto again = parseMaterializations(printMaterializations(*list));
      ASSERT_TRUE(bool(again)) << i << llvm::toString(again.takeError());
    }
    slowest = std::max(slowest, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  // Mutation must not miss the parser, nor kill everything at its door.
  EXPECT_GT(accepted, count / 20);
  EXPECT_LT(accepted, count * 19 / 20);
  EXPECT_LT(slowest, 20);
  std::printf("fuzz: %d mutated replies, %d of them usable, slowest %.3f s\n", count, accepted, slowest);
}

/// A run that somebody else recorded may hold any notes, and the builtin proposer reads its parents'.
TEST(Fuzz, MutatedNotes) {
  int count = countFromEnvironment() / 3, read = 0;
  ProposalContext context;
  context.facts = convReluPoolFacts();
  context.device = "cuda";
  context.genericUs = 1000;
  std::string notes = printPlan(groupOps(context.facts, graph::Fusion::Pool));
  auto builtin = createBuiltinProposer();
  for (int i = 0; i < count; ++i) {
    std::mt19937_64 random(i);
    context.parent.notes = mutate(notes, random);
    context.history = {{"round-01/b00", "", {}, "", mutate(notes, random), "PASS", "", 500}};
    auto plan = parsePlan(context.parent.notes, context.facts);
    read += bool(plan);
    llvm::consumeError(plan.takeError());
    auto ideas = builtin->proposeIdeas(context, 50);
    ASSERT_TRUE(bool(ideas)) << i;
    for (const Idea &idea : *ideas) {
      auto list = builtin->materialize(context, idea, 2);
      ASSERT_TRUE(bool(list)) << i;
    }
  }
  EXPECT_GT(read, count / 20);
  EXPECT_LT(read, count * 19 / 20);
}

TEST(Fuzz, MutatedHttpExchanges) {
  int count = countFromEnvironment(), answered = 0;
  const std::pair<const char *, std::string> bodies[] = {
      {"openai", R"({"status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":"x"}]}],)"
                 R"("usage":{"input_tokens":1,"input_tokens_details":{"cached_tokens":1},"output_tokens":2}})"},
      {"chat", R"({"choices":[{"message":{"content":"x"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1}})"},
      {"anthropic", R"({"content":[{"type":"text","text":"x"}],"stop_reason":"end_turn","usage":{"input_tokens":1}})"},
      {"gemini", R"({"candidates":[{"content":{"parts":[{"text":"x"}]},"finishReason":"STOP"}],"usageMetadata":{}})"}};
  std::string reply;
  LoopbackServer server([&](int, const std::string &) { return reply; });
  ModelQuestion question;
  question.system = "s";
  question.turns = {{"user", "u"}};
  question.schema = "{}";
  for (int i = 0; i < count; ++i) {
    std::mt19937_64 random(i);
    const auto &[kind, body] = bodies[i % 4];
    reply = mutate(httpResponse(i % 16 == 5 ? 429 : 200, body, i % 3 ? "" : "Retry-After: 7\r\n"), random);
    ModelOptions options;
    options.model = "m";
    options.key = "secret-key";
    auto format = createWireFormat(kind);
    options.url = server.host() + format->getPath(options);
    auto model = createHttpModel(kind, std::move(format), createCurlClient({1, 1, 1 << 16}),
                                 std::make_unique<NoSleep>(), options);
    auto answer = model->ask(question);
    if (answer) {
      ++answered;
      continue;
    }
    std::string message = llvm::toString(answer.takeError());
    ASSERT_FALSE(message.empty());
    ASSERT_EQ(message.find('\n'), std::string::npos) << message;
    ASSERT_EQ(message.find("secret-key"), std::string::npos);
  }
  EXPECT_GT(answered, count / 20);
  EXPECT_LT(answered, count * 19 / 20);
  std::printf("fuzz: %d mutated HTTP exchanges, %d of them answered\n", count, answered);
}

} // namespace
