//===- CommandTable.h - kgen-search's commands and options as data --------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Private to Search. The parser, each command's --help, what is said about a
// wrong option and the reference in the documentation all follow from these two
// tables: a new option is one entry of OptionTable.cpp, a new command one of
// CommandTable.cpp.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Search/SearchTool.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <functional>
#include <vector>

namespace kgen::search {

/// What stands beside a command's options.
enum class Operands { None, Run, Runs, RunAndBranch, Command };

struct CommandSpec {
  SearchCommand::Kind kind;
  llvm::StringRef name;
  Operands operands;
  llvm::StringRef summary; ///< a line of the list of commands
  llvm::StringRef text;    ///< what --help says under it: paragraphs; a line that is indented stays as it is

  /// "RUN", as the usage line has it.
  llvm::StringRef operandWords() const;
};

/// All commands, in the order in which help lists them.
llvm::ArrayRef<CommandSpec> commandTable();
const CommandSpec &commandSpec(SearchCommand::Kind kind);
/// Null where there is none of that name.
const CommandSpec *findCommand(llvm::StringRef name);

/// Under which heading help prints an option.
enum class OptionGroup { What, HowFar, Ideas, Output, Trust };
llvm::StringRef groupTitle(OptionGroup group);

/// One option, or what one name means to some commands.
struct OptionSpec {
  llvm::StringRef name;     ///< "--rounds"
  llvm::StringRef value;    ///< "N", as help writes it; empty: a flag, which takes none
  unsigned commands;        ///< bits 1 << SearchCommand::Kind
  llvm::StringRef fallback; ///< what holds without it, in words; may be empty
  OptionGroup group;
  llvm::StringRef help; ///< a paragraph; each further line stands on its own
  /// Reads VALUE into COMMAND. The Error names the option and says what was expected.
  std::function<llvm::Error(SearchCommand &command, llvm::StringRef name, llvm::StringRef value)> set;

  bool goesWith(SearchCommand::Kind kind) const { return commands >> kind & 1; }
};

/// All options, in the order in which help lists them.
std::vector<OptionSpec> optionTable();

} // namespace kgen::search
