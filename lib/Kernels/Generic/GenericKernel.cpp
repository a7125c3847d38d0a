//===- GenericKernel.cpp - One structured op as one kernel ----------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The text comes straight from the op's loops and indexing maps; docs/rationale-generic.md says why
// no lower dialect lies between.
//
//===----------------------------------------------------------------------===//

#include "GenericWriter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace kgen::kernels {
namespace {

/// Fewer outputs than this leave most of a card idle when each has one thread.
constexpr int64_t kFewOutputs = 16384;

} // namespace

Attribute getNeutral(Operation *combiner) {
  Type type = combiner->getResult(0).getType();
  std::optional<TypedAttr> neutral = arith::getNeutralElement(combiner);
  if (neutral)
    return *neutral;
  // Not in upstream's table: booleans are combined by and/or, which it knows, or by min/max.
  if (isa<arith::MaxUIOp>(combiner))
    return IntegerAttr::get(type, 0);
  if (isa<arith::MinUIOp>(combiner))
    return IntegerAttr::get(type, APInt::getAllOnes(type.getIntOrFloatBitWidth()));
  return {};
}

//===----------------------------------------------------------------------===//
// Analysis
//===----------------------------------------------------------------------===//

LogicalResult GenericWriter::checkOp() {
  for (Value operand : op->getOperands())
    if (auto type = dyn_cast<RankedTensorType>(operand.getType()); type && !type.hasStaticShape())
      return op.emitOpError("expected static shapes, found ") << type;
  for (Type type : op->getResultTypes())
    if (getStorageType(cast<RankedTensorType>(type).getElementType()).empty())
      return op.emitOpError() << "yields " << type << ", whose elements CUDA-C kernels do not know";
  for (int64_t extent : op.getStaticLoopRanges())
    if (extent == 0)
      return op.emitOpError("has no elements to compute");
  for (unsigned i = 0; i < op.getNumDpsInits(); ++i)
    for (AffineExpr expr : op.getIndexingMapMatchingResult(op->getResult(i)).getResults())
      if (!isa<AffineDimExpr, AffineConstantExpr>(expr))
        return op.emitOpError("expected outputs indexed by loops, found an index that computes");
  return success();
}

LogicalResult GenericWriter::traceOperands() {
  for (OpOperand &operand : op->getOpOperands()) {
    BlockArgument argument = op.getMatchingBlockArgument(&operand);
    bool isInit = op.isDpsInit(&operand);
    // A window operand gives only its shape.
    if (argument.use_empty())
      continue;
    FailureOr<Access> access;
    if (auto type = dyn_cast<RankedTensorType>(operand.get().getType())) {
      access = tracer.trace(op, operand.get(), op.getMatchingIndexingMap(&operand).getResults());
    } else {
      Attribute constant;
      if (!matchPattern(operand.get(), m_Constant(&constant)))
        return op.emitOpError("expected tensors and constants, found a scalar operand");
      access.emplace();
      access->literal = constant;
    }
    if (failed(access))
      return failure();
    (isInit ? inits : inputs).push_back({argument, std::move(*access)});
  }
  for (unsigned i = 0; i < op.getNumDpsInits(); ++i) {
    auto type = cast<RankedTensorType>(op->getResult(i).getType());
    AffineExpr index = getAffineConstantExpr(0, context);
    AffineMap map = op.getIndexingMapMatchingResult(op->getResult(i));
    for (auto [expr, size] : llvm::zip_equal(map.getResults(), type.getShape()))
      index = index * size + expr;
    outputIndex.push_back(index);
  }
  return success();
}

/// Parallel loops in the order of the first output's dimensions, so that consecutive threads write
/// consecutive elements; then the reductions in their own order.
void GenericWriter::orderLoops() {
  extents = op.getStaticLoopRanges();
  SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
  for (AffineExpr expr : op.getIndexingMapMatchingResult(op->getResult(0)).getResults())
    if (auto dim = dyn_cast<AffineDimExpr>(expr); dim && extents[dim.getPosition()] != 1)
      parallel.push_back(dim.getPosition());
  for (unsigned i = 0; i < extents.size(); ++i) {
    if (extents[i] == 1 || llvm::is_contained(parallel, i))
      continue;
    (kinds[i] == utils::IteratorType::reduction ? reduction : parallel).push_back(i);
  }
}

void visitLeaves(const Access &access, llvm::function_ref<void(AffineExpr, bool)> visit) {
  if (access.kind == Access::Kind::Load)
    visit(access.index, false);
  if (access.kind != Access::Kind::Choice)
    return;
  for (const AccessCondition &condition : access.conditions)
    visit(condition.expr, true);
  visitLeaves(*access.inside, visit);
  visitLeaves(*access.outside, visit);
}

void GenericWriter::forEachLeaf(llvm::function_ref<void(AffineExpr, bool)> visit) const {
  for (const Operand &operand : inputs)
    visitLeaves(operand.access, visit);
  for (const Operand &operand : inits)
    visitLeaves(operand.access, visit);
  for (AffineExpr index : outputIndex)
    visit(index, false);
  for (AffineExpr definition : tracer.getNamedCoordinates())
    visit(definition, true);
}

bool addCoefficients(AffineExpr expr, int64_t scale, MutableArrayRef<int64_t> coefficients, unsigned a, unsigned b) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    if (dim.getPosition() < coefficients.size())
      coefficients[dim.getPosition()] += scale;
    return true;
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return true;
  if (expr.getKind() == AffineExprKind::Add)
    return addCoefficients(binary.getLHS(), scale, coefficients, a, b) &&
           addCoefficients(binary.getRHS(), scale, coefficients, a, b);
  if (auto factor = dyn_cast<AffineConstantExpr>(binary.getRHS()); factor && expr.getKind() == AffineExprKind::Mul)
    return addCoefficients(binary.getLHS(), scale * factor.getValue(), coefficients, a, b);
  return !expr.isFunctionOfDim(a) && !expr.isFunctionOfDim(b);
}

/// True when every index walks OUTER and INNER as one loop of extent outer * inner.
bool GenericWriter::canMerge(unsigned outer, unsigned inner) {
  bool mergeable = true;
  forEachLeaf([&](AffineExpr expr, bool isCondition) {
    if (isCondition) {
      mergeable &= !expr.isFunctionOfDim(outer) && !expr.isFunctionOfDim(inner);
      return;
    }
    SmallVector<int64_t> coefficients(extents.size(), 0);
    mergeable &= addCoefficients(expr, 1, coefficients, outer, inner) &&
                 coefficients[outer] == coefficients[inner] * extents[inner];
  });
  op.getBody()->walk([&](linalg::IndexOp index) { mergeable &= index.getDim() != outer && index.getDim() != inner; });
  return mergeable;
}

/// Merges neighbours; the merged loop keeps the inner one's dimension, and the outer one, now of
/// extent 1, vanishes from all indices.
void GenericWriter::mergeLoops() {
  for (SmallVector<unsigned> *loops : {&parallel, &reduction}) {
    for (unsigned i = loops->size(); i-- > 1;) {
      unsigned outer = (*loops)[i - 1], inner = (*loops)[i];
      if (!canMerge(outer, inner))
        continue;
      extents[inner] *= extents[outer];
      extents[outer] = 1;
      // The inner one moves up, to be tried with the next outer one.
      (*loops)[i - 1] = inner;
      loops->erase(loops->begin() + i);
    }
  }
}

/// Recognises `yield combiner(accumulator, value)` for all results, where the accumulators have no
/// other use.
void GenericWriter::findCombiners() {
  // A reduction over single elements is an element-wise op.
  if (reduction.empty())
    return;
  for (auto [i, yielded] : llvm::enumerate(op.getBody()->getTerminator()->getOperands())) {
    BlockArgument accumulator = op.getRegionOutputArgs()[i];
    Operation *combiner = yielded.getDefiningOp();
    if (!combiner || combiner->getBlock() != op.getBody() || combiner->getNumOperands() != 2 ||
        !accumulator.hasOneUse() || !yielded.hasOneUse() || *accumulator.getUsers().begin() != combiner ||
        !getNeutral(combiner)) {
      combiners.clear();
      return;
    }
    Value value = combiner->getOperand(combiner->getOperand(0) == accumulator ? 1 : 0);
    combiners.push_back({combiner, value});
  }
}

void GenericWriter::chooseMapping() {
  for (unsigned loop : parallel)
    outputs *= extents[loop];
  for (unsigned loop : reduction)
    reduced *= extents[loop];
  if (outputs == 1)
    threads = 1;
  if (reduction.empty() || combiners.empty())
    return;

  // Rows: the innermost reduction loop walks memory, and no element is shared by two outputs, so
  // that there is nothing to gain from neighbouring outputs in neighbouring threads.
  bool rows = true;
  for (const Operand &operand : inputs) {
    visitLeaves(operand.access, [&](AffineExpr expr, bool isCondition) {
      if (isCondition || llvm::none_of(reduction, [&](unsigned r) { return expr.isFunctionOfDim(r); }))
        return;
      SmallVector<int64_t> coefficients(extents.size(), 0);
      bool linear = addCoefficients(expr, 1, coefficients, reduction.back(), reduction.back());
      rows &= linear && coefficients[reduction.back()] == 1 &&
              llvm::all_of(parallel, [&](unsigned p) { return expr.isFunctionOfDim(p); });
    });
  }
  bool few = outputs < kFewOutputs;
  if (!(rows && reduced >= 64) && !(few && reduced >= 256))
    return;
  mapping = Mapping::Lanes;
  if (reduced < 1024 && !(few && reduced >= 512)) {
    lanes = 32;
    threads = kElementThreads;
    return;
  }
  lanes = threads = outputs < 1024 && reduced >= 32768 ? 1024 : 256;
}

/// Renames what is left d0, d1, ..., parallel loops first; a vanished loop is 0.
void GenericWriter::nameLoops() {
  names.assign(extents.size(), "0");
  unsigned next = 0;
  for (ArrayRef<unsigned> loops : {ArrayRef<unsigned>(parallel), ArrayRef<unsigned>(reduction)})
    for (unsigned loop : loops)
      names[loop] = "d" + std::to_string(next++);
  for (auto [i, definition] : llvm::enumerate(tracer.getNamedCoordinates())) {
    names.push_back("c" + std::to_string(i));
    unsigned depth = 0;
    for (unsigned k = 0; k < reduction.size(); ++k)
      if (definition.isFunctionOfDim(reduction[k]))
        depth = k + 1;
    for (unsigned k = 0; k < i; ++k)
      if (definition.isFunctionOfDim(tracer.getNumLoops() + k))
        depth = std::max(depth, coordinateDepth[k]);
    coordinateDepth.push_back(depth);
  }
}

bool GenericWriter::needsWideIndex() const {
  // Room for the last block's idle threads and for coordinates outside a padded row.
  constexpr int64_t limit = (int64_t(1) << 31) - (int64_t(1) << 24);
  bool wide = outputs * lanes >= limit || reduced >= limit;
  for (Value buffer : op->getOperands())
    if (auto type = dyn_cast<RankedTensorType>(buffer.getType()))
      wide |= type.getNumElements() >= limit;
  for (Value buffer : buffers)
    wide |= cast<RankedTensorType>(buffer.getType()).getNumElements() >= limit;
  linalg::GenericOp generic = op;
  generic.getBody()->walk(
      [&](tensor::ExtractOp extract) { wide |= extract.getTensor().getType().getNumElements() >= limit; });
  std::function<void(const Access &)> visit = [&](const Access &access) {
    if (access.kind == Access::Kind::Load)
      wide |= cast<RankedTensorType>(access.buffer.getType()).getNumElements() >= limit;
    if (access.kind == Access::Kind::Choice) {
      visit(*access.inside);
      visit(*access.outside);
    }
  };
  for (const Operand &operand : inputs)
    visit(operand.access);
  for (const Operand &operand : inits)
    visit(operand.access);
  return wide;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

/// EXPR without vanished loops, as a sum in the order of the loops.
AffineExpr GenericWriter::substitute(AffineExpr expr) const {
  SmallVector<AffineExpr> replacements;
  for (unsigned i = 0; i < names.size(); ++i)
    replacements.push_back(i < extents.size() && extents[i] == 1 ? getAffineConstantExpr(0, context)
                                                                 : getAffineDimExpr(i, context));
  return expr.replaceDims(replacements);
}

std::string GenericWriter::bufferName(Value buffer) {
  if (auto constant = buffer.getDefiningOp<arith::ConstantOp>()) {
    for (auto &[tableName, table] : tables)
      if (table == buffer)
        return tableName;
    tables.push_back({(name + "_table" + Twine(tables.size())).str(), buffer});
    return tables.back().first;
  }
  auto it = llvm::find(buffers, buffer);
  if (it == buffers.end()) {
    buffers.push_back(buffer);
    it = buffers.end() - 1;
  }
  return "in" + std::to_string(it - buffers.begin());
}

FailureOr<std::string> GenericWriter::writeLoad(const Access &access) {
  return printAccess(
      access, helpers, /*widen=*/false, [&](AffineExpr expr) { return writeIndex(expr); },
      [&](const Access &load) -> FailureOr<std::string> {
        return bufferName(load.buffer) + "[" + writeIndex(load.index) + "]";
      });
}

/// Declares the coordinates that need exactly DEPTH open reduction loops.
void GenericWriter::declareCoordinates(unsigned depth) {
  for (auto [i, definition] : llvm::enumerate(tracer.getNamedCoordinates()))
    if (coordinateDepth[i] == depth)
      body.indent(2 + 2 * depth) << "const " << indexType << " " << names[tracer.getNumLoops() + i] << " = "
                                 << writeIndex(definition) << ";\n";
}

/// Loads what the body reads: the inputs, or the initial values of the accumulators.
LogicalResult GenericWriter::bindLoads(bool initial, unsigned depth) {
  emitter->setIndent(2 + 2 * depth);
  for (Operand &operand : initial ? inits : inputs) {
    FailureOr<std::string> text = writeLoad(operand.access);
    if (failed(text))
      return failure();
    if (operand.access.kind == Access::Kind::Literal) {
      emitter->bind(operand.argument, *text);
      continue;
    }
    auto [it, isNew] = loaded.try_emplace(*text);
    if (isNew) {
      emitter->declare(operand.argument, *text);
      it->second = emitter->get(operand.argument);
    } else {
      emitter->bind(operand.argument, it->second);
    }
  }
  return success();
}

/// Declares LOOPS from a linear position, innermost first.
void GenericWriter::declarePosition(StringRef linear, ArrayRef<unsigned> loops, unsigned indent) {
  std::string rest = linear.str();
  for (unsigned i = loops.size(); i-- > 0;) {
    std::string upper = StringRef(names[loops[i]]).upper();
    body.indent(indent) << "const " << indexType << " " << names[loops[i]] << " = " << rest;
    if (i > 0)
      body << " % k" << upper;
    body << ";\n";
    rest += " / k" + upper;
  }
}

std::string GenericWriter::spellExtract(Operation *operation) {
  auto extract = dyn_cast<tensor::ExtractOp>(operation);
  if (!extract)
    return "";
  Value root = stripReshapes(extract.getTensor());
  if (!isBuffer(root))
    return "";
  auto type = cast<RankedTensorType>(extract.getTensor().getType());
  std::string position;
  for (auto [index, size] : llvm::zip_equal(extract.getIndices(), type.getShape())) {
    std::string text = emitter->get(index);
    if (text.empty())
      return "";
    if (position.empty())
      position = text;
    else
      position = parenthesized(position) + " * " + std::to_string(size) + " + " + parenthesized(text);
  }
  return bufferName(root) + "[" + (position.empty() ? "0" : position) + "]";
}

void GenericWriter::writeStores(unsigned indent) {
  for (unsigned i = 0; i < outputIndex.size(); ++i) {
    std::string value =
        accumulators.empty() ? emitter->get(op.getBody()->getTerminator()->getOperand(i)) : accumulators[i];
    body.indent(indent) << "out" << i << "[" << writeIndex(outputIndex[i]) << "] = " << value << ";\n";
  }
}

std::string spellUpdate(Operation *combiner, StringRef accumulator, StringRef value, CudaHelpers &helpers) {
  std::string text = combineExpression(combiner, accumulator, value, helpers);
  for (StringRef sign : {"+", "*"}) {
    std::string prefix = (accumulator + " " + sign + " ").str();
    if (StringRef(text).starts_with(prefix))
      return (accumulator + " " + sign + "= " + text.substr(prefix.size()) + ";\n").str();
  }
  return (accumulator + " = " + text + ";\n").str();
}

/// The statements of the body, but for the combiners, which update the accumulators afterwards.
LogicalResult GenericWriter::emitScalars() {
  for (Operation &scalar : op.getBody()->without_terminator())
    if (!leftOutOps.contains(&scalar) && llvm::none_of(combiners, [&](Combiner &c) { return c.op == &scalar; }))
      if (failed(emitter->emit(scalar, [&](Operation *o) { return spellExtract(o); })))
        return failure();
  return success();
}

/// Declares LOOPS from the thread's number. A single output is launched with a single thread.
void GenericWriter::declareThread(ArrayRef<unsigned> loops) {
  if (outputs <= 1)
    return;
  bool single = loops.size() == 1;
  std::string position = single ? names[loops[0]] : "i";
  body << "  const " << indexType << " " << position << " = "
       << (indexType == "int" ? "blockIdx.x" : "(long long)blockIdx.x") << " * kThreads + threadIdx.x;\n"
       << "  if (" << position << " >= kOutputs)\n    return;\n";
  if (!single)
    declarePosition(position, loops, 2);
}

/// One thread per output element; reduction loops inside.
LogicalResult GenericWriter::writeElementBody() {
  declareThread(parallel);
  declareCoordinates(0);

  if (reduction.empty()) {
    if (failed(bindLoads(/*initial=*/true, 0)) || failed(bindLoads(/*initial=*/false, 0)) || failed(emitScalars()))
      return failure();
    writeStores(2);
    return success();
  }

  // A reduction that ignores its previous value has no init among `inits`, but still a variable.
  emitter->setIndent(2);
  SmallVector<std::string> start(outputIndex.size(), "0");
  for (Operand &init : inits) {
    FailureOr<std::string> text = writeLoad(init.access);
    if (failed(text))
      return failure();
    start[init.argument.getArgNumber() - op.getNumDpsInputs()] = *text;
  }
  for (auto [i, argument] : llvm::enumerate(op.getRegionOutputArgs())) {
    accumulators.push_back("acc" + std::to_string(i));
    body << "  " << emitter->getLocalType(argument.getType()) << " " << accumulators[i] << " = " << start[i] << ";\n";
    emitter->bind(argument, accumulators[i]);
  }
  unsigned depth = 0;
  for (unsigned loop : reduction) {
    body.indent(2 + 2 * depth) << "for (" << indexType << " " << names[loop] << " = 0; " << names[loop] << " < k"
                               << StringRef(names[loop]).upper() << "; ++" << names[loop] << ")"
                               << " {\n";
    ++depth;
    declareCoordinates(depth);
  }
  if (failed(bindLoads(/*initial=*/false, depth)) || failed(emitScalars()))
    return failure();
  for (auto [accumulator, combiner] : llvm::zip(accumulators, combiners))
    body.indent(2 + 2 * depth) << spellUpdate(combiner.op, accumulator, emitter->get(combiner.value), helpers);
  // A yielded value may be another accumulator; then all are read before any is written.
  SmallVector<std::string> yielded;
  if (combiners.empty())
    for (Value value : op.getBody()->getTerminator()->getOperands())
      yielded.push_back(emitter->get(value));
  for (auto [i, text] : llvm::enumerate(yielded)) {
    auto other = llvm::find(accumulators, text);
    if (other != accumulators.end() && static_cast<size_t>(other - accumulators.begin()) < i) {
      body.indent(2 + 2 * depth) << "const auto next" << i << " = " << text << ";\n";
      text = "next" + std::to_string(i);
    }
  }
  for (auto [text, accumulator] : llvm::zip(yielded, accumulators))
    if (text != accumulator)
      body.indent(2 + 2 * depth) << accumulator << " = " << text << ";\n";
  while (depth-- > 0)
    body.indent(2 + 2 * depth) << "}\n";
  writeStores(2);
  return success();
}

/// An element of a constant table. The initialiser of a __device__ variable is a constant expression, which conversions
/// to 16-bit types and the functions behind NaN and infinity are not.
static std::string printTableElement(Attribute element, CudaHelpers &helpers) {
  auto floating = dyn_cast<FloatAttr>(element);
  if (!floating || (floating.getValue().isFinite() && floating.getType().getIntOrFloatBitWidth() > 16))
    return printLiteral(element, helpers);
  Type type = floating.getType();
  SmallString<18> bits;
  floating.getValue().bitcastToAPInt().toString(bits, 16, /*Signed=*/false, /*formatAsCLiteral=*/true);
  if (type.isF16() || type.isBF16())
    return ((type.isF16() ? "__half_raw{" : "__nv_bfloat16_raw{") + bits + "}").str();
  return ("__builtin_bit_cast(" + getStorageType(type) + ", " + bits + ")").str();
}

/// Elements of a constant table, in the element type's spelling.
static void writeTable(llvm::raw_ostream &os, StringRef name, Value value, CudaHelpers &helpers) {
  auto elements = cast<DenseElementsAttr>(value.getDefiningOp<arith::ConstantOp>().getValue());
  Type type = elements.getElementType();
  os << "__device__ const " << getStorageType(type) << " " << name << "[" << elements.getNumElements() << "] = {";
  llvm::interleaveComma(elements.getValues<Attribute>(), os,
                        [&](Attribute element) { os << printTableElement(element, helpers); });
  os << "};\n";
}

static std::string printShape(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  std::string text;
  for (int64_t size : type.getShape())
    text += std::to_string(size) + "x";
  llvm::raw_string_ostream(text) << type.getElementType();
  return text;
}

FailureOr<GenericKernel> GenericWriter::write() {
  if (failed(checkOp()) || failed(traceOperands()))
    return failure();
  orderLoops();
  mergeLoops();
  findCombiners();
  chooseMapping();
  nameLoops();
  if (mapping == Mapping::Update && failed(findNamedLoops()))
    return failure();
  chooseVector();
  if (needsWideIndex())
    indexType = "long long";
  emitter = std::make_unique<ScalarEmitter>(body, helpers, ScalarEmitter::Options{indexType, false, 2});
  emitter->bindDims(names);
  chooseTile();
  if (failed(mapping == Mapping::Tile       ? writeTileBody()
             : mapping == Mapping::WideTile ? writeWideTileBody()
             : mapping == Mapping::Update   ? writeUpdateBody()
             : vector > 1                   ? writeVectorBody()
             : mapping == Mapping::Element  ? writeElementBody()
                                            : writeLanesBody()))
    return failure();

  GenericKernel kernel;
  int64_t perBlock = threads / lanes * vector;
  const bool tiled = mapping == Mapping::Tile || mapping == Mapping::WideTile;
  kernel.grid[0] = tiled ? tiles : llvm::divideCeil(outputs, perBlock);
  kernel.block[0] = threads;
  if (kernel.grid[0] > INT32_MAX)
    return op.emitOpError("needs ") << kernel.grid[0] << " blocks, and a grid has at most " << INT32_MAX;
  kernel.inputs = buffers;

  std::string tableText;
  llvm::raw_string_ostream tableStream(tableText);
  for (auto &[tableName, table] : tables) {
    helpers.needType(cast<RankedTensorType>(table.getType()).getElementType());
    writeTable(tableStream, tableName, table, helpers);
  }
  for (Value value : llvm::concat<Value>(buffers, SmallVector<Value>(op->getResults())))
    helpers.needType(cast<RankedTensorType>(value.getType()).getElementType());

  llvm::raw_string_ostream os(kernel.text);
  os << helpers.text() << tableText;
  os << "// " << what << ": ";
  llvm::interleave(op->getResults(), os, [&](Value v) { os << printShape(v); }, ", ");
  if (!buffers.empty()) {
    os << " from ";
    llvm::interleave(buffers, os, [&](Value v) { os << printShape(v); }, ", ");
  }
  os << "; "
     << (mapping == Mapping::Update    ? "in place, one thread"
         : mapping == Mapping::Element ? "one thread"
         : lanes == 32                 ? "one warp"
                                       : "one block")
     << " per "
     << (mapping == Mapping::WideTile ? "wide tile of outputs"
         : mapping == Mapping::Tile   ? "tile of outputs"
         : mapping == Mapping::Update ? "element put"
         : vector > 1                 ? std::to_string(vector) + " outputs"
                                      : "output")
     << ".\n";
  os << "extern \"C\" __global__ void __launch_bounds__(" << threads << (mapping == Mapping::WideTile ? ", 2" : "")
     << ")\n"
     << name << "(";
  SmallVector<std::string> parameters;
  for (auto [i, value] : llvm::enumerate(buffers))
    parameters.push_back(("const " + getStorageType(cast<RankedTensorType>(value.getType()).getElementType()) +
                          " *__restrict__ in" + Twine(i))
                             .str());
  for (auto [i, value] : llvm::enumerate(op->getResults()))
    parameters.push_back(
        (getStorageType(cast<RankedTensorType>(value.getType()).getElementType()) + " *__restrict__ out" + Twine(i))
            .str());
  os << llvm::join(parameters, ", ") << ") {\n";
  if (StringRef(bodyText).contains("kThreads"))
    os << "  constexpr int kThreads = " << threads << ";\n";
  if (vector > 1)
    os << "  constexpr int kVector = " << vector << ";\n";
  if (StringRef(bodyText).contains("kOutputs"))
    os << "  constexpr " << indexType << " kOutputs = " << outputs << ";\n";
  if (StringRef(bodyText).contains("kReduced"))
    os << "  constexpr " << indexType << " kReduced = " << reduced << ";\n";
  SmallVector<std::string> sizes;
  for (ArrayRef<unsigned> loops : {ArrayRef<unsigned>(parallel), ArrayRef<unsigned>(reduction)})
    for (unsigned loop : loops) {
      std::string constant = "k" + StringRef(names[loop]).upper();
      if (StringRef(bodyText).contains(constant))
        sizes.push_back(constant + " = " + std::to_string(extents[loop]));
    }
  if (!sizes.empty())
    os << "  constexpr " << indexType << " " << llvm::join(sizes, ", ") << ";\n";
  os << bodyText << "}\n";
  return kernel;
}

FailureOr<GenericKernel> emitGenericKernel(linalg::GenericOp op, StringRef name, StringRef what, bool tiles,
                                           int64_t wideTiles) {
  return GenericWriter(op, name, what, tiles, wideTiles).write();
}

} // namespace kgen::kernels
