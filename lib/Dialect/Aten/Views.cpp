//===- Views.cpp - Ops that only say where elements are -------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Dialect/Aten/Views.h"

#include "kgen/Dialect/Aten/Aten.h"

#include "llvm/ADT/Sequence.h"

using namespace mlir;

namespace kgen::aten {

bool isReshape(Operation *op) {
  return isa_and_nonnull<ReshapeOp, ViewOp, FlattenUsingIntsOp, UnsqueezeOp, SqueezeDimOp>(op);
}

std::optional<SmallVector<int64_t>> permutationOf(Operation *op) {
  if (!isa_and_nonnull<PermuteOp, TransposeIntOp, NumpyTOp>(op))
    return std::nullopt;
  const int64_t rank = cast<RankedTensorType>(op->getOperand(0).getType()).getRank();
  auto dims = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  if (auto permute = dyn_cast<PermuteOp>(op)) {
    for (auto [to, from] : llvm::zip_equal(dims, permute.getDims()))
      to = (from + rank) % rank;
  } else if (auto transpose = dyn_cast<TransposeIntOp>(op)) {
    if (rank > 0)
      std::swap(dims[(int64_t(transpose.getDim0()) + rank) % rank], dims[(int64_t(transpose.getDim1()) + rank) % rank]);
  } else {
    std::reverse(dims.begin(), dims.end());
  }
  return dims;
}

bool keepsOrder(ArrayRef<int64_t> shape, ArrayRef<int64_t> dims) {
  int64_t last = -1;
  for (int64_t from : dims)
    if (shape[from] != 1) {
      if (from < last)
        return false;
      last = from;
    }
  return true;
}

} // namespace kgen::aten
