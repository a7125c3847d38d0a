//===- AddCommand.cpp - Ideas and kernels by hand -------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SearchCommands.h"
#include "kgen/Propose/BuiltinIdeas.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

using namespace llvm;

namespace kgen::search {

Expected<std::vector<trajectory::HandWritten>> readGiven(const SearchCommand &command, const SearchToolWorld &world,
                                                         StringRef llm) {
  std::vector<trajectory::HandWritten> given;
  for (const std::string &words : command.handIdeas) {
    auto entry = trajectory::readHandWrittenIdea(words);
    if (!entry)
      return entry.takeError();
    if (llm == "builtin")
      if (auto known = propose::matchBuiltinIdea(entry->idea.text); !known)
        return known.takeError();
    given.push_back(std::move(*entry));
  }
  for (const std::string &path : command.seedKernels) {
    auto entry = trajectory::readHandWrittenKernel(world.fs, path);
    if (!entry)
      return entry.takeError();
    given.push_back(std::move(*entry));
  }
  for (const std::string &path : command.scripts) {
    auto text = world.fs.read(path);
    if (!text)
      return text.takeError();
    auto entry = trajectory::takeHandWrittenDirectives(std::move(*text));
    if (!entry)
      return createStringError(path + ": " + toString(entry.takeError()));
    given.push_back(std::move(*entry));
  }
  return given;
}

Error dropAll(const std::vector<trajectory::HandWritten> &given, StringRef run, const SearchToolWorld &world) {
  for (auto [index, entry] : enumerate(given))
    if (Error error = trajectory::dropIntoInbox(world.fs, world.clock, run, index, entry))
      return error;
  return Error::success();
}

Expected<int> addToRun(const SearchCommand &command, const SearchToolWorld &world) {
  // Nothing but the inbox is written: a search may be at it.
  auto run = trajectory::RunFolder::openForReading(world.fs, world.clock, command.run);
  if (!run)
    return run.takeError();
  auto given = readGiven(command, world, (*run)->getConfig().value("llm", ""));
  if (!given)
    return given.takeError();
  if (Error error = dropAll(*given, command.run, world))
    return std::move(error);
  world.out << command.run << ": " << given->size() << (given->size() == 1 ? " entry waits" : " entries wait")
            << " in the inbox for the next round";
  if ((*run)->getStopReason())
    world.out << "; go on with: kgen-search resume " << command.run;
  world.out << "\n";
  return 0;
}

} // namespace kgen::search
