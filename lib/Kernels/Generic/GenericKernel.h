//===- GenericKernel.h - One structured op as one kernel ------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <array>
#include <string>

namespace kgen::kernels {

/// A kernel, and how it is launched. Its parameters are `inputs` (const T *), then one pointer per
/// result of the op.
struct GenericKernel {
  std::string text;
  std::array<int64_t, 3> grid = {1, 1, 1}, block = {1, 1, 1};
  llvm::SmallVector<mlir::Value> inputs;
};

/// Writes the kernel NAME that computes OP, a linalg.generic on static tensors whose operands are
/// buffers or views of buffers (GenericAccess.h). WHAT says in a few words what it computes; it
/// becomes the comment above the kernel. One diagnostic at the op that stands in the way.
///
/// Mappings, chosen from the loops and indexing maps:
///   element  one thread per output element, neighbours along the innermost output dimension;
///            reduction loops run inside the thread
///   warp     32 lanes share an output, for rows of a few hundred elements
///   block    256 or 1024 threads share an output, for few outputs or long rows
///   tile     products: 256 threads share 64 x 64 outputs, whose operands they stage; of fp64 always, of other types
///            where TILES
///   wide tile  products and convolutions of fp64 that fill at least WIDE_TILES blocks: the same with taps as loops of
///            their own and 256 x 16 to 64 x 64 outputs
mlir::FailureOr<GenericKernel> emitGenericKernel(mlir::linalg::GenericOp op, llvm::StringRef name, llvm::StringRef what,
                                                 bool tiles, int64_t wideTiles);

/// The same for an OP whose one result is its init, an argument of the graph, where it is not named by positions: a
/// thread for each element that positions name, which writes it. The result's pointer is the argument's, which is no
/// input.
mlir::FailureOr<GenericKernel> emitUpdateKernel(mlir::linalg::GenericOp op, llvm::StringRef name, llvm::StringRef what);

} // namespace kgen::kernels
