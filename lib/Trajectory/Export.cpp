//===- Export.cpp ---------------------------------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kgen/Trajectory/Export.h"
#include "kgen/Propose/Proposer.h"
#include "kgen/Trajectory/Ledger.h"

#include "llvm/ADT/Twine.h"

using namespace llvm;

namespace kgen::trajectory {
namespace {

class Exporter {
public:
  Exporter(const RunFolder &run, StringRef licence) : run(run), licence(licence), ledger(addUp(run)) {}

  Expected<std::string> write() {
    std::string lines;
    for (const BranchRecord &branch : run.getBranches()) {
      if (branch.measurement.empty())
        continue; // in flight
      auto line = describe(branch);
      if (!line)
        return line.takeError();
      lines += line->dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
    }
    return lines;
  }

private:
  Expected<Json> describe(const BranchRecord &branch);
  /// The questions that led to BRANCH, as they were sent, with their answers.
  Json conversations(const BranchRecord &branch) const;
  Expected<std::string> text(const BranchRecord &branch, const char *name) const {
    if (!branch.files.count(name))
      return std::string();
    return run.readFile(branch.id, name);
  }

  const RunFolder &run;
  StringRef licence;
  Ledger ledger;
};

Json Exporter::conversations(const BranchRecord &branch) const {
  Json list = Json::array();
  const ReplyRecord *reply = run.findReplyByHash(branch.reply);
  if (!reply)
    return list;
  auto add = [&](StringRef slot) {
    for (const propose::Exchange *exchange : run.findExchanges(slot)) {
      Json turns = Json::array();
      for (const propose::ModelTurn &turn : exchange->question.turns)
        turns.push_back({{"role", turn.role}, {"text", turn.text}});
      list.push_back({{"slot", exchange->question.slot},
                      {"model", exchange->model},
                      {"system", exchange->question.system},
                      {"turns", std::move(turns)},
                      {"answer", exchange->reply.text}});
    }
  };
  // "round-01/seed-0/idea-2" carries out an idea of "round-01/seed-0/ideas".
  StringRef slot = reply->slot;
  if (size_t at = slot.rfind("/idea-"); at != StringRef::npos)
    add((slot.take_front(at) + "/ideas").str());
  add(slot);
  return list;
}

Expected<Json> Exporter::describe(const BranchRecord &branch) {
  const Json &config = run.getConfig();
  Json measurement = Json::parse(branch.measurement, nullptr, /*allow_exceptions=*/false);
  if (!measurement.is_object())
    return createStringError(Twine(branch.id) + " of " + run.getPath() + " has a measurement that cannot be read");
  std::map<std::string, std::string> files;
  for (const char *name : {"directives.mlir", "annotated.mlir", "kernel.cu", "plan.json"}) {
    auto content = text(branch, name);
    if (!content)
      return content.takeError();
    files[name] = std::move(*content);
  }
  Json request;
  if (const ReplyRecord *reply = run.findReplyByHash(branch.reply))
    request = Json::parse(reply->request, nullptr, /*allow_exceptions=*/false);
  auto setting = [&](const char *name) { return config.value(name, ""); };
  auto cost = ledger.branches.find(branch.id);
  return Json{
      {"version", 1},
      {"licence", licence.str()},
      {"run", run.getPath().rsplit('/').second.empty() ? run.getPath().str() : run.getPath().rsplit('/').second.str()},
      {"branch", branch.id},
      {"parent", branch.parent},
      {"mends", branch.repairs},
      {"round", branch.round},
      {"problem", setting("problem")},
      {"size", setting("size")},
      {"precision", setting("precision")},
      {"device", setting("device")},
      {"device_model", setting("device_model")},
      {"policy", setting("policy")},
      {"llm", setting("llm")},
      {"graph", run.getGraph().str()},
      {"idea",
       {{"key", branch.idea.key},
        {"category", ideas::categoryName(branch.idea.category).str()},
        {"text", branch.idea.text}}},
      {"settings", branch.label},
      {"request", std::move(request)},
      {"conversation", conversations(branch)},
      {"directives", files["directives.mlir"]},
      {"annotated", files["annotated.mlir"]},
      {"cuda", files["kernel.cu"]},
      {"plan", files["plan.json"]},
      {"verdict", measurement.value("verdict", "")},
      {"detail", measurement.value("detail", "")},
      {"time_us", measurement.value("time_us", 0.0)},
      {"floor_us", measurement.value("floor_us", 0.0)},
      {"baselines_us", measurement.value("baselines", Json::object())},
      {"diagnosis", measurement.value("diagnosis", "")},
      {"same_as", branch.duplicateOf},
      {"cost", cost == ledger.branches.end() ? Costs().toJson() : cost->second.toJson()}};
}

} // namespace

Expected<std::string> exportRun(const RunFolder &run, StringRef licence) { return Exporter(run, licence).write(); }

} // namespace kgen::trajectory
