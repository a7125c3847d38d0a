//===- NetworkSearch.cpp - Rounds over tasks ------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NetworkLoop.h"

#include "../Cli/SearchCommands.h"
#include "kgen/Candidate/UntrustedText.h"
#include "kgen/Report/NetworkReport.h"

#include "llvm/ADT/Twine.h"

using namespace llvm;

namespace kgen::search {

/// What compute-sanitizer may take at the end of a search of LIMIT seconds on DEVICE.
static double mostCheckSeconds(StringRef device, double limit) {
  constexpr double share = 0.1, least = 10, most = 60;
  if (device == "host")
    return 0;
  return limit > 0 ? std::clamp(share * limit, least, most) : most;
}

/// How many rounds of tasks are on their way at a time: while one compiles another one measures. On the host compiles
/// and measurements would take each other's time.
static size_t chooseAtOnce(const SearchConfig &config, const CandidateEvaluator &evaluator) {
  constexpr int mostOfEach = 4;
  const int width = int(std::max(1u, evaluator.getWidth()));
  const int ofEach = config.device == "host" ? 1 : std::clamp(config.compileJobs / (2 * width), 1, mostOfEach);
  return size_t(ofEach) * size_t(width);
}

/// WORLD, whose compiler several threads ask.
static SearchToolWorld shareCompiler(const SearchToolWorld &world, graph::GraphCompiler &compiler) {
  SearchToolWorld shared{world.fs, world.clock, compiler, world.openDevice, world.out, world.err, world.stop};
  shared.kernelLibraryPath = world.kernelLibraryPath;
  shared.ownRunsFolder = world.ownRunsFolder;
  shared.programFolder = world.programFolder;
  return shared;
}

NetworkSearch::NetworkSearch(const SearchCommand &command, const SearchToolWorld &world, const SearchConfig &config,
                             CandidateEvaluator &evaluator, trajectory::RunFolder &run, std::string folder,
                             NetworkFacts facts)
    : command(command), compiler(createSharedCompiler(world.compiler)), world(shareCompiler(world, *compiler)),
      config(config), evaluator(evaluator), run(run), folder(std::move(folder)), log(run),
      compilers(*compiler, config.llm), atOnce(chooseAtOnce(config, evaluator)),
      confines(evaluator.getDevice().confinesFiles || command.allowUnconfinedCompile),
      recorded(run.getBranches().size()) {
  base.graph = run.getGraph().str();
  base.facts = std::move(facts);
  knownTasks = base.facts.partition.tasks;
  current = base;
  closingTime.limit = 60 * config.maxMinutes;
  closingTime.checks = mostCheckSeconds(config.device, closingTime.limit);
  // Each ends after the candidate that it has, and after the compiles that have begun.
  constexpr double ofARound = 2;
  closingTime.inFlight = ofARound * double(atOnce) / std::max(1u, evaluator.getWidth());
}

Error NetworkSearch::execute() {
  startSeconds = world.clock.seconds();
  secondsBefore = run.getSecondsSpent();
  if (Error error = run.recordStart(world.compiler.getGenerator()))
    return error;
  Error error = executeRounds();
  if (!error)
    error = close();
  trajectory::StopReason reason = error ? trajectory::StopReason::Error : stopReason;
  std::vector<std::string> seeds = error ? std::vector<std::string>() : evaluator.revealInputs();
  Error unsaved = run.recordStop(reason, world.clock.seconds() - startSeconds, seeds);
  if (!error)
    return unsaved;
  consumeError(std::move(unsaved));
  return error;
}

/// Puts those of MEMBERS first that have most to compute in a run of the network: where the time is over before all of
/// them were opened, the others matter least.
void NetworkSearch::sortByWork(std::vector<size_t> &members) {
  std::map<size_t, double> work;
  for (size_t member : members) {
    auto facts = world.compiler.facts(tasks[member].run->getGraph());
    if (!facts) {
      consumeError(facts.takeError()); // its own search says what is wrong
      continue;
    }
    // What generic kernels reach of either: 20 TFLOP/s of products, 0.2 to 0.7 TB/s of what memory bounds (an H100,
    // docs/results/h200-networks.md).
    constexpr double flopsForAByte = 40;
    work[member] = tasks[member].state.count * (facts->flops + flopsForAByte * facts->compulsoryBytes);
  }
  stable_sort(members, [&](size_t a, size_t b) { return work[a] > work[b]; });
}

/// The first kernels of the tasks of the network as it is cut now, put together.
Error NetworkSearch::beginNetwork() {
  const size_t first = tasks.size();
  if (Error error = openTasks(current))
    return error;
  const WholeProblem whole{&base.facts.whole, run.getPath().str() + "/graph.mlir"};
  std::vector<size_t> members;
  for (size_t task : membersOf(current))
    if (tasks[task].state.bestUs.empty())
      members.push_back(task);
  sortByWork(members);
  // More than a search of minutes comes to.
  constexpr size_t mostAhead = 64;
  if (closingTime.limit > 0)
    for (size_t member : ArrayRef(members).drop_front(std::min(members.size(), mostAhead)))
      tasks[member].asksAhead = false;
  prepareTasks(world, config, evaluator, ArrayRef(tasks).drop_front(first), first, first == 0 ? whole : WholeProblem());
  auto opened = giveOpening(members);
  if (!opened)
    return opened.takeError();
  hasOpened |= !opened->empty();
  // Those that this is too long for have their first kernels, compiled by as many processes as tasks were opened by.
  constexpr double fewestOfFirsts = 4, ofAFirst = 1.2;
  if (hasOpened)
    closingTime.firsts = std::max(fewestOfFirsts, ofAFirst * double(members.size()) / std::max(1, config.compileJobs));
  // Without an opening there is no network but of round 0 of every task: the clock ends the search only then.
  if (Error error = advance(members, *opened))
    return error;
  if (findWithoutRound().empty())
    closingTime.firsts = 0;
  if (stopReason == trajectory::StopReason::Interrupted)
    return Error::success();
  if (config.device != "host") // there may be no time for another network: the first has them, and is the last
    return beginWithFirsts();
  // Compiles would take time from what is timed.
  return findWithoutKernel().empty() ? assemble(0, /*closing=*/false) : Error::success();
}

Error NetworkSearch::executeRounds() {
  if (Error error = timeBaselines())
    return error;
  if (Error error = beginCut())
    return error;
  Error error = beginNetwork();
  if (stopReason == trajectory::StopReason::Done && standings.bestId().empty() && !current.script.empty() &&
      !evaluator.deviceIsLost()) {
    if (Error unsaved = giveUpCut(error ? toString(std::move(error)) : lastFault))
      return unsaved;
    error = beginNetwork();
  }
  if (error || stopReason == trajectory::StopReason::Interrupted)
    return error;
  if (standings.bestId().empty() && !lastFault.empty())
    return createStringError("the network of every task's round 0 is not right: " + lastFault);
  if (stopReason != trajectory::StopReason::Done) {
    lastRound = hasOpened; // the sanitizer has not seen it
    return Error::success();
  }
  firstNetworkSeconds = world.clock.seconds() - startSeconds;
  for (int round = 1; round <= config.options.rounds; ++round) {
    lastRound = round;
    const auto branchesOfRound = [&] {
      return count_if(run.getBranches(), [&](const auto &branch) { return branch.round == round; });
    };
    if (round == 1)
      if (Error error = tryCatalogue(round, /*early=*/true))
        return error;
    auto moved = takeTurns(round);
    if (!moved)
      return moved.takeError();
    if (*moved && !shouldStop())
      if (Error error = assemble(round, /*closing=*/false))
        return error;
    if (round == 1)
      if (Error error = tryCatalogue(round, /*early=*/false))
        return error;
    if (!propose::isTrustedProposer(config.llm) && !shouldStop())
      if (Error error = tryAsked(round))
        return error;
    if (shouldStop())
      return Error::success();
    if (!*moved && branchesOfRound() == 0) {
      stopReason = trajectory::StopReason::NoIdeasLeft;
      return Error::success();
    }
  }
  return Error::success();
}

/// What a search ends with, whatever ended it but the user: its best kernels put together, looked at by
/// compute-sanitizer, verified and timed.
Error NetworkSearch::close() {
  absorb(recorded);
  // An earlier process cut the network otherwise, and this one did not come as far.
  const bool isBehind = standings.bestScript() != current.script;
  if (!isBehind)
    if (Error error = tryFirsts(lastRound))
      return error;
  // First kernels may have had the time of the last network, and then compute-sanitizer looked at that with them.
  const bool isLate = triedFirsts && !hasTimeFor(1);
  if (stopReason != trajectory::StopReason::Interrupted && !standings.bestId().empty() && lastRound > 0 && !isBehind &&
      !isLate)
    if (Error error = assemble(lastRound, /*closing=*/true)) {
      if (evaluator.deviceIsLost())
        return error;
      // What was right before is no less so; the report says that nobody looked at it.
      say("the network that the search ends with could not be measured: " + toString(std::move(error)));
    }
  return standings.bestId().empty() ? Error::success() : recordBest();
}

Error NetworkSearch::recordBest() {
  const std::string best = standings.bestId().str();
  if (run.getBest() != best)
    if (Error error = run.recordBest(best))
      return error;
  return world.fs.link("network/" + best, folder + "/best");
}

bool NetworkSearch::contains(const NetworkVariant &variant, StringRef task) {
  return any_of(variant.facts.partition.tasks, [&](const graph::NetworkTask &one) { return one.name == task; });
}

/// The tasks of VARIANT, which are open, in its order.
std::vector<size_t> NetworkSearch::membersOf(const NetworkVariant &variant) const {
  std::vector<size_t> members;
  for (const graph::NetworkTask &known : variant.facts.partition.tasks)
    for (size_t i = 0; i < tasks.size(); ++i)
      if (tasks[i].name == known.name)
        members.push_back(i);
  return members;
}

/// What a round of each task buys follows from how often VARIANT computes it.
void NetworkSearch::useCounts(const NetworkVariant &variant) {
  for (TaskSearch &task : tasks)
    task.state.count = 0;
  for (const graph::NetworkTask &known : variant.facts.partition.tasks)
    for (TaskSearch &task : tasks)
      if (task.name == known.name)
        task.state.count = known.count - known.prepares;
}

/// What the tasks take now, told to SELF.
std::string NetworkSearch::profile(StringRef self) const {
  std::vector<network::ProfileRow> rows;
  for (const TaskSearch &task : tasks)
    if (!task.state.bestUs.empty())
      rows.push_back(
          {task.name, task.state.count, task.state.bestUs.front(), task.state.bestUs.back(), task.state.floorUs});
  return network::printProfile(config.problem, standings.bestUs(), rows, self);
}

/// Whether no more rounds are given away: what is left of the time is for putting the best kernels together.
bool NetworkSearch::shouldStop() {
  if (world.stop)
    stopReason = trajectory::StopReason::Interrupted;
  else if (turnsGiven == run.getTurns().size() && closingTime.isOver(secondsSpent()))
    stopReason = trajectory::StopReason::TimeIsUp;
  return stopReason != trajectory::StopReason::Done;
}

/// Opens those tasks of VARIANT that are not open yet.
Error NetworkSearch::openTasks(const NetworkVariant &variant) {
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
    task.config.checksBest = false;
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

Error NetworkSearch::timeBaselines() {
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

void NetworkSearch::say(const Twine &line) {
  world.out << candidate::printable(line.str()) << "\n";
  world.out.flush();
}

/// Runs or goes on with the search in RUN, a network's folder.
static Expected<int> go(const SearchCommand &command, const SearchToolWorld &world, const SearchConfig &config,
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
