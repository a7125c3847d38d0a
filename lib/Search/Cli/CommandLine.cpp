//===- CommandLine.cpp - kgen-search's arguments --------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CommandTable.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Threading.h"

#include <algorithm>

using namespace llvm;

namespace kgen::search {

int defaultJobs() {
  constexpr int most = 32; // compilers take memory, too
  return std::clamp(int(hardware_concurrency().compute_thread_count()), 1, most);
}

/// The word of WORDS that TYPED was perhaps meant to be; "" where none is near.
static StringRef nearest(StringRef typed, ArrayRef<StringRef> words) {
  StringRef best;
  unsigned least = std::max<size_t>(2, typed.size() / 3) + 1;
  for (StringRef word : words)
    if (unsigned distance = typed.edit_distance(word, /*AllowReplacements=*/true, least); distance < least) {
      least = distance;
      best = word;
    }
  return best;
}

namespace {

class Parser {
public:
  explicit Parser(ArrayRef<std::string> arguments) : arguments(arguments), table(optionTable()) {}

  Expected<SearchCommand> parse() {
    if (arguments.empty())
      return help(std::nullopt);
    if (Error error = separate())
      return std::move(error);
    // The first word is the command; without one it is a search.
    const CommandSpec *spec = &commandSpec(SearchCommand::Search);
    if (!words.empty()) {
      spec = findCommand(words.front());
      if (!spec)
        return unknownCommand(words.front());
      words.erase(words.begin());
    }
    if (wantsVersion) {
      command.kind = SearchCommand::Version;
      return command;
    }
    if (wantsHelp)
      return help(named(*spec));
    command.kind = spec->kind;
    if (!unknown.empty())
      return unknownOption(*spec);
    for (const Given &one : given)
      if (Error error = set(*spec, one))
        return std::move(error);
    if (spec->kind == SearchCommand::Help)
      return helpFor();
    if (Error error = takeOperands(*spec))
      return std::move(error);
    if (Error error = checkWhole())
      return std::move(error);
    return command;
  }

private:
  struct Given {
    StringRef name, value;
    bool hasValue;
  };

  /// Tells options from words. That needs no command: a name takes a value with all commands or with none.
  Error separate() {
    bool onlyWords = false;
    for (size_t next = 0; next < arguments.size(); ++next) {
      StringRef argument = arguments[next];
      if (onlyWords || !argument.starts_with("-") || argument == "-") {
        words.push_back(argument);
        continue;
      }
      if (argument == "--") {
        onlyWords = true;
        continue;
      }
      if (argument == "--help" || argument == "-h") {
        wantsHelp = true;
        continue;
      }
      if (argument == "--version") {
        wantsVersion = true;
        continue;
      }
      auto [name, value] = argument.split('=');
      bool inlined = name.size() < argument.size();
      const OptionSpec *option = find(name);
      if (!option) {
        if (unknown.empty())
          unknown = name;
        // Whatever follows may be its value: it is no command.
        continue;
      }
      if (option->value.empty()) {
        if (inlined)
          return createStringError("option " + name + " takes no value");
      } else if (!inlined) {
        if (next + 1 == arguments.size() || find(arguments[next + 1]))
          return createStringError("option " + name + " needs a value: " + name + " " + option->value);
        value = arguments[++next];
      }
      given.push_back({name, value, inlined || !option->value.empty()});
    }
    return Error::success();
  }

  const OptionSpec *find(StringRef name) const {
    for (const OptionSpec &option : table)
      if (option.name == name)
        return &option;
    return nullptr;
  }

  /// `--help` behind no command's name is about all of them.
  std::optional<SearchCommand::Kind> named(const CommandSpec &spec) const {
    for (const std::string &argument : arguments)
      if (argument == spec.name)
        return spec.kind == SearchCommand::Help ? std::nullopt : std::optional(spec.kind);
    return std::nullopt;
  }

  SearchCommand help(std::optional<SearchCommand::Kind> about) {
    command.kind = SearchCommand::Help;
    command.about = about;
    return command;
  }

  Expected<SearchCommand> helpFor() {
    if (words.empty())
      return help(std::nullopt);
    if (const CommandSpec *about = findCommand(words.front()))
      return help(about->kind);
    return unknownCommand(words.front());
  }

  static Error unknownCommand(StringRef word) {
    SmallVector<StringRef> names;
    for (const CommandSpec &command : commandTable())
      names.push_back(command.name);
    if (StringRef meant = nearest(word, names); !meant.empty())
      return createStringError("unknown command '" + word + "'; did you mean " + meant + "?");
    return createStringError("unknown command '" + word + "'; a search of a problem is kgen-search --problem " + word +
                             ", and kgen-search --help lists the commands");
  }

  Error unknownOption(const CommandSpec &spec) const {
    SmallVector<StringRef> mine, all;
    for (const OptionSpec &option : table)
      (option.goesWith(spec.kind) ? mine : all).push_back(option.name);
    StringRef meant = nearest(unknown, mine);
    if (meant.empty())
      meant = nearest(unknown, all);
    if (!meant.empty())
      return createStringError("unknown option '" + unknown + "'; did you mean " + meant + "?");
    return createStringError("unknown option '" + unknown + "'; see kgen-search " + spec.name + " --help");
  }

  Error set(const CommandSpec &spec, const Given &one) {
    std::string others;
    for (const OptionSpec &option : table) {
      if (option.name == one.name && option.goesWith(spec.kind))
        return option.set(command, one.name, one.value);
      if (option.name == one.name)
        for (const CommandSpec &other : commandTable())
          if (option.goesWith(other.kind))
            others += (others.empty() ? "" : ", ") + other.name.str();
    }
    return createStringError("option " + one.name + " does not go with kgen-search " + spec.name + ", only with " +
                             others);
  }

  Error takeOperands(const CommandSpec &spec) {
    auto folder = [](StringRef word) { return word.rtrim('/').str(); };
    size_t most = 0;
    switch (spec.operands) {
    case Operands::None:
    case Operands::Command:
      break;
    case Operands::Run:
      if (words.empty())
        return createStringError("kgen-search " + spec.name + " needs a run folder");
      command.run = folder(words[0]);
      most = 1;
      break;
    case Operands::RunAndBranch:
      if (words.size() < 2)
        return createStringError("kgen-search " + spec.name + " needs a run folder and a branch, as round-01/b00");
      command.run = folder(words[0]);
      command.branch = folder(words[1]);
      most = 2;
      break;
    case Operands::Runs:
      if (words.empty())
        return createStringError("kgen-search " + spec.name + " needs run folders");
      for (StringRef word : words)
        command.runs.push_back(folder(word));
      most = words.size();
      break;
    }
    if (words.size() > most)
      return createStringError("unexpected argument '" + words[most] + "'; see kgen-search " + spec.name + " --help");
    return Error::success();
  }

  /// What no single option can say.
  Error checkWhole() const {
    bool searches = command.kind == SearchCommand::Search || command.kind == SearchCommand::ComparePolicies;
    if (searches && command.problem.empty() && command.problems.empty())
      return createStringError("what shall be searched? give --problem NAME, FILE.mlir or FILE.py");
    if (command.kind == SearchCommand::First && (command.problem.empty() || command.out.empty()))
      return createStringError("kgen-search first needs --problem NAME, FILE.mlir or FILE.py, and --out FOLDER");
    if (command.kind == SearchCommand::Add && command.handIdeas.empty() && command.seedKernels.empty() &&
        command.scripts.empty())
      return createStringError(
          "kgen-search add needs --idea \"WORDS\", --seed-kernel FILE.cu or --directives FILE.mlir");
    if (command.kind == SearchCommand::ComparePolicies && !command.branches && !command.maxMinutes)
      return createStringError("compare-policies needs the budget of each search: --branches N or --max-minutes M");
    return Error::success();
  }

  ArrayRef<std::string> arguments;
  std::vector<OptionSpec> table;
  std::vector<StringRef> words;
  std::vector<Given> given;
  StringRef unknown; ///< the first option that no command has
  bool wantsHelp = false, wantsVersion = false;
  SearchCommand command;
};

} // namespace

Expected<SearchCommand> parseSearchCommand(ArrayRef<std::string> arguments) { return Parser(arguments).parse(); }

} // namespace kgen::search
