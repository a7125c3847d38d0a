//===- KernelLibrary.cpp --------------------------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kgen/Library/KernelLibrary.h"
#include "Sqlite.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Regex.h"

#include <nlohmann/json.hpp>

#include <cstdlib>
#include <ctime>

using namespace llvm;

namespace kgen::library {

using Json = nlohmann::ordered_json;

static constexpr int keptPerKey = 8;
static constexpr int64_t schemaVersion = 1;

std::string graphSignature(StringRef graph) {
  std::string text = graph.str();
  // Values are numbered by the printer; what is left of names are attributes and the function's. How round 0 computes
  // products is no part of the problem.
  Regex named("kgen\\.((name|problem|source) = \"[^\"]*\"|tiled_products)(, )?"), function("func\\.func @[^(]*\\(");
  for (std::string next; (next = named.sub("", text)) != text;)
    text = next;
  text = function.sub("func.func @graph(", text);
  // An attribute that was the last one leaves its comma behind, the only one its braces.
  for (StringRef pair : {", }|}", " {}|", "module attributes {|module {"})
    for (auto [from, to] = pair.split('|'); StringRef(text).contains(from);)
      text.replace(text.find(from.str()), from.size(), to.str());
  return propose::hashText(text);
}

std::string opSequence(const graph::GraphFacts &facts) {
  std::string sequence;
  for (const graph::OpFact &op : facts.ops)
    sequence += (sequence.empty() ? "" : " > ") + op.name + " " + (op.results.empty() ? "" : op.results[0].dtype);
  return sequence;
}

std::string defaultLibraryPath() {
  if (const char *path = std::getenv("KGEN_LIBRARY"); path && *path)
    return path;
  if (const char *data = std::getenv("XDG_DATA_HOME"); data && *data)
    return std::string(data) + "/kgen/kernels.db";
  if (const char *home = std::getenv("HOME"); home && *home)
    return std::string(home) + "/.local/share/kgen/kernels.db";
  return "";
}

namespace {

constexpr const char *columns = "idea, materialization, time_us, problem, shapes, run, branch, device";

class SqliteLibrary : public KernelLibrary {
public:
  SqliteLibrary(std::unique_ptr<Sqlite> database, std::string path)
      : database(std::move(database)), path(std::move(path)) {}

  Error prepare() {
    int64_t version = -1;
    if (Error error = database->run("PRAGMA user_version", {}, [&](const SqliteRow &row) { version = row.whole(0); }))
      return error;
    if (version > schemaVersion)
      return createStringError("kernel library " + path + " is of version " + Twine(version) +
                               ", this kgen-search reads " + Twine(schemaVersion));
    std::string health;
    if (Error error = database->run("PRAGMA quick_check(1)", {}, [&](const SqliteRow &row) { health = row.text(0); }))
      return error;
    if (health != "ok")
      return createStringError("the kernel library " + path +
                               " is damaged or something else; move it away, or go on by --library none");
    if (version == schemaVersion)
      return Error::success();
    // Two processes may both make it.
    for (const char *sql :
         {"BEGIN IMMEDIATE",
          "CREATE TABLE IF NOT EXISTS kernels (id INTEGER PRIMARY KEY, signature TEXT NOT NULL, ops TEXT "
          "NOT NULL, arch TEXT NOT NULL, precision TEXT NOT NULL, device TEXT NOT NULL, code TEXT NOT "
          "NULL, time_us REAL NOT NULL, problem TEXT NOT NULL, shapes TEXT NOT NULL, idea TEXT NOT NULL, "
          "materialization TEXT NOT NULL, run TEXT NOT NULL, branch TEXT NOT NULL, stored INTEGER NOT "
          "NULL, UNIQUE (signature, arch, precision, device, code))",
          "CREATE INDEX IF NOT EXISTS kernels_by_ops ON kernels (ops, arch, precision)", "PRAGMA user_version = 1",
          "COMMIT"})
      if (Error error = database->run(sql))
        return error;
    return Error::success();
  }

  Expected<std::vector<LibraryEntry>> find(const LibraryKey &key, int n) override {
    return select("SELECT " + std::string(columns) +
                      " FROM kernels WHERE signature = ? AND arch = ? AND precision = ? "
                      "ORDER BY device <> ?, time_us, id LIMIT ?",
                  {key.signature, key.arch, key.precision, key.device, int64_t(n)});
  }

  Expected<std::vector<LibraryEntry>> findSimilar(const LibraryKey &key, int n) override {
    // SQLite takes the other columns from the row that has the minimum.
    return select("SELECT " + std::string(columns) +
                      ", MIN(time_us) FROM kernels WHERE ops = ? AND arch = ? AND precision = ? AND signature <> ? "
                      "GROUP BY signature ORDER BY device <> ?, stored DESC, id LIMIT ?",
                  {key.ops, key.arch, key.precision, key.signature, key.device, int64_t(n)});
  }

  Error store(const LibraryKey &key, const LibraryEntry &entry) override {
    std::string made = propose::printMaterializations({entry.materialization});
    // What counts as the same kernel: how it is made, whoever had the idea.
    std::string code = propose::hashText(entry.materialization.directives + '\0' + entry.materialization.cuda + '\0' +
                                         entry.materialization.plan);
    if (Error error = database->run(
            "INSERT INTO kernels (signature, ops, arch, precision, device, code, time_us, problem, shapes, idea, "
            "materialization, run, branch, stored) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
            "ON CONFLICT (signature, arch, precision, device, code) DO UPDATE SET time_us = excluded.time_us, "
            "run = excluded.run, branch = excluded.branch WHERE excluded.time_us < time_us",
            {key.signature, key.ops, key.arch, key.precision, key.device, code, entry.timeUs, entry.problem,
             entry.shapes, propose::printIdeas({entry.idea}), made, entry.run, entry.branch,
             int64_t(std::time(nullptr))}))
      return error;
    return database->run(
        "DELETE FROM kernels WHERE signature = ?1 AND arch = ?2 AND precision = ?3 AND device = ?4 AND "
        "id NOT IN (SELECT id FROM kernels WHERE signature = ?1 AND arch = ?2 AND precision = ?3 AND "
        "device = ?4 ORDER BY time_us, id LIMIT " +
            std::to_string(keptPerKey) + ")",
        {key.signature, key.arch, key.precision, key.device});
  }

private:
  Expected<std::vector<LibraryEntry>> select(const std::string &sql, ArrayRef<SqliteValue> values) {
    std::vector<LibraryEntry> entries;
    std::string fault;
    if (Error error = database->run(sql, values, [&](const SqliteRow &row) {
          auto ideas = propose::parseIdeas(row.text(0));
          auto list = propose::parseMaterializations(row.text(1));
          if (ideas && list && ideas->size() == 1 && list->size() == 1)
            entries.push_back({ideas->front(), list->front(), row.real(2), row.text(3), row.text(4), row.text(5),
                               row.text(6), row.text(7)});
          else
            fault = "the kernel library " + path + " holds an entry that cannot be read, of " + row.text(5) + "/" +
                    row.text(6) + "; move it away, or go on by --library none";
          consumeError(ideas.takeError());
          consumeError(list.takeError());
        }))
      return std::move(error);
    if (!fault.empty())
      return createStringError(fault);
    return entries;
  }

  std::unique_ptr<Sqlite> database;
  std::string path;
};

} // namespace

Expected<std::unique_ptr<KernelLibrary>> KernelLibrary::open(const std::string &path) {
  if (sys::fs::is_directory(path))
    return createStringError("kernel library " + path + " is a folder, expected a file");
  StringRef folder = sys::path::parent_path(path);
  if (!folder.empty())
    if (std::error_code ec = sys::fs::create_directories(folder))
      return createStringError("kernel library " + path + ": cannot create its folder: " + ec.message());
  auto database = Sqlite::open(path, /*seconds=*/10);
  if (!database)
    return database.takeError();
  auto library = std::make_unique<SqliteLibrary>(std::move(*database), path);
  if (Error error = library->prepare())
    return std::move(error);
  return library;
}

} // namespace kgen::library
