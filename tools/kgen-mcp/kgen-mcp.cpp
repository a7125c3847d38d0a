//===- kgen-mcp.cpp - kgen for agents -------------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Evaluate/Workers.h"
#include "kgen/Mcp/McpMain.h"

int main(int argc, char **argv) {
  // Compiles run in children of this very binary.
  if (auto code = kgen::evaluate::runWorkerIfAsked(argc, argv))
    return *code;
  auto compiler = kgen::graph::createMlirGraphCompiler();
  return kgen::mcp::mcpMain(argc, argv, *compiler);
}
