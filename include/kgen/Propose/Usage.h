//===- Usage.h - What an answer cost --------------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <string>

namespace kgen::propose {

/// Tokens that one model billed. A repaired answer counts every turn.
struct TokenUsage {
  std::string model;     ///< as the price file names it: "openai:MODEL", "anthropic:MODEL", ...
  int requests = 0;      ///< calls that were answered
  int64_t input = 0;     ///< prompt tokens, cached ones included
  int64_t cached = 0;    ///< of them, read from the provider's cache
  int64_t output = 0;    ///< answer tokens, reasoning included
  int64_t reasoning = 0; ///< of them, thought but not said

  int64_t total() const { return input + output; }
};

} // namespace kgen::propose
