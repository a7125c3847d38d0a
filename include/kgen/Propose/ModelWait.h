//===- ModelWait.h - What a question to a model waits for -----------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include <functional>
#include <string>

namespace kgen::propose {

/// Where a question stands that was asked and not answered yet.
struct ModelWait {
  std::string model;       ///< "anthropic:NAME"
  int attempt = 1;         ///< which try this is
  std::string reason;      ///< why an earlier try was not the last: "it answers 429"; empty in the first
  double pauseSeconds = 0; ///< until the next try; 0: the question is on its way
  std::string answerFile;  ///< where a folder is the model: the file that is waited for
};

/// Told of each change, from the thread that asks; null: the wait is over. May be empty.
using WaitObserver = std::function<void(const ModelWait *wait)>;

} // namespace kgen::propose
