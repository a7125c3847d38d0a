//===- Retrying.cpp - What is measured once more --------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Another program's fault on the card, a process that somebody killed, and a
// card that has no room left say nothing of a candidate at first.
//
//===----------------------------------------------------------------------===//
#include "kgen/Evaluate/Evaluator.h"

#include "kgen/Toolchain/Cache.h"
#include "kgen/Toolchain/Process.h"

#include <chrono>
#include <thread>

using namespace kgen;
using namespace kgen::evaluate;

bool kgen::evaluate::isOutOfMemory(const llvm::Error &error) {
  bool found = false;
  llvm::visitErrors(error, [&](const llvm::ErrorInfoBase &info) {
    found |= llvm::StringRef(info.message()).contains("out of memory");
  });
  return found;
}

bool kgen::evaluate::isReportedByCard(const candidate::Measurement &measurement) {
  return measurement.verdict == candidate::Verdict::Fault &&
         llvm::StringRef(measurement.detail).starts_with(device::cardReports);
}

llvm::Expected<candidate::Measurement> Evaluator::measure(const CandidateFiles &files, const EvaluateOptions &options) {
  auto first = measureWhereThereIsRoom(files, options);
  if (!first || !isReportedByCard(*first))
    return first;
  // A kernel's own fault comes again; another program's on the same card does not.
  auto second = measureWhereThereIsRoom(files, options);
  if (second && second->verdict != candidate::Verdict::Fault)
    second->warnings.push_back("a first try ended with FAULT: " + first->detail);
  return second;
}

void Evaluator::makeRoom(const CandidateFiles &files) {
  const std::string graph = toolchain::contentKey({files.graph});
  for (auto it = references.begin(); it != references.end();)
    it = it->second.graph == graph ? std::next(it) : references.erase(it);
  // What another program on the card takes turns with us for may be gone then.
  if (parts.gate->isShared())
    std::this_thread::sleep_for(std::chrono::seconds(1));
}

void Evaluator::endJudges() {
  for (auto &[key, kept] : references)
    kept.reference->judge = judge::createEndedJudge();
}

llvm::Expected<candidate::Measurement> Evaluator::measureWhereThereIsRoom(const CandidateFiles &files,
                                                                          const EvaluateOptions &options) {
  auto measured = measureTwiceIfLost(files, options);
  if (measured)
    return measured;
  llvm::Error error = measured.takeError();
  if (!isOutOfMemory(error))
    return std::move(error);
  llvm::consumeError(std::move(error));
  makeRoom(files);
  auto again = measureTwiceIfLost(files, options);
  if (again)
    return again;
  error = again.takeError();
  if (!isOutOfMemory(error))
    return std::move(error);
  // The next one may take less.
  candidate::Measurement out;
  out.verdict = candidate::Verdict::Reject;
  out.device = parts.device + (parts.card.name.empty() ? "" : " " + parts.card.name);
  out.rules = judge::rulesName(options.rules).str();
  out.detail = (candidate::noRoom + ", twice: ").str() + llvm::toString(std::move(error));
  return out;
}

llvm::Expected<candidate::Measurement> Evaluator::measureTwiceIfLost(const CandidateFiles &files,
                                                                     const EvaluateOptions &options) {
  candidate::Measurement out;
  llvm::Error error = measureOnce(files, options, out);
  if (error.isA<toolchain::ProcessLost>()) {
    llvm::consumeError(std::move(error));
    out = candidate::Measurement();
    error = measureOnce(files, options, out);
  }
  // Twice is no accident: what a candidate does with memory can have the system end its process.
  std::string twice;
  error = llvm::handleErrors(std::move(error), [&](std::unique_ptr<toolchain::ProcessLost> lost) -> llvm::Error {
    if (!lost->holdsCandidate)
      return llvm::Error(std::move(lost));
    twice = lost->reason() + ", twice: perhaps the system had no more memory";
    return llvm::Error::success();
  });
  if (error)
    return std::move(error);
  if (!twice.empty()) {
    out.verdict = candidate::Verdict::Fault;
    out.detail = twice;
  }
  return out;
}
