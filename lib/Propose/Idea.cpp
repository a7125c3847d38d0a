//===- Idea.cpp - Answers as JSON -----------------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kgen/Propose/Idea.h"
#include "JsonFields.h"
#include "kgen/Propose/Proposer.h"
#include "kgen/Propose/ReplyText.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/SHA256.h"

#include <nlohmann/json.hpp>

using namespace llvm;

namespace kgen::propose {

using Json = nlohmann::ordered_json;

std::string hashText(StringRef text) {
  auto digest = SHA256::hash(arrayRefFromStringRef(text));
  return toHex(digest, /*LowerCase=*/true);
}

/// Replies hold whatever a model wrote; bytes that are not UTF-8 are replaced, never thrown on.
static std::string dump(const Json &json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

static Json toJson(const Idea &idea) {
  Json json = {{"key", idea.key}, {"category", ideas::categoryName(idea.category).str()}, {"idea", idea.text}};
  if (!idea.by.empty())
    json["by"] = idea.by;
  return json;
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
    if (m.priorUs > 0)
      entry["prior_us"] = m.priorUs;
    if (!m.problem.empty())
      entry["problem"] = m.problem;
    json.push_back(std::move(entry));
  }
  return dump(json);
}

/// The array that TEXT holds: itself, or the value of KEY in an object, which is how providers that
/// insist on an object at the top answer.
static Expected<nlohmann::json> parseList(StringRef text, const char *key) {
  auto json = parseUntrustedJson(text, "reply");
  if (!json)
    return json;
  if (json->is_object()) {
    auto it = json->find(key);
    if (it == json->end())
      return createStringError(Twine("reply is an object without \"") + key + "\"");
    json = nlohmann::json(*it);
  }
  if (!json->is_array())
    return createStringError(Twine("reply holds no list of ") + key);
  return json;
}

Expected<std::vector<Idea>> parseIdeas(StringRef text) {
  auto list = parseList(text, "ideas");
  if (!list)
    return list.takeError();
  std::vector<Idea> ideas;
  for (size_t i = 0; i < list->size(); ++i) {
    const nlohmann::json &entry = (*list)[i];
    Idea idea;
    idea.key = stringAt(entry, "key");
    idea.text = stringAt(entry, "idea");
    idea.by = stringAt(entry, "by");
    if (StringRef(idea.text).trim().empty())
      return createStringError("ideas[" + Twine(i) + "] has no text in \"idea\"");
    std::string word = stringAt(entry, "category");
    auto category = ideas::parseIdeaCategory(word);
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
    const nlohmann::json &entry = (*list)[i];
    if (!entry.is_object())
      return createStringError("materializations[" + Twine(i) + "] is not an object");
    Materialization m;
    m.label = stringAt(entry, "settings");
    m.directives = stringAt(entry, "directives");
    m.cuda = stringAt(entry, "cuda");
    m.notes = stringAt(entry, "notes");
    if (auto prior = entry.find("prior_us"); prior != entry.end() && prior->is_number())
      m.priorUs = prior->get<double>();
    m.problem = stringAt(entry, "problem");
    if (!m.problem.empty()) {
      result.push_back(std::move(m));
      continue;
    }
    auto plan = entry.find("plan"); // a model may write the plan as JSON rather than as a string of it
    if (plan != entry.end())
      m.plan = plan->is_string() ? plan->get<std::string>() : plan->is_object() ? plan->dump() : std::string();
    if (m.directives.empty() == m.cuda.empty())
      return createStringError("materializations[" + Twine(i) +
                               "] needs either \"directives\" or \"cuda\" with \"plan\"");
    if (!m.cuda.empty() && m.plan.empty())
      return createStringError("materializations[" + Twine(i) + "] has \"cuda\" but no \"plan\"");
    result.push_back(std::move(m));
  }
  return result;
}

} // namespace kgen::propose
