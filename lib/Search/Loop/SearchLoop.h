//===- SearchLoop.h - One search in progress ------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Private to Search. Search.cpp goes through the rounds; Asking.cpp gets ideas
// and materialisations, HandWritten.cpp those of a person, Lowering.cpp turns them into snapshots, Measuring.cpp
// compiles, measures and records, Checking.cpp has the sanitizer look at the best one, MeasuringAtOnce.cpp on several
// evaluators, by the contest of Contest.cpp; Repairing.cpp gives a branch that failed its second try.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Search/Search.h"
#include "kgen/Trajectory/HandWritten.h"
#include "kgen/Trajectory/Ledger.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/ThreadPool.h"

#include <atomic>
#include <climits>
#include <future>
#include <set>

namespace kgen::search {

/// Names what BRANCH runs: the same for branches whose kernel.cu and plan.json are the same; "" for
/// one without code.
std::string codeHash(const trajectory::BranchRecord &branch);

/// A branch of the current round on its way.
struct Candidate {
  trajectory::BranchRecord record;
  propose::Materialization materialization;
  bool ready = false;   ///< has a snapshot and waits for its measurement
  bool refused = false; ///< there is no code: the compiler said why
  bool known = false;   ///< its code is that of an earlier branch, whose measurement it shares
  std::shared_future<void> compiled;
};

class Search {
public:
  Search(const SearchEnvironment &env, trajectory::RunFolder &run, const SearchConfig &config)
      : env(env), run(run), config(config), workers(llvm::hardware_concurrency(std::max(1, config.compileJobs))) {}

  llvm::Error execute();

private:
  llvm::Error executeRounds();
  std::vector<Outcome> collectOutcomes() const;
  llvm::Error takeHandWritten(int round, bool planned, std::vector<Candidate> &candidates);
  llvm::Expected<std::vector<propose::Materialization>> carryOut(const propose::ProposalContext &context,
                                                                 trajectory::HandWritten &entry);
  llvm::Error expandRound(int round, const std::vector<Expansion> &expansions, std::vector<Candidate> &candidates);
  llvm::Error expandSeed(int round, size_t seed, const std::string &slot, const Expansion &expansion,
                         std::vector<Candidate> &candidates);
  /// One candidate for each of LIST, the answer recorded for SLOT; EXPANSION is -1 for a person's.
  void addCandidates(int round, int expansion, const trajectory::BranchRecord &parent, const propose::Idea &idea,
                     llvm::StringRef slot, const std::vector<propose::Materialization> &list,
                     std::vector<Candidate> &candidates);
  llvm::Error lowerRound(int round, const std::vector<Expansion> &expansions, std::vector<Candidate> &candidates);
  llvm::Error lowerFrom(size_t first, std::vector<Candidate> &candidates);
  llvm::Error measureRound(std::vector<Candidate> &candidates);
  void compileFirstWays(const std::atomic<bool> &abandoned);
  llvm::Error measureInTurn(llvm::ArrayRef<Candidate *> ready);
  class RoundAtOnce;
  /// Measures FRESH on several evaluators, and has those of ALL that were measured provisionally, and may be the best,
  /// timed again on the reference.
  llvm::Error measureAtOnce(llvm::ArrayRef<Candidate *> fresh, llvm::ArrayRef<Candidate> all);
  /// Has the sanitizer look at the best kernel, on a card, and at the next best one where it objects. LIMIT: seconds
  /// for each; 0: as long as the tools take. A look that they cut short is no look, unless it IS LAST.
  llvm::Error lookAtBest(double limit, bool isLast);
  /// The same between rounds, for a share of what the round took, SECONDS.
  llvm::Error lookBetweenRounds(double seconds);
  /// The same at the end of the search.
  llvm::Error lookAtLast();
  /// Whether the sanitizer is still to look at the best kernel.
  bool isToBeChecked() const {
    return config.device != "host" && config.checksBest && !bestId.empty() && measured.at(bestId).sanitizer.empty() &&
           !checked.count(bestId);
  }
  /// Takes BRANCH, which was recorded with MEASUREMENT, for the best one where it beats it.
  void considerAsBest(const trajectory::BranchRecord &branch, const candidate::Measurement &measurement) {
    if (!branch.duplicateOf.empty() || !branch.canWin() || !measurement.beats(bestUs))
      return;
    bestId = branch.id;
    bestUs = measurement.timeUs;
  }
  /// Records that the sanitizer looked at the best kernel and SAW this.
  llvm::Error recordLook(const candidate::Measurement &saw, double seconds);
  llvm::Error lower(Candidate &candidate);
  llvm::Error measure(Candidate &candidate);
  /// The job for branch ID; PROMOTE: it is to win beside the best one so far.
  EvaluationJob makeJob(const std::string &id, bool promote) const;
  /// Takes what became of CANDIDATE's evaluation.
  llvm::Error take(const Candidate &candidate, llvm::Expected<candidate::Measurement> measurement, double seconds,
                   trajectory::Standing standing);
  void passOnNotes();
  llvm::Error timeBaselines();
  std::string findPlanFault(const std::string &plan);
  llvm::Error finish(const Candidate &candidate, candidate::Measurement measurement, llvm::StringRef duplicateOf = "",
                     double deviceSeconds = 0, trajectory::Standing standing = trajectory::Standing::Final);
  void announce(const trajectory::BranchRecord &branch, const candidate::Measurement &measurement,
                llvm::StringRef sameAs, bool isBest, bool again);
  llvm::Error repairRound(int round, const std::vector<Candidate> &candidates);
  llvm::Error tuneRound(int round);
  llvm::Expected<bool> askRepair(const Candidate &failed, size_t index, Candidate &mended);
  /// ERROR, unless it comes of the user's wish to stop: that is no error.
  llvm::Error pauseOr(llvm::Error error) {
    if (!shouldStop())
      return error;
    llvm::consumeError(std::move(error));
    return llvm::Error::success();
  }
  llvm::Error record(const trajectory::ReplyRecord &reply, double seconds);
  /// Keeps what a question cost that has no answer.
  llvm::Error unanswered(llvm::StringRef slot, double seconds, llvm::Error error);
  llvm::Expected<std::vector<propose::Materialization>>
  askOnce(const propose::ProposalContext &context, llvm::StringRef stage, const propose::Idea &idea, int n,
          const propose::FailedBranch *failed,
          llvm::function_ref<llvm::Expected<std::vector<propose::Materialization>>()> ask);
  llvm::Expected<std::vector<propose::Idea>> askIdeas(const propose::ProposalContext &context, int n);
  llvm::Expected<std::vector<propose::Materialization>> askMaterializations(const propose::ProposalContext &context,
                                                                            const propose::Idea &idea, int n);
  propose::ProposalContext makeContext(const std::string &slot, const trajectory::BranchRecord &parent,
                                       const std::vector<Candidate> &planned);

  std::string folderOf(llvm::StringRef id) const { return (run.getPath() + "/" + id).str(); }
  /// Sets the reason when the search must end before the next step.
  bool shouldStop();
  /// The limit of tokens or money that is reached: what was asked is still measured.
  std::optional<trajectory::StopReason> findSpentLimit() const;
  bool timeIsUp() const { return config.maxMinutes > 0 && secondsSpent() > config.maxMinutes * 60 && !isOwedTries(); }
  /// Whether round 0 is still to be measured, which it always is, or left so little time that nothing else was tried:
  /// the first branches after it are, if they begin soon.
  bool isOwedTries() const {
    constexpr int owed = 2;
    constexpr double mostSeconds = 30; // after round 0, or after this process began
    return genericIsWaited ||
           (config.triesFirst && triedAfterGeneric < owed && env.clock.seconds() - genericSeconds <= mostSeconds);
  }
  /// Seconds spent on the run, by earlier processes too.
  double secondsSpent() const { return secondsBefore + env.clock.seconds() - startSeconds; }
  /// Notes whose code CANDIDATE's is, HASH of codeHash(); the first one's is its own.
  void claimCode(Candidate &candidate, const std::string &hash);
  /// Whether CANDIDATE runs what an earlier branch runs.
  bool isCopy(const Candidate &candidate) { return firstWithCode[codeHash(candidate.record)] != candidate.record.id; }
  /// How many of CANDIDATES count for the budget: one whose text was tried before costs no measurement.
  static size_t countSpending(llvm::ArrayRef<Candidate> candidates) {
    return llvm::count_if(candidates, [](const Candidate &candidate) { return !candidate.known; });
  }
  /// How many more branches the run may have, COUNT of the current round being there.
  int budgetLeft(size_t count) const {
    return config.maxBranches > 0 ? std::max(0, config.maxBranches - branchesBefore - int(count)) : INT_MAX;
  }

  const SearchEnvironment &env;
  trajectory::RunFolder &run;
  const SearchConfig &config;
  llvm::DefaultThreadPool workers;
  graph::GraphFacts facts;
  trajectory::PriceList prices;
  double startSeconds = 0, secondsBefore = 0;
  trajectory::StopReason stopReason = trajectory::StopReason::Done; ///< until something else ends the search
  int branchesLeft = 0;
  int branchesBefore = 0; ///< of earlier rounds, without round 0 and what was tried before
  std::map<std::string, candidate::Measurement> measured; ///< by branch id
  llvm::StringMap<std::string> firstWithCode;             ///< hash of code -> branch id
  double genericUs = 0, bestUs = 0, floorUs = 0;
  std::string bestId;
  int machineryErrors = 0;                      ///< in a row
  bool genericIsWaited = true;                  ///< round 0's kernel is not measured yet
  double genericSeconds = 0;                    ///< when it was, or when this process took the run up, by the clock
  std::atomic<int> triedAfterGeneric = 0;       ///< branches that were measured since, by earlier processes too
  std::set<std::string> checked, checkedInPart; ///< ids that the sanitizer has looked at
};

/// Adds to KNOWN, a kernel's measurement, what the sanitizer SAW of it.
void addLook(candidate::Measurement &known, const candidate::Measurement &saw);

/// The measurement of a branch that never ran.
candidate::Measurement rejected(candidate::Verdict verdict, std::string detail, const SearchConfig &config);

} // namespace kgen::search
