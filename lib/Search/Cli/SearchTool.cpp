//===- SearchTool.cpp - kgen-search's commands ----------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kgen/Search/SearchTool.h"
#include "../Network/NetworkSearch.h"
#include "RunSetup.h"
#include "kgen/Candidate/UntrustedText.h"
#include "kgen/Report/HtmlReport.h"
#include "kgen/Report/RunReport.h"
#include "kgen/Search/GuardedCompiler.h"
#include "kgen/Search/OpenEvaluators.h"
#include "kgen/Search/ProblemSource.h"
#include "kgen/Support/Floor.h"
#include "kgen/Toolchain/Jail.h"
#include "kgen/Trajectory/Replay.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace kgen::search {
namespace {

class Tool {
public:
  Tool(const SearchCommand &command, const SearchToolWorld &world) : command(command), world(world) {}

  Expected<int> execute() {
    switch (command.kind) {
    case SearchCommand::Help:
      return deliver(command.format == "md" ? printSearchReference()
                                            : printSearchHelp(command.about, world.live ? world.columns : 80),
                     "the reference");
    case SearchCommand::Version:
      world.out << "kgen-search " KGEN_VERSION ", code generator "
                << StringRef(world.compiler.getGenerator()).take_front(12) << "\n";
      return 0;
    case SearchCommand::Doctor:
      return runDoctor(command, world);
    case SearchCommand::Problems:
      return listAll();
    case SearchCommand::Report:
      return report();
    case SearchCommand::Prompt:
      return printPrompts(command, world);
    case SearchCommand::Replay:
      return replay();
    case SearchCommand::Resume:
      return resume();
    case SearchCommand::Add:
      return addToRun(command, world);
    case SearchCommand::Export:
      return exportRuns(command, world);
    case SearchCommand::Compare:
      return compareRuns(command, world);
    case SearchCommand::ComparePolicies:
      return comparePolicies(command, world);
    case SearchCommand::Ideas:
      return listIdeas(command, world);
    case SearchCommand::Prior:
      return rankPrior(command, world);
    case SearchCommand::First:
      return makeFirstKernels(command, world);
    case SearchCommand::Search:
      return search();
    }
    return 1;
  }

private:
  Expected<int> search();
  Expected<int> resume();
  Expected<int> replay();
  Expected<int> report();
  Expected<int> listAll();
  Expected<int> deliver(const std::string &text, StringRef what);
  Expected<int> go(trajectory::RunFolder &run, const SearchConfig &config, CandidateEvaluator &evaluator);
  Expected<SearchConfig> configure(const DeviceFacts &device, bool severalEvaluators, std::string &graph);
  void narrowForTasks(SearchConfig &config) const;
  std::string shareCardForTasks(const SearchConfig &config, const CandidateEvaluator &evaluator, double bytes) const;
  Error checkConfinement(StringRef source, const DeviceFacts &device) const;
  std::string chooseFolder(StringRef problem);

  const SearchCommand &command;
  const SearchToolWorld &world;
};

/// The first of runs/NAME, runs/NAME-2, ... that is free.
std::string Tool::chooseFolder(StringRef problem) {
  if (!command.out.empty())
    return command.out;
  std::string base = ("runs/" + problem).str(), folder = base;
  for (int n = 2; world.fs.exists(folder + "/run.json") || isNetworkRun(world.fs, folder); ++n)
    folder = base + "-" + std::to_string(n);
  return folder;
}

/// Settles every choice that the command leaves open; GRAPH becomes the canonical level 1 text.
Expected<SearchConfig> Tool::configure(const DeviceFacts &device, bool severalEvaluators, std::string &graph) {
  SearchConfig config;
  bool host = device.isHost();
  config.source = command.problem;
  config.size = !command.size.empty() ? command.size : host ? "small" : "full";
  SourceFolders folders = findSourceFolders(world.fs, world.programFolder);
  auto text = readProblem(world.fs, folders, command.problem, world.programFolder);
  if (!text)
    return text.takeError();
  auto named = [&](Error error) {
    // The compiler knows the text as graph.mlir; the user knows its file.
    std::string message = toString(std::move(error));
    StringRef place = message;
    if (place.consume_front("graph.mlir:"))
      return createStringError(Twine(command.problem) + ":" + place);
    return createStringError(Twine(command.problem) + ": " + message);
  };
  auto canonical = world.compiler.canonicalize(*text, config.size == "small");
  if (!canonical)
    return named(canonical.takeError());
  if (!command.precision.empty()) {
    canonical = world.compiler.canonicalize(withPrecision(*canonical, command.precision), /*small=*/false);
    if (!canonical)
      return named(canonical.takeError());
  }
  graph = std::move(*canonical);
  auto facts = world.compiler.facts(graph);
  if (!facts)
    return named(facts.takeError());
  config.problem = facts->name;
  // It names the run's folder.
  if (config.problem.empty() || config.problem[0] == '.' || config.problem.size() > 128 ||
      !llvm::all_of(config.problem, [](char c) { return isAlnum(c) || c == '_' || c == '-' || c == '.'; }))
    return createStringError(Twine(command.problem) + ": the graph's name is '" +
                             StringRef(config.problem).take_front(80) +
                             "', expected letters, digits, '_', '-' and '.'");
  // The published size only: a small one would be timed against other shapes.
  std::string form = StringRef(command.problem).ends_with(".py")
                         ? command.problem
                         : folders.frontend + "/problems/" + command.problem + ".py";
  if (config.size == "full" && world.fs.exists(form))
    config.pytorch = form;
  config.precision = command.precision.empty() ? facts->precision : command.precision;
  config.rules = command.rules;
  config.device = device.name;
  if (severalEvaluators)
    config.devices = command.device;
  config.launchers = command.launchers;
  config.deviceModel = device.model;
  config.isolation = device.isolation;
  config.chip = device.chip;
  config.policy = command.policy;
  config.llm = command.llm;
  config.kernelLibrary = command.kernelLibrary == "none" ? "" : command.kernelLibrary;
  if (command.kernelLibrary.empty() && !world.kernelLibraryPath.empty() && world.kernelLibraryPath != "none")
    config.kernelLibrary = defaultLibrary.str();
  config.llmOptions = command.proposer;
  config.seed = command.seed;
  config.compileJobs = command.jobs;
  config.options.rounds = command.rounds.value_or(host ? 3 : 5);
  config.options.seeds = command.seeds.value_or(host ? 3 : 4);
  config.options.ideas = command.ideas.value_or(host ? 5 : 6);
  config.options.variants = command.variants.value_or(3);
  config.maxMinutes = command.maxMinutes.value_or(host ? 4 : 30);
  config.tune = command.tune.value_or(host ? 0 : 4);
  config.maxBranches = command.branches.value_or(0);
  config.maxTokens = command.maxTokens.value_or(0);
  config.maxDollars = command.maxDollars.value_or(0);
  config.profile = command.profile;
  config.stopAtFloor = command.stopAtFloor;
  if (Error error = choosePrices(command, world, config))
    return std::move(error);
  // With a budget in branches the rounds follow from it; some answers are short, so there may be more.
  if (command.branches && !command.rounds)
    config.options.rounds = config.maxBranches;
  return config;
}

/// Rounds of a network's tasks: so many tasks wait for theirs that a round is a handful of candidates, the most
/// promising first, and there may be more of them. The first is one idea in its two most promising ways: of what round
/// 0 takes longer than the best kernels of a whole round that leaves a twentieth (docs/networks.md). On the host a
/// candidate is cheaper than what surrounds it.
void Tool::narrowForTasks(SearchConfig &config) const {
  if (config.device == "host")
    return;
  config.options.rounds = command.rounds.value_or(12);
  config.options.seeds = command.seeds.value_or(1);
  config.options.ideas = command.ideas.value_or(3);
  config.options.variants = command.variants.value_or(2);
  config.options.opening = command.ideas ? 0 : 1;
  config.tune = command.tune.value_or(2);
}

/// Several evaluators of the one card that is asked for, where there are cores and memory for them: while one task is
/// timed the right answers and the candidates of others are made ready. Empty: what there is stays.
std::string Tool::shareCardForTasks(const SearchConfig &config, const CandidateEvaluator &evaluator,
                                    double bytes) const {
  const int sharers = countSharers(config.compileJobs, evaluator.getDevice().memoryBytes, bytes);
  const bool isPlain = !StringRef(command.device).contains('*') && command.launchers.empty();
  if (config.device == "host" || !isPlain || evaluator.getWidth() > 1 || sharers < 2)
    return "";
  return config.device + "*" + std::to_string(sharers);
}

/// Text that a model wrote is not compiled where the compiler could read the user's files, unless the user says so.
Error Tool::checkConfinement(StringRef source, const DeviceFacts &device) const {
  if (source == "builtin" || device.confinesFiles || command.allowUnconfinedCompile)
    return Error::success();
  return createStringError(
      toolchain::explainUnconfinedCompile((source + " brings text that kgen did not write").str()));
}

Expected<int> Tool::search() {
  // Whatever can be wrong with the request is said before a folder exists.
  auto proposer = propose::createProposer(command.llm, command.proposer);
  if (!proposer)
    return proposer.takeError();
  auto evaluator = world.openDevice({command.device, command.launchers});
  if (!evaluator)
    return evaluator.takeError();
  if (Error error = checkConfinement(command.llm, (*evaluator)->getDevice()))
    return std::move(error);
  std::string graph;
  auto config = configure((*evaluator)->getDevice(),
                          (*evaluator)->getWidth() > 1 || !command.launchers.empty() || command.device == "all", graph);
  if (!config)
    return config.takeError();
  auto given = readGiven(command, world, command.llm);
  if (!given)
    return given.takeError();
  auto partition = partitionForSearch(command, world, graph);
  if (!partition)
    return partition.takeError();
  auto facts = world.compiler.facts(graph);
  if (!facts)
    return facts.takeError();
  if (*partition) {
    if (const std::string devices = shareCardForTasks(*config, **evaluator, facts->compulsoryBytes); !devices.empty()) {
      evaluator->reset();
      evaluator = world.openDevice(devices);
      if (!evaluator)
        return evaluator.takeError();
      config->devices = devices;
    }
    narrowForTasks(*config);
    config->cut = command.cut == "auto"    ? chooseCut(world.compiler, graph, *config)
                  : command.cut == "given" ? ""
                                           : command.cut;
    rememberOwnRun(world, *config);
    return searchNetwork(command, world, *config, graph, std::move(**partition), **evaluator,
                         chooseFolder(config->problem));
  }
  // A thread for each output does 3e12 operations of a product in a second, a tile 2e13 (an H200): round 0 runs some
  // thirty times before anything else is measured.
  constexpr double manyFlops = 2e10;
  if (config->device != "host" && facts->flops >= manyFlops) {
    auto tiled = world.compiler.canonicalize(withTiledProducts(graph), /*small=*/false);
    if (!tiled)
      return tiled.takeError();
    graph = std::move(*tiled);
  }
  auto run =
      trajectory::RunFolder::create(world.fs, world.clock, chooseFolder(config->problem), config->toJson(), graph);
  if (!run)
    return run.takeError();
  rememberOwnRun(world, *config);
  if (Error error = dropAll(*given, (*run)->getPath(), world))
    return std::move(error);
  return go(**run, *config, **evaluator);
}

Expected<int> Tool::resume() {
  const bool network = isNetworkRun(world.fs, command.run);
  auto run = trajectory::RunFolder::open(world.fs, world.clock, network ? networkFolder(command.run) : command.run);
  if (!run)
    return run.takeError();
  if (Error error = (*run)->verifyFiles())
    return std::move(error);
  if ((*run)->wasTorn())
    world.out << "the journal ended in half a record, which a crash left: it was cut\n";
  auto config = SearchConfig::fromJson((*run)->getConfig());
  if (!config)
    return config.takeError();
  std::optional<trajectory::StopReason> ended = (*run)->getStopReason();
  if (ended && trajectory::isComplete(*ended) && world.fs.list(command.run + "/inbox").empty()) {
    auto text = network ? printNetworkReport(command, world)
                        : Expected<std::string>(report::printReportText(report::summarizeRun(**run), world.columns));
    if (!text)
      return text.takeError();
    world.out << command.run << " is complete\n" << candidate::printable(*text);
    return 0;
  }
  if (Error error = checkReach(command, world, **run, *config))
    return std::move(error);
  if (Error error = raiseLimits(command, **run, *config))
    return std::move(error);
  auto evaluator = world.openDevice(requestToResume(command, *config));
  if (!evaluator)
    return evaluator.takeError();
  DeviceFacts device = (*evaluator)->getDevice();
  if (Error error = checkConfinement(config->llm, device))
    return std::move(error);
  if (device.model != config->deviceModel)
    return createStringError(command.run + " was measured on " + config->device + " " + config->deviceModel +
                             ", this machine has " + device.model + ": its times cannot be compared");
  return network ? resumeNetwork(command, world, *config, **evaluator, **run) : go(**run, *config, **evaluator);
}

Expected<int> Tool::go(trajectory::RunFolder &run, const SearchConfig &config, CandidateEvaluator &evaluator) {
  propose::ProposerOptions options = config.llmOptions;
  report::TableOptions table{world.live, world.colour, world.columns};
  if (config.maxMinutes > 0)
    table.secondsLeft = std::max(1.0, 60 * config.maxMinutes - run.getSecondsSpent());
  auto progress =
      world.makeProgress ? world.makeProgress() : report::createTableProgress(world.out, world.clock, table);
  options.waiting = [&progress](const propose::ModelWait *wait) { progress->waiting(wait); };
  auto setup = RunSetup::open(world, run, config, options,
                              evaluator.getDevice().confinesFiles || command.allowUnconfinedCompile);
  if (!setup)
    return setup.takeError();
  progress->note("problem " + config.problem + ", " + config.size + " size, precision class " + config.precision +
                 (config.rules == "kgen" ? "" : ", rules " + config.rules) + ", device " + config.device +
                 (config.deviceModel.empty() ? "" : " (" + config.deviceModel + ")") +
                 (evaluator.getWidth() == 1
                      ? ""
                      : ", " + std::to_string(evaluator.getWidth()) + " evaluators: " + config.devices +
                            (config.launchers.empty() ? "" : " by ") + join(config.launchers, " and by ")));
  if (config.device == "host" && config.size == "small")
    progress->note("device host runs one core, so the graph is taken at its small size; --size full takes the "
                   "published one");
  if (std::string level = evaluator.getDevice().isolation; !level.empty())
    progress->note("isolation: " + level);
  if (!(*setup)->leftOut.empty())
    progress->note((*setup)->leftOut);
  progress->note("run folder " + run.getPath().str());
  SearchEnvironment environment{world.fs,  world.clock, *(*setup)->compilers.own, *(*setup)->proposer, evaluator,
                                *progress, world.stop,  (*setup)->examples};
  environment.foreign = (*setup)->compilers.foreign.get();
  std::unique_ptr<trajectory::RunFolder> sibling;
  if (!command.sibling.empty()) {
    auto other = trajectory::RunFolder::openForReading(world.fs, world.clock, command.sibling);
    if (!other)
      return other.takeError();
    // What a measurement depends on beside the code.
    auto same = [&](const char *key) { return (*other)->getConfig().value(key, "") == run.getConfig().value(key, ""); };
    if (all_of(ArrayRef{"device", "device_model", "precision", "rules", "size"}, same))
      sibling = std::move(*other);
    environment.sibling = sibling.get();
  }
  if (Error error = runSearch(environment, run, config))
    return createStringError(toString(std::move(error)) + "; go on with: kgen-search resume " + run.getPath().str());
  report::RunReport report = report::summarizeRun(run);
  if (Error error = run.writeReport("report.md", candidate::printable(report::printReportMarkdown(report))))
    return std::move(error);
  if (Error error = run.writeReport("report.json", report::printReportJson(report)))
    return std::move(error);
  // The search is done and recorded: a library that cannot be written takes nothing from it.
  if (Error error = (*setup)->library.storeBest(run))
    world.out << toString(std::move(error)) << "\n";
  world.out << candidate::printable(report::printReportText(report, world.columns));
  if (run.getStopReason() != trajectory::StopReason::Interrupted)
    return 0;
  world.out << "go on with: kgen-search resume " << run.getPath() << "\n";
  return 130;
}

Expected<int> Tool::replay() {
  if (isNetworkRun(world.fs, command.run))
    return replayNetwork(command, world);
  auto run = trajectory::RunFolder::openForReading(world.fs, world.clock, command.run);
  if (!run)
    return run.takeError();
  RunCompilers compilers(world.compiler, (*run)->getConfig().value("llm", ""));
  auto summary =
      trajectory::replayRun(world.fs, **run, *compilers.own, {command.jobs, command.recorded, compilers.foreign.get()});
  if (!summary)
    return summary.takeError();
  world.out << command.run << ": " << summary->branches << " branches derived again, " << summary->files
            << " files are the same to the byte"
            << (summary->leftOut ? ", " + std::to_string(summary->leftOut) + " PTX files were left out" : std::string())
            << "\n";
  if (!summary->recordedOnly.empty())
    world.out
        << summary->recordedOnly.size()
        << " more are as recorded, by the digests of the journal: another code generator wrote them, and this one ("
        << StringRef(world.compiler.getGenerator()).take_front(12)
        << ") writes other text: " << join(summary->recordedOnly, ", ") << "\n";
  return 0;
}

Expected<int> Tool::report() {
  if (isNetworkRun(world.fs, command.run)) {
    auto text = printNetworkReport(command, world);
    if (!text)
      return text.takeError();
    return deliver(*text, "the report");
  }
  auto run = trajectory::RunFolder::openForReading(world.fs, world.clock, command.run);
  if (!run)
    return run.takeError();
  if (Error error = (*run)->verifyFiles())
    return std::move(error);
  report::RunReport report = report::summarizeRun(**run);
  std::string text = command.format == "md"     ? report::printReportMarkdown(report)
                     : command.format == "json" ? report::printReportJson(report)
                     : command.format == "html" ? report::printReportHtml(report, **run)
                                                : report::printReportText(report, world.columns);
  return deliver(text, "the report");
}

/// TEXT, which is WHAT, into the file that --out names, or to standard output.
Expected<int> Tool::deliver(const std::string &text, StringRef what) {
  if (command.out.empty()) {
    world.out << candidate::printable(text);
    return 0;
  }
  if (Error error = world.fs.writeAtomic(command.out, text))
    return std::move(error);
  world.out << command.out << " holds " << what << "\n";
  return 0;
}

/// "173.9 us on an H200"
static std::string floorText(const graph::GraphFacts &facts) {
  double written = 0;
  for (const graph::TensorFact &tensor : facts.outputs) {
    int bits = 8; // of bool, which takes a byte
    StringRef(tensor.dtype).drop_until(isDigit).getAsInteger(10, bits);
    double bytes = std::max(bits / 8, 1);
    for (int64_t extent : tensor.shape)
      bytes *= double(extent);
    written += bytes;
  }
  written = std::min(written, facts.compulsoryBytes); // what is written in place does not count
  const ChipRates &rates = getDefaultRates();
  double bytes = copyBytesOf(rates, facts.compulsoryBytes - written, written);
  double us = floorMicroseconds(rates, bytes, facts.flops, facts.precision);
  char text[64];
  snprintf(text, sizeof text, "%.1f us on an H200", us);
  return text;
}

Expected<int> Tool::listAll() {
  SourceFolders folders = findSourceFolders(world.fs, world.programFolder);
  std::vector<std::string> names = listProblems(world.fs, folders);
  if (names.empty())
    return createStringError("no registered problems beside kgen-search; set KGEN_PROBLEMS to their folder");
  for (const std::string &name : names) {
    auto text = world.fs.read(folders.problems + "/" + name + ".mlir");
    if (!text)
      return text.takeError();
    auto facts = world.compiler.facts(*text);
    if (!facts)
      return createStringError(name + ": " + toString(facts.takeError()));
    world.out << llvm::left_justify(name, 28) << llvm::left_justify(facts->precision, 13);
    for (size_t i = 0; i < facts->inputs.size(); ++i) {
      world.out << (i ? ", " : "") << facts->inputs[i].dtype;
      for (int64_t extent : facts->inputs[i].shape)
        world.out << "x" << extent;
    }
    world.out << "; floor " << floorText(*facts) << "\n";
  }
  return 0;
}

} // namespace

Expected<int> executeSearchCommand(const SearchCommand &command, const SearchToolWorld &world) {
  return Tool(command, world).execute();
}

int runSearchCommand(const SearchCommand &command, const SearchToolWorld &world) {
  auto code = executeSearchCommand(command, world);
  if (code)
    return *code;
  world.out.flush();
  world.err << "kgen-search: " << candidate::printable(toString(code.takeError())) << "\n";
  return 1;
}

} // namespace kgen::search
