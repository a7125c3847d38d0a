//===- Journal.cpp --------------------------------------------------------===//

#include "kgen/Trajectory/Journal.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/CRC.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace kgen {

namespace {
constexpr StringLiteral crcKey = ",\"crc\":\"";
constexpr size_t crcTail = 8 + 2; // eight hex digits and `"}`

std::string hexCrc(StringRef bytes) { return formatv("{0:x-8}", crc32(arrayRefFromStringRef(bytes))).str(); }

/// The record in LINE, or nothing when its bytes are not what was written.
std::optional<Json> readLine(StringRef line) {
  size_t at = line.rfind(crcKey);
  if (at == StringRef::npos || line.size() != at + crcKey.size() + crcTail || !line.ends_with("\"}"))
    return std::nullopt;
  if (line.substr(at + crcKey.size(), 8) != hexCrc(line.take_front(at)))
    return std::nullopt;
  Json record = Json::parse(line.begin(), line.end(), nullptr, /*allow_exceptions=*/false);
  if (!record.is_object())
    return std::nullopt;
  record.erase("crc");
  return record;
}
} // namespace

std::string frameRecord(const Json &record) {
  // Bytes that are not UTF-8 (a compiler's log can hold any) must not throw here.
  std::string text = record.dump(-1, ' ', false, Json::error_handler_t::replace);
  text.pop_back();
  std::string crc = hexCrc(text);
  return text + crcKey.str() + crc + "\"}\n";
}

Expected<JournalContents> parseJournal(StringRef text, StringRef path) {
  JournalContents contents;
  for (size_t lineNumber = 1; contents.validBytes < text.size(); ++lineNumber) {
    StringRef rest = text.drop_front(contents.validBytes);
    size_t end = rest.find('\n');
    std::optional<Json> record;
    if (end != StringRef::npos)
      record = readLine(rest.take_front(end));
    if (!record) {
      // Only the last append can be torn: a part of it is there, or, after a power cut, a hole. Whatever has
      // records after it was damaged later, and so was a whole last line.
      bool last = end == StringRef::npos ||
                  (rest.drop_front(end + 1).find('\n') == StringRef::npos && rest.take_front(end).contains('\0'));
      if (!last)
        return createStringError(Twine("CORRUPT: ") + path + ": record in line " + Twine(lineNumber) + " (byte " +
                                 Twine(contents.validBytes) + ") is corrupt");
      contents.torn = true;
      return contents;
    }
    contents.records.push_back(std::move(*record));
    contents.validBytes += end + 1;
  }
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
  return std::unique_ptr<Journal>(new Journal(std::move(*file)));
}

} // namespace kgen
