//===- Tokens.cpp - C++ text in pieces ------------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Tokens.h"

#include "llvm/ADT/Twine.h"

#include <algorithm>
#include <cctype>

using namespace kgen;
using namespace kgen::toolchain;

namespace {

/// Where literals end.
class Quotes {
public:
  explicit Quotes(llvm::StringRef text) : s(text) {}

  /// Past the literal that the quote at I begins. One that its line does not end is a quote alone, as preprocessors
  /// have it: what follows it is read.
  size_t after(size_t i) {
    size_t &alone = aloneUntil[s[i] == '"'], end = i + 1;
    if (i < alone) // each of its kind up to the line's end: an escaped one sees the same escapes behind it
      return i + 1;
    while (end < s.size() && s[end] != s[i] && s[end] != '\n')
      end += s[end] == '\\' ? 2 : 1;
    if (end < s.size() && s[end] == s[i])
      return end + 1;
    alone = end;
    return i + 1;
  }

private:
  llvm::StringRef s;
  size_t aloneUntil[2] = {0, 0};
};

/// Past the comment at I, or I when there is none.
size_t afterComment(llvm::StringRef s, size_t i) {
  if (s.substr(i).starts_with("//"))
    return std::min(s.find('\n', i), s.size());
  if (!s.substr(i).starts_with("/*"))
    return i;
  size_t end = s.find("*/", i + 2);
  return end == llvm::StringRef::npos ? s.size() : end + 2;
}

/// Past the directive at I: its line, and further where a comment that begins in it goes on.
size_t afterDirective(llvm::StringRef s, Quotes &quotes, size_t i) {
  while (i < s.size() && s[i] != '\n')
    if (size_t end = afterComment(s, i); end != i)
      i = end;
    else
      i = s[i] == '"' || s[i] == '\'' ? quotes.after(i) : i + 1;
  return i;
}

} // namespace

std::vector<Token> kgen::toolchain::tokenize(llvm::StringRef s) {
  std::vector<Token> out;
  size_t i = 0, n = s.size();
  bool lineStart = true;
  Quotes quotes(s);
  auto isWord = [](char c) { return isalnum((unsigned char)c) || c == '_' || c == '$'; };
  auto add = [&](size_t end, Token::Kind kind) {
    out.push_back({s.slice(i, end), kind});
    i = end;
    lineStart = false;
  };
  while (i < n) {
    char c = s[i];
    if (c == '\n') {
      lineStart = true;
      ++i;
    } else if (isspace((unsigned char)c)) {
      ++i;
    } else if (size_t end = afterComment(s, i); end != i) {
      i = end;
    } else if (c == '#' && lineStart) {
      add(afterDirective(s, quotes, i), Token::Directive);
    } else if (c == '"' || c == '\'') {
      size_t end = quotes.after(i);
      add(end, end == i + 1 ? Token::Punctuation : Token::Literal);
    } else if (isWord(c)) {
      size_t end = i;
      // A quote between a number's digits separates them; after a name it begins a character.
      while (end < n &&
             (isWord(s[end]) || (s[end] == '\'' && isdigit((unsigned char)c) && end + 1 < n && isWord(s[end + 1]))))
        ++end;
      bool raw = end < n && s[end] == '"' && s[end - 1] == 'R' && !isdigit((unsigned char)c);
      if (raw) {
        size_t open = s.find('(', end), close = llvm::StringRef::npos;
        if (open - end <= 17) // longer delimiters are none
          close = s.find((")" + s.slice(end + 1, open) + "\"").str(), open);
        end = close == llvm::StringRef::npos ? n : close + open - end + 1;
      }
      add(end, raw || isdigit((unsigned char)c) ? Token::Literal : Token::Identifier);
    } else {
      add(i + 1, Token::Punctuation);
    }
  }
  return out;
}
