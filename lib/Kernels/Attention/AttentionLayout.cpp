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

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace kgen::kernels {
namespace {

using Spans = SmallVector<Span>; ///< of one dimension, outermost first; none where it has one element

/// The dimensions of a tensor in its root's memory.
struct Strided {
  SmallVector<Spans> dims;
  int64_t offset = 0;
};

Strided contiguous(ArrayRef<int64_t> shape) {
  Strided strided;
  strided.dims.resize(shape.size());
  int64_t stride = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    if (shape[i] != 1)
      strided.dims[i] = {{shape[i], stride}};
    stride *= shape[i];
  }
  return strided;
}

/// SPANS with neighbours joined that one stride describes.
Spans joined(ArrayRef<Span> spans) {
  Spans result;
  for (Span span : spans) {
    if (span.extent == 1)
      continue;
    if (!result.empty() && result.back().stride == span.stride * span.extent)
      result.back() = {result.back().extent * span.extent, span.stride};
    else
      result.push_back(span);
  }
  return result;
}

/// The same elements, in their order, under SHAPE; none where a dimension would end within a span that it does not
/// divide.
std::optional<Strided> reshaped(const Strided &from, ArrayRef<int64_t> shape) {
  Spans rest;
  for (const Spans &dim : from.dims)
    llvm::append_range(rest, dim);
  rest = joined(rest);
  Strided result;
  result.offset = from.offset;
  result.dims.resize(shape.size());
  for (size_t i = shape.size(); i-- > 0;) {
    int64_t wanted = shape[i];
    Spans dim;
    while (wanted > 1) {
      Span &last = rest.back();
      int64_t taken = std::min(wanted, last.extent);
      if (wanted % taken || last.extent % taken)
        return std::nullopt;
      dim.insert(dim.begin(), {taken, last.stride});
      wanted /= taken;
      if (taken == last.extent)
        rest.pop_back();
      else
        last = {last.extent / taken, last.stride * taken};
    }
    result.dims[i] = joined(dim);
  }
  return result;
}

/// Where the result of VIEW lies, whose operand lies as FROM; none where strides do not say.
std::optional<Strided> throughView(Operation *view, Strided from) {
  auto rank = int64_t(from.dims.size());
  auto wrap = [](int64_t dim, int64_t rank) { return dim < 0 ? dim + rank : dim; };
  ArrayRef<int64_t> shape = shapeOf(view->getResult(0));
  if (isa<aten::ReshapeOp, aten::ViewOp, aten::FlattenUsingIntsOp, aten::UnsqueezeOp, aten::SqueezeDimOp>(view))
    return reshaped(from, shape);
  if (auto transpose = dyn_cast<aten::TransposeIntOp>(view)) {
    std::swap(from.dims[wrap(transpose.getDim0(), rank)], from.dims[wrap(transpose.getDim1(), rank)]);
    return from;
  }
  if (auto permute = dyn_cast<aten::PermuteOp>(view)) {
    Strided result;
    result.offset = from.offset;
    for (int64_t dim : permute.getDims())
      result.dims.push_back(from.dims[wrap(dim, rank)]);
    return result;
  }
  // COUNT elements of dimension DIM from START on.
  auto cut = [&](int64_t dim, int64_t start, int64_t count) -> std::optional<Strided> {
    Spans &spans = from.dims[wrap(dim, rank)];
    if (spans.size() > 1)
      return std::nullopt;
    if (!spans.empty()) {
      from.offset += start * spans[0].stride;
      spans[0].extent = count;
      if (count == 1)
        spans.clear();
    }
    return from;
  };
  if (auto narrow = dyn_cast<aten::NarrowOp>(view))
    return cut(narrow.getDim(), narrow.getStart(), narrow.getLength());
  if (auto slice = dyn_cast<aten::SliceTensorOp>(view)) {
    auto [begin, end] = slice.getBounds();
    return slice.getStep() == 1 ? cut(slice.getDim(), begin, end - begin) : std::nullopt;
  }
  if (auto select = dyn_cast<aten::SelectIntOp>(view)) {
    const int64_t dim = wrap(select.getDim(), rank);
    const int64_t extent = shapeOf(view->getOperand(0))[dim], index = wrap(select.getIndex(), extent);
    std::optional<Strided> one = cut(dim, index, 1);
    if (one)
      one->dims.erase(one->dims.begin() + dim);
    return one;
  }
  if (isa<aten::ExpandOp>(view)) {
    ArrayRef<int64_t> before = shapeOf(view->getOperand(0));
    from.dims.insert(from.dims.begin(), shape.size() - before.size(), {});
    for (auto [i, extent] : llvm::enumerate(shape))
      if (extent != 1 && from.dims[i].empty())
        from.dims[i] = {{extent, 0}};
    return from;
  }
  return std::nullopt;
}

} // namespace

bool isAttentionView(Operation *op) {
  return isa<aten::ReshapeOp, aten::ViewOp, aten::FlattenUsingIntsOp, aten::UnsqueezeOp, aten::SqueezeDimOp,
             aten::TransposeIntOp, aten::PermuteOp, aten::ExpandOp, aten::NarrowOp, aten::SliceTensorOp,
             aten::SelectIntOp>(op);
}

namespace {

/// What kernels know of a tensor (..., rows, columns) that lies as DIMS; none where rows or columns are not one stride
/// apart.
std::optional<AttentionInput> describe(ArrayRef<Spans> dims, ArrayRef<int64_t> shape, int64_t base) {
  AttentionInput input;
  for (const Spans &dim : dims.drop_back(2))
    llvm::append_range(input.heads, dim);
  input.heads = joined(input.heads);
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
  SmallVector<Spans> dims = contiguous(store ? shapeOf(store->getResult(0)) : shape).dims;
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
    if (!isAttentionView(op))
      return std::nullopt;
    views.push_back(op);
    value = op->getOperand(0);
  }
  if (shapeOf(value).empty() || llvm::is_contained(shapeOf(value), 0))
    return std::nullopt;
  std::optional<Strided> strided = contiguous(shapeOf(value));
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

std::string AttentionInput::offset() const {
  std::string text;
  int64_t within = 1;
  for (size_t i = heads.size(); i-- > 0; within *= heads[i].extent) {
    if (heads[i].stride == 0)
      continue;
    std::string index = within == 1 ? "head" : llvm::formatv("head / {0}", within).str();
    if (i > 0)
      index += llvm::formatv(" % {0}", heads[i].extent);
    std::string term = heads[i].stride == 1 ? index : llvm::formatv("{0} * {1}", index, heads[i].stride).str();
    text = text.empty() ? term : term + " + " + text;
  }
  if (base != 0)
    text += (text.empty() ? "" : " + ") + std::to_string(base);
  return text.empty() ? "0" : text;
}

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
