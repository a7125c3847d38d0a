//===- AttentionLayout.cpp - Where heads, rows and columns lie ------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionProgram.h"

#include "kgen/Dialect/Aten/Aten.h"
#include "kgen/Kernels/Emit/ElementPiece.h"
#include "kgen/Kernels/Emit/ScalarEmitter.h"
#include "kgen/Kernels/Emit/StridedView.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace kgen::kernels {
namespace {

/// What kernels know of a tensor (..., rows, columns) that lies as DIMS; none where rows or columns are not one stride
/// apart.
std::optional<AttentionInput> describe(ArrayRef<Spans> dims, ArrayRef<int64_t> shape, int64_t base) {
  AttentionInput input;
  for (const Spans &dim : dims.drop_back(2))
    llvm::append_range(input.heads, dim);
  input.heads = joinSpans(input.heads);
  const Spans &rows = dims[shape.size() - 2], &columns = dims.back();
  if (rows.size() > 1 || columns.size() > 1)
    return std::nullopt;
  // A stride that nothing steps along is as in a contiguous tensor.
  input.column = columns.empty() ? 1 : columns.front().stride;
  input.row = rows.empty() ? shape.back() : rows.front().stride;
  input.base = base;
  int64_t matrix = shape[shape.size() - 2] * shape.back();
  input.plain = base == 0 && input.column == 1 && input.row == shape.back() &&
                (input.heads.empty() || (input.heads.size() == 1 && input.heads.front().stride == matrix));
  return input;
}

} // namespace

bool isAttentionStore(Operation *op) { return isa<aten::TransposeIntOp, aten::PermuteOp>(op); }

std::optional<AttentionInput> readOutput(Value result, Operation *store) {
  ArrayRef<int64_t> shape = shapeOf(result);
  SmallVector<Spans> dims = contiguousView(store ? shapeOf(store->getResult(0)) : shape).dims;
  const auto rank = int64_t(shape.size());
  auto wrap = [&](int64_t dim) { return dim < 0 ? dim + rank : dim; };
  if (auto transpose = llvm::dyn_cast_or_null<aten::TransposeIntOp>(store)) {
    std::swap(dims[wrap(transpose.getDim0())], dims[wrap(transpose.getDim1())]);
  } else if (auto permute = llvm::dyn_cast_or_null<aten::PermuteOp>(store)) {
    SmallVector<Spans> first(dims.size());
    for (auto [i, dim] : llvm::enumerate(permute.getDims()))
      first[wrap(dim)] = dims[i];
    dims = std::move(first);
  }
  return describe(dims, shape, 0);
}

std::optional<AttentionInput> readInput(Value value, ArrayRef<int64_t> shape) {
  SmallVector<Operation *> views;
  while (Operation *op = value.getDefiningOp()) {
    if (!isStridedView(op))
      return std::nullopt;
    views.push_back(op);
    value = op->getOperand(0);
  }
  if (shapeOf(value).empty() || llvm::is_contained(shapeOf(value), 0))
    return std::nullopt;
  std::optional<StridedView> strided = contiguousView(shapeOf(value));
  for (Operation *view : llvm::reverse(views))
    if (!(strided = throughView(view, *strided)))
      return std::nullopt;
  // What broadcasts to SHAPE repeats.
  if (strided->dims.size() > shape.size())
    return std::nullopt;
  strided->dims.insert(strided->dims.begin(), shape.size() - strided->dims.size(), {});
  for (auto [dim, extent] : llvm::zip_equal(strided->dims, shape))
    if (dim.empty() && extent != 1)
      dim = {{extent, 0}};

  std::optional<AttentionInput> input = describe(strided->dims, shape, strided->offset);
  if (input) {
    input->buffer = DispatchBuffer::operand(cast<BlockArgument>(value).getArgNumber());
    input->element = elementTypeOf(value);
  }
  return input;
}

std::string AttentionInput::offset() const { return printSpans("head", heads, base); }

std::string printStarts(const AttentionProgram &program, bool wanted) {
  std::string text;
  auto start = [&](StringRef name, const AttentionInput &input) {
    text += llvm::formatv("__device__ __forceinline__ long long {0}_start(long long head) {{ return {1}; }\n", name,
                          input.offset());
  };
  if (wanted || program.strided()) {
    text += llvm::formatv("constexpr int kQueryRow = {0}, kKeyRow = {1}, kValueRow = {2}; // from a row to the next\n"
                          "/// Where a head's rows begin.\n",
                          program.query.row, program.key.row, program.value.row);
    start("query", program.query);
    start("key", program.key);
    start("value", program.value);
    if (wanted || !program.out.plain) {
      text += llvm::formatv("constexpr int kOutRow = {0}; // from a row of results to the next\n", program.out.row);
      start("out", program.out);
    }
  }
  if (const auto &mask = program.mask) {
    text += llvm::formatv("using Mask = {0};\nconstexpr int kMaskRow = {1}, kMaskKey = {2}; // strides of the mask\n",
                          getStorageType(mask->element), mask->row, mask->column);
    start("mask", *mask);
  }
  return text;
}

} // namespace kgen::kernels
