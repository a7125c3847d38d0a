//===- Catalogue.h - Settings that can be tuned ---------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Private to Propose.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Propose/SchedulePlan.h"

#include "llvm/ADT/ArrayRef.h"

#include <vector>

namespace kgen::propose {

/// A key that a dispatch's settings leave open, and values worth a try when constants are tuned.
struct OpenKnob {
  llvm::StringRef key;
  llvm::ArrayRef<llvm::StringRef> values;
};

/// The knobs that DISPATCH leaves open, where its settings say which variant computes it.
std::vector<OpenKnob> getOpenKnobs(const PlannedDispatch &dispatch);

/// Whether a variant of DISPATCH's family takes all of its settings.
bool isLegal(const PlannedDispatch &dispatch);

/// Values of a setting in the order in which refinement walks through them; empty when it has none.
llvm::ArrayRef<int64_t> getNeighbours(llvm::StringRef key);

} // namespace kgen::propose
