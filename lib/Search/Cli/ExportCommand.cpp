//===- ExportCommand.cpp - Runs as a data set -----------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Network/NetworkSearch.h"
#include "SearchCommands.h"
#include "kgen/Trajectory/Export.h"

using namespace llvm;

namespace kgen::search {

Expected<int> exportRuns(const SearchCommand &command, const SearchToolWorld &world) {
  std::string all;
  std::vector<std::string> folders;
  for (const std::string &folder : command.runs)
    if (isNetworkRun(world.fs, folder))
      for (const std::string &task : world.fs.list(folder + "/tasks"))
        folders.push_back(folder + "/tasks/" + task);
    else
      folders.push_back(folder);
  for (const std::string &folder : folders) {
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
