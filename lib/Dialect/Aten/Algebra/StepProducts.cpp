//===- StepProducts.cpp - Products of time steps, taken together ----------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A recurrent cell by hand multiplies its input and its state, concatenated, by one weight, and its output layer is
// applied step by step. Only the state waits for the step before.
//
//===----------------------------------------------------------------------===//

#include "AlgebraBuilder.h"
#include "kgen/Dialect/Aten/Algebra.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace kgen::aten {
namespace {

/// Of fewer steps a product is as good as any.
constexpr size_t kFewestSteps = 8;

/// Buffers begin at multiples of so many bytes: other parts of a tensor are copied.
constexpr int64_t kAlignment = 256;

/// The weight and the bias of products that belong together.
using Parameters = std::pair<Value, Value>;

bool isPlain(LinearOp linear) {
  return linear->getDiscardableAttrDictionary().empty() &&
         typeOf(linear.getResult()).getElementTypeBitWidth() >= 32; // narrower sums would be rounded once more
}

/// A product of a step's input, an element of one tensor's outermost dimension, and of what else is beside it.
struct Step {
  LinearOp linear;
  SelectIntOp input;
  Value state;
  bool inputFirst = true;
};

std::optional<Step> stepOf(LinearOp linear) {
  auto cat = linear->getOperand(0).getDefiningOp<CatOp>();
  if (!isPlain(linear) || !cat || cat->getNumOperands() != 2 || !cat->hasOneUse() ||
      !cat->getDiscardableAttrDictionary().empty())
    return std::nullopt;
  const int64_t rank = rankOf(cat.getResult()), dim = int64_t(cat.getDim());
  if (rank != 2 || (dim != -1 && dim != rank - 1))
    return std::nullopt;
  for (unsigned number : {0, 1}) {
    auto input = cat->getOperand(number).getDefiningOp<SelectIntOp>();
    if (input && rankOf(input.getSelf()) == 3 && int64_t(input.getDim()) == 0 && int64_t(input.getIndex()) >= 0)
      return Step{linear, input, cat->getOperand(1 - number), number == 0};
  }
  return std::nullopt;
}

/// Puts the insertion point of REWRITER behind what gives VALUES, in FUNC.
void setBehind(PatternRewriter &rewriter, func::FuncOp func, ArrayRef<Value> values) {
  rewriter.setInsertionPointToStart(&func.getBody().front());
  Operation *last = nullptr;
  for (Value value : values)
    if (Operation *op = value ? value.getDefiningOp() : nullptr; op && (!last || last->isBeforeInBlock(op)))
      last = op;
  if (last)
    rewriter.setInsertionPointAfter(last);
}

Value linearOf(PatternRewriter &rewriter, Location loc, Value input, Value weight, Value bias) {
  SmallVector<int64_t> shape(shapeOf(input));
  shape.back() = shapeOf(weight).front();
  SmallVector<Value> operands = {input, weight};
  if (bias)
    operands.push_back(bias);
  return LinearOp::create(rewriter, loc, TypeRange{typeOf(input).clone(shape)}, operands);
}

/// linear(cat(x_t, h)) of STEPS is linear(h) + linear(x)_t.
void splitSteps(PatternRewriter &rewriter, func::FuncOp func, ArrayRef<Step> steps) {
  Step first = steps.front();
  Value inputs = first.input.getSelf(), weight = first.linear.getWeight(), bias = first.linear.getBias();
  setBehind(rewriter, func, {inputs, weight, bias});
  Location loc = first.linear.getLoc();
  const int64_t all = shapeOf(weight)[1], width = shapeOf(inputs).back();
  // A copy of columns, which is made once.
  auto columns = [&](bool ofInput) {
    const int64_t begin = ofInput == first.inputFirst ? 0 : ofInput ? all - width : width;
    const int64_t end = begin + (ofInput ? width : all - width);
    AlgebraBuilder b(rewriter, loc);
    Value part = b.slice(weight, 1, begin, end);
    return CatOp::create(rewriter, loc, part.getType(), ValueRange{part}, 0).getResult();
  };
  Value together = linearOf(rewriter, loc, inputs, columns(true), bias), ofState = columns(false);
  for (Step step : steps) {
    rewriter.setInsertionPoint(step.linear);
    Location at = step.linear.getLoc();
    Value state = linearOf(rewriter, at, step.state, ofState, Value());
    Value input = SelectIntOp::create(rewriter, at, state.getType(), together, 0, int64_t(step.input.getIndex()));
    AlgebraBuilder b(rewriter, at);
    Operation *cat = step.linear->getOperand(0).getDefiningOp();
    rewriter.replaceOp(step.linear, b.add(state, input));
    rewriter.eraseOp(cat);
    if (step.input->use_empty())
      rewriter.eraseOp(step.input);
  }
}

/// The product that OPERAND, an element of a stack, is under another shape, when nobody else reads either.
LinearOp stepProductOf(Value operand) {
  while (Operation *op = operand.getDefiningOp()) {
    if (!operand.hasOneUse())
      return nullptr;
    if (auto linear = dyn_cast<LinearOp>(op))
      return isPlain(linear) ? linear : LinearOp();
    if (!isa<ReshapeOp, ViewOp, UnsqueezeOp>(op))
      return nullptr;
    operand = op->getOperand(0);
  }
  return nullptr;
}

/// A stack of linear(h_t) is linear of a stack of h_t.
bool joinProducts(PatternRewriter &rewriter, CatOp stack) {
  if (stack->getNumOperands() < kFewestSteps || int64_t(stack.getDim()) != 0)
    return false;
  llvm::SetVector<Value> inputs;
  LinearOp first;
  for (Value operand : stack.getTensors()) {
    LinearOp linear = stepProductOf(operand);
    if (!linear || (first && (linear.getWeight() != first.getWeight() || linear.getBias() != first.getBias() ||
                              linear->getOperand(0).getType() != first->getOperand(0).getType())))
      return false;
    first = first ? first : linear;
    // What is computed for each step, and lies in the stack from then on.
    Operation *source = linear->getOperand(0).getDefiningOp();
    if (!source || cast<AtenCostOpInterface>(source).getKind() == OpKind::View || !inputs.insert(linear->getOperand(0)))
      return false;
  }
  auto type = typeOf(first->getOperand(0));
  if (type.getNumElements() * type.getElementTypeBitWidth() / 8 % kAlignment)
    return false;
  rewriter.setInsertionPoint(stack);
  Location loc = stack.getLoc();
  AlgebraBuilder b(rewriter, loc);
  SmallVector<int64_t> one(type.getShape());
  one.insert(one.begin(), 1);
  SmallVector<Value> rows;
  for (Value input : inputs)
    rows.push_back(b.reshape(input, one));
  Value product = linearOf(rewriter, loc, b.cat(rows, 0), first.getWeight(), first.getBias());
  rewriter.replaceOp(stack, b.reshape(product, shapeOf(stack.getResult())));
  return true;
}

} // namespace

/// The most rows of a stack that are multiplied before all of it is there: so many that a product is worth a launch,
/// and so few that the layers of a recurrent network begin soon after each other.
constexpr int64_t kChunk = 32, kLeastChunk = 16;

/// Whether STACK has the results of steps, one after the other as they are computed.
static bool growsStepByStep(CatOp stack) {
  if (int64_t(stack.getDim()) != 0)
    return false;
  Operation *last = nullptr;
  for (Value operand : stack.getTensors()) {
    if (shapeOf(operand).empty() || shapeOf(operand).front() != 1)
      return false;
    while (isa_and_nonnull<ReshapeOp, ViewOp, UnsqueezeOp>(operand.getDefiningOp()))
      operand = operand.getDefiningOp()->getOperand(0);
    Operation *op = operand.getDefiningOp();
    if (!op || (last && !last->isBeforeInBlock(op)))
      return false;
    last = op;
  }
  return true;
}

/// linear(stack)_t is linear(rows of the stack around t)_t.
static void splitProduct(PatternRewriter &rewriter, LinearOp linear) {
  auto stack = linear->getOperand(0).getDefiningOp<CatOp>();
  if (!stack || !linear->getDiscardableAttrDictionary().empty() || rankOf(stack.getResult()) < 2)
    return;
  const int64_t steps = shapeOf(stack.getResult()).front();
  int64_t chunk = kChunk;
  while (chunk >= kLeastChunk && steps % chunk)
    --chunk;
  if (chunk < kLeastChunk || steps < 2 * kChunk)
    return;
  auto lies = [](Value rows) { // each of them
    auto type = typeOf(rows);
    return type.getNumElements() / type.getShape().front() * type.getElementTypeBitWidth() / 8 % kAlignment == 0;
  };
  SmallVector<SelectIntOp> readers;
  for (Operation *user : linear->getUsers()) {
    auto reader = dyn_cast<SelectIntOp>(user);
    if (!reader || int64_t(reader.getDim()) != 0 || int64_t(reader.getIndex()) < 0)
      return;
    readers.push_back(reader);
  }
  if (readers.empty() || !lies(stack.getResult()) || !lies(linear.getResult()) || !growsStepByStep(stack))
    return;
  // Each in front of its first reader: the order of steps is that of the ops, and nobody has to look for a place.
  llvm::sort(readers, [](SelectIntOp a, SelectIntOp b) { return a->isBeforeInBlock(b); });
  SmallVector<Value> products(size_t(steps / chunk));
  for (SelectIntOp reader : readers) {
    const int64_t index = int64_t(reader.getIndex()), begin = index / chunk * chunk;
    rewriter.setInsertionPoint(reader);
    Value &product = products[size_t(index / chunk)];
    if (!product) {
      AlgebraBuilder b(rewriter, linear.getLoc());
      product = linearOf(rewriter, linear.getLoc(), b.slice(stack.getResult(), 0, begin, begin + chunk),
                         linear.getWeight(), linear.getBias());
    }
    rewriter.replaceOp(
        reader, SelectIntOp::create(rewriter, reader.getLoc(), typeOf(reader.getResult()), product, 0, index - begin));
  }
  rewriter.eraseOp(linear);
}

void splitStepProducts(func::FuncOp func) {
  PatternRewriter rewriter(func.getContext());
  SmallVector<LinearOp> products(func.getBody().front().getOps<LinearOp>());
  for (LinearOp linear : products)
    splitProduct(rewriter, linear);
}

void joinStepProducts(func::FuncOp func) {
  PatternRewriter rewriter(func.getContext());
  llvm::MapVector<std::pair<Parameters, std::pair<Value, unsigned>>, SmallVector<Step>> cells;
  for (LinearOp linear : func.getBody().front().getOps<LinearOp>())
    if (std::optional<Step> step = stepOf(linear))
      cells[{{linear.getWeight(), linear.getBias()}, {step->input.getSelf(), unsigned(step->inputFirst)}}].push_back(
          *step);
  for (auto &[parameters, steps] : cells) {
    auto part = typeOf(steps.front().linear.getResult());
    const bool lies = part.getNumElements() * part.getElementTypeBitWidth() / 8 % kAlignment == 0;
    // What follows from weights or inputs alone, but not from a step.
    auto isFirst = [&](Value value) {
      Operation *op = value ? value.getDefiningOp() : nullptr;
      return !op || op->isBeforeInBlock(steps.front().linear);
    };
    if (steps.size() >= kFewestSteps && lies && isFirst(parameters.first.first) && isFirst(parameters.first.second) &&
        isFirst(parameters.second.first))
      splitSteps(rewriter, func, steps);
  }
  SmallVector<CatOp> stacks(func.getBody().front().getOps<CatOp>());
  for (CatOp stack : stacks) {
    SmallVector<Value> operands(stack.getTensors());
    if (!joinProducts(rewriter, stack))
      continue;
    for (Value operand : operands)
      while (Operation *op = operand.use_empty() ? operand.getDefiningOp() : nullptr) {
        const bool isLast = isa<LinearOp>(op);
        operand = op->getOperand(0);
        rewriter.eraseOp(op);
        if (isLast)
          break;
      }
  }
}

} // namespace kgen::aten
