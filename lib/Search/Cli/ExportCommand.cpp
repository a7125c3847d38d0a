//===- ExportCommand.cpp - Runs as a data set -----------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SearchCommands.h"
#include "kgen/Trajectory/Export.h"

using namespace llvm;

namespace kgen::search {

Expected<int> exportRuns(const SearchCommand &command, const SearchToolWorld &world) {
  std::string all;
  for (const std::string &folder : command.runs) {
    auto run = trajectory::RunFolder::openForReading(world.fs, world.clock, folder);
    if (!run)
      return run.takeError();
    auto lines = trajectory::exportRun(**run, command.licence);
    if (!lines)
      return lines.takeError();
    all += *lines;
  }
  if (command.out.empty())
    world.out << all;
  else if (Error error = world.fs.writeAtomic(command.out, all))
    return std::move(error);
  return 0;
}

} // namespace kgen::search
