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
#include "SharedEvaluator.h"
#include "TaskSearch.h"

#include "../Cli/RunSetup.h"
#include "../Cli/SearchCommands.h"
#include "kgen/Candidate/UntrustedText.h"
#include "kgen/Report/NetworkReport.h"
#include "kgen/Search/GuardedCompiler.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/Format.h"

using namespace llvm;

namespace kgen::search {
namespace {

class NetworkSearch {
public:
  NetworkSearch(const SearchCommand &command, const SearchToolWorld &world, const SearchConfig &config,
                CandidateEvaluator &evaluator, trajectory::RunFolder &run, std::string folder, NetworkFacts facts)
      : command(command), world(world), config(config), evaluator(evaluator), shared(evaluator), run(run),
        folder(std::move(folder)), log(run), compilers(world.compiler, config.llm) {
    base.graph = run.getGraph().str();
    base.facts = std::move(facts);
    knownTasks = base.facts.partition.tasks;
    current = base;
  }

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
    if (Error error = openTasks(current))
      return error;
    if (Error error = timeBaselines())
      return error;
    prepareTasks(world, config, evaluator, tasks);
    for (size_t task : membersOf(current)) {
      // Without round 0 of every task there is no network: the clock ends the search only then.
      if (Error error = advance(tasks[task]))
        return error;
      if (stopReason != trajectory::StopReason::Done)
        return Error::success();
    }
    if (Error error = assembleRound(0))
      return error;
    if (bestId.empty())
      return createStringError("the network of every task's round 0 is not right: " + lastFault);
    for (int round = 1; round <= config.options.rounds; ++round) {
      nextBranch = 0;
      if (round == 1)
        if (Error error = tryCatalogue(round, /*early=*/true))
          return error;
      auto moved = takeTurns(round);
      if (!moved)
        return moved.takeError();
      if (*moved)
        if (Error error = assembleRound(round))
          return error;
      if (round == 1)
        if (Error error = tryCatalogue(round, /*early=*/false))
          return error;
      if (!propose::isTrustedProposer(config.llm) && !shouldStop())
        if (Error error = tryAsked(round))
          return error;
      if (shouldStop())
        return Error::success();
      if (!*moved && nextBranch == 0) {
        stopReason = trajectory::StopReason::NoIdeasLeft;
        return Error::success();
      }
    }
    return Error::success();
  }

  /// As many rounds of tasks as there are tasks, each for the one that gains most by it. Whether there was any.
  Expected<bool> takeTurns(int round) {
    bool moved = false;
    const size_t most = membersOf(current).size();
    for (size_t turn = 0; turn < most && !shouldStop(); ++turn) {
      std::vector<network::TaskState> states;
      for (const TaskSearch &task : tasks)
        states.push_back(task.state);
      std::optional<size_t> chosen = network::chooseTask(states);
      if (!chosen)
        break;
      moved = true;
      if (Error error = giveTurn({round, tasks[*chosen].name}))
        return std::move(error);
      if (Error error = advance(tasks[*chosen]))
        return std::move(error);
    }
    return moved;
  }

  /// Records TURN, unless an earlier process did.
  Error giveTurn(trajectory::Turn turn) {
    return turnsGiven++ < run.getTurns().size() ? Error::success() : run.recordTurn(turn);
  }

  //===--------------------------------------------------------------------===//
  // Other partitions
  //===--------------------------------------------------------------------===//

  Error tryCatalogue(int round, bool early) {
    for (const network::PartitionIdea &idea : network::partitionCatalogue())
      if (idea.early == early && !shouldStop())
        if (Error error = tryPartition(round, idea))
          return error;
    return Error::success();
  }

  /// What a model makes of the network as it is cut now.
  Error tryAsked(int round) {
    if (!proposer) {
      propose::ProposerOptions options = config.llmOptions;
      options.log = &log;
      options.stop = &world.stop;
      auto made = propose::createProposer(config.llm, options);
      if (!made)
        return made.takeError();
      proposer = std::move(*made);
    }
    auto context = makeContext(round);
    if (!context)
      return context.takeError();
    std::string reply;
    auto idea = askPartition(run, *proposer, world.clock, std::move(*context), reply);
    if (!idea)
      return idea.takeError();
    return *idea ? tryPartition(round, **idea, reply) : Error::success();
  }

  Expected<propose::ProposalContext> makeContext(int round) {
    propose::ProposalContext context;
    context.slot = StringRef(trajectory::branchId(round, 0)).split('/').first.str() + "/partition";
    auto facts = world.compiler.facts(current.graph);
    if (!facts)
      return facts.takeError();
    context.facts = std::move(*facts);
    context.graph = current.graph;
    context.network = profile("") + "\n\n" + networkDirectives().str();
    context.chip = config.chip;
    context.device = config.device == "host" ? "host" : "cuda";
    context.precision = config.precision;
    context.seed = config.seed;
    if (run.getBaselines())
      context.baselines = *run.getBaselines();
    for (const trajectory::BranchRecord &branch : run.getBranches()) {
      if (branch.measurement.empty())
        continue;
      auto measurement = candidate::Measurement::parse(branch.measurement);
      if (!measurement)
        return measurement.takeError();
      if (branch.id == trajectory::branchId(0, 0))
        context.genericUs = measurement->timeUs;
      if (branch.id == bestId) {
        context.floorUs = measurement->floorUs;
        context.parent.id = bestId;
        context.parent.timeUs = measurement->timeUs;
        context.parent.directives = current.script;
      }
      if (branch.idea.key == "assemble")
        continue;
      propose::TriedBranch tried;
      tried.id = branch.id;
      tried.parent = branch.parent;
      tried.idea = branch.idea;
      tried.verdict = candidate::verdictName(measurement->verdict).str();
      tried.detail = measurement->detail;
      tried.timeUs = measurement->passed() ? measurement->timeUs : 0;
      context.history.push_back(std::move(tried));
    }
    return context;
  }

  /// What the tasks take now, told to SELF.
  std::string profile(StringRef self) const {
    std::vector<network::ProfileRow> rows;
    for (const TaskSearch &task : tasks)
      if (!task.state.bestUs.empty())
        rows.push_back(
            {task.name, task.state.count, task.state.bestUs.front(), task.state.bestUs.back(), task.state.floorUs});
    return network::printProfile(config.problem, bestUs, rows, self);
  }

  /// Cuts the network as IDEA says, on top of the best partition so far, searches what is new in it as far as what it
  /// takes the place of, and measures it. Where it is the fastest, the rounds after are for it.
  /// REPLY is the question that it answers; a model is told what became of it, whatever that is.
  Error tryPartition(int round, const network::PartitionIdea &idea, const std::string &reply = "") {
    trajectory::BranchRecord record;
    record.id = trajectory::branchId(round, nextBranch);
    record.round = round;
    record.parent = bestId;
    record.idea = {idea.key, idea.text, ideas::parseIdeaCategory(idea.category).value_or(ideas::IdeaCategory::Compute)};
    std::vector<graph::NetworkTask> joined = knownTasks;
    record.reply = reply;
    auto variant = makeVariant(*compilers.own, base, current.script + idea.directives, config.chip, joined);
    std::string refusal = variant ? "" : toString(variant.takeError());
    if (variant && variant->graph == current.graph)
      refusal = "it leaves the network as it is";
    if (!refusal.empty()) // the catalogue's may be about another network
      return reply.empty() ? Error::success() : refuse(record, refusal);
    ++nextBranch;
    knownTasks = std::move(joined);
    if (!run.findBranch(record.id)) {
      if (Error error = run.beginBranch(record))
        return error;
      if (Error error = run.writeFiles(record.id, {{"directives.mlir", variant->script},
                                                   {"network.mlir", variant->graph},
                                                   {"idea.md", trajectory::printIdeaPage(record)}}))
        return error;
    }
    say("partition " + record.id + ": " + idea.text);
    // What is new gets as many rounds as what it takes the place of had.
    size_t footing = 0;
    for (size_t task : membersOf(current))
      if (!contains(*variant, tasks[task].name) && tasks[task].state.count > 0)
        footing += tasks[task].state.bestUs.size() - 1;
    const size_t before = tasks.size();
    if (Error error = openTasks(*variant))
      return error;
    prepareTasks(world, config, evaluator, tasks);
    auto why = searchNew(round, before, footing);
    if (!why)
      return why.takeError();
    if (why->empty() && !shouldStop()) {
      auto choices = choose(*variant);
      if (!choices)
        return choices.takeError();
      auto measurement = measureChoices(record, *variant, *choices);
      if (!measurement)
        return measurement.takeError();
      if (bestId == record.id) {
        current = std::move(*variant);
        taken = std::move(*choices);
        return Error::success();
      }
    } else if (!why->empty()) {
      --nextBranch;
      if (Error error = refuse(record, *why))
        return error;
    }
    useCounts(current);
    return Error::success();
  }

  /// Round 0 of the tasks from FIRST on, and MOST rounds more among those of them that a run has. Why there is no
  /// network of them; "" when there is.
  Expected<std::string> searchNew(int round, size_t first, size_t most) {
    for (size_t task = first; task < tasks.size(); ++task) {
      if (shouldStop())
        return "";
      if (Error error = advance(tasks[task])) // of a task that only this partition needs
        return toString(std::move(error));
      if (stopReason == trajectory::StopReason::Done && tasks[task].state.bestUs.back() == 0)
        return "task " + tasks[task].name + " has no kernel that is right";
    }
    for (size_t turn = 0; turn < most && !shouldStop(); ++turn) {
      std::vector<network::TaskState> states;
      for (size_t task = first; task < tasks.size(); ++task)
        states.push_back(tasks[task].state);
      std::optional<size_t> chosen = network::chooseTask(states);
      if (!chosen)
        break;
      TaskSearch &task = tasks[first + *chosen];
      if (Error error = giveTurn({round, task.name, /*partition=*/true}))
        return std::move(error);
      if (Error error = advance(task))
        return std::move(error);
    }
    return "";
  }

  /// The next branch is RECORD, and not measured, since WHY.
  Error refuse(const trajectory::BranchRecord &record, const std::string &why) {
    ++nextBranch;
    const trajectory::BranchRecord *known = run.findBranch(record.id);
    if (known && !known->measurement.empty())
      return Error::success();
    if (!known) {
      if (Error error = run.beginBranch(record))
        return error;
      if (Error error = run.writeFiles(record.id, {{"idea.md", trajectory::printIdeaPage(record)}}))
        return error;
    }
    candidate::Measurement refused;
    refused.verdict = candidate::Verdict::Reject;
    refused.detail = why;
    refused.device = config.device;
    refused.precision = config.precision;
    if (Error error = run.recordMeasurement(record.id, refused.print()))
      return error;
    note(record.id, refused);
    return Error::success();
  }

  static bool contains(const NetworkVariant &variant, StringRef task) {
    return any_of(variant.facts.partition.tasks, [&](const graph::NetworkTask &one) { return one.name == task; });
  }

  /// The tasks of VARIANT, which are open, in its order.
  std::vector<size_t> membersOf(const NetworkVariant &variant) const {
    std::vector<size_t> members;
    for (const graph::NetworkTask &known : variant.facts.partition.tasks)
      for (size_t i = 0; i < tasks.size(); ++i)
        if (tasks[i].name == known.name)
          members.push_back(i);
    return members;
  }

  /// What a round of each task buys follows from how often VARIANT computes it.
  void useCounts(const NetworkVariant &variant) {
    for (TaskSearch &task : tasks)
      task.state.count = 0;
    for (const graph::NetworkTask &known : variant.facts.partition.tasks)
      for (TaskSearch &task : tasks)
        if (task.name == known.name)
          task.state.count = known.count - known.prepares;
  }

  double secondsSpent() const { return secondsBefore + world.clock.seconds() - startSeconds; }

  bool shouldStop() {
    if (world.stop)
      stopReason = trajectory::StopReason::Interrupted;
    else if (config.maxMinutes > 0 && secondsSpent() > config.maxMinutes * 60)
      stopReason = trajectory::StopReason::TimeIsUp;
    return stopReason != trajectory::StopReason::Done;
  }

  /// Opens those tasks of VARIANT that are not open yet.
  Error openTasks(const NetworkVariant &variant) {
    const NetworkFacts &facts = variant.facts;
    for (size_t i = 0; i < facts.partition.tasks.size(); ++i) {
      const graph::NetworkTask &known = facts.partition.tasks[i];
      if (any_of(tasks, [&](const TaskSearch &task) { return task.name == known.name; }))
        continue;
      TaskSearch task;
      task.name = known.name;
      task.config = config;
      task.config.problem = ("t" + StringRef(known.name)).str();
      std::replace(task.config.problem.begin(), task.config.problem.end(), '-', '_');
      task.config.pytorch = "";
      task.config.precision = facts.precisions[i];
      // It may get every round that the network has to give.
      task.config.options.rounds = int(config.options.rounds * base.facts.partition.tasks.size());
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
    useCounts(variant);
    return Error::success();
  }

  Error timeBaselines() {
    if (run.getBaselines() || config.pytorch.empty() || config.device == "host")
      return Error::success();
    say("timing PyTorch on the whole network");
    std::string note;
    const double begin = world.clock.seconds();
    std::map<std::string, double> times = evaluator.timeBaselines(config.pytorch, note);
    startSeconds += world.clock.seconds() - begin; // that is no search
    if (!note.empty())
      say("baselines: " + note);
    return run.recordBaselines(times, note);
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
    if (round > 0)
      environment.network = profile(task.name);
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

  std::pair<std::string, double> bestOf(TaskSearch &task, int round) {
    return findBest(*task.run, round, task.banned, task.state);
  }

  //===--------------------------------------------------------------------===//
  // Putting together
  //===--------------------------------------------------------------------===//

  /// The best kernel by now of each task of VARIANT.
  Expected<TaskChoices> choose(const NetworkVariant &variant) {
    TaskChoices choices;
    for (size_t member : membersOf(variant)) {
      TaskSearch &task = tasks[member];
      // A round that was cut short counts as far as it came.
      std::string best = bestOf(task, std::numeric_limits<int>::max()).first;
      if (stopReason == trajectory::StopReason::Done)
        best = bestOf(task, int(task.state.bestUs.size()) - 1).first;
      if (best.empty())
        return createStringError("task " + task.name + " has no kernel that is right in the network");
      choices[task.name] = best;
    }
    return choices;
  }

  /// Puts the best kernels together and measures the whole. Where a task's kernel is wrong there, it is banned, and the
  /// next best takes its place.
  Error assembleRound(int round) {
    for (size_t attempt = 0; attempt <= tasks.size(); ++attempt) {
      auto choices = choose(current);
      if (!choices)
        return choices.takeError();
      if (!taken.empty() && *choices == taken)
        return Error::success();
      trajectory::BranchRecord record;
      record.id = trajectory::branchId(round, nextBranch++);
      record.round = round;
      record.parent = round ? bestId : "";
      record.idea = {"assemble", round ? "The best kernel of every task by then." : "Every task's round 0.",
                     ideas::IdeaCategory::Control};
      auto measurement = measureChoices(record, current, *choices);
      if (!measurement)
        return measurement.takeError();
      if (measurement->passed()) {
        taken = std::move(*choices);
        return Error::success();
      }
      lastFault = (candidate::verdictName(measurement->verdict) + ": " + measurement->detail).str();
      if (round == 0 || world.stop)
        return Error::success();
      for (const std::string &blamed : findBlamed(*choices, taken, measurement->detail))
        for (TaskSearch &task : tasks)
          if (task.name == blamed)
            task.banned.insert(choices->at(blamed));
    }
    return Error::success();
  }

  Expected<candidate::Measurement> measureChoices(const trajectory::BranchRecord &record, const NetworkVariant &variant,
                                                  const TaskChoices &choices) {
    const std::string &id = record.id;
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
    auto files = putTogether(variant.facts.partition, variant.facts.precisions, variant.facts.whole, runs, choices);
    if (!files)
      return files.takeError();
    (*files)["idea.md"] = trajectory::printIdeaPage(record);
    if (!variant.script.empty()) {
      (*files)["directives.mlir"] = variant.script;
      (*files)["network.mlir"] = variant.graph;
    }
    if (!known)
      if (Error error = run.beginBranch(record))
        return std::move(error);
    if (Error error = run.writeFiles(id, *files))
      return std::move(error);
    const std::string place = run.getPath().str() + "/";
    EvaluationJob job{place + id, place + "graph.mlir", variant.facts.flops, config.precision, config.rules};
    job.onReference = true;
    job.promote = record.round > 0; // with nothing to compare it with: only the sanitizer looks at it
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
  RunLog log;
  RunCompilers compilers;
  std::unique_ptr<propose::Proposer> proposer; ///< of partitions, once it was asked
  NetworkVariant base, current;                ///< as it is, and as it is cut now
  std::vector<graph::NetworkTask> knownTasks;  ///< of all partitions that were tried
  std::vector<TaskSearch> tasks;               ///< as many
  int nextBranch = 0;                          ///< of this round of the network
  size_t turnsGiven = 0;                       ///< so far, of those that the journal tells
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
