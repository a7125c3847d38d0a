//===- GraphPlan.cpp - What a plan for a graph must say -------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Toolchain/SiblingTool.h"

#include "kgen/Evaluate/GraphPlan.h"
#include "kgen/Toolchain/Cache.h"
#include "kgen/Toolchain/Scratch.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <map>
#include <mutex>

using namespace kgen;
using namespace kgen::evaluate;
namespace fs = llvm::sys::fs;

/// Runs one of kgen's tools; OUTPUT is its -o.
static llvm::Error runTool(const char *name, std::vector<std::string> arguments, const std::string &output) {
  std::string program = toolchain::siblingTool(name);
  if (!fs::can_execute(program))
    return llvm::createStringError("%s is not there", program.c_str());
  auto complaint = toolchain::runSiblingTool(program, arguments, output);
  if (!complaint)
    return complaint.takeError();
  if (*complaint)
    return llvm::createStringError("%s: %s", name, llvm::sys::path::filename(**complaint).str().c_str());
  return llvm::Error::success();
}

static llvm::Expected<candidate::LaunchPlan> lowerToPlan(llvm::StringRef graph, const std::string &folder) {
  std::string source = folder + "/graph.mlir", lowered = folder + "/lowered.mlir", plan = folder + "/plan.json";
  if (llvm::Error error = toolchain::writeFileAtomically(source, graph))
    return std::move(error);
  if (llvm::Error error = runTool("kgen-opt", {source, "--kgen-lower"}, lowered))
    return std::move(error);
  if (llvm::Error error = runTool("kgen-translate", {lowered, "--kgen-to-plan"}, plan))
    return std::move(error);
  auto text = toolchain::readWholeFile(plan);
  if (!text)
    return text.takeError();
  return candidate::LaunchPlan::parseShape(*text);
}

llvm::Expected<candidate::LaunchPlan> kgen::evaluate::planOfGraph(llvm::StringRef graph) {
  static std::mutex lock;
  static std::map<std::string, candidate::LaunchPlan> known; // tasks of a network take turns
  constexpr size_t most = 256;
  const std::string key = toolchain::contentKey({graph});
  {
    std::lock_guard<std::mutex> guard(lock);
    if (auto found = known.find(key); found != known.end())
      return found->second;
  }
  auto scratch = toolchain::ScratchFolder::create("graph");
  if (!scratch)
    return scratch.takeError();
  auto lowered = lowerToPlan(graph, scratch->path());
  if (!lowered)
    return lowered.takeError();
  std::lock_guard<std::mutex> guard(lock);
  if (known.size() >= most)
    known.clear();
  return known[key] = std::move(*lowered);
}
