//===- ReplyText.h - The JSON in a model's answer -------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <nlohmann/json.hpp>

#include <string>

namespace kgen::propose {

/// Longest answer that is read, in bytes.
constexpr size_t maxReplyBytes = 4 << 20;

/// Parses TEXT, which may hold anything: at most 64 levels deep, valid UTF-8, no key twice in one
/// object. Linear in TEXT. The Error is one sentence about WHAT ("reply", "the provider's answer").
llvm::Expected<nlohmann::json> parseUntrustedJson(llvm::StringRef text, llvm::StringRef what);

/// The list KEY of a model's answer, as the text of a JSON array. A byte-order mark, a code fence
/// and prose around it are taken away; everything that leaves in doubt what is meant is an Error in
/// one sentence: no JSON, several candidates, a cut-off end, typographic quotes, bidirectional
/// control characters, an answer that repeats the question.
llvm::Expected<std::string> extractList(llvm::StringRef answer, llvm::StringRef key);

/// CUDA-C without comments and with every run of blanks as one: the same for texts that differ in
/// layout alone.
std::string normalizeCode(llvm::StringRef code);

/// Words of an idea in lower case without punctuation: the same for texts that differ in layout.
std::string normalizeWords(llvm::StringRef text);

/// Whether PLAN (JSON with "launches") calls kernels that CUDA defines, with as many arguments; ""
/// or one sentence.
std::string findSignatureFault(llvm::StringRef cuda, llvm::StringRef plan);

} // namespace kgen::propose
