//===- CaptureError.h - Diagnostics as one sentence -------------*- C++ -*-===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Catches what MLIR reports while one step runs, for callers that hand errors
// on as values.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Graph/Refusal.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/Error.h"

#include <string>

namespace kgen {

/// Adds to DIAG, beside its words, what it refuses. CaptureError hands it on.
void markRefusal(mlir::InFlightDiagnostic &diag, const graph::Refusal &refusal);

/// While it lives, keeps the first error that CONTEXT reports, the cause, and swallows the rest.
/// Not for two threads on one context.
class CaptureError {
public:
  /// Lines of the file NAME are reported reduced by HIDDENLINES, lines that were put in front of
  /// a text which its author does not know of.
  explicit CaptureError(mlir::MLIRContext *context, llvm::StringRef name = "", unsigned hiddenLines = 0);

  bool empty() const { return message.empty(); }
  /// The error's own words, with its notes in parentheses; empty when there was none.
  const std::string &getMessage() const { return message; }
  mlir::Location getLocation() const { return location; }
  /// "file:line:column: message"; FALLBACK when nothing was reported.
  std::string str(llvm::StringRef fallback) const;
  /// str() as an Error: a DirectiveRefused where the diagnostic was marked.
  llvm::Error takeError(llvm::StringRef fallback) const;

private:
  void take(mlir::Diagnostic &diag);
  mlir::Location shift(mlir::Location loc) const;

  std::string name;
  unsigned hiddenLines;
  mlir::Location location;
  std::string message;
  std::optional<graph::Refusal> refusal;
  mlir::ScopedDiagnosticHandler handler;
};

/// "file:line:column: " of LOC, or nothing when it has none.
std::string printPlace(mlir::Location loc);

} // namespace kgen
