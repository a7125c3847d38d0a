//===- PromptText.cpp - Templates, and what fills them --------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PromptText.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"

#include <set>

using namespace llvm;

namespace kgen::propose {

namespace {
struct EmbeddedText {
  const char *file;
  const char *text;
};
const EmbeddedText texts[] = {
#include "PromptTexts.inc"
};
} // namespace

StringRef findPromptText(StringRef file) {
  for (const EmbeddedText &entry : texts)
    if (file == entry.file)
      return entry.text;
  return "";
}

std::string fillPrompt(StringRef text, const std::map<std::string, std::string> &values) {
  std::string out;
  auto valueOf = [&](StringRef name) -> StringRef {
    auto it = values.find(name.str());
    return it == values.end() ? StringRef() : StringRef(it->second);
  };
  std::string until; // the closing line of a part that is dropped
  while (!text.empty()) {
    auto [line, rest] = text.split('\n');
    text = rest;
    if (!until.empty()) {
      if (line == until)
        until.clear();
      continue;
    }
    if (line.starts_with("{{/"))
      continue;
    if (line.starts_with("{{#")) {
      StringRef name = line.drop_front(3).take_until([](char c) { return c == '}'; });
      if (valueOf(name).empty())
        until = ("{{/" + name + "}}").str();
      continue;
    }
    for (size_t open; (open = line.find("{{")) != StringRef::npos;) {
      size_t close = line.find("}}", open);
      if (close == StringRef::npos)
        break;
      out += line.take_front(open);
      out += valueOf(line.slice(open + 2, close)).rtrim('\n');
      line = line.drop_front(close + 2);
    }
    out += line;
    out += '\n';
  }
  return out;
}

std::string listExamples() {
  constexpr std::pair<const char *, const char *> examples[] = {
      {"tile", "A tile in shared memory, warp products"},
      {"pipeline", "A pipeline: copies under way while an older slice is multiplied"},
      {"wgmma", "Tensor copies and warpgroup products, sm_90a"},
      {"tf32", "The same for f32 of class tf32, sm_90a"},
      {"cluster", "A warpgroup that copies, and a cluster that shares its copies, sm_90a"},
  };
  std::string out;
  std::set<StringRef> shown; // paragraphs
  for (const auto &[name, title] : examples) {
    out += (out.empty() ? "### " : "\n### ") + std::string(title) + "\n\n```cuda\n";
    SmallVector<StringRef> paragraphs;
    findPromptText((name + Twine(".cu")).str()).trim('\n').split(paragraphs, "\n\n");
    for (const auto &[i, paragraph] : enumerate(paragraphs))
      out += (i ? "\n" : "") + (shown.insert(paragraph).second ? paragraph.str() : "// ... as above") + "\n";
    out += "```\n\n```json\n" + findPromptText((name + Twine(".plan.json")).str()).str() + "```\n";
  }
  return out;
}

std::string listDirectives() {
  std::string out;
  bool inside = false;   // between a directive's summary and its tables
  int grammarFences = 0; // of the grammar under "Syntax:", which the example says better
  for (StringRef rest = findPromptText("directives.md"), line; !rest.empty();) {
    std::tie(line, rest) = rest.split('\n');
    if (line.consume_front("### ")) {
      out += ("### " + line.take_until([](char c) { return c == '('; }).rtrim() + "\n").str();
      inside = true;
    } else if (line.starts_with("Interfaces:") || line.starts_with("Traits:") || line.starts_with("#### ")) {
      inside = false;
    } else if (line.starts_with("Syntax:")) {
      grammarFences = 2;
    } else if (grammarFences > 0) {
      grammarFences -= line.starts_with("```");
    } else if (inside && !(line.starts_with("_") && line.ends_with("_"))) {
      if (line.empty() && StringRef(out).ends_with("\n\n"))
        continue;
      out += (line + "\n").str();
    }
  }
  return out;
}

/// Functions of the header TEXT: the comment above each and its signature.
static std::string listFunctions(StringRef text) {
  std::string out, comment, signature;
  bool isHost = false;
  for (StringRef line; !text.empty();) {
    std::tie(line, text) = text.split('\n');
    if (line.starts_with("#else") || line.starts_with("#ifdef KGEN_HOST"))
      isHost = line.contains("KGEN_HOST");
    else if (line.starts_with("#endif"))
      isHost = false;
    // What a macro makes is told in words by system.md.
    if (isHost || line.starts_with("#") || line.ends_with("\\"))
      continue;
    if (!signature.empty() || (!line.starts_with(" ") && line.contains("__device__ __forceinline__"))) {
      signature += (signature.empty() ? line : " " + line.trim()).str();
      size_t body = StringRef(signature).find('{');
      // A reference to an array has no brace; the first one opens the body.
      if (body == StringRef::npos)
        continue;
      std::string head = StringRef(signature).take_front(body).rtrim().str();
      for (StringRef word : {"__device__ __forceinline__ ", "static "})
        if (size_t at = head.find(word.str()); at != std::string::npos)
          head.erase(at, word.size());
      out += comment + head + ";\n";
      comment.clear();
      signature.clear();
    } else if (line.starts_with("//") && !line.starts_with("//=")) {
      if (!line.starts_with("// ") && !line.starts_with("/// "))
        continue;
      comment += (line + "\n").str();
    } else {
      comment.clear();
    }
  }
  return out;
}

std::string listDeviceFunctions() {
  std::string out;
  for (const EmbeddedText &entry : texts) {
    StringRef file = entry.file;
    if (!file.ends_with(".cuh"))
      continue;
    out +=
        ("## `#include \"" + file + "\"`, namespace `kgen`\n\n```cuda\n" + listFunctions(entry.text) + "```\n\n").str();
  }
  return out;
}

std::string foldDeviceHeaders(StringRef code) {
  std::string text;
  std::string guard;
  for (StringRef line; !code.empty();) {
    std::tie(line, code) = code.split('\n');
    if (guard.empty() && line.starts_with("#ifndef KGEN_") && line.ends_with("_CUH")) {
      guard = line.drop_front(8).str();
      text += "#include \"" + StringRef(guard).drop_back(4).lower() + ".cuh\"\n";
    }
    if (guard.empty())
      text += (line + "\n").str();
    else if (line.starts_with("#endif") && line.contains(guard))
      guard.clear();
  }
  return text;
}

std::string shortenCode(StringRef code, size_t limit) {
  // kgen inlines its headers into each kernel.cu; nobody needs to read them every time.
  std::string text = foldDeviceHeaders(code);
  if (text.size() <= limit)
    return text;
  // Two thirds from the front, one from the end.
  size_t front = text.rfind('\n', limit * 2 / 3), back = text.find('\n', text.size() - limit / 3);
  if (front == std::string::npos || back == std::string::npos || front >= back)
    return text.substr(0, limit);
  size_t lines = StringRef(text).slice(front + 1, back + 1).count('\n');
  return text.substr(0, front + 1) + "// ... " + std::to_string(lines) + " lines left out ...\n" +
         text.substr(back + 1);
}

} // namespace kgen::propose
