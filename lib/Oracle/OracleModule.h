//===- OracleModule.h - A graph's text as a module ------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <string>

namespace kgen::oracle {

/// One graph in a context of its own, whose diagnostics are kept.
class OracleModule {
public:
  /// Parses GRAPH, which has one public function; NAME is its file in messages.
  static llvm::Expected<std::unique_ptr<OracleModule>> open(llvm::StringRef graph, llvm::StringRef name);

  mlir::ModuleOp module() { return *parsed; }
  mlir::func::FuncOp function() { return entry; }
  /// The first error that was diagnosed, with its place; FALLBACK when there was none.
  llvm::Error error(const char *fallback) const;

private:
  OracleModule();
  mlir::MLIRContext context;
  std::string text;
  std::unique_ptr<mlir::ScopedDiagnosticHandler> handler;
  mlir::OwningOpRef<mlir::ModuleOp> parsed;
  mlir::func::FuncOp entry;
};

} // namespace kgen::oracle
