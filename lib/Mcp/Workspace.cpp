//===- Workspace.cpp ------------------------------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kgen/Mcp/Workspace.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <chrono>

using namespace llvm;

namespace kgen::mcp {
namespace {

/// Measures on INNER in its turns.
class TurnTakingEvaluator : public search::CandidateEvaluator {
public:
  TurnTakingEvaluator(std::unique_ptr<search::CandidateEvaluator> inner, DeviceTurns &turns,
                      const std::atomic<bool> &stop)
      : inner(std::move(inner)), turns(turns), stop(stop),
        key(this->inner->getWidth() > 1 ? DeviceTurns::all : this->inner->getDevice().name) {}

  search::DeviceFacts getDevice() const override { return inner->getDevice(); }
  void prepare(StringRef folder) override { inner->prepare(folder); }
  bool compiles(StringRef cuda, double seconds) override { return inner->compiles(cuda, seconds); }
  Expected<candidate::Measurement> evaluate(const search::EvaluationJob &job) override {
    if (!turns.begin(this, key, stop))
      return createStringError("interrupted");
    auto measurement = inner->evaluate(job);
    turns.end(this);
    return measurement;
  }
  bool deviceIsLost() const override { return inner->deviceIsLost(); }
  unsigned getWidth() const override { return inner->getWidth(); }
  void setAdmission(const search::EvaluationJob &job) override { inner->setAdmission(job); }
  std::vector<std::string> takeNotes() override { return inner->takeNotes(); }
  std::vector<std::string> revealInputs() override { return inner->revealInputs(); }
  std::map<std::string, double> timeBaselines(StringRef file, std::string &note) override {
    if (!turns.begin(this, key, stop)) {
      note = "interrupted";
      return {};
    }
    auto times = inner->timeBaselines(file, note);
    turns.end(this);
    return times;
  }

private:
  std::unique_ptr<search::CandidateEvaluator> inner;
  DeviceTurns &turns;
  const std::atomic<bool> &stop;
  const std::string key;
};

/// Takes what kgen-search prints, line by line, as what is going on: a network's search says it so.
class SittingLines : public raw_ostream {
public:
  explicit SittingLines(Sitting &sitting) : raw_ostream(/*unbuffered=*/true), sitting(sitting) {}

private:
  void write_impl(const char *data, size_t size) override {
    written += size;
    for (StringRef rest(data, size); !rest.empty();) {
      auto [part, after] = rest.split('\n');
      line += part;
      if (part.size() < rest.size())
        tellLine();
      rest = after;
    }
  }
  uint64_t current_pos() const override { return written; }
  void tellLine() {
    constexpr size_t most = 200;
    std::string said = StringRef(line).trim().take_front(most).str();
    line.clear();
    if (!said.empty())
      sitting.tell([&](SittingNews &news) { news.activity = said; });
  }

  Sitting &sitting;
  std::string line;
  uint64_t written = 0;
};

/// Tells a sitting how its search goes.
class SittingProgress : public report::Progress {
public:
  explicit SittingProgress(Sitting &sitting) : sitting(sitting) {}

  void note(StringRef line) override {
    sitting.tell([&](SittingNews &news) { news.notes.push_back(line.str()); });
  }
  void beginRound(int round, int rounds, int branches) override {
    sitting.tell([&](SittingNews &news) {
      news.activity = "round " + std::to_string(round) + " of " + std::to_string(rounds);
      news.left = std::max(news.left, branches);
    });
  }
  void moreBranches(int count) override {
    sitting.tell([&](SittingNews &news) { news.left += count; });
  }
  void activity(StringRef what) override {
    sitting.tell([&](SittingNews &news) { news.activity = what.str(); });
  }
  void waiting(const propose::ModelWait *wait) override {
    if (wait)
      sitting.tell([&](SittingNews &news) { news.activity = "waiting for a model"; });
  }
  void branchDone(const report::BranchNews &branch, int branchesLeft) override {
    sitting.tell([&](SittingNews &news) {
      ++news.done;
      news.left = std::max(0, branchesLeft);
      news.activity = branch.id + " " + branch.verdict;
    });
  }
  void finished() override {}

private:
  Sitting &sitting;
};

} // namespace

bool DeviceTurns::begin(const void *owner, const std::string &key, const std::atomic<bool> &stop) {
  std::unique_lock<std::mutex> guard(turn);
  auto mine = waiting.insert(waiting.end(), {owner, key});
  auto hinders = [&](const Place &other) {
    return other.owner != owner && (other.key == key || other.key == all || key == all);
  };
  auto isReady = [&] { return llvm::none_of(holding, hinders) && std::none_of(waiting.begin(), mine, hinders); };
  bool ready;
  while (!(ready = isReady()) && !stop)
    changed.wait_for(guard, std::chrono::milliseconds(100));
  if (ready)
    holding.push_back(*mine);
  waiting.erase(mine);
  changed.notify_all();
  return ready;
}

void DeviceTurns::end(const void *owner) {
  std::lock_guard<std::mutex> guard(turn);
  holding.erase(llvm::find_if(holding, [&](const Place &place) { return place.owner == owner; }));
  changed.notify_all();
}

SittingNews Sitting::news() const {
  std::lock_guard<std::mutex> guard(turn);
  return state;
}

void Sitting::wait(double seconds, const SittingNews *seen) const {
  std::unique_lock<std::mutex> guard(turn);
  changed.wait_for(guard, std::chrono::duration<double>(seconds), [&] {
    return state.ended || (seen && (state.done != seen->done || state.activity != seen->activity));
  });
}

void Sitting::tell(function_ref<void(SittingNews &)> change) {
  std::lock_guard<std::mutex> guard(turn);
  change(state);
  changed.notify_all();
}

Workspace::Workspace(WorkspaceWorld world, WorkspaceOptions options)
    : world(std::move(world)), options(std::move(options)) {}

Workspace::~Workspace() {
  stopAll();
  for (auto &[run, thread] : threads)
    thread.join();
}

void Workspace::stopAll() {
  std::lock_guard<std::mutex> guard(turn);
  for (auto &[run, sitting] : sittings)
    sitting->stop = true;
}

search::SourceFolders Workspace::getFolders() const { return search::findSourceFolders(world.fs, world.programFolder); }

Expected<std::string> Workspace::resolveProblem(StringRef problem) const {
  bool isPython = problem.ends_with(".py");
  if (!isPython && !problem.ends_with(".mlir")) {
    if (problem.contains('/'))
      return createStringError("problem '" + problem.take_front(200) + "' is no registered name, FILE.py or FILE.mlir");
    // Said before a device is opened.
    if (auto text = search::readProblem(world.fs, getFolders(), problem, world.programFolder); !text)
      return text.takeError();
    return problem.str();
  }
  SmallString<256> path(problem), real, realRoot;
  if (sys::path::is_relative(path))
    path = (options.root + "/" + problem).str();
  if (sys::fs::real_path(path, real) || sys::fs::real_path(options.root, realRoot))
    return createStringError("cannot read " + problem.take_front(200) + ": no such file below " + options.root);
  if (!StringRef(real).starts_with(realRoot == "/" ? "/" : (realRoot + "/").str()))
    return createStringError(problem.take_front(200) + " lies outside " + options.root +
                             ", which is all that this server reads; --root names another folder");
  // A link's name may promise something else.
  if (!StringRef(real).ends_with(isPython ? ".py" : ".mlir"))
    return createStringError(problem.take_front(200) + " is a link to another kind of file");
  return real.str().str();
}

Expected<std::string> Workspace::readGraph(StringRef problem, bool small, StringRef precision) const {
  auto source = resolveProblem(problem);
  if (!source)
    return source.takeError();
  auto text = search::readProblem(world.fs, getFolders(), *source, world.programFolder);
  if (!text)
    return text.takeError();
  auto graph = world.compiler.canonicalize(*text, small);
  if (graph && !precision.empty())
    graph = world.compiler.canonicalize(search::withPrecision(*graph, precision), /*small=*/false);
  if (!graph)
    return createStringError(problem + ": " + toString(graph.takeError()));
  return graph;
}

std::vector<std::string> Workspace::listRuns() const {
  std::vector<std::string> runs;
  for (const std::string &name : world.fs.list(options.runs))
    if (world.fs.exists(pathOf(name) + "/run.json") || isNetwork(name))
      runs.push_back(name);
  return runs;
}

std::vector<std::string> Workspace::listTasks(StringRef name) const {
  std::vector<std::string> tasks;
  if (isNetwork(name))
    for (const std::string &task : world.fs.list(pathOf(name) + "/tasks"))
      tasks.push_back((name + "/tasks/" + task).str());
  return tasks;
}

Expected<std::unique_ptr<trajectory::RunFolder>> Workspace::readRun(StringRef name) const {
  std::string path = pathOf(name) + (isNetwork(name) ? "/network" : "");
  if (!world.fs.exists(path + "/run.json"))
    return createStringError("there is no run '" + name + "'; list_runs names those that are there");
  return trajectory::RunFolder::openForReading(world.fs, world.clock, path);
}

Expected<std::string> Workspace::takeName(StringRef wanted, StringRef problem) {
  std::lock_guard<std::mutex> guard(turn);
  auto isTaken = [&](const std::string &name) { return names.count(name) || world.fs.exists(pathOf(name)); };
  std::string base = wanted.str();
  if (base.empty()) {
    base = sys::path::stem(problem).take_front(48).str();
    for (char &c : base)
      if (!isAlnum(c) && c != '-' && c != '_')
        c = '_';
    if (base.empty() || base[0] == '-')
      base = "run" + base;
  } else if (isTaken(base)) {
    return createStringError("there is a run '" + wanted + "' already; choose another name, or work on that one");
  }
  std::string name = base;
  for (int n = 2; isTaken(name); ++n)
    name = base + "-" + std::to_string(n);
  names.insert(name);
  return name;
}

void Workspace::releaseName(const std::string &name) {
  std::lock_guard<std::mutex> guard(turn);
  names.erase(name);
}

Expected<std::shared_ptr<Sitting>> Workspace::start(search::SearchCommand command, const std::string &run) {
  std::lock_guard<std::mutex> guard(turn);
  size_t busy = count_if(sittings, [](const auto &entry) { return !entry.second->news().ended; });
  auto known = sittings.find(run);
  if (known != sittings.end() && !known->second->news().ended)
    return createStringError("run '" + run + "' is at work; ask search_state, or cancel_search first");
  if (busy >= options.maxSittings)
    return createStringError(Twine(busy) + " searches and evaluations are at work, which is all that this server does "
                                           "at once; wait for one, or cancel it");
  if (auto old = threads.find(run); old != threads.end()) {
    old->second.join(); // it has ended
    threads.erase(old);
  }
  command.allowUnconfinedCompile = options.allowUnconfinedCompile;
  auto sitting = std::make_shared<Sitting>(run);
  sittings[run] = sitting;
  threads.emplace(run, std::thread([this, command = std::move(command), sitting] { work(command, *sitting); }));
  return sitting;
}

std::shared_ptr<Sitting> Workspace::findSitting(StringRef run) const {
  std::lock_guard<std::mutex> guard(turn);
  auto found = sittings.find(run.str());
  return found == sittings.end() ? nullptr : found->second;
}

void Workspace::work(const search::SearchCommand &command, Sitting &sitting) {
  auto openDevice =
      [&](const search::EvaluatorRequest &request) -> Expected<std::unique_ptr<search::CandidateEvaluator>> {
    if (!request.launchers.empty())
      return createStringError("this run starts its evaluators by a command, which no client may: go on with it by "
                               "kgen-search resume");
    sitting.tell([&](SittingNews &news) { news.activity = "opening device " + request.devices; });
    auto evaluator = world.openDevice(request.devices, sitting.stop);
    if (!evaluator)
      return evaluator.takeError();
    return std::make_unique<TurnTakingEvaluator>(std::move(*evaluator), devices, sitting.stop);
  };
  raw_null_ostream nowhere;
  SittingLines lines(sitting);
  search::SearchToolWorld toolWorld{world.fs, world.clock, world.compiler, openDevice, lines, nowhere, sitting.stop};
  toolWorld.kernelLibraryPath = world.kernelLibraryPath;
  toolWorld.ownRunsFolder = world.ownRunsFolder;
  toolWorld.programFolder = world.programFolder;
  toolWorld.makeProgress = [&] { return std::make_unique<SittingProgress>(sitting); };
  auto code = search::executeSearchCommand(command, toolWorld);
  std::string error = code ? "" : toString(code.takeError());
  sitting.tell([&](SittingNews &news) {
    news.ended = true;
    news.error = error;
    news.activity = "";
    news.left = 0;
  });
}

} // namespace kgen::mcp
