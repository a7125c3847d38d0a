//===- DispatchChecker.h - Who says that a dispatch has a kernel -*- C++ -*-===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Directives stand below the kernel families, and have to refuse what no family
// takes. Whoever knows the families adds this interface to the dialect.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Dialect/KGen/KGen.h"
#include "kgen/Support/Chip.h"

#include "mlir/IR/DialectInterface.h"

namespace kgen {

class DispatchChecker : public mlir::DialectInterface::Base<DispatchChecker> {
public:
  DispatchChecker(mlir::Dialect *dialect) : Base(dialect) {}

  /// Whether DISPATCH has a kernel for CHIP under SCHEDULE in the place of its own; one diagnostic at it when not.
  virtual llvm::LogicalResult check(DispatchOp dispatch, ScheduleAttr schedule, const Chip &chip) const = 0;
};

} // namespace kgen
