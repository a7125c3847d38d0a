//===- RowEmitter.h - Writes the CUDA-C of a row dispatch -----------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Private to RowSource.cpp (constants, launches, the whole unit),
// RowFunctions.cpp (what the templates call) and RowRing.cpp.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "RowSource.h"

#include "kgen/Dialect/Aten/Aten.h"
#include "kgen/Kernels/Emit/PointwiseFunction.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

namespace kgen::kernels {

class RowEmitter {
public:
  RowEmitter(DispatchOp dispatch, const RowProgram &program, const RowSchedule &schedule, const Chip &chip)
      : dispatch(dispatch), program(program), schedule(schedule), chip(chip), layout(program.layout),
        name(dispatch.getName().str()), block(&dispatch.getBody().front()) {}

  mlir::FailureOr<DispatchCode> emit();

private:
  mlir::LogicalResult makePieces();
  std::string call(const ElementPiece &piece, llvm::function_ref<std::string(mlir::Value)> scalar,
                   llvm::StringRef column);
  llvm::SmallVector<std::string> rowCoordinates(mlir::Value value) const;

  std::string constants();
  std::string ringConstants();
  std::string statisticHelpers();
  std::string offsetFunction();
  /// The place of the element at (row, column) of INPUT, an expression; `offset` where it lies as the results do.
  std::string offsetOf(mlir::Value input) const;
  /// Reads PACKS at (row, column); declares the `offset` that they need.
  std::string loadPacksOfRow(llvm::ArrayRef<mlir::Value> packs) const;
  std::string loadFunctions();
  std::string observeFunction();
  std::string observeSums();
  std::string foldedValue(mlir::Operation *op, llvm::StringRef sum) const;
  std::string finishFunction();
  std::string storeRowFunction();
  std::string pickFunctions();
  std::string storeFunctions();
  std::string comment();
  std::string part(llvm::StringRef file);
  /// The template that the kernels of the rows are from.
  const char *mainTemplate() const;
  DispatchCode launches();
  DispatchCode ringLaunches(llvm::ArrayRef<DispatchBuffer> inputs, llvm::ArrayRef<DispatchBuffer> results);

  bool isLogSoftmax() const { return mlir::isa<aten::LogSoftmaxIntOp>(program.statisticOp); }
  bool storesRows() const {
    return llvm::any_of(program.outputs, [](const RowOutput &output) { return output.perRow; });
  }
  bool storesElements() const {
    return llvm::any_of(program.outputs, [](const RowOutput &output) { return !output.perRow; });
  }
  /// Whether a block reads weights and biases once for several rows.
  bool sharesColumnValues() const {
    auto norm = mlir::dyn_cast<aten::LayerNormOp>(program.statisticOp);
    return norm && (schedule.isSplit() || isRing()) && (norm.getWeight() || norm.getBias());
  }
  bool isHybrid() const { return schedule.resident == RowSchedule::Resident::Hybrid; }
  bool isRing() const { return schedule.isRing(); }
  /// Whether a row's elements stay on chip as they were read.
  bool holdsPacks() const { return isHybrid() || isRing(); }
  int64_t packs() const {
    int64_t parts = schedule.byCluster() ? schedule.splitRows : 1;
    return llvm::divideCeil(layout.columns, parts * schedule.threadsPerRow * schedule.vector);
  }
  int64_t chunkColumns() const {
    int64_t step = schedule.threads() * schedule.vector;
    return llvm::divideCeil(llvm::divideCeil(layout.columns, schedule.splitRows), step) * step;
  }
  int64_t chunks() const { return llvm::divideCeil(layout.columns, chunkColumns()); }
  std::string rowValueMember(mlir::Value value) const {
    return "of_row.value" +
           std::to_string(std::distance(program.rowValues.begin(), llvm::find(program.rowValues, value)));
  }

  DispatchOp dispatch;
  const RowProgram &program;
  const RowSchedule &schedule;
  const Chip &chip;
  const RowLayout &layout;
  std::string name;
  mlir::Block *block;

  ElementPiece before, inside;
  llvm::SmallVector<ElementPiece> insideFurther;                ///< one for each of program.furtherSums
  llvm::SmallVector<ElementPiece> ofRow;                        ///< one for each of program.rowValues
  llvm::SmallVector<ElementPiece> position, picked;             ///< one for each of program.picks
  llvm::SmallVector<std::pair<unsigned, ElementPiece>> ofPicks; ///< result number and piece
  llvm::SmallVector<std::pair<unsigned, ElementPiece>> behind;  ///< result number and piece
};

} // namespace kgen::kernels
