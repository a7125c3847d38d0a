//===- WindowShapes.cpp - Shape rules of pooling --------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "ShapeRules.h"

using namespace mlir;
using namespace kgen::aten;

LogicalResult kgen::aten::inferPool(Operation *op, PoolParameters p, int64_t spatial, ResultTypes &results) {
  auto self = operandType(op, 0);
  int64_t lead = self.getRank() - spatial;
  if (lead != 1 && lead != 2)
    return op->emitOpError() << "expected an operand of rank " << spatial + 1 << " or " << spatial + 2 << " but found "
                             << self.getRank() << " [pool_c1]";
  SmallVector<int64_t> ones(spatial, 1);
  if (p.dilation.empty())
    p.dilation = ones;
  for (auto [name, sizes, least] :
       {std::make_tuple("kernel", p.kernel, 1), std::make_tuple("stride", p.stride, 1),
        std::make_tuple("padding", p.padding, 0), std::make_tuple("dilation", p.dilation, 1)})
    if (int64_t(sizes.size()) != spatial || llvm::any_of(sizes, [least = least](int64_t size) { return size < least; }))
      return op->emitOpError() << "expected " << name << " to hold " << spatial << " values of at least " << least
                               << " but found " << printShape(sizes) << " [pool_c2]";

  SmallVector<int64_t> shape(self.getShape());
  for (int64_t i = 0; i < spatial; ++i) {
    int64_t in = shape[lead + i], pad = p.padding[i], stride = p.stride[i];
    int64_t window = p.dilation[i] * (p.kernel[i] - 1) + 1;
    if (pad > window / 2)
      return op->emitOpError() << "expected padding of at most half the window of " << window << " but found " << pad
                               << " [pool_c3]";
    int64_t room = in + 2 * pad - window;
    if (room < 0 && !p.ceilMode)
      return op->emitOpError() << "expected a window of extent at most " << in + 2 * pad
                               << " (input and padding) in spatial dimension " << i << " but found " << window
                               << " [pool_c4]";
    int64_t out = (p.ceilMode ? llvm::divideCeilSigned(room, stride) : room / stride) + 1;
    // ATen drops a last window that would start in the right padding.
    if (p.ceilMode && (out - 1) * stride >= in + pad)
      --out;
    if (out < 1)
      return op->emitOpError() << "expected at least one window in spatial dimension " << i
                               << " but found none [pool_c4]";
    shape[lead + i] = out;
  }
  results.push_back(self.clone(shape));
  return success();
}

LogicalResult kgen::aten::inferAdaptivePool(Operation *op, ArrayRef<int64_t> outputSize, int64_t spatial,
                                            ResultTypes &results) {
  auto self = operandType(op, 0);
  int64_t lead = self.getRank() - spatial;
  if (lead != 1 && lead != 2)
    return op->emitOpError() << "expected an operand of rank " << spatial + 1 << " or " << spatial + 2 << " but found "
                             << self.getRank() << " [adaptive_c1]";
  if (int64_t(outputSize.size()) != spatial || llvm::any_of(outputSize, [](int64_t size) { return size < 1; }))
    return op->emitOpError() << "expected output_size to hold " << spatial << " positive values but found "
                             << printShape(outputSize) << " [adaptive_c2]";
  SmallVector<int64_t> shape(self.getShape().take_front(lead));
  llvm::append_range(shape, outputSize);
  results.push_back(self.clone(shape));
  return success();
}
