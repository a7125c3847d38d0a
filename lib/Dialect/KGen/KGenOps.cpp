//===- KGenOps.cpp - Verifiers of the kgen ops ---------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Dialect/KGen/KGen.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace kgen;

#define GET_OP_CLASSES
#include "kgen/Dialect/KGen/KGenOps.cpp.inc"

//===----------------------------------------------------------------------===//
// DispatchOp
//===----------------------------------------------------------------------===//

StringRef DispatchOp::getFamily() {
  std::optional<ScheduleAttr> schedule = getSchedule();
  return schedule ? schedule->getFamily() : "generic";
}

YieldOp DispatchOp::getYield() { return cast<YieldOp>(getBody().front().getTerminator()); }

LogicalResult DispatchOp::verifyRegions() {
  Block &block = getBody().front();
  auto yield = block.empty() ? YieldOp() : dyn_cast<YieldOp>(block.back());
  if (!yield)
    return emitOpError("expected the region to end with kgen.yield");
  auto compare = [&](TypeRange found, TypeRange expected, StringRef what, StringRef against) -> LogicalResult {
    if (found.size() != expected.size())
      return emitOpError() << "expected as many " << what << " as " << against << " (" << expected.size() << "), found "
                           << found.size();
    for (unsigned i = 0; i < found.size(); ++i)
      if (found[i] != expected[i])
        return emitOpError() << "expected " << what << " " << i << " of type " << expected[i] << ", found " << found[i];
    return success();
  };
  if (failed(compare(block.getArgumentTypes(), getInputs().getTypes(), "block arguments", "inputs")) ||
      failed(compare(yield.getOperandTypes(), getResultTypes(), "yielded values", "results")))
    return failure();
  // Families and the generic path know the ops of one dialect only.
  for (Operation &op : block.without_terminator())
    if (op.getName().getDialectNamespace() != "aten")
      return emitOpError("expected ops of the aten dialect in the region").attachNote(op.getLoc())
             << "found " << op.getName();
  return success();
}

//===----------------------------------------------------------------------===//
// SourceOp
//===----------------------------------------------------------------------===//

LogicalResult SourceOp::verify() {
  StringRef arch = getArch();
  if (!arch.consume_front("sm_") || arch.empty() || !llvm::isDigit(arch.front()) || !llvm::all_of(arch, llvm::isAlnum))
    return emitOpError() << "expected an architecture like \"sm_90a\", found \"" << getArch() << "\"";
  if (getText().trim().empty())
    return emitOpError("expected a CUDA-C text, found an empty one");
  return success();
}

bool SourceOp::definesKernel(StringRef kernel) {
  StringRef text = getText();
  auto isIdentifier = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  for (size_t at = text.find(kernel); at != StringRef::npos; at = text.find(kernel, at + 1)) {
    bool startsName = at == 0 || !isIdentifier(text[at - 1]);
    if (startsName && text.drop_front(at + kernel.size()).ltrim().starts_with("("))
      return true;
  }
  return false;
}

//===----------------------------------------------------------------------===//
// TensorMapAttr
//===----------------------------------------------------------------------===//

LogicalResult TensorMapAttr::verify(function_ref<InFlightDiagnostic()> emitError, int64_t operand, Type dtype,
                                    DenseI64ArrayAttr dims, DenseI64ArrayAttr strides, DenseI64ArrayAttr box,
                                    int64_t swizzle, int64_t l2, int64_t offset) {
  int64_t rank = dims.size();
  if (!dtype.isIntOrFloat())
    return emitError() << "expected an integer or float type, found " << dtype;
  if (rank < 1 || rank > 5 || strides.size() != rank - 1 || box.size() != rank)
    return emitError() << "expected 1 to 5 dimensions, one stride fewer and as many entries of the box, found " << rank
                       << ", " << strides.size() << " and " << box.size();
  for (int64_t extent : box.asArrayRef())
    if (extent < 1 || extent > 256)
      return emitError() << "expected a box of 1 to 256 elements in each dimension, found " << extent;
  for (int64_t stride : strides.asArrayRef())
    if (stride < 16 || stride % 16)
      return emitError() << "expected strides that are multiples of 16 bytes, found " << stride;
  int64_t element = dtype.isTF32() ? 4 : llvm::divideCeil(dtype.getIntOrFloatBitWidth(), 8), row = box[0] * element;
  if (swizzle != 0 && swizzle != 32 && swizzle != 64 && swizzle != 128)
    return emitError() << "expected a swizzle of 0, 32, 64 or 128 bytes, found " << swizzle;
  if (row % 16 || (swizzle && row > swizzle))
    return emitError() << "expected rows of the box that are a multiple of 16 bytes and at most the swizzle's "
                       << swizzle << ", found " << row;
  if (l2 != 0 && l2 != 64 && l2 != 128 && l2 != 256)
    return emitError() << "expected an l2 promotion of 0, 64, 128 or 256 bytes, found " << l2;
  if (offset < 0 || offset % 16)
    return emitError() << "expected an offset that is a multiple of 16 bytes, found " << offset;
  return success();
}

//===----------------------------------------------------------------------===//
// LaunchOp
//===----------------------------------------------------------------------===//

/// Checks one of grid and block: three entries, each from 1 to its bound.
static LogicalResult verifyDims(LaunchOp op, StringRef what, ArrayRef<int64_t> dims, ArrayRef<int64_t> bounds) {
  if (dims.size() != 3)
    return op.emitOpError() << "expected three " << what << " dimensions, found " << dims.size();
  for (unsigned i = 0; i < 3; ++i)
    if (dims[i] < 1 || dims[i] > bounds[i])
      return op.emitOpError() << "expected " << what << " dimension " << i << " from 1 to " << bounds[i] << ", found "
                              << dims[i];
  return success();
}

LogicalResult LaunchOp::verify() {
  if (getKernel().getNestedReferences().size() != 1)
    return emitOpError() << "expected a kernel of the form @source::@kernel, found " << getKernel();
  if (failed(verifyDims(*this, "grid", getGrid(), {2147483647, 65535, 65535})) ||
      failed(verifyDims(*this, "block", getBlock(), {1024, 1024, 64})))
    return failure();
  int64_t threads = getBlock()[0] * getBlock()[1] * getBlock()[2];
  if (threads > kMaxThreadsPerBlock)
    return emitOpError() << "expected at most " << kMaxThreadsPerBlock << " threads in a block, found " << threads;
  if (int64_t(getShared()) < 0 || int64_t(getShared()) > kMaxSharedBytes)
    return emitOpError() << "expected dynamic shared memory from 0 to " << kMaxSharedBytes << " bytes, found "
                         << int64_t(getShared());
  if (std::optional<ArrayRef<int64_t>> cluster = getCluster()) {
    if (failed(verifyDims(*this, "cluster", *cluster, {16, 16, 16})))
      return failure();
    if (int64_t blocks = (*cluster)[0] * (*cluster)[1] * (*cluster)[2]; blocks > 16)
      return emitOpError() << "expected at most 16 blocks in a cluster, found " << blocks;
    for (unsigned i = 0; i < 3; ++i)
      if (getGrid()[i] % (*cluster)[i])
        return emitOpError() << "expected grid dimension " << i << " to be a multiple of the cluster's "
                             << (*cluster)[i] << ", found " << getGrid()[i];
  }
  for (Attribute map : getMaps().value_or(ArrayAttr()) ? getMaps()->getValue() : ArrayRef<Attribute>()) {
    auto typed = dyn_cast<TensorMapAttr>(map);
    if (!typed)
      return emitOpError() << "expected maps of the form #kgen.tensor_map<...>, found " << map;
    int64_t operands = getInputs().size() + getOutputs().size();
    if (typed.getOperand() < 0 || typed.getOperand() >= operands)
      return emitOpError() << "expected a tensor map of operand 0 to " << operands - 1 << ", found "
                           << typed.getOperand();
  }
  for (Attribute scalar : getScalars().value_or(ArrayAttr()) ? getScalars()->getValue() : ArrayRef<Attribute>()) {
    auto typed = dyn_cast<TypedAttr>(scalar);
    if (!typed || !(typed.getType().isInteger(32) || typed.getType().isInteger(64) || typed.getType().isF32()))
      return emitOpError() << "expected scalars of type i32, i64 or f32, found " << scalar;
  }
  return success();
}

LogicalResult LaunchOp::verifySymbolUses(SymbolTableCollection &symbolTable) {
  auto source = symbolTable.lookupNearestSymbolFrom<SourceOp>(*this, getSourceName());
  if (!source)
    return emitOpError() << "expected a kgen.source @" << getSourceName().getValue() << " in the module, found none";
  if (!source.definesKernel(getKernelName()))
    return emitOpError() << "expected a kernel " << getKernelName() << " in the text of @" << getSourceName().getValue()
                         << ", found none";
  return success();
}
