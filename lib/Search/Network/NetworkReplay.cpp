//===- NetworkReplay.cpp - A network's run derived again ------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tasks' runs are replayed like any other. Then each network is put together again from the kernels that its
// tasks.json names, which by then are what the replies give, and every byte is compared.
//
//===----------------------------------------------------------------------===//

#include "NetworkSearch.h"

#include "kgen/Propose/Proposer.h"
#include "kgen/Search/GuardedCompiler.h"
#include "kgen/Trajectory/CorruptRun.h"
#include "kgen/Trajectory/Replay.h"

#include "llvm/ADT/Twine.h"

using namespace llvm;

namespace kgen::search {

Expected<int> replayNetwork(const SearchCommand &command, const SearchToolWorld &world) {
  auto run = trajectory::RunFolder::openForReading(world.fs, world.clock, networkFolder(command.run));
  if (!run)
    return run.takeError();
  if (Error error = (*run)->verifyFiles())
    return std::move(error);
  auto config = SearchConfig::fromJson((*run)->getConfig());
  if (!config)
    return config.takeError();
  auto facts = collectNetworkFacts(world.compiler, (*run)->getGraph(), config->chip);
  if (!facts)
    return facts.takeError();
  RunCompilers compilers(world.compiler, config->llm);
  std::vector<std::unique_ptr<trajectory::RunFolder>> opened;
  std::map<std::string, const trajectory::RunFolder *> tasks;
  int branches = 0, files = 0;
  for (size_t i = 0; i < facts->partition.tasks.size(); ++i) {
    const std::string &name = facts->partition.tasks[i].name, path = command.run + "/tasks/" + name;
    if (!world.fs.exists(path + "/run.json"))
      continue; // the search was cut short before it
    auto task = trajectory::RunFolder::openForReading(world.fs, world.clock, path);
    if (!task)
      return task.takeError();
    if ((*task)->getGraph() != facts->graphs[i])
      return make_error<trajectory::CorruptRun>(path + "/graph.mlir",
                                                " is not the task that the network's graph gives");
    auto summary = trajectory::replayRun(world.fs, **task, *compilers.own,
                                         {command.jobs, command.recorded, compilers.foreign.get()});
    if (!summary)
      return summary.takeError();
    branches += summary->branches;
    files += summary->files;
    tasks[name] = task->get();
    opened.push_back(std::move(*task));
  }
  int networks = 0;
  for (const trajectory::BranchRecord &branch : (*run)->getBranches()) {
    if (branch.measurement.empty())
      continue;
    auto text = (*run)->readFile(branch.id, "tasks.json");
    if (!text)
      return text.takeError();
    auto choices = parseChoices(*text);
    if (!choices)
      return choices.takeError();
    auto expected = putTogether(facts->partition, facts->precisions, facts->whole, tasks, *choices);
    if (!expected)
      return expected.takeError();
    (*expected)["idea.md"] = trajectory::printIdeaPage(branch);
    for (const auto &[name, derived] : *expected) {
      auto actual = (*run)->readFile(branch.id, name);
      if (!actual)
        return actual.takeError();
      ++files;
      if (*actual == derived)
        continue;
      size_t at =
          std::mismatch(actual->begin(), actual->begin() + std::min(actual->size(), derived.size()), derived.begin())
              .first -
          actual->begin();
      return createStringError((*run)->getPath() + "/" + branch.id + "/" + name +
                               " differs from what the tasks give, first at byte " + Twine(at));
    }
    ++networks;
  }
  world.out << command.run << ": " << branches << " branches of " << tasks.size() << " tasks derived again, "
            << networks << " networks put together again, " << files << " files are the same to the byte\n";
  return 0;
}

} // namespace kgen::search
