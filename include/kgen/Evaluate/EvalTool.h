//===- EvalTool.h - What kgen-eval does -----------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Evaluate/Comparing.h"

#include <string>

namespace kgen::evaluate {

struct EvalRequest {
  std::string folder; ///< of one candidate
  std::string out;    ///< where the results go; empty: FOLDER, unless it is a run's
  std::string device = "auto";
  std::string graph;      ///< path; empty: graph.mlir in or above the folder
  bool json = false;      ///< print measurement.json instead of the table
  bool serve = false;     ///< answer jobs from stdin
  std::string gate;       ///< file of the gate of those that serve the same card; empty: nobody else does
  unsigned sharers = 1;   ///< so many serve that card
  bool baselines = false; ///< time PyTorch on PROBLEM beside it
  std::string problem;    ///< the PyTorch form, a .py file
  bool sanitize = false;  ///< a PASS goes through compute-sanitizer
  bool profile = false;   ///< and is watched by Nsight Compute
  std::string seed;       ///< hexadecimal, of inputs that were told; empty: drawn
  EvaluateOptions options;
};

/// Parses kgen-eval's arguments and does what they say; the exit code.
int runEvalCommand(int argc, char **argv);

/// Measures one folder, writes measurement.json, compile.log and kernel.ptx into it or into request.out, prints. Into a
/// run folder nothing is written: its journal holds what was measured. The exit code: 0 PASS, 1 any other verdict, 2
/// could not measure.
int evaluateFolder(const EvalRequest &request);

/// Compiles the candidate of request.folder for request.device ("host", "cuda:N", or an architecture, for which no card
/// is needed) and writes what libkgen_runtime.so loads into the folder OUT: see kgen/Runtime/Runtime.h. Nothing is
/// verified. The exit code: 0, or 2 with one sentence.
int writeBundleFolder(const EvalRequest &request, const std::string &out);

/// Times the candidate in request.folder against the one in BASELINE, in turns, HOW.pairs times, and prints
/// how often it was FAST, SAME and so on. The exit code: 0 both PASS, 1 one does not, 2 could not compare.
int compareFolders(const EvalRequest &request, const std::string &baseline, const CompareOptions &how);

/// Verifies one folder and then times it on request: the first line out is {"verdict": "PASS", ...} or
/// {"error": "..."}; each line in is a number of samples, answered by {"samples": [microseconds, ...]}, until stdin
/// ends. The exit code as for evaluateFolder().
int timeInBlocks(const EvalRequest &request);

/// Answers jobs until stdin ends. A job is one JSON line {"id": 1, "folder": "...", "graph": "...",
/// "flops": 0, "samples": 30, "time": true, "precision": "tf32", "time_limit": 30, "compile_limit": 30,
/// "sanitize": false, "incumbent": "...", "redraw": false} (all but folder optional; redraw: on inputs of another
/// seed). A PASS that is faster than the candidate in the folder INCUMBENT took, "incumbent_us", is compared with it in
/// turns and goes through the sanitizer. From another machine candidates come as text: "texts": {"plan": "...", "cuda":
/// "..."} and "incumbent_texts" in place of the folders, with the graph in "graph_text" once; the answer then has
/// "compile_log" and "ptx". With "results": false nothing is written into the folder. The answer is one line too,
/// {"id": 1, "measurement": {...}} or {"id": 1, "error": "..."}. The job {"id": 2, "baselines": "FILE.py"} times
/// PyTorch: {"id": 2, "baselines": {"eager": 863.0,
/// ...}, "notes": {...}}. The first line out is {"ready": true, "device": "host", "compiler": ..., "machine": ...,
/// "version": ...}, on a card with "model", "arch", "shared_bytes_per_block" and "multiprocessors"; version is a digest
/// of the sources that decide verdicts and times. Answers of the oracle are kept from job to job.
int serveEvaluations(const EvalRequest &request);

} // namespace kgen::evaluate
