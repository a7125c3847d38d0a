//===- ReplyText.cpp - The JSON in a model's answer -----------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Answers are hostile until they parse. Everything here is linear in their
// length and does not recurse.
//
//===----------------------------------------------------------------------===//

#include "kgen/Propose/ReplyText.h"
#include "kgen/Candidate/UntrustedText.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"

using namespace llvm;

namespace kgen::propose {

using Json = nlohmann::json;

static constexpr int maxDepth = 64;

/// Calls VISIT for each bracket of TEXT outside of strings, with its place and the depth behind it, until VISIT
/// returns false. Text between bracketed stretches is prose: quotes are prose there, and a closing bracket closes
/// nothing.
static void walkBrackets(StringRef text, function_ref<bool(size_t at, int depth)> visit) {
  int depth = 0;
  bool inString = false;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    bool opens = c == '{' || c == '[';
    if (inString) {
      if (c == '\\')
        ++i;
      else if (c == '"')
        inString = false;
    } else if (c == '"') {
      inString = depth > 0;
    } else if (opens || ((c == '}' || c == ']') && depth > 0)) {
      depth += opens ? 1 : -1;
      if (!visit(i, depth))
        return;
    }
  }
}

Expected<Json> parseUntrustedJson(StringRef text, StringRef what) {
  if (std::string fault = candidate::findJsonFault(text, {maxDepth}); !fault.empty())
    return createStringError(what + " " + fault);
  Json json = Json::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded())
    return createStringError(what + " is not valid JSON");
  return json;
}

/// Contents of the Markdown fences in TEXT that look like JSON. A fence starts a line, which nothing
/// inside a JSON string can do.
static SmallVector<StringRef> findFences(StringRef text, bool &isOpen) {
  SmallVector<StringRef> blocks;
  const char *begin = nullptr;
  for (StringRef rest = text; !rest.empty();) {
    auto [line, next] = rest.split('\n');
    if (line.ltrim().starts_with("```")) {
      if (!begin) {
        begin = next.data();
      } else {
        StringRef block(begin, line.data() - begin);
        if (block.ltrim().starts_with("{") || block.ltrim().starts_with("["))
          blocks.push_back(block.trim());
        begin = nullptr;
      }
    }
    rest = next;
  }
  isOpen = begin != nullptr;
  return blocks;
}

/// Bracketed stretches of TEXT that close, in one pass. Of an opening bracket that never closes only
/// the first one is remembered.
static SmallVector<StringRef> findBrackets(StringRef text, bool &isOpen) {
  SmallVector<StringRef> blocks;
  size_t begin = 0;
  int before = 0;
  walkBrackets(text, [&](size_t at, int depth) {
    if (before == 0)
      begin = at;
    else if (depth == 0)
      blocks.push_back(text.slice(begin, at + 1));
    before = depth;
    return true;
  });
  isOpen = before > 0;
  return blocks;
}

/// VALUE's list KEY: itself when it is an array of objects, or its member.
static const Json *findList(const Json &value, StringRef key) {
  if (value.is_array())
    return !value.empty() && value.front().is_object() ? &value : nullptr;
  auto it = value.find(key.str());
  return it != value.end() && it->is_array() ? &*it : nullptr;
}

static Expected<Json> findOnlyList(ArrayRef<StringRef> blocks, StringRef key, bool isOpen) {
  std::optional<Json> found;
  std::string problem;
  // Prose may hold brackets by the thousand; what matters is near the front or nowhere.
  constexpr size_t maxBlocks = 64;
  for (StringRef block : blocks.take_front(maxBlocks)) {
    auto value = parseUntrustedJson(block, "reply");
    if (!value) {
      std::string message = toString(value.takeError());
      if (problem.empty() && block.size() > 20)
        problem = message;
      continue;
    }
    const Json *list = findList(*value, key);
    if (!list) {
      if (problem.empty() && value->is_object())
        problem = ("reply is an object without a list \"" + key + "\"").str();
      continue;
    }
    if (found && *found != *list)
      return createStringError("reply holds several blocks of JSON with \"" + key + "\"; expected one");
    found = *list;
  }
  if (found)
    return std::move(*found);
  if (!problem.empty())
    return createStringError(problem);
  return createStringError(isOpen ? "reply is not valid JSON: it ends within an object or a list"
                                  : "reply holds no JSON");
}

Expected<std::string> extractList(StringRef answer, StringRef key) {
  if (answer.size() > maxReplyBytes)
    return createStringError("reply has " + Twine(answer.size()) + " bytes, at most " + Twine(maxReplyBytes) +
                             " are read");
  answer.consume_front("\xEF\xBB\xBF");
  answer = answer.trim();
  if (answer.empty())
    return createStringError("reply is empty");
  if (std::string disguise = candidate::findDisguise(answer, "reply"); !disguise.empty())
    return createStringError(disguise);
  auto whole =
      answer.front() == '{' || answer.front() == '[' ? parseUntrustedJson(answer, "reply") : Expected<Json>(Json());
  std::optional<Json> list;
  if (whole && !whole->is_null()) {
    if (const Json *found = findList(*whole, key))
      list = *found;
    else if (whole->is_array() && whole->empty())
      list = *whole;
    else
      return createStringError(whole->is_object() ? "reply is an object without a list \"" + key + "\""
                                                  : "reply holds no list of " + key);
  } else {
    std::string problem = whole ? "" : toString(whole.takeError());
    if (StringRef(problem).contains("twice") || StringRef(problem).contains("deeper"))
      return createStringError(problem);
    bool isOpen = false;
    SmallVector<StringRef> blocks = findFences(answer, isOpen);
    if (blocks.empty())
      blocks = findBrackets(answer, isOpen);
    auto found = findOnlyList(blocks, key, isOpen);
    if (!found) {
      std::string message = toString(found.takeError());
      // A hint that a person who copied the answer out of a word processor needs.
      bool curly = answer.contains("\xE2\x80\x9C") || answer.contains("\xE2\x80\x9D");
      return createStringError(message + (curly ? "; it has typographic quotes" : ""));
    }
    list = std::move(*found);
  }
  // Escapes can spell what the bytes do not hold.
  std::string text = list->dump(-1, ' ', false, Json::error_handler_t::replace);
  if (std::string disguise = candidate::findDisguise(text, "reply"); !disguise.empty())
    return createStringError(disguise);
  return text;
}

} // namespace kgen::propose
