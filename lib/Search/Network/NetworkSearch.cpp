//===- NetworkSearch.cpp - Rounds over tasks ------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which task has the next round follows from what the tasks' journals hold up to there, so a resumed run goes the same
// way. What was put together is recorded once and not measured again.
//
//===----------------------------------------------------------------------===//

#include "NetworkSearch.h"

#include "../Cli/RunSetup.h"
#include "../Cli/SearchCommands.h"
#include "kgen/Candidate/UntrustedText.h"
#include "kgen/Report/NetworkReport.h"
#include "kgen/Search/GuardedCompiler.h"
#include "kgen/Toolchain/Scratch.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/ThreadPool.h"

#include <set>

using namespace llvm;

namespace kgen::search {
namespace {

/// The evaluator of all tasks: the seed of the inputs is told once, when the network's search ends.
class SharedEvaluator : public CandidateEvaluator {
public:
  explicit SharedEvaluator(CandidateEvaluator &inner) : inner(inner) {}
  DeviceFacts getDevice() const override { return inner.getDevice(); }
  void prepare(StringRef folder) override { inner.prepare(folder); }
  Expected<candidate::Measurement> evaluate(const EvaluationJob &job) override { return inner.evaluate(job); }
  bool deviceIsLost() const override { return inner.deviceIsLost(); }
  unsigned getWidth() const override { return inner.getWidth(); }
  void setAdmission(const EvaluationJob &job) override { inner.setAdmission(job); }
  std::vector<std::string> takeNotes() override { return inner.takeNotes(); }
  std::map<std::string, double> timeBaselines(StringRef file, std::string &note) override {
    return inner.timeBaselines(file, note);
  }

private:
  CandidateEvaluator &inner;
};

/// One task and its run.
struct TaskSearch {
  std::string name;
  std::unique_ptr<trajectory::RunFolder> run;
  SearchConfig config;
  network::TaskState state;
  std::set<std::string> banned; ///< branches that were wrong in the network
};

class NetworkSearch {
public:
  NetworkSearch(const SearchCommand &command, const SearchToolWorld &world, const SearchConfig &config,
                CandidateEvaluator &evaluator, trajectory::RunFolder &run, std::string folder, NetworkFacts facts)
      : command(command), world(world), config(config), evaluator(evaluator), shared(evaluator), run(run),
        folder(std::move(folder)), facts(std::move(facts)) {}

  Error execute() {
    startSeconds = world.clock.seconds();
    secondsBefore = run.getSecondsSpent();
    if (Error error = run.recordStart(world.compiler.getGenerator()))
      return error;
    Error error = executeRounds();
    if (!error && !bestId.empty())
      error = recordBest();
    trajectory::StopReason reason = error ? trajectory::StopReason::Error : stopReason;
    std::vector<std::string> seeds = error ? std::vector<std::string>() : evaluator.revealInputs();
    Error recorded = run.recordStop(reason, world.clock.seconds() - startSeconds, seeds);
    if (!error)
      return recorded;
    consumeError(std::move(recorded));
    return error;
  }

private:
  Error executeRounds() {
    if (Error error = openTasks())
      return error;
    if (Error error = timeBaselines())
      return error;
    compileAhead();
    for (TaskSearch &task : tasks) {
      // Without round 0 of every task there is no network: the clock ends the search only then.
      if (Error error = advance(task))
        return error;
      if (stopReason != trajectory::StopReason::Done)
        return Error::success();
    }
    if (Error error = assembleRound(0))
      return error;
    if (bestId.empty())
      return createStringError("the network of every task's round 0 is not right: " + lastFault);
    for (int round = 1; round <= config.options.rounds; ++round) {
      // As many rounds of tasks as there are tasks, each for the one that gains most by it.
      bool moved = false;
      for (size_t turn = 0; turn < tasks.size() && !shouldStop(); ++turn) {
        std::vector<network::TaskState> states;
        for (const TaskSearch &task : tasks)
          states.push_back(task.state);
        std::optional<size_t> chosen = network::chooseTask(states);
        if (!chosen)
          break;
        moved = true;
        if (Error error = advance(tasks[*chosen]))
          return error;
      }
      if (moved)
        if (Error error = assembleRound(round))
          return error;
      if (shouldStop())
        return Error::success();
      if (!moved) {
        stopReason = trajectory::StopReason::NoIdeasLeft;
        return Error::success();
      }
    }
    return Error::success();
  }

  double secondsSpent() const { return secondsBefore + world.clock.seconds() - startSeconds; }

  bool shouldStop() {
    if (world.stop)
      stopReason = trajectory::StopReason::Interrupted;
    else if (config.maxMinutes > 0 && secondsSpent() > config.maxMinutes * 60)
      stopReason = trajectory::StopReason::TimeIsUp;
    return stopReason != trajectory::StopReason::Done;
  }

  Error openTasks() {
    for (size_t i = 0; i < facts.partition.tasks.size(); ++i) {
      const graph::NetworkTask &known = facts.partition.tasks[i];
      TaskSearch task;
      task.name = known.name;
      task.state.count = known.count - known.prepares;
      task.config = config;
      task.config.problem = ("t" + StringRef(known.name)).str();
      std::replace(task.config.problem.begin(), task.config.problem.end(), '-', '_');
      task.config.pytorch = "";
      task.config.precision = facts.precisions[i];
      // It may get every round that the network has to give.
      task.config.options.rounds = int(config.options.rounds * facts.partition.tasks.size());
      task.config.maxMinutes = 0;
      std::string path = folder + "/tasks/" + known.name;
      auto opened =
          world.fs.exists(path + "/run.json")
              ? trajectory::RunFolder::open(world.fs, world.clock, path)
              : trajectory::RunFolder::create(world.fs, world.clock, path, task.config.toJson(), facts.graphs[i]);
      if (!opened)
        return opened.takeError();
      task.run = std::move(*opened);
      if (Error error = task.run->verifyFiles())
        return error;
      tasks.push_back(std::move(task));
    }
    return Error::success();
  }

  Error timeBaselines() {
    if (run.getBaselines() || config.pytorch.empty() || config.device == "host")
      return Error::success();
    say("timing PyTorch on the whole network");
    std::string note;
    std::map<std::string, double> times = evaluator.timeBaselines(config.pytorch, note);
    if (!note.empty())
      say("baselines: " + note);
    return run.recordBaselines(times, note);
  }

  /// Compiles every task's round 0 at once; the tasks' own searches find it in the cache.
  void compileAhead() {
    auto scratch = toolchain::ScratchFolder::create("network");
    if (!scratch)
      return consumeError(scratch.takeError());
    DefaultThreadPool workers(hardware_concurrency(std::max(1, config.compileJobs)));
    for (const TaskSearch &task : tasks) {
      if (!task.run->getBranches().empty())
        continue;
      auto lowered = world.compiler.lowerGeneric(task.run->getGraph(), config.chip);
      std::string place = scratch->path() + "/" + task.name;
      Error error = lowered ? world.fs.createFolders(place) : lowered.takeError();
      if (!error)
        error = world.fs.writeAtomic(place + "/kernel.cu", lowered->cuda);
      if (error) {
        consumeError(std::move(error)); // its own search says what is wrong
        continue;
      }
      workers.async([this, place] {
        if (!world.stop)
          evaluator.prepare(place);
      });
    }
    workers.wait();
  }

  /// The next round of TASK, as a resumed run of its own.
  Error advance(TaskSearch &task) {
    const int round = int(task.state.bestUs.size());
    if (round > 0 && shouldStop())
      return Error::success();
    trajectory::RunFolder &own = *task.run;
    auto setup = RunSetup::open(world, own, task.config, config.llmOptions,
                                evaluator.getDevice().confinesFiles || command.allowUnconfinedCompile);
    if (!setup)
      return setup.takeError();
    auto silent = report::createSilentProgress();
    SearchConfig slice = task.config;
    slice.lastRound = round;
    if (config.maxMinutes > 0 && round > 0)
      slice.maxMinutes = (own.getSecondsSpent() + std::max(1.0, 60 * config.maxMinutes - secondsSpent())) / 60;
    SearchEnvironment environment{world.fs, world.clock, *(*setup)->compilers.own, *(*setup)->proposer, shared,
                                  *silent,  world.stop,  (*setup)->examples};
    environment.foreign = (*setup)->compilers.foreign.get();
    if (Error error = runSearch(environment, own, slice))
      return createStringError("task " + task.name + ": " + toString(std::move(error)));
    auto ended = own.getStopReason();
    if (ended == trajectory::StopReason::Interrupted || ended == trajectory::StopReason::TimeIsUp ||
        ended == trajectory::StopReason::TokensSpent || ended == trajectory::StopReason::MoneySpent) {
      stopReason = *ended; // its round is not done; what it found by then counts all the same
      return Error::success();
    }
    task.state.exhausted = ended == trajectory::StopReason::NoIdeasLeft ||
                           none_of(own.getBranches(), [&](auto &branch) { return branch.round == round; });
    const double before = task.state.bestUs.empty() ? 0 : task.state.bestUs.back();
    task.state.bestUs.push_back(bestOf(task, round).second);
    if (Error error = (*setup)->library.storeBest(own))
      say(toString(std::move(error)));
    std::string line = task.name + " x " + std::to_string(task.state.count) + ", round " + std::to_string(round) + ": ";
    line += (before > 0 ? report::printTime(before) + " -> " : "") + report::printTime(task.state.bestUs.back());
    say(line);
    return Error::success();
  }

  /// The fastest right branch of TASK up to ROUND, and its time. Its floor is noted.
  std::pair<std::string, double> bestOf(TaskSearch &task, int round) {
    std::pair<std::string, double> best;
    for (const trajectory::BranchRecord &branch : task.run->getBranches()) {
      if (branch.round > round || branch.measurement.empty() || task.banned.count(branch.id))
        continue;
      auto measurement = candidate::Measurement::parse(branch.measurement);
      if (!measurement) {
        consumeError(measurement.takeError());
        continue;
      }
      if (measurement->floorUs > 0)
        task.state.floorUs = measurement->floorUs;
      if (branch.canWin() && measurement->passed() && (best.first.empty() || measurement->beats(best.second)))
        best = {branch.id, measurement->timeUs};
    }
    return best;
  }

  //===--------------------------------------------------------------------===//
  // Putting together
  //===--------------------------------------------------------------------===//

  /// Puts the best kernels together and measures the whole. Where a task's kernel is wrong there, it is banned, and the
  /// next best takes its place.
  Error assembleRound(int round) {
    for (size_t attempt = 0; attempt <= tasks.size(); ++attempt) {
      TaskChoices choices;
      for (TaskSearch &task : tasks) {
        // A round that was cut short counts as far as it came.
        std::string best = bestOf(task, std::numeric_limits<int>::max()).first;
        if (stopReason == trajectory::StopReason::Done)
          best = bestOf(task, int(task.state.bestUs.size()) - 1).first;
        if (best.empty())
          return createStringError("task " + task.name + " has no kernel that is right in the network");
        choices[task.name] = best;
      }
      if (!taken.empty() && choices == taken)
        return Error::success();
      std::string id = trajectory::branchId(round, int(attempt));
      auto measurement = measureChoices(id, round, choices);
      if (!measurement)
        return measurement.takeError();
      if (measurement->passed()) {
        taken = std::move(choices);
        return Error::success();
      }
      lastFault = (candidate::verdictName(measurement->verdict) + ": " + measurement->detail).str();
      if (round == 0 || world.stop)
        return Error::success();
      ban(choices, measurement->detail);
    }
    return Error::success();
  }

  /// What was wrong is the task that DETAIL names; else any that is new.
  void ban(const TaskChoices &choices, StringRef detail) {
    for (bool named : {true, false})
      for (TaskSearch &task : tasks) {
        const std::string &chosen = choices.at(task.name);
        bool isNew = taken.count(task.name) && taken.at(task.name) != chosen;
        if (!isNew || (named && !detail.starts_with("task " + task.name + " ")))
          continue;
        task.banned.insert(chosen);
        if (named)
          return;
      }
  }

  Expected<candidate::Measurement> measureChoices(const std::string &id, int round, const TaskChoices &choices) {
    const trajectory::BranchRecord *known = run.findBranch(id);
    if (known && !known->measurement.empty()) {
      auto measurement = candidate::Measurement::parse(known->measurement);
      if (measurement)
        note(id, *measurement);
      return measurement;
    }
    std::map<std::string, const trajectory::RunFolder *> runs;
    for (const TaskSearch &task : tasks)
      runs[task.name] = task.run.get();
    auto files = putTogether(facts.partition, facts.precisions, facts.whole, runs, choices);
    if (!files)
      return files.takeError();
    trajectory::BranchRecord record;
    record.id = id;
    record.round = round;
    record.parent = round ? bestId : "";
    record.idea = {"assemble", round ? "The best kernel of every task by then." : "Every task's round 0.",
                   ideas::IdeaCategory::Control};
    (*files)["idea.md"] = trajectory::printIdeaPage(record);
    if (Error error = run.beginBranch(record))
      return std::move(error);
    if (Error error = run.writeFiles(id, *files))
      return std::move(error);
    const std::string place = run.getPath().str() + "/";
    EvaluationJob job{place + id, place + "graph.mlir", facts.flops, config.precision, config.rules};
    job.onReference = true;
    double begin = world.clock.seconds();
    auto measurement = evaluator.evaluate(job);
    if (!measurement)
      return measurement.takeError();
    if (run.getBaselines())
      measurement->baselines.insert(run.getBaselines()->begin(), run.getBaselines()->end());
    if (Error error =
            run.recordMeasurement(id, measurement->print(), "", {"compile.log"}, world.clock.seconds() - begin))
      return std::move(error);
    note(id, *measurement);
    return measurement;
  }

  void note(const std::string &id, const candidate::Measurement &measurement) {
    std::string line = "network " + id + ": " + candidate::verdictName(measurement.verdict).str();
    line += measurement.passed() ? ", " + report::printTime(measurement.timeUs) : ": " + measurement.shownDetail();
    if (measurement.passed() && measurement.prepareUs > 0)
      line += " on prepared weights, " + report::printTime(measurement.freshUs()) + " with what prepares them";
    if (measurement.passed() && measurement.graphUs > 0)
      line += ", " + report::printTime(measurement.graphUs) + " as one CUDA graph";
    say(line);
    for (const std::string &warning : measurement.warnings)
      if (bestId.empty())
        say("warning: " + warning);
    if (measurement.beats(bestUs)) {
      bestId = id;
      bestUs = measurement.timeUs;
    }
  }

  Error recordBest() {
    if (run.getBest() != bestId)
      if (Error error = run.recordBest(bestId))
        return error;
    return world.fs.link("network/" + bestId, folder + "/best");
  }

  void say(const Twine &line) {
    world.out << candidate::printable(line.str()) << "\n";
    world.out.flush();
  }

  const SearchCommand &command;
  const SearchToolWorld &world;
  const SearchConfig &config;
  CandidateEvaluator &evaluator;
  SharedEvaluator shared;
  trajectory::RunFolder &run;
  std::string folder;
  NetworkFacts facts;
  std::vector<TaskSearch> tasks;
  trajectory::StopReason stopReason = trajectory::StopReason::Done;
  TaskChoices taken; ///< of the last network that passed
  std::string bestId, lastFault;
  double bestUs = 0, startSeconds = 0, secondsBefore = 0;
};

/// Runs or goes on with the search in RUN, a network's folder.
Expected<int> go(const SearchCommand &command, const SearchToolWorld &world, const SearchConfig &config,
                 CandidateEvaluator &evaluator, trajectory::RunFolder &run, const std::string &folder,
                 NetworkFacts facts) {
  world.out << "problem " << config.problem << ", " << config.size << " size, precision class " << config.precision
            << ", device " << config.device
            << (config.deviceModel.empty() ? std::string() : " (" + config.deviceModel + ")") << "\n"
            << facts.partition.steps.size() << " tasks, " << facts.partition.tasks.size()
            << " of them different; run folder " << folder << "\n";
  NetworkSearch search(command, world, config, evaluator, run, folder, std::move(facts));
  if (Error error = search.execute())
    return createStringError(toString(std::move(error)) + "; go on with: kgen-search resume " + folder);
  auto report = report::summarizeNetwork(world.fs, world.clock, folder);
  if (!report)
    return report.takeError();
  if (Error error = world.fs.writeAtomic(folder + "/report.md", report::printNetworkMarkdown(*report)))
    return std::move(error);
  if (Error error = world.fs.writeAtomic(folder + "/report.json", report::printNetworkJson(*report)))
    return std::move(error);
  world.out << candidate::printable(report::printNetworkText(*report));
  if (run.getStopReason() != trajectory::StopReason::Interrupted)
    return 0;
  world.out << "go on with: kgen-search resume " << folder << "\n";
  return 130;
}

} // namespace

Expected<int> searchNetwork(const SearchCommand &command, const SearchToolWorld &world, const SearchConfig &config,
                            const std::string &graph, graph::NetworkPartition partition, CandidateEvaluator &evaluator,
                            const std::string &folder) {
  if (!command.handIdeas.empty() || !command.seedKernels.empty())
    return createStringError("a network's search takes no --idea and no --seed-kernel; give them to a task: "
                             "kgen-search add RUN/tasks/NN-NAME");
  auto facts = collectNetworkFacts(world.compiler, graph, std::move(partition), config.chip);
  if (!facts)
    return facts.takeError();
  auto run = trajectory::RunFolder::create(world.fs, world.clock, networkFolder(folder), config.toJson(), graph);
  if (!run)
    return run.takeError();
  return go(command, world, config, evaluator, **run, folder, std::move(*facts));
}

Expected<int> resumeNetwork(const SearchCommand &command, const SearchToolWorld &world, const SearchConfig &config,
                            CandidateEvaluator &evaluator, trajectory::RunFolder &run) {
  auto facts = collectNetworkFacts(world.compiler, run.getGraph(), config.chip);
  if (!facts)
    return facts.takeError();
  return go(command, world, config, evaluator, run, command.run, std::move(*facts));
}

} // namespace kgen::search
