//===- McpMain.h - kgen-mcp in the real world ------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Graph/GraphCompiler.h"

namespace kgen::mcp {

/// The whole tool: parses the command line, takes standard input and output for the protocol, serves until the client
/// closes its end.
int mcpMain(int argc, char **argv, graph::GraphCompiler &compiler);

} // namespace kgen::mcp
