//===- CodeText.cpp - CUDA-C and words, compared as a reader would --------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kgen/Propose/ReplyText.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"

using namespace llvm;

namespace kgen::propose {

std::string normalizeCode(StringRef code) {
  std::string text;
  bool blank = false;
  auto add = [&](StringRef piece) {
    if (blank && !text.empty())
      text += ' ';
    blank = false;
    text += piece;
  };
  for (size_t i = 0; i < code.size();) {
    StringRef rest = code.drop_front(i);
    size_t length = 1;
    if (rest.starts_with("//")) {
      length = std::min(rest.find('\n'), rest.size());
      blank = true;
    } else if (rest.starts_with("/*")) {
      size_t end = rest.find("*/", 2);
      length = end == StringRef::npos ? rest.size() : end + 2;
      blank = true;
    } else if (rest.front() == '"' || rest.front() == '\'') {
      while (length < rest.size() && rest[length] != rest.front() && rest[length] != '\n')
        length += rest[length] == '\\' && length + 1 < rest.size() ? 2 : 1;
      length = std::min(length + 1, rest.size());
      add(rest.take_front(length));
    } else if (isSpace(rest.front())) {
      blank = true;
    } else {
      add(rest.take_front(1));
    }
    i += length;
  }
  return text;
}

std::string normalizeWords(StringRef text) {
  std::string words;
  bool blank = false;
  for (char c : text) {
    if (isSpace(c) || isPunct(c)) {
      blank = !words.empty();
      continue;
    }
    if (blank)
      words += ' ';
    blank = false;
    words += toLower(c);
  }
  return words;
}

/// The number of parameters between the bracket at OPEN and its partner, or -1.
static int countParameters(StringRef code, size_t open) {
  int depth = 0, commas = 0;
  bool any = false;
  for (size_t i = open; i < code.size(); ++i) {
    char c = code[i];
    if (c == '(' || c == '[' || c == '<') {
      ++depth;
    } else if (c == ')' || c == ']' || c == '>') {
      if (--depth == 0)
        return any ? commas + 1 : 0;
    } else if (c == ',' && depth == 1) {
      ++commas;
    } else if (!isSpace(c)) {
      any = true;
    }
  }
  return -1;
}

std::string findSignatureFault(StringRef cuda, StringRef plan) {
  auto json = parseUntrustedJson(plan, "plan");
  if (!json)
    return toString(json.takeError());
  if (!json->is_object() || !json->contains("launches") || !(*json)["launches"].is_array() ||
      (*json)["launches"].empty())
    return "plan has no launches";
  std::string code = normalizeCode(cuda);
  for (size_t n = 0; n < (*json)["launches"].size() && n < 1000; ++n) {
    const nlohmann::json &launch = (*json)["launches"][n];
    std::string place = "plan.launches[" + std::to_string(n) + "]";
    if (!launch.is_object() || !launch.contains("kernel") || !launch["kernel"].is_string())
      return place + " names no kernel";
    std::string name = launch["kernel"];
    // The name as a word before a bracket; the first such place is the definition.
    size_t open = std::string::npos, at = 0;
    auto isWord = [](char c) { return isAlnum(c) || c == '_'; };
    while (!name.empty() && (at = code.find(name, at)) != std::string::npos) {
      size_t end = at + name.size();
      if ((at == 0 || !isWord(code[at - 1])) && end < code.size() &&
          (code[end] == '(' || code.substr(end, 2) == " (")) {
        open = code.find('(', end);
        break;
      }
      at = end;
    }
    if (open == std::string::npos)
      return place + " calls kernel '" + name + "', which the CUDA-C does not define";
    StringRef before = StringRef(code).take_front(open);
    if (size_t global = before.rfind("__global__"); global == StringRef::npos || before.substr(global).contains(';'))
      return place + " calls '" + name + "', which is not a __global__ function";
    int parameters = countParameters(code, open);
    int arguments = launch.contains("args") && launch["args"].is_array() ? int(launch["args"].size()) : 0;
    if (parameters != arguments)
      return place + " gives " + std::to_string(arguments) + " arguments to '" + name + "', which has " +
             std::to_string(parameters) + " parameters";
  }
  if (code.find("extern \"C\"") == std::string::npos)
    return "the CUDA-C has no extern \"C\" kernel";
  return "";
}

} // namespace kgen::propose
