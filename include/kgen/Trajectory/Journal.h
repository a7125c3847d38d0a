//===- Journal.h - The append-only record of a run ------------------------===//
//
// journal.jsonl: one JSON object per line, keys in a fixed order, the last of
// them `crc`, the CRC-32 (hex, of zlib's polynomial) of the line's bytes
// before `,"crc":`. A record is on disk before what it announces is done.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Trajectory/FileSystem.h"

#include <nlohmann/json.hpp>

#include <memory>
#include <string>
#include <vector>

namespace kgen {

/// Keeps the order in which keys were added: a record prints the same way each time.
using Json = nlohmann::ordered_json;

/// RECORD as a line of the journal, with its CRC and a line feed.
std::string frameRecord(const Json &record);

/// What is on disk.
struct JournalContents {
  std::vector<Json> records;
  uint64_t validBytes = 0; ///< length of the valid prefix
  bool torn = false;       ///< bytes of an unfinished last record follow it
};

/// Reads TEXT. A bad record at the very end is a torn tail; one in the middle is an Error that names
/// the line and its byte offset.
llvm::Expected<JournalContents> parseJournal(llvm::StringRef text, llvm::StringRef path);

/// A journal open for writing.
class Journal {
public:
  /// Opens PATH, cuts a torn tail off and hands the records back in CONTENTS.
  static llvm::Expected<std::unique_ptr<Journal>> open(FileSystem &fs, llvm::StringRef path, JournalContents &contents);
  /// Returns when RECORD is on disk.
  llvm::Error append(const Json &record) { return appendFramed(frameRecord(record)); }
  /// The same for records that frameRecord made.
  llvm::Error appendFramed(llvm::StringRef records) { return file->append(records); }

private:
  explicit Journal(std::unique_ptr<AppendFile> file) : file(std::move(file)) {}
  std::unique_ptr<AppendFile> file;
};

} // namespace kgen
