//===- EvalBlocks.cpp - A verified candidate that is timed on request -----===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For benchmarks that time kgen's kernel and something else in turns
// (scripts/bench_gpu.py): the other side decides when samples are taken.
//
//===----------------------------------------------------------------------===//
#include "Trial.h"

#include "kgen/Evaluate/EvalTool.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <iostream>
#include <optional>

using namespace kgen;
using namespace kgen::evaluate;
namespace json = llvm::json;

static void say(json::Object object) {
  llvm::outs() << json::Value(std::move(object)) << '\n';
  llvm::outs().flush();
}

static int fail(llvm::Error error) {
  say(json::Object{{"error", llvm::toString(std::move(error))}});
  return 2;
}

int kgen::evaluate::timeInBlocks(const EvalRequest &request) {
  auto files = readCandidate(request.folder, request.graph);
  if (!files)
    return fail(files.takeError());
  auto evaluator = Evaluator::create(request.device);
  if (!evaluator)
    return fail(evaluator.takeError());
  candidate::Measurement measurement;
  PreparedCandidate candidate;
  auto started = (*evaluator)->start(*files, request.options, measurement, candidate);
  if (!started)
    return fail(started.takeError());
  std::unique_ptr<Trial> trial;
  bool right = *started;
  CardGate &gate = (*evaluator)->cardGate();
  if (right) {
    trial = (*evaluator)->makeTrial(candidate, request.options);
    for (bool timing : {false, true}) {
      std::optional<CardGate::Place> alone;
      if (timing)
        alone.emplace(gate.alone());
      auto passed = timing ? trial->beginTiming(measurement) : trial->verify(measurement);
      if (!passed)
        return fail(passed.takeError());
      if (!(right = *passed))
        break;
    }
  }
  if (right)
    measurement.verdict = candidate::Verdict::Pass;
  // The answers' memory is for whoever is timed beside it. What adds in no fixed order is held against them in each
  // run.
  if (right && !candidate.atomics)
    (*evaluator)->endJudges();
  say(json::Object{{"verdict", candidate::verdictName(measurement.verdict)},
                   {"detail", measurement.detail},
                   {"rules", judge::rulesName(request.options.rules)},
                   {"precision", measurement.precision}});
  if (!right)
    return 1;
  constexpr int mostSamples = 10000;
  std::string line;
  while (std::getline(std::cin, line)) {
    int count;
    if (llvm::StringRef(line).trim().getAsInteger(10, count) || count < 1 || count > mostSamples) {
      say(json::Object{{"error", "expected a number of samples from 1 to 10000, found '" + line + "'"}});
      return 2;
    }
    json::Array samples;
    auto alone = gate.alone();
    for (int i = 0; i < count; ++i) {
      double us;
      auto ran = trial->sample(measurement, us);
      if (!ran)
        return fail(ran.takeError());
      if (!*ran) {
        say(json::Object{{"error", candidate::verdictName(measurement.verdict).str() + ": " + measurement.detail}});
        return 1;
      }
      samples.push_back(us);
    }
    say(json::Object{{"samples", std::move(samples)}});
  }
  return 0;
}
