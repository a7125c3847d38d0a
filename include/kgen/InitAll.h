//===- InitAll.h - Every dialect and pass, registered once ------*- C++ -*-===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one place where kgen's dialects, extensions, passes and pipelines meet.
//
//===----------------------------------------------------------------------===//
#pragma once

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace kgen {

/// Adds every dialect that a kgen tool reads or writes, and their extensions, to REGISTRY.
void registerAllDialects(mlir::DialectRegistry &registry);

/// Registers every pass and every named pipeline, each under its own flag.
void registerAllPasses();

/// Call first in main: hides the options of LLVM's code generators from --help (they exist because the
/// library is linked), and makes diagnostics one sentence at a place, without upstream's dump of the
/// op, which --mlir-print-op-on-diagnostic brings back.
void prepareCommandLine();

} // namespace kgen
