//===- ElementPiece.cpp - Element-wise ops between two points of a kernel -===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kgen/Kernels/Emit/ElementPiece.h"

#include "kgen/Dialect/Aten/Aten.h"
#include "kgen/Kernels/Emit/ScalarEmitter.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace kgen::kernels {

bool isPointwiseAten(Operation *op) {
  if (isa<aten::BatchNormOp, aten::FullOp>(op))
    return true;
  if (auto norm = dyn_cast<aten::InstanceNormOp>(op))
    return !norm.getUseInputStats();
  auto cost = dyn_cast<aten::AtenCostOpInterface>(op);
  return cost && cost.getKind() == aten::OpKind::Elementwise;
}

Type elementTypeOf(Value value) { return cast<RankedTensorType>(value.getType()).getElementType(); }

ArrayRef<int64_t> shapeOf(Value value) { return cast<RankedTensorType>(value.getType()).getShape(); }

std::string inputName(Value argument) { return "in" + std::to_string(cast<BlockArgument>(argument).getArgNumber()); }

bool isPacked(Value value, ArrayRef<int64_t> shape) {
  Type type = elementTypeOf(value);
  return (type.isF32() || type.isF16() || type.isBF16()) && shapeOf(value) == shape;
}

int64_t widestPackedElement(DispatchOp dispatch, ArrayRef<int64_t> shape) {
  int64_t bytes = 1;
  auto visit = [&](Value value) {
    if (isPacked(value, shape))
      bytes = std::max<int64_t>(bytes, elementTypeOf(value).getIntOrFloatBitWidth() / 8);
  };
  for (Value argument : dispatch.getBody().front().getArguments())
    visit(argument);
  for (Value value : dispatch.getYield().getValues())
    visit(value);
  return bytes;
}

std::string toFloat(std::string expression, Type type) {
  if (type.isF16())
    return "__half2float(" + expression + ")";
  if (type.isBF16())
    return "__bfloat162float(" + expression + ")";
  return expression;
}

std::string fromFloat(std::string expression, Type type) {
  if (type.isF16())
    return "__float2half(" + expression + ")";
  if (type.isBF16())
    return "__float2bfloat16(" + expression + ")";
  return expression;
}

//===----------------------------------------------------------------------===//
// Pieces
//===----------------------------------------------------------------------===//

SmallVector<Operation *> sliceBetween(Value root, ArrayRef<Value> stops) {
  llvm::SmallPtrSet<Operation *, 16> seen;
  SmallVector<Operation *> ops;
  SmallVector<Value> pending = {root};
  while (!pending.empty()) {
    Value value = pending.pop_back_val();
    Operation *op = value.getDefiningOp();
    if (!op || llvm::is_contained(stops, value) || !seen.insert(op).second)
      continue;
    ops.push_back(op);
    llvm::append_range(pending, op->getOperands());
  }
  llvm::sort(ops, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return ops;
}

FailureOr<ElementPiece> makeElementPiece(std::string name, Value root, ArrayRef<Value> stops, ArrayRef<int64_t> shape,
                                         PointwiseOptions options) {
  ElementPiece piece;
  piece.root = root;
  piece.name = std::move(name);
  SmallVector<Operation *> ops = sliceBetween(root, stops);
  auto visit = [&](Value value) {
    if ((llvm::is_contained(stops, value) || (isa<BlockArgument>(value) && isPacked(value, shape))) &&
        !llvm::is_contained(piece.scalars, value))
      piece.scalars.push_back(value);
  };
  visit(root);
  for (Operation *op : ops)
    for (Value operand : op->getOperands())
      visit(operand);
  piece.identity = llvm::is_contained(piece.scalars, root);
  if (piece.identity) {
    piece.scalars = {root};
    return piece;
  }
  FailureOr<PointwiseFunction> function = emitPointwiseFunction(piece.name, ops, root, piece.scalars, "float", options);
  if (failed(function))
    return failure();
  piece.function = std::move(*function);
  return piece;
}

bool usesCoordinate(const ElementPiece &piece, unsigned dim) {
  // The parameter list is the first use, so a second one is in the body.
  std::string word = "d" + std::to_string(dim);
  StringRef text = piece.function.text;
  auto isWord = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  size_t uses = 0;
  for (size_t at = text.find(word); at != StringRef::npos; at = text.find(word, at + 1))
    if (!isWord(text[at - 1]) && !isWord(text[at + word.size()]))
      ++uses;
  return uses > 1;
}

std::string callElementPiece(const ElementPiece &piece, llvm::function_ref<std::string(Value)> scalar,
                             ArrayRef<std::string> dims) {
  if (piece.identity)
    return scalar(piece.root);
  SmallVector<std::string> arguments;
  for (Value value : piece.scalars)
    arguments.push_back(scalar(value));
  for (auto [index, text] : llvm::enumerate(dims))
    arguments.push_back(usesCoordinate(piece, index) ? text : "0");
  for (Value operand : piece.function.operands)
    arguments.push_back("operands." + inputName(operand));
  return piece.name + "(" + llvm::join(arguments, ", ") + ")";
}

SmallVector<Value> packsOf(ArrayRef<const ElementPiece *> pieces, ArrayRef<Value> excepted, ArrayRef<int64_t> shape) {
  SmallVector<Value> packs;
  for (const ElementPiece *piece : pieces)
    for (Value value : piece->scalars)
      if (isa<BlockArgument>(value) && isPacked(value, shape) && !llvm::is_contained(excepted, value) &&
          !llvm::is_contained(packs, value))
        packs.push_back(value);
  return packs;
}

SmallVector<std::string> packCoordinates(ArrayRef<int64_t> shape, int64_t vector, StringRef first) {
  // A pack within one row of the last dimension shares all other coordinates.
  bool whole = shape.empty() || shape.back() % vector == 0;
  std::string base = whole ? first.str() : ("(" + first + " + lane)").str();
  SmallVector<std::string> dims;
  for (auto [i, extent] : llvm::enumerate(shape)) {
    int64_t below = 1;
    for (int64_t inner : shape.drop_front(i + 1))
      below *= inner;
    std::string text = base;
    if (below != 1)
      text += " / " + std::to_string(below);
    if (i != 0)
      text += " % " + std::to_string(extent);
    text = extent == 1 ? std::string("0") : "static_cast<int>(" + text + ")";
    if (whole && i + 1 == shape.size() && vector > 1)
      text += " + lane";
    dims.push_back(text);
  }
  return dims;
}

std::string loadPacks(ArrayRef<Value> packs, StringRef offset) {
  std::string text;
  for (Value value : packs)
    text += llvm::formatv("  const Pack<{0}> {1} = load_pack(operands.{1} + {2});\n",
                          getStorageType(elementTypeOf(value)), inputName(value), offset);
  return text;
}

//===----------------------------------------------------------------------===//
// A dispatch's pointers
//===----------------------------------------------------------------------===//

std::string operandStruct(DispatchOp dispatch) {
  std::string text = "\n/// The kernels' pointers.\nstruct Operands {\n";
  for (BlockArgument argument : dispatch.getBody().front().getArguments())
    text += llvm::formatv("  const {0} *{1};\n", getStorageType(elementTypeOf(argument)), inputName(argument));
  for (auto [index, value] : llvm::enumerate(dispatch.getYield().getValues()))
    text += llvm::formatv("  {0} *out{1};\n", getStorageType(elementTypeOf(value)), index);
  return text + "};\n";
}

std::string kernelParameters(DispatchOp dispatch, bool writes, StringRef between) {
  SmallVector<std::string> list;
  for (BlockArgument argument : dispatch.getBody().front().getArguments())
    list.push_back(
        llvm::formatv("const {0} *__restrict__ {1}", getStorageType(elementTypeOf(argument)), inputName(argument)));
  if (!between.empty())
    list.push_back(between.str());
  if (writes)
    for (auto [index, value] : llvm::enumerate(dispatch.getYield().getValues()))
      list.push_back(llvm::formatv("{0} *__restrict__ out{1}", getStorageType(elementTypeOf(value)), index));
  return llvm::join(list, ", ");
}

std::string kernelArguments(DispatchOp dispatch, bool writes) {
  SmallVector<std::string> list;
  for (BlockArgument argument : dispatch.getBody().front().getArguments())
    list.push_back(inputName(argument));
  for (unsigned i = 0; i < dispatch.getNumResults(); ++i)
    list.push_back(writes ? "out" + std::to_string(i) : "nullptr");
  return llvm::join(list, ", ");
}

std::string includeLines(DispatchOp dispatch) {
  bool half = false, bfloat = false;
  auto see = [&](Value value) {
    half |= elementTypeOf(value).isF16();
    bfloat |= elementTypeOf(value).isBF16();
  };
  for (BlockArgument argument : dispatch.getBody().front().getArguments())
    see(argument);
  for (Value value : dispatch.getYield().getValues())
    see(value);
  return std::string(half ? "#include <cuda_fp16.h>\n" : "") + (bfloat ? "#include <cuda_bf16.h>\n" : "");
}

} // namespace kgen::kernels
