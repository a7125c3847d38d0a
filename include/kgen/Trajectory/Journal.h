//===- Journal.h - The append-only record of a run ------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// journal.jsonl: one JSON object per line, keys in a fixed order, the last of
// them `link`, the CRC-32 (hex, of zlib's polynomial) of the line's bytes
// before `,"link":`, begun with the link of the line before (0 for the first).
// So a line that is left out, comes twice, has moved or is another run's is as
// corrupt as one with a flipped bit. Older journals have `crc` instead, which
// begins with 0 in each line. A record is on disk before what it announces is done.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Graph/Refusal.h"
#include "kgen/Trajectory/FileSystem.h"

#include <nlohmann/json.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kgen::trajectory {

/// Keeps the order in which keys were added: a record prints the same way each time.
using Json = nlohmann::ordered_json;

/// RECORD as a line of the journal, which follows the line with LINK and leaves its own there, and a line feed.
std::string frameRecord(const Json &record, uint32_t &link);

/// TEXT of a file that may be anybody's: null when it is no JSON, or nests so deep that reading it ends a process.
Json parseStoredJson(llvm::StringRef text);

/// A refusal in journals and between processes.
Json toJson(const graph::Refusal &refusal);
/// Nothing where JSON is none that this version knows.
std::optional<graph::Refusal> refusalFromJson(const Json &json);

/// What is on disk.
struct JournalContents {
  std::vector<Json> records;
  uint64_t validBytes = 0; ///< length of the valid prefix
  bool torn = false;       ///< bytes of an unfinished last record follow it
  uint32_t link = 0;       ///< of the last record
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
  llvm::Error append(const Json &record) { return appendAll({record}); }
  /// The same for several records, which are there together.
  llvm::Error appendAll(const std::vector<Json> &records);

private:
  Journal(std::unique_ptr<AppendFile> file, uint32_t link) : file(std::move(file)), link(link) {}
  std::unique_ptr<AppendFile> file;
  uint32_t link; ///< of the last line on disk
};

} // namespace kgen::trajectory
