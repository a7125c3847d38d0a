//===- Evaluator.h - One candidate in, one measurement out ----------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Device/CandidateProcess.h"
#include "kgen/Evaluate/CardGate.h"
#include "kgen/Judge/Answers.h"
#include "kgen/Judge/Reference.h"
#include "kgen/Support/Chip.h"
#include "kgen/Toolchain/Compiler.h"

#include "llvm/Support/TimeProfiler.h"

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <thread>

namespace kgen::evaluate {

/// What is measured.
struct CandidateFiles {
  std::string plan;                 ///< plan.json's text
  std::string cuda;                 ///< kernel.cu's text; of a network empty
  std::string graph;                ///< the op graph that it must compute, MLIR text
  std::vector<std::string> modules; ///< of a network: the texts of the plan's modules, in order
  std::string tasks;                ///< of a network: partition.json, which has its tasks' graphs; may be empty
  bool brief = false; ///< a step that only prepares: few inputs do, since its network is verified and timed as a whole
  bool later = false; ///< learn(): others are asked about first
};

struct EvaluateOptions {
  int samples = 30;
  int mostSamples = 200; ///< where they do not settle
  bool cold = true;
  bool time = true;         ///< false: verify only
  int repeats = 20;         ///< launches that must give the same bits; fewer where they take long on the host
  double timingSeconds = 3; ///< samples end after this long, settled or not
  double rivalUs = 0;       ///< the best kernel so far: what is clearly slower needs no precise time; 0: none
  judge::Rules rules = judge::Rules::KGen;
  double runSeconds = 30;     ///< limit of one run of the plan
  double compileSeconds = 30; ///< limit of its compile
  double checkSeconds = 0;    ///< that compute-sanitizer may take for all it looks at; 0: as long as it takes
  double knownUs = 0;         ///< what one run was seen to take before the sanitizer looks at it; 0: not known
  double flops = 0;           ///< of the graph, for the floor; 0 = unknown
  std::string precision;      ///< the class that is asked for; empty: the one that the plan claims
};

/// Adds the time of its own life, or until end(), to a measurement's phases; the process's time trace has it, too.
class Phase {
public:
  Phase(candidate::Measurement &out, const char *name);
  ~Phase() { end(); }
  Phase(const Phase &) = delete;
  void end();

private:
  candidate::Measurement *out;
  const char *name;
  double begin;
  llvm::TimeTraceProfilerEntry *traced;
};

/// What an evaluator works with; every outside effect can be replaced.
struct EvaluatorParts {
  std::string device;             ///< "host" or "cuda:N"
  std::string arch = Chip().arch; ///< what the compiler is asked for
  device::CardFacts card;         ///< all zero on host
  std::shared_ptr<toolchain::Compiler> compiler;
  std::shared_ptr<judge::AnswerSource> oracle;
  std::shared_ptr<judge::AnswerSource> cpuOracle; ///< for what is brief; null: ORACLE
  std::shared_ptr<device::CandidateRunner> runner;
  std::string trusted; ///< kgen's own kernels for the card, machine code
  uint64_t seed = 0;   ///< secret: of inputs, poisons, digests
  unsigned threads = 1;
  unsigned sharers = 1; ///< evaluators of this card, of which it is one
  /// Where several evaluators have the card.
  std::shared_ptr<CardGate> gate = std::make_shared<CardGate>();
  /// What a plan of a graph says of inputs, outputs and class; empty: plans are believed (tests).
  std::function<llvm::Expected<candidate::LaunchPlan>(llvm::StringRef graph)> planOfGraph;
};

/// A candidate in its process, compiled and loaded.
struct PreparedCandidate {
  candidate::LaunchPlan plan;
  const judge::Reference *reference = nullptr;
  std::unique_ptr<device::CandidateProcess> process;
  bool atomics = false;
  std::string artifact;     ///< see Device::load
  CardGate *gate = nullptr; ///< of its card, where others may time something when it goes

  PreparedCandidate() = default;
  ~PreparedCandidate() {
    if (!process || !gate)
      return;
    auto working = gate->work();
    process.reset();
  }
};

/// What kept answers take.
struct ReferenceBytes {
  double machine = 0, card = 0;

  ReferenceBytes &operator+=(const ReferenceBytes &other) {
    machine += other.machine, card += other.card;
    return *this;
  }
  bool fits(const ReferenceBytes &room) const { return machine <= room.machine && card <= room.card; }
};

class Trial;
struct SanitizerWatch;

/// Measures candidates on one device, one at a time. Answers of a problem are kept for the next one.
class Evaluator {
public:
  explicit Evaluator(EvaluatorParts parts) : parts(std::move(parts)) {}
  ~Evaluator();

  /// The real parts for DEVICE: "host", "cuda:N", or "auto", which takes the first card when there is
  /// one. Fails with one sentence when the compiler or the card is missing. GATE is the file of the gate of those that
  /// have the same card, SHARERS in all, each of which takes a part of memory and cores; empty: it is this one's alone.
  static llvm::Expected<std::unique_ptr<Evaluator>> create(llvm::StringRef device, llvm::StringRef gate = "",
                                                           unsigned sharers = 1);

  /// Compiles, verifies, times. Whatever is wrong with the candidate is a verdict; errors are about the
  /// machinery (no oracle, graph and plan disagree on shapes, no memory).
  /// When one of our processes is killed from outside, or memory is short, everything is done once more; a candidate
  /// for which there is no room then is a REJECT.
  llvm::Expected<candidate::Measurement> measure(const CandidateFiles &files, const EvaluateOptions &options);

  /// Gives back what other problems than FILES' take on the card, and waits a moment where others may do so, too.
  void makeRoom(const CandidateFiles &files);
  /// Gives back what all problems take on the card.
  void forget() { references.clear(); }
  /// The same while a Trial is under way, which goes on where it compares bits: one with atomic additions asks the
  /// judge in every run, and gets an error.
  void endJudges();

  /// The first half of measure(): false when the candidate ends here, its verdict in OUT.
  llvm::Expected<bool> start(const CandidateFiles &files, const EvaluateOptions &options, candidate::Measurement &out,
                             PreparedCandidate &prepared);
  /// CANDIDATE and OPTIONS outlive it.
  std::unique_ptr<Trial> makeTrial(const PreparedCandidate &candidate, const EvaluateOptions &options);

  /// Runs a candidate that passed under compute-sanitizer, where that is installed, and writes down what it
  /// said: OUT's verdict becomes RACE or FAULT when a tool objects. Of a network the whole, and each task by itself, of
  /// which the detail names the one that is at fault.
  llvm::Error sanitize(const CandidateFiles &files, const EvaluateOptions &options, candidate::Measurement &out);
  /// Has Nsight Compute watch a candidate that passed, where it is installed: fills OUT's profile and says its numbers
  /// in the diagnosis, or leaves a warning that says why not. Takes seconds.
  llvm::Error profile(const CandidateFiles &files, const EvaluateOptions &options, candidate::Measurement &out);
  /// Another secret seed: what is measured from now on meets other inputs.
  void redraw();
  /// On the inputs of a SEED that was told, to see again what a candidate did on them.
  void redraw(uint64_t seed);
  /// "seed 1F...": ends the secret, so that inputs can be drawn again.
  std::string seedText() const;

  /// Compiles CUDA so that measure() finds it in the cache. Thread safe; the outcome, good or bad, is
  /// measure()'s to tell.
  void prepare(const std::string &cuda);

  /// Draws the inputs of these problems and asks for their answers, several at a time, so that measure() finds them. As
  /// many as memory has room for; what goes wrong is measure()'s to tell. Nothing is timed meanwhile. For those that
  /// come later only what the processor has to do is done, beside what comes next.
  void learn(llvm::ArrayRef<CandidateFiles> problems, judge::Rules rules);

  /// What the last compile gave: its log, and PTX on a card.
  const std::string &lastLog() const { return log; }
  const std::string &lastPtx() const { return ptx; }
  const std::string &device() const { return parts.device; } ///< "host" or "cuda:N"
  const std::string &arch() const { return parts.arch; }     ///< what the compiler is asked for
  const std::shared_ptr<toolchain::Compiler> &compiler() const { return parts.compiler; }
  CardGate &cardGate() const { return *parts.gate; }
  const device::CardFacts &card() const { return parts.card; }

private:
  llvm::Expected<candidate::Measurement> measureWhereThereIsRoom(const CandidateFiles &files,
                                                                 const EvaluateOptions &options);
  llvm::Expected<candidate::Measurement> measureTwiceIfLost(const CandidateFiles &files,
                                                            const EvaluateOptions &options);
  llvm::Error measureOnce(const CandidateFiles &files, const EvaluateOptions &options, candidate::Measurement &out);
  llvm::Expected<const judge::Reference *> referenceFor(const CandidateFiles &files, const candidate::LaunchPlan &plan,
                                                        judge::Rules rules);
  /// Whether the CPU answers FILES' problem, and the judge takes no room on the card.
  bool isAnsweredByCpu(const CandidateFiles &files, const candidate::LaunchPlan &plan) const;
  llvm::Expected<std::unique_ptr<judge::Reference>> buildReference(const CandidateFiles &files,
                                                                   const candidate::LaunchPlan &plan,
                                                                   judge::Rules rules, unsigned threads) const;
  void keepReference(const std::string &key, std::unique_ptr<judge::Reference> reference, const CandidateFiles &files,
                     const candidate::LaunchPlan &plan);
  /// Who answers GRAPH already, for inputs and outputs as SHAPE's; null: nobody.
  judge::Judge *findJudge(llvm::StringRef graph, const candidate::LaunchPlan &shape) const;
  ReferenceBytes mostReferenceBytes() const;
  /// False when the candidate ends here, its verdict set.
  llvm::Expected<bool> compile(const CandidateFiles &files, const candidate::LaunchPlan &plan,
                               const EvaluateOptions &options, candidate::Measurement &out, std::string &artifact);
  /// The same for the text of one module; SAYS begins its name in sentences.
  llvm::Expected<bool> compileModule(llvm::StringRef text, unsigned module, const candidate::LaunchPlan &plan,
                                     const EvaluateOptions &options, candidate::Measurement &out,
                                     std::string &artifact);
  /// Compiles the texts of a network side by side, for the cache.
  void compileAhead(const CandidateFiles &files, const EvaluateOptions &options);
  /// Each task of a network on what it really gets: the sentence that names the first one that is wrong, or "". Without
  /// ALL, kernels that were right before are left out.
  llvm::Expected<std::string> findWrongTask(const CandidateFiles &files, const PreparedCandidate &candidate,
                                            const EvaluateOptions &options, bool all, candidate::Measurement &out);
  /// The plan and machine code of a candidate that has passed: the cache answers.
  llvm::Expected<candidate::LaunchPlan> compileAgain(const CandidateFiles &files, const EvaluateOptions &options,
                                                     std::string &artifact);
  llvm::Error addTaskWatches(const CandidateFiles &files, const candidate::LaunchPlan &plan, const std::string &folder,
                             std::vector<SanitizerWatch> &watches);
  llvm::Error takeWatches(std::vector<SanitizerWatch> &watches, const candidate::LaunchPlan &plan, double seconds,
                          candidate::Measurement &out);
  void checkFloor(const candidate::LaunchPlan &plan, const EvaluateOptions &options, candidate::Measurement &out) const;

  EvaluatorParts parts;
  std::string log, ptx;
  bool atomics = false; ///< the last compile's text adds floats in memory
  uint64_t trials = 0;  ///< so far: each has poisons and keys of its own
  /// The answers of a problem, and when somebody asked for them last.
  struct KeptReference {
    std::unique_ptr<judge::Reference> reference;
    std::string graph;           ///< a digest of its text
    candidate::LaunchPlan shape; ///< inputs and outputs
    ReferenceBytes bytes;
    uint64_t used = 0;
  };
  std::map<std::string, KeptReference> references;
  uint64_t referenceUses = 0;
  std::set<std::string> rightTasks; ///< graphs and texts of tasks that were right in a network
  std::set<std::string> cleanTasks; ///< tools and tasks in which they found nothing
  std::vector<std::thread> ahead;   ///< what learn() began and nobody waits for
};

/// Reads plan.json, kernel.cu and the graph of a candidate's folder. The graph is GRAPH when given,
/// else graph.mlir in the folder or in one of the three above it.
llvm::Expected<CandidateFiles> readCandidate(const std::string &folder, const std::string &graph = "");

/// A FAULT that the card's driver told of. Where several programs share a card it may be another one's, so that it
/// counts when it comes twice.
bool isReportedByCard(const candidate::Measurement &measurement);
/// Whether ERROR says that there was no memory.
bool isOutOfMemory(const llvm::Error &error);

} // namespace kgen::evaluate
