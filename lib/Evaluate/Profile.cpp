//===- Profile.cpp - A candidate under Nsight Compute ----------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The watched process is the one that compute-sanitizer watches too: ours, with
// the candidate's machine code and inputs of its own. ncu repeats every launch
// with the caches flushed until it has its counters, at the clocks as they are.
//
//===----------------------------------------------------------------------===//
#include "kgen/Evaluate/Profile.h"
#include "kgen/Candidate/Diagnosis.h"
#include "kgen/Evaluate/Evaluator.h"
#include "kgen/Toolchain/Cache.h"
#include "kgen/Toolchain/Process.h"
#include "kgen/Toolchain/Scratch.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Program.h"

#include <random>
#include <unistd.h>

using namespace kgen;
using namespace kgen::evaluate;
namespace fs = llvm::sys::fs;

static constexpr double profileSeconds = 30;
static constexpr char stallHead[] = "smsp__average_warps_issue_stalled_", stallTail[] = "_per_issue_active.ratio";
/// What a warp can wait for. "selected" and "not_selected" are no waiting.
static constexpr const char *stalls[] = {
    "barrier",        "branch_resolving", "dispatch_stall",     "drain",        "gmma",         "imc_miss",
    "lg_throttle",    "long_scoreboard",  "math_pipe_throttle", "membar",       "mio_throttle", "misc",
    "no_instruction", "short_scoreboard", "sleeping",           "tex_throttle", "wait"};

namespace {
struct Metric {
  const char *name;
  double candidate::KernelProfile::*field;
  double scale;
};
} // namespace

static constexpr Metric metrics[] = {
    {"gpu__time_duration.sum", &candidate::KernelProfile::timeUs, 1e-3}, // nanoseconds
    {"dram__throughput.avg.pct_of_peak_sustained_elapsed", &candidate::KernelProfile::dram, 1},
    {"sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed", &candidate::KernelProfile::tensor, 1},
    {"sm__inst_issued.avg.pct_of_peak_sustained_active", &candidate::KernelProfile::issue, 1},
    {"sm__warps_active.avg.pct_of_peak_sustained_active", &candidate::KernelProfile::warps, 1},
    {"lts__t_sector_hit_rate.pct", &candidate::KernelProfile::l2Hits, 1},
};

std::string kgen::evaluate::findProfiler() {
  if (const char *named = getenv("KGEN_NCU"); named && *named)
    return llvm::StringRef(named) == "off" ? "" : named;
  if (auto found = llvm::sys::findProgramByName("ncu"))
    return *found;
  for (const char *name : {"CUDA_HOME", "CUDA_PATH"})
    if (const char *root = getenv(name); root && *root && fs::can_execute(std::string(root) + "/bin/ncu"))
      return std::string(root) + "/bin/ncu";
  return fs::can_execute("/usr/local/cuda/bin/ncu") ? "/usr/local/cuda/bin/ncu" : "";
}

std::vector<std::string> kgen::evaluate::profilerArguments() {
  std::string names;
  for (const Metric &metric : metrics)
    names += std::string(names.empty() ? "" : ",") + metric.name;
  for (const char *stall : stalls)
    names += std::string(",") + stallHead + stall + stallTail;
  return {"--clock-control", "none", "--csv", "--print-units", "base", "--metrics", names};
}

/// The fields of one line of CSV, whose quotes are doubled inside quotes.
static std::vector<std::string> splitCsv(llvm::StringRef line) {
  std::vector<std::string> out(1);
  bool quoted = false;
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"')
      out.back() += line[i++];
    else if (line[i] == '"')
      quoted = !quoted;
    else if (line[i] == ',' && !quoted)
      out.emplace_back();
    else
      out.back() += line[i];
  }
  return out;
}

std::vector<candidate::KernelProfile> kgen::evaluate::readProfile(llvm::StringRef csv) {
  std::vector<candidate::KernelProfile> out;
  llvm::SmallVector<llvm::StringRef> lines;
  csv.split(lines, '\n');
  int id = -1, kernel = -1, name = -1, value = -1;
  std::string last;
  for (llvm::StringRef line : lines) {
    line = line.trim();
    if (!line.starts_with("\""))
      continue;
    std::vector<std::string> fields = splitCsv(line);
    if (value < 0) {
      auto column = [&](const char *title) {
        auto found = llvm::find(fields, title);
        return found == fields.end() ? -1 : int(found - fields.begin());
      };
      id = column("ID"), kernel = column("Kernel Name"), name = column("Metric Name"), value = column("Metric Value");
      if (id < 0 || kernel < 0 || name < 0)
        value = -1;
      continue;
    }
    if (int(fields.size()) <= std::max(std::max(id, kernel), std::max(name, value)))
      continue;
    std::string text = fields[value];
    text.erase(std::remove(text.begin(), text.end(), ','), text.end()); // of thousands
    double number;
    if (llvm::StringRef(text).getAsDouble(number))
      continue; // "n/a"
    if (out.empty() || fields[id] != last) {
      out.emplace_back();
      out.back().kernel = llvm::StringRef(fields[kernel]).split('(').first.str();
      last = fields[id];
    }
    candidate::KernelProfile &profile = out.back();
    for (const Metric &metric : metrics)
      if (fields[name] == metric.name)
        profile.*metric.field = number * metric.scale;
    llvm::StringRef stall = fields[name];
    if (stall.consume_front(stallHead) && stall.consume_back(stallTail) && number > profile.stallCycles) {
      profile.stallCycles = number;
      profile.stall = stall.str();
      std::replace(profile.stall.begin(), profile.stall.end(), '_', ' ');
    }
  }
  return out;
}

llvm::Error Evaluator::profile(const CandidateFiles &files, const EvaluateOptions &options,
                               candidate::Measurement &out) {
  if (parts.device == "host" || !out.passed())
    return llvm::Error::success();
  std::string program = findProfiler();
  if (program.empty()) {
    out.warnings.push_back("no profile: Nsight Compute (ncu) is not installed, or KGEN_NCU switches it off");
    return llvm::Error::success();
  }
  std::string artifact;
  auto plan = compileAgain(files, options, artifact);
  if (!plan)
    return plan.takeError();
  // What ncu leaves behind lies there too.
  auto scratch = toolchain::ScratchFolder::create("profile");
  if (!scratch)
    return scratch.takeError();
  const std::string &folder = scratch->path();
  std::string planFile = folder + "/plan.json";
  if (llvm::Error error = toolchain::writeFileAtomically(planFile, plan->print()))
    return error;
  toolchain::ProcessRequest request;
  request.arguments = {program};
  std::vector<std::string> own = profilerArguments();
  request.arguments.insert(request.arguments.end(), own.begin(), own.end());
  // Other inputs than the secret ones: the seed of these stands on a command line.
  request.arguments.insert(request.arguments.end(),
                           {toolchain::workerBinary(), "--kgen-sanitize-worker", parts.device, planFile, artifact,
                            std::to_string(std::random_device()()), std::to_string(getpid())});
  request.extraEnvironment = {"HOME=" + folder, "TMPDIR=" + folder};
  request.directory = folder;
  toolchain::ProcessLimits limits;
  limits.wallSeconds = profileSeconds;
  limits.outputBytes = 1 << 20;
  auto run = toolchain::runProcess(request, limits);
  if (!run)
    return run.takeError();
  out.profile = readProfile(run->output);
  if (out.profile.empty()) {
    bool late = run->end == toolchain::ProcessResult::End::TimedOut;
    llvm::StringRef words = llvm::StringRef(run->output).trim();
    words = words.substr(words.rfind('\n') + 1).take_front(200); // the last line says why
    out.warnings.push_back("no profile: " +
                           (late ? "ncu took longer than " + std::to_string(int(profileSeconds)) + " s" : words.str()));
    return llvm::Error::success();
  }
  out.diagnosis = candidate::diagnose(out, *plan, options.flops);
  return llvm::Error::success();
}
