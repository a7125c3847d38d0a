//===- OracleTool.cpp - What the command kgen-oracle does -----------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Oracle/OracleTool.h"
#include "kgen/Oracle/GraphTraits.h"
#include "kgen/Oracle/OracleCases.h"

#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/WithColor.h"

using namespace kgen;
using namespace kgen::oracle;

int kgen::oracle::runOracleTool(const OracleToolOptions &options) {
  auto fail = [](const llvm::Twine &message) { return llvm::WithColor::error() << message << '\n', 1; };
  bool files = !options.inputs.empty() && !options.outputs.empty();
  bool half = options.inputs.empty() != options.outputs.empty();
  if (half || files + !options.jobs.empty() + options.check + !options.traits.empty() != 1)
    return fail("give either --jobs FILE or both --inputs DIR and --outputs DIR, or --check, or --traits LIMIT:SIZES");
  auto text = llvm::MemoryBuffer::getFileOrSTDIN(options.graph);
  if (!text)
    return fail("cannot read " + options.graph + ": " + text.getError().message());
  if (options.check)
    return checkOracleCases((*text)->getBuffer(), options.sliceLimit) ? 0 : 1;
  if (!options.traits.empty()) {
    auto traits = describeTraits((*text)->getBuffer(), options.traits, options.graph);
    if (!traits)
      return fail(toString(traits.takeError()));
    llvm::outs() << *traits << '\n';
    return 0;
  }
  auto make = [&] { return Oracle::create((*text)->getBuffer(), options.sliceLimit, options.graph, options.result); };
  if (!options.jobs.empty()) {
    auto good = serveOracleJobs((*text)->getBuffer(), make, options.jobs);
    if (!good)
      return fail(toString(good.takeError()));
    return *good ? 0 : 1;
  }
  auto oracle = make();
  if (!oracle)
    return fail(toString(oracle.takeError()));
  if (auto error = runOracleOnFiles(**oracle, options.inputs, options.outputs))
    return fail(toString(std::move(error)));
  return 0;
}
