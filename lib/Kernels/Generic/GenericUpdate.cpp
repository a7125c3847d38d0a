//===- GenericUpdate.cpp - An argument written in place -------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// As an op, each element of the result asks whether it is the one that the positions name, and is the argument's
// otherwise. As a kernel on the argument's own memory, only those elements that are named have a thread: the loops that
// ask have no other value than the position.
//
//===----------------------------------------------------------------------===//

#include "GenericWriter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace kgen::kernels {

/// The loop whose number VALUE is, as an integer; -1: it is none.
static int findLoop(Value value) {
  if (auto cast = value.getDefiningOp<arith::IndexCastOp>())
    value = cast.getIn();
  auto index = value.getDefiningOp<linalg::IndexOp>();
  return index ? int(index.getDim()) : -1;
}

LogicalResult GenericWriter::findNamedLoops() {
  auto select = op.getBody()->getTerminator()->getOperand(0).getDefiningOp<arith::SelectOp>();
  if (op->getNumResults() != 1 || !select || select.getFalseValue() != op.getRegionOutputArgs()[0] ||
      !op.getRegionOutputArgs()[0].hasOneUse() || !select->hasOneUse() || !reduction.empty())
    return op.emitOpError("cannot be written in place: expected one position whose elements get another value");
  put = select.getTrueValue();
  SmallVector<Value> conditions{select.getCondition()};
  leftOutOps.insert(select);
  while (!conditions.empty()) {
    Value condition = conditions.pop_back_val();
    Operation *asks = condition.getDefiningOp();
    if (auto both = dyn_cast_or_null<arith::AndIOp>(asks); both && both->hasOneUse()) {
      leftOutOps.insert(both);
      conditions.append({both.getRhs(), both.getLhs()});
      continue;
    }
    auto compare = dyn_cast_or_null<arith::CmpIOp>(asks);
    if (compare && compare.getPredicate() == arith::CmpIPredicate::eq && compare->hasOneUse()) {
      const bool first = findLoop(compare.getLhs()) >= 0;
      const int loop = findLoop(first ? compare.getLhs() : compare.getRhs());
      if (loop >= 0 && llvm::none_of(namedLoops, [&](auto &named) { return named.first == unsigned(loop); })) {
        leftOutOps.insert(compare);
        namedLoops.push_back({unsigned(loop), first ? compare.getRhs() : compare.getLhs()});
        continue;
      }
    }
    otherConditions.push_back(condition);
  }
  // What computes the number of such a loop, for the question alone.
  for (Operation &scalar : llvm::reverse(op.getBody()->without_terminator()))
    if (isa<linalg::IndexOp, arith::IndexCastOp>(scalar) && findLoop(scalar.getResult(0)) >= 0 &&
        llvm::all_of(scalar.getUsers(), [&](Operation *user) { return leftOutOps.contains(user); }))
      leftOutOps.insert(&scalar);
  bool moves = false;
  for (auto [loop, position] : namedLoops) {
    const unsigned dim = loop;
    moves |= llvm::any_of(op.getBody()->getOps<linalg::IndexOp>(),
                          [&](linalg::IndexOp index) { return index.getDim() == dim && !leftOutOps.contains(index); });
    for (const Operand &operand : inputs)
      visitLeaves(operand.access, [&](AffineExpr expr, bool) { moves |= expr.isFunctionOfDim(dim); });
    for (AffineExpr definition : tracer.getNamedCoordinates())
      moves |= definition.isFunctionOfDim(dim);
  }
  if (moves)
    return op.emitOpError("cannot be written in place: what it writes depends on where");
  outputs = 1;
  for (unsigned loop : parallel)
    if (llvm::none_of(namedLoops, [&](auto &named) { return named.first == loop; }))
      outputs *= extents[loop];
  threads = outputs == 1 ? 1 : kElementThreads;
  return success();
}

LogicalResult GenericWriter::writeUpdateBody() {
  SmallVector<unsigned> loops;
  for (unsigned loop : parallel)
    if (llvm::none_of(namedLoops, [&](auto &named) { return named.first == loop; }))
      loops.push_back(loop);
  declareThread(loops);
  declareCoordinates(0);
  if (failed(bindLoads(/*initial=*/false, 0)) || failed(emitScalars()))
    return failure();
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  for (auto [loop, position] : namedLoops) {
    std::string text = emitter->get(position), own = "p" + std::to_string(loop);
    body << "  if (" << text << " < 0 || " << text << " >= " << ranges[loop] << ")\n    return;\n"
         << "  const " << indexType << " " << own << " = (" << indexType << ")" << parenthesized(text) << ";\n";
    if (extents[loop] > 1)
      names[loop] = own;
  }
  for (Value condition : otherConditions)
    body << "  if (!" << parenthesized(emitter->get(condition)) << ")\n    return;\n";
  body << "  out0[" << writeIndex(outputIndex[0]) << "] = " << emitter->get(put) << ";\n";
  return success();
}

FailureOr<GenericKernel> emitUpdateKernel(linalg::GenericOp op, StringRef name, StringRef what) {
  GenericWriter writer(op, name, what, /*anyTiles=*/false, /*wideTiles=*/0);
  writer.writeInPlace();
  return writer.write();
}

} // namespace kgen::kernels
