//===- PartitionText.cpp - partition.json ---------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Network/Network.h"

#include "nlohmann/json.hpp"

using namespace kgen;
using json = nlohmann::ordered_json;

static json print(const std::vector<graph::TensorFact> &facts) {
  json list = json::array();
  for (const graph::TensorFact &fact : facts)
    list.push_back({{"dtype", fact.dtype}, {"shape", fact.shape}});
  return list;
}

std::string kgen::network::printPartition(const graph::NetworkPartition &partition,
                                          llvm::ArrayRef<std::string> precisions) {
  json root{{"version", 1}, {"tasks", json::array()}, {"steps", json::array()}, {"results", partition.results}};
  for (size_t i = 0; i < partition.tasks.size(); ++i) {
    const graph::NetworkTask &task = partition.tasks[i];
    root["tasks"].push_back({{"name", task.name},
                             {"count", task.count},
                             {"flops", task.flops},
                             {"precision", precisions[i]},
                             {"inputs", print(task.inputs)},
                             {"outputs", print(task.outputs)},
                             {"graph", task.graph}});
  }
  for (const graph::NetworkStep &step : partition.steps) {
    root["steps"].push_back({{"task", step.task}, {"reads", step.reads}, {"writes", step.writes}});
    if (step.prepare)
      root["steps"].back()["prepare"] = true;
    if (!step.offsets.empty())
      root["steps"].back()["offsets"] = step.offsets;
  }
  for (const graph::NetworkStack &stack : partition.stacks)
    root["stacks"].push_back(stack.parts);
  return root.dump(1) + "\n";
}
