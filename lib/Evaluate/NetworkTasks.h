//===- NetworkTasks.h - The tasks of a network's folder ---------*- C++ -*-===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Private to Evaluate. What the folder says of tasks decides what is looked at by itself and which task is named, never
// whether the whole is right.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Candidate/LaunchPlan.h"

#include "llvm/ADT/Twine.h"

#include <map>

namespace kgen::evaluate {

struct NetworkTask {
  std::string name, graph;
  candidate::LaunchPlan shape; ///< inputs, outputs and class; no launches
};

/// An error about partition.json, WHY.
llvm::Error wrongTasks(const llvm::Twine &why);
/// The tasks by name, of partition.json's TEXT.
llvm::Expected<std::map<std::string, NetworkTask>> readNetworkTasks(llvm::StringRef text);

/// The plan of a task by itself, cut out of PLAN, a network's: the launches of the step with number STEP on buffers of
/// its own. SHAPE has the task's inputs and outputs.
llvm::Expected<candidate::LaunchPlan> cutOutStep(const candidate::LaunchPlan &plan, size_t step,
                                                 const candidate::LaunchPlan &shape);

} // namespace kgen::evaluate
