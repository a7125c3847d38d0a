//===- Server.cpp ---------------------------------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kgen/Mcp/Server.h"
#include "kgen/Candidate/UntrustedText.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <thread>

using namespace llvm;

namespace kgen::mcp {
namespace {

/// The codes of JSON-RPC and of the protocol.
enum Code {
  ParseError = -32700,
  InvalidRequest = -32600,
  MethodNotFound = -32601,
  InvalidParams = -32602,
  InternalError = -32603,
  UnsupportedVersion = -32022,
};

constexpr StringLiteral modernVersions[] = {"2026-07-28"};
constexpr StringLiteral legacyVersions[] = {"2025-11-25", "2025-06-18"}; // the newest first

constexpr const char *versionKey = "io.modelcontextprotocol/protocolVersion";
constexpr const char *clientKey = "io.modelcontextprotocol/clientInfo";
constexpr const char *capabilitiesKey = "io.modelcontextprotocol/clientCapabilities";
constexpr const char *serverKey = "io.modelcontextprotocol/serverInfo";
constexpr const char *subscriptionKey = "io.modelcontextprotocol/subscriptionId";

using Time = std::chrono::steady_clock;

/// Every string of JSON as it may be shown: compilers, models and kernels wrote some of them.
void makePrintable(Json &json) {
  if (json.is_string())
    json = candidate::printable(json.get_ref<const std::string &>());
  else if (json.is_structured())
    for (Json &member : json)
      makePrintable(member);
}

Json versionList(ArrayRef<StringLiteral> versions) {
  Json list = Json::array();
  for (StringRef version : versions)
    list.push_back(version.str());
  return list;
}

/// The list of content blocks with TEXT alone.
Json textContent(std::string text) {
  Json block = {{"type", "text"}, {"text", std::move(text)}};
  return Json::array({std::move(block)});
}

} // namespace

Json Tool::describe() const {
  return {{"name", name},
          {"title", title},
          {"description", description},
          {"inputSchema", input.schema()},
          {"outputSchema", output.schema()},
          {"annotations",
           {{"title", title},
            {"readOnlyHint", readOnly},
            {"destructiveHint", false},
            {"idempotentHint", readOnly || idempotent},
            {"openWorldHint", false}}}};
}

/// The number that TEXT begins with, as %g prints one: its length.
static size_t lengthOfNumber(StringRef text) {
  size_t length = text.find_first_not_of("+-.0123456789einfa");
  return length == StringRef::npos ? text.size() : length;
}

std::string withoutAnswers(StringRef text) {
  // judge::describeElement: "out0[3,4] is 1.5, expected 2.5", with "; " behind, or the end of a text.
  constexpr StringLiteral mark = ", expected ";
  std::string kept;
  kept.reserve(text.size());
  size_t from = 0;
  for (size_t at = text.find(mark); at != StringRef::npos; at = text.find(mark, at + 1)) {
    StringRef before = text.take_front(at), after = text.substr(at + mark.size());
    size_t start = before.rfind(' ');
    size_t length = lengthOfNumber(after);
    bool isElement = start != StringRef::npos && start + 1 < at && before.take_front(start).ends_with("] is") &&
                     lengthOfNumber(before.substr(start + 1)) == at - start - 1;
    if (!isElement || length == 0 || (length < after.size() && !StringRef(";\"\\ \n").contains(after[length])))
      continue;
    if (length < after.size() && after[length] == ' ' && !after.substr(length).starts_with(" ..."))
      continue;
    kept += text.slice(from, at);
    from = at + mark.size() + length;
  }
  kept += text.substr(from);
  return kept;
}

struct Server::State {
  /// A request in progress.
  struct Pending : Call {
    Pending(State &state, Json id, bool modern) : state(state), id(std::move(id)), modern(modern) {}

    const std::atomic<bool> &cancelled() const override { return stop; }
    void progress(double done, double total, StringRef message) override {
      auto now = Time::now();
      if (token.is_null() || stop || done <= lastDone ||
          (lastDone >= 0 && now - lastTime < std::chrono::milliseconds(100)))
        return;
      lastDone = done;
      lastTime = now;
      Json params = {{"progressToken", token}, {"progress", done}};
      if (total > 0)
        params["total"] = std::max(done, total);
      if (!message.empty())
        params["message"] = candidate::onOneLine(message);
      state.send({{"jsonrpc", "2.0"}, {"method", "notifications/progress"}, {"params", std::move(params)}});
    }

    State &state;
    Json id;
    bool modern;
    Json token; ///< of progress; null: not wanted
    std::atomic<bool> stop{false};
    std::atomic<bool> unwanted{false}; ///< by the client, who gets no answer
    bool isSubscription = false;
    double lastDone = -1;
    Time::time_point lastTime;
  };
  using Work = std::shared_ptr<Pending>;

  std::vector<Tool> tools;
  ServerOptions options;
  std::function<void(const std::string &)> sink;
  std::mutex sending;

  std::mutex turn; ///< of what follows
  std::condition_variable changed;
  std::map<std::string, Work> pending; ///< by the id as it was written
  std::deque<std::function<void()>> queue;
  std::vector<std::thread> threads;
  size_t calls = 0; ///< waiting and in progress
  bool ending = false;
  std::string legacyVersion; ///< that an `initialize` agreed on; only receive() touches it

  void send(Json message) {
    makePrintable(message);
    std::string text = withoutAnswers(message.dump(-1, ' ', false, Json::error_handler_t::replace));
    std::lock_guard<std::mutex> guard(sending);
    sink(text);
  }
  void sendError(const Json &id, int code, const Twine &message, Json data = nullptr) {
    Json answer = {{"jsonrpc", "2.0"}};
    if (!id.is_null())
      answer["id"] = id;
    answer["error"] = {{"code", code}, {"message", message.str()}};
    if (!data.is_null())
      answer["error"]["data"] = std::move(data);
    send(std::move(answer));
  }
  Json serverInfo() const {
    return {{"name", "kgen-mcp"},
            {"title", "kgen: verified CUDA-C kernels for PyTorch graphs"},
            {"version", options.version}};
  }
  void sendResult(const Json &id, bool modern, Json result) {
    if (modern) {
      result["resultType"] = "complete";
      result["_meta"][serverKey] = serverInfo();
    }
    send({{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}});
  }

  void receive(StringRef line);
  void notified(StringRef method, const Json &params);
  void request(const Json &id, StringRef method, const Json &params);
  bool checkMeta(const Json &id, const Json &meta);
  void initialize(const Json &id, const Json &params);
  void listTools(const Json &id, bool modern, const Json &params);
  void callTool(const Json &id, bool modern, const Json &params);
  void listen(const Json &id, const Json &params);
  void runTool(const Tool &tool, const Json &arguments, const Work &work);
  /// Takes WORK up under its id; an id that is in use is an error.
  bool enter(const Work &work);
  void leave(const Work &work);
  void serveQueue();
};

bool Server::State::enter(const Work &work) {
  {
    std::lock_guard<std::mutex> guard(turn);
    if (pending.try_emplace(work->id.dump(), work).second)
      return true;
  }
  sendError(work->id, InvalidRequest, "a request with this id is in progress");
  return false;
}

void Server::State::leave(const Work &work) {
  std::lock_guard<std::mutex> guard(turn);
  pending.erase(work->id.dump());
  changed.notify_all();
}

void Server::State::serveQueue() {
  for (;;) {
    std::function<void()> next;
    {
      std::unique_lock<std::mutex> guard(turn);
      changed.wait(guard, [&] { return ending || !queue.empty(); });
      if (queue.empty())
        return;
      next = std::move(queue.front());
      queue.pop_front();
    }
    next();
    std::lock_guard<std::mutex> guard(turn);
    --calls;
    changed.notify_all();
  }
}

void Server::State::receive(StringRef line) {
  line = line.trim();
  if (line.empty())
    return;
  if (line.size() > options.longestMessage)
    return sendError(nullptr, InvalidRequest,
                     "the message has " + Twine(line.size()) + " bytes, expected at most " +
                         Twine(options.longestMessage));
  // Before a tree is made of it: its depth would end the process.
  if (std::string fault = candidate::findJsonFault(line, {/*levels=*/64, /*members=*/4096}); !fault.empty())
    return sendError(nullptr, InvalidRequest, "the message " + fault);
  Json message = Json::parse(line.begin(), line.end(), nullptr, /*allow_exceptions=*/false);
  if (message.is_discarded())
    return sendError(nullptr, ParseError, "the message is not JSON");
  if (!message.is_object())
    return sendError(nullptr, InvalidRequest, "the message is no object, expected one JSON-RPC message on a line");
  Json id = message.value("id", Json());
  bool hasId = message.contains("id"), idIsRight = id.is_string() || id.is_number_integer();
  if (hasId && !idIsRight)
    return sendError(nullptr, InvalidRequest,
                     "the id is " + Twine(id.type_name()) + ", expected a text or a whole number");
  auto version = message.find("jsonrpc");
  if (version == message.end() || *version != "2.0")
    return sendError(id, InvalidRequest, "\"jsonrpc\" is not \"2.0\"");
  auto method = message.find("method");
  if (method == message.end()) {
    // Nothing is asked of the client, so an answer of it belongs to nothing.
    if (message.contains("result") || message.contains("error"))
      return;
    return sendError(id, InvalidRequest, "the message has no method");
  }
  if (!method->is_string())
    return sendError(id, InvalidRequest, "the method is no text");
  Json params = message.value("params", Json::object());
  StringRef name = method->get_ref<const std::string &>();
  if (!hasId) {
    if (params.is_object())
      notified(name, params);
    return;
  }
  if (!params.is_object())
    return sendError(id, InvalidParams, "params is " + Twine(params.type_name()) + ", expected an object");
  request(id, name, params);
}

void Server::State::notified(StringRef method, const Json &params) {
  if (method != "notifications/cancelled")
    return; // "notifications/initialized", and what a later version may send
  auto target = params.find("requestId");
  if (target == params.end())
    return;
  std::lock_guard<std::mutex> guard(turn);
  auto found = pending.find(target->dump(-1, ' ', false, Json::error_handler_t::replace));
  if (found == pending.end())
    return;
  found->second->unwanted = true;
  found->second->stop = true;
  if (found->second->isSubscription)
    pending.erase(found);
}

/// Whether META holds what each request of a modern version has to; else an error was sent.
bool Server::State::checkMeta(const Json &id, const Json &meta) {
  const Json &version = meta[versionKey];
  if (!version.is_string())
    sendError(id, InvalidParams, Twine("_meta's ") + versionKey + " is " + version.type_name() + ", expected a text");
  else if (!is_contained(modernVersions, StringRef(version.get_ref<const std::string &>())))
    sendError(id, UnsupportedVersion, "Unsupported protocol version",
              {{"supported", versionList(modernVersions)}, {"requested", version}});
  else if (!meta.contains(capabilitiesKey) || !meta[capabilitiesKey].is_object())
    sendError(id, InvalidParams, Twine("_meta lacks the object ") + capabilitiesKey);
  else if (meta.contains(clientKey) && !meta[clientKey].is_object())
    sendError(id, InvalidParams,
              Twine("_meta's ") + clientKey + " is " + meta[clientKey].type_name() + ", expected an object");
  else
    return true;
  return false;
}

void Server::State::request(const Json &id, StringRef method, const Json &params) {
  Json meta = params.value("_meta", Json::object());
  if (!meta.is_object())
    return sendError(id, InvalidParams, "_meta is " + Twine(meta.type_name()) + ", expected an object");
  bool modern = meta.contains(versionKey);
  if (!modern && method == "initialize")
    return initialize(id, params);
  if (modern && !checkMeta(id, meta))
    return;
  if (!modern && legacyVersion.empty() && method != "ping")
    return sendError(id, InvalidParams,
                     Twine("_meta lacks ") + versionKey + "; this server speaks " + modernVersions[0] +
                         ", and after an `initialize` " + join(ArrayRef(legacyVersions), " and "));
  if (method == "server/discover" && modern)
    return sendResult(id, modern,
                      {{"supportedVersions", versionList(modernVersions)},
                       {"capabilities", {{"tools", Json::object()}}},
                       {"instructions", options.instructions},
                       {"ttlMs", 3600000},
                       {"cacheScope", "public"}});
  if (method == "tools/list")
    return listTools(id, modern, params);
  if (method == "tools/call")
    return callTool(id, modern, params);
  if (method == "subscriptions/listen" && modern)
    return listen(id, params);
  if (method == "ping" && !modern)
    return sendResult(id, modern, Json::object());
  sendError(id, MethodNotFound, "Method not found: " + candidate::onOneLine(method.take_front(100)));
}

void Server::State::initialize(const Json &id, const Json &params) {
  auto wanted = params.find("protocolVersion");
  if (wanted == params.end() || !wanted->is_string())
    return sendError(id, InvalidParams, "initialize lacks the text protocolVersion");
  StringRef version = wanted->get_ref<const std::string &>();
  legacyVersion = (is_contained(legacyVersions, version) ? version : StringRef(legacyVersions[0])).str();
  sendResult(id, /*modern=*/false,
             {{"protocolVersion", legacyVersion},
              {"capabilities", {{"tools", Json::object()}}},
              {"serverInfo", serverInfo()},
              {"instructions", options.instructions}});
}

void Server::State::listTools(const Json &id, bool modern, const Json &params) {
  if (params.contains("cursor"))
    return sendError(id, InvalidParams, "the cursor is unknown: all tools are on one page");
  Json list = Json::array();
  for (const Tool &tool : tools)
    list.push_back(tool.describe());
  Json result = {{"tools", std::move(list)}};
  if (modern) {
    result["ttlMs"] = 3600000;
    result["cacheScope"] = "public";
  }
  sendResult(id, modern, std::move(result));
}

void Server::State::callTool(const Json &id, bool modern, const Json &params) {
  auto name = params.find("name");
  if (name == params.end() || !name->is_string())
    return sendError(id, InvalidParams, "tools/call lacks the text name");
  auto tool = find_if(tools, [&](const Tool &tool) { return tool.name == *name; });
  if (tool == tools.end())
    return sendError(id, InvalidParams,
                     "Unknown tool: " +
                         candidate::onOneLine(StringRef(name->get_ref<const std::string &>()).take_front(100)));
  Json arguments = params.value("arguments", Json::object());
  if (!arguments.is_object())
    return sendError(id, InvalidParams, "arguments is " + Twine(arguments.type_name()) + ", expected an object");
  auto work = std::make_shared<Pending>(*this, id, modern);
  if (auto meta = params.find("_meta"); meta != params.end() && meta->contains("progressToken")) {
    work->token = (*meta)["progressToken"];
    if (!work->token.is_string() && !work->token.is_number_integer())
      return sendError(id, InvalidParams,
                       "_meta's progressToken is " + Twine(work->token.type_name()) +
                           ", expected a text or a whole number");
  }
  {
    std::unique_lock<std::mutex> guard(turn);
    if (calls >= options.mostCalls || ending) {
      guard.unlock();
      return sendError(id, InternalError,
                       "too many calls at once: " + Twine(options.mostCalls) + " are in progress or wait");
    }
    ++calls;
  }
  if (!enter(work)) {
    std::lock_guard<std::mutex> guard(turn);
    --calls;
    return;
  }
  std::lock_guard<std::mutex> guard(turn);
  if (threads.size() < options.threads && threads.size() < calls)
    threads.emplace_back([this] { serveQueue(); });
  queue.push_back([this, tool = &*tool, arguments = std::move(arguments), work] {
    runTool(*tool, arguments, work);
    leave(work);
  });
  changed.notify_one();
}

void Server::State::runTool(const Tool &tool, const Json &arguments, const Work &work) {
  if (work->unwanted)
    return;
  Json result;
  auto fail = [&](std::string sentence) {
    result = {{"content", textContent(std::move(sentence))}, {"isError", true}};
  };
  std::string broken;
  try {
    std::string fault = tool.input.findFault(arguments, "the call of " + tool.name);
    if (!fault.empty()) {
      fail(std::move(fault));
    } else if (auto answer = tool.run(arguments, *work)) {
      makePrintable(*answer);
      broken = tool.output.findFault(*answer, "the answer of " + tool.name);
      // Clients from before structured content read the text.
      Json content = textContent(answer->dump(-1, ' ', false, Json::error_handler_t::replace));
      result = {{"content", std::move(content)}, {"structuredContent", std::move(*answer)}, {"isError", false}};
    } else {
      fail(toString(answer.takeError()));
    }
  } catch (const Json::exception &error) {
    broken = error.what();
  }
  if (work->unwanted)
    return;
  if (!broken.empty())
    return sendError(work->id, InternalError, "a bug in kgen-mcp: " + broken);
  sendResult(work->id, work->modern, std::move(result));
}

void Server::State::listen(const Json &id, const Json &params) {
  auto filter = params.find("notifications");
  if (filter == params.end() || !filter->is_object())
    return sendError(id, InvalidParams, "subscriptions/listen lacks the object notifications");
  {
    std::unique_lock<std::mutex> guard(turn);
    size_t open = count_if(pending, [](const auto &entry) { return entry.second->isSubscription; });
    if (open >= options.mostCalls) {
      guard.unlock();
      return sendError(id, InternalError, "too many subscriptions: " + Twine(open) + " are open");
    }
  }
  auto work = std::make_shared<Pending>(*this, id, /*modern=*/true);
  work->isSubscription = true;
  if (!enter(work))
    return;
  // The list of tools does not change and there is nothing else, so of every filter nothing is left.
  send({{"jsonrpc", "2.0"},
        {"method", "notifications/subscriptions/acknowledged"},
        {"params", {{"_meta", {{subscriptionKey, id}}}, {"notifications", Json::object()}}}});
}

Server::Server(std::vector<Tool> tools, ServerOptions options, std::function<void(const std::string &)> send)
    : state(std::make_unique<State>()) {
  state->tools = std::move(tools);
  state->options = std::move(options);
  state->sink = std::move(send);
}

Server::~Server() { finish(0); }

void Server::receive(StringRef line) { state->receive(line); }

void Server::refuseLongMessage() {
  state->sendError(nullptr, InvalidRequest,
                   "the message is longer than " + Twine(state->options.longestMessage) + " bytes and was left out");
}

void Server::finish(double grace) {
  State &s = *state;
  std::vector<State::Work> subscriptions;
  {
    std::unique_lock<std::mutex> guard(s.turn);
    for (auto entry = s.pending.begin(); entry != s.pending.end();)
      if (entry->second->isSubscription) {
        subscriptions.push_back(entry->second);
        entry = s.pending.erase(entry);
      } else {
        ++entry;
      }
    s.changed.wait_for(guard, std::chrono::duration<double>(grace), [&] { return s.calls == 0; });
    for (auto &[id, work] : s.pending)
      work->stop = true;
    s.changed.wait(guard, [&] { return s.calls == 0; });
    s.ending = true;
    s.changed.notify_all();
  }
  for (const State::Work &work : subscriptions)
    s.sendResult(work->id, /*modern=*/true, {{"_meta", {{subscriptionKey, work->id}}}});
  for (std::thread &thread : s.threads)
    thread.join();
  s.threads.clear();
}

} // namespace kgen::mcp
