//===- Resize.cpp - The same graph at another size ------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Dialect/Aten/Cost.h"
#include "kgen/Dialect/Aten/Passes.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

#include <map>

namespace kgen::aten {
#define GEN_PASS_DEF_RESIZEPASS
#include "kgen/Dialect/Aten/Passes.h.inc"
} // namespace kgen::aten

using namespace mlir;
using namespace kgen::aten;

static constexpr llvm::StringLiteral kSmall = "kgen.small";
static constexpr double kDefaultFlops = 1e8;
static constexpr int64_t kDefaultElements = 1 << 20;
/// Rows of a matrix are shrunk first while there are so many: a tile still has some to work on.
static constexpr int64_t kMatrixRows = 32;
/// Pairs are tried among so many dimensions of one extent at most: each try infers the whole graph.
static constexpr size_t kMostPaired = 12;
/// Ops of a graph that is tried twice: an unrolled recurrence keeps its steps, however narrow.
static constexpr size_t kMostTogether = 10000;
/// Ops that are inferred in search of a size before the graph is cut instead: a second, about.
static constexpr int64_t kMostInferred = 1'000'000;
/// Elements that a shrunk group or instance keeps at least.
static constexpr int64_t kLeastStatistics = 8;

//===----------------------------------------------------------------------===//
// Inference over a function
//===----------------------------------------------------------------------===//

namespace {
/// Old extent -> new extent over all arguments; extents that went two ways stay what they are.
class ExtentRenaming {
public:
  ExtentRenaming(TypeRange before, TypeRange after) {
    for (auto [from, to] : llvm::zip_equal(before, after))
      for (auto [old, now] :
           llvm::zip_equal(cast<RankedTensorType>(from).getShape(), cast<RankedTensorType>(to).getShape())) {
        auto [entry, inserted] = renamed.try_emplace(old, now);
        if (!inserted && entry->second != now)
          entry->second = old;
      }
  }
  int64_t operator()(int64_t extent) const {
    auto entry = renamed.find(extent);
    return entry == renamed.end() ? extent : entry->second;
  }

private:
  llvm::DenseMap<int64_t, int64_t> renamed;
};
} // namespace

/// Positions in a dimension that shrank stay within it: `integer(0, n - 1)` of an integer argument follows extent n.
static void resizeRange(func::FuncOp func, unsigned argument, const ExtentRenaming &rename) {
  auto init = func.getArgAttrOfType<StringAttr>(argument, "kgen.init");
  auto type = cast<RankedTensorType>(func.getArgument(argument).getType());
  StringRef text = init ? init.getValue() : StringRef();
  int64_t low, high;
  constexpr int64_t kTruth = 1; // masks hold 0 and 1, which are no positions
  if (!text.consume_front("integer(") || !type.getElementType().isInteger() || text.consumeInteger(10, low) ||
      !text.consume_front(", ") || text.consumeInteger(10, high) || text != ")" || high <= kTruth)
    return;
  int64_t now = rename(high + 1) - 1;
  if (now < high)
    func.setArgAttr(
        argument, "kgen.init",
        StringAttr::get(func.getContext(), "integer(" + Twine(std::min(low, now)) + ", " + Twine(now) + ")"));
}

/// resizeFunction(); where it fails, STUCK is the op whose operands do not go together, and none where another thing
/// failed. BEFORE gets the types that changed values had.
static LogicalResult resizeOps(func::FuncOp func, TypeRange types, Operation *&stuck,
                               llvm::DenseMap<Value, Type> &before) {
  ExtentRenaming rename(func.getArgumentTypes(), types);
  auto change = [&](Value value, Type type) {
    if (value.getType() == type)
      return;
    before[value] = value.getType();
    value.setType(type);
  };
  for (auto [argument, type] : llvm::zip_equal(func.getArguments(), types))
    change(argument, type);

  SmallVector<Type> returned;
  for (Operation &op : func.getBody().front()) {
    if (isa<func::ReturnOp>(op)) {
      llvm::append_range(returned, op.getOperandTypes());
      continue;
    }
    if (llvm::none_of(op.getOperands(), [&](Value operand) { return before.count(operand); }))
      continue;
    auto inferred = dyn_cast<AtenShapeOpInterface>(op);
    if (!inferred)
      return op.emitOpError("expected an op whose shapes can be inferred but found one that is not an aten op");
    SmallVector<Type> operands;
    for (Value operand : op.getOperands())
      operands.push_back(before.count(operand) ? before[operand] : operand.getType());
    SmallVector<Type> results;
    if (failed(inferred.adaptToOperands(operands, rename)))
      return failure();
    if (failed(inferred.inferResultTypes(results))) {
      stuck = &op;
      return failure();
    }
    for (auto [result, type] : llvm::zip_equal(op.getResults(), results))
      change(result, type);
  }
  func.setFunctionType(FunctionType::get(func.getContext(), types, returned));
  for (unsigned i = 0; i < func.getNumArguments(); ++i) {
    func.removeArgAttr(i, kSmall);
    resizeRange(func, i, rename);
  }
  return success();
}

LogicalResult kgen::aten::resizeFunction(func::FuncOp func, TypeRange types) {
  Operation *stuck = nullptr;
  // Size attributes are relative to the types that changed values had.
  llvm::DenseMap<Value, Type> before;
  return resizeOps(func, types, stuck, before);
}

//===----------------------------------------------------------------------===//
// Shrinking
//===----------------------------------------------------------------------===//

namespace {
using Shapes = SmallVector<SmallVector<int64_t>>;
/// Argument and dimension.
using Place = std::pair<unsigned, unsigned>;

/// Halves argument extents until the graph fits. Works on copies, as a failed
/// inference leaves a function half rewritten.
class Shrinker {
public:
  Shrinker(func::FuncOp func, double maxFlops, int64_t maxElements, double slack = 1, bool mayCut = false)
      : func(func), maxFlops(maxFlops), maxElements(maxElements), slack(slack), mayCut(mayCut),
        wasDegenerate(isDegenerate(func)) {
    for (Type type : func.getArgumentTypes())
      shapes.emplace_back(cast<RankedTensorType>(type).getShape());
  }

  LogicalResult run() {
    Shapes full = shapes;
    auto [flops, elements] = shrink();
    if (!flops)
      return resizeFunction(func, typesOf(shapes));
    // Extents one by one were not enough: from the beginning, and together.
    together = true;
    shapes = full;
    inferred = 0;
    if (func.getBody().front().getOperations().size() <= kMostTogether && !shrink().first)
      return resizeFunction(func, typesOf(shapes));
    if (mayCut) {
      if (failed(resizeFunction(func, typesOf(shapes))))
        return failure();
      if (keepFirstOps())
        return success();
    }
    return func.emitOpError() << "expected a size of at most " << maxFlops << " floating-point operations and "
                              << maxElements << " elements for each tensor but found none below " << *flops << " and "
                              << elements;
  }

private:
  /// Halves until the graph fits; else gives the FLOPs and elements where it ended.
  std::pair<std::optional<double>, int64_t> shrink() {
    func::FuncOp current = func;
    OwningOpRef<func::FuncOp> owner;
    while (!fits(current)) {
      OwningOpRef<func::FuncOp> smaller = shrinkOnce();
      if (!smaller && fits(current, slack))
        break;
      if (!smaller)
        return {graphFlops(current), largestTensor(current)};
      owner = std::move(smaller);
      current = *owner;
    }
    return {};
  }

  /// Keeps the first ops of the graph, as many as fit, and what they need; the last of them whose result is a number is
  /// returned. False, and nothing changed, where none fits.
  bool keepFirstOps() {
    Block &body = func.getBody().front();
    Value last;
    double flops = 0;
    for (Operation &op : body.without_terminator()) {
      if (auto cost = dyn_cast<AtenCostOpInterface>(op))
        flops += cost.getFlops();
      auto isTooLarge = [&](Value value) {
        return double(cast<RankedTensorType>(value.getType()).getNumElements()) > slack * double(maxElements);
      };
      if ((maxFlops > 0 && flops > slack * maxFlops) ||
          (maxElements > 0 &&
           (llvm::any_of(op.getOperands(), isTooLarge) || llvm::any_of(op.getResults(), isTooLarge))))
        break;
      if (isa<FloatType>(cast<RankedTensorType>(op.getResult(0).getType()).getElementType()))
        last = op.getResult(0);
    }
    if (!last)
      return false;
    body.getTerminator()->setOperands(last);
    SmallVector<Operation *> ops = llvm::map_to_vector(body.without_terminator(), [](Operation &op) { return &op; });
    for (Operation *op : llvm::reverse(ops))
      if (op->use_empty())
        op->erase();
    llvm::BitVector unused(func.getNumArguments());
    for (BlockArgument argument : func.getArguments())
      if (argument.use_empty())
        unused.set(argument.getArgNumber());
    func.setFunctionType(func.getFunctionType().clone(func.getArgumentTypes(), last.getType()));
    func.setResAttrsAttr({});
    return succeeded(func.eraseArguments(unused));
  }

  static int64_t largestTensor(func::FuncOp func) {
    int64_t largest = 0;
    auto see = [&](Value value) {
      largest = std::max(largest, cast<RankedTensorType>(value.getType()).getNumElements());
    };
    llvm::for_each(func.getArguments(), see);
    for (Operation &op : func.getBody().front())
      llvm::for_each(op.getResults(), see);
    return largest;
  }

  bool fits(func::FuncOp graph, double factor = 1) const {
    return (maxFlops <= 0 || graphFlops(graph) <= factor * maxFlops) &&
           (maxElements <= 0 || double(largestTensor(graph)) <= factor * double(maxElements));
  }

  SmallVector<Type> typesOf(const Shapes &of) {
    SmallVector<Type> types;
    for (auto [type, shape] : llvm::zip_equal(func.getArgumentTypes(), of))
      types.push_back(cast<RankedTensorType>(type).clone(shape));
    return types;
  }

  /// The dimensions to halve together, best first: what looks like a batch, extents that
  /// arguments share, two of those, single ones. No extent falls below 4, where reductions and
  /// windows degenerate, except when nothing else works.
  SmallVector<SmallVector<Place>> candidates() {
    std::map<int64_t, SmallVector<Place>, std::greater<>> batches, shared, small;
    for (unsigned a = 0; a < shapes.size(); ++a)
      for (unsigned d = 0; d < shapes[a].size(); ++d) {
        int64_t extent = shapes[a][d];
        if (extent > 1)
          (extent >= 8 ? shared : small)[extent].push_back({a, d});
        if (extent > 1 && d == 0 && shapes[a].size() > 1 && !func.getArgAttr(a, "kgen.parameter"))
          batches[extent].push_back({a, d});
      }
    SmallVector<SmallVector<Place>> list;
    for (auto &[extent, places] : batches)
      if (extent >= (shapes[places[0].first].size() == 2 ? kMatrixRows : 8))
        list.push_back(places);
    if (together)
      list.push_back(widths());
    for (auto &[extent, places] : shared)
      if (places.size() > 1)
        list.push_back(places);
    for (auto &[extent, places] : shared)
      for (size_t i = 0; i < places.size() && places.size() <= kMostPaired; ++i)
        for (size_t j = i + 1; j < places.size(); ++j)
          list.push_back({places[i], places[j]});
    for (auto &[extent, places] : shared)
      for (Place place : places)
        list.push_back({place});
    for (auto &[extent, places] : batches)
      list.push_back(places);
    for (auto &[extent, places] : small)
      list.push_back(places);
    return list;
  }

  /// All widths of a network: the even extents of its weights, but for windows.
  SmallVector<Place> widths() {
    constexpr int64_t kLeast = 16;
    SmallVector<Place> places;
    for (unsigned a = 0; a < shapes.size(); ++a)
      for (unsigned d = 0; d < std::min<size_t>(shapes[a].size(), 2) && func.getArgAttr(a, "kgen.parameter"); ++d)
        if (shapes[a][d] >= kLeast && shapes[a][d] % 2 == 0)
          places.push_back({a, d});
    return places;
  }

  /// Whether a normalisation's statistics cover too few elements to mean anything: with one
  /// element the result is a constant, and any wrong kernel would pass.
  static bool isDegenerate(func::FuncOp graph) {
    bool degenerate = false;
    graph.walk([&](Operation *op) {
      int64_t least = kLeastStatistics;
      if (auto norm = dyn_cast<GroupNormOp>(op))
        least = norm.getInput().getType().getNumElements() /
                (norm.getInput().getType().getDimSize(0) * norm.getNumGroups());
      else if (auto norm = dyn_cast<InstanceNormOp>(op))
        least = norm.getInput().getType().getNumElements() /
                (norm.getInput().getType().getDimSize(0) * norm.getInput().getType().getDimSize(1));
      degenerate |= least < kLeastStatistics;
    });
    return degenerate;
  }

  /// The graph after the first candidate that infers; none if all fail.
  OwningOpRef<func::FuncOp> shrinkOnce() {
    for (const SmallVector<Place> &places : candidates()) {
      if (places.empty())
        continue;
      Shapes tried = shapes;
      for (auto [a, d] : places)
        tried[a][d] /= 2;
      OwningOpRef<func::FuncOp> copy = resized(tried);
      if (!copy || (isDegenerate(*copy) && !wasDegenerate))
        continue;
      shapes = std::move(tried);
      return copy;
    }
    return {};
  }

  /// The graph at the extents TRIED; none where it does not infer. TOGETHER changes TRIED: where an op's operands do
  /// not go together, those that are arguments take the extents that others have, as a product's weight takes those of
  /// its rows.
  OwningOpRef<func::FuncOp> resized(Shapes &tried) {
    ScopedDiagnosticHandler quiet(func.getContext(), [](Diagnostic &) { return success(); });
    const int64_t ops = func.getBody().front().getOperations().size();
    while (!mayCut || inferred < kMostInferred) {
      inferred += ops;
      OwningOpRef<func::FuncOp> copy = func.clone();
      Operation *stuck = nullptr;
      llvm::DenseMap<Value, Type> before;
      if (succeeded(resizeOps(*copy, typesOf(tried), stuck, before)))
        return copy;
      if (!together || !stuck || !follow(stuck, before, tried))
        return {};
    }
    return {};
  }

  /// Lets the arguments among OP's operands follow; false where none can, so that each changes at most once for each
  /// op.
  bool follow(Operation *op, const llvm::DenseMap<Value, Type> &before, Shapes &tried) {
    // The smallest that an extent became in any operand: those that are to follow still have the old one.
    llvm::DenseMap<int64_t, int64_t> became;
    for (Value operand : op->getOperands())
      if (auto entry = before.find(operand); entry != before.end())
        for (auto [old, now] : llvm::zip_equal(cast<RankedTensorType>(entry->second).getShape(),
                                               cast<RankedTensorType>(operand.getType()).getShape())) {
          int64_t &least = became.try_emplace(old, old).first->second;
          least = std::min(least, now);
        }
    bool changed = false;
    for (Value operand : op->getOperands()) {
      auto argument = dyn_cast<BlockArgument>(operand);
      if (!argument)
        continue;
      auto full = cast<RankedTensorType>(func.getArgument(argument.getArgNumber()).getType());
      for (auto [extent, now] : llvm::zip_equal(full.getShape(), tried[argument.getArgNumber()])) {
        auto entry = became.find(extent);
        // Extents only shrink, which ends the search.
        if (entry == became.end() || entry->second >= now)
          continue;
        now = entry->second;
        changed = true;
      }
    }
    return changed;
  }

  func::FuncOp func;
  double maxFlops;
  int64_t maxElements;
  double slack; ///< where nothing fits, the smallest size may exceed the limits so many times
  bool mayCut;  ///< where it exceeds them more often, the first ops are kept alone
  /// The graph has tiny statistics at its own size; then they cannot be asked for.
  bool wasDegenerate;
  bool together = false; ///< widths are halved together, and arguments follow
  int64_t inferred = 0;  ///< ops so far
  Shapes shapes;
};
} // namespace

/// FUNC's arguments at the sizes that their kgen.small attributes name.
static LogicalResult resizeToAttributes(func::FuncOp func) {
  SmallVector<Type> types;
  for (unsigned i = 0; i < func.getNumArguments(); ++i) {
    auto type = cast<RankedTensorType>(func.getArgumentTypes()[i]);
    Attribute written = func.getArgAttr(i, kSmall);
    if (!written) {
      types.push_back(type);
      continue;
    }
    auto attribute = dyn_cast<TypeAttr>(written);
    auto small = attribute ? dyn_cast<RankedTensorType>(attribute.getValue()) : RankedTensorType();
    if (!small || !small.hasStaticShape() || small.getRank() != type.getRank() ||
        small.getElementType() != type.getElementType())
      return func.emitOpError() << "expected kgen.small of argument " << i << " to be a static tensor of rank "
                                << type.getRank() << " and element type " << type.getElementType() << " but found "
                                << written;
    types.push_back(small);
  }
  return resizeFunction(func, types);
}

/// Resizing needs static tensors everywhere; a verified aten op has them, an argument nobody uses might not.
static LogicalResult checkArguments(func::FuncOp func) {
  for (auto [i, type] : llvm::enumerate(func.getArgumentTypes())) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || !tensor.hasStaticShape())
      return func.emitOpError() << "expected argument " << i << " to be a static tensor but found " << type;
  }
  return success();
}

LogicalResult kgen::aten::resizeToSmall(func::FuncOp func, double maxFlops, int64_t maxElements) {
  if (failed(checkArguments(func)))
    return failure();
  for (unsigned i = 0; i < func.getNumArguments(); ++i)
    if (func.getArgAttr(i, kSmall))
      return resizeToAttributes(func);
  // A network of fixed weights shrinks so far only; it is slower then, and there.
  return Shrinker(func, maxFlops, maxElements, /*slack=*/4).run();
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

namespace {
struct ResizePass : kgen::aten::impl::ResizePassBase<ResizePass> {
  using Base::Base;

  void runOnOperation() override {
    if (!size.empty() && size != "small") {
      getOperation().emitError("expected kgen-resize's size to be \"small\" but found \"") << size << "\"";
      return signalPassFailure();
    }
    for (auto func : getOperation().getOps<func::FuncOp>())
      if (!func.isExternal() && failed(resize(func)))
        return signalPassFailure();
  }

private:
  LogicalResult resize(func::FuncOp func) {
    if (failed(checkArguments(func)))
      return failure();
    if (!dims.empty() && failed(resizeToOptions(func)))
      return failure();
    if (size == "small")
      return resizeToSmall(func, maxFlops > 0 ? maxFlops : kDefaultFlops,
                           maxElements > 0 ? maxElements : kDefaultElements);
    if (maxFlops > 0 || maxElements > 0)
      return Shrinker(func, maxFlops, maxElements, slack, cut).run();
    return success();
  }

  /// Applies the dims option, `ARGUMENT:DIMENSION=EXTENT` each.
  LogicalResult resizeToOptions(func::FuncOp func) {
    SmallVector<Type> types(func.getArgumentTypes());
    for (StringRef text : dims) {
      auto [place, extentText] = text.split('=');
      auto [argumentText, dimText] = place.split(':');
      unsigned argument, dim;
      int64_t extent;
      if (argumentText.getAsInteger(10, argument) || dimText.getAsInteger(10, dim) ||
          extentText.getAsInteger(10, extent) || argument >= types.size() || extent < 1 ||
          dim >= cast<RankedTensorType>(types[argument]).getRank())
        return func.emitOpError("expected kgen-resize's dims to be ARGUMENT:DIMENSION=EXTENT of an argument of this "
                                "function but found \"")
               << text << "\"";
      auto type = cast<RankedTensorType>(types[argument]);
      SmallVector<int64_t> shape(type.getShape());
      shape[dim] = extent;
      types[argument] = type.clone(shape);
    }
    return resizeFunction(func, types);
  }
};
} // namespace
