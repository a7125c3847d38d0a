//===- StopReason.cpp -----------------------------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kgen/Trajectory/StopReason.h"

#include <utility>

using namespace llvm;

namespace kgen::trajectory {

// Journals hold these words: a change of one makes older runs end for a reason that is not known.
static constexpr std::pair<StopReason, StringLiteral> reasons[] = {
    {StopReason::Done, "done"},
    {StopReason::NoIdeasLeft, "no ideas left"},
    {StopReason::NearFloor, "near the floor"},
    {StopReason::Interrupted, "interrupted"},
    {StopReason::TimeIsUp, "time is up"},
    {StopReason::TokensSpent, "the tokens are spent"},
    {StopReason::MoneySpent, "the money is spent"},
    {StopReason::Error, "error"},
};

StringRef stopReasonWords(StopReason reason) {
  for (const auto &[known, words] : reasons)
    if (known == reason)
      return words;
  return "a reason that this version does not know";
}

StopReason parseStopReason(StringRef text) {
  for (const auto &[reason, words] : reasons)
    if (words == text)
      return reason;
  return StopReason::Unknown;
}

bool isComplete(StopReason reason) {
  return reason == StopReason::Done || reason == StopReason::NoIdeasLeft || reason == StopReason::NearFloor;
}

} // namespace kgen::trajectory
