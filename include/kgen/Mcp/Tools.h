//===- Tools.h - The table of tools ----------------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Mcp/Server.h"
#include "kgen/Mcp/Workspace.h"

namespace kgen::mcp {

/// All tools, working on WORKSPACE, which outlives them. A tool is a row of this table: its name, what it says of
/// itself, the shapes of what it takes and gives, and the function that does it.
std::vector<Tool> makeTools(Workspace &workspace);

/// What a client's model should know of kgen before it calls a tool.
std::string printInstructions();
/// SENTENCE, in which options of kgen-search stand for arguments of one of its tools, with the arguments' own NAMES.
std::string spellForClients(llvm::StringRef sentence, llvm::ArrayRef<std::string> names);
/// The tools with their arguments, as a page of markdown.
std::string printToolReference(const std::vector<Tool> &tools);

} // namespace kgen::mcp
