//===- CaptureError.cpp - Diagnostics as one sentence --------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Dialect/KGen/CaptureError.h"

#include "mlir/IR/Location.h"

using namespace mlir;

namespace kgen {

std::string printPlace(Location loc) {
  auto file = loc->findInstanceOf<FileLineColLoc>();
  if (!file)
    return "";
  // An empty text has no line.
  if (file.getLine() == 0)
    return file.getFilename().str() + ": ";
  return file.getFilename().str() + ":" + std::to_string(file.getLine()) + ":" + std::to_string(file.getColumn()) +
         ": ";
}

CaptureError::CaptureError(MLIRContext *context, StringRef name, unsigned hiddenLines)
    : name(name), hiddenLines(hiddenLines), location(UnknownLoc::get(context)),
      handler(context, [this](Diagnostic &diag) { take(diag); }) {}

std::string CaptureError::str(StringRef fallback) const {
  return empty() ? fallback.str() : printPlace(location) + message;
}

llvm::Error CaptureError::takeError(StringRef fallback) const {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), str(fallback));
}

void CaptureError::take(Diagnostic &diag) {
  // Warnings and remarks are no failures.
  if (diag.getSeverity() != DiagnosticSeverity::Error || !message.empty())
    return;
  location = shift(diag.getLocation());
  message = diag.str();
  for (Diagnostic &note : diag.getNotes())
    if (std::string body = note.str(); !StringRef(body).contains("see current operation"))
      message += " (" + printPlace(shift(note.getLocation())) + body + ")";
}

Location CaptureError::shift(Location loc) const {
  auto file = loc->findInstanceOf<FileLineColLoc>();
  if (!file || file.getFilename().getValue() != name || file.getLine() <= hiddenLines)
    return loc;
  return FileLineColLoc::get(file.getFilename(), file.getLine() - hiddenLines, file.getColumn());
}

} // namespace kgen
