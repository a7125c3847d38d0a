//===- GenericVector.cpp - Packs of neighbouring outputs -------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Element-wise kernels of the generic path: a thread computes neighbours along the innermost loop, whose operands and
// results travel in accesses of up to 16 bytes.
//
//===----------------------------------------------------------------------===//

#include "GenericWriter.h"

using namespace mlir;

namespace kgen::kernels {

/// Whether INDEX walks memory element by element along the innermost parallel loop.
bool GenericWriter::walksInner(AffineExpr index) const {
  SmallVector<int64_t> coefficients(extents.size(), 0);
  unsigned inner = parallel.back();
  return addCoefficients(index, 1, coefficients, inner, inner) && coefficients[inner] == 1;
}

/// Whether the elements of ACCESS for neighbouring outputs are one aligned pack.
bool GenericWriter::isPacked(const Access &access) const {
  if (access.kind != Access::Kind::Load || !walksInner(substitute(access.index)))
    return false;
  unsigned inner = parallel.back();
  AffineExpr rest =
      substitute(access.index).replace(getAffineDimExpr(inner, context), getAffineConstantExpr(0, context));
  return rest.isMultipleOf(vector);
}

void GenericWriter::chooseVector() {
  constexpr int64_t kLeastOutputs = 16384; // with fewer, more threads hide more latency
  if (mapping != Mapping::Element || !reduction.empty() || parallel.empty() || outputs < kLeastOutputs)
    return;
  unsigned inner = parallel.back();
  // A condition that changes within a pack would make its parts go different ways.
  bool plain = true;
  forEachLeaf([&](AffineExpr expr, bool isCondition) { plain &= !isCondition || !expr.isFunctionOfDim(inner); });
  int64_t bytes = 1, packed = 0, scattered = 0;
  auto see = [&](Type type) {
    Type element = cast<RankedTensorType>(type).getElementType();
    bytes = std::max<int64_t>(bytes, llvm::divideCeil(element.getIntOrFloatBitWidth(), 8));
  };
  for (Type type : op->getResultTypes())
    see(type);
  for (ArrayRef<Operand> operands : {ArrayRef<Operand>(inputs), ArrayRef<Operand>(inits)})
    for (const Operand &operand : operands)
      visitLeaves(operand.access, [&](AffineExpr index, bool isCondition) {
        if (!isCondition && substitute(index).isFunctionOfDim(inner))
          ++(walksInner(substitute(index)) ? packed : scattered);
      });
  for (const Operand &operand : inputs)
    if (operand.access.kind == Access::Kind::Load && walksInner(substitute(operand.access.index)))
      see(operand.access.buffer.getType());
  for (AffineExpr index : outputIndex)
    plain &= walksInner(substitute(index));
  // Reads that stride through memory gain nothing from neighbours in one thread.
  if (!plain || scattered > packed)
    return;
  constexpr int64_t kPackBytes = 16;
  for (vector = kPackBytes / bytes; vector > 1 && extents[inner] % vector != 0;)
    vector /= 2;
}

LogicalResult GenericWriter::writeVectorBody() {
  helpers.need("kgen_pack");
  unsigned inner = parallel.back();
  std::string own = names[inner];
  std::string position = parallel.size() == 1 ? own : "i";
  body << "  const " << indexType << " " << position << " = ("
       << (indexType == "int" ? "blockIdx.x" : "(long long)blockIdx.x") << " * kThreads + threadIdx.x) * kVector;\n"
       << "  if (" << position << " >= kOutputs)\n    return;\n";
  if (parallel.size() > 1)
    declarePosition(position, parallel, 2);
  declareCoordinates(0);

  // All packs first, so that their loads are in flight together.
  for (ArrayRef<Operand> operands : {ArrayRef<Operand>(inputs), ArrayRef<Operand>(inits)})
    for (const Operand &operand : operands) {
      if (!isPacked(operand.access))
        continue;
      FailureOr<std::string> text = writeLoad(operand.access);
      if (failed(text))
        return failure();
      auto [it, isNew] = loaded.try_emplace(*text, "pack" + std::to_string(loaded.size()) + ".lane[lane]");
      if (isNew) {
        StringRef type = getStorageType(cast<RankedTensorType>(operand.access.buffer.getType()).getElementType());
        StringRef pack = StringRef(it->second).take_until([](char c) { return c == '.'; });
        body << "  const auto " << pack << " = *reinterpret_cast<const kgen_pack<" << type << ", kVector> *>(&" << *text
             << ");\n";
      }
      emitter->bind(operand.argument, it->second);
    }
  for (auto [i, value] : llvm::enumerate(op->getResults()))
    body << "  kgen_pack<" << getStorageType(cast<RankedTensorType>(value.getType()).getElementType())
         << ", kVector> result" << i << ";\n";

  body << "#pragma unroll\n  for (int lane = 0; lane < kVector; ++lane) {\n";
  size_t laneText = bodyText.size();
  names[inner] = "column";
  emitter->bindDims(names);
  emitter->setIndent(4);
  for (ArrayRef<Operand> operands : {ArrayRef<Operand>(inputs), ArrayRef<Operand>(inits)})
    for (const Operand &operand : operands) {
      if (isPacked(operand.access))
        continue;
      FailureOr<std::string> text = writeLoad(operand.access);
      if (failed(text))
        return failure();
      if (operand.access.kind == Access::Kind::Literal)
        emitter->bind(operand.argument, *text);
      else
        emitter->declare(operand.argument, *text);
    }
  if (failed(emitScalars()))
    return failure();
  for (unsigned i = 0; i < outputIndex.size(); ++i)
    body << "    result" << i << ".lane[lane] = " << emitter->get(op.getBody()->getTerminator()->getOperand(i))
         << ";\n";
  body << "  }\n";
  names[inner] = own;
  if (StringRef(bodyText).drop_front(laneText).contains("column"))
    bodyText.insert(laneText, "    const " + indexType + " column = " + own + " + lane;\n");
  for (unsigned i = 0; i < outputIndex.size(); ++i)
    body << "  *reinterpret_cast<decltype(result" << i << ") *>(&out" << i << "[" << writeIndex(outputIndex[i])
         << "]) = result" << i << ";\n";
  return success();
}

} // namespace kgen::kernels
