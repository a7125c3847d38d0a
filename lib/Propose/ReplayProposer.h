//===- ReplayProposer.h - Private to Propose ------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Propose/Proposer.h"

namespace kgen::propose {

/// Answers what RUNFOLDER recorded; an unknown question gets an empty answer.
llvm::Expected<std::unique_ptr<Proposer>> createReplayProposer(llvm::StringRef runFolder);

} // namespace kgen::propose
