//===- GemmDispatch.cpp - Operands, sizes and epilogue of a product -------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GemmDispatch.h"

#include "kgen/Dialect/Aten/Aten.h"
#include "kgen/Dialect/KGen/Dispatch.h"
#include "kgen/Kernels/Emit/ScalarEmitter.h"

#include "llvm/Support/FormatVariadic.h"

#include <numeric>

using namespace mlir;

namespace kgen::kernels {

static int64_t product(ArrayRef<int64_t> sizes) {
  int64_t p = 1;
  for (int64_t size : sizes)
    p *= size;
  return p;
}

/// Looks through one swap of the last two dimensions; `swapped` tells whether there was one.
static Value throughTranspose(Value value, bool &swapped) {
  Operation *op = value.getDefiningOp();
  swapped = op && swapsMatrices(op);
  return swapped ? op->getOperand(0) : value;
}

/// VALUE, a matrix or a batch of them and no buffer itself, behind views of one that leave its rows' (or columns')
/// elements neighbours.
static std::optional<GemmOperand> readPlaces(Value value, bool rowsAreK) {
  SmallVector<Operation *> views;
  for (Operation *op = value.getDefiningOp(); op; op = op->getOperand(0).getDefiningOp()) {
    if (!isStridedView(op) || hasEmptyTensor(op))
      return std::nullopt;
    views.push_back(op);
  }
  std::optional<StridedView> view = throughViews(views);
  const size_t rank = view ? view->dims.size() : 0;
  if (rank < 2)
    return std::nullopt;
  const Spans &rows = view->dims[rank - 2], &columns = view->dims[rank - 1];
  if (rows.size() > 1 || columns.size() > 1)
    return std::nullopt;
  // A dimension of one element has no stride.
  auto isPacked = [](const Spans &spans) { return !spans.empty() && spans[0].stride == 1; };
  const bool swapped = isPacked(rows);
  if (!swapped && !isPacked(columns))
    return std::nullopt;
  const Spans &packed = swapped ? rows : columns, &apart = swapped ? columns : rows;
  if (!apart.empty() && apart[0].stride < packed[0].extent)
    return std::nullopt;
  Spans batches;
  for (const Spans &dim : ArrayRef(view->dims).drop_back(2))
    llvm::append_range(batches, dim);
  GemmOperand operand{DispatchBuffer::operand(cast<BlockArgument>(views.back()->getOperand(0)).getArgNumber())};
  operand.kContiguous = rowsAreK == swapped;
  operand.places = {apart.empty() ? packed[0].extent : apart[0].stride, joinSpans(batches), view->offset};
  return operand;
}

/// The buffer and layout behind VALUE, a matrix or a batch of them. `rowsAreK`: VALUE is [..., k, x], else [..., x, k].
static FailureOr<GemmOperand> readOperand(Operation *product, Value value, bool rowsAreK) {
  bool swapped;
  Value source = throughTranspose(value, swapped);
  std::optional<DispatchBuffer> buffer = findBuffer(source);
  if (!buffer) {
    if (std::optional<GemmOperand> apart = readPlaces(value, rowsAreK))
      return *apart;
    return product->emitError("family gemm reads its operands from the dispatch's inputs, directly, reshaped, with "
                              "the last two dimensions transposed or behind views that leave a matrix's rows or "
                              "columns neighbours");
  }
  GemmOperand operand{*buffer};
  // As stored, the last dimension is contiguous.
  operand.kContiguous = rowsAreK == swapped;
  return operand;
}

/// Reads a convolution of one tap: for each image, filters times pixels.
static LogicalResult readOneTap(Operation *op, Gemm &gemm) {
  auto input = cast<RankedTensorType>(op->getOperand(0).getType());
  const bool isTransposed = !isa<aten::Conv1dOp, aten::Conv2dOp, aten::Conv3dOp>(op);
  std::optional<DispatchBuffer> image = findBuffer(op->getOperand(0)), filters = findBuffer(op->getOperand(1));
  if (!image || !filters)
    return op->emitError("family gemm reads a convolution's image and filters from the dispatch's inputs, directly or "
                         "reshaped");
  if (op->getNumOperands() == 3 && !(gemm.bias = findBuffer(op->getOperand(2))))
    return op->emitError("family gemm reads the bias from the dispatch's inputs");
  gemm.m = cast<RankedTensorType>(op->getResult(0).getType()).getDimSize(1);
  gemm.n = product(input.getShape().drop_front(2));
  gemm.k = input.getDimSize(1);
  gemm.batch = input.getDimSize(0);
  // A transposed one has its filters as [channels, filters].
  gemm.a = {*filters, 1, !isTransposed || gemm.m == 1};
  gemm.b = {*image, gemm.batch, gemm.n == 1};
  return success();
}

/// The triangle that is all anybody sees of the product in GEMM; nothing where rows of several matrices are one's.
static std::optional<Triangle> readTriangle(const Gemm &gemm) {
  Value value = gemm.ops.contraction->getResult(0);
  ArrayRef<int64_t> shape = cast<RankedTensorType>(value.getType()).getShape();
  if (shape.size() < 2 || shape[shape.size() - 2] != gemm.m || shape.back() != gemm.n)
    return std::nullopt;
  while (value.hasOneUse()) {
    Operation *user = *value.getUsers().begin();
    if (auto lower = dyn_cast<aten::TrilOp>(user))
      return Triangle{true, int64_t(lower.getDiagonal())};
    if (auto upper = dyn_cast<aten::TriuOp>(user))
      return Triangle{false, int64_t(upper.getDiagonal())};
    if (!llvm::is_contained(gemm.ops.epilogue, user))
      return std::nullopt;
    value = user->getResult(0);
  }
  return std::nullopt;
}

std::string Gemm::printTriangle() const {
  if (!triangle)
    return "";
  return "constexpr bool LOWER = " + std::string(triangle->lower ? "true" : "false") +
         "; // what is kept of the result\n" + "constexpr int DIAGONAL = " + std::to_string(triangle->diagonal) +
         "; // of which the results on one side are zero, by column - row\n";
}

int64_t Gemm::rowTiles(int64_t bm) const {
  return groups ? (m + std::min(groups->count, m) * (bm - 1)) / bm : ceilDiv(m, bm);
}

/// The C type of the numbers that say where GROUPS end.
static StringRef positionOf(const RowGroups &groups) { return groups.endType.isInteger(64) ? "long long" : "int"; }

void useGroups(const Gemm &gemm, TemplateFill &fill) {
  if (!gemm.groups)
    return;
  fill.sections.insert("grouped");
  fill.replacements["groups"] = templateBody("gemm_groups.cuh").str();
  fill.replacements["group_constants"] =
      llvm::formatv("constexpr int GROUPS = {0}; // of rows, with a matrix each\nusing Position = {1};",
                    gemm.groups->count, positionOf(*gemm.groups));
}

std::string printGroupParameter(const Gemm &gemm) {
  if (!gemm.groups)
    return "";
  return (", const " + positionOf(*gemm.groups) + " *__restrict__ ends").str();
}

/// Reads what a product of groups has beside its operands.
static LogicalResult readGroups(aten::GroupedMmOp op, Gemm &gemm) {
  std::optional<DispatchBuffer> ends = findBuffer(op.getOffs());
  if (!ends)
    return op->emitError("family gemm reads the ends of groups from the dispatch's inputs");
  if (!gemm.a.kContiguous)
    return op->emitError("family gemm reads rows of groups along k, found them across");
  gemm.groups = {*ends, cast<RankedTensorType>(op.getOffs().getType()).getElementType(), gemm.b.batches};
  return success();
}

/// Makes the batches of OPERAND, of matrices of ROWS rows along k, rows of one matrix; false where one stride does not
/// say where all of them lie.
static bool joinBatches(GemmOperand &operand, int64_t rows) {
  if (!operand.places)
    return true;
  Spans all = operand.places->batches;
  all.push_back({rows, operand.places->stride});
  all = joinSpans(all);
  if (all.size() > 1)
    return false;
  if (!all.empty())
    operand.places->stride = all[0].stride;
  operand.places->batches.clear();
  return true;
}

FailureOr<Gemm> readGemm(DispatchOp dispatch) {
  FailureOr<ContractionDispatch> ops = readContraction(dispatch, /*allowWindow=*/false);
  if (failed(ops))
    return failure();
  Gemm gemm;
  gemm.ops = *ops;
  Operation *op = ops->contraction;
  const bool isConvolution = isOneTap(op);
  if (!isConvolution && !isa<aten::MmOp, aten::BmmOp, aten::MatmulOp, aten::LinearOp, aten::GroupedMmOp>(op)) {
    if (op->getName().stripDialect().starts_with("conv"))
      return op->emitError("family gemm computes convolutions of one tap without stride, padding and groups, found ")
             << op->getName();
    return op->emitError("family gemm cannot compute ") << op->getName();
  }
  Value left = op->getOperand(0), right = op->getOperand(1);
  bool linear = isa<aten::LinearOp>(op);
  auto leftType = cast<RankedTensorType>(left.getType()), rightType = cast<RankedTensorType>(right.getType());
  gemm.elementType = leftType.getElementType();
  gemm.resultType = cast<RankedTensorType>(ops->result.getType()).getElementType();
  for (Type type : {gemm.elementType, gemm.resultType})
    if (!type.isF32() && !type.isF16() && !type.isBF16())
      return op->emitError("family gemm computes on f32, f16 and bf16, found ") << type;
  if (isConvolution) {
    if (failed(readOneTap(op, gemm)))
      return failure();
    return gemm;
  }
  FailureOr<GemmOperand> a = readOperand(op, left, /*rowsAreK=*/false);
  FailureOr<GemmOperand> b = readOperand(op, right, /*rowsAreK=*/!linear);
  if (failed(a) || failed(b))
    return failure();
  gemm.a = *a;
  gemm.b = *b;

  ArrayRef<int64_t> l = leftType.getShape(), r = rightType.getShape();
  gemm.k = l.back();
  gemm.m = l.size() >= 2 ? l[l.size() - 2] : 1;
  gemm.n = r.size() == 1 ? 1 : r[r.size() - (linear ? 2 : 1)];
  ArrayRef<int64_t> leftBatch = l.size() > 2 ? l.drop_back(2) : ArrayRef<int64_t>();
  ArrayRef<int64_t> rightBatch = r.size() > 2 ? r.drop_back(2) : ArrayRef<int64_t>();
  int64_t leftCount = product(leftBatch), rightCount = product(rightBatch);
  if (rightCount == 1 && gemm.a.kContiguous && joinBatches(gemm.a, gemm.m)) {
    // Every row meets the same matrix: one tall product.
    gemm.m *= leftCount;
    leftCount = 1;
  } else if (leftCount != 1 && rightCount != 1) {
    while (!leftBatch.empty() && leftBatch.front() == 1)
      leftBatch = leftBatch.drop_front();
    while (!rightBatch.empty() && rightBatch.front() == 1)
      rightBatch = rightBatch.drop_front();
    if (leftBatch != rightBatch)
      return op->emitError("family gemm shares an operand across all batches or none, found partly broadcast batches");
  }
  auto grouped = dyn_cast<aten::GroupedMmOp>(op);
  // A single row or column is contiguous along k in either order.
  gemm.a.kContiguous |= gemm.m == 1 && !gemm.a.places;
  gemm.b.kContiguous |= gemm.n == 1 && !gemm.b.places;
  gemm.batch = grouped ? 1 : std::max(leftCount, rightCount);
  gemm.a.batches = leftCount;
  gemm.b.batches = rightCount;
  if (grouped && failed(readGroups(grouped, gemm)))
    return failure();
  if (linear && op->getNumOperands() == 3) {
    gemm.bias = findBuffer(op->getOperand(2));
    if (!gemm.bias)
      return op->emitError("family gemm reads the bias from the dispatch's inputs");
  }
  gemm.triangle = readTriangle(gemm);
  return gemm;
}

int64_t GemmOperand::alignment(int64_t length) const {
  if (!places)
    return length;
  int64_t common = std::gcd(std::gcd(length, places->stride), places->offset);
  for (Span span : places->batches)
    common = std::gcd(common, span.stride);
  return common;
}

/// The length of OPERAND's rows, as they are stored; ACROSS rows or columns along k.
static int64_t lengthOf(const Gemm &gemm, const GemmOperand &operand, int64_t across) {
  return operand.kContiguous ? gemm.k : across;
}

std::string printPlaces(const Gemm &gemm) {
  if (!liesApart(gemm))
    return "";
  std::string text;
  for (auto [name, operand, across] : {std::tuple("A", &gemm.a, gemm.m), {"B", &gemm.b, gemm.n}}) {
    const int64_t length = lengthOf(gemm, *operand, across);
    text += llvm::formatv("constexpr int {0}_STRIDE = {1}; // elements of {0}'s buffer from row to row\n"
                          "constexpr int {0}_ALIGNED = {2}; // what rows begin at multiples of\n",
                          name, operand->places ? operand->places->stride : length, operand->alignment(length));
  }
  return text;
}

void usePlaces(const Gemm &gemm, TemplateFill &fill) {
  if (!liesApart(gemm))
    return;
  fill.sections.insert("strided");
  for (auto [name, operand] : {std::pair("a", &gemm.a), {"b", &gemm.b}})
    if (operand->places)
      fill.replacements[(StringRef("place_") + name).str()] = llvm::formatv(
          "  {0} += {1};", name, printSpans("(long long)batch", operand->places->batches, operand->places->offset));
}

bool liesAcross(const Gemm &gemm, const GemmOperand &operand, int64_t across) {
  return !operand.kContiguous && across * gemm.elementType.getIntOrFloatBitWidth() % 128 == 0;
}

/// Whether registers can take OPERAND, of ACROSS rows or columns.
static bool canPass(const Gemm &gemm, const GemmOperand &operand, int64_t across, schedule::Dtype dtype) {
  if (liesAcross(gemm, operand, across))
    return true;
  return dtype == schedule::Dtype::Fp16 && operand.kContiguous && gemm.k * 32 % 128 == 0;
}

bool canPassRegisters(const Gemm &gemm, schedule::Dtype dtype) {
  return canPass(gemm, gemm.a, gemm.m, dtype) || canPass(gemm, gemm.b, gemm.n, dtype);
}

bool registersTakeRight(const Gemm &gemm, schedule::Dtype dtype) {
  if (!canPass(gemm, gemm.b, gemm.n, dtype) || !canPass(gemm, gemm.a, gemm.m, dtype))
    return canPass(gemm, gemm.b, gemm.n, dtype);
  // What a launch in front would take: to fp16 what lies across k is read twice.
  auto cost = [&](const GemmOperand &operand, int64_t across) {
    return operand.batches * across * (dtype == schedule::Dtype::Fp16 && !operand.kContiguous ? 10 : 6);
  };
  return cost(gemm.b, gemm.n) > cost(gemm.a, gemm.m);
}

Gemm transposeProduct(Gemm gemm) {
  std::swap(gemm.a, gemm.b);
  std::swap(gemm.m, gemm.n);
  return gemm;
}

void useRegisters(TemplateFill &fill, schedule::Dtype dtype) {
  const bool halves = dtype == schedule::Dtype::Fp16;
  fill.sections.insert("fragments");
  if (halves)
    fill.sections.insert("halves");
  fill.replacements["fragments"] = templateBody(halves ? "gemm_halves.cuh" : "gemm_fragments.cuh").str();
}

/// Coordinates of a convolution's result, of SHAPE: rows are channels, columns are pixels.
static SmallVector<std::string> pixelCoordinates(ArrayRef<int64_t> shape) {
  SmallVector<std::string> coordinates(shape.size());
  coordinates[0] = "batch";
  coordinates[1] = "row";
  int64_t below = 1;
  for (int64_t d = shape.size() - 1; d >= 2; --d) {
    std::string text = below == 1 ? "column" : "column / " + std::to_string(below);
    coordinates[d] = d == 2 ? text : text + " % " + std::to_string(shape[d]);
    below *= shape[d];
  }
  return coordinates;
}

/// The text behind EPILOGUE, of VALUE at COORDINATES.
static FailureOr<std::pair<Epilogue, std::string>> printEpilogue(DispatchOp dispatch, const Gemm &gemm,
                                                                 Epilogue epilogue, StringRef value,
                                                                 ArrayRef<std::string> coordinates) {
  FailureOr<std::string> call =
      appendPointwise(epilogue, (dispatch.getName() + "_pointwise").str(), "extra", gemm.ops.epilogue, gemm.ops.result,
                      gemm.ops.contraction->getResult(0), value, coordinates);
  if (failed(call))
    return failure();
  std::string text = "// One result from its sum of products.\n"
                     "__device__ __forceinline__ Out epilogue(float value, int batch, int row, int column" +
                     epilogue.parameters() + ") {\n  return static_cast<Out>(" + *call + ");\n}";
  return std::make_pair(std::move(epilogue), text);
}

FailureOr<std::pair<Epilogue, std::string>> emitGemmEpilogue(DispatchOp dispatch, const Gemm &gemm, StringRef rows) {
  Epilogue epilogue;
  std::string value = "value";
  if (gemm.bias) {
    epilogue.operands.push_back({getStorageType(gemm.elementType).str(), "bias", *gemm.bias});
    const std::string at = isOneTap(gemm.ops.contraction) ? "bias[row]" : "bias[column]";
    value = gemm.elementType.isF32() ? "value + " + at : "value + static_cast<float>(" + at + ")";
  }
  // Coordinates of the result: the last is the column where it has columns, the rest count rows.
  Value scalar = gemm.ops.contraction->getResult(0);
  auto type = cast<RankedTensorType>(scalar.getType());
  ArrayRef<int64_t> shape = type.getShape();
  if (isOneTap(gemm.ops.contraction))
    return printEpilogue(dispatch, gemm, std::move(epilogue), value, pixelCoordinates(shape));
  auto leftType = cast<RankedTensorType>(gemm.ops.contraction->getOperand(0).getType());
  auto rightType = cast<RankedTensorType>(gemm.ops.contraction->getOperand(1).getType());
  bool hasColumn = isa<aten::LinearOp>(gemm.ops.contraction) || rightType.getRank() > 1;
  bool hasRow = leftType.getRank() > 1;
  SmallVector<std::string> coordinates(shape.size());
  int64_t rest = shape.size();
  if (hasColumn)
    coordinates[--rest] = "column";
  std::string outer = gemm.batch > 1 && hasRow ? ("(batch * " + rows + " + row)").str()
                      : gemm.batch > 1         ? "batch"
                                               : "row";
  // When the batch is a dimension of its own and the only one, no division is needed.
  if (gemm.batch > 1 && hasRow && rest == 2) {
    coordinates[1] = "row";
    coordinates[0] = "batch";
  } else {
    int64_t below = 1;
    for (int64_t d = rest - 1; d >= 0; --d) {
      std::string text = below == 1 ? outer : outer + " / " + std::to_string(below);
      coordinates[d] = d == 0 ? text : text + " % " + std::to_string(shape[d]);
      below *= shape[d];
    }
  }
  return printEpilogue(dispatch, gemm, std::move(epilogue), value, coordinates);
}

std::string printProblem(StringRef name, const Gemm &gemm, Type type, StringRef multiplied,
                         std::optional<int64_t> slices) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "namespace " << name << " {\n// The problem.\n";
  os << "using In = " << getStorageType(type) << "; // element type of " << multiplied << "\n";
  os << "using Out = " << getStorageType(gemm.resultType) << "; // element type of C\n";
  if (slices)
    os << "using Stored = "
       << (*slices > 1 ? "float; // what the main kernel writes: partial sums\n"
                       : "Out; // what the main kernel writes\n");
  os << llvm::formatv("constexpr int M = {0}, N = {1}, K = {2};\n", gemm.m, gemm.n, gemm.k);
  os << "constexpr int BATCH = " << gemm.batch << ";\n";
  return text;
}

bool outgrowsCache(const Gemm &gemm) {
  constexpr int64_t kept = 64 << 20; // bytes; half of the largest one, sm_100a's
  return gemm.batch * gemm.m * gemm.n * (gemm.resultType.getIntOrFloatBitWidth() / 8) > kept;
}

} // namespace kgen::kernels
