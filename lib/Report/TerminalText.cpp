//===- TerminalText.cpp ---------------------------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kgen/Report/TerminalText.h"

#include "kgen/Candidate/UntrustedText.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/Unicode.h"

#include <algorithm>

using namespace llvm;

namespace kgen::report {

/// Bytes of the character that TEXT begins with.
static size_t characterLength(StringRef text) {
  size_t length = 1;
  while (length < text.size() && ((unsigned char)text[length] & 0xC0) == 0x80)
    ++length;
  return length;
}

int columnsOf(StringRef text) {
  int columns = sys::unicode::columnWidthUTF8(text);
  return columns >= 0 ? columns : int(text.size());
}

/// The longest beginning of TEXT that takes at most WIDTH columns.
static StringRef fitting(StringRef text, int width) {
  size_t end = 0;
  for (int used = 0; end < text.size();) {
    StringRef character = text.drop_front(end).take_front(characterLength(text.drop_front(end)));
    used += columnsOf(character);
    if (used > width)
      break;
    end += character.size();
  }
  return text.take_front(end);
}

std::string clipLine(StringRef text, int width) {
  std::string line = candidate::onOneLine(text);
  if (columnsOf(line) <= width)
    return line;
  return fitting(line, std::max(0, width - 3)).rtrim().str() + "...";
}

std::vector<std::string> wrapLines(StringRef text, int width, size_t most) {
  std::string all = candidate::onOneLine(text);
  std::vector<std::string> lines;
  StringRef rest = StringRef(all).trim();
  width = std::max(width, 8);
  while (!rest.empty()) {
    if (most && lines.size() + 1 == most) {
      lines.push_back(clipLine(rest, width));
      break;
    }
    StringRef line = fitting(rest, width);
    if (line.size() < rest.size() && rest[line.size()] != ' ')
      if (size_t blank = line.rfind(' '); blank != StringRef::npos && blank > 0)
        line = line.take_front(blank);
    if (line.empty()) // one character that is wider than the line
      line = rest.take_front(characterLength(rest));
    lines.push_back(line.rtrim().str());
    rest = rest.drop_front(line.size()).ltrim();
  }
  return lines;
}

static std::string blanks(StringRef text, int width) { return std::string(std::max(0, width - columnsOf(text)), ' '); }

std::string padRight(StringRef text, int width) { return text.str() + blanks(text, width); }
std::string padLeft(StringRef text, int width) { return blanks(text, width) + text.str(); }

std::string paint(StringRef text, Ink ink, bool colour) {
  const char *code = ink == Ink::Good       ? "32"
                     : ink == Ink::Bad      ? "31"
                     : ink == Ink::Doubtful ? "33"
                     : ink == Ink::Faint    ? "2"
                     : ink == Ink::Strong   ? "1"
                                            : nullptr;
  if (!colour || !code || text.empty())
    return text.str();
  return (Twine("\033[") + code + "m" + text + "\033[0m").str();
}

std::string printDuration(double seconds) {
  int64_t total = int64_t(std::max(0.0, seconds) + 0.5);
  if (total >= 3600)
    return std::to_string(total / 3600) + " h " + std::to_string(total / 60 % 60) + " min";
  if (total >= 60)
    return std::to_string(total / 60) + " min " + std::to_string(total % 60) + " s";
  return std::to_string(total) + " s";
}

} // namespace kgen::report
