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

/// Prints what follows from GRAPH for all inputs.
static llvm::Error printTraits(llvm::StringRef graph, const OracleToolOptions &options) {
  auto [limit, list] = llvm::StringRef(options.traits).split(':');
  llvm::SmallVector<llvm::StringRef> words;
  list.split(words, ',', -1, false);
  double products;
  std::vector<double> largest(words.size());
  bool bad = limit.getAsDouble(products);
  for (size_t i = 0; i < words.size(); ++i)
    bad |= words[i].getAsDouble(largest[i]);
  if (bad)
    return llvm::createStringError("--traits takes LIMIT:SIZE,SIZE,..., found '" + options.traits + "'");
  auto traits = findTraits(graph, largest, products, options.graph);
  if (!traits)
    return traits.takeError();
  for (const std::vector<bool> &flags : {traits->exact, traits->multiplied}) {
    for (bool each : flags)
      llvm::outs() << int(each);
    llvm::outs() << '\n';
  }
  return llvm::Error::success();
}

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
    if (auto error = printTraits((*text)->getBuffer(), options))
      return fail(toString(std::move(error)));
    return 0;
  }
  auto oracle = Oracle::create((*text)->getBuffer(), options.sliceLimit, options.graph, options.result);
  if (!oracle)
    return fail(toString(oracle.takeError()));
  if (!options.jobs.empty())
    return serveOracleJobs(**oracle, options.jobs) ? 0 : 1;
  if (auto error = runOracleOnFiles(**oracle, options.inputs, options.outputs))
    return fail(toString(std::move(error)));
  return 0;
}
