//===- Baselines.cpp - PyTorch on the same problem ------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Evaluate/Baselines.h"

#include "kgen/Toolchain/Cache.h"
#include "kgen/Toolchain/Process.h"
#include "kgen/Toolchain/Python.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"

using namespace kgen;
using namespace kgen::evaluate;

static const struct {
  const char *name, *text;
} embedded[] = {
#include "BaselinesScript.inc"
};
namespace json = llvm::json;

llvm::Expected<Baselines> kgen::evaluate::parseBaselines(const std::string &text) {
  // Libraries may print anything before our line, which is the last one that is an object.
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(text).split(lines, '\n', -1, false);
  for (size_t i = lines.size(); i-- > 0;) {
    if (!lines[i].starts_with("{"))
      continue;
    auto value = json::parse(lines[i]);
    if (!value) {
      llvm::consumeError(value.takeError());
      continue;
    }
    const json::Object *object = value->getAsObject();
    if (auto error = object->getString("error"))
      return llvm::createStringError(*error);
    Baselines out;
    if (const json::Object *times = object->getObject("times"))
      for (auto &entry : *times)
        if (auto number = entry.second.getAsNumber(); number && *number > 0)
          out.times[entry.first.str()] = *number;
    if (const json::Object *notes = object->getObject("notes"))
      for (auto &entry : *notes)
        out.notes[entry.first.str()] = entry.second.getAsString().value_or("").str();
    out.versions = object->getString("versions").value_or("").str();
    if (out.times.empty())
      return llvm::createStringError("PyTorch could not run the problem in any mode");
    return out;
  }
  llvm::StringRef last = lines.empty() ? "it printed nothing" : lines.back();
  return llvm::createStringError("the PyTorch script failed: %s", last.take_back(300).str().c_str());
}

llvm::Expected<Baselines> kgen::evaluate::timeBaselines(const std::string &problemFile, const std::string &device,
                                                        const std::string &python, double wallSeconds) {
  llvm::StringRef card = device;
  if (!card.consume_front("cuda"))
    return llvm::createStringError("baselines are timed on a card only");
  card.consume_front(":");
  if (!llvm::sys::fs::exists(problemFile))
    return llvm::createStringError("no PyTorch form of the problem: %s is not there", problemFile.c_str());
  bool hit;
  auto folder =
      toolchain::ContentCache(toolchain::cacheRoot(), "scripts")
          .get(toolchain::contentKey({embedded[0].text}), hit, [](const std::string &at) -> llvm::Expected<bool> {
            if (llvm::Error error = toolchain::writeFileAtomically(at + "/baselines.py", embedded[0].text))
              return std::move(error);
            return true;
          });
  if (!folder)
    return folder.takeError();
  std::string program = python;
  if (program.empty())
    program = toolchain::findPython();
  // The script runs from the cache, where a relative path means something else.
  llvm::SmallString<256> problem(problemFile);
  llvm::sys::fs::make_absolute(problem);
  toolchain::ProcessRequest request;
  request.arguments = {program, *folder + "/baselines.py", problem.str().str(), card.empty() ? "0" : card.str()};
  toolchain::ProcessLimits limits;
  limits.wallSeconds = wallSeconds;
  // max-autotune prints a table for every kernel that it tries.
  limits.outputBytes = 4 << 20;
  auto run = toolchain::runProcess(request, limits);
  if (!run)
    return run.takeError();
  if (run->end == toolchain::ProcessResult::End::TimedOut)
    return llvm::createStringError("PyTorch took longer than %.0f s", wallSeconds);
  return parseBaselines(run->output);
}
