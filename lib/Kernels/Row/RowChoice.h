//===- RowChoice.h - What a row schedule leaves open ----------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "RowSource.h"

#include "kgen/Dialect/KGen/KGen.h"
#include "kgen/Kernels/Family.h"

#include "llvm/Support/MathExtras.h"

namespace kgen::kernels {

/// The parameters of a schedule, one function for each so that a rule stands beside its default.
struct RowChoice {
  DispatchOp dispatch;
  ScheduleParams &params;
  const Chip &chip;
  const RowProgram &program;
  const RowLayout &layout;
  mlir::MLIRContext *context;

  mlir::LogicalResult reject(const llvm::Twine &text) {
    return dispatch.emitError("row schedule of @") << dispatch.getName() << ": " << text;
  }
  bool contiguous() const { return layout.inner == 1; }
  bool isRing() const {
    std::optional<schedule::Resident> resident = params.getWord(key::resident);
    return resident == schedule::Resident::Cluster || resident == schedule::Resident::Grid;
  }
  /// Whether the blocks of a cluster hold a row in their registers.
  bool byCluster() const {
    return params.getWord(key::resident) == schedule::Resident::Reg && params.getInt(key::splitRows).value_or(1) > 1;
  }
  /// Whether packs begin at a row's first boundary of 16 bytes.
  bool isPeeled() const { return layout.columns % *params.getInt(key::vec) != 0; }
  /// Blocks that share a row where the schedule does not say.
  int64_t defaultSplit() const;
  int64_t floats(int64_t threadsPerRow, int64_t vector) const {
    int64_t parts = byCluster() ? *params.getInt(key::splitRows) : 1;
    return llvm::divideCeil(layout.columns, parts * threadsPerRow * vector) * vector;
  }

  mlir::LogicalResult chooseVector();
  mlir::LogicalResult chooseSplit();
  mlir::LogicalResult chooseThreads();
  mlir::LogicalResult chooseResidence();
  mlir::LogicalResult chooseRing();
  mlir::LogicalResult chooseWords();
};

} // namespace kgen::kernels
