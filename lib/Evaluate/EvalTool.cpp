//===- EvalTool.cpp - What kgen-eval does ---------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Evaluate/EvalTool.h"

#include "EvaluatorDigest.h"
#include "kgen/Candidate/UntrustedText.h"
#include "kgen/Evaluate/Baselines.h"
#include "kgen/Evaluate/Recovery.h"
#include "kgen/Toolchain/Cache.h"
#include "kgen/Toolchain/TimeTrace.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cmath>
#include <iostream>
#include <unistd.h>

using namespace kgen;
using namespace kgen::evaluate;
namespace json = llvm::json;

/// The run that FOLDER is a branch of, also by a link as RUN/best; empty: none.
static std::string findRunOf(llvm::StringRef folder) {
  llvm::SmallString<256> path;
  if (llvm::sys::fs::real_path(folder, path))
    return "";
  // RUN/round-03/b07
  llvm::StringRef run = llvm::sys::path::parent_path(llvm::sys::path::parent_path(path));
  return llvm::sys::fs::exists(run + "/journal.jsonl") && llvm::sys::fs::exists(run + "/run.json") ? run.str() : "";
}

/// Where the results of REQUEST go; empty: nowhere.
static llvm::Expected<std::string> chooseResultFolder(const EvalRequest &request) {
  std::string run = findRunOf(request.folder);
  if (request.out.empty() && run.empty())
    return request.folder;
  if (request.out.empty()) {
    llvm::errs() << "kgen-eval: note: " << candidate::printable(request.folder) << " belongs to the run "
                 << candidate::printable(run)
                 << ", whose journal holds its measurement: nothing is written; --out FOLDER keeps this one\n";
    return std::string();
  }
  if (std::error_code code = llvm::sys::fs::create_directories(request.out))
    return llvm::createStringError("cannot create folder " + request.out + ": " + code.message());
  if (std::string other = findRunOf(request.out); !other.empty())
    return llvm::createStringError("--out " + request.out + " belongs to the run " + other +
                                   ", whose journal holds what was measured; name another folder");
  return request.out;
}

/// The files that stand beside a candidate after it was measured.
static llvm::Error writeResults(const std::string &folder, const Evaluator &evaluator,
                                const candidate::Measurement &measurement) {
  if (!evaluator.lastLog().empty())
    if (llvm::Error error =
            toolchain::writeFileAtomically(folder + "/compile.log", candidate::printable(evaluator.lastLog())))
      return error;
  if (!evaluator.lastPtx().empty())
    if (llvm::Error error = toolchain::writeFileAtomically(folder + "/kernel.ptx", evaluator.lastPtx()))
      return error;
  return toolchain::writeFileAtomically(folder + "/measurement.json", measurement.print());
}

static void printTable(const candidate::Measurement &m, llvm::raw_ostream &os) {
  // Rows without a value are left out, so that a REJECT is three lines.
  auto row = [&](const char *name, const std::string &value) {
    if (!value.empty())
      os << llvm::left_justify(name, 12) << candidate::printable(value) << '\n';
  };
  auto number = [](const char *format, double value) {
    char text[64];
    snprintf(text, sizeof text, format, value);
    return std::string(text);
  };
  row("verdict", candidate::verdictName(m.verdict).str());
  row("detail", m.shownDetail());
  row("device", m.device);
  row("precision", m.precision);
  if (m.rules != "kgen")
    row("rules", m.rules);
  for (const std::string &warning : m.warnings)
    row("warning", warning);
  if (m.timeUs > 0) {
    auto [least, most] = std::minmax_element(m.samples.begin(), m.samples.end());
    row("time", number("%.2f us", m.timeUs) + number(" (%.0f samples,", double(m.samples.size())) +
                    number(" %.2f", *least) + number(" to %.2f", *most) +
                    (std::isfinite(m.spread) ? number(", median to %.2g %%)", 100 * m.spread) : ")"));
  }
  if (m.floorUs > 0)
    row("floor",
        number("%.2f us", m.floorUs) + (m.timeUs > 0 ? number(", %.1f %% reached", 100 * m.floorUs / m.timeUs) : ""));
  for (auto &baseline : m.baselines)
    row(baseline.first.c_str(),
        number("%.2f us", baseline.second) +
            (m.timeUs > 0 ? number(", %.1f %% of its speed", 100 * baseline.second / m.timeUs) : ""));
  for (const candidate::InputError &error : m.errors)
    row("error", error.input + number(": %.2e", error.norms.l2) + number(" (max %.2e)", error.norms.max));
  if (m.tolerance.l2 > 0)
    row("tolerance", number("%.2e", m.tolerance.l2) + number(" (max %.2e)", m.tolerance.max));
  for (const candidate::KernelResources &k : m.kernels) {
    std::string facts = k.kernel;
    if (k.registers)
      facts += ": " + std::to_string(k.registers) + " registers, " + std::to_string(k.sharedBytes) + " B shared, " +
               std::to_string(k.spillBytes) + " B spilled" + number(", occupancy %.0f %%", 100 * k.occupancy) +
               (k.tensorCore ? ", tensor cores" : "");
    else if (k.sharedBytes)
      facts += ": " + std::to_string(k.sharedBytes) + " B shared";
    row("kernel", facts);
  }
  if (m.before.clockMHz > 0)
    row("card", number("%.0f MHz,", m.after.clockMHz) + number(" %.0f W,", m.after.powerWatts) +
                    number(" %.0f C", m.after.temperature));
  if (m.speed)
    row("speed", candidate::describeSpeed(*m.speed));
  row("sanitizer", m.sanitizer);
  row("diagnosis", m.diagnosis);
}

int kgen::evaluate::evaluateFolder(const EvalRequest &request) {
  auto fail = [](llvm::Error error) {
    llvm::errs() << "kgen-eval: " << candidate::printable(llvm::toString(std::move(error))) << '\n';
    return 2;
  };
  auto files = readCandidate(request.folder, request.graph);
  if (!files)
    return fail(files.takeError());
  auto results = chooseResultFolder(request);
  if (!results)
    return fail(results.takeError());
  auto evaluator = Evaluator::create(request.device);
  if (!evaluator)
    return fail(evaluator.takeError());
  if (uint64_t seed; !request.seed.empty()) {
    if (llvm::StringRef(request.seed).getAsInteger(16, seed))
      return fail(
          llvm::createStringError("--seed is '%s', expected a hexadecimal number of 64 bits", request.seed.c_str()));
    (*evaluator)->redraw(seed);
  }
  auto measurement = (*evaluator)->measure(*files, request.options);
  if (!measurement)
    return fail(measurement.takeError());
  if (request.sanitize && measurement->passed())
    if (llvm::Error error = (*evaluator)->sanitize(*files, request.options, *measurement))
      return fail(std::move(error));
  if (request.profile && measurement->passed())
    if (llvm::Error error = (*evaluator)->profile(*files, request.options, *measurement))
      return fail(std::move(error));
  if (!request.seed.empty())
    measurement->warnings.push_back("the seed of the inputs was given: they were no secret");
  // The seed was secret until here, and serves no other candidate.
  measurement->inputs = (*evaluator)->seedText();
  // A missing PyTorch must not cost the measurement that is already there.
  if (request.baselines) {
    auto baselines = timeBaselines(request.problem, (*evaluator)->device());
    if (baselines)
      measurement->baselines = baselines->times;
    else
      llvm::errs() << "kgen-eval: no baselines: " << llvm::toString(baselines.takeError()) << '\n';
  }
  if (!results->empty())
    if (llvm::Error error = writeResults(*results, **evaluator, *measurement))
      return fail(std::move(error));
  if (request.json)
    llvm::outs() << measurement->print();
  else
    printTable(*measurement, llvm::outs());
  return measurement->passed() ? 0 : 1;
}

int kgen::evaluate::compareFolders(const EvalRequest &request, const std::string &baseline, const CompareOptions &how) {
  auto fail = [](llvm::Error error) {
    llvm::errs() << "kgen-eval: " << candidate::printable(llvm::toString(std::move(error))) << '\n';
    return 2;
  };
  auto candidate = readCandidate(request.folder, request.graph), other = readCandidate(baseline, request.graph);
  if (!candidate || !other) {
    if (!candidate && !other)
      llvm::consumeError(other.takeError());
    return fail(candidate ? other.takeError() : candidate.takeError());
  }
  auto evaluator = Evaluator::create(request.device);
  if (!evaluator)
    return fail(evaluator.takeError());
  auto result = compareCandidates(**evaluator, *candidate, *other, request.options, how);
  if (!result)
    return fail(result.takeError());
  const candidate::Measurement *both[] = {&result->candidate, &result->baseline};
  for (int i = 0; i < 2; ++i)
    if (!both[i]->passed() || result->comparisons.empty()) {
      if (both[i]->passed())
        continue;
      llvm::outs() << (i ? "baseline    " : "candidate   ") << candidate::verdictName(both[i]->verdict) << ": "
                   << both[i]->detail << '\n';
      return 1;
    }
  std::map<candidate::Speed, int> counts;
  std::vector<double> ratios;
  for (const candidate::SpeedComparison &comparison : result->comparisons) {
    ++counts[comparison.verdict];
    ratios.push_back(comparison.ratio);
  }
  if (result->comparisons.size() == 1) {
    llvm::outs() << "speed       " << candidate::describeSpeed(result->comparisons[0]) << '\n';
    return 0;
  }
  std::sort(ratios.begin(), ratios.end());
  char text[160];
  snprintf(text, sizeof text, "%zu comparisons of %.1f us against %.1f us, ratio %.4f (%.4f to %.4f)\n", ratios.size(),
           result->comparisons[0].candidateUs, result->comparisons[0].baselineUs, candidate::median(ratios),
           ratios.front(), ratios.back());
  llvm::outs() << text;
  for (candidate::Speed speed : {candidate::Speed::Fast, candidate::Speed::Same, candidate::Speed::Slow,
                                 candidate::Speed::Ambiguous, candidate::Speed::Invalid}) {
    snprintf(text, sizeof text, "%-10s%5d  %5.1f %%\n", candidate::speedName(speed).str().c_str(), counts[speed],
             100.0 * counts[speed] / double(ratios.size()));
    llvm::outs() << text;
  }
  return 0;
}

/// Whether US is so far below INCUMBENT that nobody need time the two in turns, which takes seconds: beside round 0's
/// kernel, as a rule.
static bool isBeyondDoubt(double us, double incumbent) { return us < incumbent / 4; }

/// The candidate that JOB has in FOLDERKEY, or as text in TEXTSKEY: then it comes from a machine whose files are not
/// here, and its graph is GRAPH, which came with this job or one before it.
static llvm::Expected<CandidateFiles> readJobsCandidate(const json::Object &job, llvm::StringRef folderKey,
                                                        llvm::StringRef textsKey, const std::string &graph) {
  const json::Object *texts = job.getObject(textsKey);
  if (!texts) {
    std::string folder = job.getString(folderKey).value_or("").str();
    if (folder.empty())
      return llvm::createStringError("the job names no folder");
    return readCandidate(folder, job.getString("graph").value_or("").str());
  }
  auto plan = texts->getString("plan");
  const json::Array *modules = texts->getArray("modules"); // a network's
  auto cuda = modules ? std::optional<llvm::StringRef>("") : texts->getString("cuda");
  if (!plan || !cuda || graph.empty())
    return llvm::createStringError("the job's texts lack plan, cuda or the graph");
  CandidateFiles files{plan->str(), cuda->str(), graph};
  for (const json::Value &module : modules ? *modules : json::Array()) {
    auto text = module.getAsString();
    if (!text)
      return llvm::createStringError("the job's texts have a module that is no text");
    files.modules.push_back(text->str());
  }
  files.tasks = texts->getString("tasks").value_or("").str();
  return files;
}

/// What MEASUREMENT's own time says beside an incumbent's of BEFORE, which was taken some time ago.
static candidate::SpeedComparison compareFromAfar(const candidate::Measurement &measurement, double before) {
  constexpr double doubt = 0.02; // by so much the times of one kernel differ in a search
  candidate::SpeedComparison speed;
  speed.candidateUs = measurement.timeUs;
  speed.baselineUs = before;
  speed.ratio = before / measurement.timeUs;
  speed.low = speed.ratio * (1 - doubt);
  speed.high = speed.ratio * (1 + doubt);
  speed.verdict = speed.low > 1    ? candidate::Speed::Fast
                  : speed.high < 1 ? candidate::Speed::Slow
                                   : candidate::Speed::Ambiguous;
  return speed;
}

/// Times FILES in turns with JOB's incumbent, both of which passed before. MEASUREMENT has what came of it: its
/// verdict, where it did not pass this time.
static llvm::Error compareWithIncumbent(Evaluator &evaluator, const CandidateFiles &files, const json::Object &job,
                                        const std::string &graph, const EvaluateOptions &options,
                                        candidate::Measurement &measurement) {
  auto other = readJobsCandidate(job, "incumbent", "incumbent_texts", graph);
  if (!other)
    return other.takeError();
  CompareOptions how;
  how.passedBefore = true;
  Phase comparing(measurement, "comparison");
  auto result = compareCandidates(evaluator, files, *other, options, how);
  comparing.end();
  if (!result) {
    llvm::Error error = result.takeError();
    const double before = job.getNumber("incumbent_us").value_or(0);
    if (!isOutOfMemory(error) || before <= 0 || measurement.timeUs <= 0)
      return error;
    llvm::consumeError(std::move(error));
    measurement.warnings.push_back(
        "the card has no room for it beside the best one so far: each one's own time counts");
    measurement.speed = compareFromAfar(measurement, before);
    measurement.speed->baseline = job.getString("incumbent_id").value_or("").str();
    return llvm::Error::success();
  }
  if (!result->candidate.passed()) {
    measurement.verdict = result->candidate.verdict;
    measurement.detail = result->candidate.detail;
    return llvm::Error::success();
  }
  candidate::SpeedComparison speed;
  speed.verdict = candidate::Speed::Invalid; // the incumbent did not get through this time
  if (!result->comparisons.empty())
    speed = result->comparisons[0];
  speed.baseline = job.getString("incumbent_id").value_or("").str();
  measurement.speed = speed;
  return llvm::Error::success();
}

/// What a candidate has to pass beyond its own measurement before it counts as the best of its search.
static llvm::Error promote(Evaluator &evaluator, const CandidateFiles &files, const json::Object &job,
                           const std::string &graph, const EvaluateOptions &options,
                           candidate::Measurement &measurement) {
  auto incumbent = job.getString("incumbent");
  if (!incumbent || !measurement.passed())
    return llvm::Error::success();
  const double before = job.getNumber("incumbent_us").value_or(0);
  if (!incumbent->empty() && measurement.timeUs >= before)
    return llvm::Error::success();
  if (!incumbent->empty() && !isBeyondDoubt(measurement.timeUs, before)) {
    if (llvm::Error error = compareWithIncumbent(evaluator, files, job, graph, options, measurement))
      return error;
    if (!measurement.passed() || measurement.speed->low <= 1)
      return llvm::Error::success();
  }
  if (job.getBoolean("sanitize_best").value_or(true)) {
    Phase checking(measurement, "sanitizer");
    if (llvm::Error error = evaluator.sanitize(files, options, measurement))
      return error;
  }
  if (measurement.passed() && job.getBoolean("profile").value_or(false)) {
    auto alone = evaluator.cardGate().alone();
    Phase profiling(measurement, "profile");
    return evaluator.profile(files, options, measurement);
  }
  return llvm::Error::success();
}

/// Has the answers of the problems in LIST ready before somebody asks; RULES as in a job.
static json::Object learn(Evaluator &evaluator, const json::Array &list, judge::Rules rules) {
  std::vector<CandidateFiles> problems;
  for (const json::Value &value : list) {
    const json::Object *one = value.getAsObject();
    auto files = readCandidate(one ? one->getString("folder").value_or("").str() : "",
                               one ? one->getString("graph").value_or("").str() : "");
    if (files) {
      files->brief = one && one->getBoolean("brief").value_or(false);
      files->later = one && one->getBoolean("later").value_or(false);
      problems.push_back(std::move(*files));
    } else {
      llvm::consumeError(files.takeError()); // measuring it says what is wrong
    }
  }
  evaluator.learn(problems, rules);
  return json::Object{{"learnt", true}};
}

/// What ONLY says of a candidate that passed elsewhere: "compare" it with JOB's incumbent, or "sanitize".
static llvm::Expected<candidate::Measurement> lookAgain(Evaluator &evaluator, llvm::StringRef only,
                                                        const CandidateFiles &files, const json::Object &job,
                                                        const std::string &graph, const EvaluateOptions &options) {
  candidate::Measurement measurement;
  measurement.verdict = candidate::Verdict::Pass;
  measurement.device = evaluator.device() + (evaluator.card().name.empty() ? "" : " " + evaluator.card().name);
  measurement.precision = options.precision;
  measurement.rules = judge::rulesName(options.rules).str();
  if (only == "compare") {
    if (llvm::Error error = compareWithIncumbent(evaluator, files, job, graph, options, measurement))
      return std::move(error);
  } else if (only == "sanitize") {
    Phase checking(measurement, "sanitizer");
    if (llvm::Error error = evaluator.sanitize(files, options, measurement))
      return std::move(error);
  } else {
    return llvm::createStringError("the job asks only for '" + only + "', expected compare or sanitize");
  }
  return measurement;
}

/// One job of --serve; the answer without its id. GRAPH is the last one that came as text.
static json::Object serveOne(Evaluator &evaluator, const json::Object &job, const EvaluateOptions &defaults,
                             std::string &graph) {
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
  if (job.getBoolean("make_room").value_or(false)) {
    evaluator.forget();
    return json::Object{{"room", true}};
  }
  judge::Rules rules = defaults.rules;
  if (auto name = job.getString("rules")) {
    auto parsed = judge::parseRules(*name);
    if (!parsed)
      return json::Object{{"error", "unknown rules " + name->str()}};
    rules = *parsed;
  }
  if (const json::Array *list = job.getArray("learn"))
    return learn(evaluator, *list, rules);
  if (auto text = job.getString("graph_text"))
    graph = text->str();
  auto files = readJobsCandidate(job, "folder", "texts", graph);
  if (!files)
    return failed(files.takeError());
  if (job.getBoolean("redraw").value_or(false))
    evaluator.redraw();
  // What the job leaves out is as on the command line.
  EvaluateOptions options = defaults;
  options.flops = job.getNumber("flops").value_or(defaults.flops);
  options.samples = int(job.getInteger("samples").value_or(defaults.samples));
  options.time = job.getBoolean("time").value_or(defaults.time);
  options.precision = job.getString("precision").value_or("").str();
  options.runSeconds = job.getNumber("time_limit").value_or(defaults.runSeconds);
  options.compileSeconds = job.getNumber("compile_limit").value_or(defaults.compileSeconds);
  options.checkSeconds = job.getNumber("check_seconds").value_or(defaults.checkSeconds);
  options.knownUs = job.getNumber("known_us").value_or(0);
  options.rules = rules;
  options.rivalUs = job.getNumber("rival_us").value_or(0);
  options.timingSeconds = job.getNumber("timing_seconds").value_or(defaults.timingSeconds);
  files->brief = job.getBoolean("brief").value_or(false);
  if (files->brief) {
    options.samples = options.mostSamples = options.repeats = 1;
    options.timingSeconds = 0.1;
  }
  auto only = job.getString("only");
  auto measurement =
      only ? lookAgain(evaluator, *only, *files, job, graph, options) : evaluator.measure(*files, options);
  if (!measurement)
    return failed(measurement.takeError());
  if (!only)
    if (llvm::Error error = promote(evaluator, *files, job, graph, options, *measurement))
      return failed(std::move(error));
  if (job.getBoolean("sanitize").value_or(false))
    if (llvm::Error error = evaluator.sanitize(*files, options, *measurement))
      return failed(std::move(error));
  const bool travelled = job.getObject("texts");
  if (!travelled && !only && job.getBoolean("results").value_or(true))
    if (llvm::Error error = writeResults(job.getString("folder")->str(), evaluator, *measurement))
      return failed(std::move(error));
  // Measurement prints for people, over several lines; the protocol has one line per answer.
  auto value = json::parse(measurement->print());
  if (!value)
    return failed(value.takeError());
  json::Object answer{{"measurement", std::move(*value)}};
  if (travelled && !evaluator.lastLog().empty())
    answer["compile_log"] = json::fixUTF8(candidate::printable(evaluator.lastLog()));
  if (travelled && !evaluator.lastPtx().empty())
    answer["ptx"] = json::fixUTF8(evaluator.lastPtx());
  return answer;
}

static std::string machineName() {
  // Several nodes of a cluster may be one machine.
  if (const char *node = getenv("SLURMD_NODENAME"))
    return json::fixUTF8(node);
  char name[256] = "";
  return gethostname(name, sizeof name - 1) == 0 ? json::fixUTF8(name) : "";
}

int kgen::evaluate::serveEvaluations(const EvalRequest &request) {
  toolchain::TimeTrace trace("kgen-eval");
  auto say = [](json::Object object) {
    llvm::outs() << json::Value(std::move(object)) << '\n';
    llvm::outs().flush();
  };
  auto evaluator = Evaluator::create(request.device, request.gate, request.sharers);
  if (!evaluator) {
    say(json::Object{{"error", llvm::toString(evaluator.takeError())}});
    return 2;
  }
  json::Object ready{{"ready", true},
                     {"device", (*evaluator)->device()},
                     {"compiler", (*evaluator)->compiler()->version()},
                     {"machine", machineName()},
                     {"version", evaluatorDigest}};
  if (const device::CardFacts &card = (*evaluator)->card(); !card.name.empty()) {
    ready["model"] = card.name;
    ready["arch"] = card.arch;
    ready["shared_bytes_per_block"] = card.sharedBytesPerBlock;
    ready["multiprocessors"] = card.multiprocessors;
    ready["memory_bytes"] = card.memoryBytes;
  }
  say(std::move(ready));
  std::string line, graph;
  bool revealed = false;
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
    const json::Object &asked = *job->getAsObject();
    json::Object answer;
    if (asked.getBoolean("reveal").value_or(false)) {
      revealed = true;
      answer["seed"] = (*evaluator)->seedText();
    } else if (revealed) {
      answer["error"] = "the seed of the inputs was told: nothing can be measured with it any more";
    } else {
      answer = serveOne(**evaluator, asked, request.options, graph);
    }
    if (const json::Value *id = asked.get("id"))
      answer["id"] = *id;
    say(std::move(answer));
    // Whoever asked may not wait until gigabytes are given back.
    trace.save(revealed);
  }
  return 0;
}
