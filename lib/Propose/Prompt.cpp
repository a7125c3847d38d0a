//===- Prompt.cpp - What a model is told ----------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PromptText.h"
#include "kgen/Candidate/Diagnosis.h"
#include "kgen/Propose/ModelProposer.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <nlohmann/json.hpp>

#include <algorithm>

using namespace llvm;

namespace kgen::propose {

using Json = nlohmann::ordered_json;

std::string printSystemPrompt() {
  static const std::string text =
      fillPrompt(findPromptText("system.md"), {{"directives", listDirectives()},
                                               {"schedule_keys", findPromptText("schedule-keys.md").str()},
                                               {"device_functions", listDeviceFunctions()},
                                               {"examples", listExamples()}});
  return text;
}

std::string printAnswerSchema(StringRef stage) {
  Json text = {{"type", "string"}};
  Json category = {{"type", "string"}, {"enum", {"memory", "async", "dtype", "compute", "parallel", "control"}}};
  bool ideas = stage == "ideas";
  Json properties = ideas ? Json{{"key", text}, {"category", category}, {"idea", text}}
                          : Json{{"settings", text}, {"directives", text}, {"cuda", text}, {"plan", text}};
  const char *list = ideas ? "ideas" : "materializations";
  Json required = Json::array();
  for (auto &entry : properties.items())
    required.push_back(entry.key());
  Json item = {{"type", "object"}, {"properties", properties}, {"required", required}, {"additionalProperties", false}};
  Json schema = {{"type", "object"},
                 {"properties", {{list, {{"type", "array"}, {"items", item}}}}},
                 {"required", Json::array({list})},
                 {"additionalProperties", false}};
  return schema.dump();
}

static std::string number(double value) {
  std::string text;
  raw_string_ostream(text) << format("%.4g", value);
  return text;
}

static std::string describe(const char *kind, const std::vector<graph::TensorFact> &tensors) {
  std::string text;
  for (size_t i = 0; i < tensors.size(); ++i) {
    text += (text.empty() ? "`" : ", `") + std::string(kind) + std::to_string(i) + "` " + tensors[i].dtype + "[";
    for (size_t d = 0; d < tensors[i].shape.size(); ++d)
      text += (d ? "," : "") + std::to_string(tensors[i].shape[d]);
    text += "]";
    if (const int input = tensors[i].updates; input >= 0)
      text += " (written in place of `in" + std::to_string(input) +
              "`: it holds that one when the kernels begin; no launch names `in" + std::to_string(input) + "`)";
  }
  return text;
}

/// One line for each branch, oldest first, so that the next question starts with the same bytes.
static std::string describeHistory(const std::vector<TriedBranch> &history) {
  // A long search says much; what came last and what was fastest matters.
  constexpr size_t maxBranches = 150, keptBest = 30;
  std::vector<bool> keep(history.size(), history.size() <= maxBranches);
  if (history.size() > maxBranches) {
    std::vector<size_t> order;
    for (size_t i = 0; i < history.size(); ++i) {
      keep[i] = i + maxBranches - keptBest >= history.size();
      if (history[i].timeUs > 0)
        order.push_back(i);
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return history[a].timeUs < history[b].timeUs; });
    for (size_t i = 0; i < order.size() && i < keptBest; ++i)
      keep[order[i]] = true;
  }
  std::string text;
  raw_string_ostream os(text);
  size_t leftOut = 0;
  for (size_t i = 0; i < history.size(); ++i) {
    const TriedBranch &tried = history[i];
    if (!keep[i]) {
      ++leftOut;
      continue;
    }
    os << "- " << tried.id << " from " << (tried.parent.empty() ? "nothing" : tried.parent) << " ("
       << ideas::categoryName(tried.idea.category) << "): " << StringRef(tried.idea.text).take_front(600);
    if (!tried.label.empty())
      os << " [" << StringRef(tried.label).take_front(200) << "]";
    os << " -> " << tried.verdict;
    if (tried.timeUs > 0)
      os << ", " << number(tried.timeUs) << " us";
    if (!tried.detail.empty())
      os << ": " << StringRef(tried.detail).take_front(400);
    if (!tried.diagnosis.empty())
      // The judgement: its machine code would drown the list.
      os << "; " << StringRef(tried.diagnosis).split(candidate::machineCodeMark).first;
    os << "\n";
  }
  if (leftOut > 0)
    os << "(" << leftOut << " older and slower ones are left out.)\n";
  return text;
}

static std::string describeLibrary(const std::vector<LibraryKernel> &library) {
  std::string text;
  for (const LibraryKernel &kernel : library) {
    text += "- " + kernel.about + ": " + kernel.idea + " (" + number(kernel.timeUs) + " us)\n\n";
    if (!kernel.directives.empty())
      text += "```mlir\n" + StringRef(kernel.directives).rtrim().str() + "\n```\n\n";
    else if (!kernel.cuda.empty())
      text += "```cuda\n" + StringRef(shortenCode(kernel.cuda, 8000)).rtrim().str() + "\n```\n\n";
  }
  return text;
}

std::string printUserPrompt(const ProposalContext &context, StringRef stage, const Idea *idea,
                            const FailedBranch *failed, int n) {
  std::map<std::string, std::string> values;
  const ParentSummary &parent = context.parent;
  values["network"] = context.network;
  values["name"] = context.facts.name;
  values["graph"] = StringRef(context.graph).trim().str();
  values["buffers"] = describe("in", context.facts.inputs) + ", " + describe("out", context.facts.outputs);
  values["device"] = context.device == "host"
                         ? "Device host: the kernel runs as C++ on one core of a CPU, one fibre for each thread of a "
                           "block, so plain work "
                           "counts and occupancy does not. It is written for " +
                               context.chip.arch + "."
                         : "A card of architecture " + context.chip.arch + ", " +
                               std::to_string(context.chip.multiprocessors) + " multiprocessors, " +
                               std::to_string(context.chip.sharedBytesPerBlock) +
                               " bytes of shared memory for one block at most.";
  values["precision"] = context.precision;
  values["work"] = number(context.facts.flops) + " FLOP, " + number(context.facts.compulsoryBytes) + " bytes at least" +
                   (context.floorUs > 0 ? "; the device's floor for this is " + number(context.floorUs) + " us." : ".");
  values["generic_us"] = number(context.genericUs);
  for (const auto &[mode, time] : context.baselines)
    values["baselines"] += "PyTorch (" + mode + ") takes " + number(time) + " us.\n";
  values["library"] = describeLibrary(context.knownKernels);
  values["history"] = describeHistory(context.history);
  values["parent"] = parent.id;
  values["parent_words"] = "It takes " + number(parent.timeUs) + " us." +
                           (parent.diagnosis.empty() ? "" : " Diagnosis: " + parent.diagnosis + ".");
  values["parent_directives"] = parent.directives;
  values["parent_cuda"] = shortenCode(parent.cuda, 24000);
  values["n"] = std::to_string(n);
  values["schema"] = printAnswerSchema(stage);
  if (idea) {
    values["category"] = ideas::categoryName(idea->category).str();
    values["idea"] = idea->text;
  }
  if (failed) {
    values["failed_id"] = failed->id;
    values["verdict"] = failed->verdict;
    values["detail"] = failed->detail;
    values["log"] = StringRef(failed->log).take_front(12000).str();
    values["failed_directives"] = failed->materialization.directives;
    values["failed_cuda"] = shortenCode(failed->materialization.cuda, 60000);
    values["failed_plan"] = failed->materialization.plan;
  }
  return fillPrompt(findPromptText("context.md"), values) + fillPrompt(findPromptText((stage + ".md").str()), values);
}

} // namespace kgen::propose
