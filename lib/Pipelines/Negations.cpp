//===- Negations.cpp - Signs of parts in the table they are multiplied by -===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Negations.h"

#include "SameMemory.h"
#include "kgen/Dialect/Aten/Aten.h"

#include "mlir/IR/Builders.h"

#include <map>
#include <tuple>

using namespace mlir;

namespace kgen::pipelines {

namespace {

RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

/// A part of a cat, along its dimension.
struct Part {
  int64_t size;
  bool isNegated;
  bool operator<(const Part &other) const { return std::tie(size, isNegated) < std::tie(other.size, other.isNegated); }
};

/// A product of a cat of parts, some of them negated, and a table.
struct Product {
  aten::MulTensorOp op;
  unsigned side; ///< which operand is the cat
  aten::CatOp cat;
};

/// What products have in common: the table without its reshapes, what it is reshaped to, the dimension of that along
/// which the parts lie, and they.
struct Table {
  Value root;
  Type type;
  int64_t dim;
  std::vector<Part> parts;
  bool operator<(const Table &other) const {
    return std::make_tuple(root.getAsOpaquePointer(), type.getAsOpaquePointer(), dim, std::cref(parts)) <
           std::make_tuple(other.root.getAsOpaquePointer(), other.type.getAsOpaquePointer(), other.dim,
                           std::cref(other.parts));
  }
};

bool isNegated(Value part) { return part.getDefiningOp<aten::NegOp>() && part.hasOneUse(); }

/// The table of OP where its operand SIDE is a cat that nobody else reads, with negated parts.
FailureOr<Table> findTable(aten::MulTensorOp op, unsigned side) {
  auto cat = op->getOperand(side).getDefiningOp<aten::CatOp>();
  const Value by = op->getOperand(1 - side);
  if (!cat || !cat->hasOneUse() || llvm::none_of(cat->getOperands(), isNegated))
    return failure();
  const RankedTensorType whole = typeOf(cat->getResult(0)), table = typeOf(by);
  const int64_t rank = whole.getRank(), dim = cat.getDim() < 0 ? cat.getDim() + rank : cat.getDim();
  const int64_t behind = rank - dim; // dimensions are told from the last one, as broadcasting does
  if (typeOf(op->getResult(0)).getShape() != whole.getShape() || table.getElementType() != whole.getElementType() ||
      !isa<FloatType>(whole.getElementType()) || table.getRank() < behind ||
      table.getShape()[table.getRank() - behind] != whole.getShape()[dim])
    return failure();
  Table out{by, table, table.getRank() - behind, {}};
  while (Operation *reshape = out.root.getDefiningOp()) {
    if (!isReshape(reshape))
      break;
    out.root = reshape->getOperand(0);
  }
  for (Value part : cat->getOperands())
    out.parts.push_back({typeOf(part).getShape()[dim], isNegated(part)});
  return out;
}

/// TABLE with the signs of its parts, behind what computes it.
Value makeSigned(OpBuilder &builder, const Table &table) {
  const Location loc = table.root.getLoc();
  builder.setInsertionPointAfterValue(table.root);
  const auto type = cast<RankedTensorType>(table.type);
  Value whole = table.root;
  if (whole.getType() != type)
    whole = aten::ReshapeOp::create(builder, loc, type, whole, type.getShape());
  SmallVector<Value> parts;
  int64_t start = 0;
  for (const Part &part : table.parts) {
    SmallVector<int64_t> shape(type.getShape());
    shape[table.dim] = part.size;
    const Type partType = type.clone(shape);
    auto number = [&](int64_t n) { return builder.getI64IntegerAttr(n); };
    Value slice = aten::SliceTensorOp::create(builder, loc, partType, whole, number(table.dim), number(start),
                                              number(start + part.size), number(1));
    parts.push_back(part.isNegated ? aten::NegOp::create(builder, loc, partType, slice).getResult() : slice);
    start += part.size;
  }
  return aten::CatOp::create(builder, loc, type, parts, table.dim);
}

} // namespace

void moveNegations(func::FuncOp func) {
  // A negation and a cat of the table cost as much as those of two products.
  constexpr size_t fewest = 3;
  std::map<Table, SmallVector<Product>> found;
  SmallVector<std::map<Table, SmallVector<Product>>::iterator> order;
  for (auto op : func.getBody().front().getOps<aten::MulTensorOp>())
    for (unsigned side : {0u, 1u})
      if (auto table = findTable(op, side); succeeded(table)) {
        auto [known, isNew] = found.try_emplace(std::move(*table));
        if (isNew)
          order.push_back(known);
        known->second.push_back({op, side, op->getOperand(side).getDefiningOp<aten::CatOp>()});
        break;
      }
  OpBuilder builder(func.getContext());
  for (auto known : order) {
    if (known->second.size() < fewest)
      continue;
    const Value table = makeSigned(builder, known->first);
    for (Product &product : known->second) {
      for (OpOperand &part : product.cat->getOpOperands())
        if (isNegated(part.get())) {
          Operation *negation = part.get().getDefiningOp();
          part.set(negation->getOperand(0));
          negation->erase();
        }
      product.op->setOperand(1 - product.side, table);
    }
  }
}

} // namespace kgen::pipelines
