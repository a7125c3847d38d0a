//===- SearchTool.h - kgen-search's commands ------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Graph/GraphCompiler.h"
#include "kgen/Propose/BuiltinIdeas.h"
#include "kgen/Search/CandidateEvaluator.h"
#include "kgen/Search/OpenEvaluators.h"
#include "kgen/Search/Search.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/raw_ostream.h"

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kgen::search {

/// Compiles at the same time: as many as the machine has cores, but not more memory than most have.
int defaultJobs();

/// What a command line asks for.
struct SearchCommand {
  enum Kind {
    Search,
    Resume,
    Replay,
    Problems,
    Doctor,
    Report,
    Export,
    Prompt,
    Add,
    Compare,
    ComparePolicies,
    Ideas,
    Prior,
    First,
    Help,
    Version
  } kind = Search;
  std::optional<Kind> about;           ///< of help: the command; none: all of them
  std::string run;                     ///< run folder of resume, replay, report, add and prompt
  std::vector<std::string> runs;       ///< of compare, export and prior
  std::string licence = "NOASSERTION"; ///< of export
  std::string branch;                  ///< of prompt
  std::string problem;
  std::string family;                ///< of ideas
  std::vector<std::string> problems; ///< of compare-policies
  int repeats = 1;                   ///< of compare-policies: searches with seeds SEED, SEED + 1, ...
  std::string sibling;               ///< a run on the same problem whose round 0 is taken over; not an option
  std::string device = "auto";
  bool devicesGiven = false;          ///< of resume: other ones than the run's
  std::vector<std::string> launchers; ///< each starts an evaluator for each device
  std::string size;                   ///< "" is the device's default
  std::optional<int> rounds, seeds, ideas, variants, branches, tune;
  std::optional<double> maxMinutes, maxDollars;
  std::optional<int64_t> maxTokens;
  bool profile = false;
  double stopAtFloor = 0;
  std::string prices; ///< a price file; "" is the user's own, or the one that kgen ships
  uint64_t seed = 0;
  int64_t multiprocessors = 0; ///< of first: 0 is the architecture's
  int jobs = defaultJobs();
  bool allowUnconfinedCompile = false;
  bool trustRun = false; ///< of resume: what run.json has started and sent is the user's own wish
  std::string llm = "builtin";
  propose::ProposerOptions proposer;
  std::string network = "auto"; ///< whether a graph is searched task by task: auto, always or never
  std::string cut = "auto";     ///< how a network is cut at first: auto, given, or keys of the partition catalogue
  std::string policy = "branch";
  std::vector<std::string> policies;    ///< of compare-policies; empty: all
  std::vector<std::string> handIdeas;   ///< a person's, in words
  std::vector<std::string> seedKernels; ///< .cu files
  std::vector<std::string> scripts;     ///< files of directives
  std::string precision;
  std::string rules = "kgen";
  std::string out;
  std::string kernelLibrary;
  std::string format;    ///< "" is the command's default
  bool recorded = false; ///< of replay
};

/// Parses the arguments after the program's name; options may stand anywhere. The Error is one sentence and names the
/// option.
llvm::Expected<SearchCommand> parseSearchCommand(llvm::ArrayRef<std::string> arguments);
/// --help of a command, or of all of them, in lines of at most COLUMNS.
std::string printSearchHelp(std::optional<SearchCommand::Kind> about, int columns);
/// All commands with their options, as a page of markdown.
std::string printSearchReference();

/// What the commands need from outside; tests put fakes here.
struct SearchToolWorld {
  trajectory::FileSystem &fs;
  trajectory::Clock &clock;
  graph::GraphCompiler &compiler;
  /// Opens what --device and --launcher ask for.
  std::function<llvm::Expected<std::unique_ptr<CandidateEvaluator>>(const EvaluatorRequest &request)> openDevice;
  llvm::raw_ostream &out;
  llvm::raw_ostream &err;
  const std::atomic<bool> &stop;
  bool live = false;   ///< OUT is a terminal that takes control sequences
  bool colour = false; ///< and colours are wanted
  int columns = 100;
  std::string kernelLibraryPath; ///< the kernel library's file by default; "" or "none": none
  std::string ownRunsFolder;     ///< remembers which runs this user started; "": nothing does
  std::string programFolder;     ///< where kgen-search lies; problems and the frontend are found from it
  /// Who is told how a search goes; empty: the table on OUT.
  std::function<std::unique_ptr<report::Progress>()> makeProgress = {};
};

/// Carries COMMAND out and returns the exit code, 0 or 130 when interrupted. The Error is one sentence.
llvm::Expected<int> executeSearchCommand(const SearchCommand &command, const SearchToolWorld &world);
/// The same; after an error the sentence is on ERR and the code is 1.
int runSearchCommand(const SearchCommand &command, const SearchToolWorld &world);

/// What `kgen-search ideas` lists for COMMAND: the catalogue, or what of it applies to a problem, most promising first.
llvm::Expected<std::vector<propose::ListedIdea>> chooseIdeas(const SearchCommand &command,
                                                             const SearchToolWorld &world);

/// $XDG_STATE_HOME/kgen/runs, else ~/.local/state/kgen/runs; "" without either.
std::string defaultOwnRunsFolder();

/// `kgen-search doctor`: says what this machine has, what is missing for what, and what installs it. 0 when
/// searching on device host works, else 1.
int runDoctor(const SearchCommand &command, const SearchToolWorld &world);

/// The whole tool: parses, installs signal handlers, opens the real world.
int searchMain(int argc, char **argv, graph::GraphCompiler &compiler);

} // namespace kgen::search
