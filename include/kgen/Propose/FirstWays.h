//===- FirstWays.h - What to do without measuring ---------------*- C++ -*-===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Propose/Proposer.h"

namespace kgen::propose {

/// An idea and a way to carry it out.
struct FirstWay {
  Idea idea;
  Materialization way;
};

/// The ways in which the catalogue would carry out its ideas for the graph of CONTEXT, of which nothing was measured,
/// the most promising first: those that the prior holds for about as fast as its favourite in the catalogue's order,
/// then the others by what the prior expects. In class strict-fp32 none that multiplies f32 on tensor cores.
/// Whether a family takes a way only its lowering says.
llvm::Expected<std::vector<FirstWay>> listFirstWays(const ProposalContext &context);

} // namespace kgen::propose
