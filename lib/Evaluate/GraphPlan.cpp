//===- GraphPlan.cpp - What a plan for a graph must say -------------------===//
#include "kgen/Evaluate/PlanCheck.h"
#include "kgen/Toolchain/Cache.h"
#include "kgen/Toolchain/Process.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <mutex>

using namespace kgen;
namespace fs = llvm::sys::fs;

/// Runs one of kgen's tools; OUTPUT is its -o.
static llvm::Error runTool(const char *name, std::vector<std::string> arguments, const std::string &output) {
  std::string program = llvm::sys::path::parent_path(workerBinary()).str() + "/" + name;
  if (!fs::can_execute(program))
    return llvm::createStringError("%s is not there", program.c_str());
  ProcessRequest request;
  request.arguments = {program};
  request.arguments.insert(request.arguments.end(), arguments.begin(), arguments.end());
  request.arguments.insert(request.arguments.end(), {"-o", output});
  ProcessLimits limits;
  limits.wallSeconds = 120;
  auto result = runProcess(request, limits);
  if (!result)
    return result.takeError();
  if (result->end != ProcessResult::End::Exited || result->code != 0)
    return llvm::createStringError(
        "%s: %s", name, llvm::sys::path::filename(llvm::StringRef(result->output).split('\n').first).str().c_str());
  return llvm::Error::success();
}

static llvm::Expected<LaunchPlan> lowerToPlan(llvm::StringRef graph, const std::string &folder) {
  std::string source = folder + "/graph.mlir", lowered = folder + "/lowered.mlir", plan = folder + "/plan.json";
  if (llvm::Error error = writeFileAtomically(source, graph))
    return std::move(error);
  if (llvm::Error error = runTool("kgen-opt", {source, "--kgen-lower"}, lowered))
    return std::move(error);
  if (llvm::Error error = runTool("kgen-translate", {lowered, "--kgen-to-plan"}, plan))
    return std::move(error);
  auto text = readWholeFile(plan);
  if (!text)
    return text.takeError();
  return LaunchPlan::parse(*text);
}

llvm::Expected<LaunchPlan> kgen::planOfGraph(llvm::StringRef graph) {
  static std::mutex lock;
  static std::string known;
  static LaunchPlan plan;
  std::lock_guard<std::mutex> guard(lock);
  if (graph == known)
    return plan;
  llvm::SmallString<128> folder;
  if (std::error_code error = fs::createUniqueDirectory("kgen-plan", folder))
    return llvm::createStringError("cannot make a temporary folder: %s", error.message().c_str());
  auto lowered = lowerToPlan(graph, folder.str().str());
  fs::remove_directories(folder);
  if (!lowered)
    return lowered.takeError();
  plan = std::move(*lowered);
  known = graph.str();
  return plan;
}
