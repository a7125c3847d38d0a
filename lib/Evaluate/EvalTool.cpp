//===- EvalTool.cpp - What kgen-eval does ---------------------------------===//
#include "kgen/Evaluate/EvalTool.h"

#include "kgen/Evaluate/Baselines.h"
#include "kgen/Evaluate/Recovery.h"
#include "kgen/Toolchain/Cache.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <iostream>

using namespace kgen;
namespace json = llvm::json;

/// The files that stand beside a candidate after it was measured.
static llvm::Error writeResults(const std::string &folder, const Evaluator &evaluator, const Measurement &measurement) {
  if (!evaluator.lastLog().empty())
    if (llvm::Error error = writeFileAtomically(folder + "/compile.log", evaluator.lastLog()))
      return error;
  if (!evaluator.lastPtx().empty())
    if (llvm::Error error = writeFileAtomically(folder + "/kernel.ptx", evaluator.lastPtx()))
      return error;
  return writeFileAtomically(folder + "/measurement.json", measurement.print());
}

static void printTable(const Measurement &m, llvm::raw_ostream &os) {
  // Rows without a value are left out, so that a REJECT is three lines.
  auto row = [&](const char *name, const std::string &value) {
    if (!value.empty())
      os << llvm::left_justify(name, 12) << value << '\n';
  };
  auto number = [](const char *format, double value) {
    char text[64];
    snprintf(text, sizeof text, format, value);
    return std::string(text);
  };
  row("verdict", verdictName(m.verdict).str());
  row("detail", m.detail);
  row("device", m.device);
  row("precision", m.precision);
  if (m.timeUs > 0) {
    auto [least, most] = std::minmax_element(m.samples.begin(), m.samples.end());
    row("time", number("%.2f us", m.timeUs) + number(" (%.0f samples,", double(m.samples.size())) +
                    number(" %.2f", *least) + number(" to %.2f)", *most));
  }
  if (m.floorUs > 0)
    row("floor",
        number("%.2f us", m.floorUs) + (m.timeUs > 0 ? number(", %.1f %% reached", 100 * m.floorUs / m.timeUs) : ""));
  for (auto &baseline : m.baselines)
    row(baseline.first.c_str(),
        number("%.2f us", baseline.second) +
            (m.timeUs > 0 ? number(", %.1f %% of its speed", 100 * baseline.second / m.timeUs) : ""));
  for (const InputError &error : m.errors)
    row("error", error.input + number(": %.2e", error.norms.l2) + number(" (max %.2e)", error.norms.max));
  if (m.tolerance.l2 > 0)
    row("tolerance", number("%.2e", m.tolerance.l2) + number(" (max %.2e)", m.tolerance.max));
  for (const KernelResources &k : m.kernels) {
    std::string facts = k.kernel;
    if (k.registers)
      facts += ": " + std::to_string(k.registers) + " registers, " + std::to_string(k.sharedBytes) + " B shared, " +
               std::to_string(k.spillBytes) + " B spilled" + number(", occupancy %.0f %%", 100 * k.occupancy) +
               (k.tensorCore ? ", tensor cores" : "");
    else if (k.sharedBytes)
      facts += ": " + std::to_string(k.sharedBytes) + " B shared";
    row("kernel", facts);
  }
  row("diagnosis", m.diagnosis);
}

int kgen::evaluateFolder(const EvalRequest &request) {
  auto fail = [](llvm::Error error) {
    llvm::errs() << "kgen-eval: " << llvm::toString(std::move(error)) << '\n';
    return 2;
  };
  auto files = readCandidate(request.folder, request.graph);
  if (!files)
    return fail(files.takeError());
  auto evaluator = Evaluator::create(request.device);
  if (!evaluator)
    return fail(evaluator.takeError());
  auto measurement = (*evaluator)->measure(*files, request.options);
  if (!measurement)
    return fail(measurement.takeError());
  // A missing PyTorch must not cost the measurement that is already there.
  if (request.baselines) {
    auto baselines = timeBaselines(request.problem, (*evaluator)->device());
    if (baselines)
      measurement->baselines = baselines->times;
    else
      llvm::errs() << "kgen-eval: no baselines: " << llvm::toString(baselines.takeError()) << '\n';
  }
  if (llvm::Error error = writeResults(request.folder, **evaluator, *measurement))
    return fail(std::move(error));
  if (request.json)
    llvm::outs() << measurement->print();
  else
    printTable(*measurement, llvm::outs());
  return measurement->passed() ? 0 : 1;
}

/// One job of --serve; the answer without its id.
static json::Object serveOne(Evaluator &evaluator, const json::Object &job, const EvaluateOptions &defaults) {
  auto failed = [](llvm::Error error) {
    bool lost = error.isA<DeviceLost>();
    json::Object answer{{"error", llvm::toString(std::move(error))}};
    if (lost)
      answer["lost"] = true;
    return answer;
  };
  if (auto problem = job.getString("baselines")) {
    auto baselines = timeBaselines(problem->str(), evaluator.device());
    if (!baselines)
      return failed(baselines.takeError());
    json::Object times, notes;
    for (auto &entry : baselines->times)
      times[entry.first] = entry.second;
    for (auto &entry : baselines->notes)
      notes[entry.first] = entry.second;
    return json::Object{
        {"baselines", std::move(times)}, {"notes", std::move(notes)}, {"versions", baselines->versions}};
  }
  std::string folder = job.getString("folder").value_or("").str();
  if (folder.empty())
    return json::Object{{"error", "the job names no folder"}};
  auto files = readCandidate(folder, job.getString("graph").value_or("").str());
  if (!files)
    return failed(files.takeError());
  // What the job leaves out is as on the command line.
  EvaluateOptions options = defaults;
  options.flops = job.getNumber("flops").value_or(defaults.flops);
  options.samples = int(job.getInteger("samples").value_or(defaults.samples));
  options.time = job.getBoolean("time").value_or(defaults.time);
  options.precision = job.getString("precision").value_or("").str();
  auto measurement = evaluator.measure(*files, options);
  if (!measurement)
    return failed(measurement.takeError());
  if (llvm::Error error = writeResults(folder, evaluator, *measurement))
    return failed(std::move(error));
  // Measurement prints for people, over several lines; the protocol has one line per answer.
  auto value = json::parse(measurement->print());
  if (!value)
    return failed(value.takeError());
  return json::Object{{"measurement", std::move(*value)}};
}

int kgen::serveEvaluations(const EvalRequest &request) {
  auto say = [](json::Object object) {
    llvm::outs() << json::Value(std::move(object)) << '\n';
    llvm::outs().flush();
  };
  auto evaluator = Evaluator::create(request.device);
  if (!evaluator) {
    say(json::Object{{"error", llvm::toString(evaluator.takeError())}});
    return 2;
  }
  json::Object ready{{"ready", true}, {"device", (*evaluator)->device()}};
  if (const CardFacts &card = (*evaluator)->card(); !card.name.empty()) {
    ready["model"] = card.name;
    ready["arch"] = card.arch;
    ready["shared_bytes_per_block"] = card.sharedBytesPerBlock;
    ready["multiprocessors"] = card.multiprocessors;
  }
  say(std::move(ready));
  std::string line;
  while (std::getline(std::cin, line)) {
    if (llvm::StringRef(line).trim().empty())
      continue;
    auto job = json::parse(line);
    if (!job || !job->getAsObject()) {
      if (!job)
        llvm::consumeError(job.takeError());
      say(json::Object{{"error", "the job is not a JSON object"}});
      continue;
    }
    json::Object answer = serveOne(**evaluator, *job->getAsObject(), request.options);
    if (const json::Value *id = job->getAsObject()->get("id"))
      answer["id"] = *id;
    say(std::move(answer));
  }
  return 0;
}
