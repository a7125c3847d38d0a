//===- Dispatch.cpp - Forming, growing and dissolving dispatches ---------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Dialect/KGen/Dispatch.h"

#include "kgen/Dialect/Aten/Aten.h"
#include "kgen/Dialect/KGen/Layouts.h"
#include "kgen/Dialect/KGen/Precision.h"
#include "kgen/Dialect/KGen/ScanAccess.h"

#include "mlir/Analysis/TopologicalSortUtils.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace kgen {

using aten::OpKind;

static OpKind kindOf(Operation *op) {
  auto cost = dyn_cast<aten::AtenCostOpInterface>(op);
  return cost ? cost.getKind() : OpKind::Other;
}

static StringRef kindName(OpKind kind) {
  switch (kind) {
  case OpKind::Elementwise:
    return "an element-wise op";
  case OpKind::Reduction:
    return "a reduction";
  case OpKind::Contraction:
    return "a contraction";
  case OpKind::Window:
    return "a window op";
  case OpKind::Normalization:
    return "a normalisation";
  case OpKind::View:
    return "a view";
  case OpKind::Other:
    break;
  }
  return "no fusable op";
}

bool hasEmptyTensor(Operation *op) {
  return llvm::any_of(llvm::concat<const Type>(op->getOperandTypes(), op->getResultTypes()), [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && llvm::is_contained(tensor.getShape(), 0);
  });
}

bool isOneTap(Operation *op) {
  if (!isa<aten::Conv1dOp, aten::Conv2dOp, aten::Conv3dOp, aten::ConvTranspose1dOp, aten::ConvTranspose2dInputOp,
           aten::ConvTranspose3dInputOp>(op))
    return false;
  auto shapeOf = [](Value value) { return cast<RankedTensorType>(value.getType()).getShape(); };
  ArrayRef<int64_t> input = shapeOf(op->getOperand(0)), weight = shapeOf(op->getOperand(1));
  ArrayRef<int64_t> result = shapeOf(op->getResult(0));
  auto isAll = [](ArrayRef<int64_t> values, int64_t expected) {
    return llvm::all_of(values, [&](int64_t value) { return value == expected; });
  };
  // With one tap and no padding, equal extents leave no room for a stride or an output padding.
  auto padding = op->getAttrOfType<DenseI64ArrayAttr>("padding");
  const bool isTransposed = !isa<aten::Conv1dOp, aten::Conv2dOp, aten::Conv3dOp>(op);
  return isAll(weight.drop_front(2), 1) && (!padding || isAll(padding.asArrayRef(), 0)) &&
         input.drop_front(2) == result.drop_front(2) && weight[isTransposed ? 0 : 1] == input[1] &&
         weight[isTransposed ? 1 : 0] == result[1];
}

/// Whether something follows convolution OP, through element-wise ops, that only family conv joins to it: a pooling, or
/// the permute that puts channels last.
static bool precedesWindowOrLayout(Operation *op) {
  while (op->getNumResults() == 1 && op->hasOneUse()) {
    op = *op->getUsers().begin();
    if (kindOf(op) == OpKind::Window || movesChannels(op, /*toLast=*/true))
      return true;
    if (!isElementwise(op))
      return false;
  }
  return false;
}

/// Whether family gemm is for convolution OP: one of one tap with its channels first, whose time is the memory's, where
/// tensor cores are allowed. Few pixels are no rows to stream.
static bool isProductOfPlanes(Operation *op) {
  constexpr int64_t fewestPixels = 64, mostProducts = 160, mostBytes = 4096; // for each element moved, of a filter
  if (!isOneTap(op))
    return false;
  auto result = cast<RankedTensorType>(op->getResult(0).getType());
  int64_t pixels = 1;
  for (int64_t extent : result.getShape().drop_front(2))
    pixels *= extent;
  const int64_t filters = result.getDimSize(1);
  const int64_t channels = cast<RankedTensorType>(op->getOperand(0).getType()).getDimSize(1);
  if (filters * channels > mostProducts * (filters + channels) ||
      channels * int64_t(result.getElementTypeBitWidth()) / 8 > mostBytes)
    return false;
  auto module = op->getParentOfType<ModuleOp>();
  if (result.getElementType().isF32() && (!module || !admitsOperandType(precisionOf(module), schedule::Dtype::Tf32)))
    return false;
  auto isMoved = [](Value value) {
    return value.getDefiningOp() && movesChannels(value.getDefiningOp(), /*toLast=*/false);
  };
  return pixels >= fewestPixels && llvm::none_of(op->getOperands(), isMoved) && !precedesWindowOrLayout(op);
}

StringRef defaultFamily(Operation *op) {
  if (hasEmptyTensor(op))
    return "generic";
  StringRef name = op->getName().stripDialect();
  if (isElementwise(op))
    return "pointwise";
  // To one element, an adaptive average is the mean of a row.
  if (auto size = op->getAttrOfType<DenseI64ArrayAttr>("output_size");
      size && llvm::all_of(size.asArrayRef(), [](int64_t extent) { return extent == 1; }))
    return "row";
  switch (kindOf(op)) {
  case OpKind::Reduction:
  case OpKind::Normalization:
    return "row";
  case OpKind::Contraction:
    if (name.starts_with("scaled_dot_product_attention"))
      return "attention";
    return name.starts_with("conv") && !isProductOfPlanes(op) ? "conv" : "gemm";
  case OpKind::Window:
    return "pool";
  default:
    if (isa<aten::EmbeddingOp, aten::IndexSelectOp, aten::GatherOp>(op))
      return "gather";
    return isScan(op) ? "scan" : "generic";
  }
}

bool readsOnce(StringRef family) { return family == "pointwise" || family == "row" || family == "scan"; }

bool isElementwise(Operation *op) {
  return (kindOf(op) == OpKind::Elementwise || isa<aten::BatchNormOp>(op)) && !hasEmptyTensor(op);
}

bool keepsOrder(Operation *op) { return aten::isReshape(op) && !hasEmptyTensor(op); }

bool movesChannels(Operation *op, bool toLast) {
  std::optional<SmallVector<int64_t>> dims = permutationOf(op);
  const int64_t rank = dims ? dims->size() : 0;
  return rank >= 3 && *dims == (toLast ? channelsLast(rank) : channelsFirst(rank));
}

bool swapsMatrices(Operation *op) {
  std::optional<SmallVector<int64_t>> dims = permutationOf(op);
  const int64_t rank = dims ? dims->size() : 0;
  if (rank < 2)
    return false;
  std::swap((*dims)[rank - 2], (*dims)[rank - 1]);
  return llvm::equal(*dims, llvm::seq<int64_t>(0, rank));
}

std::optional<OutputFold> readOutputFold(Operation *op) {
  using Kind = OutputFold::Kind;
  auto input = op->getNumOperands() ? dyn_cast<RankedTensorType>(op->getOperand(0).getType()) : RankedTensorType();
  if (!input || input.getRank() < 3 || hasEmptyTensor(op))
    return std::nullopt;
  const int64_t rank = input.getRank();
  SmallVector<int64_t> dims;
  std::optional<Kind> kind;
  bool isAverage = false;
  llvm::TypeSwitch<Operation *>(op)
      .Case<aten::SoftmaxIntOp>([&](auto softmax) {
        kind = Kind::Softmax;
        dims = {int64_t(softmax.getDim())};
      })
      .Case<aten::LogsumexpOp>([&](auto sum) {
        kind = Kind::LogSumExp;
        dims = llvm::to_vector(sum.getDim());
      })
      .Case<aten::SumDimIntListOp, aten::MeanDimOp>([&](auto sum) {
        kind = isa<aten::MeanDimOp>(op) ? Kind::Mean : Kind::Sum;
        dims = llvm::to_vector(sum.getDim());
      })
      .Case<aten::AmaxOp, aten::AminOp>([&](auto extreme) {
        kind = isa<aten::AmaxOp>(op) ? Kind::Max : Kind::Min;
        dims = llvm::to_vector(extreme.getDim());
      })
      .Case<aten::MaxDimOp, aten::MinDimOp>([&](auto extreme) {
        kind = isa<aten::MaxDimOp>(op) ? Kind::Max : Kind::Min;
        dims = {int64_t(extreme.getDim())};
      })
      .Case<aten::AdaptiveAvgPool1dOp, aten::AdaptiveAvgPool2dOp, aten::AdaptiveAvgPool3dOp>([&](auto pool) {
        isAverage = llvm::all_of(pool.getOutputSize(), [](int64_t extent) { return extent == 1; });
      });
  const bool keeps = op->getNumResults() && cast<ShapedType>(op->getResult(0).getType()).getRank() == rank;
  if (isAverage)
    return OutputFold{Kind::Mean, /*overChannels=*/false, keeps};
  if (!kind)
    return std::nullopt;
  for (int64_t &dim : dims)
    dim = dim < 0 ? dim + rank : dim;
  llvm::sort(dims);
  if (dims == SmallVector<int64_t>{1})
    return OutputFold{*kind, /*overChannels=*/true, keeps};
  const bool allPixels = int64_t(dims.size()) == rank - 2 && dims.front() == 2 && dims.back() == rank - 1;
  if (allPixels && (*kind == Kind::Sum || *kind == Kind::Mean))
    return OutputFold{*kind, /*overChannels=*/false, keeps};
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Legality
//===----------------------------------------------------------------------===//

/// The ops of one block that are, or will be, in one dispatch. A dispatch counts as one op.
using Group = llvm::SmallSetVector<Operation *, 8>;

/// Whether DISPATCH holds a pooling or a plain convolution, whose kernels take channels first or last.
static bool takesLayouts(DispatchOp dispatch) {
  if (dispatch.getFamily() == "pool")
    return true;
  return dispatch.getFamily() == "conv" && llvm::any_of(dispatch.getBody().front(), [](Operation &op) {
           return isa<aten::Conv1dOp, aten::Conv2dOp, aten::Conv3dOp>(op);
         });
}

/// Whether OP puts channels last behind a convolution, and so ends its dispatch.
static bool endsConvolution(Operation *op) {
  return movesChannels(op, /*toLast=*/true) ||
         (isa<DispatchOp>(op) && llvm::any_of(cast<DispatchOp>(op).getYield().getValues(), [](Value value) {
            return value.getDefiningOp() && movesChannels(value.getDefiningOp(), true);
          }));
}

/// Whether OP, or what it holds, folds a convolution's outputs: sliding windows of them, channels or pixels.
static bool foldsOutputs(Operation *op) {
  if (auto dispatch = dyn_cast<DispatchOp>(op))
    return llvm::any_of(dispatch.getBody().front(), [](Operation &inner) { return foldsOutputs(&inner); });
  return kindOf(op) == OpKind::Window || readOutputFold(op);
}

/// Calls VISIT with the ops of GROUP, those in dispatches, too.
static void visitOps(const Group &group, llvm::function_ref<void(Operation *)> visit) {
  for (Operation *op : group) {
    if (auto dispatch = dyn_cast<DispatchOp>(op))
      for (Operation &inner : dispatch.getBody().front().without_terminator())
        visit(&inner);
    else
      visit(op);
  }
}

/// How many elements gathers of GROUP take of the rows of a softmax, one of each; 0 without such a gather.
static int64_t countPicked(const Group &group) {
  int64_t count = 0;
  bool normalizes = false;
  visitOps(group, [&](Operation *op) {
    normalizes |= isa<aten::SoftmaxIntOp, aten::LogSoftmaxIntOp>(op);
    if (auto gather = dyn_cast<aten::GatherOp>(op))
      count = gather.getIndex().getType().getNumElements();
  });
  return normalizes ? count : 0;
}

/// Whether OP gathers one element of each row of a softmax in GROUP, which the kernel of the rows reads for itself.
static bool picksFromRows(Operation *op, const Group &group) {
  auto gather = dyn_cast<aten::GatherOp>(op);
  if (!gather || hasEmptyTensor(op))
    return false;
  ArrayRef<int64_t> from = gather.getSelf().getType().getShape();
  SmallVector<int64_t> one = llvm::to_vector(from);
  int64_t rank = from.size(), dim = gather.getDim();
  if (rank == 0)
    return false;
  dim += dim < 0 ? rank : 0;
  one[dim] = 1;
  if (gather.getIndex().getType().getShape() != ArrayRef(one))
    return false;
  bool picks = false;
  visitOps(group, [&](Operation *held) {
    llvm::TypeSwitch<Operation *>(held).Case<aten::SoftmaxIntOp, aten::LogSoftmaxIntOp>([&](auto softmax) {
      int64_t along = softmax.getDim();
      picks |= softmax.getType().getShape() == from && (along < 0 ? along + rank : along) == dim;
    });
  });
  return picks;
}

/// How the scan of GROUP reads and writes its rows, views outside of GROUP included; nothing without a scan.
static ScanAccess scanAccessOf(const Group &group) {
  Operation *scan = nullptr;
  visitOps(group, [&](Operation *op) { scan = isScan(op) ? op : scan; });
  return scan ? readScan(scan, /*leaves=*/true) : ScanAccess();
}

/// True when a dispatch of FAMILY can hold OP as a consumer of GROUP's values; else WHY says why
/// not.
static bool canHold(StringRef family, Operation *op, const Group &group, FuseLimit limit, std::string &why) {
  OpKind kind = kindOf(op);
  if ((family == "conv" || family == "pool") && llvm::any_of(group, endsConvolution)) {
    why = "nothing joins behind the permute that puts a convolution's channels last";
    return false;
  }
  bool held = false;
  if (limit.layouts && endsConvolution(op))
    held = true;
  else if (family == "row" && isa<aten::GatherOp>(op))
    held = picksFromRows(op, group);
  else if (family == "row" && keepsOrder(op))
    held = cast<ShapedType>(op->getResult(0).getType()).getNumElements() == countPicked(group);
  else if (family == "scan" && isa<aten::FlipOp>(op))
    held = llvm::is_contained(scanAccessOf(group).views, op);
  else if (family == "gemm" && isa<aten::TrilOp, aten::TriuOp>(op))
    held = true; // an epilogue knows where it is, and tiles of zeros need no products
  else if (limit.elementwiseOnly)
    held = false;
  else if (family == "conv")
    held = (kind == OpKind::Window && (limit.folds || !readOutputFold(op))) ||
           (limit.folds && readOutputFold(op) && llvm::none_of(group, foldsOutputs));
  else if (family == "row")
    held = kind == OpKind::Elementwise || kind == OpKind::Reduction || kind == OpKind::Normalization;
  else if (family == "attention")
    held = kind == OpKind::Contraction || kind == OpKind::Normalization || kind == OpKind::View;
  if (held)
    return true;
  if (!isElementwise(op)) {
    why =
        (op->getName().getStringRef() + " is " + kindName(kind) + ", which family " + family + " does not fuse").str();
    return false;
  }
  // Behind a row's statistic, values broadcast along the row.
  if (family == "row")
    return true;
  if (family == "scan" && scanAccessOf(group).writesTotal) {
    why = "results that are one more than a row's elements leave as they are";
    return false;
  }
  // An epilogue runs once for each element of the tile: a consumer that broadcasts the tile to
  // more elements is none.
  for (Value operand : op->getOperands()) {
    if (!operand.getDefiningOp() || !group.contains(operand.getDefiningOp()))
      continue;
    if (cast<ShapedType>(operand.getType()).getShape() != cast<ShapedType>(op->getResult(0).getType()).getShape()) {
      why = (op->getName().getStringRef() + " broadcasts the result").str();
      return false;
    }
  }
  return true;
}

/// The values of GROUP that an op outside uses.
static SmallVector<Value> liveOuts(const Group &group) {
  SmallVector<Value> values;
  for (Operation *op : group)
    for (Value result : op->getResults())
      if (llvm::any_of(result.getUsers(), [&](Operation *user) { return !group.contains(user); }))
        values.push_back(result);
  return values;
}

/// COUNT with its noun, for messages.
static std::string countOf(int64_t count, StringRef noun) {
  return std::to_string(count) + " " + noun.str() + (count == 1 ? "" : "s");
}

//===----------------------------------------------------------------------===//
// Mechanics
//===----------------------------------------------------------------------===//

/// "add.Tensor" gives "add_Tensor_0", or the next number that is free in the module.
static std::string freeName(Operation *root) {
  std::string stem = root->getName().stripDialect().str();
  std::replace(stem.begin(), stem.end(), '.', '_');
  llvm::StringSet<> taken;
  Operation *module = root;
  while (module->getParentOp())
    module = module->getParentOp();
  module->walk([&](Operation *op) {
    if (auto dispatch = dyn_cast<DispatchOp>(op))
      taken.insert(dispatch.getName());
    else if (auto symbol = op->getAttrOfType<StringAttr>(SymbolTable::getSymbolAttrName()))
      taken.insert(symbol.getValue());
  });
  for (unsigned number = 0;; ++number) {
    std::string name = stem + "_" + std::to_string(number);
    if (!taken.contains(name))
      return name;
  }
}

/// Moves OPS, in program order, into a new dispatch after the last of them.
static DispatchOp wrap(RewriterBase &rewriter, ArrayRef<Operation *> ops, Location loc, StringAttr name, IdeaAttr idea,
                       ScheduleAttr schedule) {
  Group group(ops.begin(), ops.end());
  llvm::SmallSetVector<Value, 8> inputs;
  for (Operation *op : ops)
    for (Value operand : op->getOperands())
      if (!operand.getDefiningOp() || !group.contains(operand.getDefiningOp()))
        inputs.insert(operand);
  SmallVector<Value> outputs = liveOuts(group);

  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointAfter(ops.back());
  auto dispatch =
      DispatchOp::create(rewriter, loc, TypeRange(ValueRange(outputs)), name, idea, schedule, inputs.getArrayRef());
  SmallVector<Location> locs;
  for (Value input : inputs)
    locs.push_back(input.getLoc());
  Block *body = rewriter.createBlock(&dispatch.getBody(), {}, TypeRange(ValueRange(inputs.getArrayRef())), locs);
  for (Operation *op : ops) {
    rewriter.moveOpBefore(op, body, body->end());
    rewriter.modifyOpInPlace(op, [&] {
      for (OpOperand &operand : op->getOpOperands())
        if (auto it = llvm::find(inputs, operand.get()); it != inputs.end())
          operand.set(body->getArgument(it - inputs.begin()));
    });
  }
  rewriter.setInsertionPointToEnd(body);
  YieldOp::create(rewriter, loc, outputs);
  bool sorted = true;
  for (auto [output, result] : llvm::zip_equal(outputs, dispatch.getResults()))
    rewriter.replaceUsesWithIf(output, result, [&](OpOperand &use) {
      if (dispatch->isProperAncestor(use.getOwner()))
        return false;
      sorted &= use.getOwner()->getBlock() != dispatch->getBlock() || dispatch->isBeforeInBlock(use.getOwner());
      return true;
    });
  // A user of an early output may stand between the ops that were joined.
  if (!sorted)
    sortTopologically(dispatch->getBlock());
  return dispatch;
}

/// Moves the ops of DISPATCH in front of it, in order, and gives its users their values. DISPATCH
/// stays behind without users.
static SmallVector<Operation *> unwrap(RewriterBase &rewriter, DispatchOp dispatch) {
  Block &body = dispatch.getBody().front();
  SmallVector<Operation *> ops;
  for (Operation &op : body.without_terminator())
    ops.push_back(&op);
  for (auto [argument, input] : llvm::zip_equal(body.getArguments(), dispatch.getInputs()))
    rewriter.replaceAllUsesWith(argument, input);
  for (Operation *op : ops)
    rewriter.moveOpBefore(op, dispatch);
  for (auto [result, value] : llvm::zip_equal(dispatch.getResults(), dispatch.getYield().getValues()))
    rewriter.replaceAllUsesWith(result, value);
  // What stays behind uses nothing.
  rewriter.modifyOpInPlace(dispatch.getYield(), [&] { dispatch.getYield()->setOperands({}); });
  rewriter.modifyOpInPlace(dispatch, [&] { dispatch->setOperands({}); });
  return ops;
}

/// Replaces DISPATCH and EXTRA, ops of its block, by one dispatch with DISPATCH's attributes.
static DispatchOp join(RewriterBase &rewriter, DispatchOp dispatch, ArrayRef<Operation *> extra,
                       DispatchReplaced replaced) {
  SmallVector<Operation *> nodes(extra);
  nodes.push_back(dispatch);
  llvm::sort(nodes, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  SmallVector<Operation *> ops;
  SmallVector<DispatchOp> old;
  for (Operation *node : nodes) {
    if (auto inner = dyn_cast<DispatchOp>(node)) {
      llvm::append_range(ops, unwrap(rewriter, inner));
      old.push_back(inner);
    } else {
      ops.push_back(node);
    }
  }
  DispatchOp joined = wrap(rewriter, ops, dispatch.getLoc(), dispatch.getNameAttr(), dispatch.getIdeaAttr(),
                           dispatch.getScheduleAttr());
  for (DispatchOp inner : old) {
    if (replaced)
      replaced(inner, joined);
    rewriter.eraseOp(inner);
  }
  return joined;
}

DispatchOp formDispatch(RewriterBase &rewriter, Operation *root, ScheduleAttr schedule) {
  return wrap(rewriter, {root}, root->getLoc(), rewriter.getStringAttr(freeName(root)), {}, schedule);
}

void inlineDispatch(RewriterBase &rewriter, DispatchOp dispatch) {
  unwrap(rewriter, dispatch);
  rewriter.eraseOp(dispatch);
}

FailureOr<DispatchOp> splitDispatch(RewriterBase &rewriter, DispatchOp dispatch, Operation *at, std::string &why,
                                    DispatchReplaced replaced) {
  if (at == &dispatch.getBody().front().front()) {
    why = ("expected an op before " + at->getName().getStringRef() + " in the dispatch, found none").str();
    return failure();
  }
  SmallVector<Operation *> ops = unwrap(rewriter, dispatch);
  auto middle = llvm::find(ops, at);
  SmallVector<Operation *> head(ops.begin(), middle), tail(middle, ops.end());
  // The old dispatch goes first: its name is the head's again.
  StringAttr name = dispatch.getNameAttr();
  DispatchOp first = wrap(rewriter, head, dispatch.getLoc(), name, dispatch.getIdeaAttr(), dispatch.getScheduleAttr());
  DispatchOp second = wrap(rewriter, tail, at->getLoc(), rewriter.getStringAttr(freeName(at)), {},
                           ScheduleAttr::get(rewriter.getContext(), defaultFamily(at)));
  if (replaced)
    replaced(dispatch, first);
  rewriter.eraseOp(dispatch);
  return second;
}

//===----------------------------------------------------------------------===//
// Growth
//===----------------------------------------------------------------------===//

FailureOr<DispatchOp> fuseConsumers(RewriterBase &rewriter, DispatchOp dispatch, FuseLimit limit, std::string &why,
                                    DispatchReplaced replaced) {
  Group group;
  group.insert(dispatch);
  limit.layouts &= takesLayouts(dispatch);
  // Ops outside of the group that depend on it: what needs one of them cannot join, or the
  // dispatch would wait for itself.
  llvm::SmallPtrSet<Operation *, 16> dependent;
  size_t legal = 0;     // the first so many ops of the group leave one live value or less
  std::string obstacle; // the first one after the last legal op
  auto note = [&](const std::string &reason) {
    if (obstacle.empty())
      obstacle = reason;
  };
  for (Operation *op = dispatch->getNextNode(); op; op = op->getNextNode()) {
    bool uses = false, blocked = false;
    for (Value operand : op->getOperands()) {
      Operation *def = operand.getDefiningOp();
      uses |= def && group.contains(def);
      blocked |= def && dependent.contains(def);
    }
    std::string reason;
    if (op->hasTrait<OpTrait::IsTerminator>())
      reason = "the graph returns a result";
    else if (isa<DispatchOp>(op))
      reason = "the next consumer is in another dispatch";
    else if (uses && !blocked && !(limit.count && int64_t(group.size()) > limit.count) &&
             canHold(dispatch.getFamily(), op, group, limit, reason)) {
      group.insert(op);
      if (liveOuts(group).size() <= 1) {
        legal = group.size();
        obstacle.clear();
      } else {
        note("a result has users outside of what can be fused");
      }
      continue;
    }
    if (!uses && !blocked)
      continue;
    dependent.insert(op);
    // An op that waits for one outside is no cause: that one is.
    if (uses && !blocked)
      note(reason);
  }
  if (obstacle.empty())
    obstacle = "no op uses its results";
  size_t wanted = limit.count ? limit.count + 1 : std::max<size_t>(legal, 1);
  if (limit.count ? legal < wanted : (legal < 2 && !limit.optional)) {
    size_t found = legal ? legal - 1 : 0;
    why = limit.count ? "expected " + countOf(limit.count, "consumer") + " to fuse, found " + std::to_string(found)
                      : "expected a consumer to fuse, found none";
    why += ": " + obstacle;
    return failure();
  }
  if (wanted < 2)
    return dispatch;
  return join(rewriter, dispatch, group.getArrayRef().slice(1, wanted - 1), replaced);
}

/// Whether OP sums what it is given along dimensions.
static bool isSum(Operation *op) {
  return isa<aten::SumOp, aten::MeanOp, aten::SumDimIntListOp, aten::MeanDimOp, aten::LinalgVectorNormOp>(op) &&
         !hasEmptyTensor(op);
}

/// Whether OP sums over the rows that a sum in GROUP sums over, so that one pass takes both.
static bool isFurtherSum(Operation *op, const Group &group) {
  if (!isSum(op))
    return false;
  bool same = false;
  auto shape = [](Value value) { return cast<ShapedType>(value.getType()).getShape(); };
  visitOps(group, [&](Operation *held) {
    same |= isSum(held) && shape(held->getOperand(0)) == shape(op->getOperand(0)) &&
            shape(held->getResult(0)) == shape(op->getResult(0));
  });
  return same;
}

FailureOr<DispatchOp> fuseProducers(RewriterBase &rewriter, DispatchOp dispatch, FuseLimit limit, std::string &why,
                                    DispatchReplaced replaced) {
  Group group;
  group.insert(dispatch);
  const bool isConv = dispatch.getFamily() == "conv";
  limit.layouts &= takesLayouts(dispatch);
  // A product's kernels read matrices either way: their swaps come first, however far in front they stand.
  const bool isProduct = dispatch.getFamily() == "gemm";
  auto swapsForIt = [&](Operation *op) { return isProduct && swapsMatrices(op) && !hasEmptyTensor(op); };
  if (isProduct)
    for (Operation *op = dispatch->getPrevNode(); op; op = op->getPrevNode())
      if (!(limit.count && int64_t(group.size()) > limit.count) && swapsForIt(op) &&
          llvm::all_of(op->getUsers(), [&](Operation *user) { return group.contains(user); }))
        group.insert(op);
  const bool picks = dispatch.getFamily() == "row" && countPicked(group) > 0;
  const ScanAccess scan = dispatch.getFamily() == "scan" ? scanAccessOf(group) : ScanAccess();
  std::string obstacle = "its inputs are arguments of the graph";
  for (Operation *op = dispatch->getPrevNode(); op; op = op->getPrevNode()) {
    if (limit.count && int64_t(group.size()) > limit.count)
      break;
    if (group.contains(op) || llvm::none_of(op->getUsers(), [&](Operation *user) { return group.contains(user); }))
      continue;
    if (isa<DispatchOp>(op))
      obstacle = "the next producer is in another dispatch";
    else if (isConv && (!limit.layouts || !movesChannels(op, /*toLast=*/false)))
      obstacle =
          "family conv takes nothing in front but permutes that put channels first, those of a plain convolution";
    else if (!isConv && !isElementwise(op) && !isa<aten::FullOp>(op) && !(picks && keepsOrder(op)) && !swapsForIt(op) &&
             !llvm::is_contained(scan.views, op) && !(dispatch.getFamily() == "row" && isFurtherSum(op, group)) &&
             !(limit.layouts && movesChannels(op, /*toLast=*/false)))
      obstacle = (op->getName().getStringRef() + " is " + kindName(kindOf(op)) + ", not an element-wise op").str();
    else if (llvm::any_of(op->getUsers(), [&](Operation *user) { return !group.contains(user); }))
      obstacle = (op->getName().getStringRef() + " has users outside").str();
    else
      group.insert(op);
  }
  int64_t found = group.size() - 1;
  if (limit.count ? found < limit.count : (found == 0 && !limit.optional)) {
    why = limit.count ? "expected " + countOf(limit.count, "producer") + " to fuse, found " + std::to_string(found)
                      : "expected a producer to fuse, found none";
    why += ": " + obstacle;
    return failure();
  }
  if (found == 0)
    return dispatch;
  return join(rewriter, dispatch, group.getArrayRef().drop_front(), replaced);
}

/// True when LATER needs a value of EARLIER, directly or through other ops of the block.
static bool dependsOn(Operation *later, Operation *earlier) {
  llvm::SmallPtrSet<Operation *, 16> dependent = {earlier};
  for (Operation *op = earlier->getNextNode(); op; op = op->getNextNode()) {
    if (llvm::none_of(op->getOperands(), [&](Value operand) { return dependent.contains(operand.getDefiningOp()); }))
      continue;
    if (op == later)
      return true;
    dependent.insert(op);
  }
  return false;
}

FailureOr<DispatchOp> fuseSibling(RewriterBase &rewriter, DispatchOp dispatch, DispatchOp other, std::string &why,
                                  DispatchReplaced replaced) {
  if (dispatch == other || dispatch->getBlock() != other->getBlock()) {
    why = "expected two different dispatches of one function";
    return failure();
  }
  if (dispatch.getFamily() != other.getFamily()) {
    why = ("expected two dispatches of one family, found " + dispatch.getFamily() + " and " + other.getFamily()).str();
    return failure();
  }
  bool first = dispatch->isBeforeInBlock(other);
  if (first ? dependsOn(other, dispatch) : dependsOn(dispatch, other)) {
    why = "expected independent dispatches, found that one needs a result of the other";
    return failure();
  }
  return join(rewriter, dispatch, {other.getOperation()}, replaced);
}

} // namespace kgen
