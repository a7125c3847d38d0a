//===- ProblemSource.cpp --------------------------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kgen/Search/ProblemSource.h"
#include "kgen/Toolchain/Python.h"
#include "kgen/Toolchain/Scratch.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <unistd.h>

using namespace llvm;

namespace kgen::search {

SourceFolders findSourceFolders(trajectory::FileSystem &fs, StringRef programFolder) {
  SourceFolders folders;
  auto find = [&](const char *variable, const char *name) -> std::string {
    if (const char *value = std::getenv(variable); value && *value)
      return value;
    // bin/../share/kgen in an archive, build/bin/../../ in a source tree.
    for (const char *base : {"/../share/kgen/", "/../../", "/../"}) {
      std::string folder = (programFolder + base + name).str();
      if (fs.exists(folder)) {
        SmallString<256> clean(folder);
        sys::path::remove_dots(clean, /*remove_dot_dot=*/true);
        return clean.str().str();
      }
    }
    return "";
  };
  folders.problems = find("KGEN_PROBLEMS", "problems");
  folders.frontend = find("KGEN_FRONTEND", "frontend");
  folders.prices = find("KGEN_PRICES", "prices");
  return folders;
}

std::vector<std::string> listProblems(trajectory::FileSystem &fs, const SourceFolders &folders) {
  std::vector<std::string> names;
  if (folders.problems.empty())
    return names;
  for (const std::string &file : fs.list(folders.problems))
    if (StringRef(file).ends_with(".mlir"))
      names.push_back(StringRef(file).drop_back(5).str());
  return names;
}

/// The last line that says something: where a Python program puts its reason.
static std::string lastLine(StringRef text) {
  text = text.rtrim();
  return text.substr(text.rfind('\n') + 1).trim().str(); // npos + 1 is 0
}

static Expected<std::string> importPython(trajectory::FileSystem &fs, const SourceFolders &folders, StringRef source,
                                          StringRef programFolder) {
  if (!fs.exists(source))
    return createStringError(Twine("cannot read ") + source + ": no such file");
  std::string chosen = toolchain::findPython();
  auto python = sys::findProgramByName(chosen);
  if (!python)
    return createStringError("importing " + Twine(source) + " needs " + chosen + ", which is not there");
  if (folders.frontend.empty())
    return createStringError("the Python package is not beside kgen-search; set KGEN_FRONTEND to its folder");
  auto scratch = toolchain::ScratchFolder::create("import");
  if (!scratch)
    return scratch.takeError();
  std::string graphFile = scratch->path() + "/graph.mlir", errorFile = scratch->path() + "/log";
  std::string path = folders.frontend;
  if (const char *old = std::getenv("PYTHONPATH"); old && *old)
    path += std::string(":") + old;
  // For the child alone: other threads read this process's variables, and the next import would add the folder again.
  path = "PYTHONPATH=" + path;
  std::vector<StringRef> variables = {path};
  for (char **variable = environ; *variable; ++variable)
    if (!StringRef(*variable).starts_with("PYTHONPATH="))
      variables.push_back(*variable);
  std::string opt = (programFolder + "/kgen-opt").str();
  std::vector<StringRef> arguments = {*python, "-m", "kgen", "import", source, "-o", graphFile};
  if (fs.exists(opt))
    arguments.insert(arguments.end(), {"--kgen-opt", opt});
  std::optional<StringRef> redirects[] = {std::nullopt, StringRef(""), StringRef(errorFile)};
  std::string message;
  int code =
      sys::ExecuteAndWait(*python, arguments, ArrayRef(variables), redirects, /*SecondsToWait=*/300, 0, &message);
  auto graph = fs.read(graphFile);
  auto log = fs.read(errorFile);
  if (code != 0) {
    consumeError(graph.takeError());
    std::string reason = log ? lastLine(*log) : message;
    if (!log)
      consumeError(log.takeError());
    StringRef shown = reason;
    shown.consume_front("kgen: ");
    return createStringError("cannot import " + Twine(source) + ": " +
                             (shown.empty() ? StringRef("python3 failed") : shown));
  }
  if (!log)
    consumeError(log.takeError());
  return graph;
}

Expected<std::string> readProblem(trajectory::FileSystem &fs, const SourceFolders &folders, StringRef source,
                                  StringRef programFolder) {
  if (source.ends_with(".py"))
    return importPython(fs, folders, source, programFolder);
  if (source.ends_with(".mlir"))
    return fs.read(source);
  std::vector<std::string> names = listProblems(fs, folders);
  if (std::find(names.begin(), names.end(), source) != names.end())
    return fs.read(folders.problems + "/" + source.str() + ".mlir");
  // A slip of the finger deserves the right name.
  std::string nearest;
  unsigned distance = 4;
  for (const std::string &name : names)
    if (unsigned d = source.edit_distance(name, true, distance); d < distance) {
      distance = d;
      nearest = name;
    }
  std::string hint = nearest.empty() ? "`kgen-search problems` lists them" : "did you mean " + nearest + "?";
  return createStringError(Twine("unknown problem '") + source +
                           "': expected a registered name, FILE.mlir or FILE.py; " + hint);
}

/// The module TEXT with one more attribute.
static std::string withAttribute(std::string text, const std::string &attribute) {
  const size_t body = text.find("func.func");
  StringRef attributed = "module attributes {", plain = "module {";
  if (size_t at = text.find(attributed.str()); at < body)
    return text.insert(at + attributed.size(), attribute + ", ");
  if (size_t at = text.find(plain.str()); at < body)
    return text.replace(at, plain.size(), "module attributes {" + attribute + "} {");
  return "module attributes {" + attribute + "} {\n" + text + "\n}\n";
}

std::string withPrecision(StringRef graph, StringRef precision) {
  std::string text = graph.str();
  std::string attribute = "kgen.precision = \"" + precision.str() + "\"";
  if (size_t at = text.find("kgen.precision = \""); at < text.find("func.func")) {
    size_t end = text.find('"', at + StringRef("kgen.precision = \"").size());
    return text.replace(at, end + 1 - at, attribute);
  }
  return withAttribute(std::move(text), attribute);
}

std::string withTiledProducts(StringRef graph) {
  constexpr StringLiteral attribute = "kgen.tiled_products";
  const bool isThere = graph.take_front(graph.find("func.func")).contains(attribute);
  return isThere ? graph.str() : withAttribute(graph.str(), attribute.str());
}

} // namespace kgen::search
