//===- FirstKernels.h - What the catalogue would try first ------*- C++ -*-===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Private to Search. A task's first kernel is what its catalogue and prior hold for the most promising, of what lowers
// and compiles; nothing is measured.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Graph/GraphCompiler.h"

#include "llvm/ADT/ArrayRef.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace kgen::search {

/// What a task is computed by.
struct FirstKernel {
  graph::LoweredGraph lowered;
  std::string idea = "generic", label; ///< the catalogue's key, and its settings
  std::string text, category;          ///< the idea in words; empty: generic
  std::string directives;              ///< that carry it out
  double priorUs = 0;                  ///< what the prior expects of it; 0: it says nothing of generic kernels
  std::vector<std::string> families;   ///< of its graph, without a family for the generic path
  int ops = 0;
  double flops = 0, bytes = 0, floorUs = 0;                 ///< of its graph, the roofline's floor for an H200
  std::vector<std::string> ideas;                           ///< the catalogue's for it, the most promising first
  std::vector<std::pair<std::string, std::string>> refused; ///< ideas tried before, and why they were not taken

  bool isGeneric() const { return idea == "generic"; }
};

/// Kernels for one target. Thread-safe where the compiler and COMPILES are.
class FirstKernels {
public:
  using Compiles = std::function<bool(llvm::StringRef cuda)>;
  using IsOver = std::function<bool()>;

  /// DEVICE is host or cuda. COMPILES says whether a text compiles; once ISOVER says so no further way is tried.
  FirstKernels(
      graph::GraphCompiler &compiler, std::string device, Chip chip, Compiles compiles,
      IsOver isOver = [] { return false; })
      : compiler(compiler), device(std::move(device)), chip(std::move(chip)), compiles(std::move(compiles)),
        isOver(std::move(isOver)) {}

  /// The kernel of GRAPH, canonical text: the first way that its families take and that compiles, the generic one where
  /// there is none.
  llvm::Expected<FirstKernel> choose(llvm::StringRef graph) const;
  /// The same for all of GRAPHS, side by side.
  llvm::Expected<std::vector<FirstKernel>> chooseAll(llvm::ArrayRef<std::string> graphs) const;

private:
  graph::GraphCompiler &compiler;
  std::string device;
  Chip chip;
  Compiles compiles;
  IsOver isOver;
};

/// Launches of the plan of LOWERED; the most there are where it is none.
size_t countLaunches(const graph::LoweredGraph &lowered);

/// first.json of a network: which way each first kernel in it is, by task, so that it can be lowered again.
std::string printFirstWays(const std::map<std::string, const FirstKernel *> &kernels);
/// What printFirstWays() printed: idea, text, category, directives and label, without what they are lowered to.
llvm::Expected<std::map<std::string, FirstKernel>> parseFirstWays(llvm::StringRef text);

} // namespace kgen::search
