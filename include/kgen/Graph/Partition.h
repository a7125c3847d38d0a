//===- Partition.h - A network as tasks -----------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the compiler half makes of a graph of many kernels: level 1 graphs of their own, each text once, and the order
// in which they are computed. Text and numbers only, so that both halves read it.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Graph/GraphFacts.h"

#include <string>
#include <vector>

namespace kgen::graph {

/// A graph of its own, cut out of a network: one anchor with what fuses into it.
struct NetworkTask {
  std::string name;  ///< "00-conv2d": its number, and the op that decides its kernel
  std::string graph; ///< level 1, canonical; the function is @t00_conv2d
  int count = 0;     ///< how many steps compute it
  int prepares = 0;  ///< how many of these are computed when weights change, and not in each run
  double flops = 0;
  std::vector<TensorFact> inputs, outputs;
};

/// A task on certain values. Values are numbered: the network's arguments first, then what the steps write, in order,
/// then the stacks. A task may read a value under another shape than it was written with: it has the same elements in
/// the same order.
struct NetworkStep {
  int task = 0;
  std::vector<int> reads, writes;
  bool prepare = false;         ///< it reads weights, constants and what such steps write, and nothing else
  std::vector<int64_t> offsets; ///< where each of READS begins in its value, multiples of 256 bytes; empty: all at 0
};

/// A value that consists of others, one after the other: what steps write of them is written in its place.
struct NetworkStack {
  std::vector<int> parts; ///< each what a step of a run writes, of one stack, and no result of the network
};

struct NetworkPartition {
  std::vector<NetworkTask> tasks;
  std::vector<NetworkStep> steps; ///< each reads only what stands before it
  std::vector<int> results;       ///< the value of each result of the network, all different
  std::vector<NetworkStack> stacks;
};

} // namespace kgen::graph
