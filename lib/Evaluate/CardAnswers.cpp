//===- CardAnswers.cpp - The fp64 answer on a card ------------------------===//
//
// The published sizes are too large for one CPU core. The generic lowering of
// the graph, promoted to fp64, answers on the card instead, after it agreed
// with the CPU's oracle at a reduced size (docs/evaluation.md, root of trust). It
// runs as any candidate does, in a process of its own.
//
//===----------------------------------------------------------------------===//
#include "kgen/Evaluate/Answers.h"
#include "kgen/Evaluate/CandidateProcess.h"
#include "kgen/Evaluate/Verify.h"
#include "kgen/Toolchain/Cache.h"
#include "kgen/Toolchain/Compiler.h"
#include "kgen/Toolchain/Process.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <cstring>
#include <mutex>

using namespace kgen;
namespace fs = llvm::sys::fs;

namespace {

/// Both sides are fp64, and differ in the order of their sums only.
constexpr double agreement = 1e-9;
/// Graphs with fewer input elements than this are the CPU's: it answers before a process has started.
constexpr int64_t smallElements = 1 << 20;

/// A graph's fp64 kernels, ready to run.
struct CardProgram {
  LaunchPlan plan;
  std::string planFile, artifact;
};

class CardAnswers : public AnswerSource {
public:
  CardAnswers(std::string device, std::string arch, std::shared_ptr<Compiler> compiler,
              std::shared_ptr<CandidateRunner> runner, std::unique_ptr<AnswerSource> cpu)
      : device(std::move(device)), arch(std::move(arch)), compiler(std::move(compiler)), runner(std::move(runner)),
        cpu(std::move(cpu)) {}
  ~CardAnswers() override { forget(); }

  llvm::Expected<std::vector<Answer>> answer(llvm::StringRef graph,
                                             llvm::ArrayRef<llvm::ArrayRef<double>> inputs) override {
    int64_t elements = 0;
    for (llvm::ArrayRef<double> input : inputs)
      elements += int64_t(input.size());
    if (elements < smallElements)
      return cpu->answer(graph, inputs);
    std::unique_lock<std::mutex> guard(learning);
    if (graph != known) {
      forget();
      if (llvm::Error error = learn(graph))
        return std::move(error);
      known = graph.str();
    }
    guard.unlock(); // questions about one graph run side by side
    return run(program, inputs);
  }

  void rest() override { cpu->rest(); }

private:
  /// Lowers the graph and holds its reduced form against the CPU.
  llvm::Error learn(llvm::StringRef graph) {
    llvm::SmallString<128> made;
    if (std::error_code error = fs::createUniqueDirectory("kgen-card-oracle", made))
      return llvm::createStringError("cannot make a folder for the card's oracle: %s", error.message().c_str());
    folder = made.str().str();
    std::string full = folder + "/graph.mlir", reduced = folder + "/reduced.mlir";
    if (llvm::Error error = writeFileAtomically(full, graph))
      return error;
    bool declared = graph.contains("kgen.small");
    if (auto error = tool(
            "kgen-opt",
            {full, declared ? "--kgen-resize=size=small" : "--kgen-resize=max-flops=1e7 max-elements=100000"}, reduced))
      return error;
    auto text = readWholeFile(reduced);
    if (!text)
      return text.takeError();
    auto small = lower(reduced, "reduced");
    if (!small)
      return small.takeError();
    if (llvm::Error error = agree(*small, *text))
      return error;
    auto whole = lower(full, "whole");
    if (!whole)
      return whole.takeError();
    program = std::move(*whole);
    return llvm::Error::success();
  }

  llvm::Error agree(const CardProgram &small, llvm::StringRef graph) {
    std::vector<std::vector<double>> values(small.plan.inputs.size());
    std::vector<llvm::ArrayRef<double>> views;
    for (unsigned i = 0; i < values.size(); ++i) {
      const BufferSpec &spec = small.plan.inputs[i];
      std::vector<char> bytes(spec.bytes());
      if (llvm::Error error = fillInput(spec, i, InputSet{InputKind::Declared, 20260829, 0}, bytes))
        return error;
      values[i].resize(size_t(spec.elements()));
      widen(spec.dtype, bytes.data(), values[i].data(), spec.elements());
      views.push_back(values[i]);
    }
    auto expected = cpu->answer(graph, views);
    if (!expected)
      return expected.takeError();
    auto found = run(small, views);
    if (!found)
      return found.takeError();
    for (unsigned i = 0; i < small.plan.outputs.size(); ++i) {
      Comparison c = compareOutput(DType::F64, (*found)[i].data(), (*expected)[i].data(), int64_t((*found)[i].size()));
      if (!(c.norms.l2 <= agreement))
        return llvm::createStringError("the card's fp64 answer disagrees with the CPU's at the reduced size: %s",
                                       describeElement(small.plan.outputs[i], c.worst, c.found, c.expected).c_str());
    }
    return llvm::Error::success();
  }

  llvm::Expected<CardProgram> lower(const std::string &graph, const std::string &name) {
    std::string lowered = folder + "/" + name + ".lowered.mlir", cuda = folder + "/" + name + ".cu";
    CardProgram out;
    out.planFile = folder + "/" + name + ".plan.json";
    if (auto error = tool("kgen-opt", {graph, "--kgen-promote-f64", "--kgen-lower"}, lowered))
      return std::move(error);
    if (auto error = tool("kgen-translate", {lowered, "--kgen-to-cuda"}, cuda))
      return std::move(error);
    if (auto error = tool("kgen-translate", {lowered, "--kgen-to-plan"}, out.planFile))
      return std::move(error);
    auto source = readWholeFile(cuda);
    if (!source)
      return source.takeError();
    auto plan = readWholeFile(out.planFile);
    if (!plan)
      return plan.takeError();
    auto parsed = LaunchPlan::parse(*plan);
    if (!parsed)
      return parsed.takeError();
    out.plan = std::move(*parsed);
    CompileOptions options;
    options.arch = arch;
    auto compiled = compiler->compile(*source, options);
    if (!compiled)
      return compiled.takeError();
    if (auto *failed = std::get_if<CompileFailed>(&*compiled))
      return llvm::createStringError("the card's oracle does not compile: %s", failed->reason.c_str());
    out.artifact = std::get<Compiled>(*compiled).artifact;
    return out;
  }

  /// Runs one of kgen's tools; OUTPUT is its -o.
  llvm::Error tool(const char *name, std::vector<std::string> arguments, const std::string &output) {
    std::string program = llvm::sys::path::parent_path(workerBinary()).str() + "/" + name;
    if (!fs::can_execute(program))
      return llvm::createStringError("the card's oracle needs %s, which is not there", program.c_str());
    ProcessRequest request;
    request.arguments = {program};
    request.arguments.insert(request.arguments.end(), arguments.begin(), arguments.end());
    request.arguments.insert(request.arguments.end(), {"-o", output});
    ProcessLimits limits;
    limits.wallSeconds = 120;
    auto result = runProcess(request, limits);
    if (!result)
      return result.takeError();
    if (result->end != ProcessResult::End::Exited || result->code != 0)
      return llvm::createStringError("%s failed for the card's oracle: %s", name,
                                     llvm::StringRef(result->output).split('\n').first.str().c_str());
    return llvm::Error::success();
  }

  llvm::Expected<std::vector<Answer>> run(const CardProgram &what, llvm::ArrayRef<llvm::ArrayRef<double>> inputs) {
    if (inputs.size() != what.plan.inputs.size())
      return llvm::createStringError("the graph takes %zu arguments, not %zu", what.plan.inputs.size(), inputs.size());
    size_t total = 0;
    std::vector<size_t> offsets = packBuffers(what.plan.inputs, 0, total);
    auto memory = SharedMemory::create(total);
    if (!memory)
      return memory.takeError();
    for (unsigned i = 0; i < inputs.size(); ++i)
      if (llvm::Error error = store(what.plan.inputs[i], inputs[i], memory->data() + offsets[i]))
        return std::move(error);
    CandidateJob job;
    job.device = device;
    job.planFile = what.planFile;
    job.artifact = what.artifact;
    job.plan = &what.plan;
    job.inputSets = {&*memory};
    job.runSeconds = 300;
    job.bufferSets = 1;
    std::unique_ptr<CandidateProcess> process;
    auto explain = [](CandidateProcess::Outcome &outcome) -> llvm::Error {
      if (!outcome)
        return outcome.takeError();
      if (*outcome)
        return llvm::createStringError("the card's oracle failed: %s", (*outcome)->detail.c_str());
      return llvm::Error::success();
    };
    auto started = runner->start(job, process);
    if (llvm::Error error = explain(started))
      return std::move(error);
    RunRequest request;
    request.poison = 0x7ff7a5a5u;
    request.cold = false;
    request.copy = true;
    RunReport report;
    auto done = process->run(0, request, report);
    if (llvm::Error error = explain(done))
      return std::move(error);
    std::vector<Answer> answers;
    for (unsigned i = 0; i < what.plan.outputs.size(); ++i) {
      const BufferSpec &spec = what.plan.outputs[i];
      std::vector<double> values(size_t(spec.elements()));
      widen(spec.dtype, process->output(i), values.data(), spec.elements());
      answers.emplace_back(std::move(values));
    }
    return std::move(answers);
  }

  /// Doubles as SPEC stores them: f64 as they are, integers and masks converted.
  static llvm::Error store(const BufferSpec &spec, llvm::ArrayRef<double> values, char *bytes) {
    if (int64_t(values.size()) != spec.elements())
      return llvm::createStringError("%s has %lld elements, not %zu", spec.name.c_str(), (long long)spec.elements(),
                                     values.size());
    auto convert = [&](auto zero) {
      for (size_t i = 0; i < values.size(); ++i) {
        auto element = static_cast<decltype(zero)>(values[i]);
        std::memcpy(bytes + i * sizeof element, &element, sizeof element);
      }
    };
    switch (spec.dtype) {
    case DType::F64:
      std::memcpy(bytes, values.data(), values.size() * sizeof(double));
      break;
    case DType::F32:
      convert(float());
      break;
    case DType::I64:
      convert(int64_t());
      break;
    case DType::I32:
      convert(int32_t());
      break;
    case DType::I8:
      convert(int8_t());
      break;
    case DType::I1:
      convert(uint8_t());
      break;
    default:
      return llvm::createStringError("%s was not promoted to fp64", spec.name.c_str());
    }
    return llvm::Error::success();
  }

  void forget() {
    if (!folder.empty())
      fs::remove_directories(folder);
    folder.clear();
    known.clear();
  }

  std::string device, arch;
  std::shared_ptr<Compiler> compiler;
  std::shared_ptr<CandidateRunner> runner;
  std::unique_ptr<AnswerSource> cpu;
  std::mutex learning;
  std::string known, folder; ///< the graph that PROGRAM computes, and where its files lie
  CardProgram program;
};

} // namespace

std::unique_ptr<AnswerSource> kgen::createCardOracle(std::string device, std::string arch,
                                                     std::shared_ptr<Compiler> compiler,
                                                     std::shared_ptr<CandidateRunner> runner,
                                                     std::unique_ptr<AnswerSource> cpu) {
  return std::make_unique<CardAnswers>(std::move(device), std::move(arch), std::move(compiler), std::move(runner),
                                       std::move(cpu));
}
