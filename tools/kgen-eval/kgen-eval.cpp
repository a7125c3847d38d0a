//===- kgen-eval.cpp - One candidate folder in, one measurement out -------===//
#include "kgen/Evaluate/EvalTool.h"
#include "kgen/Evaluate/Workers.h"

int main(int argc, char **argv) {
  if (auto code = kgen::evaluate::runWorkerIfAsked(argc, argv))
    return *code;
  return kgen::evaluate::runEvalCommand(argc, argv);
}
