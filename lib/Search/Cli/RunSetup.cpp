//===- RunSetup.cpp -------------------------------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunSetup.h"

using namespace llvm;

namespace kgen::search {

Expected<std::unique_ptr<RunSetup>> RunSetup::open(const SearchToolWorld &world, trajectory::RunFolder &run,
                                                   const SearchConfig &config, propose::ProposerOptions options,
                                                   bool confines) {
  std::unique_ptr<RunSetup> setup(new RunSetup(run, world.compiler, config.llm));
  options.log = &setup->log;
  options.stop = &world.stop;
  auto proposer = propose::createProposer(config.llm, options);
  if (!proposer)
    return proposer.takeError();
  auto library = RunLibrary::open(world, run, config);
  if (!library)
    return library.takeError();
  auto seeds = library->findSeeds(confines, setup->leftOut);
  if (!seeds)
    return seeds.takeError();
  auto examples = library->findExamples();
  if (!examples)
    return examples.takeError();
  setup->proposer =
      seeds->empty() ? std::move(*proposer) : library::createSeededProposer(std::move(*proposer), std::move(*seeds));
  setup->library = std::move(*library);
  setup->examples = std::move(*examples);
  return std::move(setup);
}

} // namespace kgen::search
