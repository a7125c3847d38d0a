//===- Prior.h - What a plan may take, before anything runs -----*- C++ -*-===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Propose/Proposer.h"
#include "kgen/Propose/SchedulePlan.h"

namespace kgen::propose {

/// What PLAN for the graph of CONTEXT, on its device, may take by the prior, all of it in microseconds. Made to rank
/// settings of one problem, not to predict.
double estimatePlan(const SchedulePlan &plan, const ProposalContext &context);

} // namespace kgen::propose
