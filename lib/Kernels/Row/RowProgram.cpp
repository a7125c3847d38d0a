//===- RowProgram.cpp - What a dispatch around one row statistic computes -===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kgen/Kernels/Row/RowProgram.h"

#include "kgen/Dialect/Aten/Aten.h"
#include "kgen/Dialect/KGen/Dispatch.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace kgen::kernels {

SmallVector<Operation *> RowProgram::statisticOps() const {
  SmallVector<Operation *> ops = {statisticOp};
  llvm::append_range(ops, furtherSums);
  llvm::append_range(ops, means);
  return ops;
}

const RowPlace *RowProgram::placeOf(Value input) const {
  auto argument = dyn_cast<BlockArgument>(input);
  if (!argument || argument.getArgNumber() >= places.size() || !places[argument.getArgNumber()])
    return nullptr;
  return &*places[argument.getArgNumber()];
}

bool RowProgram::hasPlaces() const {
  return llvm::any_of(places, [](const std::optional<RowPlace> &place) { return place.has_value(); });
}

int64_t RowProgram::alignment() const {
  uint64_t all = 16; // the most elements of one access
  for (const std::optional<RowPlace> &place : places) {
    if (!place)
      continue;
    all |= uint64_t(place->base);
    for (const Span &span : place->rows)
      all |= uint64_t(span.stride);
  }
  return int64_t(all & -all);
}

SmallVector<Value> RowProgram::statistics() const {
  SmallVector<Value> values;
  for (Operation *op : statisticOps())
    llvm::append_range(values, op->getResults());
  return values;
}

//===----------------------------------------------------------------------===//
// Row geometry
//===----------------------------------------------------------------------===//

static int64_t product(ArrayRef<int64_t> values) {
  int64_t result = 1;
  for (int64_t value : values)
    result *= value;
  return result;
}

/// EXPRESSION / DIVISOR % EXTENT without what has no effect.
static std::string digit(std::string expression, int64_t divisor, int64_t extent, bool leading) {
  if (extent == 1)
    return "0";
  if (divisor != 1)
    expression += " / " + std::to_string(divisor);
  if (!leading)
    expression += " % " + std::to_string(extent);
  return expression;
}

SmallVector<std::string> RowLayout::coordinates(StringRef column) const {
  std::string columnText = column.contains(' ') ? ("(" + column + ")").str() : column.str();
  std::string outer = inner == 1 ? "row" : "row / " + std::to_string(inner);
  SmallVector<std::string> digits;
  for (unsigned i = 0; i < parts.size(); ++i) {
    ArrayRef<int64_t> all = parts;
    if (i < firstFolded)
      digits.push_back(digit(outer, product(all.slice(i + 1, firstFolded - i - 1)), parts[i], i == 0));
    else if (i < lastFolded)
      digits.push_back(digit(columnText, product(all.slice(i + 1, lastFolded - i - 1)), parts[i], i == firstFolded));
    else
      digits.push_back(digit("row", product(all.drop_front(i + 1)), parts[i], false));
    // Rows are counted in 64 bits, coordinates in 32.
    if (digits.back().find("row") != std::string::npos)
      digits.back() = "static_cast<int>(" + digits.back() + ")";
  }
  if (!channelsAreCut)
    return digits;
  SmallVector<std::string> merged = {digits[0]};
  std::string channel = digits[1] == "0" ? "" : digits[1] + " * " + std::to_string(parts[2]) + " + ";
  merged.push_back(channel + digits[2]);
  merged.append(digits.begin() + 3, digits.end());
  return merged;
}

/// Fills LAYOUT for folding DIMS of SHAPE; fails when other dimensions lie between them.
static LogicalResult foldDimensions(RowLayout &layout, ArrayRef<int64_t> shape, ArrayRef<int64_t> dims) {
  layout.shape = layout.parts = llvm::to_vector(shape);
  unsigned rank = shape.size();
  SmallVector<bool> folded(rank, dims.empty());
  for (int64_t dim : dims)
    folded[dim < 0 ? dim + rank : dim] = true;
  layout.firstFolded = llvm::find(folded, true) - folded.begin();
  layout.lastFolded = rank;
  while (layout.lastFolded > layout.firstFolded && !folded[layout.lastFolded - 1])
    --layout.lastFolded;
  for (unsigned i = layout.firstFolded; i < layout.lastFolded; ++i)
    if (!folded[i])
      return failure();
  return success();
}

static void countRows(RowLayout &layout) {
  ArrayRef<int64_t> parts = layout.parts;
  layout.columns = product(parts.slice(layout.firstFolded, layout.lastFolded - layout.firstFolded));
  layout.inner = product(parts.drop_front(layout.lastFolded));
  layout.rows = product(parts.take_front(layout.firstFolded)) * layout.inner;
}

/// Names the statistic of OP and its geometry. False when OP takes none.
static FailureOr<bool> describeStatistic(Operation *op, RowProgram &program) {
  RowLayout &layout = program.layout;
  SmallVector<int64_t> dims;
  bool known = true;
  llvm::TypeSwitch<Operation *>(op)
      .Case<aten::SoftmaxIntOp, aten::LogSoftmaxIntOp>([&](auto softmax) {
        program.statistic = RowStatistic::Softmax;
        program.normalizes = true;
        dims = {softmax.getDim()};
      })
      .Case<aten::LogsumexpOp>([&](auto reduction) {
        program.statistic = RowStatistic::Softmax;
        dims = llvm::to_vector(reduction.getDim());
      })
      .Case<aten::LayerNormOp>([&](auto norm) {
        program.statistic = RowStatistic::Moments;
        program.normalizes = true;
        int64_t rank = norm.getInput().getType().getRank();
        for (int64_t i = norm.getNormalizedShape().size(); i > 0; --i)
          dims.push_back(rank - i);
      })
      .Case<aten::GroupNormOp, aten::InstanceNormOp>([&](auto norm) {
        program.statistic = RowStatistic::Moments;
        program.normalizes = true;
        for (int64_t i = 2; i < norm.getInput().getType().getRank(); ++i)
          dims.push_back(i);
      })
      .Case<aten::VarCorrectionOp>([&](auto variance) {
        program.statistic = RowStatistic::Moments;
        dims = llvm::to_vector(variance.getDim());
      })
      .Case<aten::SumOp, aten::MeanOp>([&](auto) { program.statistic = RowStatistic::Sum; })
      .Case<aten::SumDimIntListOp, aten::MeanDimOp>([&](auto reduction) {
        program.statistic = RowStatistic::Sum;
        dims = llvm::to_vector(reduction.getDim());
      })
      .Case<aten::AdaptiveAvgPool1dOp, aten::AdaptiveAvgPool2dOp, aten::AdaptiveAvgPool3dOp>([&](auto pool) {
        // To one element: the mean over the spatial dimensions.
        program.statistic = RowStatistic::Sum;
        int64_t rank = pool.getSelf().getType().getRank();
        for (int64_t i = pool.getOutputSize().size(); i > 0; --i)
          dims.push_back(rank - i);
        known = llvm::all_of(pool.getOutputSize(), [](int64_t size) { return size == 1; });
      })
      .Case<aten::LinalgVectorNormOp>([&](auto norm) {
        double order = norm.getOrd();
        program.statistic = std::isinf(order) ? RowStatistic::Extreme : RowStatistic::Sum;
        known = order == 1 || order == 2 || std::isinf(order);
        dims = llvm::to_vector(norm.getDim());
      })
      .Case<aten::MaxOp, aten::MinOp>([&](auto) { program.statistic = RowStatistic::Extreme; })
      .Case<aten::AmaxOp, aten::AminOp>([&](auto reduction) {
        program.statistic = RowStatistic::Extreme;
        dims = llvm::to_vector(reduction.getDim());
      })
      .Case<aten::MaxDimOp, aten::MinDimOp>([&](auto reduction) {
        program.statistic = RowStatistic::Extreme;
        dims = {static_cast<int64_t>(reduction.getDim())};
      })
      .Case<aten::ArgmaxOp, aten::ArgminOp>([&](auto reduction) {
        program.statistic = RowStatistic::Extreme;
        if (reduction.getDim())
          dims = {static_cast<int64_t>(*reduction.getDim())};
      })
      .Default([&](Operation *) { known = false; });
  if (!known)
    return false;

  program.statisticOp = op;
  program.source = op->getOperand(0);
  ArrayRef<int64_t> shape = shapeOf(program.source);
  if (auto norm = dyn_cast<aten::GroupNormOp>(op)) {
    // [N, C, ...] is [N, G, C / G, ...] with everything behind G folded.
    int64_t groups = norm.getNumGroups();
    layout.shape = llvm::to_vector(shape);
    layout.parts = {shape[0], groups, shape[1] / groups};
    llvm::append_range(layout.parts, shape.drop_front(2));
    layout.firstFolded = 2;
    layout.lastFolded = layout.parts.size();
    layout.channelsAreCut = true;
  } else if (failed(foldDimensions(layout, shape, dims))) {
    return op->emitOpError("folds dimensions that are not neighbours, which the row family does not do");
  }
  countRows(layout);
  return true;
}

//===----------------------------------------------------------------------===//
// Cutting the region
//===----------------------------------------------------------------------===//

static bool isKernelFloat(Type type) { return type.isF32() || type.isF16() || type.isBF16(); }

/// Whether VALUE has one element for each row, and broadcasts to elements as a row value does.
static bool isPerRow(Value value, const RowLayout &layout) {
  ArrayRef<int64_t> shape = shapeOf(value);
  if (layout.channelsAreCut || product(shape) != layout.rows)
    return false;
  int64_t missing = layout.shape.size() - shape.size();
  for (int64_t dim = 0, rank = layout.shape.size(); dim < rank; ++dim) {
    int64_t extent = dim < missing ? 1 : shape[dim - missing];
    if (extent != (layout.isFolded(dim) ? 1 : layout.shape[dim]))
      return false;
  }
  return true;
}

/// The block arguments that have one element for each element and that ROOT needs, short of STOPS.
static llvm::SetVector<Value> elementInputs(Value root, ArrayRef<Value> stops, ArrayRef<int64_t> shape) {
  llvm::SetVector<Value> inputs;
  auto visit = [&](Value value) {
    if (isa<BlockArgument>(value) && !llvm::is_contained(stops, value) && shapeOf(value) == shape)
      inputs.insert(value);
  };
  visit(root);
  for (Operation *op : sliceBetween(root, stops))
    for (Value operand : op->getOperands())
      visit(operand);
  return inputs;
}

Value stripOrderKeeping(Value value) {
  while (value.getDefiningOp() && keepsOrder(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return value;
}

static SmallVector<Value> pickedValues(const RowProgram &program) {
  SmallVector<Value> values;
  for (const RowPick &pick : program.picks)
    values.push_back(pick.op->getResult(0));
  return values;
}

/// Fills PROGRAM's picks from GATHERS. Reshapes change values that have one element for each row.
static LogicalResult describePicks(RowProgram &program, ArrayRef<Operation *> gathers, ArrayRef<Operation *> reshapes) {
  const RowLayout &layout = program.layout;
  Operation *statistic = program.statisticOp;
  auto hasNoPlace = [](Operation *op) {
    return op->emitOpError("has no place in a row kernel: expected element-wise ops around one row statistic");
  };
  bool canPick = program.statistic == RowStatistic::Softmax && program.normalizes && layout.columns > 1;
  if (!canPick && !gathers.empty())
    return hasNoPlace(gathers.front());
  if (gathers.empty() && !reshapes.empty())
    return hasNoPlace(reshapes.front());
  for (Operation *op : gathers) {
    auto gather = cast<aten::GatherOp>(op);
    SmallVector<int64_t> one = llvm::to_vector(shapeOf(gather.getSelf()));
    int64_t dim = gather.getDim();
    dim += dim < 0 ? one.size() : 0;
    if (ArrayRef<int64_t>(one) != ArrayRef<int64_t>(layout.shape) || !layout.isFolded(dim))
      return op->emitOpError("gathers along another dimension than that of the rows");
    one[dim] = 1;
    if (shapeOf(gather.getIndex()) != ArrayRef<int64_t>(one))
      return op->emitOpError("gathers ") << gather.getIndex().getType() << ", expected one element of each row";
    RowPick pick{op, gather.getSelf(), stripOrderKeeping(gather.getIndex())};
    bool direct = pick.from == statistic->getResult(0);
    for (Operation *between : sliceBetween(pick.from, {statistic->getResult(0)})) {
      direct |= llvm::is_contained(between->getOperands(), statistic->getResult(0));
      if (!isPointwiseAten(between) || between == statistic)
        return op->emitOpError("gathers of more than element-wise ops behind the rows' statistic");
    }
    if (!direct)
      return op->emitOpError("gathers of another value than the rows' statistic gives");
    if (llvm::is_contained(sliceBetween(pick.position, {}), statistic))
      return op->emitOpError("gathers at positions that depend on the rows' statistic");
    program.picks.push_back(pick);
  }
  return success();
}

/// Whether VALUE has one element for each row, in their order, made of what PROGRAM picks and of nothing else that
/// the statistic gives.
static bool isMadeOfPicks(Value value, const RowProgram &program) {
  SmallVector<Value> picked = pickedValues(program);
  llvm::SetVector<Value> made(picked.begin(), picked.end());
  for (Operation *op : sliceBetween(value, picked)) {
    if (op == program.statisticOp)
      return false;
    if (llvm::none_of(op->getOperands(), [&](Value operand) { return made.contains(operand); }))
      continue;
    if (product(shapeOf(op->getResult(0))) != program.layout.rows)
      return false;
    made.insert(op->getResult(0));
  }
  return made.contains(value) && isKernelFloat(elementTypeOf(value));
}

/// Whether OTHER is a sum over PROGRAM's rows, which then is a sum, too, and needs nothing of it.
static bool isFurtherSum(const RowProgram &program, const RowProgram &other) {
  if (program.statistic != RowStatistic::Sum || other.statistic != RowStatistic::Sum ||
      program.layout.parts != other.layout.parts || program.layout.firstFolded != other.layout.firstFolded ||
      program.layout.lastFolded != other.layout.lastFolded ||
      shapeOf(program.statisticOp->getResult(0)) != shapeOf(other.statisticOp->getResult(0)))
    return false;
  SmallVector<Operation *> ops = program.statisticOps();
  return llvm::none_of(sliceBetween(other.source, {}), [&](Operation *op) { return llvm::is_contained(ops, op); });
}

/// Whether the statistics of MEAN and VARIANCE are a mean and a variance of the same rows.
static bool isMeanBeside(const RowProgram &mean, const RowProgram &variance) {
  return isa<aten::MeanOp, aten::MeanDimOp>(mean.statisticOp) && isa<aten::VarCorrectionOp>(variance.statisticOp) &&
         mean.furtherSums.empty() && mean.source == variance.source && mean.layout.parts == variance.layout.parts &&
         mean.layout.firstFolded == variance.layout.firstFolded &&
         mean.layout.lastFolded == variance.layout.lastFolded &&
         shapeOf(mean.statisticOp->getResult(0)) == shapeOf(variance.statisticOp->getResult(0));
}

FailureOr<RowProgram> analyzeRowProgram(DispatchOp dispatch) {
  RowProgram program;
  SmallVector<Operation *> gathers, reshapes;
  YieldOp yield = dispatch.getYield();
  for (Operation &op : yield->getBlock()->without_terminator()) {
    if (isPointwiseAten(&op))
      continue;
    if (isa<aten::GatherOp>(op) || keepsOrder(&op)) {
      (isa<aten::GatherOp>(op) ? gathers : reshapes).push_back(&op);
      continue;
    }
    RowProgram described;
    FailureOr<bool> isStatistic = describeStatistic(&op, described);
    if (failed(isStatistic))
      return failure();
    if (!*isStatistic)
      return op.emitOpError("has no place in a row kernel: expected element-wise ops around one row statistic");
    if (program.statisticOp && isFurtherSum(program, described)) {
      program.furtherSums.push_back(&op);
      continue;
    }
    if (program.statisticOp && isMeanBeside(described, program)) {
      program.means.push_back(&op);
      continue;
    }
    if (program.statisticOp && isMeanBeside(program, described)) {
      described.means.push_back(program.statisticOp);
      program = described;
      continue;
    }
    if (program.statisticOp) {
      InFlightDiagnostic diag = op.emitOpError("is a second row statistic; a row dispatch holds one");
      diag.attachNote(program.statisticOp->getLoc()) << "the first one";
      return failure();
    }
    program = described;
  }
  if (!program.statisticOp)
    return dispatch.emitOpError("holds no row statistic (softmax, norm or reduction)");

  if (failed(describePicks(program, gathers, reshapes)))
    return failure();

  RowLayout &layout = program.layout;
  constexpr int64_t kMostColumns = (1ll << 31) - (1ll << 26); // counted in 32 bits, with room for a stride
  if (layout.columns > kMostColumns)
    return program.statisticOp->emitOpError("has rows of ")
           << layout.columns << " elements, expected at most " << kMostColumns;
  auto elementOf = [](Value value) { return cast<RankedTensorType>(value.getType()).getElementType(); };
  for (Operation *op : program.statisticOps())
    if (Type element = elementOf(op->getOperand(0)); !isKernelFloat(element))
      return program.statisticOp->emitOpError("works on ") << element << ", expected f32, f16 or bf16";

  // Values behind the reduction: which are row values, and which of them do element-wise ops use?
  SmallVector<Operation *> statisticOps = program.statisticOps();
  llvm::SmallPtrSet<Operation *, 16> behind(statisticOps.begin(), statisticOps.end());
  for (Operation &op : yield->getBlock()->without_terminator())
    for (Value operand : op.getOperands())
      if (operand.getDefiningOp() && behind.contains(operand.getDefiningOp()))
        behind.insert(&op);
  auto dependsOnStatistic = [&](Value value) {
    return value.getDefiningOp() && behind.contains(value.getDefiningOp());
  };
  auto isResultOf = [&](Value value) { return llvm::is_contained(statisticOps, value.getDefiningOp()); };

  for (auto [index, value] : llvm::enumerate(yield.getValues())) {
    bool perElement = shapeOf(value) == ArrayRef<int64_t>(layout.shape);
    if (!perElement && isMadeOfPicks(value, program)) {
      program.outputs.push_back({value, static_cast<unsigned>(index), /*perRow=*/true});
      continue;
    }
    // The op's own result is in row order by definition, whether or not it keeps the folded dimensions.
    bool perRow = !program.normalizes && dependsOnStatistic(value) && (isResultOf(value) || !perElement) &&
                  product(shapeOf(value)) == layout.rows;
    if (perRow) {
      // Element-wise ops between the reduction and the result keep the row order only if no operand broadcasts.
      for (Operation *op : sliceBetween(value, program.statistics()))
        if (shapeOf(op->getResult(0)) != shapeOf(program.statisticOp->getResult(0)) &&
            dependsOnStatistic(op->getResult(0)))
          perRow = false;
    }
    if (!perRow && !perElement)
      return dispatch.emitOpError("result ") << index << " of type " << value.getType()
                                             << " has neither one element for each element nor one for each row";
    if (!perRow && !program.furtherSums.empty())
      return program.furtherSums.front()->emitOpError("is a second row statistic; a row dispatch that gives elements "
                                                      "holds one");
    program.outputs.push_back({value, static_cast<unsigned>(index), perRow});
    if (perRow)
      program.rowValues.insert(value);
  }

  // The frontier: row values that element-wise ops read.
  if (!program.normalizes) {
    for (const RowOutput &output : program.outputs) {
      if (output.perRow)
        continue;
      SmallVector<Value> pending = {output.value};
      llvm::SmallPtrSet<Operation *, 16> seen;
      while (!pending.empty()) {
        Value value = pending.pop_back_val();
        if (!dependsOnStatistic(value) || program.rowValues.contains(value))
          continue;
        if (shapeOf(value) != ArrayRef<int64_t>(layout.shape) || isResultOf(value)) {
          if (!isPerRow(value, layout))
            return program.statisticOp->emitOpError("is followed by a value of type ")
                   << value.getType() << " that does not broadcast along the rows";
          program.rowValues.insert(value);
          continue;
        }
        if (seen.insert(value.getDefiningOp()).second)
          llvm::append_range(pending, value.getDefiningOp()->getOperands());
      }
    }
    for (Value value : program.rowValues) {
      // Row values that results need as such are not broadcast, the others are checked above.
      if (auto integer = dyn_cast<IntegerType>(cast<RankedTensorType>(value.getType()).getElementType());
          integer && !isResultOf(value))
        return program.statisticOp->emitOpError("is followed by arithmetic on ") << integer;
    }
  }

  // Keep the input instead of the statistic's operand where the outputs start from the input: then
  // one register serves both (x and x * x of an RMS norm).
  program.held = program.source;
  if (!program.furtherSums.empty()) {
    // Any input of elements: the sums are made of what is read, each for itself.
    llvm::SetVector<Value> read;
    for (Operation *op : statisticOps)
      read.set_union(elementInputs(op->getOperand(0), {}, layout.shape));
    auto first = llvm::find_if(read, [&](Value value) { return isPacked(value, layout.shape); });
    if (first == read.end())
      return program.furtherSums.front()->emitOpError("is a second sum of rows of which no input has the elements");
    program.held = *first;
    return program;
  }
  llvm::SetVector<Value> before = elementInputs(program.source, {}, layout.shape);
  if (!program.normalizes && before.size() == 1 && isKernelFloat(elementOf(before[0]))) {
    bool usesSource = false, usesInput = false;
    for (const RowOutput &output : program.outputs) {
      if (output.perRow)
        continue;
      SmallVector<Value> stops = llvm::to_vector(program.rowValues);
      for (Operation *op : sliceBetween(output.value, stops))
        for (Value operand : op->getOperands()) {
          usesInput |= operand == before[0];
          usesSource |= operand == program.source && operand != before[0];
        }
    }
    if (usesInput && !usesSource)
      program.held = before[0];
  }
  return program;
}

} // namespace kgen::kernels
