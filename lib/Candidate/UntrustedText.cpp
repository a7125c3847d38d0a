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

static bool isObeyed(uint32_t code) {
  return turns(code) || (code < 0x20 ? code != '\n' && code != '\t' : code >= 0x7f && code <= 0x9f);
}

std::string kgen::candidate::findTurn(llvm::StringRef text, llvm::StringRef whose) {
  for (size_t i = 0; i + 1 < text.size(); ++i) {
    auto rest = [&](size_t k) { return (unsigned char)text[i + k] & 0x3fu; };
    uint32_t code = 0;
    if (text[i] == '\xD8')
      code = 0x600 | rest(1);
    else if (text[i] == '\xE2' && i + 2 < text.size())
      code = 0x2000 | rest(1) << 6 | rest(2);
    if (turns(code))
      return (whose + " holds the bidirectional control character U+" + llvm::utohexstr(code, false, 4) +
              ", which makes text read differently from what it is")
          .str();
  }
  return "";
}

std::string kgen::candidate::printable(llvm::StringRef text) {
  std::string valid = llvm::json::isUTF8(text) ? text.str() : llvm::json::fixUTF8(text), out;
  out.reserve(valid.size());
  for (size_t i = 0; i < valid.size();) {
    size_t length = llvm::getNumBytesForUTF8(llvm::UTF8(valid[i]));
    uint32_t code = (unsigned char)valid[i];
    if (length > 1)
      code &= 0xffu >> (length + 1);
    for (size_t k = 1; k < length; ++k)
      code = code << 6 | ((unsigned char)valid[i + k] & 0x3f);
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
