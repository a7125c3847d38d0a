//===- RunFolder.h - A run on disk ----------------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The layout of docs/contracts.md. The journal is the truth: a file counts
// once a record holds its hash, and whatever a killed process left unfinished
// is simply done again. One process at a time holds a run.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Graph/Refusal.h"
#include "kgen/Propose/Idea.h"
#include "kgen/Propose/Model.h"
#include "kgen/Propose/Usage.h"
#include "kgen/Trajectory/Clock.h"
#include "kgen/Trajectory/HandWritten.h"
#include "kgen/Trajectory/Journal.h"
#include "kgen/Trajectory/StopReason.h"

#include "llvm/ADT/ArrayRef.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kgen::trajectory {

/// What a branch's time may be compared with, where a run has several evaluators.
enum class Standing {
  Final,       ///< it is the reference's, like the best one's
  TimedAgain,  ///< the same: it was another's, or alone, and was taken again there
  Checked,     ///< Final, and compute-sanitizer has looked at the kernel since it was measured
  Provisional, ///< it is any evaluator's: the branch cannot be the best before it is timed again
  PassedOver   ///< and it will not be, because others were faster
};

/// One branch, as far as the journal knows it.
struct BranchRecord {
  std::string id;     ///< "round-01/b03", also its folder
  std::string parent; ///< id of the parent; empty for round 0
  int round = 0;
  propose::Idea idea;
  std::string label, notes;
  std::string reply;   ///< request hash of the reply that it materialises; empty for round 0
  int option = 0;      ///< which materialisation of that reply
  int expansion = 0;   ///< which expansion of its round asked for it
  double priorUs = 0;  ///< see Materialization
  std::string repairs; ///< id of the branch that failed and that this one mends; mostly empty
  /// Files of the snapshot and their SHA-256.
  std::map<std::string, std::string> files;
  std::optional<graph::Refusal> refusal; ///< why the compiler took no script of it, where that can be named
  std::string generator;                 ///< the code generator that wrote them; empty: an older version did not say
  std::string duplicateOf;               ///< branch with the same code, whose measurement this one shares
  std::string measurement;               ///< measurement.json; empty while in flight
  double doneAt = 0;                     ///< seconds that the run had taken when it was measured
  double deviceSeconds = 0;              ///< that its measurement took
  Standing standing = Standing::Final;   ///< of the measurement

  /// Whether the branch may be the best of its run.
  bool canWin() const { return standing != Standing::Provisional && standing != Standing::PassedOver; }
};

/// What a question to a model cost.
struct Question {
  std::string slot;
  propose::TokenUsage usage;
  double seconds = 0;
};

/// A recorded question and its answer.
struct ReplyRecord {
  std::string slot;    ///< "round-01/seed-0/ideas", "round-01/seed-0/idea-2"
  std::string request; ///< canonical JSON, see printRequest
  std::string reply;   ///< JSON of the ideas or materialisations
};

/// A round of one of a network's tasks, in the order in which they were given away.
struct Turn {
  int round = 0; ///< of the network
  std::string task;
  bool partition = false; ///< for the sake of another partition, and not the one that gains most
  size_t begun = 0;       ///< how many branches the journal began before it
  int batch = -1;         ///< turns that were given away at once have the same; -1: it was alone
};

/// "round-01/b03".
std::string branchId(int round, int index);
/// idea.md of BRANCH.
std::string printIdeaPage(const BranchRecord &branch);

class RunFolder {
public:
  /// Starts a run at PATH, which must not hold one. CONFIG is run.json; GRAPH is level 1, canonical.
  static llvm::Expected<std::unique_ptr<RunFolder>> create(FileSystem &fs, Clock &clock, llvm::StringRef path,
                                                           const Json &config, llvm::StringRef graph);
  /// Takes up the run at PATH, after a crash too.
  static llvm::Expected<std::unique_ptr<RunFolder>> open(FileSystem &fs, Clock &clock, llvm::StringRef path);
  /// Reads the run at PATH without its lock and changes nothing: for replay and report.
  static llvm::Expected<std::unique_ptr<RunFolder>> openForReading(FileSystem &fs, Clock &clock, llvm::StringRef path);

  /// Between the two, records and files are gathered and put on disk together by commit(): a search
  /// prepares a whole round, commits, and only then compiles and measures. A process that dies before
  /// commit() leaves files that no record names; they are written again.
  void beginBatch() { batching = true; }
  llvm::Error commit();

  /// Compares every file that the journal names with what it was. The Error is a CorruptRun and names the first
  /// that differs or is gone.
  llvm::Error verifyFiles() const;
  /// The journal ended in half a record, which a crash left; it was cut.
  bool wasTorn() const { return torn; }

  llvm::StringRef getPath() const { return path; }
  const Json &getConfig() const { return config; }
  llvm::StringRef getGraph() const { return graph; }
  /// In the order in which they were begun.
  const std::vector<BranchRecord> &getBranches() const { return branches; }
  const BranchRecord *findBranch(llvm::StringRef id) const;
  llvm::StringRef getBest() const { return best; }
  /// Why the run ended; nothing while it goes on.
  std::optional<StopReason> getStopReason() const { return stopReason; }
  /// Seconds that were spent on this run as the journal tells: of a process that was killed, up to its
  /// last record.
  double getSecondsSpent() const { return secondsBefore + (sitting ? lastTime - sittingStart : 0); }

  /// The answer recorded for SLOT, or null.
  const ReplyRecord *findReply(llvm::StringRef slot) const;
  /// The reply whose request has HASH, or null.
  const ReplyRecord *findReplyByHash(llvm::StringRef hash) const;
  /// USAGE is what the question was billed and SECONDS how long it took.
  llvm::Error recordReply(const ReplyRecord &reply, const std::vector<propose::TokenUsage> &usage = {},
                          double seconds = 0);
  /// The same for a question that was billed and not answered.
  llvm::Error recordCosts(llvm::StringRef slot, const std::vector<propose::TokenUsage> &usage, double seconds);
  /// Every question that was billed, in the order of the journal.
  const std::vector<Question> &getQuestions() const { return questions; }

  /// What a person gave to ROUND, in order; null while the round has not begun.
  const std::vector<HandWritten> *findRound(int round) const;
  /// A round begins with what a person gave.
  llvm::Error recordRound(int round, std::vector<HandWritten> given);

  /// The recorded question whose hash is HASH, or null; and those of SLOT and its second turn, in
  /// order.
  const propose::Exchange *findExchange(llvm::StringRef hash) const;
  std::vector<const propose::Exchange *> findExchanges(llvm::StringRef slot) const;
  /// Keeps a question to a model and its answer: on disk when it returns, inside a batch too, because
  /// it cost money.
  llvm::Error recordExchange(const propose::Exchange &exchange);

  /// Announces a branch, before anything is done for it. A known id is taken up again.
  llvm::Error beginBranch(const BranchRecord &branch);
  /// The text of a file of a branch's folder.
  llvm::Expected<std::string> readFile(llvm::StringRef id, llvm::StringRef name) const;
  /// Writes files of a branch's folder and records their hashes.
  llvm::Error writeFiles(llvm::StringRef id, const std::map<std::string, std::string> &files);
  /// Writes baselines.json (times by mode, in microseconds) and records it, once per run.
  llvm::Error recordBaselines(const std::map<std::string, double> &times, llvm::StringRef note);
  /// What recordBaselines recorded; null before.
  const std::map<std::string, double> *getBaselines() const { return hasBaselines ? &baselines : nullptr; }
  /// Writes measurement.json and records its text: from here on the branch is done. ADOPTED names
  /// files that the evaluator left in the folder, perhaps; their hashes are recorded too. It took
  /// DEVICESECONDS. REFUSAL is why there was nothing to measure, where that can be named. A second measurement of a
  /// branch, TimedAgain, takes the place of the first.
  llvm::Error recordMeasurement(llvm::StringRef id, llvm::StringRef measurement, llvm::StringRef duplicateOf = "",
                                llvm::ArrayRef<const char *> adopted = {}, double deviceSeconds = 0,
                                const std::optional<graph::Refusal> &refusal = std::nullopt,
                                Standing standing = Standing::Final);
  /// Of a network's run: TURNS come next, all at once; gives them the batch that they are.
  llvm::Error recordTurns(std::vector<Turn> given);
  const std::vector<Turn> &getTurns() const { return turns; }
  /// Branches IDS, whose standing is Provisional, will not be timed again.
  llvm::Error recordPassedOver(const std::vector<std::string> &ids);
  /// Points `best` at the branch.
  llvm::Error recordBest(llvm::StringRef id);
  /// A process with this code generator takes the run up; the time from here on counts.
  llvm::Error recordStart(llvm::StringRef generator = "");
  /// SEEDS: what the inputs of this sitting were drawn from, by each evaluator that told.
  llvm::Error recordStop(StopReason reason, double secondsSpent, const std::vector<std::string> &seeds = {});
  /// The seeds that were told, by each evaluator of each sitting that ended well.
  const std::vector<std::string> &getSeeds() const { return seeds; }
  /// A report file beside run.json; not part of the trajectory.
  llvm::Error writeReport(llvm::StringRef name, llvm::StringRef text);

private:
  RunFolder(FileSystem &fs, Clock &clock, llvm::StringRef path) : fs(fs), clock(clock), path(path) {}
  llvm::Error load(const JournalContents &contents);
  llvm::Error applyRecord(const Json &record);
  llvm::Error applyExchange(const Json &record);
  llvm::Error append(Json record);
  void countTime(const Json &record);
  void countCosts(const Json &record);
  llvm::Error healMeasurements();
  /// What processes that were killed in the middle of a write left behind.
  void removeTemporaries();
  std::string at(llvm::StringRef name) const { return path + "/" + name.str(); }

  FileSystem &fs;
  Clock &clock;
  std::string path;
  std::unique_ptr<FileLock> lock;
  std::unique_ptr<Journal> journal;
  Json config;
  std::string graph;
  bool batching = false, torn = false;
  std::vector<Json> pending; ///< records of the batch
  std::vector<BranchRecord> branches;
  std::map<std::string, std::pair<std::string, ReplyRecord>> replies; ///< slot -> (hash, reply)
  std::map<int, std::vector<HandWritten>> rounds;
  std::vector<propose::Exchange> exchanges;
  std::vector<Question> questions;
  std::vector<Turn> turns;
  std::string best;
  std::optional<StopReason> stopReason;
  std::vector<std::string> seeds;
  std::string generator; ///< of the process that took the run up last
  std::map<std::string, double> baselines;
  bool hasBaselines = false;
  double secondsBefore = 0;              ///< of sittings that are over
  double sittingStart = 0, lastTime = 0; ///< wall clock
  bool sitting = false;                  ///< a process is at it, or was killed
};

} // namespace kgen::trajectory
