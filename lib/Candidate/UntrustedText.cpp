//===- UntrustedText.cpp - Text that something else wrote -----------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// nlohmann's parser with a callback looks at every element of a list again
// whenever one of its objects ends, and its ordered objects at every member
// whenever one is added: a megabyte of {} took minutes. So texts are looked
// through by its events first, which build nothing.
//
//===----------------------------------------------------------------------===//
#include "kgen/Candidate/UntrustedText.h"

#include "nlohmann/json.hpp"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/JSON.h"

#include <set>
#include <vector>

using namespace kgen;
using namespace kgen::candidate;

static bool turns(uint32_t code) {
  return code == 0x061c || code == 0x200e || code == 0x200f || (code >= 0x202a && code <= 0x202e) ||
         (code >= 0x2066 && code <= 0x2069);
}

/// Joins or varies what stands before it, as in symbols of several characters; nothing by itself.
static bool modifies(uint32_t code) { return code == 0x200c || code == 0x200d || code == 0xfe0e || code == 0xfe0f; }

/// Nobody sees it: what Unicode calls default ignorable (but for what modifies), what ends a line for some readers
/// only, and fillers.
static bool isUnseen(uint32_t code) {
  struct Range {
    uint32_t first, last;
  };
  static const Range ranges[] = {{0x80, 0x9f},       {0xad, 0xad},       {0x34f, 0x34f},    {0x115f, 0x1160},
                                 {0x17b4, 0x17b5},   {0x180b, 0x180f},   {0x200b, 0x200b},  {0x2028, 0x2029},
                                 {0x2060, 0x2065},   {0x206a, 0x206f},   {0x2800, 0x2800},  {0x3164, 0x3164},
                                 {0xfe00, 0xfe0d},   {0xfeff, 0xfeff},   {0xffa0, 0xffa0},  {0xfff0, 0xfffb},
                                 {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff}};
  for (const Range &range : ranges)
    if (code >= range.first && code <= range.last)
      return true;
  return false;
}

static bool isObeyed(uint32_t code) {
  return turns(code) || isUnseen(code) || (code < 0x20 ? code != '\n' && code != '\t' : code == 0x7f);
}

/// The character at TEXT[I], of valid UTF-8, and its bytes.
static std::pair<uint32_t, size_t> decode(llvm::StringRef text, size_t i) {
  const size_t length = llvm::getNumBytesForUTF8(llvm::UTF8(text[i]));
  uint32_t code = (unsigned char)text[i];
  if (length > 1)
    code &= 0xffu >> (length + 1);
  for (size_t k = 1; k < length; ++k)
    code = code << 6 | ((unsigned char)text[i + k] & 0x3f);
  return {code, length};
}

std::string kgen::candidate::findDisguise(llvm::StringRef text, llvm::StringRef whose) {
  if (!llvm::json::isUTF8(text))
    return (whose + " is not UTF-8").str();
  uint32_t before = 0;
  for (size_t i = 0; i < text.size();) {
    const auto [code, length] = decode(text, i);
    auto named = [&] { return (whose + " holds the ").str(); };
    auto number = [&, code = code] { return " character U+" + llvm::utohexstr(code, false, code < 0x10000 ? 4 : 0); };
    if (turns(code))
      return named() + "bidirectional control" + number() + ", which makes text read differently from what it is";
    // A symbol, or a key of a telephone, may have one sign that modifies it; a sign that joins may follow that.
    const bool isModified = before > 0x9f ? !modifies(before) || (code == 0x200d && before != 0x200d)
                                          : (before >= '0' && before <= '9') || before == '#' || before == '*';
    if (isUnseen(code) || (modifies(code) && !isModified))
      return named() + "invisible" + number() + ", which no reader of the text sees";
    if (code == '\r' && (i + 1 == text.size() || text[i + 1] != '\n'))
      return (whose + " holds a carriage return that ends no line, which makes text read differently from what it is")
          .str();
    before = code;
    i += length;
  }
  return "";
}

std::string kgen::candidate::printable(llvm::StringRef text) {
  std::string valid = llvm::json::isUTF8(text) ? text.str() : llvm::json::fixUTF8(text), out;
  out.reserve(valid.size());
  for (size_t i = 0; i < valid.size();) {
    const auto [code, length] = decode(valid, i);
    if (isObeyed(code))
      out += '?';
    else
      out.append(valid, i, length);
    i += length;
  }
  return out;
}

std::string kgen::candidate::onOneLine(llvm::StringRef text) {
  std::string line = printable(text);
  for (char &c : line)
    if (c == '\n' || c == '\t')
      c = ' ';
  return line;
}

namespace {

using Json = nlohmann::json;

class Watcher : public nlohmann::json_sax<Json> {
public:
  explicit Watcher(JsonLimits limits) : limits(limits) {}

  std::string fault;

  bool start_object(std::size_t) override { return open(); }
  bool start_array(std::size_t) override { return open(); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t &name) override {
    if (!keys.back().insert(name).second)
      fault = "has the key \"" + name.substr(0, 60) + "\" twice in one object";
    else if (keys.back().size() > limits.members)
      fault = "has an object of more than " + std::to_string(limits.members) + " members";
    return fault.empty();
  }
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t &) override { return true; }
  bool string(string_t &) override { return true; }
  bool binary(binary_t &) override { return true; }
  bool parse_error(std::size_t, const std::string &, const nlohmann::detail::exception &) override { return false; }

private:
  bool open() {
    keys.emplace_back();
    if (keys.size() > limits.levels)
      fault = "nests deeper than " + std::to_string(limits.levels) + " levels";
    return fault.empty();
  }
  bool close() {
    keys.pop_back();
    return true;
  }

  JsonLimits limits;
  std::vector<std::set<std::string>> keys; ///< of each object that has not ended; a list has none
};

} // namespace

std::string kgen::candidate::findJsonFault(llvm::StringRef text, JsonLimits limits) {
  Watcher watcher(limits);
  Json::sax_parse(text.begin(), text.end(), &watcher);
  return watcher.fault;
}
