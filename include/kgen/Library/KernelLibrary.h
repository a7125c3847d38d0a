//===- KernelLibrary.h - Verified kernels that seed searches --------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One SQLite file for all of a user's runs: the fastest kernels that searches
// verified, by graph, architecture and precision class. An entry is how a
// kernel was made, not its machine code: a search that takes it lowers,
// verifies and times it again.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Propose/Proposer.h"

#include <memory>
#include <string>
#include <vector>

namespace kgen::library {

/// Where a kernel can be used again.
struct LibraryKey {
  std::string signature; ///< of the graph, see graphSignature()
  std::string ops;       ///< see opSequence(); what similar graphs have in common
  std::string arch;      ///< "sm_90a", or "host"
  std::string precision; ///< class
  std::string device;    ///< "NVIDIA H200" or the CPU; times of the same device come first
};

/// A kernel and where it was found.
struct LibraryEntry {
  propose::Idea idea;
  propose::Materialization materialization;
  double timeUs = 0;
  std::string problem; ///< its name there
  std::string shapes;  ///< of the graph's inputs: "f32[64,4096], f32[96]"
  std::string run, branch;
  std::string device;
};

/// The hash of GRAPH's canonical level 1 text without its names: two graphs that compute the same on the
/// same shapes have the same.
std::string graphSignature(llvm::StringRef graph);
/// "aten.conv2d f32 > aten.relu f32": ops and element types in program order, without shapes.
std::string opSequence(const graph::GraphFacts &facts);

/// The library's file unless the user names one: KGEN_LIBRARY, else kgen/kernels.db under XDG_DATA_HOME
/// or ~/.local/share; "" when there is no home.
std::string defaultLibraryPath();

/// Several processes may use one file at the same time. Every Error is one sentence with the path.
class KernelLibrary {
public:
  virtual ~KernelLibrary() = default;

  /// Opens PATH, and makes it when there is none.
  static llvm::Expected<std::unique_ptr<KernelLibrary>> open(const std::string &path);

  /// At most N kernels for KEY's graph, architecture and precision class, the fastest on KEY's device
  /// first, then those of other devices.
  virtual llvm::Expected<std::vector<LibraryEntry>> find(const LibraryKey &key, int n) = 0;
  /// At most N kernels for other graphs of the same ops, architecture and class, one for each graph.
  virtual llvm::Expected<std::vector<LibraryEntry>> findSimilar(const LibraryKey &key, int n) = 0;
  /// Keeps ENTRY; a kernel that is there already keeps the smaller time. The eight fastest of a key and
  /// device stay.
  virtual llvm::Error store(const LibraryKey &key, const LibraryEntry &entry) = 0;
};

/// Passes everything on to INNER, after ENTRIES as the first ideas about round 0. Being answers like
/// any other they are recorded with the run.
std::unique_ptr<propose::Proposer> createSeededProposer(std::unique_ptr<propose::Proposer> inner,
                                                        std::vector<LibraryEntry> entries);

} // namespace kgen::library
