//===- TaskSearch.cpp - What a network asks of its tasks ------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TaskSearch.h"

#include "kgen/Toolchain/Scratch.h"

#include "llvm/Support/ThreadPool.h"

using namespace llvm;

namespace kgen::search {

void prepareTasks(const SearchToolWorld &world, const SearchConfig &config, CandidateEvaluator &evaluator,
                  ArrayRef<TaskSearch> tasks, size_t first, const WholeProblem &whole) {
  auto scratch = toolchain::ScratchFolder::create("network");
  if (!scratch)
    return consumeError(scratch.takeError());
  DefaultThreadPool workers(hardware_concurrency(std::max(1, config.compileJobs)));
  std::vector<EvaluationJob> problems(tasks.size());
  for (size_t i = 0; i < tasks.size(); ++i)
    workers.async([&, i] {
      const TaskSearch &task = tasks[i];
      auto lowered = world.compiler.lowerGeneric(task.run->getGraph(), config.chip);
      std::string place = scratch->path() + "/" + task.name;
      Error error = lowered ? world.fs.createFolders(place) : lowered.takeError();
      if (!error)
        error = world.fs.writeAtomic(place + "/kernel.cu", lowered->cuda);
      if (!error)
        error = world.fs.writeAtomic(place + "/plan.json", lowered->plan);
      if (error)
        return consumeError(std::move(error)); // its own search says what is wrong
      EvaluationJob job{place, task.run->getPath().str() + "/graph.mlir", 0, "", task.config.rules};
      job.lane = int(first + i);
      job.brief = task.state.count == 0;
      problems[i] = std::move(job);
    });
  workers.wait();
  erase_if(problems, [](const EvaluationJob &job) { return job.folder.empty(); });
  for (const EvaluationJob &job : problems)
    workers.async([&world, &evaluator, place = job.folder] {
      if (!world.stop)
        evaluator.prepare(place);
    });
  erase_if(problems, [&](const EvaluationJob &job) { return !tasks[size_t(job.lane) - first].asksAhead; });
  if (whole.plan) {
    const std::string place = scratch->path() + "/network";
    Error error = world.fs.createFolders(place);
    for (auto [name, text] : {std::pair("kernel.cu", std::string()), std::pair("plan.json", whole.plan->print())})
      if (!error)
        error = world.fs.writeAtomic(place + "/" + name, text);
    if (!error) {
      problems.insert(problems.begin(), {place, whole.graphFile, 0, "", config.rules});
      problems.front().lane = 0;     // the reference's, as a rule
      problems.front().later = true; // each task's round 0 is before it
    }
    consumeError(std::move(error));
  }
  // Compilers and oracles are processes of their own; on the host an answer is asked for when it is needed.
  if (!world.stop && problems.size() > 1 && config.device != "host") {
    const auto asking = count_if(tasks, [](const TaskSearch &task) { return task.asksAhead; });
    world.out << "asking for the right answers of " << asking << " tasks\n";
    world.out.flush();
    evaluator.learn(problems);
  }
  workers.wait();
}

std::pair<std::string, double> findBest(const trajectory::RunFolder &run, int round,
                                        const std::set<std::string> &banned, network::TaskState &state) {
  std::pair<std::string, double> best;
  for (const trajectory::BranchRecord &branch : run.getBranches()) {
    if (branch.round > round || branch.measurement.empty() || banned.count(branch.id))
      continue;
    auto measurement = candidate::Measurement::parse(branch.measurement);
    if (!measurement) {
      consumeError(measurement.takeError());
      continue;
    }
    if (measurement->floorUs > 0)
      state.floorUs = measurement->floorUs;
    if (branch.canWin() && measurement->beats(best.second))
      best = {branch.id, measurement->timeUs};
  }
  return best;
}

} // namespace kgen::search
