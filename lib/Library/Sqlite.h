//===- Sqlite.h - A little of SQLite's C interface --------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Private to Library.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <string>
#include <variant>

struct sqlite3;
struct sqlite3_stmt;

namespace kgen::library {

/// A row of an answer; columns from 0.
class SqliteRow {
public:
  explicit SqliteRow(sqlite3_stmt *statement) : statement(statement) {}
  std::string text(int column) const;
  double real(int column) const;
  int64_t whole(int column) const;

private:
  sqlite3_stmt *statement;
};

using SqliteValue = std::variant<std::string, double, int64_t>;

/// An open database. Errors are one sentence with the path.
class Sqlite {
public:
  /// Opens PATH, creating it when absent; waits SECONDS for other processes.
  static llvm::Expected<std::unique_ptr<Sqlite>> open(const std::string &path, int seconds);
  ~Sqlite();

  /// Runs one statement with VALUES for its `?`s and calls EACH for every row.
  llvm::Error run(
      const std::string &sql, llvm::ArrayRef<SqliteValue> values = {},
      llvm::function_ref<void(const SqliteRow &)> each = [](const SqliteRow &) {});

private:
  Sqlite(std::string path) : path(std::move(path)) {}
  llvm::Error fail(int code) const;

  std::string path;
  sqlite3 *database = nullptr;
};

} // namespace kgen::library
