//===- LedgerText.cpp - What a run cost, to read ---------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kgen/Report/RunReport.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace kgen::report {

static std::string printSeconds(double seconds) {
  std::string text;
  raw_string_ostream(text) << (seconds < 120 ? format("%.1f s", seconds) : format("%.1f min", seconds / 60));
  return text;
}

/// "1,234,567"
static std::string printCount(int64_t count) {
  std::string text = std::to_string(count);
  for (int at = int(text.size()) - 3; at > 0; at -= 3)
    text.insert(at, ",");
  return text;
}

static std::string printDollars(double dollars) {
  std::string text;
  raw_string_ostream(text) << format(dollars < 1 ? "$%.4f" : "$%.2f", dollars);
  return text;
}

std::string printLedgerText(const trajectory::Ledger &ledger) {
  std::string text;
  raw_string_ostream os(text);
  os << "spent:    " << printSeconds(ledger.seconds) << ", " << printSeconds(ledger.total.deviceSeconds)
     << " of them on the device";
  if (const trajectory::Costs &total = ledger.total; total.requests > 0) {
    os << ", " << printSeconds(total.askSeconds) << " waiting for " << total.requests
       << " answers: " << printCount(total.input) << " tokens in (" << printCount(total.cached) << " cached), "
       << printCount(total.output) << " out (" << printCount(total.reasoning) << " reasoning)";
    if (!ledger.pricesAsOf.empty())
      os << ", " << printDollars(total.dollars) << " at prices of " << ledger.pricesAsOf;
    for (const std::string &model : ledger.unpriced)
      os << "; " << model << " has no price";
  }
  os << "\n";
  const char *separator = "by idea:  ";
  for (const auto &[name, costs] : ledger.categories) {
    os << separator << name;
    if (name != "round 0")
      os << " " << costs.branches << (costs.branches == 1 ? " branch" : " branches");
    os << " " << printSeconds(costs.deviceSeconds);
    if (costs.tokens() > 0)
      os << " " << printCount(costs.tokens()) << " tokens";
    if (costs.dollars > 0)
      os << " " << printDollars(costs.dollars);
    separator = ", ";
  }
  os << "\n";
  return text;
}

std::string printLedgerMarkdown(const trajectory::Ledger &ledger) {
  std::string text = "## What it cost\n\n";
  raw_string_ostream os(text);
  os << "Wall time " << printSeconds(ledger.seconds) << ".";
  if (!ledger.pricesAsOf.empty())
    os << " Prices of " << ledger.pricesAsOf << ".";
  for (const std::string &model : ledger.unpriced)
    os << " " << model << " has no price.";
  os << "\n\n| ideas | branches | device | answers | waiting | tokens in | cached | tokens out | reasoning | money |\n"
        "|---|---|---|---|---|---|---|---|---|---|\n";
  auto line = [&](const std::string &name, const trajectory::Costs &costs) {
    os << "| " << name << " | " << costs.branches << " | " << printSeconds(costs.deviceSeconds) << " | "
       << costs.requests << " | " << printSeconds(costs.askSeconds) << " | " << printCount(costs.input) << " | "
       << printCount(costs.cached) << " | " << printCount(costs.output) << " | " << printCount(costs.reasoning) << " | "
       << printDollars(costs.dollars) << " |\n";
  };
  for (const auto &[name, costs] : ledger.categories)
    line(name, costs);
  for (const auto &[name, costs] : ledger.models)
    line(name, costs);
  line("all", ledger.total);
  return text;
}

trajectory::Json toJson(const trajectory::Ledger &ledger) {
  auto list = [](const std::map<std::string, trajectory::Costs> &parts) {
    trajectory::Json json = trajectory::Json::object();
    for (const auto &[name, costs] : parts)
      json[name] = costs.toJson();
    return json;
  };
  return {{"seconds", ledger.seconds},        {"prices_as_of", ledger.pricesAsOf},
          {"unpriced", ledger.unpriced},      {"total", ledger.total.toJson()},
          {"models", list(ledger.models)},    {"categories", list(ledger.categories)},
          {"branches", list(ledger.branches)}};
}

} // namespace kgen::report
