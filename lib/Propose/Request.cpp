//===- Request.cpp - Questions as canonical JSON, and back ----------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "JsonFields.h"
#include "kgen/Propose/Proposer.h"

#include "llvm/ADT/Twine.h"

#include <nlohmann/json.hpp>

using namespace llvm;

namespace kgen::propose {

using Json = nlohmann::ordered_json;

static Json toJson(const graph::TensorFact &tensor) {
  Json json{{"dtype", tensor.dtype}, {"shape", tensor.shape}};
  if (tensor.updates >= 0)
    json["updates"] = tensor.updates;
  return json;
}

static Json toJson(const std::vector<graph::TensorFact> &tensors) {
  Json list = Json::array();
  for (const graph::TensorFact &tensor : tensors)
    list.push_back(toJson(tensor));
  return list;
}

static Json toJson(const Idea &idea) { return Json::parse(printIdeas({idea})).front(); }

std::string printRequest(const ProposalContext &context, StringRef stage, const Idea *idea, int n,
                         const FailedBranch *failed) {
  Json request;
  request["stage"] = stage.str();
  request["slot"] = context.slot;
  request["n"] = n;
  request["seed"] = context.seed;
  request["device"] = context.device;
  request["precision"] = context.precision;
  if (!context.network.empty())
    request["network"] = context.network;
  request["chip"] = {{"arch", context.chip.arch},
                     {"shared_bytes_per_block", context.chip.sharedBytesPerBlock},
                     {"multiprocessors", context.chip.multiprocessors}};
  Json ops = Json::array();
  for (const graph::OpFact &op : context.facts.ops)
    ops.push_back({{"name", op.name},
                   {"operands", toJson(op.operands)},
                   {"results", toJson(op.results)},
                   {"attributes", op.attributes},
                   {"users", op.users},
                   {"flops", op.flops}});
  request["graph"] = {{"name", context.facts.name},
                      {"inputs", toJson(context.facts.inputs)},
                      {"outputs", toJson(context.facts.outputs)},
                      {"ops", std::move(ops)},
                      {"flops", context.facts.flops},
                      {"compulsory_bytes", context.facts.compulsoryBytes},
                      {"text", context.graph}};
  request["generic_us"] = context.genericUs;
  request["floor_us"] = context.floorUs;
  if (!context.baselines.empty())
    request["baselines"] = context.baselines;
  for (const LibraryKernel &kernel : context.knownKernels)
    request["library"].push_back({{"about", kernel.about},
                                  {"idea", kernel.idea},
                                  {"directives", kernel.directives},
                                  {"cuda", kernel.cuda},
                                  {"time_us", kernel.timeUs}});
  const ParentSummary &parent = context.parent;
  request["parent"] = {{"id", parent.id},          {"settings", parent.label},      {"notes", parent.notes},
                       {"time_us", parent.timeUs}, {"diagnosis", parent.diagnosis}, {"directives", parent.directives},
                       {"cuda", parent.cuda}};
  Json history = Json::array();
  for (const TriedBranch &tried : context.history) {
    Json entry = toJson(tried.idea);
    entry["id"] = tried.id;
    entry["parent"] = tried.parent;
    entry["settings"] = tried.label;
    entry["verdict"] = tried.verdict;
    entry["detail"] = tried.detail;
    // Where there is none, the bytes are those of older versions.
    if (tried.refusal)
      entry["refusal"] = {{"kind", graph::refusalName(tried.refusal->kind).str()},
                          {"key", tried.refusal->key},
                          {"found", tried.refusal->found},
                          {"bound", tried.refusal->bound}};
    if (!tried.diagnosis.empty())
      entry["diagnosis"] = tried.diagnosis;
    entry["time_us"] = tried.timeUs;
    history.push_back(std::move(entry));
  }
  request["history"] = std::move(history);
  if (idea)
    request["idea"] = toJson(*idea);
  if (failed)
    request["failed"] = {{"id", failed->id},
                         {"directives", failed->materialization.directives},
                         {"cuda", failed->materialization.cuda},
                         {"plan", failed->materialization.plan},
                         {"verdict", failed->verdict},
                         {"detail", failed->detail},
                         {"log", failed->log}};
  return request.dump(-1, ' ', false, Json::error_handler_t::replace);
}

static std::vector<graph::TensorFact> tensorsOf(const Json &list) {
  std::vector<graph::TensorFact> tensors;
  for (const Json &entry : list)
    tensors.push_back({entry.at("dtype"), entry.at("shape").get<std::vector<int64_t>>(), entry.value("updates", -1)});
  return tensors;
}

static Idea ideaOf(const Json &json) {
  Idea idea;
  idea.key = json.at("key");
  idea.text = json.at("idea");
  idea.category =
      ideas::parseIdeaCategory(json.at("category").get<std::string>()).value_or(ideas::IdeaCategory::Compute);
  idea.by = json.value("by", "");
  return idea;
}

Expected<RecordedRequest> parseRequest(StringRef text) {
  RecordedRequest result;
  ProposalContext &context = result.context;
  try {
    Json json = Json::parse(text.begin(), text.end());
    result.stage = json.at("stage");
    result.n = json.at("n");
    context.slot = json.at("slot");
    context.seed = json.at("seed");
    context.device = json.at("device");
    context.precision = json.at("precision");
    context.network = json.value("network", "");
    context.chip.arch = json.at("chip").at("arch");
    context.chip.sharedBytesPerBlock = json.at("chip").at("shared_bytes_per_block");
    context.chip.multiprocessors = json.at("chip").at("multiprocessors");
    const Json &graph = json.at("graph");
    context.facts.name = graph.at("name");
    context.facts.inputs = tensorsOf(graph.at("inputs"));
    context.facts.outputs = tensorsOf(graph.at("outputs"));
    context.facts.flops = graph.at("flops");
    context.facts.compulsoryBytes = graph.at("compulsory_bytes");
    context.graph = graph.at("text");
    context.genericUs = json.at("generic_us");
    context.floorUs = json.at("floor_us");
    if (json.contains("baselines"))
      context.baselines = json["baselines"].get<std::map<std::string, double>>();
    if (json.contains("library"))
      for (const Json &entry : json["library"])
        context.knownKernels.push_back(
            {entry.at("about"), entry.at("idea"), entry.at("directives"), entry.at("cuda"), entry.at("time_us")});
    const Json &parent = json.at("parent");
    context.parent.id = parent.at("id");
    context.parent.label = parent.at("settings");
    context.parent.notes = parent.at("notes");
    context.parent.timeUs = parent.at("time_us");
    context.parent.diagnosis = parent.at("diagnosis");
    context.parent.directives = parent.at("directives");
    context.parent.cuda = parent.at("cuda");
    for (const Json &entry : json.at("history")) {
      TriedBranch tried;
      tried.id = entry.at("id");
      tried.parent = entry.at("parent");
      tried.idea = ideaOf(entry);
      tried.label = entry.at("settings");
      tried.verdict = entry.at("verdict");
      tried.detail = entry.at("detail");
      if (entry.contains("refusal"))
        if (auto kind = graph::parseRefusalKind(entry["refusal"].at("kind").get<std::string>()))
          tried.refusal = graph::Refusal{*kind, entry["refusal"].at("key"), entry["refusal"].at("found"),
                                         entry["refusal"].at("bound")};
      tried.diagnosis = entry.value("diagnosis", "");
      tried.timeUs = entry.at("time_us");
      context.history.push_back(std::move(tried));
    }
    if (json.contains("idea"))
      result.idea = ideaOf(json["idea"]);
    if (json.contains("failed")) {
      const Json &entry = json["failed"];
      FailedBranch failed;
      failed.id = entry.at("id");
      failed.materialization.directives = entry.at("directives");
      failed.materialization.cuda = entry.at("cuda");
      failed.materialization.plan = entry.at("plan");
      failed.verdict = entry.at("verdict");
      failed.detail = entry.at("detail");
      failed.log = entry.at("log");
      result.failed = std::move(failed);
    }
  } catch (const Json::exception &e) {
    return createStringError(Twine("the recorded request cannot be read: ") + e.what());
  }
  return result;
}

} // namespace kgen::propose
