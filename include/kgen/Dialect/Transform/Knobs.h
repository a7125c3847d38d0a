//===- Knobs.h - What all knob directives share -----------------*- C++ -*-===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text, checks and effect of the directives that set schedule keys; the
// generated ops call these.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Dialect/KGen/KGen.h"
#include "kgen/Graph/Refusal.h"
#include "kgen/Schedule/Schedule.h"

#include "mlir/Dialect/Transform/Interfaces/TransformInterfaces.h"
#include "mlir/IR/OpImplementation.h"

namespace kgen::directive {

/// `%d 4`, `%d cp_async stages = 4` or `%d %param`. SETTINGS maps keys to values; a unit value
/// stands for the next parameter, in the order of the dictionary.
mlir::ParseResult parseKnob(mlir::OpAsmParser &parser, mlir::OperationState &result, const schedule::Directive &rule);
void printKnob(mlir::OpAsmPrinter &printer, mlir::Operation *op, const schedule::Directive &rule, mlir::Value target,
               mlir::DictionaryAttr settings, mlir::OperandRange params);
/// Checks each static value against the table of schedule keys. Where the handle is that of a select with a family,
/// some variant of it has to take these keys and those that directives before this one set.
mlir::LogicalResult verifyKnob(mlir::Operation *op, const schedule::Directive &rule, mlir::DictionaryAttr settings,
                               mlir::OperandRange params);
/// Sets the keys on the dispatches of TARGET after the checks that need the payload: that a variant of its family takes
/// them among them. Every failure is definite and names the directive, what was found and the bound.
mlir::DiagnosedSilenceableFailure applyKnob(mlir::transform::TransformOpInterface op, mlir::Value target,
                                            mlir::DictionaryAttr settings, mlir::OperandRange params,
                                            mlir::transform::TransformRewriter &rewriter,
                                            mlir::transform::TransformState &state);

/// Checks first whether a variant of the family takes the keys, then what the table of keys cannot: the precision class
/// of DISPATCH's graph and the width of vector accesses for its element types. Returns the reason, also as data, or an
/// empty text when nothing speaks against SCHEDULE; what only the family knows is asked at the end of a script.
std::string findScheduleFault(DispatchOp dispatch, ScheduleAttr schedule, graph::Refusal &refusal);

/// Which directive set which key of which dispatch, in the order of the script: lets a refusal name its place.
class KnobLog : public mlir::transform::TransformState::Extension {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(KnobLog)

  struct Entry {
    std::string dispatch;
    mlir::Location loc;
    mlir::DictionaryAttr settings;
  };
  KnobLog(mlir::transform::TransformState &state, std::vector<Entry> &entries) : Extension(state), entries(entries) {}

  std::vector<Entry> &entries;
};

} // namespace kgen::directive
