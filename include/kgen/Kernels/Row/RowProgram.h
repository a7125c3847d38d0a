//===- RowProgram.h - What a dispatch around one row statistic computes --===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A row dispatch holds one op that folds or normalises rows, element-wise ops
// in front of it, and element-wise ops behind it on elements, on row values, or
// on both. The analysis names the row geometry and cuts the element-wise ops
// into the pieces that the kernels call.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Kernels/Emit/ElementPiece.h"
#include "kgen/Kernels/Emit/StridedView.h"

#include "llvm/ADT/SetVector.h"

#include <string>

namespace kgen::kernels {

/// What threads gather over a row; each has a section in templates/row_states.cuh.
enum class RowStatistic { Softmax, Moments, Sum, Extreme };

/// How the elements of a tensor fall into rows. A row's elements are `inner` elements apart in
/// memory: offset(row, column) = (row / inner * columns + column) * inner + row % inner.
struct RowLayout {
  llvm::SmallVector<int64_t> shape;         ///< of every element-wise tensor of the dispatch
  llvm::SmallVector<int64_t> parts;         ///< `shape` with, for group_norm, channels cut into [group, channel of it]
  unsigned firstFolded = 0, lastFolded = 0; ///< the folded dimensions of `parts`, [first, last)
  bool channelsAreCut = false;              ///< parts[1] and parts[2] together are shape[1]
  int64_t rows = 1, columns = 1, inner = 1;

  /// C++ expressions over `row` (long long) and `COLUMN` for the coordinates in `shape`.
  llvm::SmallVector<std::string> coordinates(llvm::StringRef column) const;
  /// Which dimensions of `shape` are folded. Meaningless when channels are cut.
  bool isFolded(unsigned dim) const { return dim >= firstFolded && dim < lastFolded; }
};

/// Where the rows of an input begin that is read through views: a row's elements are neighbours, rows lie apart.
struct RowPlace {
  Spans rows; ///< of a row's number, outermost first
  int64_t base = 0;

  /// Whether rows of COLUMNS elements lie one behind the other, as without views.
  bool isPlain(int64_t columns) const {
    return base == 0 && (rows.empty() || (rows.size() == 1 && rows[0].stride == columns));
  }
};

/// One result of the dispatch.
struct RowOutput {
  mlir::Value value;
  unsigned result; ///< index of the dispatch's result
  bool perRow;     ///< one element for each row, else for each element
};

/// A gather that takes one element of each row of a softmax, or of what element-wise ops make of it.
struct RowPick {
  mlir::Operation *op;
  mlir::Value from;     ///< in the shape of the rows
  mlir::Value position; ///< the index, before reshapes: one element for each row, in their order
};

/// The dispatch, cut into pieces.
struct RowProgram {
  mlir::Operation *statisticOp = nullptr;
  llvm::SmallVector<mlir::Operation *> furtherSums; ///< of the same rows, taken in the same pass
  llvm::SmallVector<mlir::Operation *> means;       ///< beside a variance, of what that is taken of
  RowStatistic statistic = RowStatistic::Sum;
  bool normalizes = false; ///< statisticOp's result has one element for each element of its operand
  RowLayout layout;
  mlir::Value source; ///< statisticOp's operand: what the statistic is taken of
  mlir::Value held;   ///< what a thread keeps of an element: `source`, or the input before it
  llvm::SmallVector<RowOutput> outputs;
  /// With picks, results with one element for each row are made of them.
  llvm::SmallVector<RowPick> picks;
  /// Row values that element-wise ops behind a reduction use, or that are results.
  llvm::SetVector<mlir::Value> rowValues;

  /// By input of the dispatch, of those whose rows do not lie one behind the other; or empty.
  llvm::SmallVector<std::optional<RowPlace>> places;

  /// Where the rows of INPUT, an argument of the dispatch, begin, if not one behind the other.
  const RowPlace *placeOf(mlir::Value input) const;
  bool hasPlaces() const;
  /// Elements of which the beginnings of all rows are multiples, a power of two of at most 16.
  int64_t alignment() const;
  /// `statisticOp`, then `furtherSums` and `means`.
  llvm::SmallVector<mlir::Operation *> statisticOps() const;
  /// What they give.
  llvm::SmallVector<mlir::Value> statistics() const;
};

/// What VALUE is a reshape of.
mlir::Value stripOrderKeeping(mlir::Value value);

/// Analyses DISPATCH, whose inputs no views stand in front of (RowViews.h reads those); one diagnostic, at the op or
/// type that stands in the way.
mlir::FailureOr<RowProgram> analyzeRowProgram(DispatchOp dispatch);

} // namespace kgen::kernels
