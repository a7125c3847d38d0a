//===- Evaluator.cpp - One candidate in, one measurement out --------------===//
#include "kgen/Evaluate/Evaluator.h"

#include "kgen/Evaluate/DeviceTable.h"
#include "kgen/Evaluate/Recovery.h"
#include "kgen/Toolchain/Cache.h"
#include "kgen/Toolchain/Process.h"
#include "kgen/Toolchain/Resources.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <algorithm>
#include <random>
#include <set>
#include <thread>
#include <unistd.h>

using namespace kgen;
namespace fs = llvm::sys::fs;

/// Opt-in shared memory of a block on compute capability 9.0.
static constexpr int64_t hostSharedLimit = 232448;

llvm::Expected<std::unique_ptr<Evaluator>> Evaluator::create(llvm::StringRef device) {
  EvaluatorParts parts;
  parts.threads = std::clamp(std::thread::hardware_concurrency(), 1u, 32u);
  // The seed is secret: a kernel cannot know the inputs that it will be tried on.
  std::random_device random;
  parts.seed = uint64_t(random()) << 32 | random();
  parts.oracle = createOracleProcess();
  std::string chosen = device.str();
  if (chosen == "auto") {
    auto card = queryCard(0);
    chosen = card ? "cuda:0" : "host";
    if (!card)
      llvm::consumeError(card.takeError());
  }
  if (chosen == "host") {
    auto compiler = createHostCompiler();
    if (!compiler)
      return compiler.takeError();
    parts.compiler = std::move(*compiler);
    parts.runner = std::make_shared<RecoveringRunner>(createProcessRunner(), chosen, parts.arch, parts.compiler);
  } else {
    llvm::StringRef rest = chosen;
    int ordinal = 0;
    if (!rest.consume_front("cuda") || (!rest.empty() && (!rest.consume_front(":") || rest.getAsInteger(10, ordinal))))
      return llvm::createStringError("unknown device %s, expected host, cuda:N or auto", chosen.c_str());
    auto card = queryCard(ordinal);
    if (!card)
      return card.takeError();
    chosen = "cuda:" + std::to_string(ordinal);
    parts.arch = card->arch;
    parts.card = *card;
    auto compiler = createNvrtcCompiler();
    if (!compiler)
      return compiler.takeError();
    parts.compiler = std::move(*compiler);
    parts.runner = std::make_shared<RecoveringRunner>(createProcessRunner(), chosen, parts.arch, parts.compiler);
    parts.oracle = createCardOracle(chosen, parts.arch, parts.compiler, parts.runner, createOracleProcess());
  }
  parts.device = chosen;
  return std::make_unique<Evaluator>(std::move(parts));
}

llvm::Expected<CandidateFiles> kgen::readCandidate(const std::string &folder, const std::string &graph) {
  CandidateFiles files;
  auto plan = readWholeFile(folder + "/plan.json", 64u << 20);
  if (!plan)
    return plan.takeError();
  auto cuda = readWholeFile(folder + "/kernel.cu", 64u << 20);
  if (!cuda)
    return cuda.takeError();
  files.plan = std::move(*plan);
  files.cuda = std::move(*cuda);
  std::string path = graph;
  for (const char *up : {"/", "/../", "/../../", "/../../../"})
    if (path.empty() && fs::exists(folder + up + "graph.mlir"))
      path = folder + up + "graph.mlir";
  if (path.empty())
    return llvm::createStringError("no graph.mlir in %s or above it: give the op graph that the candidate must compute",
                                   folder.c_str());
  auto text = readWholeFile(path, 256u << 20);
  if (!text)
    return text.takeError();
  files.graph = std::move(*text);
  return files;
}

llvm::Expected<const Reference *> Evaluator::referenceFor(const CandidateFiles &files, const LaunchPlan &plan) {
  // Shapes, types, distributions and the class decide inputs and tolerances; kernels do not.
  LaunchPlan shape;
  shape.problem = plan.problem;
  shape.precision = plan.precision;
  shape.inputs = plan.inputs;
  shape.outputs = plan.outputs;
  std::string printed = shape.print();
  std::string key = contentKey({files.graph, printed});
  auto &slot = references[key];
  if (!slot) {
    // One problem at a time: answers can fill gigabytes.
    references.clear();
    ReferenceOptions options;
    options.seed = parts.seed;
    options.threads = parts.threads;
    auto built = buildReference(*parts.oracle, files.graph, plan, options);
    if (!built)
      return built.takeError();
    references[key] = std::move(*built);
  }
  return references[key].get();
}

void Evaluator::prepare(const std::string &cuda) {
  CompileOptions options;
  options.arch = parts.arch;
  if (auto result = parts.compiler->compile(cuda, options); !result)
    llvm::consumeError(result.takeError());
}

llvm::Expected<bool> Evaluator::compile(const CandidateFiles &files, const LaunchPlan &plan, Measurement &out,
                                        std::string &artifact) {
  CompileOptions options;
  options.arch = parts.arch;
  auto result = parts.compiler->compile(files.cuda, options);
  if (!result)
    return result.takeError();
  if (auto *failed = std::get_if<CompileFailed>(&*result)) {
    log = failed->log;
    out.verdict = failed->timedOut ? Verdict::Timeout : failed->unsupported ? Verdict::Unsupported : Verdict::Reject;
    out.detail = failed->reason;
    return false;
  }
  Compiled &compiled = std::get<Compiled>(*result);
  log = compiled.log;
  ptx = compiled.ptx;
  artifact = compiled.artifact;
  out.compileSeconds = compiled.seconds;
  out.kernels = compiled.kernels;
  std::set<std::string> defined;
  for (KernelResources &kernel : out.kernels) {
    defined.insert(kernel.kernel);
    for (const Launch &launch : plan.launches) {
      if (launch.kernel != kernel.kernel)
        continue;
      if (parts.device == "host") {
        // The host has more shared memory than any card: hold kernels to what they were made for.
        if (kernel.sharedBytes + launch.sharedBytes > hostSharedLimit) {
          out.verdict = Verdict::Reject;
          out.detail = kernel.kernel + " needs " + std::to_string(kernel.sharedBytes + launch.sharedBytes) +
                       " bytes of shared memory, a card gives a block at most " + std::to_string(hostSharedLimit);
          return false;
        }
        continue;
      }
      int64_t threads = launch.block[0] * launch.block[1] * launch.block[2];
      kernel.occupancy = occupancy(kernel, int(threads), launch.sharedBytes);
      if (kernel.occupancy == 0) {
        out.verdict = Verdict::Reject;
        out.detail = kernel.kernel + " cannot run: " + std::to_string(threads) + " threads of " +
                     std::to_string(kernel.registers) + " registers and " +
                     std::to_string(kernel.sharedBytes + launch.sharedBytes) +
                     " bytes of shared memory do not fit a multiprocessor";
        return false;
      }
    }
  }
  for (const Launch &launch : plan.launches)
    if (!defined.count(launch.kernel)) {
      out.verdict = Verdict::Reject;
      out.detail = "the plan launches " + launch.kernel + ", which kernel.cu does not define as extern \"C\"";
      return false;
    }
  return true;
}

llvm::Expected<bool> Evaluator::verify(CandidateProcess &process, const LaunchPlan &plan, const Reference &reference,
                                       const EvaluateOptions &options, bool atomics, Measurement &out) {
  std::mt19937 random(uint32_t(parts.seed >> 7));
  auto compare = [&](const ReferenceSet &set) {
    return compareWithReference(plan, set, [&](unsigned i) { return process.output(i); }, parts.threads);
  };
  // The set to time on comes last: the outputs of timed runs are compared with it.
  for (size_t n = reference.sets.size(); n-- > 0;) {
    const ReferenceSet &set = reference.sets[n];
    RunRequest request;
    // A quiet NaN whose payload differs from run to run.
    request.poison = 0x7fc00000u | (uint32_t(random()) & 0x3fffffu) | 1u;
    std::string differs;
    auto outcome = process.run(unsigned(n), request, false, differs);
    if (!outcome)
      return outcome.takeError();
    if (*outcome) {
      out.verdict = (*outcome)->verdict;
      out.detail = (*outcome)->detail;
      return false;
    }
    SetVerdict verdict = compare(set);
    out.errors.push_back({set.set.name(), verdict.worst});
    if (n == 0)
      out.tolerance = verdict.tolerance;
    if (!verdict.passed) {
      out.verdict = Verdict::Wrong;
      out.detail = verdict.detail;
      return false;
    }
  }
  std::reverse(out.errors.begin(), out.errors.end());
  for (int i = 0; i < options.repeats; ++i) {
    RunRequest request;
    // Another poison, of large numbers this time: what depends on unwritten memory changes.
    request.poison = 0x4b000000u | (uint32_t(random()) & 0x7fffffu);
    request.descending = i % 2 == 0;
    std::string differs;
    auto outcome = process.run(0, request, !atomics, differs);
    if (!outcome)
      return outcome.takeError();
    if (*outcome) {
      out.verdict = (*outcome)->verdict;
      out.detail = (*outcome)->detail;
      return false;
    }
    if (atomics) {
      // The order of atomic additions is free, so bits may differ, within the tolerance.
      SetVerdict verdict = compare(reference.sets[0]);
      if (!verdict.passed)
        differs = verdict.detail;
    }
    if (differs.empty())
      continue;
    out.verdict = Verdict::Race;
    out.detail = "run " + std::to_string(i + 2) + " on the same input gives another result (" + differs + ")";
    out.detail += request.descending && parts.device == "host"
                      ? ": with threads in descending order, so a barrier or a wait is missing, or memory is read "
                        "that nothing wrote"
                      : ": a barrier is missing, or memory is read that nothing wrote";
    return false;
  }
  return true;
}

llvm::Error Evaluator::measureTime(CandidateProcess &process, const LaunchPlan &plan, const EvaluateOptions &options,
                                   bool atomics, Measurement &out) {
  TimingRequest request;
  request.samples = options.samples;
  request.cold = options.cold;
  std::string differs;
  auto outcome = process.time(request, out.samples, differs);
  if (!outcome)
    return outcome.takeError();
  if (*outcome) {
    out.verdict = (*outcome)->verdict;
    out.detail = (*outcome)->detail;
    return llvm::Error::success();
  }
  if (!differs.empty() && !atomics) {
    out.verdict = Verdict::Cheat;
    out.detail = "the result of the timed runs is another one than the verified one (" + differs + ")";
    return llvm::Error::success();
  }
  out.timeUs = median(out.samples);
  if (auto rates = findDeviceRates(parts.card.name)) {
    out.floorUs = floorMicroseconds(*rates, plan.compulsoryBytes(), options.flops, plan.precision);
    double least = plan.compulsoryBytes() / rates->peakBytes * 1e6;
    if (options.cold && out.timeUs < least) {
      out.verdict = Verdict::Cheat;
      char text[160];
      snprintf(text, sizeof text, "%.3g us is less than the memory needs to move the inputs and outputs, %.3g us",
               out.timeUs, least);
      out.detail = text;
    }
  }
  return llvm::Error::success();
}

llvm::Expected<Measurement> Evaluator::measure(const CandidateFiles &files, const EvaluateOptions &options) {
  Measurement out;
  log.clear();
  ptx.clear();
  out.device = parts.device + (parts.card.name.empty() ? "" : " " + parts.card.name);
  auto plan = LaunchPlan::parse(files.plan);
  if (!plan) {
    out.verdict = Verdict::Reject;
    out.detail = llvm::toString(plan.takeError());
    return out;
  }
  if (!options.precision.empty() && options.precision != plan->precision) {
    // A stricter class would be no cheat, but numbers of different classes must not stand side by side.
    out.precision = plan->precision;
    out.verdict = Verdict::Reject;
    out.detail = "the plan claims precision class " + plan->precision + ", the problem asks for " + options.precision;
    return out;
  }
  out.precision = plan->precision;
  std::string artifact;
  // Before the oracle is asked: what does not compile should not cost an answer.
  auto compiled = compile(files, *plan, out, artifact);
  if (!compiled)
    return compiled.takeError();
  if (!*compiled)
    return out;
  auto reference = referenceFor(files, *plan);
  if (!reference)
    return reference.takeError();

  // The worker reads a plan that we checked, not the folder's file, which may change under us.
  llvm::SmallString<128> planFile;
  int fd;
  if (std::error_code error = fs::createTemporaryFile("kgen-plan", "json", fd, planFile))
    return llvm::createStringError("cannot write a temporary file: %s", error.message().c_str());
  close(fd);
  struct Remove {
    const llvm::SmallString<128> &path;
    ~Remove() { fs::remove(path); }
  } remove{planFile};
  if (llvm::Error error = writeFileAtomically(planFile, plan->print()))
    return std::move(error);

  CandidateJob job;
  job.device = parts.device;
  job.planFile = planFile.str().str();
  job.artifact = artifact;
  job.plan = &*plan;
  job.runSeconds = options.runSeconds;
  for (const ReferenceSet &set : (*reference)->sets)
    job.inputSets.push_back(&set.inputs);
  std::unique_ptr<CandidateProcess> process;
  auto outcome = parts.runner->start(job, process);
  if (!outcome)
    return outcome.takeError();
  if (*outcome) {
    out.verdict = (*outcome)->verdict;
    out.detail = (*outcome)->detail;
    return out;
  }
  // By the text: a plan that had to declare them could lie.
  bool atomics = llvm::StringRef(files.cuda).contains("atomicAdd");
  auto verified = verify(*process, *plan, **reference, options, atomics, out);
  if (!verified)
    return verified.takeError();
  if (!*verified)
    return out;
  out.verdict = Verdict::Pass;
  if (options.time)
    if (llvm::Error error = measureTime(*process, *plan, options, atomics, out))
      return std::move(error);
  if (out.passed())
    out.diagnosis = diagnose(out, *plan);
  return out;
}
