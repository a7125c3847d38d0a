//===- Journal.cpp --------------------------------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kgen/Trajectory/Journal.h"
#include "kgen/Trajectory/CorruptRun.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/CRC.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace kgen::trajectory {

namespace {
constexpr StringLiteral linkKey = ",\"link\":\"", crcKey = ",\"crc\":\"";
constexpr size_t keyTail = 8 + 2; // eight hex digits and `"}`
constexpr int deepest = 64;       // brackets in brackets: a parser and a destructor follow them down

uint32_t crcOf(StringRef bytes, uint32_t before) { return crc32(before, arrayRefFromStringRef(bytes)); }

bool nestsTooDeep(StringRef text) {
  int depth = 0;
  bool inString = false;
  for (size_t i = 0; i < text.size() && depth <= deepest; ++i) {
    char c = text[i];
    if (c == '"')
      inString = !inString;
    else if (inString)
      i += c == '\\';
    else
      depth += (c == '{' || c == '[') - (c == '}' || c == ']');
  }
  return depth > deepest;
}

/// Reads lines in their order.
class LineReader {
public:
  /// The record in LINE, or nothing when its bytes are not what was written after the line before.
  std::optional<Json> read(StringRef line) {
    bool links = endsIn(line, linkKey);
    if (!links && (linked || !endsIn(line, crcKey)))
      return std::nullopt;
    StringRef key = links ? StringRef(linkKey) : StringRef(crcKey);
    StringRef bytes = line.drop_back(key.size() + keyTail);
    uint32_t crc = crcOf(bytes, links ? link : 0);
    if (line.drop_back(2).take_back(8) != formatv("{0:x-8}", crc).str() || nestsTooDeep(line))
      return std::nullopt;
    Json record = Json::parse(line.begin(), line.end(), nullptr, /*allow_exceptions=*/false);
    auto event = record.is_object() ? record.find("event") : record.end();
    if (!record.is_object() || event == record.end() || !event->is_string())
      return std::nullopt;
    record.erase(links ? "link" : "crc");
    linked |= links;
    link = crc;
    return record;
  }
  uint32_t getLink() const { return link; }

private:
  static bool endsIn(StringRef line, StringRef key) {
    return line.ends_with("\"}") && line.size() > key.size() + keyTail && line.drop_back(keyTail).ends_with(key);
  }

  uint32_t link = 0;
  bool linked = false; ///< older lines come first
};
} // namespace

Json parseStoredJson(StringRef text) {
  if (nestsTooDeep(text))
    return nullptr;
  Json json = Json::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/false);
  return json.is_discarded() ? Json(nullptr) : json;
}

Json toJson(const graph::Refusal &refusal) {
  return {{"kind", graph::refusalName(refusal.kind).str()},
          {"key", refusal.key},
          {"found", refusal.found},
          {"bound", refusal.bound}};
}

std::optional<graph::Refusal> refusalFromJson(const Json &json) {
  if (!json.is_object())
    return std::nullopt;
  auto text = [&](const char *name) {
    auto it = json.find(name);
    return it != json.end() && it->is_string() ? it->get<std::string>() : std::string();
  };
  auto kind = graph::parseRefusalKind(text("kind"));
  if (!kind)
    return std::nullopt;
  return graph::Refusal{*kind, text("key"), text("found"), text("bound")};
}

std::string frameRecord(const Json &record, uint32_t &link) {
  // Bytes that are not UTF-8 (a compiler's log can hold any) must not throw here.
  std::string text = record.dump(-1, ' ', false, Json::error_handler_t::replace);
  text.pop_back();
  link = crcOf(text, link);
  return text + linkKey.str() + formatv("{0:x-8}", link).str() + "\"}\n";
}

Expected<JournalContents> parseJournal(StringRef text, StringRef path) {
  JournalContents contents;
  LineReader reader;
  for (size_t lineNumber = 1; contents.validBytes < text.size(); ++lineNumber) {
    StringRef rest = text.drop_front(contents.validBytes);
    size_t end = rest.find('\n');
    std::optional<Json> record;
    if (end != StringRef::npos)
      record = reader.read(rest.take_front(end));
    if (!record) {
      // Only the last append can be torn: a part of it is there, or, after a power cut, a hole. Whatever has
      // records after it was damaged later, and so was a whole last line.
      // A whole record and one byte more is no part of one: its line feed was damaged.
      bool last = (end == StringRef::npos && !LineReader(reader).read(rest.drop_back(1))) ||
                  (end != StringRef::npos && rest.drop_front(end + 1).find('\n') == StringRef::npos &&
                   rest.take_front(end).contains('\0'));
      if (!last)
        return make_error<CorruptRun>(path, ": record in line " + Twine(lineNumber) + " (byte " +
                                                Twine(contents.validBytes) + ") is corrupt");
      contents.torn = true;
      break;
    }
    contents.records.push_back(std::move(*record));
    contents.validBytes += end + 1;
  }
  contents.link = reader.getLink();
  return contents;
}

Expected<std::unique_ptr<Journal>> Journal::open(FileSystem &fs, StringRef path, JournalContents &contents) {
  contents = {};
  if (fs.exists(path)) {
    auto text = fs.read(path);
    if (!text)
      return text.takeError();
    auto parsed = parseJournal(*text, path);
    if (!parsed)
      return parsed.takeError();
    contents = std::move(*parsed);
  }
  auto file = fs.openAppend(path, contents.validBytes);
  if (!file)
    return file.takeError();
  return std::unique_ptr<Journal>(new Journal(std::move(*file), contents.link));
}

Error Journal::appendAll(const std::vector<Json> &records) {
  std::string text;
  uint32_t last = link;
  for (const Json &record : records)
    text += frameRecord(record, last);
  if (Error error = file->append(text))
    return error;
  link = last;
  return Error::success();
}

} // namespace kgen::trajectory
