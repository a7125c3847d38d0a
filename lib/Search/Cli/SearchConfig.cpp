//===- SearchConfig.cpp - run.json ----------------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kgen/Search/Search.h"

using namespace llvm;

namespace kgen::search {

trajectory::Json SearchConfig::toJson() const {
  trajectory::Json model = {{"effort", llmOptions.effort},
                            {"max_tokens", llmOptions.maxTokens},
                            {"timeout_seconds", llmOptions.timeoutSeconds}};
  if (llmOptions.temperature)
    model["temperature"] = *llmOptions.temperature;
  trajectory::Json json = {{"version", 1},
                           {"problem", problem},
                           {"source", source},
                           {"pytorch", pytorch},
                           {"size", size},
                           {"precision", precision},
                           {"rules", rules},
                           {"device", device},
                           {"device_model", deviceModel},
                           {"isolation", isolation},
                           {"policy", policy},
                           {"rounds", options.rounds},
                           {"seeds", options.seeds},
                           {"ideas", options.ideas},
                           {"variants", options.variants},
                           {"llm", llm},
                           {"llm_url", llmOptions.url},
                           {"llm_key_env", llmOptions.keyEnv},
                           {"llm_options", std::move(model)},
                           {"library", kernelLibrary},
                           {"seed", seed},
                           {"tune", tune},
                           {"max_branches", maxBranches},
                           {"max_minutes", maxMinutes},
                           {"max_tokens", maxTokens},
                           {"max_usd", maxDollars},
                           {"prices", prices.toJson()},
                           {"profile", profile},
                           {"stop_at_floor", stopAtFloor},
                           {"compile_jobs", compileJobs},
                           {"chip",
                            {{"arch", chip.arch},
                             {"shared_bytes_per_block", chip.sharedBytesPerBlock},
                             {"multiprocessors", chip.multiprocessors}}}};
  // Most runs have one evaluator, here.
  if (!devices.empty())
    json["devices"] = devices;
  if (!launchers.empty())
    json["launchers"] = launchers;
  if (!cut.empty())
    json["cut"] = cut;
  if (options.opening > 0)
    json["opening"] = options.opening;
  return json;
}

Expected<SearchConfig> SearchConfig::fromJson(const trajectory::Json &json) {
  SearchConfig config;
  try {
    if (json.at("version").get<int>() != 1)
      return createStringError("run.json is of version " + std::to_string(json.at("version").get<int>()) +
                               ", this kgen-search reads version 1");
    config.problem = json.at("problem");
    config.source = json.at("source");
    config.pytorch = json.at("pytorch");
    config.size = json.at("size");
    config.precision = json.at("precision");
    config.rules = json.value("rules", "kgen");
    config.device = json.at("device");
    config.deviceModel = json.at("device_model");
    config.isolation = json.value("isolation", "");
    config.devices = json.value("devices", "");
    config.launchers = json.value("launchers", std::vector<std::string>());
    config.cut = json.value("cut", "");
    config.policy = json.at("policy");
    config.options.rounds = json.at("rounds");
    config.options.seeds = json.at("seeds");
    config.options.ideas = json.at("ideas");
    config.options.variants = json.at("variants");
    config.options.opening = json.value("opening", 0);
    config.llm = json.at("llm");
    config.llmOptions.url = json.at("llm_url");
    config.llmOptions.keyEnv = json.at("llm_key_env");
    trajectory::Json model = json.value("llm_options", trajectory::Json::object());
    config.llmOptions.effort = model.value("effort", "");
    config.llmOptions.maxTokens = model.value("max_tokens", 0);
    config.llmOptions.timeoutSeconds = model.value("timeout_seconds", 0.0);
    if (model.contains("temperature"))
      config.llmOptions.temperature = model["temperature"].get<double>();
    config.kernelLibrary = json.value("library", "");
    config.seed = json.at("seed");
    config.tune = json.value("tune", 0);
    config.maxBranches = json.value("max_branches", 0);
    config.maxMinutes = json.at("max_minutes");
    config.compileJobs = json.at("compile_jobs");
    config.maxTokens = json.value("max_tokens", int64_t(0));
    config.maxDollars = json.value("max_usd", 0.0);
    config.profile = json.value("profile", false);
    config.stopAtFloor = json.value("stop_at_floor", 0.0);
    if (json.contains("prices")) {
      auto prices = trajectory::PriceList::parse(json["prices"].dump(), "run.json");
      if (!prices)
        return prices.takeError();
      config.prices = std::move(*prices);
    }
    const trajectory::Json &chip = json.at("chip");
    config.chip.arch = chip.at("arch");
    config.chip.sharedBytesPerBlock = chip.at("shared_bytes_per_block");
    config.chip.multiprocessors = chip.at("multiprocessors");
  } catch (const trajectory::Json::exception &e) {
    return createStringError(std::string("run.json cannot be read: ") + e.what());
  }
  return config;
}

} // namespace kgen::search
