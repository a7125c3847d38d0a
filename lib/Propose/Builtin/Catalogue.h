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

/// A setting that a family leaves open, and values worth a try when constants are tuned.
struct OpenKnob {
  const char *family, *settings; ///< those that the dispatch must have, as "mma=wgmma; resident=reg"
  const char *key;
  std::vector<const char *> values;
};

/// The knobs that DISPATCH leaves open.
std::vector<const OpenKnob *> getOpenKnobs(const PlannedDispatch &dispatch);

/// Whether the family of DISPATCH has all of its settings beside its `mma`.
bool knowsSettings(const PlannedDispatch &dispatch);

/// Values of a setting in the order in which refinement walks through them; empty when it has none.
llvm::ArrayRef<const char *> getNeighbours(llvm::StringRef key);

} // namespace kgen::propose
