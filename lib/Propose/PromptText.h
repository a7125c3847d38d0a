//===- PromptText.h - Templates, and what fills them ----------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/StringRef.h"

#include <map>
#include <string>

namespace kgen::propose {

/// Replaces each {{name}} in TEMPLATE by its value, once: values are not looked at again. A line
/// {{#name}} drops what follows up to the line {{/name}} where the value is empty.
std::string fillPrompt(llvm::StringRef text, const std::map<std::string, std::string> &values);

/// A file of prompts/, or a text that the build made: "directives.md", "schedule-keys.md", or a device
/// header.
llvm::StringRef findPromptText(llvm::StringRef file);

/// All directives in short: name, what it does, category, families, an example.
std::string listDirectives();
/// The functions of each device header, with their comments.
std::string listDeviceFunctions();

/// The worked examples of prompts/examples, each with its launch plan. What one has from another before it is not
/// repeated.
std::string listExamples();

/// CODE with the device headers that kgen put in as `#include` lines again.
std::string foldDeviceHeaders(llvm::StringRef code);
/// The same, and with its middle left out when it has more than LIMIT bytes; never within a line.
std::string shortenCode(llvm::StringRef code, size_t limit);

} // namespace kgen::propose
