//===- ModelProposer.cpp - Ideas from a language model --------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kgen/Propose/ModelProposer.h"
#include "PromptText.h"
#include "kgen/Propose/ReplyText.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

#include <chrono>
#include <set>

using namespace llvm;

namespace kgen::propose {

using Json = nlohmann::ordered_json;

StringRef finishName(FinishReason reason) {
  return reason == FinishReason::Complete ? "complete" : reason == FinishReason::CutOff ? "cut-off" : "refused";
}

FinishReason parseFinish(StringRef name) {
  return name == "complete" ? FinishReason::Complete : name == "refused" ? FinishReason::Refused : FinishReason::CutOff;
}

std::string hashQuestion(StringRef model, const ModelQuestion &question) {
  Json json = {
      {"model", model.str()}, {"slot", question.slot}, {"system", question.system}, {"schema", question.schema}};
  for (const ModelTurn &turn : question.turns)
    json["turns"].push_back({{"role", turn.role}, {"text", turn.text}});
  return hashText(json.dump(-1, ' ', false, Json::error_handler_t::replace));
}

std::string completePlan(StringRef plan, StringRef round0) {
  Json head = Json::parse(round0.begin(), round0.end(), nullptr, /*allow_exceptions=*/false);
  Json given = Json::parse(plan.begin(), plan.end(), nullptr, /*allow_exceptions=*/false);
  if (!head.is_object() || !given.is_object())
    return plan.str();
  for (const char *key : {"workspace", "launches"})
    head[key] = given.contains(key) ? given[key] : Json::array();
  // What else a plan may hold, tensor maps and the like, is the proposer's too.
  static const std::set<std::string> fixed = {"version", "problem", "arch", "precision", "inputs", "outputs"};
  for (auto &entry : given.items())
    if (!fixed.count(entry.key()))
      head[entry.key()] = entry.value();
  return head.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// What makes a way another one. What was recorded has kgen's headers inlined, an answer includes them.
static std::string codeOf(const Materialization &way) {
  return normalizeCode(way.directives + "\n" + foldDeviceHeaders(way.cuda));
}

bool isAnswered(const Materialization &way, StringRef answer) {
  auto text = extractList(answer, "materializations");
  if (!text) {
    consumeError(text.takeError());
    return false;
  }
  auto list = parseMaterializations(*text);
  if (!list) {
    consumeError(list.takeError());
    return false;
  }
  return any_of(*list, [&](const Materialization &m) { return codeOf(m) == codeOf(way); });
}

namespace {

constexpr StringLiteral badReplyKey = "bad-reply";

/// What may come back in later prompts, in bytes: a model must not make the next question cost what it likes.
constexpr size_t longestIdea = 4000, longestKey = 200, longestSettings = 1000, longestDirectives = 64 << 10,
                 longestCuda = 256 << 10, longestProblem = 1000;

/// An Error when TEXT, which PLACE names, is longer than MOST bytes.
Error checkLength(const Twine &place, StringRef text, size_t most) {
  if (text.size() <= most)
    return Error::success();
  return createStringError(place + " has " + Twine(text.size()) + " bytes, at most " + Twine(most) + " are read");
}

class ModelProposer : public Proposer {
public:
  ModelProposer(std::unique_ptr<Model> model, ExchangeLog *log, WaitObserver waiting)
      : model(std::move(model)), log(log), waiting(std::move(waiting)) {}

  Expected<std::vector<Idea>> proposeIdeas(const ProposalContext &context, int n) override {
    std::vector<Idea> ideas;
    auto problem = ask(context, "ideas", nullptr, nullptr, n, [&](StringRef list) {
      auto parsed = parseIdeas(list);
      if (!parsed)
        return parsed.takeError();
      for (size_t i = 0; i < parsed->size(); ++i) {
        std::string place = "ideas[" + std::to_string(i) + "]";
        if (Error error = checkLength(place + ".idea", (*parsed)[i].text, longestIdea))
          return error;
        if (Error error = checkLength(place + ".key", (*parsed)[i].key, longestKey))
          return error;
      }
      ideas = withoutKnown(std::move(*parsed), context);
      return ideas.empty() ? createStringError("every idea in it was tried on this parent") : Error::success();
    });
    if (!problem)
      return problem.takeError();
    if (!problem->empty())
      ideas = {{badReplyKey.str(), "No usable idea came back: " + *problem, ideas::IdeaCategory::Control, ""}};
    return ideas;
  }

  Expected<std::vector<Materialization>> materialize(const ProposalContext &context, const Idea &idea, int n) override {
    // What went wrong with the ideas is the branch's verdict.
    if (idea.key == badReplyKey)
      return dead(idea.text);
    return askHow(context, "materialize", idea, nullptr, n);
  }

  std::vector<TokenUsage> takeUsage() override { return std::exchange(billed, {}); }

  bool canRepair() const override { return true; }
  Expected<std::vector<Materialization>> repair(const ProposalContext &context, const Idea &idea,
                                                const FailedBranch &failed) override {
    return askHow(context, "repair", idea, &failed, 1);
  }

private:
  static std::vector<Materialization> dead(const std::string &problem) {
    std::vector<Materialization> list(1);
    list[0].problem = problem;
    return list;
  }

  Expected<std::vector<Materialization>> askHow(const ProposalContext &context, StringRef stage, const Idea &idea,
                                                const FailedBranch *failed, int n) {
    std::vector<Materialization> list;
    auto problem = ask(context, stage, &idea, failed, n, [&](StringRef text) {
      auto parsed = parseMaterializations(text);
      if (!parsed)
        return parsed.takeError();
      if (parsed->empty())
        return createStringError("the list of materializations is empty");
      return accept(std::move(*parsed), context, failed, list);
    });
    if (!problem)
      return problem.takeError();
    return problem->empty() ? std::move(list) : dead(*problem);
  }

  /// Checks PARSED against what it has to fit, and takes each way once.
  static Error accept(std::vector<Materialization> parsed, const ProposalContext &context, const FailedBranch *failed,
                      std::vector<Materialization> &list) {
    std::set<std::string> seen;
    if (failed)
      seen.insert(codeOf(failed->materialization) + failed->materialization.plan);
    list.clear();
    for (size_t i = 0; i < parsed.size(); ++i) {
      Materialization &m = parsed[i];
      if (!m.problem.empty())
        return createStringError("materializations[" + Twine(i) +
                                 "] is a problem, not a way: " + StringRef(m.problem).take_front(200));
      std::string place = "materializations[" + std::to_string(i) + "]";
      for (auto [name, text, most] :
           {std::tuple(".settings", &m.label, longestSettings),
            std::tuple(".directives", &m.directives, longestDirectives), std::tuple(".cuda", &m.cuda, longestCuda)})
        if (Error error = checkLength(place + name, *text, most))
          return error;
      // kgen's own, never a model's.
      m.notes.clear();
      m.priorUs = 0;
      if (!m.cuda.empty()) {
        if (std::string fault = findSignatureFault(m.cuda, m.plan); !fault.empty())
          return createStringError("materializations[" + Twine(i) + "]: " + fault);
        if (!context.plan.empty())
          m.plan = completePlan(m.plan, context.plan);
      }
      if (seen.insert(codeOf(m) + m.plan).second)
        list.push_back(std::move(m));
    }
    if (list.empty())
      return createStringError(failed ? "it is the branch that failed, unchanged" : "it holds nothing new");
    return Error::success();
  }

  /// IDEAS without those that this parent had already, in the same words.
  static std::vector<Idea> withoutKnown(std::vector<Idea> ideas, const ProposalContext &context) {
    std::set<std::string> known;
    for (const TriedBranch &tried : context.history)
      if (tried.parent == context.parent.id)
        known.insert(normalizeWords(tried.idea.text));
    std::vector<Idea> fresh;
    for (Idea &idea : ideas) {
      if (idea.key == badReplyKey)
        idea.key = "idea";
      idea.by.clear(); // the search says whose it is
      if (known.insert(normalizeWords(idea.text)).second)
        fresh.push_back(std::move(idea));
    }
    return fresh;
  }

  /// Asks, and once more with the reason when USE refuses the answer's list. The value is the reason
  /// of the second refusal, or "".
  Expected<std::string> ask(const ProposalContext &context, StringRef stage, const Idea *idea,
                            const FailedBranch *failed, int n, function_ref<Error(StringRef list)> use) {
    ModelQuestion question;
    question.slot = context.slot + (stage == "ideas" ? "/ideas" : "");
    question.system = printSystemPrompt();
    question.form = stage == "ideas" ? "ideas" : "materializations";
    question.schema = printAnswerSchema(stage);
    question.turns.push_back({"user", printUserPrompt(context, stage, idea, failed, n)});
    for (int turn = 0;; ++turn) {
      auto reply = exchange(question);
      if (!reply)
        return reply.takeError();
      std::string problem = StringRef(judge(*reply, question, use)).take_front(longestProblem).str();
      if (problem.empty() || turn == 1)
        return problem;
      question.slot += "/again";
      // A model does not need megabytes of its own mistake back.
      question.turns.push_back({"assistant", reply->text.empty() ? "(nothing)" : reply->text.substr(0, 60000)});
      question.turns.push_back({"user", "That answer cannot be used: " + problem +
                                            ". Answer again, with JSON alone and in the form described."});
    }
  }

  static std::string judge(const ModelReply &reply, const ModelQuestion &question,
                           function_ref<Error(StringRef list)> use) {
    if (reply.finish == FinishReason::Refused)
      return "the model declined to answer" +
             (reply.refusal.empty() ? std::string() : ": " + StringRef(reply.refusal).take_front(200).str());
    if (StringRef(reply.text).trim().empty())
      return "the answer is empty";
    if (reply.finish == FinishReason::CutOff)
      return "the answer was cut off";
    auto list = extractList(reply.text, question.form);
    if (!list)
      return toString(list.takeError());
    Error error = use(*list);
    return error ? toString(std::move(error)) : "";
  }

  /// The recorded answer to QUESTION, or a new one, recorded.
  Expected<ModelReply> exchange(const ModelQuestion &question) {
    Exchange entry;
    entry.model = model->getName();
    entry.hash = hashQuestion(entry.model, question);
    if (log)
      if (auto known = log->find(entry.hash)) {
        count(known->usage); // paid by a process that died before what it meant was recorded
        return *known;
      }
    auto begin = std::chrono::steady_clock::now();
    if (waiting) {
      ModelWait wait;
      wait.model = entry.model;
      waiting(&wait);
    }
    auto reply = model->ask(question);
    if (waiting)
      waiting(nullptr);
    if (!reply)
      return reply;
    entry.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    entry.question = question;
    entry.reply = *reply;
    count(reply->usage);
    if (log)
      if (Error error = log->record(entry))
        return std::move(error);
    return reply;
  }

  void count(const ModelUsage &usage) {
    if (billed.empty())
      billed.push_back({model->getName()});
    TokenUsage &sum = billed.front();
    ++sum.requests;
    sum.input += usage.input;
    sum.cached += usage.cached;
    sum.output += usage.output;
    sum.reasoning += usage.reasoning;
  }

  std::unique_ptr<Model> model;
  ExchangeLog *log;
  WaitObserver waiting;
  std::vector<TokenUsage> billed; ///< since the last takeUsage(): none or one entry
};

} // namespace

std::unique_ptr<Proposer> createModelProposer(std::unique_ptr<Model> model, ExchangeLog *log, WaitObserver waiting) {
  return std::make_unique<ModelProposer>(std::move(model), log, std::move(waiting));
}

} // namespace kgen::propose
