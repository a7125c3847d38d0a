//===- kgen-eval.cpp - One candidate folder in, one measurement out -------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Evaluate/EvalTool.h"
#include "kgen/Evaluate/Workers.h"

int main(int argc, char **argv) {
  if (auto code = kgen::evaluate::runWorkerIfAsked(argc, argv))
    return *code;
  return kgen::evaluate::runEvalCommand(argc, argv);
}
