//===- Workspace.h - The runs that a server's clients work on --------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whatever a client does with a kernel happens in a run folder, by the commands
// that kgen-search has, so it is verified, limited and replayed like any run.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Search/ProblemSource.h"
#include "kgen/Search/SearchTool.h"

#include <condition_variable>
#include <list>
#include <map>
#include <mutex>
#include <set>
#include <thread>

namespace kgen::mcp {

/// What who starts the server decides; no client can.
struct WorkspaceOptions {
  std::string root;            ///< files of clients lie below it
  std::string runs;            ///< the folder of run folders
  std::string device = "auto"; ///< where a client names none
  std::string llm = "builtin"; ///< who has ideas in searches, and carries words out
  double maxMinutes = 240;     ///< the most that a run may take
  size_t maxSittings = 4;      ///< searches and evaluations at once
  bool allowUnconfinedCompile = false;
};

/// The outside world, as the command line has it; tests put fakes here.
struct WorkspaceWorld {
  trajectory::FileSystem &fs;
  trajectory::Clock &clock;
  graph::GraphCompiler &compiler; ///< called from several threads
  /// Opens a device; STOP ends a call in progress.
  std::function<llvm::Expected<std::unique_ptr<search::CandidateEvaluator>>(const std::string &device,
                                                                            const std::atomic<bool> &stop)>
      openDevice;
  std::string kernelLibraryPath, ownRunsFolder, programFolder; ///< see SearchToolWorld
};

/// What a sitting says of itself.
struct SittingNews {
  bool ended = false;
  std::string error; ///< why it ended, where it ended badly
  int done = 0, left = 0;
  std::string activity;
  std::vector<std::string> notes;
};

/// One command at work on a run, on a thread of its own.
class Sitting {
public:
  Sitting(std::string run) : run(std::move(run)) {}

  const std::string run; ///< the run's name
  std::atomic<bool> stop{false};

  SittingNews news() const;
  /// Waits until it has ended, or SECONDS are over, or what it says has changed since SEEN.
  void wait(double seconds, const SittingNews *seen = nullptr) const;
  /// Changes what it says.
  void tell(llvm::function_ref<void(SittingNews &)> change);

private:
  mutable std::mutex turn;
  mutable std::condition_variable changed;
  SittingNews state;
};

/// Who measures on a device is alone there: the sittings of a server take turns, in the order in which they came. One
/// that has several evaluators measures with all of them in its turn.
class DeviceTurns {
public:
  /// The key of who has several devices, which are anybody's.
  static constexpr const char *all = "*";
  /// Waits for the turn of OWNER on the device KEY; false once STOP is set.
  bool begin(const void *owner, const std::string &key, const std::atomic<bool> &stop);
  void end(const void *owner);

private:
  struct Place {
    const void *owner;
    std::string key;
  };
  std::mutex turn;
  std::condition_variable changed;
  std::list<Place> waiting, holding; ///< the first one came first
};

class Workspace {
public:
  Workspace(WorkspaceWorld world, WorkspaceOptions options);
  /// Stops what is going on and waits for it.
  ~Workspace();

  const WorkspaceOptions &getOptions() const { return options; }
  const WorkspaceWorld &getWorld() const { return world; }
  search::SourceFolders getFolders() const;

  /// PROBLEM as kgen-search takes it: a registered name, or a .py or .mlir file below the root, whose true path comes
  /// back. The Error is one sentence.
  llvm::Expected<std::string> resolveProblem(llvm::StringRef problem) const;
  /// The level 1 text of PROBLEM at its full or small size.
  llvm::Expected<std::string> readGraph(llvm::StringRef problem, bool small, llvm::StringRef precision) const;

  std::string pathOf(llvm::StringRef run) const { return options.runs + "/" + run.str(); }
  /// The runs, sorted; those of a network's tasks are not among them.
  std::vector<std::string> listRuns() const;
  /// The runs of the tasks of network NAME, as NAME/tasks/00-conv2d; none where NAME is no network.
  std::vector<std::string> listTasks(llvm::StringRef name) const;
  bool isNetwork(llvm::StringRef name) const { return world.fs.exists(pathOf(name) + "/network/run.json"); }
  /// The run called NAME, for reading; it may be at work. Of a network it is that of the whole, put together by round.
  llvm::Expected<std::unique_ptr<trajectory::RunFolder>> readRun(llvm::StringRef name) const;
  /// A name for a new run on PROBLEM that nobody has: WANTED, or the problem's with a number. It is taken from now on.
  llvm::Expected<std::string> takeName(llvm::StringRef wanted, llvm::StringRef problem);
  /// NAME's folder is there, or will not be.
  void releaseName(const std::string &name);

  /// Carries COMMAND out on RUN, in the background. An Error where too many are at work, or one is on this run.
  llvm::Expected<std::shared_ptr<Sitting>> start(search::SearchCommand command, const std::string &run);
  /// What was at work on RUN last; null: nothing since the server began.
  std::shared_ptr<Sitting> findSitting(llvm::StringRef run) const;
  /// Asks everything to stop.
  void stopAll();

private:
  void work(const search::SearchCommand &command, Sitting &sitting);

  WorkspaceWorld world;
  WorkspaceOptions options;
  mutable std::mutex turn;
  std::map<std::string, std::shared_ptr<Sitting>> sittings; ///< by run
  std::map<std::string, std::thread> threads;               ///< the same
  std::set<std::string> names;                              ///< taken, perhaps without a folder yet
  DeviceTurns devices;
};

} // namespace kgen::mcp
