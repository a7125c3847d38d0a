//===- NetworkLoop.h - A network's search in progress -----------*- C++ -*-===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Private to Search. NetworkSearch.cpp goes through the rounds, NetworkTurns.cpp gives rounds to tasks and runs them,
// NetworkPartitions.cpp cuts the network otherwise, NetworkAssembly.cpp puts it together, NetworkFirsts.cpp gives
// kernels to tasks that there was no time for.
//
// What comes next follows from what the journals hold up to there, so a resumed run goes the same way: the turns that
// are recorded are taken as they are, and a network that is recorded is not measured again. Where an earlier process
// ran out of time, its last networks stand where no other run would have them; absorb() takes them on in their place.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "NetworkSearch.h"
#include "NetworkStandings.h"
#include "TaskSearch.h"

#include "../Cli/RunSetup.h"
#include "kgen/Search/GuardedCompiler.h"

#include "llvm/Support/ThreadPool.h"

#include <deque>
#include <mutex>

namespace kgen::search {

class NetworkSearch {
public:
  NetworkSearch(const SearchCommand &command, const SearchToolWorld &world, const SearchConfig &config,
                CandidateEvaluator &evaluator, trajectory::RunFolder &run, std::string folder, NetworkFacts facts);

  llvm::Error execute();

private:
  // The rounds.
  llvm::Error executeRounds();
  llvm::Error beginNetwork();
  void sortByWork(std::vector<size_t> &members);
  llvm::Error openTasks(const NetworkVariant &variant);
  llvm::Error timeBaselines();
  llvm::Error close();
  llvm::Error recordBest();
  static bool contains(const NetworkVariant &variant, llvm::StringRef task);
  std::vector<size_t> membersOf(const NetworkVariant &variant) const;
  void useCounts(const NetworkVariant &variant);
  std::string profile(llvm::StringRef self) const;
  double secondsSpent() const { return secondsBefore + world.clock.seconds() - startSeconds; }
  bool shouldStop();
  void say(const llvm::Twine &line);

  // Rounds of tasks.
  /// What became of a task's round.
  struct TaskRound {
    size_t task = 0;
    int round = 0; ///< the first
    int last = 0;  ///< and the last of those that it has
    int compileJobs = 1;
    std::string network;     ///< what is told to whoever has ideas for it
    bool canGiveWay = false; ///< where the time is over before it, a first kernel stands in for round 0
    bool ran = false, gaveWay = false;
    std::string failure; ///< of the machinery; mostly empty
    std::string note;
  };
  llvm::Expected<bool> takeTurns(int round);
  llvm::Expected<size_t> takeBatch(int round, bool partition, size_t first, size_t most);
  llvm::Expected<std::vector<size_t>> giveTurns(int round, bool partition, size_t first, size_t most);
  llvm::Expected<std::vector<size_t>> takeRecordedTurns(int round, bool partition);
  llvm::Error advance(llvm::ArrayRef<size_t> chosen, llvm::ArrayRef<size_t> opened = {});
  llvm::Expected<std::vector<size_t>> giveOpening(llvm::ArrayRef<size_t> members);
  void runRound(TaskRound &turn);
  llvm::Error settle(TaskRound &turn);
  std::pair<std::string, double> bestOf(TaskSearch &task, int round) {
    return findBest(*task.run, round, task.banned, task.state);
  }

  // Other partitions.
  llvm::Error beginCut();
  llvm::Error giveUpCut(const std::string &why);
  llvm::Error beginVariant(const trajectory::BranchRecord &record, const NetworkVariant &variant);
  llvm::Error tryCatalogue(int round, bool early);
  llvm::Error tryAsked(int round);
  llvm::Expected<propose::ProposalContext> makeContext(int round);
  llvm::Error tryPartition(int round, const network::PartitionIdea &idea, const std::string &reply = "");
  llvm::Expected<std::string> searchNew(int round, size_t first, size_t most);
  llvm::Error refuse(const trajectory::BranchRecord &record, const std::string &why);

  // Putting together.
  llvm::Expected<TaskChoices> choose(const NetworkVariant &variant, bool generic = false);
  /// The id of the next branch of ROUND: that of a recorded one that ISTHIS says is it, else a new one.
  std::string nextBranch(int round, llvm::function_ref<bool(const trajectory::BranchRecord &)> isThis);
  void absorb(size_t count);
  llvm::Error assemble(int round, bool closing);
  llvm::Expected<candidate::Measurement> assembleChoices(int round, const char *text, const TaskChoices &choices,
                                                         bool closing);
  llvm::Expected<candidate::Measurement> measureChoices(const trajectory::BranchRecord &record,
                                                        const NetworkVariant &variant, const TaskChoices &choices,
                                                        bool closing);
  llvm::Expected<TaskChoices> readChoices(const trajectory::BranchRecord &branch) const;
  void note(const trajectory::BranchRecord &branch, const candidate::Measurement &measurement,
            const TaskChoices &choices, llvm::StringRef script);

  // First kernels.
  std::vector<size_t> findWithoutRound();
  std::vector<size_t> findWithoutKernel();
  bool canStandIn(TaskSearch &task);
  bool hasTimeFor(int networks) const;
  void beginFirst(size_t member);
  void beginFirstWhereLate(size_t member);
  void beginFirsts();
  void takeFirsts();
  llvm::Error tryFirsts(int round);
  llvm::Error beginWithFirsts();
  bool keepsFirst(TaskSearch &task, llvm::StringRef branch);
  bool recallFirst(TaskSearch &task);

  const SearchCommand &command;
  std::unique_ptr<graph::GraphCompiler> compiler; ///< for several threads
  const SearchToolWorld world;
  const SearchConfig &config;
  CandidateEvaluator &evaluator;
  trajectory::RunFolder &run;
  std::string folder;
  RunLog log;
  RunCompilers compilers;
  std::unique_ptr<propose::Proposer> proposer; ///< of partitions, once it was asked
  NetworkVariant base, current;                ///< as it is, and as it is cut now
  std::vector<graph::NetworkTask> knownTasks;  ///< of all partitions that were tried
  std::vector<TaskSearch> tasks;               ///< as many
  const size_t atOnce;                         ///< so many rounds of tasks
  const bool confines;                         ///< texts of the kernel library may be compiled
  std::mutex measuring;                        ///< who has the evaluator, where it is one
  std::mutex storing;                          ///< who has the kernel library
  NetworkStandings standings;
  network::ClosingTime closingTime;
  double firstNetworkSeconds = 0; ///< that round 0 of all tasks took, which a trial of another partition takes, too
  int lastRound = 0;
  bool hasOpened = false;       ///< tasks had round 1 with round 0
  bool triedFirsts = false;     ///< a network with first kernels was put together when time was up
  size_t turnsGiven = 0;        ///< so far, of those that the journal tells
  const size_t recorded;        ///< branches that the journal told when this process began
  std::set<std::string> passed; ///< those of them that the search has come to
  trajectory::StopReason stopReason = trajectory::StopReason::Done;
  std::string lastFault;
  double startSeconds = 0, secondsBefore = 0;
  std::mutex beginningFirsts;                            ///< who has the two below
  std::deque<std::pair<size_t, FirstKernel>> madeFirsts; ///< of tasks, generic where there is none; the pool's
  std::unique_ptr<llvm::DefaultThreadPool> makingFirsts; ///< at work on them; null: nobody is
};

} // namespace kgen::search
