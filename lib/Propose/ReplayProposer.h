//===- ReplayProposer.h - Private to Propose ------------------------------===//
#pragma once

#include "kgen/Propose/Proposer.h"

namespace kgen::propose {

/// Answers what RUNFOLDER recorded; an unknown question gets an empty answer.
llvm::Expected<std::unique_ptr<Proposer>> createReplayProposer(llvm::StringRef runFolder);

} // namespace kgen::propose
