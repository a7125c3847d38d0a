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

#include "kgen/Graph/GraphCompiler.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <map>
#include <string>
#include <vector>

namespace kgen::propose {

/// Schedule parameters by key, each value as it is written in a script: "4", "[64, 96, 16]", "wmma".
using ScheduleSettings = std::map<std::string, std::string>;

/// One group of ops that becomes one kernel family.
struct PlannedDispatch {
  std::string name;     ///< symbol, the stem of its kernels' names
  std::string family;   ///< gemm, conv, row, pool, pointwise
  int anchor = 0;       ///< the op that decides the family, an index into GraphFacts::ops
  std::vector<int> ops; ///< all of them, ascending
  ScheduleSettings settings;
};

/// How far ops are joined into one dispatch.
enum class Fusion {
  None,     ///< one dispatch per op
  Epilogue, ///< element-wise ops that follow join the op that they follow
  Pool,     ///< and a pooling that follows joins a convolution
};

struct SchedulePlan {
  Fusion fusion = Fusion::Epilogue;
  std::vector<PlannedDispatch> dispatches; ///< ops in none of them take the generic path
};

/// Groups the ops of FACTS into dispatches with every setting left to its family.
SchedulePlan groupOps(const graph::GraphFacts &facts, Fusion fusion);

/// The family that computes OP: "gemm" and the like; "" when there is none.
std::string familyOf(const graph::OpFact &op);

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
