//===- ContractionShapes.cpp - Shape rules of products and convolutions ---===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "ShapeRules.h"

using namespace mlir;
using namespace kgen::aten;

//===----------------------------------------------------------------------===//
// Matrix products
//===----------------------------------------------------------------------===//

LogicalResult kgen::aten::inferBmm(Operation *op, int64_t rank, ResultTypes &results) {
  auto self = operandType(op, 0), other = operandType(op, 1);
  if (self.getRank() != rank || other.getRank() != rank)
    return op->emitOpError() << "expected operands of rank " << rank << " but found " << self.getRank() << " and "
                             << other.getRank() << " [bmm_c1]";
  if (self.getShape().back() != other.getDimSize(rank - 2))
    return op->emitOpError() << "expected equal inner extents but found " << self.getShape().back() << " and "
                             << other.getDimSize(rank - 2) << " [bmm_c2]";
  if (rank == 3 && self.getDimSize(0) != other.getDimSize(0))
    return op->emitOpError() << "expected equal batch extents but found " << self.getDimSize(0) << " and "
                             << other.getDimSize(0) << " [bmm_c2]";
  if (failed(checkSameElements(op, "bmm_c2")))
    return failure();
  SmallVector<int64_t> shape(self.getShape());
  shape.back() = other.getShape().back();
  results.push_back(self.clone(shape));
  return success();
}

LogicalResult kgen::aten::inferMatmul(Operation *op, ResultTypes &results) {
  auto self = operandType(op, 0), other = operandType(op, 1);
  if (self.getRank() == 0 || other.getRank() == 0)
    return op->emitOpError() << "expected operands of rank 1 or more but found " << self.getRank() << " and "
                             << other.getRank() << " [matmul_c1]";
  int64_t inner = other.getRank() == 1 ? other.getDimSize(0) : other.getDimSize(other.getRank() - 2);
  if (self.getShape().back() != inner)
    return op->emitOpError() << "expected equal inner extents but found " << self.getShape().back() << " and " << inner
                             << " [matmul_c2]";
  if (failed(checkSameElements(op, "matmul_c3")))
    return failure();
  auto batch = broadcastShapes(self.getShape().drop_back(std::min<int64_t>(self.getRank(), 2)),
                               other.getShape().drop_back(std::min<int64_t>(other.getRank(), 2)));
  if (!batch)
    return op->emitOpError() << "expected batch dimensions that broadcast but found " << printShape(self.getShape())
                             << " and " << printShape(other.getShape()) << " [broadcast_c1]";
  SmallVector<int64_t> shape = std::move(*batch);
  if (self.getRank() > 1)
    shape.push_back(self.getDimSize(self.getRank() - 2));
  if (other.getRank() > 1)
    shape.push_back(other.getShape().back());
  results.push_back(self.clone(shape));
  return success();
}

LogicalResult kgen::aten::inferLinear(Operation *op, ResultTypes &results) {
  auto input = operandType(op, 0), weight = operandType(op, 1);
  if (weight.getRank() != 2 || input.getRank() < 1)
    return op->emitOpError() << "expected an input of rank 1 or more and a weight of rank 2 but found ranks "
                             << input.getRank() << " and " << weight.getRank() << " [linear_c1]";
  if (input.getShape().back() != weight.getDimSize(1))
    return op->emitOpError() << "expected the weight's dimension 1 to be " << input.getShape().back() << " but found "
                             << weight.getDimSize(1) << " [linear_c2]";
  if (op->getNumOperands() > 2 && operandType(op, 2).getShape() != ArrayRef<int64_t>(weight.getDimSize(0)))
    return op->emitOpError() << "expected a bias of shape [" << weight.getDimSize(0) << "] but found "
                             << printShape(operandType(op, 2).getShape()) << " [linear_c3]";
  if (failed(checkSameElements(op, "linear_c4")))
    return failure();
  SmallVector<int64_t> shape(input.getShape());
  shape.back() = weight.getDimSize(0);
  results.push_back(input.clone(shape));
  return success();
}

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

/// conv_c4 and conv_transpose_c4: one value of LEAST or more for each spatial dimension.
static LogicalResult checkSizes(Operation *op, StringRef name, ArrayRef<int64_t> sizes, size_t spatial, int64_t least,
                                StringRef tag) {
  if (sizes.size() != spatial || llvm::any_of(sizes, [&](int64_t size) { return size < least; }))
    return op->emitOpError() << "expected " << name << " to hold " << spatial << " values of at least " << least
                             << " but found " << printShape(sizes) << " [" << tag << "4]";
  return success();
}

/// Everything that both directions check alike; OUT_CHANNELS is the bias's extent. TAG is the constraints' prefix.
static LogicalResult checkConvolution(Operation *op, const ConvolutionParameters &p, bool transposed, StringRef tag) {
  auto input = operandType(op, 0), weight = operandType(op, 1);
  size_t spatial = p.stride.size();
  if (input.getRank() != weight.getRank() || input.getRank() != int64_t(spatial) + 2)
    return op->emitOpError() << "expected input and weight of rank " << spatial + 2 << " but found " << input.getRank()
                             << " and " << weight.getRank() << " [" << tag << "1]";
  int64_t channels = input.getDimSize(1);
  if (p.groups < 1 || channels % p.groups || (!transposed && weight.getDimSize(0) % p.groups))
    return op->emitOpError() << "expected groups to divide the channels but found " << p.groups << " groups of "
                             << channels << " input channels and a weight of shape " << printShape(weight.getShape())
                             << " [" << tag << "5]";
  int64_t index = transposed ? 0 : 1;
  int64_t expected = transposed ? channels : channels / p.groups;
  if (weight.getDimSize(index) != expected)
    return op->emitOpError() << "expected the weight's dimension " << index << " to be " << expected << " but found "
                             << weight.getDimSize(index) << " [" << tag << "2]";
  int64_t outChannels = transposed ? weight.getDimSize(1) * p.groups : weight.getDimSize(0);
  if (op->getNumOperands() > 2 && operandType(op, 2).getShape() != ArrayRef<int64_t>(outChannels))
    return op->emitOpError() << "expected a bias of shape [" << outChannels << "] but found "
                             << printShape(operandType(op, 2).getShape()) << " [" << tag << "3]";
  if (failed(checkSizes(op, "stride", p.stride, spatial, 1, tag)) ||
      failed(checkSizes(op, "padding", p.padding, spatial, 0, tag)) ||
      failed(checkSizes(op, "dilation", p.dilation, spatial, 1, tag)))
    return failure();
  return checkSameElements(op, (tag + "7").str());
}

LogicalResult kgen::aten::inferConvolution(Operation *op, ConvolutionParameters p, ResultTypes &results) {
  if (failed(checkConvolution(op, p, /*transposed=*/false, "conv_c")))
    return failure();
  auto input = operandType(op, 0), weight = operandType(op, 1);
  SmallVector<int64_t> shape{input.getDimSize(0), weight.getDimSize(0)};
  for (size_t i = 0; i < p.stride.size(); ++i) {
    int64_t padded = input.getDimSize(i + 2) + 2 * p.padding[i];
    int64_t kernel = p.dilation[i] * (weight.getDimSize(i + 2) - 1) + 1;
    if (kernel > padded)
      return op->emitOpError() << "expected a kernel of extent at most " << padded << " (input and padding) in spatial "
                               << "dimension " << i << " but found " << kernel << " [conv_c6]";
    shape.push_back((padded - kernel) / p.stride[i] + 1);
  }
  results.push_back(input.clone(shape));
  return success();
}

LogicalResult kgen::aten::inferConvTranspose(Operation *op, ConvolutionParameters p, ArrayRef<int64_t> outputPadding,
                                             ResultTypes &results) {
  if (failed(checkConvolution(op, p, /*transposed=*/true, "conv_transpose_c")) ||
      failed(checkSizes(op, "output_padding", outputPadding, p.stride.size(), 0, "conv_transpose_c")))
    return failure();
  auto input = operandType(op, 0), weight = operandType(op, 1);
  SmallVector<int64_t> shape{input.getDimSize(0), weight.getDimSize(1) * p.groups};
  for (size_t i = 0; i < p.stride.size(); ++i) {
    if (outputPadding[i] >= std::max(p.stride[i], p.dilation[i]))
      return op->emitOpError() << "expected output_padding below stride or dilation in spatial dimension " << i
                               << " but found " << outputPadding[i] << " [conv_transpose_c6]";
    int64_t extent = (input.getDimSize(i + 2) - 1) * p.stride[i] - 2 * p.padding[i] +
                     p.dilation[i] * (weight.getDimSize(i + 2) - 1) + outputPadding[i] + 1;
    if (extent < 1)
      return op->emitOpError() << "expected an output that is not empty in spatial dimension " << i
                               << " but found extent " << extent << " [conv_transpose_c6]";
    shape.push_back(extent);
  }
  results.push_back(input.clone(shape));
  return success();
}

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

LogicalResult kgen::aten::inferAttention(Operation *op, double dropout, bool causal, ResultTypes &results) {
  auto query = operandType(op, 0), key = operandType(op, 1), value = operandType(op, 2);
  int64_t rank = query.getRank();
  if (rank < 2 || key.getRank() != rank || value.getRank() != rank)
    return op->emitOpError() << "expected query, key and value of one rank from 2 on but found " << rank << ", "
                             << key.getRank() << " and " << value.getRank() << " [sdpa_c1]";
  if (query.getShape().drop_back(2) != key.getShape().drop_back(2) ||
      key.getShape().drop_back() != value.getShape().drop_back() || query.getShape().back() != key.getShape().back())
    return op->emitOpError() << "expected shapes (..., L, E), (..., S, E) and (..., S, Ev) but found "
                             << printShape(query.getShape()) << ", " << printShape(key.getShape()) << " and "
                             << printShape(value.getShape()) << " [sdpa_c2]";
  for (unsigned i : {1u, 2u})
    if (operandType(op, i).getElementType() != query.getElementType())
      return op->emitOpError() << "expected operand " << i << " to have element type " << query.getElementType()
                               << " but found " << operandType(op, i).getElementType() << " [sdpa_c6]";
  SmallVector<int64_t> shape(query.getShape());
  if (op->getNumOperands() > 3) {
    auto mask = operandType(op, 3);
    shape.back() = key.getDimSize(rank - 2);
    auto common = broadcastShapes(mask.getShape(), shape);
    if (!common || ArrayRef<int64_t>(*common) != ArrayRef<int64_t>(shape) ||
        (!mask.getElementType().isInteger(1) && mask.getElementType() != query.getElementType()))
      return op->emitOpError() << "expected a mask of i1 or " << query.getElementType() << " that broadcasts to "
                               << printShape(shape) << " but found " << mask << " [sdpa_c3]";
    if (causal)
      return op->emitOpError("expected attn_mask or is_causal but found both [sdpa_c4]");
  }
  if (dropout != 0)
    return op->emitOpError("expected dropout_p to be 0 but found ") << dropout << " [sdpa_c5]";
  shape.back() = value.getShape().back();
  results.push_back(query.clone(shape));
  return success();
}
