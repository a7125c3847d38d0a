//===- RunLibrary.cpp -----------------------------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunLibrary.h"
#include "kgen/Toolchain/Jail.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

using namespace llvm;

namespace kgen::search {

Expected<RunLibrary> RunLibrary::open(const SearchToolWorld &world, const trajectory::RunFolder &run,
                                      const SearchConfig &config) {
  RunLibrary result;
  result.name = config.kernelLibrary;
  std::string path = result.name == defaultLibrary ? world.kernelLibraryPath : result.name;
  if (path.empty() || path == "none")
    return result;
  auto facts = world.compiler.facts(run.getGraph());
  if (!facts)
    return facts.takeError();
  auto opened = library::KernelLibrary::open(path);
  if (!opened)
    return opened.takeError();
  result.store = std::move(*opened);
  bool host = config.device == "host";
  result.key = {library::graphSignature(run.getGraph()), library::opSequence(*facts), host ? "host" : config.chip.arch,
                config.precision, config.deviceModel.empty() ? config.device : config.deviceModel};
  result.problem = config.problem;
  for (const graph::TensorFact &input : facts->inputs) {
    result.shapes += (result.shapes.empty() ? "" : ", ") + input.dtype + "[";
    for (auto [i, extent] : enumerate(input.shape))
      result.shapes += (i ? "," : "") + std::to_string(extent);
    result.shapes += "]";
  }
  return result;
}

Expected<std::vector<library::LibraryEntry>> RunLibrary::findSeeds(bool confines, std::string &note) const {
  constexpr int seeds = 2;
  if (!store)
    return std::vector<library::LibraryEntry>();
  auto entries = store->find(key, seeds);
  if (!entries || confines)
    return entries;
  size_t all = entries->size();
  llvm::erase_if(*entries, [](const library::LibraryEntry &entry) { return !entry.materialization.cuda.empty(); });
  if (entries->size() == all)
    return entries;
  std::string why = toolchain::explainUnconfinedCompile(
      ("library " + (name == defaultLibrary ? StringRef("of this user") : StringRef(name)) +
       " brings text that kgen did not write")
          .str());
  if (name != defaultLibrary)
    return createStringError(why);
  note = "kernels of the library are left out: " + why;
  return entries;
}

Expected<std::vector<propose::LibraryKernel>> RunLibrary::findExamples() const {
  constexpr int examples = 2;
  std::vector<propose::LibraryKernel> kernels;
  if (!store)
    return kernels;
  auto entries = store->findSimilar(key, examples);
  if (!entries)
    return entries.takeError();
  for (library::LibraryEntry &entry : *entries)
    kernels.push_back({entry.problem + " on " + entry.shapes + ", " + entry.device, entry.idea.text,
                       entry.materialization.directives, entry.materialization.cuda, entry.timeUs});
  return kernels;
}

Error RunLibrary::storeBest(const trajectory::RunFolder &run) const {
  constexpr int kept = 3;
  if (!store)
    return Error::success();
  std::vector<std::pair<double, const trajectory::BranchRecord *>> ranked;
  for (const trajectory::BranchRecord &branch : run.getBranches()) {
    if (branch.measurement.empty() || branch.reply.empty() || !branch.duplicateOf.empty())
      continue;
    auto measurement = candidate::Measurement::parse(branch.measurement);
    if (!measurement)
      return measurement.takeError();
    if (measurement->passed())
      ranked.push_back({measurement->timeUs, &branch});
  }
  llvm::sort(ranked);
  if (ranked.size() > kept)
    ranked.resize(kept);
  for (auto [time, branch] : ranked) {
    const trajectory::ReplyRecord *reply = run.findReplyByHash(branch->reply);
    if (!reply)
      continue;
    auto list = propose::parseMaterializations(reply->reply);
    if (!list)
      return list.takeError();
    if (branch->option < 0 || size_t(branch->option) >= list->size())
      continue;
    library::LibraryEntry entry{branch->idea, (*list)[branch->option], time,       problem,
                                shapes,       run.getPath().str(),     branch->id, key.device};
    if (Error error = store->store(key, entry))
      return error;
  }
  return Error::success();
}

} // namespace kgen::search
