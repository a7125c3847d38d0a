//===- Exchanges.cpp - Questions to models, as they went over the wire ----===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// exchanges/HASH.json holds one question and its answer, where HASH is that of
// what was sent; the system prompt, which is the same each time, lies once in
// exchanges/SHA.md. The journal's record has what a ledger needs.
//
//===----------------------------------------------------------------------===//

#include "kgen/Propose/Proposer.h"
#include "kgen/Trajectory/RunFolder.h"

#include "llvm/ADT/Twine.h"

using namespace llvm;

namespace kgen::trajectory {

static Json usageToJson(const propose::ModelUsage &usage) {
  return {{"input", usage.input}, {"cached", usage.cached}, {"output", usage.output}, {"reasoning", usage.reasoning}};
}

Error RunFolder::recordExchange(const propose::Exchange &exchange) {
  std::string systemHash = propose::hashText(exchange.question.system);
  Json turns = Json::array();
  for (const propose::ModelTurn &turn : exchange.question.turns)
    turns.push_back({{"role", turn.role}, {"text", turn.text}});
  Json stored = {{"slot", exchange.question.slot},
                 {"model", exchange.model},
                 {"system", systemHash},
                 {"turns", std::move(turns)},
                 {"schema", exchange.question.schema},
                 {"finish", propose::finishName(exchange.reply.finish).str()},
                 {"refusal", exchange.reply.refusal},
                 {"text", exchange.reply.text},
                 {"usage", usageToJson(exchange.reply.usage)}};
  std::string text = stored.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
  bool wasBatching = batching;
  if (Error error = commit())
    return error;
  std::map<std::string, std::string> files = {{exchange.hash + ".json", text}};
  if (!fs.exists(at("exchanges/" + systemHash + ".md")))
    files[systemHash + ".md"] = exchange.question.system;
  if (Error error = fs.createFolders(at("exchanges")))
    return error;
  if (Error error = fs.writeAllAtomic(at("exchanges"), files, /*wait=*/true))
    return error;
  if (Error error = append({{"event", "exchange"},
                            {"slot", exchange.question.slot},
                            {"model", exchange.model},
                            {"request", exchange.hash},
                            {"sha", propose::hashText(text)},
                            {"finish", propose::finishName(exchange.reply.finish).str()},
                            {"usage", usageToJson(exchange.reply.usage)},
                            {"seconds", exchange.seconds}}))
    return error;
  exchanges.push_back(exchange);
  if (wasBatching)
    beginBatch();
  return Error::success();
}

/// The caller catches what the JSON library throws.
Error RunFolder::applyExchange(const Json &record) {
  propose::Exchange exchange;
  exchange.hash = record.at("request");
  exchange.seconds = record.at("seconds");
  std::string file = at("exchanges/" + exchange.hash + ".json");
  auto text = fs.read(file);
  if (!text)
    return text.takeError();
  if (propose::hashText(*text) != record.at("sha").get<std::string>())
    return createStringError(Twine(file) + " is corrupt: its hash differs from the journal's");
  Json stored = parseStoredJson(*text);
  std::string system = at("exchanges/" + stored.at("system").get<std::string>() + ".md");
  auto systemText = fs.read(system);
  if (!systemText)
    return systemText.takeError();
  if (propose::hashText(*systemText) != stored.at("system").get<std::string>())
    return createStringError(Twine(system) + " is corrupt: its hash differs from its name");
  exchange.model = stored.at("model");
  exchange.question.slot = stored.at("slot");
  exchange.question.system = std::move(*systemText);
  exchange.question.schema = stored.at("schema");
  for (const Json &turn : stored.at("turns"))
    exchange.question.turns.push_back({turn.at("role"), turn.at("text")});
  exchange.reply.finish = propose::parseFinish(stored.at("finish").get<std::string>());
  exchange.reply.refusal = stored.at("refusal");
  exchange.reply.text = stored.at("text");
  const Json &usage = stored.at("usage");
  exchange.reply.usage = {usage.at("input"), usage.at("cached"), usage.at("output"), usage.at("reasoning")};
  exchanges.push_back(std::move(exchange));
  return Error::success();
}

const propose::Exchange *RunFolder::findExchange(StringRef hash) const {
  for (const propose::Exchange &exchange : exchanges)
    if (exchange.hash == hash)
      return &exchange;
  return nullptr;
}

std::vector<const propose::Exchange *> RunFolder::findExchanges(StringRef slot) const {
  std::vector<const propose::Exchange *> found;
  for (const propose::Exchange &exchange : exchanges)
    if (exchange.question.slot == slot || exchange.question.slot == (slot + "/again").str())
      found.push_back(&exchange);
  return found;
}

} // namespace kgen::trajectory
