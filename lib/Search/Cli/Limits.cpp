//===- Limits.cpp - Prices, and with what a resumed run goes on -----------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SearchCommands.h"
#include "kgen/Search/ProblemSource.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"

#include <cstdlib>

using namespace llvm;

namespace kgen::search {

/// The models that proposer SPEC asks and that somebody charges for, as usage names them.
static std::vector<std::string> chargedModels(StringRef spec) {
  std::vector<std::string> models;
  auto parts = propose::splitProposers(spec);
  if (!parts) {
    consumeError(parts.takeError()); // createProposer() says what is wrong with it
    return models;
  }
  for (const auto &[name, weight] : *parts) {
    StringRef part = name, kind = part.split(':').first;
    if (kind == "exec")
      part = part.take_until(isSpace); // named by its program
    if (kind != "builtin" && kind != "replay" && kind != "dir")
      models.push_back(part.take_front(std::min(part.find("@http://"), part.find("@https://"))).str());
  }
  return models;
}

Error choosePrices(const SearchCommand &command, const SearchToolWorld &world, SearchConfig &config) {
  std::vector<std::string> models = chargedModels(config.llm);
  if (models.empty())
    return Error::success();
  std::string path = command.prices;
  if (path.empty()) {
    const char *folder = std::getenv("XDG_CONFIG_HOME"), *home = std::getenv("HOME");
    if (folder && *folder)
      path = std::string(folder) + "/kgen/prices.json";
    else if (home && *home)
      path = std::string(home) + "/.config/kgen/prices.json";
    if (path.empty() || !world.fs.exists(path))
      path = findSourceFolders(world.fs, world.programFolder).prices + "/prices.json";
    if (!world.fs.exists(path) && config.maxDollars == 0)
      return Error::success(); // tokens are counted all the same
  }
  auto text = world.fs.read(path);
  if (!text)
    return text.takeError();
  auto list = trajectory::PriceList::parse(*text, path);
  if (!list)
    return list.takeError();
  config.prices.asOf = list->asOf;
  for (const std::string &model : models)
    if (auto price = list->find(model))
      config.prices.models[model] = *price;
    else if (config.maxDollars > 0)
      return createStringError(Twine(model) + " has no price in " + path +
                               ", so --max-usd cannot hold; add it there, or limit --max-tokens");
  return Error::success();
}

EvaluatorRequest requestToResume(const SearchCommand &command, const SearchConfig &config) {
  // A run of one evaluator goes on with the device that "auto" was.
  const std::string &devices = config.devices.empty() && config.launchers.empty() ? config.device : config.devices;
  return {command.devicesGiven ? command.device : devices,
          command.launchers.empty() ? config.launchers : command.launchers};
}

Error raiseLimits(const SearchCommand &command, const trajectory::RunFolder &run, SearchConfig &config) {
  config.maxMinutes = command.maxMinutes.value_or(config.maxMinutes);
  config.maxTokens = command.maxTokens.value_or(config.maxTokens);
  config.maxDollars = command.maxDollars.value_or(config.maxDollars);
  trajectory::Ledger ledger = trajectory::addUp(run);
  const char *path = command.run.c_str();
  if (config.maxMinutes > 0 && ledger.seconds >= 60 * config.maxMinutes)
    return createStringError("%s has taken %.2g of its %.3g minutes; give it more by --max-minutes", path,
                             ledger.seconds / 60, config.maxMinutes);
  if (config.maxTokens > 0 && ledger.total.tokens() >= config.maxTokens)
    return createStringError("%s has spent %lld of its %lld tokens; give it more by --max-tokens", path,
                             (long long)ledger.total.tokens(), (long long)config.maxTokens);
  if (config.maxDollars > 0 && ledger.total.dollars >= config.maxDollars)
    return createStringError("%s has spent %.4g of its %.4g dollars; give it more by --max-usd", path,
                             ledger.total.dollars, config.maxDollars);
  for (const std::string &model : config.maxDollars > 0 ? chargedModels(config.llm) : std::vector<std::string>())
    if (!config.prices.find(model))
      return createStringError(Twine(model) + " has no price in this run, so --max-usd cannot hold");
  return Error::success();
}

} // namespace kgen::search
