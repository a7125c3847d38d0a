//===- CardAnswers.cpp - The fp64 answer on a card ------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The published sizes are too large for one CPU core. The generic lowering of
// the graph, promoted to fp64, answers on the card instead, after it agreed
// with the CPU's oracle at a reduced size (docs/evaluation.md, root of trust).
// It runs in the judge's process, where the answers stay.
//
//===----------------------------------------------------------------------===//
#include "kgen/Toolchain/SiblingTool.h"

#include "JudgeServer.h"
#include "JudgeSession.h"

#include "kgen/Device/Parallel.h"
#include "kgen/Judge/Answers.h"
#include "kgen/Judge/JudgeProcess.h"
#include "kgen/Judge/Verify.h"
#include "kgen/Toolchain/Cache.h"
#include "kgen/Toolchain/Compiler.h"
#include "kgen/Toolchain/Process.h"
#include "kgen/Toolchain/Scratch.h"
#include "kgen/Toolchain/TimeTrace.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/TimeProfiler.h"

#include <algorithm>
#include <cstring>
#include <future>
#include <map>
#include <mutex>

using namespace kgen;
using namespace kgen::judge;
namespace fs = llvm::sys::fs;

namespace {

/// Both sides are fp64, and differ in the order of their sums only.
constexpr double agreement = 1e-9;
/// Answers that the card must have room for.
constexpr size_t fewestSets = 2;
/// What the CPU may be asked for in the card's place: some thirty questions of so many take 16 cores two minutes.
constexpr double mostCpuFlops = 2e11;

bool isDeclared(Computed what) { return what == Computed::Declared || what == Computed::DeclaredTF32; }

/// A graph's fp64 kernels, ready to run.
struct CardProgram {
  candidate::LaunchPlan plan;
  std::string planFile, artifact;
};

class CardAnswers : public AnswerSource {
public:
  CardAnswers(std::string device, std::string arch, std::shared_ptr<toolchain::Compiler> compiler,
              std::unique_ptr<AnswerSource> cpu, UseCard useCard)
      : servers(std::move(device)), arch(std::move(arch)), compiler(std::move(compiler)), cpu(std::move(cpu)),
        useCard(std::move(useCard)) {
    // Both take a good part of a second, and nobody has asked yet.
    servers.begin();
    kernels = std::async(std::launch::async, [this] {
      toolchain::ThreadTrace traced;
      CardProgram own;
      llvm::Error error = compile(judgeKernelsText(), own);
      return Kernels{own.artifact, error ? llvm::toString(std::move(error)) : ""};
    });
  }

  llvm::Expected<std::vector<Answer>> answer(llvm::StringRef graph,
                                             llvm::ArrayRef<llvm::ArrayRef<double>> inputs) override {
    return cpu->answer(graph, inputs);
  }
  llvm::Expected<std::vector<Answer>> compute(Computed what, llvm::StringRef graph,
                                              llvm::ArrayRef<llvm::ArrayRef<double>> inputs) override {
    return cpu->compute(what, graph, inputs);
  }
  llvm::Expected<GraphTraits> traits(llvm::StringRef graph, llvm::ArrayRef<double> largest, double products) override {
    return cpu->traits(graph, largest, products);
  }
  llvm::Expected<double> flops(llvm::StringRef graph) override { return cpu->flops(graph); }
  void rest(llvm::StringRef graph) override { cpu->rest(graph); }
  void stay() override { cpu->stay(); }

  void prepare(llvm::StringRef graph, const candidate::LaunchPlan &plan) override {
    if (!isForCard(graph, plan))
      return;
    servers.begin();
    auto scratch = toolchain::ScratchFolder::create("card");
    if (!scratch)
      return llvm::consumeError(scratch.takeError());
    // Whoever asks later finds the machine code in the cache, and the reduced form known.
    auto files = writeForms(graph, scratch->path());
    if (!files)
      return llvm::consumeError(files.takeError());
    auto ignore = [](const CardProgram &) { return llvm::Error::success(); };
    llvm::consumeError(
        useWhenAgreed(scratch->path(), files->full, files->reduced, files->reducedText, Computed::Answers, ignore));
    // A wrong answer is held against it, and admission tries some.
    llvm::consumeError(lower(scratch->path(), files->full, "whole", declaredOf(plan.precision)).takeError());
  }

  llvm::Expected<std::unique_ptr<Judge>> judge(llvm::StringRef graph, const candidate::LaunchPlan &plan,
                                               unsigned threads) override {
    if (!isForCard(graph, plan))
      return cpu->judge(graph, plan, threads);
    servers.begin();
    auto scratch = toolchain::ScratchFolder::create("card");
    if (!scratch)
      return scratch.takeError();
    auto judge = learn(graph, plan, scratch->path());
    if (!judge || (*judge)->room() >= fewestSets)
      return judge;
    // The card has no room for as many answers as a verdict needs. The CPU is slow but right; what it would come to no
    // end with is left to whoever can make room.
    auto flops = cpu->flops(graph);
    if (!flops)
      return flops.takeError();
    if (*flops > mostCpuFlops)
      return llvm::createStringError("no right answers: the card is out of memory, and the CPU would take too long");
    judge->reset();
    return cpu->judge(graph, plan, threads);
  }

private:
  bool isForCard(llvm::StringRef graph, const candidate::LaunchPlan &plan) {
    return inputElements(plan) >= smallElements || !isQuick(graph);
  }

  /// Whether the CPU answers sooner than the card's processes have started.
  bool isQuick(llvm::StringRef graph) {
    auto flops = cpu->flops(graph);
    if (flops)
      return *flops < quickFlops;
    llvm::consumeError(flops.takeError());
    return true;
  }

  /// A graph and its reduced form, as files.
  struct Forms {
    std::string full, reduced;
    std::string reducedText;
  };

  llvm::Expected<Forms> writeForms(llvm::StringRef graph, const std::string &folder) {
    Forms out{folder + "/graph.mlir", folder + "/reduced.mlir", ""};
    if (llvm::Error error = toolchain::writeFileAtomically(out.full, graph))
      return std::move(error);
    bool declared = graph.contains("kgen.small");
    if (auto error = tool("kgen-opt",
                          {out.full, declared ? "--kgen-resize=size=small"
                                              : "--kgen-resize=max-flops=1e7 max-elements=100000 slack=2000 cut=true"},
                          out.reduced))
      return std::move(error);
    auto text = toolchain::readWholeFile(out.reduced);
    if (!text)
      return text.takeError();
    out.reducedText = withoutNames(std::move(*text));
    if (llvm::Error error = toolchain::writeFileAtomically(out.reduced, out.reducedText))
      return std::move(error);
    return std::move(out);
  }

  /// Lowers the graph, holds its reduced form against the CPU, and starts the whole one.
  llvm::Expected<std::unique_ptr<Judge>> learn(llvm::StringRef graph, const candidate::LaunchPlan &plan,
                                               const std::string &folder) {
    auto files = writeForms(graph, folder);
    if (!files)
      return files.takeError();
    std::unique_ptr<Judge> judge;
    auto begin = [&](const CardProgram &whole) -> llvm::Error {
      auto started =
          start(whole, plan,
                [this, graph = graph.str(), reduced = files->reducedText](Computed what, JudgeJob::UseProgram use) {
                  return makeProgram(what, graph, reduced, use);
                });
      if (started)
        judge = std::move(*started);
      return started.takeError();
    };
    // A wrong answer is held against what the graph's own types make of it, as a rule: its machine code is in the
    // cache when admission asks.
    std::future<void> ownTypes = std::async(std::launch::async, [&] {
      toolchain::ThreadTrace traced;
      llvm::consumeError(lower(folder, files->full, "own-types", declaredOf(plan.precision)).takeError());
    });
    llvm::Error error =
        useWhenAgreed(folder, files->full, files->reduced, files->reducedText, Computed::Answers, begin);
    ownTypes.wait();
    if (error)
      return std::move(error);
    return std::move(judge);
  }

  /// Has USE begin with the program of FULL, a file, and holds that of REDUCED, whose text is TEXT, against the CPU
  /// beside it: compilers and processes take seconds to start. An error where either does not come to a good end.
  llvm::Error useWhenAgreed(const std::string &folder, const std::string &full, const std::string &reduced,
                            llvm::StringRef text, Computed what,
                            llvm::function_ref<llvm::Error(const CardProgram &)> use) {
    llvm::Error used = llvm::Error::success(), disagreed = llvm::Error::success();
    device::parallelEach(2, 2, [&](size_t i) {
      if (i == 0) {
        auto whole = lower(folder, full, "whole", what);
        used = llvm::joinErrors(std::move(used), whole ? use(*whole) : whole.takeError());
      } else {
        disagreed = llvm::joinErrors(std::move(disagreed), ensureAgreement(folder, reduced, text, what));
      }
    });
    if (!disagreed)
      return used;
    llvm::consumeError(std::move(used));
    return disagreed;
  }

  /// The same for what else is computed of the graph, when it is needed first. In fp64 it has to agree with the CPU's,
  /// too.
  llvm::Error makeProgram(Computed what, const std::string &graph, const std::string &reduced,
                          JudgeJob::UseProgram use) {
    auto scratch = toolchain::ScratchFolder::create("card");
    if (!scratch)
      return scratch.takeError();
    const std::string folder = scratch->path();
    const std::string full = folder + "/graph.mlir", small = folder + "/reduced.mlir";
    for (auto [file, text] : {std::pair(&full, &graph), std::pair(&small, &reduced)})
      if (llvm::Error error = toolchain::writeFileAtomically(*file, *text))
        return error;
    auto load = [&](const CardProgram &program) { return use(program.planFile, program.artifact); };
    if (!isDeclared(what))
      return useWhenAgreed(folder, full, small, reduced, what, load);
    // In the types that the graph declares there is nothing that the CPU could confirm to 1e-9.
    auto program = lower(folder, full, "whole", what);
    return program ? load(*program) : program.takeError();
  }

  /// SHAPE's inputs and outputs are those that the judge is shown.
  llvm::Expected<std::unique_ptr<Judge>> start(const CardProgram &program, const candidate::LaunchPlan &shape,
                                               decltype(JudgeJob::makeProgram) makeProgram = nullptr) {
    llvm::TimeTraceScope trace("start a judge");
    JudgeJob job;
    job.makeProgram = std::move(makeProgram);
    job.programFile = program.planFile;
    job.artifact = program.artifact;
    job.shapeFile = program.planFile + ".shape"; // the whole and the reduced form start side by side
    if (!kernels.get().fault.empty())
      return llvm::createStringError("the judge's kernels: " + kernels.get().fault);
    job.kernels = kernels.get().artifact;
    job.shape = &shape;
    job.useCard = useCard;
    if (llvm::Error error = toolchain::writeFileAtomically(job.shapeFile, shape.print()))
      return std::move(error);
    return startJudge(servers, job);
  }

  /// Whether the program of REDUCED, a file whose text is TEXT, computes what the CPU does. Layers of a network that
  /// differ in extents have the same reduced form: whoever comes first looks, the others wait for what comes of it.
  llvm::Error ensureAgreement(const std::string &folder, const std::string &reduced, llvm::StringRef text,
                              Computed what) {
    auto lowered = lowerToText(folder, reduced, "reduced", what);
    if (!lowered)
      return lowered.takeError();
    const std::string key = toolchain::contentKey({lowered->cuda, withoutDrawing(text.str()), describe(what)});
    std::shared_ptr<Agreement> agreement;
    {
      std::lock_guard<std::mutex> guard(lock);
      auto &known = agreements[key];
      if (!known)
        known = std::make_shared<Agreement>();
      agreement = known;
    }
    std::lock_guard<std::mutex> guard(agreement->lock);
    if (agreement->holds)
      return llvm::Error::success();
    llvm::Error disagreed = agree(*lowered, text, what);
    cpu->rest(text);
    agreement->holds = !disagreed;
    return disagreed;
  }

  /// GRAPH, MLIR text, with its function called `task`, as no kernel's name is to tell two layers apart.
  static std::string withoutNames(std::string graph) {
    constexpr llvm::StringLiteral keyword = "func.func @";
    const size_t begin = graph.find(keyword.str()), end = graph.find('(', begin);
    if (begin != std::string::npos && end != std::string::npos)
      graph.replace(begin + keyword.size(), end - begin - keyword.size(), "task");
    return graph;
  }

  /// GRAPH, MLIR text, without how its arguments are drawn and where it comes from.
  static std::string withoutDrawing(std::string graph) {
    for (auto [name, last] :
         {std::pair("kgen.init = \"", '"'), std::pair("kgen.name = \"", '"'), std::pair("kgen.problem = \"", '"'),
          std::pair("kgen.source = \"", '"'), std::pair("kgen.count = ", ':')})
      for (size_t at = 0; (at = graph.find(name, at)) != std::string::npos;) {
        const size_t end = graph.find(last, at + strlen(name));
        graph.erase(at, end == std::string::npos ? end : end + 1 - at);
      }
    return graph;
  }

  /// A program whose machine code is not there yet.
  struct LoweredText {
    CardProgram program;
    std::string cuda;
  };

  /// The reduced form's answer is held against the CPU's, which plays the candidate. The CPU answers while the card's
  /// program is compiled and started.
  llvm::Error agree(LoweredText &small, llvm::StringRef graph, Computed what) {
    const candidate::LaunchPlan &plan = small.program.plan;
    size_t total;
    std::vector<size_t> offsets = device::packBuffers(plan.inputs, 0, total);
    auto memory = device::SharedMemory::create(total);
    if (!memory)
      return memory.takeError();
    candidate::LaunchPlan shape = plan;
    for (candidate::BufferSpec &output : shape.outputs)
      output.dtype = candidate::DType::F64;
    std::vector<Answer> expected;
    std::unique_ptr<Judge> judge;
    llvm::Error asked = llvm::Error::success(), started = llvm::Error::success();
    device::parallelEach(2, 2, [&](size_t i) {
      if (i == 0)
        asked = llvm::joinErrors(std::move(asked),
                                 askCpu(plan.inputs, graph, what, memory->data(), offsets).moveInto(expected));
      else
        started = llvm::joinErrors(std::move(started), begin(small, shape).moveInto(judge));
    });
    if (llvm::Error error = llvm::joinErrors(std::move(started), std::move(asked)))
      return error;
    llvm::TimeTraceScope trace("hold against the CPU", llvm::StringRef(describe(what)));
    offsets = device::packBuffers(shape.outputs, 4096, total);
    auto shown = device::SharedMemory::create(total);
    if (!shown)
      return shown.takeError();
    Question question;
    question.inputs = DrawnInputs::of(*memory);
    if (auto found = judge->examine(0, question); !found)
      return found.takeError();
    if (expected.size() != shape.outputs.size())
      return llvm::createStringError("the graph returns %zu tensors, the card's oracle computes %zu", expected.size(),
                                     shape.outputs.size());
    for (unsigned i = 0; i < shape.outputs.size(); ++i) {
      const candidate::BufferSpec &spec = shape.outputs[i];
      if (int64_t(expected[i].size()) != spec.elements())
        return llvm::createStringError("output %u has %zu elements by the CPU, %lld by the card", i, expected[i].size(),
                                       (long long)spec.elements());
      Exhibit exhibit;
      exhibit.kind = Exhibit::Outputs;
      exhibit.bytes = shown->data() + offsets[i];
      exhibit.memory = &*shown;
      std::copy_n(expected[i].data(), expected[i].size(), reinterpret_cast<double *>(shown->data() + offsets[i]));
      auto c = judge->compare(0, i, exhibit, 0);
      if (!c)
        return c.takeError();
      if (!(c->norms.l2 <= agreement))
        return llvm::createStringError("the card's fp64 answer disagrees with the CPU's at the reduced size: %s",
                                       describeElement(spec, c->worst, c->expected, c->found).c_str());
    }
    return llvm::Error::success();
  }

  /// What the CPU makes of GRAPH with INPUTS as they are declared, which are left at OFFSETS of BYTES.
  llvm::Expected<std::vector<Answer>> askCpu(llvm::ArrayRef<candidate::BufferSpec> inputs, llvm::StringRef graph,
                                             Computed what, char *bytes, llvm::ArrayRef<size_t> offsets) {
    llvm::TimeTraceScope trace("ask the CPU", llvm::StringRef(describe(what)));
    std::vector<std::vector<double>> values(inputs.size());
    std::vector<llvm::ArrayRef<double>> views;
    for (unsigned i = 0; i < values.size(); ++i) {
      char *at = bytes + offsets[i];
      if (llvm::Error error = fillInput(inputs[i], i, InputSet{InputKind::Declared, 20260829, 0},
                                        llvm::MutableArrayRef(at, inputs[i].bytes())))
        return std::move(error);
      values[i].resize(size_t(inputs[i].elements()));
      widen(inputs[i].dtype, at, values[i].data(), inputs[i].elements());
      views.push_back(values[i]);
    }
    return cpu->compute(what, graph, views);
  }

  llvm::Expected<std::unique_ptr<Judge>> begin(LoweredText &small, const candidate::LaunchPlan &shape) {
    if (llvm::Error error = compile(small.cuda, small.program))
      return std::move(error);
    return start(small.program, shape);
  }

  llvm::Expected<CardProgram> lower(const std::string &folder, const std::string &graph, const std::string &name,
                                    Computed what) {
    auto lowered = lowerToText(folder, graph, name, what);
    if (!lowered)
      return lowered.takeError();
    if (llvm::Error error = compile(lowered->cuda, lowered->program))
      return std::move(error);
    return std::move(lowered->program);
  }

  llvm::Expected<LoweredText> lowerToText(const std::string &folder, const std::string &graph, const std::string &name,
                                          Computed what) {
    llvm::TimeTraceScope trace("lower the oracle", llvm::StringRef(name));
    std::string lowered = folder + "/" + name + ".lowered.mlir", cuda = folder + "/" + name + ".cu";
    LoweredText out;
    out.program.planFile = folder + "/" + name + ".plan.json";
    std::vector<std::string> passes = {graph};
    if (!isDeclared(what))
      passes.push_back("--kgen-promote-f64");
    if (what == Computed::Magnitudes)
      passes.insert(passes.end(), {"--kgen-convert-aten-to-linalg", "--kgen-magnitudes"});
    if (what == Computed::Reach)
      passes.insert(passes.end(), {"--kgen-convert-aten-to-linalg", "--kgen-reach"});
    if (what == Computed::DeclaredTF32)
      passes.insert(passes.end(), {"--kgen-convert-aten-to-linalg", "--kgen-round-factors"});
    // What is held against the CPU is small, and to have the tiles of the whole nevertheless.
    const char *tiles = isDeclared(what)    ? "--kgen-lower=contiguous-slices separate-results tiled-products"
                        : name == "reduced" ? "--kgen-lower=contiguous-slices separate-results wide-tiles=1"
                                            : "--kgen-lower=contiguous-slices separate-results";
    // A network's layers are alike, and so are a layer's time steps.
    passes.insert(passes.end(), {tiles, "--kgen-merge-sources"});
    if (auto error = tool("kgen-opt", passes, lowered))
      return std::move(error);
    if (auto error = tool("kgen-translate", {lowered, "--kgen-to-cuda"}, cuda))
      return std::move(error);
    if (auto error = tool("kgen-translate", {lowered, "--kgen-to-plan"}, out.program.planFile))
      return std::move(error);
    auto source = toolchain::readWholeFile(cuda);
    if (!source)
      return source.takeError();
    auto plan = toolchain::readWholeFile(out.program.planFile);
    if (!plan)
      return plan.takeError();
    auto parsed = candidate::LaunchPlan::parse(*plan);
    if (!parsed)
      return parsed.takeError();
    out.program.plan = std::move(*parsed);
    out.cuda = std::move(*source);
    return std::move(out);
  }

  /// How many kernels of CUDA work in which way, by the comments above them.
  static std::string describeKernels(llvm::StringRef cuda) {
    const size_t wide = cuda.count("per wide tile of outputs."), tiles = cuda.count("per tile of outputs."),
                 all = cuda.count("__global__");
    return std::to_string(wide) + " kernels by wide tiles, " + std::to_string(tiles) + " by tiles, " +
           std::to_string(all - wide - tiles) + " others";
  }

  llvm::Error compile(llvm::StringRef cuda, CardProgram &program) {
    llvm::TimeTraceScope trace("compile the oracle", [&] { return describeKernels(cuda); });
    toolchain::CompileOptions options;
    options.arch = arch;
    auto compiled = compiler->compile(cuda, options);
    if (!compiled)
      return compiled.takeError();
    if (auto *failed = std::get_if<toolchain::CompileFailed>(&*compiled))
      return llvm::createStringError("the card's oracle does not compile: %s", failed->reason.c_str());
    program.artifact = std::get<toolchain::Compiled>(*compiled).artifact;
    return llvm::Error::success();
  }

  /// Runs one of kgen's tools; OUTPUT is its -o.
  llvm::Error tool(const char *name, std::vector<std::string> arguments, const std::string &output) {
    std::string program = toolchain::siblingTool(name);
    if (!fs::can_execute(program))
      return llvm::createStringError("the card's oracle needs %s, which is not there", program.c_str());
    auto complaint = toolchain::runSiblingTool(program, arguments, output);
    if (!complaint)
      return complaint.takeError();
    if (*complaint)
      return llvm::createStringError("%s failed for the card's oracle: %s", name, (*complaint)->c_str());
    return llvm::Error::success();
  }

  JudgeServers servers;
  std::string arch;
  std::shared_ptr<toolchain::Compiler> compiler;
  std::unique_ptr<AnswerSource> cpu;
  UseCard useCard;

  /// The machine code of judge_kernels.cu, or why there is none.
  struct Kernels {
    std::string artifact, fault;
  };
  std::shared_future<Kernels> kernels; ///< after what its thread reads

  /// What is known of one reduced form.
  struct Agreement {
    std::mutex lock; ///< who looks
    bool holds = false;
  };
  std::mutex lock;
  std::map<std::string, std::shared_ptr<Agreement>> agreements; ///< by program, graph and what it computes
};

} // namespace

std::unique_ptr<AnswerSource> kgen::judge::createCardOracle(std::string device, std::string arch,
                                                            std::shared_ptr<toolchain::Compiler> compiler,
                                                            std::unique_ptr<AnswerSource> cpu, UseCard useCard) {
  return std::make_unique<CardAnswers>(std::move(device), std::move(arch), std::move(compiler), std::move(cpu),
                                       std::move(useCard));
}
