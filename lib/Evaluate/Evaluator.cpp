//===- Evaluator.cpp - One candidate in, one measurement out --------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Evaluate/Evaluator.h"

#include "Trial.h"
#include "kgen/Candidate/Diagnosis.h"
#include "kgen/Candidate/PlanCheck.h"
#include "kgen/Device/Parallel.h"
#include "kgen/Evaluate/GraphPlan.h"
#include "kgen/Evaluate/Recovery.h"
#include "kgen/Judge/JudgeProcess.h"
#include "kgen/Support/Floor.h"
#include "kgen/Toolchain/Cache.h"
#include "kgen/Toolchain/Process.h"
#include "kgen/Toolchain/Resources.h"
#include "kgen/Toolchain/Scratch.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <thread>
#include <unistd.h>

using namespace kgen;
using namespace kgen::evaluate;
namespace fs = llvm::sys::fs;

/// Opt-in shared memory of a block on compute capability 9.0.
static constexpr int64_t hostSharedLimit = Chip::mostSharedBytes;

/// A kernel cannot know the inputs that it will be tried on.
static uint64_t secretSeed() {
  std::random_device random;
  return uint64_t(random()) << 32 | random();
}

/// Cores for inputs, answers and comparisons. Where many evaluators share a machine, KGEN_THREADS says how many each
/// may use.
static unsigned chosenThreads() {
  unsigned wanted = 0;
  if (const char *words = getenv("KGEN_THREADS"); words && llvm::to_integer(words, wanted) && wanted > 0)
    return std::min(wanted, 32u);
  return std::clamp(std::thread::hardware_concurrency(), 1u, 32u);
}

llvm::Expected<std::unique_ptr<Evaluator>> Evaluator::create(llvm::StringRef device, llvm::StringRef gate,
                                                             unsigned sharers) {
  EvaluatorParts parts;
  parts.sharers = std::max(1u, sharers);
  parts.threads = std::max(1u, chosenThreads() / parts.sharers);
  parts.seed = secretSeed();
  parts.oracle = judge::createOracleProcess();
  std::string chosen = device.str();
  if (chosen == "auto") {
    auto card = device::queryCard(0);
    chosen = card ? "cuda:0" : "host";
    if (!card)
      llvm::consumeError(card.takeError());
  }
  auto openGate = [&]() -> llvm::Error {
    auto opened = CardGate::openFor(chosen, gate);
    if (!opened)
      return opened.takeError();
    parts.gate = std::move(*opened);
    return llvm::Error::success();
  };
  if (chosen == "host") {
    if (llvm::Error error = openGate())
      return std::move(error);
    auto compiler = toolchain::createHostCompiler();
    if (!compiler)
      return compiler.takeError();
    parts.compiler = std::move(*compiler);
    parts.runner =
        std::make_shared<RecoveringRunner>(device::createProcessRunner(), chosen, parts.arch, parts.compiler);
  } else {
    llvm::StringRef rest = chosen;
    int ordinal = 0;
    if (!rest.consume_front("cuda") || (!rest.empty() && (!rest.consume_front(":") || rest.getAsInteger(10, ordinal))))
      return llvm::createStringError("unknown device %s, expected host, cuda:N or auto", chosen.c_str());
    auto card = device::queryCard(ordinal);
    if (!card)
      return card.takeError();
    chosen = "cuda:" + std::to_string(ordinal);
    if (llvm::Error error = openGate())
      return std::move(error);
    parts.arch = card->arch;
    parts.card = *card;
    auto compiler = toolchain::createNvrtcCompiler();
    if (!compiler)
      return compiler.takeError();
    parts.compiler = std::move(*compiler);
    parts.runner =
        std::make_shared<RecoveringRunner>(device::createProcessRunner(), chosen, parts.arch, parts.compiler);
    parts.cpuOracle = judge::createOracleProcess();
    auto useCard = [gate = parts.gate] { return std::make_shared<CardGate::Place>(gate->work()); };
    parts.oracle = judge::createCardOracle(chosen, parts.arch, parts.compiler, judge::createOracleProcess(), useCard);
    // Trusted, but compiled like any other text: the cache knows it after the first time.
    toolchain::CompileOptions options;
    options.arch = parts.arch;
    auto own = parts.compiler->compile(device::trustedKernelsText(), options);
    if (!own)
      return own.takeError();
    if (auto *failed = std::get_if<toolchain::CompileFailed>(&*own))
      return llvm::createStringError("kgen's own kernels do not compile: %s", failed->reason.c_str());
    parts.trusted = std::get<toolchain::Compiled>(*own).artifact;
  }
  parts.device = chosen;
  parts.planOfGraph = planOfGraph;
  return std::make_unique<Evaluator>(std::move(parts));
}

Phase::Phase(candidate::Measurement &out, const char *name)
    : out(&out), name(name), begin(toolchain::monotonicSeconds()),
      traced(llvm::timeTraceProfilerBegin(name, llvm::StringRef())) {}

void Phase::end() {
  if (!out)
    return;
  // To the millisecond.
  out->phases[name] += std::round(1e3 * (toolchain::monotonicSeconds() - begin)) / 1e3;
  llvm::timeTraceProfilerEnd(traced);
  out = nullptr;
}

/// The texts of PLAN's modules in FOLDER, and what is known of its tasks.
static llvm::Error readNetwork(const std::string &folder, const candidate::LaunchPlan &plan, CandidateFiles &files) {
  for (const std::string &name : plan.modules) {
    auto text = toolchain::readWholeFile(folder + "/" + name, 64u << 20);
    if (!text)
      return text.takeError();
    files.modules.push_back(std::move(*text));
  }
  if (!fs::exists(folder + "/partition.json"))
    return llvm::Error::success();
  auto tasks = toolchain::readWholeFile(folder + "/partition.json", 256u << 20);
  if (!tasks)
    return tasks.takeError();
  files.tasks = std::move(*tasks);
  return llvm::Error::success();
}

llvm::Expected<CandidateFiles> kgen::evaluate::readCandidate(const std::string &folder, const std::string &graph) {
  CandidateFiles files;
  auto plan = toolchain::readWholeFile(folder + "/plan.json", 64u << 20);
  if (!plan)
    return plan.takeError();
  files.plan = std::move(*plan);
  // A plan that is none is the candidate's verdict, later.
  auto parsed = candidate::LaunchPlan::parse(files.plan);
  if (parsed && parsed->isNetwork()) {
    if (llvm::Error error = readNetwork(folder, *parsed, files))
      return std::move(error);
  } else if (bool hasText = fs::exists(folder + "/kernel.cu"); parsed || hasText) {
    if (!parsed)
      llvm::consumeError(parsed.takeError());
    auto cuda = toolchain::readWholeFile(folder + "/kernel.cu", 64u << 20);
    if (!cuda)
      return cuda.takeError();
    files.cuda = std::move(*cuda);
  } else {
    llvm::consumeError(parsed.takeError());
  }
  std::string path = graph;
  for (const char *up : {"/", "/../", "/../../", "/../../../"})
    if (path.empty() && fs::exists(folder + up + "graph.mlir"))
      path = folder + up + "graph.mlir";
  if (path.empty())
    return llvm::createStringError("no graph.mlir in %s or above it: give the op graph that the candidate must compute",
                                   folder.c_str());
  auto text = toolchain::readWholeFile(path, 256u << 20);
  if (!text)
    return text.takeError();
  files.graph = std::move(*text);
  return files;
}

/// What decides inputs and tolerances: shapes, types, distributions and the class. Kernels do not.
static std::string referenceKey(const CandidateFiles &files, const candidate::LaunchPlan &plan, judge::Rules rules) {
  candidate::LaunchPlan shape;
  shape.problem = plan.problem;
  shape.precision = plan.precision;
  shape.inputs = plan.inputs;
  shape.outputs = plan.outputs;
  return toolchain::contentKey({files.graph, shape.print(), judge::rulesName(rules), files.brief ? "brief" : ""});
}

/// About what SETS sets of a problem's inputs and answers take; with ONCPU there is no judge on the card.
static ReferenceBytes referenceBytes(const candidate::LaunchPlan &plan, size_t sets, bool onCpu) {
  double drawn = 0, answered = 0;
  for (const candidate::BufferSpec &input : plan.inputs)
    drawn += double(input.bytes()) * double(sets);
  for (const candidate::BufferSpec &output : plan.outputs) // the answers in fp64, and the sizes of their sums
    answered += 2 * 8.0 * double(output.elements()) * double(sets);
  if (onCpu)
    return {drawn + answered, 0};
  constexpr double here = 100e6, there = 200e6; // of a judge's session: what copies go by; programs with their buffers
  return {drawn + here, drawn + answered + there};
}

ReferenceBytes Evaluator::mostReferenceBytes() const {
  return {double(device::availableMemory()) / (parts.device == "host" ? 8 : 4) / parts.sharers,
          double(parts.card.memoryBytes) / 2 / parts.sharers};
}

bool Evaluator::isAnsweredByCpu(const CandidateFiles &files, const candidate::LaunchPlan &plan) const {
  // What prepares is a pass over weights: it takes less than a process on the card takes to begin.
  constexpr int64_t mostBrief = 1 << 24;
  const int64_t elements = judge::inputElements(plan);
  return parts.device == "host" || elements < judge::smallElements ||
         (files.brief && parts.cpuOracle && elements < mostBrief);
}

llvm::Expected<std::unique_ptr<judge::Reference>> Evaluator::buildReference(const CandidateFiles &files,
                                                                            const candidate::LaunchPlan &plan,
                                                                            judge::Rules rules,
                                                                            unsigned threads) const {
  judge::ReferenceOptions options;
  options.seed = parts.seed;
  options.threads = threads;
  options.rules = rules;
  options.few = files.brief;
  const bool byCpu = files.brief && parts.cpuOracle && isAnsweredByCpu(files, plan);
  return judge::buildReference(byCpu ? *parts.cpuOracle : *parts.oracle, files.graph, plan, options);
}

judge::Judge *Evaluator::findJudge(llvm::StringRef graph, const candidate::LaunchPlan &shape) const {
  auto alike = [](llvm::ArrayRef<candidate::BufferSpec> ours, llvm::ArrayRef<candidate::BufferSpec> theirs) {
    return ours.size() == theirs.size() && llvm::all_of(llvm::zip(ours, theirs), [](auto pair) {
             return std::get<0>(pair).dtype == std::get<1>(pair).dtype &&
                    std::get<0>(pair).shape == std::get<1>(pair).shape;
           });
  };
  const std::string digest = toolchain::contentKey({graph});
  for (const auto &[key, kept] : references)
    if (kept.graph == digest && kept.reference->judge->works() && alike(kept.shape.inputs, shape.inputs) &&
        alike(kept.shape.outputs, shape.outputs))
      return kept.reference->judge.get();
  return nullptr;
}

void Evaluator::keepReference(const std::string &key, std::unique_ptr<judge::Reference> reference,
                              const CandidateFiles &files, const candidate::LaunchPlan &plan) {
  KeptReference &kept = references[key];
  kept.graph = toolchain::contentKey({files.graph});
  kept.shape.inputs = plan.inputs;
  kept.shape.outputs = plan.outputs;
  kept.bytes = referenceBytes(plan, reference->sets.size(), isAnsweredByCpu(files, plan));
  kept.reference = std::move(reference);
  kept.used = ++referenceUses;
  // Tasks of a network take turns; whoever was asked about longest ago goes first.
  constexpr size_t most = 160;
  const ReferenceBytes room = mostReferenceBytes();
  for (;;) {
    ReferenceBytes bytes;
    auto oldest = references.begin();
    for (auto it = references.begin(); it != references.end(); ++it) {
      bytes += it->second.bytes;
      if (it->second.used < oldest->second.used)
        oldest = it;
    }
    if (references.size() == 1 || (bytes.fits(room) && references.size() <= most))
      return;
    references.erase(oldest);
  }
}

llvm::Expected<const judge::Reference *>
Evaluator::referenceFor(const CandidateFiles &files, const candidate::LaunchPlan &plan, judge::Rules rules) {
  const std::string key = referenceKey(files, plan, rules);
  auto found = references.find(key);
  if (found != references.end() && found->second.reference->judge->works()) {
    found->second.used = ++referenceUses;
    return found->second.reference.get();
  }
  if (found != references.end())
    references.erase(found);
  auto built = buildReference(files, plan, rules, parts.threads);
  if (!built)
    return built.takeError();
  keepReference(key, std::move(*built), files, plan);
  return references[key].reference.get();
}

void Evaluator::learn(llvm::ArrayRef<CandidateFiles> problems, judge::Rules rules) {
  struct Problem {
    const CandidateFiles *files;
    candidate::LaunchPlan plan;
    std::string key;
    std::unique_ptr<judge::Reference> built;
  };
  constexpr size_t mostSets = 11, briefSets = 3;
  std::vector<Problem> wanted;
  ReferenceBytes bytes;
  const ReferenceBytes room = mostReferenceBytes();
  for (const CandidateFiles &files : problems) {
    auto plan = candidate::LaunchPlan::parseShape(files.plan); // no kernel is asked for yet
    if (!plan) {
      llvm::consumeError(plan.takeError());
      continue;
    }
    if (files.later) {
      ahead.emplace_back(
          [oracle = parts.oracle, graph = files.graph, plan = std::move(*plan)] { oracle->prepare(graph, plan); });
      continue;
    }
    std::string key = referenceKey(files, *plan, rules);
    bool isKnown = references.count(key) || llvm::any_of(wanted, [&](const Problem &each) { return each.key == key; });
    const ReferenceBytes more =
        referenceBytes(*plan, files.brief ? briefSets : mostSets, isAnsweredByCpu(files, *plan));
    ReferenceBytes all = bytes;
    all += more;
    // A large one has all cores and the way to the card busy by itself.
    constexpr double large = 8e9;
    if (isKnown || std::max(more.machine, more.card) > large || !all.fits(room))
      continue;
    bytes = all;
    wanted.push_back({&files, std::move(*plan), std::move(key), nullptr});
  }
  constexpr size_t mostAtOnce = 8; // each of them starts processes of its own
  const size_t atOnce = std::min({wanted.size(), mostAtOnce, size_t(std::max(1u, parts.threads / 2))});
  const unsigned share = std::max(1u, parts.threads / unsigned(std::max<size_t>(atOnce, 1)));
  device::parallelEach(wanted.size(), atOnce, [&](size_t i) {
    if (parts.planOfGraph) // start() asks for it as well
      if (auto expected = parts.planOfGraph(wanted[i].files->graph); !expected)
        llvm::consumeError(expected.takeError());
    llvm::TimeTraceScope trace("right answers", llvm::StringRef(wanted[i].key));
    auto built = buildReference(*wanted[i].files, wanted[i].plan, rules, share);
    if (built)
      wanted[i].built = std::move(*built);
    else
      llvm::consumeError(built.takeError());
  });
  for (Problem &problem : wanted)
    if (problem.built)
      keepReference(problem.key, std::move(problem.built), *problem.files, problem.plan);
}

/// By the text: a plan that had to declare them could lie. On a card the machine's own words count, which
/// macros cannot hide.
static bool usesFloatAtomics(llvm::StringRef cuda, llvm::StringRef ptx) {
  if (ptx.empty())
    return cuda.contains("atomicAdd");
  llvm::SmallVector<llvm::StringRef> lines;
  ptx.split(lines, '\n');
  for (llvm::StringRef line : lines) {
    line = line.ltrim();
    if (line.starts_with("@"))
      line = line.split(' ').second.ltrim();
    llvm::StringRef name = line.split(' ').first;
    bool atomic = name.starts_with("atom.") || name.starts_with("red.");
    if (atomic && name.contains(".add") &&
        (name.contains(".f32") || name.contains(".f64") || name.contains(".f16") || name.contains(".bf16")))
      return true;
  }
  return false;
}

void Evaluator::prepare(const std::string &cuda) {
  toolchain::CompileOptions options;
  options.arch = parts.arch;
  if (auto result = parts.compiler->compile(cuda, options); !result)
    llvm::consumeError(result.takeError());
}

llvm::Expected<bool> Evaluator::compileModule(llvm::StringRef text, unsigned module, const candidate::LaunchPlan &plan,
                                              const EvaluateOptions &limits, candidate::Measurement &out,
                                              std::string &artifact) {
  toolchain::CompileOptions options;
  options.arch = parts.arch;
  options.wallSeconds = limits.compileSeconds;
  auto result = parts.compiler->compile(text, options);
  if (!result)
    return result.takeError();
  if (auto *failed = std::get_if<toolchain::CompileFailed>(&*result)) {
    log = failed->log;
    out.verdict = failed->timedOut      ? candidate::Verdict::Timeout
                  : failed->unsupported ? candidate::Verdict::Unsupported
                                        : candidate::Verdict::Reject;
    out.detail = failed->reason;
    return false;
  }
  toolchain::Compiled &compiled = std::get<toolchain::Compiled>(*result);
  log = compiled.log;
  ptx = compiled.ptx;
  artifact = compiled.artifact;
  atomics |= usesFloatAtomics(text, ptx);
  out.compileSeconds += compiled.seconds;
  std::set<std::string> defined;
  for (candidate::KernelResources kernel : compiled.kernels) {
    defined.insert(kernel.kernel);
    for (const candidate::Launch &launch : plan.launches) {
      if (launch.module != module || launch.kernel != kernel.kernel)
        continue;
      if (parts.device == "host") {
        // The host has more shared memory than any card: hold kernels to what they were made for.
        if (kernel.sharedBytes + launch.sharedBytes > hostSharedLimit) {
          out.verdict = candidate::Verdict::Reject;
          out.detail = kernel.kernel + " needs " + std::to_string(kernel.sharedBytes + launch.sharedBytes) +
                       " bytes of shared memory, a card gives a block at most " + std::to_string(hostSharedLimit);
          return false;
        }
        continue;
      }
      int64_t threads = launch.block[0] * launch.block[1] * launch.block[2];
      kernel.occupancy = toolchain::occupancy(kernel, int(threads), launch.sharedBytes);
      if (kernel.occupancy == 0) {
        out.verdict = candidate::Verdict::Reject;
        out.detail = kernel.kernel + " cannot run: " + std::to_string(threads) + " threads of " +
                     std::to_string(kernel.registers) + " registers and " +
                     std::to_string(kernel.sharedBytes + launch.sharedBytes) +
                     " bytes of shared memory do not fit a multiprocessor";
        return false;
      }
    }
    out.kernels.push_back(std::move(kernel));
  }
  for (const candidate::Launch &launch : plan.launches)
    if (launch.module == module && !defined.count(launch.kernel)) {
      out.verdict = candidate::Verdict::Reject;
      out.detail = "the plan launches " + launch.kernel + ", which kernel.cu does not define as extern \"C\"";
      return false;
    }
  return true;
}

void Evaluator::compileAhead(const CandidateFiles &files, const EvaluateOptions &limits) {
  toolchain::CompileOptions options;
  options.arch = parts.arch;
  options.wallSeconds = limits.compileSeconds;
  device::parallelEach(files.modules.size(), parts.threads, [&](size_t i) {
    if (auto result = parts.compiler->compile(files.modules[i], options); !result)
      llvm::consumeError(result.takeError()); // compileModule() says it
  });
}

llvm::Expected<bool> Evaluator::compile(const CandidateFiles &files, const candidate::LaunchPlan &plan,
                                        const EvaluateOptions &limits, candidate::Measurement &out,
                                        std::string &artifact) {
  atomics = false;
  if (!plan.isNetwork())
    return compileModule(files.cuda, 0, plan, limits, out, artifact);
  if (files.modules.size() != plan.modules.size())
    return llvm::createStringError("the plan has %zu modules, %zu texts were given", plan.modules.size(),
                                   files.modules.size());
  compileAhead(files, limits);
  for (unsigned m = 0; m < files.modules.size(); ++m) {
    std::string one;
    auto compiled = compileModule(files.modules[m], m, plan, limits, out, one);
    if (!compiled || !*compiled) {
      if (compiled)
        out.detail = plan.modules[m] + ": " + out.detail;
      return compiled;
    }
    artifact += (m ? "\n" : "") + one;
  }
  ptx.clear(); // each task's run has its own
  return true;
}

llvm::Expected<candidate::LaunchPlan> Evaluator::compileAgain(const CandidateFiles &files,
                                                              const EvaluateOptions &options, std::string &artifact) {
  auto plan = candidate::LaunchPlan::parse(files.plan);
  if (!plan)
    return plan;
  candidate::Measurement ignored;
  auto compiled = compile(files, *plan, options, ignored, artifact);
  if (!compiled)
    return compiled.takeError();
  return plan;
}

void Evaluator::checkFloor(const candidate::LaunchPlan &plan, const EvaluateOptions &options,
                           candidate::Measurement &out) const {
  auto rates = findChipRates(parts.card.name);
  if (!rates)
    return;
  const double written = plan.writtenBytes();
  const double read = plan.compulsoryBytes() - written - plan.spareInputBytes();
  out.floorUs = floorMicroseconds(*rates, copyBytesOf(*rates, read, written), options.flops, plan.precision);
  double least = (read + written) / rates->peakBytes * 1e6;
  if (!options.cold || out.timeUs >= least)
    return;
  out.verdict = candidate::Verdict::Cheat;
  char text[160];
  snprintf(text, sizeof text, "%.3g us is less than the memory needs to move the inputs and outputs, %.3g us",
           out.timeUs, least);
  out.detail = text;
}

llvm::Expected<bool> Evaluator::start(const CandidateFiles &files, const EvaluateOptions &options,
                                      candidate::Measurement &out, PreparedCandidate &prepared) {
  log.clear();
  ptx.clear();
  out.device = parts.device + (parts.card.name.empty() ? "" : " " + parts.card.name);
  out.rules = judge::rulesName(options.rules).str();
  auto plan = candidate::LaunchPlan::parse(files.plan);
  if (!plan) {
    out.verdict = candidate::Verdict::Reject;
    out.detail = llvm::toString(plan.takeError());
    return false;
  }
  out.precision = plan->precision;
  if (!options.precision.empty() && options.precision != plan->precision) {
    // A stricter class would be no cheat, but numbers of different classes must not stand side by side.
    out.verdict = candidate::Verdict::Reject;
    out.detail = "the plan claims precision class " + plan->precision + ", the problem asks for " + options.precision;
    return false;
  }
  prepared.plan = std::move(*plan);
  prepared.gate = parts.gate.get();
  if (parts.planOfGraph) {
    auto expected = parts.planOfGraph(files.graph);
    if (!expected)
      return llvm::createStringError("the graph tells no plan what it must be: %s",
                                     llvm::toString(expected.takeError()).c_str());
    out.detail = candidate::findPlanFault(prepared.plan, *expected);
    if (!out.detail.empty()) {
      out.verdict = candidate::Verdict::Reject;
      return false;
    }
    // What has to be read is the graph's to say, not the candidate's.
    for (size_t i = 0; i < prepared.plan.inputs.size(); ++i)
      prepared.plan.inputs[i].readBytes = expected->inputs[i].readBytes;
  }
  // Before the oracle is asked: what does not compile should not cost an answer.
  Phase compiling(out, "compile");
  auto compiled = compile(files, prepared.plan, options, out, prepared.artifact);
  compiling.end();
  if (!compiled || !*compiled)
    return compiled;
  Phase answering(out, "reference");
  auto reference = referenceFor(files, prepared.plan, options.rules); // which asks for a place on the card itself
  answering.end();
  if (!reference)
    return reference.takeError();
  prepared.reference = *reference;
  out.warnings = (*reference)->warnings;
  // A commitment: it shows later that the seed was not chosen to fit.
  out.inputs = "sha256 of the seed's words " + toolchain::contentKey({seedText()});

  // The worker reads a plan that we checked, not the folder's file, which may change under us.
  auto scratch = toolchain::ScratchFolder::create("plan");
  if (!scratch)
    return scratch.takeError();
  std::string planFile = scratch->path() + "/plan.json";
  if (llvm::Error error = toolchain::writeFileAtomically(planFile, prepared.plan.print()))
    return std::move(error);

  device::CandidateJob job;
  job.device = parts.device;
  job.planFile = planFile;
  job.artifact = prepared.artifact;
  job.trusted = parts.trusted;
  job.plan = &prepared.plan;
  job.runSeconds = options.runSeconds;
  for (const judge::ReferenceSet &set : (*reference)->sets)
    job.inputSets.push_back(&set.inputs);
  // Inputs that a judge drew are in its memory alone.
  auto bringInputs = [&]() -> llvm::Error {
    for (const judge::ReferenceSet &set : (*reference)->sets)
      if (auto here = judge::hostInputs(set, prepared.plan, parts.threads); !here)
        return here.takeError();
    return llvm::Error::success();
  };
  // Where the judge's device shares memory, inputs and outputs need not leave it.
  judge::Judge &judge = *(*reference)->judge;
  job.outputsOnDevice = judge.outputsOnDevice();
  for (const judge::ReferenceSet &set : (*reference)->sets)
    if (int descriptor = judge.inputsOnDevice(set.number); descriptor >= 0)
      job.inputsOnDevice.push_back(descriptor);
  if (!job.sharesDevice())
    if (llvm::Error error = bringInputs())
      return std::move(error);
  Phase starting(out, "start");
  auto working = parts.gate->work();
  auto outcome = parts.runner->start(job, prepared.process);
  if (!outcome && job.outputsOnDevice >= 0 && !outcome.errorIsA<DeviceLost>()) {
    // The host's memory is slower and always there.
    llvm::consumeError(outcome.takeError());
    job.outputsOnDevice = -1;
    if (llvm::Error error = bringInputs())
      return std::move(error);
    outcome = parts.runner->start(job, prepared.process);
  }
  // What others time must not find the next worker's context on its way.
  if (outcome && prepared.process && parts.gate->isShared())
    prepared.process->settleDevice();
  starting.end();
  if (!outcome)
    return outcome.takeError();
  if (*outcome) {
    out.verdict = (*outcome)->verdict;
    out.detail = (*outcome)->detail;
    return false;
  }
  prepared.atomics = atomics;
  return true;
}

Evaluator::~Evaluator() {
  for (std::thread &thread : ahead)
    thread.join();
}

void Evaluator::redraw() { redraw(secretSeed()); }

void Evaluator::redraw(uint64_t seed) {
  parts.seed = seed;
  references.clear();
  for (judge::AnswerSource *source : {parts.oracle.get(), parts.cpuOracle.get()})
    if (source)
      source->stay();
}

std::string Evaluator::seedText() const { return "seed " + llvm::utohexstr(parts.seed); }

std::unique_ptr<Trial> Evaluator::makeTrial(const PreparedCandidate &candidate, const EvaluateOptions &options) {
  Trial::Setting setting;
  setting.host = parts.device == "host";
  setting.atomics = candidate.atomics;
  setting.threads = parts.threads;
  setting.gate = parts.gate.get();
  setting.secret = parts.seed + 0x9e3779b97f4a7c15ull * ++trials;
  return std::make_unique<Trial>(candidate.plan, *candidate.reference, *candidate.process, options, setting);
}

llvm::Error Evaluator::measureOnce(const CandidateFiles &files, const EvaluateOptions &options,
                                   candidate::Measurement &out) {
  PreparedCandidate candidate;
  auto started = start(files, options, out, candidate);
  if (!started)
    return started.takeError();
  if (!*started)
    return llvm::Error::success();
  std::unique_ptr<Trial> trial = makeTrial(candidate, options);
  auto right = trial->verify(out);
  if (!right)
    return right.takeError();
  if (candidate.plan.isNetwork() && (*right || out.verdict == candidate::Verdict::Wrong)) {
    Phase checking(out, "tasks");
    auto wrong = findWrongTask(files, candidate, options, /*all=*/!*right, out);
    if (!wrong)
      return wrong.takeError();
    if (!wrong->empty()) {
      out.detail = *wrong + (*right ? "" : "; " + out.detail);
      out.verdict = candidate::Verdict::Wrong;
      return llvm::Error::success();
    }
  }
  if (!*right)
    return llvm::Error::success();
  out.verdict = candidate::Verdict::Pass;
  if (options.time) {
    auto timed = trial->time(out);
    if (!timed)
      return timed.takeError();
    if (*timed)
      checkFloor(candidate.plan, options, out);
  }
  if (out.passed())
    out.diagnosis = candidate::diagnose(out, candidate.plan, options.flops);
  return llvm::Error::success();
}
