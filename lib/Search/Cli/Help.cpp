//===- Help.cpp - What kgen-search says of itself -------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CommandTable.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace kgen::search {
namespace {

constexpr OptionGroup groups[] = {OptionGroup::What, OptionGroup::HowFar, OptionGroup::Ideas, OptionGroup::Trust,
                                  OptionGroup::Output};

/// TEXT in lines of at most WIDTH, each further one behind INDENT blanks; the first begins at COLUMN. A line of TEXT
/// that begins with two blanks stays as it is.
void printWrapped(raw_ostream &os, StringRef text, size_t column, size_t indent, size_t width) {
  bool first = true;
  for (StringRef line : split(text, '\n')) {
    if (!first) {
      os << '\n';
      os.indent(indent);
      column = indent;
    }
    first = false;
    if (line.starts_with("  ")) {
      os << line;
      continue;
    }
    bool begun = false;
    for (StringRef word : split(line, ' ')) {
      if (begun && column + 1 + word.size() > width) {
        os << '\n';
        os.indent(indent);
        column = indent;
        begun = false;
      }
      if (begun)
        os << ' ';
      os << word;
      column += word.size() + begun;
      begun = true;
    }
  }
  os << '\n';
}

/// NAME in a column of its own, and TEXT beside it, or below it where NAME is too long.
void printEntry(raw_ostream &os, StringRef name, StringRef text, size_t indent, size_t width) {
  os << "  " << name;
  if (name.size() + 4 > indent) {
    os << '\n';
    os.indent(indent);
  } else {
    os.indent(indent - 2 - name.size());
  }
  printWrapped(os, text, indent, indent, width);
}

std::string helpOf(const OptionSpec &option) {
  if (option.fallback.empty())
    return option.help.str();
  // With a list of values the default stands before it.
  std::string words = ("(default: " + option.fallback + ")").str();
  return option.help.contains('\n') ? words + "\n" + option.help.str() : option.help.str() + " " + words;
}

std::string nameOf(const OptionSpec &option) {
  return option.name.str() + (option.value.empty() ? "" : " " + option.value.str());
}

std::string usageOf(const CommandSpec &command, ArrayRef<OptionSpec> options) {
  std::string usage = "kgen-search";
  if (command.kind == SearchCommand::Search)
    usage += " --problem NAME|FILE.mlir|FILE.py";
  else
    usage += " " + command.name.str();
  if (command.kind == SearchCommand::ComparePolicies)
    usage += " --problem P --branches N";
  if (StringRef words = command.operandWords(); !words.empty())
    usage += " " + words.str();
  if (any_of(options, [&](const OptionSpec &option) { return option.goesWith(command.kind); }))
    usage += " [options]";
  return usage;
}

void printCommand(raw_ostream &os, const CommandSpec &command, size_t width) {
  std::vector<OptionSpec> options = optionTable();
  os << "usage: " << usageOf(command, options) << "\n\n";
  printWrapped(os, command.summary, 0, 0, width);
  if (!command.text.empty()) {
    os << "\n";
    printWrapped(os, command.text, 0, 0, width);
  }
  // One heading for a few options would be more lines than they are.
  size_t count = count_if(options, [&](const OptionSpec &option) { return option.goesWith(command.kind); });
  constexpr size_t indent = 22, few = 8;
  if (count && count <= few)
    os << "\noptions:\n";
  for (OptionGroup group : groups) {
    bool titled = count <= few;
    for (const OptionSpec &option : options) {
      if (option.group != group || !option.goesWith(command.kind))
        continue;
      if (!titled)
        os << "\n" << groupTitle(group) << ":\n";
      titled = true;
      printEntry(os, nameOf(option), helpOf(option), indent, width);
    }
  }
}

void printOverview(raw_ostream &os, size_t width) {
  os << "kgen-search: look for the fastest kernel that computes an op graph\n\nusage:\n";
  std::vector<OptionSpec> options = optionTable();
  os << "  " << usageOf(commandSpec(SearchCommand::Search), options) << "\n  kgen-search COMMAND [RUN] [options]\n";
  os << "\nfirst steps:\n"
        "  kgen-search --problem conv_relu_maxpool\n"
        "  kgen-search report runs/conv_relu_maxpool\n"
        "  kgen-search search --help\n"
        "\ncommands:\n";
  constexpr size_t indent = 22;
  for (const CommandSpec &command : commandTable())
    printEntry(os, command.name.str() + (command.operandWords().empty() ? "" : " " + command.operandWords().str()),
               command.summary, indent, width);
  os << "\noptions of a search that most begin with (all: kgen-search search --help):\n";
  for (const OptionSpec &option : options)
    if (option.goesWith(SearchCommand::Search) &&
        is_contained({"--problem", "--device", "--rounds", "--max-minutes", "--out"}, option.name))
      printEntry(os, nameOf(option), helpOf(option), indent, width);
  printEntry(os, "--llm WHO", "who has ideas: builtin, a catalogue without a model (the default), or a model", indent,
             width);
  os << "\n";
  printWrapped(os,
               "Every command has its own --help; options may stand before RUN and after it. --version says which "
               "kgen this is. Long texts: docs/tutorial.md, docs/search.md, docs/llm.md.",
               0, 0, width);
}

/// A cell of a markdown table.
std::string cell(StringRef text) {
  std::string out;
  for (char c : text)
    out += c == '|' ? std::string("\\|") : c == '\n' ? std::string("<br>") : std::string(1, c);
  return out;
}

} // namespace

std::string printSearchHelp(std::optional<SearchCommand::Kind> about, int columns) {
  std::string text;
  raw_string_ostream os(text);
  size_t width = std::clamp(columns, 50, 100);
  if (about)
    printCommand(os, commandSpec(*about), width);
  else
    printOverview(os, width);
  return text;
}

std::string printSearchReference() {
  std::string text;
  raw_string_ostream os(text);
  os << "# kgen-search: commands and options\n";
  std::vector<OptionSpec> options = optionTable();
  for (const CommandSpec &command : commandTable()) {
    os << "\n## " << command.name << "\n\n" << command.summary << "\n\n    " << usageOf(command, options) << "\n\n";
    bool listed = false;
    for (StringRef line : split(command.text, '\n')) {
      // Examples are code, which a blank line begins.
      if (line.starts_with("  ") && !listed)
        os << "\n";
      listed = line.starts_with("  ");
      os << (listed ? "  " : "") << line << "\n";
    }
    bool titled = false;
    for (OptionGroup group : groups)
      for (const OptionSpec &option : options) {
        if (option.group != group || !option.goesWith(command.kind))
          continue;
        if (!titled)
          os << "\n| option | default | meaning |\n|---|---|---|\n";
        titled = true;
        os << "| `" << cell(nameOf(option)) << "` | " << cell(option.fallback) << " | " << cell(option.help) << " |\n";
      }
  }
  return text;
}

} // namespace kgen::search
