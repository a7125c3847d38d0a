//===- kgen-oracle.cpp - The right answer of a graph, from files ---------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Oracle/OracleTool.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"

namespace cl = llvm::cl;
using kgen::oracle::OracleResult;
static const char *overview = "computes a graph's answer in fp64 on the CPU\n\n"
                              "  kgen-oracle GRAPH.mlir --inputs DIR --outputs DIR\n"
                              "  kgen-oracle GRAPH.mlir --jobs FILE     (lines IN_DIR<tab>OUT_DIR; - is stdin)\n"
                              "  kgen-oracle CASES.mlir --check         (graphs with their answers in comments)\n"
                              "  kgen-oracle GRAPH.mlir --traits LIMIT:SIZE,SIZE,...\n\n"
                              "DIR holds in0.bin, in1.bin, ... : one raw little-endian f64 array for each argument.\n";

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::OptionCategory own("kgen-oracle options");
  cl::opt<std::string> graph(cl::Positional, cl::Required, cl::desc("GRAPH.mlir"), cl::cat(own));
  cl::opt<std::string> inputs("inputs", cl::desc("folder of in0.bin, ..."), cl::cat(own));
  cl::opt<std::string> outputs("outputs", cl::desc("folder for out0.bin, ..."), cl::cat(own));
  cl::opt<std::string> jobs("jobs", cl::desc("answer several input sets with one compilation"), cl::cat(own));
  cl::opt<bool> check("check", cl::desc("compare with the answers that the file holds"), cl::cat(own));
  cl::opt<OracleResult> result(
      cl::desc("what is computed, instead of the answers in fp64:"), cl::cat(own),
      cl::values(clEnumValN(OracleResult::Magnitudes, "magnitudes", "the size of what was added up for them"),
                 clEnumValN(OracleResult::Reach, "reach", "how large partial sums and products may get"),
                 clEnumValN(OracleResult::Declared, "declared", "them in the types that the graph declares"),
                 clEnumValN(OracleResult::DeclaredTF32, "declared-tf32", "so, with factors rounded to tf32")));
  cl::opt<int64_t> limit("slice-limit", cl::desc("bytes of the largest whole tensor"), cl::init(1 << 30), cl::cat(own));
  cl::opt<std::string> traits("traits", cl::desc("what follows from the graph: see docs/oracle.md"), cl::cat(own));
  cl::HideUnrelatedOptions(own);
  cl::ParseCommandLineOptions(argc, argv, overview);
  return kgen::oracle::runOracleTool({graph, inputs, outputs, jobs, check, result, limit, traits});
}
