//===- PartitionIdeas.cpp - Other ways to cut a network -------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Network/Network.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>

using namespace llvm;
using namespace kgen;

ArrayRef<network::PartitionIdea> network::partitionCatalogue() {
  static const PartitionIdea ideas[] = {
      {"fold-scales", "compute",
       "Batch norms, and factors for each channel, behind a convolution or a linear product become a part of its "
       "weight "
       "and bias, once when weights change: a run neither reads the statistics nor does their arithmetic.",
       "transform.kgen.fold_scales %f\n", /*early=*/true, /*without=*/"transform.kgen.channels_last"},
      {"channels-last", "memory",
       "Two-dimensional convolutions, and what lies between them, read and write tensors with their channels last: "
       "neighbouring threads read neighbouring channels, a tensor core's k is contiguous, and permutations of the "
       "network between the two orders go.",
       "transform.kgen.channels_last %f\n", /*early=*/true},
      {"join-heads", "parallel",
       "Linear products of one operand that one attention alone reads (q, k and v) become one product with their "
       "weights "
       "one after the other: one launch with more blocks reads the operand once, and attention reads slices as it "
       "reads "
       "heads.",
       "transform.kgen.join_heads %f\n", /*early=*/true},
      {"join-products", "parallel",
       "Linear products that read the same operand (q, k and v; gate and up) become one product with their weights one "
       "after the other: one launch with more blocks reads the operand once, and whoever reads a part reads a slice.",
       "transform.kgen.join_products %f\n"},
      {"fuse-pool", "memory",
       "A convolution and the max pooling that reads it are one task, so that one kernel may keep what is between them "
       "on chip.",
       "transform.kgen.fuse_tasks \"aten.conv2d\" before \"aten.max_pool2d\" in %f\n"},
      {"channels-last-tuned", "memory",
       "Once more with the tasks tuned: two-dimensional convolutions, and what lies between them, read and write "
       "tensors "
       "with their channels last.",
       "transform.kgen.channels_last %f\n"},
  };
  return ideas;
}

/// The name of the function of a task with this NAME.
static std::string symbolOf(StringRef name) {
  std::string symbol = "@t" + name.str();
  std::replace(symbol.begin(), symbol.end(), '-', '_');
  return symbol;
}

static std::string withSymbol(StringRef text, StringRef from, StringRef to) {
  auto [before, after] = text.split((from + "(").str());
  return (before + to + "(" + after).str();
}

void network::shareTasks(graph::NetworkPartition &partition, std::vector<graph::NetworkTask> &known) {
  for (graph::NetworkTask &task : partition.tasks) {
    const std::string text = withSymbol(task.graph, symbolOf(task.name), "@task");
    auto same = find_if(known, [&](const graph::NetworkTask &other) {
      return withSymbol(other.graph, symbolOf(other.name), "@task") == text;
    });
    std::string name;
    if (same != known.end()) {
      name = same->name;
    } else {
      char number[16];
      snprintf(number, sizeof number, "%02zu", known.size());
      name = number + task.name.substr(task.name.find('-'));
    }
    task.graph = withSymbol(text, "@task", symbolOf(name));
    task.name = name;
    if (same == known.end())
      known.push_back(task);
  }
}
