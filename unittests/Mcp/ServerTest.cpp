//===- ServerTest.cpp - The protocol, message by message -------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kgen/Mcp/Server.h"

#include "gtest/gtest.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

using namespace kgen::mcp;

namespace {

/// The _meta of the current version.
const std::string meta = R"("_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {}, "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"}})";

std::vector<Tool> someTools() {
  Tool echo{"echo", "Echo", "Says it again.", Shape::record({need("text", "what", Shape::text(10))}),
            Shape::record({need("text", "the same", Shape::text())})};
  echo.readOnly = true;
  echo.run = [](const Json &arguments, Call &call) -> llvm::Expected<Json> {
    if (arguments["text"] == "fail")
      return llvm::createStringError("it failed: out0[1,2] is 0.5, expected 0.25; relative error 1");
    if (arguments["text"] == "throw")
      return arguments.at("gone");
    if (arguments["text"] == "shape")
      return Json{{"other", 1}};
    return Json{{"text", arguments["text"]}};
  };
  Tool wait{"wait", "Wait", "Waits until it is cancelled.", Shape::record({}), Shape::record({})};
  wait.run = [](const Json &, Call &call) -> llvm::Expected<Json> {
    for (int i = 0; !call.cancelled(); ++i) {
      call.progress(i, 0, "waiting");
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return llvm::createStringError("cancelled");
  };
  return {echo, wait};
}

/// A server and what it has sent.
struct Dialogue {
  std::mutex turn;
  std::condition_variable changed;
  std::vector<Json> sent;
  std::vector<std::string> lines;
  Server server;

  explicit Dialogue(ServerOptions options = {})
      : server(someTools(), options, [this](const std::string &line) {
          std::lock_guard<std::mutex> guard(turn);
          lines.push_back(line);
          sent.push_back(Json::parse(line));
          changed.notify_all();
        }) {}

  /// Waits for the answer to ID.
  Json answer(const Json &id) {
    std::unique_lock<std::mutex> guard(turn);
    Json found;
    changed.wait_for(guard, std::chrono::seconds(20), [&] {
      for (const Json &message : sent)
        if (!message.contains("method") && message.value("id", Json()) == id)
          found = message;
      return !found.is_null();
    });
    return found;
  }
  Json ask(const std::string &line) {
    server.receive(line);
    return answer(Json::parse(line)["id"]);
  }
  /// A request of the current version.
  Json modern(const std::string &method, const std::string &members = "", int id = 7) {
    return ask(R"({"jsonrpc": "2.0", "id": )" + std::to_string(id) + R"(, "method": ")" + method + R"(", "params": {)" +
               meta + (members.empty() ? "" : ", " + members) + "}}");
  }
  int codeOf(const std::string &line) {
    server.receive(line);
    std::lock_guard<std::mutex> guard(turn);
    return sent.empty() || !sent.back().contains("error") ? 0 : int(sent.back()["error"]["code"]);
  }
};

TEST(Server, Discovers) {
  Dialogue d;
  Json result = d.modern("server/discover")["result"];
  EXPECT_EQ(result["supportedVersions"], Json::parse(R"(["2026-07-28"])"));
  EXPECT_EQ(result["capabilities"], Json::parse(R"({"tools": {}})"));
  EXPECT_EQ(result["resultType"], "complete");
  EXPECT_GE(result["ttlMs"], 0);
  EXPECT_EQ(result["cacheScope"], "public");
  EXPECT_EQ(result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "kgen-mcp");
}

TEST(Server, HoldsEachRequestToItsVersion) {
  Dialogue d;
  auto discover = [&](const std::string &params) {
    return d.ask(R"({"jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": )" + params + "}");
  };
  EXPECT_EQ(discover("{}")["error"]["code"], -32602);
  d.sent.clear();
  EXPECT_EQ(discover(R"({"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}})")["error"]["code"],
            -32602);
  d.sent.clear();
  EXPECT_EQ(discover(R"({"_meta": {"io.modelcontextprotocol/clientCapabilities": {}}})")["error"]["code"], -32602);
  d.sent.clear();
  EXPECT_EQ(discover(R"({"_meta": {"io.modelcontextprotocol/protocolVersion": 5,
                                   "io.modelcontextprotocol/clientCapabilities": {}}})")["error"]["code"],
            -32602);
  d.sent.clear();
  // Who the client is need not be said.
  EXPECT_TRUE(discover(R"({"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
                                     "io.modelcontextprotocol/clientCapabilities": {}}})")
                  .contains("result"));
  d.sent.clear();
  Json error = discover(R"({"_meta": {"io.modelcontextprotocol/protocolVersion": "v999",
                                      "io.modelcontextprotocol/clientCapabilities": {}}})")["error"];
  EXPECT_EQ(error["code"], -32022);
  EXPECT_EQ(error["data"]["supported"], Json::parse(R"(["2026-07-28"])"));
  EXPECT_EQ(error["data"]["requested"], "v999");
}

TEST(Server, ShakesHandsWithOlderClients) {
  Dialogue d;
  // Before, a request without a version is malformed, but for a ping.
  EXPECT_EQ(d.ask(R"({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})")["error"]["code"], -32602);
  EXPECT_EQ(d.ask(R"({"jsonrpc": "2.0", "id": 2, "method": "ping"})")["result"], Json::object());
  auto greet = [&](const char *version, int id) {
    return d.ask(R"({"jsonrpc": "2.0", "id": )" + std::to_string(id) +
                 R"(, "method": "initialize", "params": {"protocolVersion": ")" + version +
                 R"(", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}})")["result"];
  };
  Json result = greet("2025-06-18", 3);
  EXPECT_EQ(result["protocolVersion"], "2025-06-18");
  EXPECT_EQ(result["serverInfo"]["name"], "kgen-mcp");
  EXPECT_EQ(result["capabilities"], Json::parse(R"({"tools": {}})"));
  EXPECT_FALSE(result.contains("resultType"));
  EXPECT_EQ(greet("2025-11-25", 4)["protocolVersion"], "2025-11-25");
  EXPECT_EQ(greet("2024-11-05", 5)["protocolVersion"], "2025-11-25");
  size_t before = d.sent.size();
  d.server.receive(R"({"jsonrpc": "2.0", "method": "notifications/initialized"})");
  EXPECT_EQ(d.sent.size(), before);
  result = d.ask(R"({"jsonrpc": "2.0", "id": 6, "method": "tools/list"})")["result"];
  EXPECT_EQ(result["tools"].size(), 2u);
  EXPECT_FALSE(result.contains("ttlMs"));
  result = d.ask(
      R"({"jsonrpc": "2.0", "id": "x", "method": "tools/call", "params": {"name": "echo", "arguments": {"text": "a"}}})");
  EXPECT_EQ(result["result"]["structuredContent"]["text"], "a");
  EXPECT_EQ(d.ask(R"({"jsonrpc": "2.0", "id": 8, "method": "server/discover"})")["error"]["code"], -32601);
  // Both eras at once.
  EXPECT_EQ(d.modern("tools/list", "", 9)["result"]["resultType"], "complete");
  EXPECT_EQ(d.modern("ping", "", 10)["error"]["code"], -32601);
}

TEST(Server, ListsAndCallsTools) {
  Dialogue d;
  Json list = d.modern("tools/list", "", 1)["result"]["tools"];
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[0]["name"], "echo");
  EXPECT_EQ(list[0]["title"], "Echo");
  EXPECT_EQ(list[0]["inputSchema"]["properties"]["text"]["maxLength"], 10);
  EXPECT_EQ(list[0]["outputSchema"]["required"][0], "text");
  EXPECT_EQ(list[0]["annotations"]["readOnlyHint"], true);
  EXPECT_EQ(d.modern("tools/list", R"("cursor": "x")", 2)["error"]["code"], -32602);
  Json result = d.modern("tools/call", R"("name": "echo", "arguments": {"text": "hello"})", 3)["result"];
  EXPECT_EQ(result["structuredContent"].dump(), R"({"text":"hello"})");
  EXPECT_EQ(result["content"].dump(), R"json([{"type":"text","text":"{\"text\":\"hello\"}"}])json");
  EXPECT_EQ(result["isError"], false);
  EXPECT_EQ(result["resultType"], "complete");
  // The tool's own errors, and arguments that do not fit, are for the client's model.
  result = d.modern("tools/call", R"("name": "echo", "arguments": {"text": 5})", 4)["result"];
  EXPECT_EQ(result["isError"], true);
  EXPECT_EQ(result["content"][0]["text"], "text is 5, expected a text");
  result = d.modern("tools/call", R"("name": "echo", "arguments": {"text": "fail"})", 5)["result"];
  EXPECT_EQ(result["isError"], true);
  EXPECT_EQ(result["content"][0]["text"], "it failed: out0[1,2] is 0.5; relative error 1");
  // What is wrong with the request itself is a protocol error.
  EXPECT_EQ(d.modern("tools/call", R"("name": "nope")", 6)["error"]["code"], -32602);
  EXPECT_EQ(d.modern("tools/call", R"("arguments": {})", 7)["error"]["code"], -32602);
  EXPECT_EQ(d.modern("tools/call", R"("name": "echo", "arguments": [])", 8)["error"]["code"], -32602);
  EXPECT_EQ(d.modern("resources/list", "", 9)["error"]["code"], -32601);
  EXPECT_EQ(d.modern("prompts/list", "", 10)["error"]["code"], -32601);
  // Bugs of a tool.
  EXPECT_EQ(d.modern("tools/call", R"("name": "echo", "arguments": {"text": "throw"})", 11)["error"]["code"], -32603);
  EXPECT_EQ(d.modern("tools/call", R"("name": "echo", "arguments": {"text": "shape"})", 12)["error"]["code"], -32603);
}

TEST(Server, RefusesWhatIsNoMessage) {
  Dialogue d;
  EXPECT_EQ(d.codeOf("{"), -32700);
  EXPECT_FALSE(d.sent.back().contains("id"));
  EXPECT_EQ(d.codeOf("\xff\xfe"), -32700);
  EXPECT_EQ(d.codeOf("[]"), -32600); // batches are gone since 2025-06-18
  EXPECT_EQ(d.codeOf("5"), -32600);
  EXPECT_EQ(d.codeOf(R"({"jsonrpc": "1.0", "id": 1, "method": "ping"})"), -32600);
  EXPECT_EQ(d.sent.back()["id"], 1);
  EXPECT_EQ(d.codeOf(R"({"jsonrpc": "2.0", "id": null, "method": "ping"})"), -32600);
  EXPECT_EQ(d.codeOf(R"({"jsonrpc": "2.0", "id": 1.5, "method": "ping"})"), -32600);
  EXPECT_EQ(d.codeOf(R"({"jsonrpc": "2.0", "id": 1, "method": 5})"), -32600);
  EXPECT_EQ(d.codeOf(R"({"jsonrpc": "2.0", "id": 1})"), -32600);
  EXPECT_EQ(d.codeOf(R"({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": []})"), -32602);
  EXPECT_EQ(d.codeOf(R"({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"_meta": 1}})"), -32602);
  EXPECT_EQ(d.codeOf(R"({"jsonrpc": "2.0", "id": 1, "id": 2, "method": "ping"})"), -32600);
  EXPECT_EQ(d.codeOf(std::string(100000, '[')), -32600);
  size_t before = d.sent.size();
  // Answers, notifications and empty lines get nothing.
  for (const char *line :
       {"", "   ", R"({"jsonrpc": "2.0", "id": 1, "result": {}})", R"({"jsonrpc": "2.0", "method": "x"})",
        R"({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 5}})",
        R"({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": 5})"})
    d.server.receive(line);
  EXPECT_EQ(d.sent.size(), before);
  ServerOptions small;
  small.longestMessage = 10;
  Dialogue narrow(small);
  EXPECT_EQ(narrow.codeOf(R"({"jsonrpc": "2.0"})"), -32600);
}

std::string callWait(const std::string &id, const std::string &token = "") {
  std::string more = token.empty() ? "" : R"(, "progressToken": )" + token;
  std::string withToken = meta;
  withToken.insert(withToken.size() - 1, more);
  return R"({"jsonrpc": "2.0", "id": )" + id + R"(, "method": "tools/call", "params": {)" + withToken +
         R"(, "name": "wait"}})";
}

TEST(Server, TellsProgressAndCancels) {
  Dialogue d;
  d.server.receive(callWait("\"w\"", "\"token\""));
  {
    std::unique_lock<std::mutex> guard(d.turn);
    ASSERT_TRUE(d.changed.wait_for(guard, std::chrono::seconds(20), [&] { return d.sent.size() >= 3; }));
    double last = -1;
    for (const Json &message : d.sent) {
      EXPECT_EQ(message["method"], "notifications/progress");
      EXPECT_EQ(message["params"]["progressToken"], "token");
      EXPECT_GT(message["params"]["progress"], last);
      last = message["params"]["progress"];
    }
  }
  // The same id again while it is in use.
  EXPECT_EQ(d.codeOf(callWait("\"w\"")), -32600);
  d.server.receive(R"({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "w"}})");
  d.server.finish(5);
  for (const Json &message : d.sent)
    EXPECT_FALSE(message.contains("result")); // no answer for what was cancelled
  EXPECT_EQ(Dialogue().codeOf(callWait("1", "{}")), -32602);
}

TEST(Server, TakesSoManyCallsAndEnds) {
  ServerOptions options;
  options.threads = 2;
  options.mostCalls = 3;
  Dialogue d(options);
  for (const char *id : {"1", "2", "3"})
    d.server.receive(callWait(id));
  EXPECT_EQ(d.codeOf(callWait("4")), -32603);
  d.server.finish(0); // the end cancels what is in progress and what waits
  size_t answers = 0;
  for (const Json &message : d.sent)
    answers += message.contains("result");
  EXPECT_EQ(answers, 3u);
}

TEST(Server, HoldsSubscriptionsOpen) {
  Dialogue d;
  EXPECT_EQ(d.modern("subscriptions/listen", "", 1)["error"]["code"], -32602);
  d.sent.clear();
  d.server.receive(R"({"jsonrpc": "2.0", "id": 5, "method": "subscriptions/listen", "params": {)" + meta +
                   R"(, "notifications": {"toolsListChanged": true}}})");
  ASSERT_EQ(d.sent.size(), 1u);
  EXPECT_EQ(d.sent[0]["method"], "notifications/subscriptions/acknowledged");
  EXPECT_EQ(d.sent[0]["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], 5);
  EXPECT_EQ(d.sent[0]["params"]["notifications"], Json::object());
  d.server.finish(0);
  ASSERT_EQ(d.sent.size(), 2u);
  EXPECT_EQ(d.sent[1]["id"], 5);
  EXPECT_EQ(d.sent[1]["result"]["_meta"]["io.modelcontextprotocol/subscriptionId"], 5);
}

TEST(WithoutAnswers, KeepsWhatTheOracleKnowsToItself) {
  EXPECT_EQ(withoutAnswers("input normal#0: out0[3,4] is -1.5e-07, expected 2.25; relative error 1"),
            "input normal#0: out0[3,4] is -1.5e-07; relative error 1");
  EXPECT_EQ(withoutAnswers("out0[0] is nan, expected -inf"), "out0[0] is nan");
  EXPECT_EQ(withoutAnswers(R"({"detail":"out0[0] is 1, expected 2"})"), R"({"detail":"out0[0] is 1"})");
  EXPECT_EQ(withoutAnswers(R"({\"detail\": \"out0[0] is 1, expected 2; x\"})"), R"({\"detail\": \"out0[0] is 1; x\"})");
  EXPECT_EQ(withoutAnswers("a[0] is 1, expected 2; b[1] is 3, expected 4"), "a[0] is 1; b[1] is 3");
  // Other sentences are not about answers.
  for (const char *text :
       {"rounds is 5, expected 7", "out0[0] is 1, expected a text", "files[1] is 3, expected 4 elements",
        "out0[0] is big, expected 2", ", expected 2", "x[0] is , expected 2", ""})
    EXPECT_EQ(withoutAnswers(text), text);
}

} // namespace
