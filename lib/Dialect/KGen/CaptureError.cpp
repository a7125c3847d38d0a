//===- CaptureError.cpp - Diagnostics as one sentence --------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Dialect/KGen/CaptureError.h"

#include "mlir/IR/BuiltinAttributes.h"
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

static constexpr llvm::StringLiteral refusalMark = "kgen.refusal";

void markRefusal(InFlightDiagnostic &diag, const graph::Refusal &refusal) {
  Diagnostic *marked = diag.getUnderlyingDiagnostic();
  if (!marked)
    return;
  // Metadata holds attributes, which own their text.
  MLIRContext *context = marked->getLocation().getContext();
  auto text = [&](StringRef value) -> Attribute { return StringAttr::get(context, value); };
  marked->getMetadata().push_back(DiagnosticArgument(
      Attribute(ArrayAttr::get(context, {text(refusalMark), text(graph::refusalName(refusal.kind)), text(refusal.key),
                                         text(refusal.found), text(refusal.bound)}))));
}

/// What markRefusal() put there.
static std::optional<graph::Refusal> findRefusal(Diagnostic &diag) {
  for (DiagnosticArgument &argument : diag.getMetadata()) {
    auto fields = argument.getKind() == DiagnosticArgument::DiagnosticArgumentKind::Attribute
                      ? dyn_cast<ArrayAttr>(argument.getAsAttribute())
                      : ArrayAttr();
    auto text = [&](size_t i) { return cast<StringAttr>(fields[i]).getValue(); };
    if (!fields || fields.size() != 5 || text(0) != refusalMark)
      continue;
    if (auto kind = graph::parseRefusalKind(text(1)))
      return graph::Refusal{*kind, text(2).str(), text(3).str(), text(4).str()};
  }
  return std::nullopt;
}

CaptureError::CaptureError(MLIRContext *context, StringRef name, unsigned hiddenLines)
    : name(name), hiddenLines(hiddenLines), location(UnknownLoc::get(context)),
      handler(context, [this](Diagnostic &diag) { take(diag); }) {}

std::string CaptureError::str(StringRef fallback) const {
  return empty() ? fallback.str() : printPlace(location) + message;
}

llvm::Error CaptureError::takeError(StringRef fallback) const {
  if (refusal)
    return llvm::make_error<graph::DirectiveRefused>(*refusal, str(fallback));
  return llvm::createStringError(llvm::inconvertibleErrorCode(), str(fallback));
}

void CaptureError::take(Diagnostic &diag) {
  // Warnings and remarks are no failures.
  if (diag.getSeverity() != DiagnosticSeverity::Error || !message.empty())
    return;
  location = shift(diag.getLocation());
  message = diag.str();
  refusal = findRefusal(diag);
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
