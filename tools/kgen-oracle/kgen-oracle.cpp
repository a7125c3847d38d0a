//===- kgen-oracle.cpp - The right answer of a graph, from files ---------===//
#include "kgen/Oracle/OracleTool.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"

namespace cl = llvm::cl;

static const char *overview = "computes a graph's answer in fp64 on the CPU\n\n"
                              "  kgen-oracle GRAPH.mlir --inputs DIR --outputs DIR\n"
                              "  kgen-oracle GRAPH.mlir --jobs FILE     (lines IN_DIR<tab>OUT_DIR; - is stdin)\n"
                              "  kgen-oracle CASES.mlir --check         (graphs with their answers in comments)\n\n"
                              "DIR holds in0.bin, in1.bin, ... : one raw little-endian f64 array for each argument.\n";

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  kgen::OracleToolOptions options;
  cl::OptionCategory category("kgen-oracle options");
  cl::opt<std::string, true> graph(cl::Positional, cl::Required, cl::desc("GRAPH.mlir"), cl::location(options.graph),
                                   cl::cat(category));
  cl::opt<std::string, true> inputs("inputs", cl::desc("folder of in0.bin, ..."), cl::location(options.inputs),
                                    cl::cat(category));
  cl::opt<std::string, true> outputs("outputs", cl::desc("folder for out0.bin, ..."), cl::location(options.outputs),
                                     cl::cat(category));
  cl::opt<std::string, true> jobs("jobs", cl::desc("answer several input sets with one compilation"),
                                  cl::location(options.jobs), cl::cat(category));
  cl::opt<bool, true> check("check", cl::desc("compare with the answers that the file holds"),
                            cl::location(options.check), cl::cat(category));
  cl::opt<int64_t, true> limit("slice-limit", cl::desc("bytes above which an intermediate tensor is never whole"),
                               cl::location(options.sliceLimit), cl::init(int64_t(1) << 30), cl::cat(category));
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv, overview);
  return kgen::runOracleTool(options);
}
