//===- Sqlite.cpp ---------------------------------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sqlite.h"

#include "llvm/ADT/Twine.h"

#include <sqlite3.h>

using namespace llvm;

namespace kgen::library {

std::string SqliteRow::text(int column) const {
  const unsigned char *bytes = sqlite3_column_text(statement, column);
  return bytes ? std::string(reinterpret_cast<const char *>(bytes), sqlite3_column_bytes(statement, column)) : "";
}
double SqliteRow::real(int column) const { return sqlite3_column_double(statement, column); }
int64_t SqliteRow::whole(int column) const { return sqlite3_column_int64(statement, column); }

Expected<std::unique_ptr<Sqlite>> Sqlite::open(const std::string &path, int seconds) {
  std::unique_ptr<Sqlite> result(new Sqlite(path));
  int code = sqlite3_open_v2(path.c_str(), &result->database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
  if (code != SQLITE_OK)
    return result->fail(code);
  sqlite3_busy_timeout(result->database, seconds * 1000);
  return result;
}

Sqlite::~Sqlite() { sqlite3_close(database); }

Error Sqlite::fail(int code) const {
  if (code == SQLITE_CORRUPT || code == SQLITE_NOTADB)
    return createStringError("the kernel library " + path +
                             " is damaged or something else; move it away, or go on by --library none");
  std::string reason = database ? sqlite3_errmsg(database) : sqlite3_errstr(code);
  return createStringError("kernel library " + path + ": " + reason);
}

Error Sqlite::run(const std::string &sql, ArrayRef<SqliteValue> values, function_ref<void(const SqliteRow &)> each) {
  sqlite3_stmt *statement = nullptr;
  int code = sqlite3_prepare_v2(database, sql.c_str(), -1, &statement, nullptr);
  if (code != SQLITE_OK)
    return fail(code);
  for (size_t i = 0; i < values.size(); ++i) {
    if (const auto *text = std::get_if<std::string>(&values[i]))
      sqlite3_bind_text(statement, i + 1, text->data(), text->size(), SQLITE_TRANSIENT);
    else if (const auto *real = std::get_if<double>(&values[i]))
      sqlite3_bind_double(statement, i + 1, *real);
    else
      sqlite3_bind_int64(statement, i + 1, std::get<int64_t>(values[i]));
  }
  while ((code = sqlite3_step(statement)) == SQLITE_ROW)
    each(SqliteRow(statement));
  Error error = code == SQLITE_DONE ? Error::success() : fail(code);
  sqlite3_finalize(statement);
  return error;
}

} // namespace kgen::library
