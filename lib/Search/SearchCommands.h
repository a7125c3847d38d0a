//===- SearchCommands.h - Commands that have a file of their own ----------===//
#pragma once

#include "kgen/Search/SearchTool.h"

namespace kgen {

// Each returns the exit code, or an Error in one sentence.

/// `compare RUN...`
llvm::Expected<int> compareRuns(const SearchCommand &command, const SearchToolWorld &world);
/// `compare-policies`: a search by each policy, then compareRuns. A run that is there already is gone on
/// with.
llvm::Expected<int> comparePolicies(const SearchCommand &command, const SearchToolWorld &world);

} // namespace kgen
