//===- GraphCompiler.h - The MLIR half, as the search sees it -------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The boundary between the two halves: text in, text out, no mlir/ types. The
// implementation is MlirGraphCompiler.cpp; tests use a fake.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Graph/GraphFacts.h"
#include "kgen/Graph/Partition.h"
#include "kgen/Support/Chip.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <string>

namespace kgen::graph {

/// The three texts of a child snapshot, and what runs.
struct LoweredGraph {
  std::string annotated; ///< level 2, MLIR text
  std::string lowered;   ///< level 3, MLIR text
  std::string plan;      ///< plan.json
  std::string cuda;      ///< kernel.cu
};

class GraphCompiler {
public:
  virtual ~GraphCompiler() = default;

  /// Parses, verifies and prints GRAPH canonically; with SMALL, at its small size (see
  /// docs/contracts.md). The error text is one sentence with file:line:column.
  virtual llvm::Expected<std::string> canonicalize(llvm::StringRef graph, bool small) = 0;
  virtual llvm::Expected<GraphFacts> facts(llvm::StringRef graph) = 0;
  /// Round 0: every op by the generic path, no directives.
  virtual llvm::Expected<LoweredGraph> lowerGeneric(llvm::StringRef graph, const Chip &chip) = 0;
  /// Applies a directive script to GRAPH and lowers the result. IDEA is recorded on each dispatch.
  virtual llvm::Expected<LoweredGraph> lowerWithDirectives(llvm::StringRef graph, llvm::StringRef directives,
                                                           llvm::StringRef idea, llvm::StringRef category,
                                                           const Chip &chip) = 0;
  /// Wraps device code and a launch plan that a proposer wrote into a level 3 snapshot.
  virtual llvm::Expected<LoweredGraph> wrapSource(llvm::StringRef graph, llvm::StringRef cuda, llvm::StringRef plan,
                                                  const Chip &chip) = 0;
  /// CUDA with the text of kgen's device headers in the place of their `#include` lines, so that it means the
  /// same to every later version; wrapSource() takes either. A text without such lines comes back as it is.
  virtual std::string inlineHeaders(llvm::StringRef cuda) { return cuda.str(); }
  /// Cuts GRAPH into tasks. An error where that cannot be done; the default cannot.
  virtual llvm::Expected<NetworkPartition> partition(llvm::StringRef /*graph*/) {
    return llvm::createStringError(llvm::inconvertibleErrorCode(), "this compiler cuts no graph into tasks");
  }
  /// GRAPH, a network, as a directive script (transform.kgen.fold_scales and the like) has it before it is cut; it
  /// computes the same. An error where the script is refused or says anything of kernels; the default has none.
  virtual llvm::Expected<std::string> rewriteNetwork(llvm::StringRef /*graph*/, llvm::StringRef /*directives*/,
                                                     const Chip & /*chip*/) {
    return llvm::createStringError(llvm::inconvertibleErrorCode(), "this compiler rewrites no network");
  }
  /// Names the code generator: a digest of its sources. Another one may write other text for the same
  /// directives. Empty: unknown.
  virtual std::string getGenerator() { return ""; }
};

/// The implementation on MLIR. Deterministic: the same texts in give the same bytes out.
std::unique_ptr<GraphCompiler> createMlirGraphCompiler();

} // namespace kgen::graph
