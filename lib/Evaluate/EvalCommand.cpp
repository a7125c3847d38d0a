//===- EvalCommand.cpp - kgen-eval's arguments ----------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Evaluate/EvalTool.h"
#include "kgen/Toolchain/Jail.h"
#include "kgen/Toolchain/Streams.h"

#include "llvm/Support/CommandLine.h"

#include <csignal>

namespace cl = llvm::cl;

static const char *overview =
    "measures one candidate: compiles it, compares it with the fp64 oracle, times it\n\n"
    "  kgen-eval runs/NAME/round-03/b07                 on the first card, or on the host without one\n"
    "  kgen-eval DIR --device host --graph graph.mlir   DIR holds plan.json and kernel.cu\n"
    "  kgen-eval runs/NAME/best --out mine              the same again, kept in mine/\n"
    "  kgen-eval DIR --baselines --problem FILE.py      PyTorch timed beside it\n"
    "  kgen-eval DIR --compare OTHER                    which of two is faster, timed in turns\n"
    "  kgen-eval DIR --bundle OUT --device sm_90a       only compile it, for kgen's runtime\n\n"
    "The result is DIR/measurement.json, but in a run folder, which stays as its journal says. The exit code is 0 only "
    "for PASS, 1 for any other verdict, 2 when\n"
    "nothing could be measured. KGEN_NVRTC names libnvrtc.so, KGEN_CACHE_DIR the compile cache,\n"
    "KGEN_THREADS the cores that it may use (all, at most 32), KGEN_GATE a folder of locks by which\n"
    "another program on the card takes turns with what is timed,\n"
    "KGEN_SANITIZER compute-sanitizer and KGEN_NCU Nsight Compute (off leaves them out),\n"
    "KGEN_BASELINES the modes of PyTorch that are timed, as eager,compile (all).\n";

static int runCommand(int argc, char **argv);

int kgen::evaluate::runEvalCommand(int argc, char **argv) {
  toolchain::claimStandardStreams();
  return toolchain::finishStandardStreams("kgen-eval", runCommand(argc, argv), 2);
}

static int runCommand(int argc, char **argv) {
  std::signal(SIGPIPE, SIG_IGN); // a died child is an error, not the end
  kgen::evaluate::EvalRequest r;
  cl::OptionCategory c("kgen-eval options");
  cl::opt<std::string> folder(cl::Positional, cl::desc("CANDIDATE_DIR"), cl::cat(c));
  cl::opt<std::string> device("device", cl::init("auto"), cl::desc("host, cuda:N or auto"), cl::cat(c));
  cl::opt<std::string> graph("graph", cl::desc("the op graph (default: graph.mlir in DIR or above it)"), cl::cat(c));
  cl::opt<std::string> out("out", cl::desc("where the results are written (default: DIR)"), cl::cat(c));
  cl::opt<int> samples("samples", cl::init(30), cl::desc("timed runs"), cl::cat(c));
  cl::opt<double> flops("flops", cl::init(0), cl::desc("of the graph, for the floor"), cl::cat(c));
  cl::opt<double> limit("time-limit", cl::init(30), cl::desc("seconds for one run"), cl::cat(c));
  cl::opt<double> compileLimit("compile-limit", cl::init(30), cl::desc("seconds for the compiler"), cl::cat(c));
  cl::opt<bool> warm("warm", cl::desc("do not flush the L2 cache between runs"), cl::cat(c));
  cl::opt<bool> json("json", cl::desc("print measurement.json, not the table"), cl::cat(c));
  cl::opt<bool> serve("serve", cl::desc("answer jobs from stdin, one JSON object a line"), cl::cat(c));
  cl::opt<std::string> gate("gate", cl::cat(c),
                            cl::desc("with --serve: a file by which evaluators of one card take turns to time"));
  cl::opt<unsigned> sharers("sharers", cl::cat(c), cl::init(1),
                            cl::desc("with --serve: how many evaluators have the card and its memory"));
  cl::opt<bool> baselines("baselines", cl::desc("time PyTorch on the same card"), cl::cat(c));
  cl::opt<std::string> problem("problem", cl::desc("the problem's PyTorch form"), cl::cat(c));
  cl::opt<std::string> rules("rules", cl::init("kgen"), cl::cat(c),
                             cl::desc("whose rules make the verdict: kgen, kernelbench-2025 (allclose 1e-2) or "
                                      "kernelbench (1e-4 for fp32)"));
  cl::opt<bool> sanitize("sanitize", cl::desc("a PASS also goes through compute-sanitizer"), cl::cat(c));
  cl::opt<bool> profile("profile", cl::desc("a PASS is also profiled by Nsight Compute"), cl::cat(c));
  cl::opt<std::string> seed("seed", cl::desc("of inputs that were told, in hexadecimal: shows a case again"),
                            cl::cat(c));
  cl::opt<std::string> bundle("bundle", cl::desc("compile into this folder, for kgen's runtime; measure nothing"),
                              cl::cat(c));
  cl::opt<std::string> compare("compare", cl::desc("the folder of a candidate to compare with"), cl::cat(c));
  cl::opt<int> pairs("pairs", cl::init(1), cl::desc("how many comparisons"), cl::cat(c));
  cl::opt<double> slowDown("slow-down", cl::init(0), cl::cat(c),
                           cl::desc("make the candidate of a comparison slower by this many percent"));
  cl::opt<double> disturb("disturb", cl::init(0), cl::cat(c),
                          cl::desc("make its baseline slower beside it: the comparison must be INVALID"));
  cl::opt<bool> blocks("blocks", cl::cat(c),
                       cl::desc("verify, then take as many samples as each line of stdin says; answers in JSON"));
  cl::opt<bool> unconfined("allow-unconfined-compile", cl::cat(c),
                           cl::desc("compile where the system cannot keep the compiler away from your files"));
  cl::HideUnrelatedOptions(c);
  cl::ParseCommandLineOptions(argc, argv, overview);
  r.folder = folder, r.out = out, r.device = device, r.graph = graph, r.json = json, r.baselines = baselines,
  r.problem = problem, r.seed = seed, r.gate = gate, r.sharers = sharers;
  r.options.samples = samples, r.options.flops = flops, r.options.runSeconds = limit, r.options.cold = !warm;
  r.sanitize = sanitize, r.profile = profile, r.options.compileSeconds = compileLimit;
  auto named = kgen::judge::parseRules(rules);
  if (!named)
    return llvm::errs() << "kgen-eval: --rules is '" << rules << "', expected kgen, kernelbench-2025 or kernelbench\n",
           2;
  r.options.rules = *named;
  if (pairs < 1 || slowDown < 0 || disturb < 0)
    return llvm::errs() << "kgen-eval: --pairs is at least 1, --slow-down and --disturb at least 0\n", 2;
  // A search decides for itself; a folder may have been written by anything.
  if (!folder.empty() && !unconfined && !kgen::toolchain::supportedIsolation().confinesFiles())
    return llvm::errs() << "kgen-eval: "
                        << kgen::toolchain::explainUnconfinedCompile("nobody says who wrote " + folder + "/kernel.cu")
                        << '\n',
           2;
  if (!bundle.empty() && !folder.empty())
    return kgen::evaluate::writeBundleFolder(r, bundle);
  if (!compare.empty() && !folder.empty())
    return kgen::evaluate::compareFolders(r, compare, {pairs, false, slowDown, disturb});
  if (serve == !folder.empty())
    return llvm::errs() << "kgen-eval: give one candidate folder, or --serve; --help explains\n", 2;
  if (blocks && !serve)
    return kgen::evaluate::timeInBlocks(r);
  return serve ? kgen::evaluate::serveEvaluations(r) : kgen::evaluate::evaluateFolder(r);
}
