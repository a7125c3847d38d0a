//===- OracleModule.cpp - A graph's text as a module ----------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "OracleModule.h"

#include "kgen/Oracle/OracleLowering.h"

#include "mlir/Parser/Parser.h"

using namespace kgen::oracle;
using namespace mlir;

static DialectRegistry makeRegistry() {
  DialectRegistry registry;
  registerOracleDialects(registry);
  return registry;
}

OracleModule::OracleModule() : context(makeRegistry(), MLIRContext::Threading::DISABLED) {
  handler = std::make_unique<ScopedDiagnosticHandler>(&context, [this](Diagnostic &diagnostic) {
    if (!text.empty() || diagnostic.getSeverity() != DiagnosticSeverity::Error)
      return;
    llvm::raw_string_ostream os(text);
    if (auto loc = dyn_cast<FileLineColLoc>(diagnostic.getLocation()))
      os << loc.getFilename().getValue() << ':' << loc.getLine() << ':' << loc.getColumn() << ": ";
    os << diagnostic;
  });
}

llvm::Error OracleModule::error(const char *fallback) const {
  return llvm::createStringError(text.empty() ? fallback : text);
}

llvm::Expected<std::unique_ptr<OracleModule>> OracleModule::open(llvm::StringRef graph, llvm::StringRef name) {
  std::unique_ptr<OracleModule> out(new OracleModule);
  out->parsed = parseSourceString<ModuleOp>(graph, &out->context, name);
  if (!out->parsed)
    return out->error("cannot parse the graph");
  for (auto candidate : out->parsed->getOps<func::FuncOp>())
    if (candidate.isPublic()) {
      if (out->entry)
        return llvm::createStringError("the oracle answers for one function, the graph has @" + out->entry.getName() +
                                       " and @" + candidate.getName());
      out->entry = candidate;
    }
  if (!out->entry)
    return llvm::createStringError("the graph has no function");
  return std::move(out);
}
