//===- kgen-eval.cpp - One candidate folder in, one measurement out -------===//
#include "kgen/Evaluate/EvalTool.h"

#include "llvm/Support/CommandLine.h"

namespace cl = llvm::cl;

static const char *overview =
    "measures one candidate: compiles it, compares it with the fp64 oracle, times it\n\n"
    "  kgen-eval runs/NAME/round-03/b07                 on the first card, or on the host without one\n"
    "  kgen-eval DIR --device host --graph graph.mlir   DIR holds plan.json and kernel.cu\n"
    "  kgen-eval DIR --baselines --problem FILE.py      PyTorch timed beside it\n\n"
    "The result is DIR/measurement.json; the exit code is 0 only for PASS, 1 for any other verdict, 2 when\n"
    "nothing could be measured. KGEN_NVRTC names libnvrtc.so, KGEN_CACHE_DIR the compile cache.\n";

int main(int argc, char **argv) {
  if (auto code = kgen::runWorkerIfAsked(argc, argv))
    return *code;
  kgen::EvalRequest r;
  cl::OptionCategory c("kgen-eval options");
  cl::opt<std::string> folder(cl::Positional, cl::desc("CANDIDATE_DIR"), cl::cat(c));
  cl::opt<std::string> device("device", cl::init("auto"), cl::desc("host, cuda:N or auto"), cl::cat(c));
  cl::opt<std::string> graph("graph", cl::desc("the op graph (default: graph.mlir in DIR or above it)"), cl::cat(c));
  cl::opt<int> samples("samples", cl::init(30), cl::desc("timed runs"), cl::cat(c));
  cl::opt<double> flops("flops", cl::init(0), cl::desc("of the graph, for the floor"), cl::cat(c));
  cl::opt<double> limit("time-limit", cl::init(30), cl::desc("seconds for one run"), cl::cat(c));
  cl::opt<bool> warm("warm", cl::desc("do not flush the L2 cache between runs"), cl::cat(c));
  cl::opt<bool> json("json", cl::desc("print measurement.json, not the table"), cl::cat(c));
  cl::opt<bool> serve("serve", cl::desc("answer jobs from stdin, one JSON object a line"), cl::cat(c));
  cl::opt<bool> baselines("baselines", cl::desc("time PyTorch on the same card"), cl::cat(c));
  cl::opt<std::string> problem("problem", cl::desc("the problem's PyTorch form"), cl::cat(c));
  cl::HideUnrelatedOptions(c);
  cl::ParseCommandLineOptions(argc, argv, overview);
  r.folder = folder, r.device = device, r.graph = graph, r.json = json, r.baselines = baselines, r.problem = problem;
  r.options.samples = samples, r.options.flops = flops, r.options.runSeconds = limit, r.options.cold = !warm;
  if (serve == !folder.empty())
    return llvm::errs() << "kgen-eval: give one candidate folder, or --serve; --help explains\n", 2;
  return serve ? kgen::serveEvaluations(r) : kgen::evaluateFolder(r);
}
