//===- kgen-oracle.cpp - The right answer of a graph, from files ---------===//
#include "kgen/Oracle/Oracle.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/WithColor.h"

namespace cl = llvm::cl;

static const char *overview = "computes a graph's answer in fp64 on the CPU\n\n"
                              "  kgen-oracle GRAPH.mlir --inputs DIR --outputs DIR\n"
                              "  kgen-oracle GRAPH.mlir --jobs FILE     (lines IN_DIR<tab>OUT_DIR; - is stdin)\n\n"
                              "DIR holds in0.bin, in1.bin, ... : one raw little-endian f64 array for each argument.\n";

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::OptionCategory category("kgen-oracle options");
  cl::opt<std::string> graph(cl::Positional, cl::Required, cl::desc("GRAPH.mlir"), cl::cat(category));
  cl::opt<std::string> inputs("inputs", cl::desc("folder of in0.bin, ..."), cl::cat(category));
  cl::opt<std::string> outputs("outputs", cl::desc("folder for out0.bin, ..."), cl::cat(category));
  cl::opt<std::string> jobs("jobs", cl::desc("answer several input sets with one compilation"), cl::cat(category));
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv, overview);

  auto fail = [](const llvm::Twine &message) { return llvm::WithColor::error() << message << '\n', 1; };
  if (jobs.empty() == (inputs.empty() && outputs.empty()) || inputs.empty() != outputs.empty())
    return fail("give either --jobs FILE or both --inputs DIR and --outputs DIR");
  auto text = llvm::MemoryBuffer::getFileOrSTDIN(graph);
  if (!text)
    return fail("cannot read " + graph + ": " + text.getError().message());
  auto oracle = kgen::Oracle::create((*text)->getBuffer());
  if (!oracle)
    return fail(toString(oracle.takeError()));
  if (!jobs.empty())
    return kgen::serveOracleJobs(**oracle, jobs) ? 0 : 1;
  if (auto error = kgen::runOracleOnFiles(**oracle, inputs, outputs))
    return fail(toString(std::move(error)));
  return 0;
}
