//===- Idea.cpp - Questions and answers as JSON ---------------------------===//

#include "kgen/Propose/Idea.h"
#include "kgen/Propose/Proposer.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/SHA256.h"

#include <nlohmann/json.hpp>

using namespace llvm;

namespace kgen {

using Json = nlohmann::ordered_json;

StringRef categoryName(IdeaCategory category) {
  switch (category) {
  case IdeaCategory::Memory:
    return "memory";
  case IdeaCategory::Async:
    return "async";
  case IdeaCategory::DType:
    return "dtype";
  case IdeaCategory::Compute:
    return "compute";
  case IdeaCategory::Parallel:
    return "parallel";
  case IdeaCategory::Control:
    return "control";
  }
  return "compute";
}

std::optional<IdeaCategory> parseIdeaCategory(StringRef word) {
  return StringSwitch<std::optional<IdeaCategory>>(word)
      .Case("memory", IdeaCategory::Memory)
      .Case("async", IdeaCategory::Async)
      .Case("dtype", IdeaCategory::DType)
      .Case("compute", IdeaCategory::Compute)
      .Case("parallel", IdeaCategory::Parallel)
      .Case("control", IdeaCategory::Control)
      .Default(std::nullopt);
}

std::string hashText(StringRef text) {
  auto digest = SHA256::hash(arrayRefFromStringRef(text));
  return toHex(digest, /*LowerCase=*/true);
}

/// Replies hold whatever a model wrote; bytes that are not UTF-8 are replaced, never thrown on.
static std::string dump(const Json &json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

static Json toJson(const Idea &idea) {
  return {{"key", idea.key}, {"category", categoryName(idea.category).str()}, {"idea", idea.text}};
}

static Json toJson(const TensorFact &tensor) { return {{"dtype", tensor.dtype}, {"shape", tensor.shape}}; }

static Json toJson(const std::vector<TensorFact> &tensors) {
  Json list = Json::array();
  for (const TensorFact &tensor : tensors)
    list.push_back(toJson(tensor));
  return list;
}

std::string printRequest(const ProposalContext &context, StringRef stage, const Idea *idea, int n) {
  Json request;
  request["stage"] = stage.str();
  request["slot"] = context.slot;
  request["n"] = n;
  request["seed"] = context.seed;
  request["device"] = context.device;
  request["precision"] = context.precision;
  request["chip"] = {{"arch", context.chip.arch},
                     {"shared_bytes_per_block", context.chip.sharedBytesPerBlock},
                     {"multiprocessors", context.chip.multiprocessors}};
  Json ops = Json::array();
  for (const OpFact &op : context.facts.ops)
    ops.push_back({{"name", op.name},
                   {"operands", toJson(op.operands)},
                   {"results", toJson(op.results)},
                   {"attributes", op.attributes},
                   {"users", op.users},
                   {"flops", op.flops}});
  request["graph"] = {{"name", context.facts.name},
                      {"inputs", toJson(context.facts.inputs)},
                      {"outputs", toJson(context.facts.outputs)},
                      {"ops", std::move(ops)},
                      {"flops", context.facts.flops},
                      {"compulsory_bytes", context.facts.compulsoryBytes},
                      {"text", context.graph}};
  request["generic_us"] = context.genericUs;
  request["floor_us"] = context.floorUs;
  const ParentSummary &parent = context.parent;
  request["parent"] = {{"id", parent.id},          {"settings", parent.label},      {"notes", parent.notes},
                       {"time_us", parent.timeUs}, {"diagnosis", parent.diagnosis}, {"directives", parent.directives},
                       {"cuda", parent.cuda}};
  Json history = Json::array();
  for (const TriedBranch &tried : context.history) {
    Json entry = toJson(tried.idea);
    entry["id"] = tried.id;
    entry["parent"] = tried.parent;
    entry["settings"] = tried.label;
    entry["verdict"] = tried.verdict;
    entry["detail"] = tried.detail;
    entry["time_us"] = tried.timeUs;
    history.push_back(std::move(entry));
  }
  request["history"] = std::move(history);
  if (idea)
    request["idea"] = toJson(*idea);
  return dump(request);
}

std::string printIdeas(const std::vector<Idea> &ideas) {
  Json list = Json::array();
  for (const Idea &idea : ideas)
    list.push_back(toJson(idea));
  return dump(list);
}

std::string printMaterializations(const std::vector<Materialization> &list) {
  Json json = Json::array();
  for (const Materialization &m : list) {
    Json entry = {{"settings", m.label}};
    if (!m.directives.empty())
      entry["directives"] = m.directives;
    if (!m.cuda.empty()) {
      entry["cuda"] = m.cuda;
      entry["plan"] = m.plan;
    }
    if (!m.notes.empty())
      entry["notes"] = m.notes;
    if (!m.problem.empty())
      entry["problem"] = m.problem;
    json.push_back(std::move(entry));
  }
  return dump(json);
}

/// The value of KEY when it is a string, else "".
static std::string stringAt(const Json &object, const char *key) {
  auto it = object.find(key);
  return it != object.end() && it->is_string() ? it->get<std::string>() : std::string();
}

/// The array that TEXT holds: itself, or the value of KEY in an object, which is how providers that
/// insist on an object at the top answer.
static Expected<Json> parseList(StringRef text, const char *key) {
  // A parser without a limit on depth would overflow the stack on a hostile reply.
  constexpr int maxDepth = 64;
  bool tooDeep = false;
  Json::parser_callback_t guard = [&](int depth, Json::parse_event_t, Json &) {
    tooDeep |= depth > maxDepth;
    return depth <= maxDepth;
  };
  int nesting = 0, deepest = 0;
  bool inString = false;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (inString) {
      if (c == '\\')
        ++i;
      else if (c == '"')
        inString = false;
    } else if (c == '"') {
      inString = true;
    } else if (c == '[' || c == '{') {
      deepest = std::max(deepest, ++nesting);
    } else if (c == ']' || c == '}') {
      --nesting;
    }
  }
  if (deepest > maxDepth)
    return createStringError("reply nests deeper than 64 levels");
  Json json = Json::parse(text.begin(), text.end(), guard, /*allow_exceptions=*/false);
  if (json.is_discarded() || tooDeep)
    return createStringError("reply is not valid JSON");
  if (json.is_object()) {
    auto it = json.find(key);
    if (it == json.end())
      return createStringError(Twine("reply is an object without \"") + key + "\"");
    json = Json(*it);
  }
  if (!json.is_array())
    return createStringError(Twine("reply holds no list of ") + key);
  return json;
}

Expected<std::vector<Idea>> parseIdeas(StringRef text) {
  auto list = parseList(text, "ideas");
  if (!list)
    return list.takeError();
  std::vector<Idea> ideas;
  for (size_t i = 0; i < list->size(); ++i) {
    const Json &entry = (*list)[i];
    Idea idea;
    if (entry.is_object()) {
      idea.key = stringAt(entry, "key");
      idea.text = stringAt(entry, "idea");
    }
    if (StringRef(idea.text).trim().empty())
      return createStringError("ideas[" + Twine(i) + "] has no text in \"idea\"");
    std::string word = stringAt(entry, "category");
    auto category = parseIdeaCategory(word);
    if (!category)
      return createStringError("ideas[" + Twine(i) + "].category is \"" + word +
                               "\", expected memory, async, dtype, compute, parallel or control");
    idea.category = *category;
    if (idea.key.empty())
      idea.key = hashText(idea.text).substr(0, 8);
    ideas.push_back(std::move(idea));
  }
  return ideas;
}

Expected<std::vector<Materialization>> parseMaterializations(StringRef text) {
  auto list = parseList(text, "materializations");
  if (!list)
    return list.takeError();
  std::vector<Materialization> result;
  for (size_t i = 0; i < list->size(); ++i) {
    const Json &entry = (*list)[i];
    if (!entry.is_object())
      return createStringError("materializations[" + Twine(i) + "] is not an object");
    Materialization m;
    m.label = stringAt(entry, "settings");
    m.directives = stringAt(entry, "directives");
    m.cuda = stringAt(entry, "cuda");
    m.notes = stringAt(entry, "notes");
    m.problem = stringAt(entry, "problem");
    if (!m.problem.empty()) {
      result.push_back(std::move(m));
      continue;
    }
    auto plan = entry.find("plan"); // a model may write the plan as JSON rather than as a string of it
    if (plan != entry.end())
      m.plan = plan->is_string() ? plan->get<std::string>() : plan->is_object() ? dump(*plan) : std::string();
    if (m.directives.empty() == m.cuda.empty())
      return createStringError("materializations[" + Twine(i) +
                               "] needs either \"directives\" or \"cuda\" with \"plan\"");
    if (!m.cuda.empty() && m.plan.empty())
      return createStringError("materializations[" + Twine(i) + "] has \"cuda\" but no \"plan\"");
    result.push_back(std::move(m));
  }
  return result;
}

} // namespace kgen
