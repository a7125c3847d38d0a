//===- EvaluatorPool.h - Several evaluators as one ------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Private to Search: see createEvaluatorPool(). A thread for each evaluator
// starts it, gives it one job after the other, and starts it again when it
// ended. Nothing here is decided that a journal would have to know: whoever
// measures a candidate, the search goes by what was measured.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Search/OpenEvaluators.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <set>
#include <thread>

namespace kgen::search {

class EvaluatorPool : public CandidateEvaluator {
public:
  EvaluatorPool(std::vector<PoolMember> members, const std::atomic<bool> &stop);
  ~EvaluatorPool() override;

  /// Returns when the reference is there, or with the reason why nobody is.
  llvm::Error waitForReference(const Listener &say);

  DeviceFacts getDevice() const override;
  void prepare(llvm::StringRef folder) override;
  bool compiles(llvm::StringRef cuda, double seconds) override;
  void learn(llvm::ArrayRef<EvaluationJob> jobs) override;
  llvm::Expected<candidate::Measurement> evaluate(const EvaluationJob &job) override;
  bool deviceIsLost() const override;
  unsigned getWidth() const override { return unsigned(lanes.size()); }
  void setAdmission(const EvaluationJob &job) override;
  std::vector<std::string> takeNotes() override;
  std::vector<std::string> revealInputs() override;
  std::map<std::string, double> timeBaselines(llvm::StringRef file, std::string &note) override;

private:
  std::shared_ptr<CandidateEvaluator> anyEvaluator() const;
  using Guard = std::unique_lock<std::mutex>;
  struct Work {
    const EvaluationJob *job = nullptr;
    std::set<size_t> endedOn; ///< evaluators that ended in the middle of it
    int ends = 0;
    uint64_t room = 0; ///< its number among those that had no room beside what others keep; 0: it had
    size_t home = 0;   ///< the lane that is to measure it again then
    std::optional<llvm::Expected<candidate::Measurement>> result;
  };
  struct Lane {
    PoolMember member;
    enum { Starting, Ready, Left } state = Starting;
    std::shared_ptr<CandidateEvaluator> evaluator; ///< there exactly while it is ready
    double since = 0;                              ///< when it began to start
    int fruitless = 0;                             ///< ends in a row without a measurement between them
    int failedStarts = 0;                          ///< in a row
    bool busy = false;                             ///< its thread talks to it
    bool admitted = false;                         ///< this process found the admission's candidate right
    uint64_t roomGiven = 0;                        ///< the last work for which it gave back what it had kept
    std::string mark;                              ///< of its measurements
    std::string saying;                            ///< by its launcher, while it starts
    std::thread thread;
  };

  void runLane(size_t index);
  bool startLane(size_t index);
  /// Whether the lane that has just started may measure for this run; settles the reference.
  bool isAlike(size_t index, const DeviceFacts &facts, std::string &why) const;
  bool admitLane(size_t index, const EvaluationJob &job);
  void leave(size_t index, const std::string &why);
  void settleReference();
  bool areNeighbours(size_t one, size_t other) const;
  bool hasNeighbours(size_t index) const;
  /// The work for which its card is to be empty, or is; null: there is none.
  const Work *findCrowded() const { return alone ? alone : crowded.empty() ? nullptr : crowded.front(); }
  void giveRoom(Lane &lane, uint64_t room, Guard &guard);
  Work *findWork(size_t index);
  void returnWork(Work &work, size_t index, const std::string &why);
  void note(std::string line) { notes.push_back(std::move(line)); }
  bool isOver() const { return closing || stop; }

  const std::atomic<bool> &stop;
  mutable std::mutex mutex; ///< of all that follows
  mutable std::condition_variable change;
  std::vector<Lane> lanes;
  std::deque<Work *> queue;
  std::deque<Work *> crowded; ///< their card had no room for them beside what its other evaluators keep
  Work *alone = nullptr;      ///< the one of them that is being measured; nobody else of its card does anything
  uint64_t rooms = 0;         ///< how often that was
  std::vector<std::string> notes;
  std::optional<EvaluationJob> admission;
  std::optional<DeviceFacts> facts; ///< of the first reference: all others must be like it
  size_t reference = SIZE_MAX;
  double begun = 0;
  std::string lastReason; ///< why the last one left
  bool revealed = false;  ///< nothing is measured any more
  std::atomic<bool> closing{false};
};

} // namespace kgen::search
