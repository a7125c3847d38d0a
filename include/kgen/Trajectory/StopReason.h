//===- StopReason.h - Why a search ended ----------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/StringRef.h"

namespace kgen::trajectory {

/// `Unknown`: the journal gives a reason that only a later version has.
enum class StopReason {
  Done,
  NoIdeasLeft,
  NearFloor,
  Interrupted,
  TimeIsUp,
  TokensSpent,
  MoneySpent,
  Error,
  Unknown,
};

/// The words of journals and reports: "no ideas left".
llvm::StringRef stopReasonWords(StopReason reason);
StopReason parseStopReason(llvm::StringRef words);
/// Whether the search has nothing left to do, so that only new ideas by hand could go on with it.
bool isComplete(StopReason reason);

} // namespace kgen::trajectory
