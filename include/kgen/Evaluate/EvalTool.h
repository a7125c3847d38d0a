//===- EvalTool.h - What kgen-eval does -----------------------------------===//
#pragma once

#include "kgen/Evaluate/Evaluator.h"

#include <string>

namespace kgen {

struct EvalRequest {
  std::string folder; ///< of one candidate
  std::string device = "auto";
  std::string graph;      ///< path; empty: graph.mlir in or above the folder
  bool json = false;      ///< print measurement.json instead of the table
  bool serve = false;     ///< answer jobs from stdin
  bool baselines = false; ///< time PyTorch on PROBLEM beside it
  std::string problem;    ///< the PyTorch form, a .py file
  EvaluateOptions options;
};

/// Measures one folder, writes measurement.json, compile.log and kernel.ptx into it, prints. The exit
/// code: 0 PASS, 1 any other verdict, 2 could not measure.
int evaluateFolder(const EvalRequest &request);

/// Answers jobs until stdin ends. A job is one JSON line {"id": 1, "folder": "...", "graph": "...",
/// "flops": 0, "samples": 30, "time": true, "precision": "tf32"} (all but folder optional); the answer is
/// one line too, {"id": 1, "measurement": {...}} or {"id": 1, "error": "..."}. The job {"id": 2,
/// "baselines": "FILE.py"} times PyTorch: {"id": 2, "baselines": {"eager": 863.0, ...}, "notes": {...}}.
/// The first line out is {"ready": true, "device": "host"}, on a card with "model", "arch",
/// "shared_bytes_per_block" and "multiprocessors". Answers of the oracle are kept from job to job.
int serveEvaluations(const EvalRequest &request);

} // namespace kgen
