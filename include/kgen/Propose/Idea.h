//===- Idea.h - What a proposer says and what it answers to ---------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The data that crosses the boundary between the search and whoever has ideas.
// Everything here is text and numbers that were recorded, so that a recorded
// run asks the same questions again.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Graph/GraphCompiler.h"
#include "kgen/Graph/Refusal.h"
#include "kgen/Kernels/Ideas/Catalogue.h"

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace kgen::propose {

/// One optimisation in words. KEY names it inside its proposer (the catalogue's entry, or a short
/// slug); TEXT is a sentence or two that a kernel engineer would understand.
struct Idea {
  std::string key;
  std::string text;
  ideas::IdeaCategory category = ideas::IdeaCategory::Compute;
  std::string by; ///< which of several proposers had it; empty where there is one
};

/// One way to carry an idea out: a transform script, or CUDA-C device code with its launch plan;
/// or the reason why there is none.
struct Materialization {
  std::string label;      ///< the settings in short, e.g. "tile=[64, 96, 16] stages=3"
  std::string directives; ///< transform.kgen.* script; empty when CUDA is given
  std::string cuda;       ///< device code; empty when DIRECTIVES is given
  std::string plan;       ///< plan.json of CUDA
  std::string notes;      ///< the proposer's own JSON, handed back when this branch is a parent
  /// Why the answer cannot be used, after a repair was asked for: the branch is BADREPLY.
  std::string problem;
  double priorUs = 0; ///< what a model of the device expected before anything ran; 0: nobody did
};

/// What became of a branch that was tried, in branch order.
struct TriedBranch {
  std::string id;     ///< "round-01/b03"
  std::string parent; ///< "round-00/b00"
  Idea idea;
  std::string label;
  std::string notes;
  std::string verdict;                   ///< PASS, WRONG, REJECT, ...
  std::string detail;                    ///< why, when it is not PASS
  double timeUs = 0;                     ///< median; 0 unless PASS
  std::string diagnosis;                 ///< what limits it, in words; may be empty
  std::optional<graph::Refusal> refusal; ///< DETAIL as data, where the compiler has it
};

/// A branch that failed, for the one question how to mend it.
struct FailedBranch {
  std::string id;
  Materialization materialization;
  std::string verdict; ///< REJECT, WRONG, FAULT, ...
  std::string detail;  ///< the verifier's message, or the first wrong element
  std::string log;     ///< compile.log; may be empty
};

/// A verified kernel for a similar graph, from a library.
struct LibraryKernel {
  std::string about; ///< one line: its graph, device and where it was found
  std::string idea;
  std::string directives, cuda; ///< how it is made: one of them
  double timeUs = 0;
};

/// The snapshot that ideas build upon.
struct ParentSummary {
  std::string id;
  std::string label;
  std::string notes;
  std::string directives;
  std::string cuda;
  std::string measurement; ///< measurement.json, text
  std::string diagnosis;   ///< what limits it, in words; may be empty
  double timeUs = 0;
};

/// Everything a proposer may condition on.
struct ProposalContext {
  std::string slot; ///< where in the run this is asked: "round-02/seed-1"
  /// Where the graph is a task of a network, or a network: what its tasks take, in words; else empty.
  std::string network;
  graph::GraphFacts facts;
  std::string graph; ///< level 1, MLIR text
  Chip chip;
  std::string device = "host"; ///< "host" or "cuda"
  std::string precision;       ///< class that the answer must keep
  ParentSummary parent;
  std::vector<TriedBranch> history;
  std::vector<LibraryKernel> knownKernels; ///< best kernels for similar graphs; may be empty
  std::map<std::string, double> baselines; ///< PyTorch's times by mode, in microseconds
  std::string plan;                        ///< plan.json of round 0: the buffers
  double genericUs = 0;                    ///< round 0's time
  double floorUs = 0;                      ///< the roofline's floor; 0 when unknown
  uint64_t seed = 0;
};

} // namespace kgen::propose
