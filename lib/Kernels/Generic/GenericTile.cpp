//===- GenericTile.cpp - Products by tiles --------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The card's fp64 answers to a large product, and round 0 of it, would take longer than everything else of a search
// when each thread walks a row and a column of its own. Here a block stages both in shared memory. Each output still
// adds up in the order of the reduction, so the result is that of a thread for each output.
//
//===----------------------------------------------------------------------===//

#include "GenericWriter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace kgen::kernels {

/// A block's outputs in each direction, how much of the reduction it stages at a time, and a thread's outputs.
static constexpr int64_t kTile = 64, kDepth = 16, kEach = 4;

/// Adds the loops that EXPR depends on, through named coordinates too.
void GenericWriter::findLoops(AffineExpr expr, llvm::BitVector &loops) const {
  for (unsigned i = 0; i < extents.size(); ++i)
    if (expr.isFunctionOfDim(i))
      loops.set(i);
  for (auto [i, definition] : llvm::enumerate(tracer.getNamedCoordinates()))
    if (expr.isFunctionOfDim(tracer.getNumLoops() + i))
      findLoops(definition, loops);
}

llvm::BitVector GenericWriter::findLoops(const Access &access) const {
  llvm::BitVector loops(extents.size());
  visitLeaves(access, [&](AffineExpr expr, bool) { findLoops(expr, loops); });
  return loops;
}

void GenericWriter::chooseTile() {
  // Fewer elements than this fit a single tile or hardly fill a card.
  constexpr int64_t kFewRows = 32, kFewOutputs = 16384, kFewReduced = 8;
  const bool isLarge = mapping == Mapping::Element && outputs >= kFewOutputs && reduced >= kFewReduced;
  if ((!isLarge && wideTiles > 1) || vector > 1 || combiners.size() != 1 || inputs.size() != 2 ||
      !isa<arith::AddFOp>(combiners[0].op))
    return;
  // Without a word of the graph other types keep the text that published runs have.
  bool plain = anyTiles || cast<RankedTensorType>(op->getResult(0).getType()).getElementType().isF64();
  op.getBody()->walk([&](Operation *inner) { plain &= !isa<linalg::IndexOp, tensor::ExtractOp>(inner); });
  for (const Operand &operand : inputs)
    plain &= operand.access.kind != Access::Kind::Literal && isa<FloatType>(operand.argument.getType());
  for (const Operand &operand : inits)
    plain &= operand.access.kind == Access::Kind::Literal;
  if (!plain)
    return;
  llvm::BitVector first = findLoops(inputs[0].access), second = findLoops(inputs[1].access);
  int64_t rows = 1, columns = 1, batches = 1;
  for (unsigned loop : parallel) {
    bool isRow = first[loop] && !second[loop], isColumn = second[loop] && !first[loop];
    (isRow ? rowLoops : isColumn ? columnLoops : batchLoops).push_back(loop);
    (isRow ? rows : isColumn ? columns : batches) *= extents[loop];
  }
  chooseWideTile();
  if (mapping == Mapping::WideTile || !isLarge || rows < kFewRows || columns < kFewRows)
    return;
  mapping = Mapping::Tile;
  tiles = llvm::divideCeil(rows, kTile) * llvm::divideCeil(columns, kTile) * batches;
}

void GenericWriter::declareCoordinates(const llvm::BitVector &loops) {
  for (auto [i, definition] : llvm::enumerate(tracer.getNamedCoordinates())) {
    // A coordinate of the other operand needs loops that stand elsewhere.
    llvm::BitVector needed(extents.size());
    findLoops(definition, needed);
    if (!needed.test(loops)) // no loop that it lacks
      body << "        const " << indexType << " " << names[tracer.getNumLoops() + i] << " = " << writeIndex(definition)
           << ";\n";
  }
}

LogicalResult GenericWriter::writeFirstSum() {
  if (inits.empty()) {
    body << printLiteral(FloatAttr::get(combiners[0].value.getType(), 0.0), helpers) << ";\n";
  } else {
    FailureOr<std::string> start = writeLoad(inits[0].access);
    if (failed(start))
      return failure();
    body << *start << ";\n";
  }
  return success();
}

/// The value that the body goes on with once it has computed what it computes of OPERAND alone: once for each element
/// then, not for each product. The operand itself where that is one op, such as a conversion to a wider type, or leads
/// to several values.
GenericWriter::Staged GenericWriter::findStaged(const Operand &operand) {
  Staged staged;
  llvm::SetVector<Value> values;
  values.insert(operand.argument);
  auto isOwn = [&](Value value) { return values.contains(value); };
  auto isOwnOrConstant = [&](Value value) { return isOwn(value) || matchPattern(value, m_Constant()); };
  for (Operation &scalar : op.getBody()->without_terminator())
    if (scalar.getNumResults() == 1 && llvm::any_of(scalar.getOperands(), isOwn) &&
        llvm::all_of(scalar.getOperands(), isOwnOrConstant)) {
      values.insert(scalar.getResult(0));
      staged.ops.insert(&scalar);
    }
  for (Value value : values)
    if (llvm::any_of(value.getUsers(), [&](Operation *user) { return !staged.ops.contains(user); })) {
      if (staged.value)
        return {operand.argument, {}};
      staged.value = value;
    }
  if (staged.ops.size() < 2 || !staged.value || !isa<FloatType>(staged.value.getType()))
    return {operand.argument, {}};
  return staged;
}

/// Stages OPERAND as STAGED: OWN are its loops of a tile that begins at FIRST, of EXTENT in all.
LogicalResult GenericWriter::writeTileLoad(const Operand &operand, const Staged &staged, StringRef tile,
                                           StringRef first, StringRef extent, ArrayRef<unsigned> own) {
  // Neighbouring threads walk memory: along the reduction where that does, else along the tile.
  bool alongReduction = false;
  visitLeaves(operand.access, [&](AffineExpr expr, bool isCondition) {
    SmallVector<int64_t> coefficients(extents.size(), 0);
    unsigned inner = reduction.back();
    alongReduction |= !isCondition && addCoefficients(expr, 1, coefficients, inner, inner) && coefficients[inner] == 1;
  });
  body << "    for (int e = threadIdx.x; e < kTile * kDepth; e += kThreads) {\n"
       << "      const int at = e " << (alongReduction ? "/ kDepth" : "% kTile") << ", deep = e "
       << (alongReduction ? "% kDepth" : "/ kTile") << ";\n"
       << "      const " << indexType << " p = " << first << " + at, r = r0 + deep;\n"
       << "      " << emitter->getLocalType(staged.value.getType())
       << " value = " << printLiteral(FloatAttr::get(staged.value.getType(), 0.0), helpers) << ";\n"
       << "      if (p < " << extent << " && r < kReduced) {\n";
  declarePosition("p", own, 8);
  declarePosition("r", reduction, 8);
  declareCoordinates(findLoops(operand.access));
  FailureOr<std::string> text = writeLoad(operand.access);
  if (failed(text))
    return failure();
  emitter->setIndent(8);
  emitter->bind(operand.argument, *text);
  for (Operation *scalar : staged.ops)
    if (failed(emitter->emit(*scalar, nullptr)))
      return failure();
  body << "        value = " << emitter->get(staged.value) << ";\n      }\n      " << tile
       << "[deep][at] = value;\n    }\n";
  return success();
}

LogicalResult GenericWriter::writeTileBody() {
  auto extentOf = [&](ArrayRef<unsigned> loops) {
    int64_t extent = 1;
    for (unsigned loop : loops)
      extent *= extents[loop];
    return extent;
  };
  const Staged staged[] = {findStaged(inputs[0]), findStaged(inputs[1])};
  const std::string types[] = {emitter->getLocalType(staged[0].value.getType()),
                               emitter->getLocalType(staged[1].value.getType())};
  const std::string sums = emitter->getLocalType(combiners[0].value.getType());
  body << "  constexpr int kTile = " << kTile << ", kDepth = " << kDepth << ", kEach = " << kEach << ";\n"
       << "  static_assert(kThreads * kEach * kEach == kTile * kTile);\n"
       << "  constexpr " << indexType << " kRows = " << extentOf(rowLoops) << ", kColumns = " << extentOf(columnLoops)
       << ";\n"
       << "  constexpr " << indexType
       << " kDown = (kRows + kTile - 1) / kTile, kAcross = (kColumns + kTile - 1) / kTile;\n"
       << "  __shared__ " << types[0] << " left[kDepth][kTile + 1];\n"
       << "  __shared__ " << types[1] << " right[kDepth][kTile + 1];\n"
       << "  const " << indexType
       << " row0 = blockIdx.x / kAcross % kDown * kTile, column0 = blockIdx.x % kAcross * kTile;\n";
  if (!batchLoops.empty()) {
    body << "  const " << indexType << " batch = blockIdx.x / kAcross / kDown;\n";
    declarePosition("batch", batchLoops, 2);
  }
  body << "  const int y0 = threadIdx.x / (kTile / kEach), x0 = threadIdx.x % (kTile / kEach);\n"
       << "  " << sums << " acc[kEach][kEach];\n"
       << "  for (int y = 0; y < kEach; ++y)\n    for (int x = 0; x < kEach; ++x)\n      acc[y][x] = ";
  if (failed(writeFirstSum()))
    return failure();
  body << "  for (" << indexType << " r0 = 0; r0 < kReduced; r0 += kDepth) {\n";
  if (failed(writeTileLoad(inputs[0], staged[0], "left", "row0", "kRows", rowLoops)) ||
      failed(writeTileLoad(inputs[1], staged[1], "right", "column0", "kColumns", columnLoops)))
    return failure();
  body << "    __syncthreads();\n"
       << "    const int depth = kReduced - r0 < kDepth ? int(kReduced - r0) : kDepth;\n"
       << "    for (int k = 0; k < depth; ++k) {\n"
       << "      " << types[0] << " a[kEach];\n"
       << "      " << types[1] << " b[kEach];\n"
       << "#pragma unroll\n"
       << "      for (int n = 0; n < kEach; ++n) {\n"
       << "        a[n] = left[k][y0 + n * (kTile / kEach)];\n"
       << "        b[n] = right[k][x0 + n * (kTile / kEach)];\n"
       << "      }\n"
       << "#pragma unroll\n      for (int y = 0; y < kEach; ++y)\n"
       << "#pragma unroll\n        for (int x = 0; x < kEach; ++x) {\n";
  emitter->setIndent(10);
  emitter->bind(staged[0].value, "a[y]");
  emitter->bind(staged[1].value, "b[x]");
  for (const Staged &each : staged)
    leftOutOps.insert_range(each.ops);
  if (failed(emitScalars()))
    return failure();
  body << "          " << spellUpdate(combiners[0].op, "acc[y][x]", emitter->get(combiners[0].value), helpers)
       << "        }\n    }\n    __syncthreads();\n  }\n"
       << "  for (int y = 0; y < kEach; ++y)\n    for (int x = 0; x < kEach; ++x) {\n"
       << "      const " << indexType
       << " row = row0 + y0 + y * (kTile / kEach), column = column0 + x0 + x * (kTile / kEach);\n"
       << "      if (row >= kRows || column >= kColumns)\n        continue;\n";
  declarePosition("row", rowLoops, 6);
  declarePosition("column", columnLoops, 6);
  accumulators = {"acc[y][x]"};
  writeStores(6);
  body << "    }\n";
  return success();
}

} // namespace kgen::kernels
