//===- ChatProposer.cpp ---------------------------------------------------===//

#include "kgen/Propose/ChatProposer.h"

#include "llvm/ADT/Twine.h"

#include <nlohmann/json.hpp>

using namespace llvm;

namespace kgen {

using Json = nlohmann::ordered_json;

StringRef extractJson(StringRef content) {
  content.consume_front("\xEF\xBB\xBF");
  size_t begin = content.find_first_of("{[");
  size_t end = content.find_last_of("}]");
  if (begin == StringRef::npos || end == StringRef::npos || end < begin)
    return content;
  return content.slice(begin, end + 1);
}

namespace {

constexpr StringLiteral badReplyKey = "bad-reply";

std::string dump(const Json &json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

/// The schema is a request, not a guarantee; answers are validated all the same.
Json schemaOf(bool ideas) {
  Json text = {{"type", "string"}};
  Json properties = ideas ? Json{{"key", text}, {"category", text}, {"idea", text}}
                          : Json{{"settings", text}, {"directives", text}, {"cuda", text}, {"plan", text}};
  const char *list = ideas ? "ideas" : "materializations";
  Json required = Json::array();
  for (auto &entry : properties.items())
    required.push_back(entry.key());
  Json item = {{"type", "object"}, {"properties", properties}, {"required", required}, {"additionalProperties", false}};
  Json schema = {{"type", "object"},
                 {"properties", {{list, {{"type", "array"}, {"items", item}}}}},
                 {"required", Json::array({list})},
                 {"additionalProperties", false}};
  return {{"type", "json_schema"}, {"json_schema", {{"name", list}, {"strict", true}, {"schema", schema}}}};
}

/// What the provider's JSON says: the content, or why there is none.
struct Answer {
  std::string content;
  std::string problem;
};

Answer readAnswer(StringRef body) {
  Json json = Json::parse(body.begin(), body.end(), nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || !json.contains("choices") || !json["choices"].is_array() || json["choices"].empty() ||
      !json["choices"][0].is_object())
    return {"", "the provider's answer has no choices[0]"};
  const Json &choice = json["choices"][0];
  Answer answer;
  if (choice.contains("message") && choice["message"].is_object() && choice["message"].contains("content") &&
      choice["message"]["content"].is_string())
    answer.content = choice["message"]["content"];
  std::string finish;
  if (choice.contains("finish_reason") && choice["finish_reason"].is_string())
    finish = choice["finish_reason"];
  if (StringRef(answer.content).trim().empty())
    answer.problem = "the answer is empty";
  else if (finish.empty() || finish == "length")
    answer.problem = "the answer was cut off";
  else if (finish == "content_filter")
    answer.problem = "the provider filtered the answer";
  return answer;
}

class ChatProposer : public Proposer {
public:
  ChatProposer(std::unique_ptr<HttpClient> client, std::unique_ptr<Sleeper> sleeper, const ChatOptions &options)
      : client(std::move(client)), sleeper(std::move(sleeper)), options(options) {}

  Expected<std::vector<Idea>> proposeIdeas(const ProposalContext &context, int n) override {
    std::string problem;
    auto ideas = ask<std::vector<Idea>>(context, nullptr, n, parseIdeas, problem);
    if (ideas && !problem.empty())
      return std::vector<Idea>{{badReplyKey.str(), "No usable idea came back: " + problem, IdeaCategory::Control}};
    return ideas;
  }

  Expected<std::vector<Materialization>> materialize(const ProposalContext &context, const Idea &idea, int n) override {
    std::string problem;
    if (idea.key == badReplyKey) {
      problem = idea.text;
    } else {
      auto list = ask<std::vector<Materialization>>(context, &idea, n, parseMaterializations, problem);
      if (!list || problem.empty())
        return list;
    }
    std::vector<Materialization> dead(1);
    dead[0].problem = problem;
    return dead;
  }

private:
  /// Asks, and once more with the reason when the answer cannot be read; PROBLEM is that of the
  /// second answer.
  template <typename T>
  Expected<T> ask(const ProposalContext &context, const Idea *idea, int n, Expected<T> (*parse)(StringRef),
                  std::string &problem) {
    Json messages = Json::array();
    messages.push_back({{"role", "system"}, {"content", printSystemPrompt()}});
    messages.push_back({{"role", "user"}, {"content", printUserPrompt(context, idea, n)}});
    for (int turn = 0; turn < 2; ++turn) {
      Json request = {{"model", options.model}, {"messages", messages}, {"response_format", schemaOf(!idea)}};
      std::vector<std::string> headers = {"Content-Type: application/json"};
      if (!options.key.empty())
        headers.push_back("Authorization: Bearer " + options.key);
      auto reply = postWithRetry(*client, *sleeper, options.url, headers, dump(request));
      if (!reply)
        return reply.takeError();
      if (reply->status != 200)
        return createStringError("the provider answers " + Twine(reply->status) + ": " + oneLine(reply->body));
      Answer answer = readAnswer(reply->body);
      problem = answer.problem;
      if (problem.empty()) {
        auto parsed = parse(extractJson(answer.content));
        if (parsed)
          return parsed;
        problem = toString(parsed.takeError());
      }
      messages.push_back({{"role", "assistant"}, {"content", answer.content}});
      messages.push_back({{"role", "user"},
                          {"content", "That answer cannot be used: " + problem +
                                          ". Answer again, with JSON alone and in the form described."}});
    }
    return T();
  }

  /// The start of a provider's error page, without what could hold the key.
  std::string oneLine(StringRef text) const {
    std::string line;
    for (char c : text.take_front(300))
      line += (unsigned char)c < 0x20 ? ' ' : c;
    if (!options.key.empty())
      for (size_t at; (at = line.find(options.key)) != std::string::npos;)
        line.replace(at, options.key.size(), "***");
    return line;
  }

  std::unique_ptr<HttpClient> client;
  std::unique_ptr<Sleeper> sleeper;
  ChatOptions options;
};

} // namespace

std::unique_ptr<Proposer> createChatProposer(std::unique_ptr<HttpClient> client, std::unique_ptr<Sleeper> sleeper,
                                             const ChatOptions &options) {
  return std::make_unique<ChatProposer>(std::move(client), std::move(sleeper), options);
}

} // namespace kgen
