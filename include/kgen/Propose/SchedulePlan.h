//===- SchedulePlan.h - A directive script as a list of decisions ---------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The builtin proposer thinks in these; printDirectives() is the one place
// that knows how transform.kgen.* is spelled.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Graph/GraphFacts.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <map>
#include <string>
#include <vector>

namespace kgen::propose {

/// Schedule parameters by key, each value as it is written in a script: "4", "[64, 96, 16]", "wmma".
using ScheduleSettings = std::map<std::string, std::string>;

/// A group of ops, by its name and with the settings of its family.
struct PlannedDispatch : graph::GroupFact {
  std::string name; ///< symbol, the stem of its kernels' names
  ScheduleSettings settings;
};

struct SchedulePlan {
  graph::Fusion fusion = graph::Fusion::Epilogue;
  std::string rewrite; ///< of the graph first; ops are those of the form that it makes, "": the graph's own
  std::vector<PlannedDispatch> dispatches; ///< ops in none of them take the generic path
};

/// The facts that PLAN's ops are counted in: FACTS, or one of their forms.
const graph::GraphFacts &factsOf(const SchedulePlan &plan, const graph::GraphFacts &facts);

/// The groups of FACTS, or of their form by REWRITE, with every setting left to its family.
SchedulePlan groupOps(const graph::GraphFacts &facts, graph::Fusion fusion, const std::string &rewrite = "");

/// A transform script that carries PLAN out.
std::string printDirectives(const SchedulePlan &plan, const graph::GraphFacts &facts);

/// "tile=[64, 96, 16]; vec=4" and back; "" when there are none.
std::string printSettings(const ScheduleSettings &settings);
ScheduleSettings parseSettings(llvm::StringRef text);

/// The plan as the notes of a materialisation, canonical JSON, and back. Notes may come from a run that somebody
/// else recorded: a plan that names ops which FACTS does not have is an Error.
std::string printPlan(const SchedulePlan &plan);
llvm::Expected<SchedulePlan> parsePlan(llvm::StringRef json, const graph::GraphFacts &facts);

} // namespace kgen::propose
