//===- MergeHeads.cpp - What queries and keys go through, once ------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Queries and keys of one product go through the same norm of each head and the same rotary embedding, by ops of their
// own that know nothing of how many heads there are. So the ops of the queries are made for the heads of both; weights
// that differ become one with a row for each head.
//
//===----------------------------------------------------------------------===//
#include "NetworkRewrites.h"

#include "kgen/Dialect/KGen/Layouts.h"
#include "kgen/Dialect/KGen/Origins.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace kgen;
using namespace kgen::directive;

namespace {

using Shape = SmallVector<int64_t>;

int64_t fromFront(int64_t dim, int64_t rank) { return dim < 0 ? dim + rank : dim; }

class HeadMerger {
public:
  /// New ops stand in front of BEFORE.
  explicit HeadMerger(Operation *before)
      : before(before), builder(before), origins(before->getParentOfType<func::FuncOp>()) {}

  /// A value of which A and B are the two parts along dimension DIM, where their heads are; null where they are not
  /// made by the same ops of two such parts.
  Value merge(Value a, Value b, int64_t dim) {
    auto [known, isNew] = merged.try_emplace({a, b});
    if (isNew) {
      Value value = build(a, b, dim); // which makes further entries
      merged[{a, b}] = {value, dim};
      return value;
    }
    return known->second.second == dim ? known->second.first : Value();
  }

  /// Whether something is computed of the heads once that was computed twice.
  bool saves() const {
    return llvm::any_of(
        created, [](Operation *op) { return cast<aten::AtenCostOpInterface>(op).getKind() != aten::OpKind::View; });
  }

  void undo() {
    for (Operation *op : llvm::reverse(created))
      op->erase();
  }

private:
  Value build(Value a, Value b, int64_t dim) {
    Operation *first = a.getDefiningOp(), *second = b.getDefiningOp();
    if (!first || !second || first->getName() != second->getName() || first->getNumResults() != 1 ||
        first->getNumOperands() != second->getNumOperands() || !differOnlyAt(typeOf(a), typeOf(b), dim))
      return {};
    if (isa<aten::ViewOp, aten::ReshapeOp>(first))
      return joinSlices(first, second, dim);
    if (first->getAttrDictionary() != second->getAttrDictionary())
      return {};
    std::optional<int64_t> from = sourceDim(first, dim);
    if (!from)
      return {};
    SmallVector<Value> operands;
    for (auto [x, y] : llvm::zip_equal(first->getOperands(), second->getOperands())) {
      Value operand = mergeOperand(first, second, x, y, dim, *from);
      if (!operand)
        return {};
      operands.push_back(operand);
    }
    Shape shape(typeOf(a).getShape());
    shape[dim] += typeOf(b).getDimSize(dim);
    Operation *op = track(builder.clone(*first));
    op->setOperands(operands);
    op->getResult(0).setType(withShape(a, shape));
    return op->getResult(0);
  }

  /// The dimension of OP's first operand that dimension DIM of its result is; none where OP works along it.
  static std::optional<int64_t> sourceDim(Operation *op, int64_t dim) {
    const int64_t rank = typeOf(op->getResult(0)).getRank();
    if (isLight(op) && cast<aten::AtenCostOpInterface>(op).getKind() == aten::OpKind::Elementwise)
      return dim;
    if (normalizesLast(op))
      return typeOf(op->getOperand(0)).getRank() == rank && dim != rank - 1 ? std::optional(dim) : std::nullopt;
    if (std::optional<SmallVector<int64_t>> dims = permutationOf(op))
      return (*dims)[dim];
    auto unless = [&](int64_t other) { return dim == other ? std::nullopt : std::optional(dim); };
    if (auto slice = dyn_cast<aten::SliceTensorOp>(op))
      return unless(fromFront(slice.getDim(), rank));
    if (auto narrow = dyn_cast<aten::NarrowOp>(op))
      return unless(fromFront(narrow.getDim(), rank));
    if (auto cat = dyn_cast<aten::CatOp>(op))
      return unless(fromFront(cat.getDim(), rank));
    return std::nullopt;
  }

  Value mergeOperand(Operation *op, Operation *other, Value x, Value y, int64_t dim, int64_t from) {
    if (cast<aten::AtenCostOpInterface>(op).getKind() != aten::OpKind::Elementwise)
      return merge(x, y, from);
    const int64_t rank = typeOf(op->getResult(0)).getRank();
    // Broadcasting aligns dimensions at the end.
    auto isOfEveryHead = [&](Value value) {
      const int64_t place = dim - (rank - typeOf(value).getRank());
      return place < 0 || typeOf(value).getDimSize(place) == 1;
    };
    if (x == y)
      return isOfEveryHead(x) ? x : Value();
    if (!isOfEveryHead(x) && !isOfEveryHead(y))
      return typeOf(x).getRank() == typeOf(y).getRank() ? merge(x, y, dim - (rank - typeOf(x).getRank())) : Value();
    if (!isOfEveryHead(x) || !isOfEveryHead(y) || !isWeight(x) || !isWeight(y))
      return {};
    return joinWeights(x, y, typeOf(op->getResult(0)), typeOf(other->getResult(0)), dim);
  }

  bool isWeight(Value value, int depth = 0) const {
    constexpr int most = 8;
    Operation *op = value.getDefiningOp();
    if (!op)
      return origins.of(value) == Origin::Weights;
    return depth < most && isLight(op) &&
           llvm::all_of(op->getOperands(), [&](Value operand) { return isWeight(operand, depth + 1); });
  }

  /// X for each head of FIRST, which are in dimension DIM, then Y for each of SECOND: types of what is made of them.
  Value joinWeights(Value x, Value y, RankedTensorType first, RankedTensorType second, int64_t dim) {
    std::optional<Shape> shape = withoutHeads(typeOf(x), first.getRank(), dim);
    if (!shape || shape != withoutHeads(typeOf(y), first.getRank(), dim) ||
        typeOf(x).getElementType() != typeOf(y).getElementType())
      return {};
    SmallVector<Value> parts;
    for (auto [value, heads] : {std::pair(x, first.getDimSize(dim)), std::pair(y, second.getDimSize(dim))}) {
      hoist(value, before);
      Location loc = value.getLoc();
      auto flat = aten::ReshapeOp::create(builder, loc, withShape(value, *shape), value, *shape);
      Shape repeated = *shape;
      repeated[0] = heads;
      auto expand = aten::ExpandOp::create(builder, loc, withShape(value, repeated), flat.getResult(), repeated);
      track(flat);
      track(expand);
      parts.push_back(expand.getResult());
    }
    Shape all = *shape;
    all[0] = first.getDimSize(dim) + second.getDimSize(dim);
    auto cat = aten::CatOp::create(builder, x.getLoc(), withShape(x, all), parts, /*dim=*/0);
    track(cat);
    return cat.getResult();
  }

  /// What TYPE is from dimension DIM of RANK on, which has one element; none where it has more in front.
  static std::optional<Shape> withoutHeads(RankedTensorType type, int64_t rank, int64_t dim) {
    Shape shape(rank - dim, 1);
    for (int64_t i = 0; i < type.getRank(); ++i) {
      const int64_t place = i + rank - type.getRank() - dim;
      if (place >= 0)
        shape[place] = type.getDimSize(i);
      else if (type.getDimSize(i) != 1)
        return std::nullopt;
    }
    return shape;
  }

  static bool differOnlyAt(RankedTensorType a, RankedTensorType b, int64_t dim) {
    Shape shape(b.getShape());
    if (a.getRank() != b.getRank() || a.getElementType() != b.getElementType() || dim < 0 || dim >= a.getRank())
      return false;
    shape[dim] = a.getDimSize(dim);
    return a.getShape() == ArrayRef(shape);
  }

  /// FIRST and SECOND split neighbouring slices of a product into heads: so does what this gives, of both.
  Value joinSlices(Operation *first, Operation *second, int64_t dim) {
    auto left = first->getOperand(0).getDefiningOp<aten::SliceTensorOp>();
    auto right = second->getOperand(0).getDefiningOp<aten::SliceTensorOp>();
    if (!left || !right || left.getSelf() != right.getSelf() || left.getStep() != 1 || right.getStep() != 1)
      return {};
    RankedTensorType whole = typeOf(left.getSelf()), heads = typeOf(first->getResult(0));
    const int64_t last = whole.getRank() - 1;
    auto [begin, middle] = left.getBounds();
    auto [next, end] = right.getBounds();
    Shape shape(whole.getShape().drop_back());
    shape.append({heads.getDimSize(dim), heads.getShape().back()});
    if (fromFront(left.getDim(), last + 1) != last || fromFront(right.getDim(), last + 1) != last || middle != next ||
        dim != last || heads.getShape() != ArrayRef(shape))
      return {};
    Location loc = first->getLoc();
    Shape both(whole.getShape());
    both.back() = end - begin;
    auto slice = aten::SliceTensorOp::create(builder, loc, withShape(left.getSelf(), both), left.getSelf(), last,
                                             builder.getI64IntegerAttr(begin), builder.getI64IntegerAttr(end));
    shape[dim] += typeOf(second->getResult(0)).getDimSize(dim);
    auto split = aten::ReshapeOp::create(builder, loc, withShape(left.getSelf(), shape), slice.getResult(), shape);
    track(slice);
    track(split);
    return split.getResult();
  }

  Operation *track(Operation *op) {
    created.push_back(op);
    return op;
  }

  Operation *before;
  OpBuilder builder;
  Origins origins;
  llvm::DenseMap<std::pair<Value, Value>, std::pair<Value, int64_t>> merged;
  SmallVector<Operation *> created; ///< each behind what it reads
};

/// VALUE without what repeats heads for others.
Value withoutRepeats(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<aten::ExpandOp, aten::UnsqueezeOp, aten::ReshapeOp, aten::ViewOp>(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

/// Erases what made VALUE and is of no use any more.
void eraseUnused(Value value) {
  llvm::SmallSetVector<Operation *, 16> open;
  auto add = [&](Value read) {
    if (Operation *op = read.getDefiningOp(); op && (isLight(op) || normalizesLast(op)))
      open.insert(op);
  };
  for (add(value); !open.empty();) {
    Operation *op = open.pop_back_val();
    if (!op->use_empty())
      continue; // who uses it comes back to it
    SmallVector<Value> operands(op->getOperands());
    op->erase();
    llvm::for_each(operands, add);
  }
}

} // namespace

bool kgen::directive::mergeHeads(Value query, Value key) {
  query = withoutRepeats(query);
  key = withoutRepeats(key);
  const int64_t rank = typeOf(query).getRank(), dim = rank - 3;
  // Heads of one batch: what attention reads is one piece of memory then, as before.
  if (query == key || dim < 0 || !query.getDefiningOp() || !key.getDefiningOp() ||
      llvm::any_of(typeOf(query).getShape().take_front(dim), [](int64_t extent) { return extent != 1; }))
    return false;
  Operation *before = nullptr;
  for (Value value : {query, key})
    for (Operation *user : value.getUsers())
      if (!before || user->isBeforeInBlock(before))
        before = user;
  if (!before)
    return false;
  HeadMerger merger(before);
  Value both = merger.merge(query, key, dim);
  if (!both || !merger.saves()) {
    merger.undo();
    return false;
  }
  OpBuilder builder(before);
  int64_t begin = 0;
  for (Value value : {query, key}) {
    const int64_t end = begin + typeOf(value).getDimSize(dim);
    Value part = aten::SliceTensorOp::create(builder, value.getLoc(), value.getType(), both, dim,
                                             builder.getI64IntegerAttr(begin), builder.getI64IntegerAttr(end));
    value.replaceAllUsesWith(part);
    eraseUnused(value);
    begin = end;
  }
  return true;
}
