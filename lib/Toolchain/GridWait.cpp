//===- GridWait.cpp - Kernels that wait for those before them -------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Toolchain/GridWait.h"

#include "Tokens.h"

using namespace kgen;
using namespace kgen::toolchain;

static constexpr llvm::StringLiteral waitText = " asm volatile(\"griddepcontrol.wait;\" ::: \"memory\");";

/// Past the parenthesis that closes the one at I, or all TOKENS where none does.
static size_t afterParentheses(const std::vector<Token> &tokens, size_t i) {
  for (int open = 0; i < tokens.size(); ++i) {
    open += tokens[i].text == "(";
    open -= tokens[i].text == ")";
    if (open == 0)
      return i + 1;
  }
  return i;
}

/// The brace that opens the body of the kernel whose `__global__` is at I; the end of TOKENS where it has none.
static size_t findBody(const std::vector<Token> &tokens, size_t i) {
  for (bool parameters = false; i < tokens.size();) {
    if (tokens[i].text == "{" && parameters)
      return i;
    if (tokens[i].text == "{" || tokens[i].text == ";" || tokens[i].kind == Token::Directive)
      break;
    // Bounds of a launch have parentheses, too, with something behind them.
    parameters = tokens[i].text == "(";
    i = parameters ? afterParentheses(tokens, i) : i + 1;
  }
  return tokens.size();
}

std::string kgen::toolchain::withGridWaits(llvm::StringRef source) {
  const std::vector<Token> tokens = tokenize(source);
  std::string out;
  size_t copied = 0;
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].kind != Token::Identifier || tokens[i].text != "__global__")
      continue;
    const size_t body = findBody(tokens, i);
    if (body == tokens.size())
      continue;
    const size_t at = size_t(tokens[body].text.end() - source.data());
    out += source.slice(copied, at);
    out += waitText;
    copied = at;
    i = body;
  }
  return out += source.substr(copied);
}

bool kgen::toolchain::hasGridWait(llvm::StringRef arch) {
  unsigned number = 0;
  return arch.consume_front("sm_") && !arch.consumeInteger(10, number) && number >= 90;
}
