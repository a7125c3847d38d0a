//===- CudaTemplate.cpp - Kernel templates and how they are filled in -----===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kgen/Kernels/CudaTemplate.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

using llvm::StringRef;

namespace kgen::kernels {

namespace {
struct EmbeddedTemplate {
  const char *file;
  const char *text;
};
} // namespace

static const EmbeddedTemplate embeddedTemplates[] = {
#include "CudaTemplates.inc"
};

StringRef findCudaTemplate(StringRef file) {
  for (const EmbeddedTemplate &entry : embeddedTemplates)
    if (file == entry.file)
      return entry.text;
  return "";
}

StringRef deviceHeader() { return findCudaTemplate("kgen_device.cuh"); }

std::string hopperHeader() {
  auto [before, after] = findCudaTemplate("kgen_hopper.cuh").split("#include \"kgen_device.cuh\"\n");
  return (before + after).str();
}

TemplateSizes findTemplateSizes(StringRef file) {
  TemplateSizes sizes;
  llvm::SmallVector<StringRef> lines;
  findCudaTemplate(file).split(lines, '\n');
  for (StringRef line : lines) {
    if (line.consume_front("//@ asserts "))
      sizes.conditions.push_back(line.trim());
    if (!line.consume_front("//@ sizes ") || !sizes.threads.empty())
      continue;
    auto [threads, rest] = line.split('|');
    auto [bytes, blocks] = rest.split('|');
    sizes.threads = threads.trim();
    sizes.bytes = bytes.trim();
    sizes.blocks = blocks.trim();
  }
  return sizes;
}

/// LINE with each identifier that starts with `example` renamed.
static std::string renamed(StringRef line, StringRef name) {
  constexpr StringRef placeholder = "example";
  auto isWord = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  std::string out;
  while (true) {
    size_t at = line.find(placeholder);
    if (at == StringRef::npos)
      return out + line.str();
    bool startsWord = at == 0 || !isWord(line[at - 1]);
    out += line.take_front(at);
    out += startsWord ? name : placeholder;
    line = line.drop_front(at + placeholder.size());
  }
}

StringRef templateBody(StringRef file) {
  StringRef text = findCudaTemplate(file);
  while (text.starts_with("//") && !text.starts_with("//@"))
    text = text.split('\n').second;
  return text;
}

std::string fillTemplate(StringRef text, const TemplateFill &fill) {
  std::string out;
  // One entry per open block: whether its lines are kept.
  llvm::SmallVector<bool> open = {true};
  auto openIf = [&](bool condition) { open.push_back(open.back() && condition); };
  bool blank = true;
  auto append = [&](StringRef line) {
    bool isBlank = line.trim().empty();
    if (!(isBlank && blank))
      out += (line + "\n").str();
    blank = isBlank;
  };
  while (!text.empty()) {
    StringRef line;
    std::tie(line, text) = text.split('\n');
    StringRef directive = line.trim();
    if (directive.consume_front("#if ")) {
      openIf(fill.sections.contains(directive.trim()));
      continue;
    }
    if (directive == "#else") {
      bool wasKept = open.pop_back_val();
      openIf(!wasKept);
      continue;
    }
    if (directive == "#endif") {
      open.pop_back();
      continue;
    }
    if (!directive.consume_front("//@")) {
      if (open.back())
        append(renamed(line, fill.name));
      continue;
    }
    auto [verb, argument] = directive.trim().split(' ');
    argument = argument.trim();
    if (verb == "end") {
      open.pop_back();
    } else if (verb == "section") {
      openIf(fill.sections.contains(argument));
    } else if (verb == "replace") {
      auto found = fill.replacements.find(argument);
      bool replaced = found != fill.replacements.end();
      if (replaced && open.back()) {
        llvm::SmallVector<StringRef> lines;
        StringRef(found->second).rtrim('\n').split(lines, '\n');
        for (StringRef inserted : lines)
          append(inserted);
      }
      openIf(!replaced);
    }
  }
  return out;
}

} // namespace kgen::kernels
