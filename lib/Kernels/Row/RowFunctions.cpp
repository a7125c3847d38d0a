//===- RowFunctions.cpp - What the row templates call ---------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How an element of a row is read, what is gathered of it, what the elements of
// a row have in common, and what is stored.
//
//===----------------------------------------------------------------------===//

#include "RowEmitter.h"

#include "kgen/Kernels/Emit/ScalarEmitter.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace kgen::kernels {

static bool isMean(Operation *op) {
  return isa<aten::MeanOp, aten::MeanDimOp, aten::AdaptiveAvgPool1dOp, aten::AdaptiveAvgPool2dOp,
             aten::AdaptiveAvgPool3dOp>(op);
}

//===----------------------------------------------------------------------===//
// Element-wise pieces
//===----------------------------------------------------------------------===//

LogicalResult RowEmitter::makePieces() {
  FailureOr<ElementPiece> piece =
      makeElementPiece(name + "_" + "before", program.held, {}, layout.shape, {.roundsProduct = true});
  if (failed(piece))
    return failure();
  before = std::move(*piece);
  piece =
      makeElementPiece(name + "_" + "inside", program.source, {program.held}, layout.shape, {.roundsProduct = true});
  if (failed(piece))
    return failure();
  inside = std::move(*piece);
  for (auto [index, op] : llvm::enumerate(program.furtherSums)) {
    piece =
        makeElementPiece(name + "_inside" + std::to_string(index + 1), op->getOperand(0), {program.held}, layout.shape);
    if (failed(piece))
      return failure();
    insideFurther.push_back(std::move(*piece));
  }
  SmallVector<Value> folded = program.statistics();
  for (auto [index, value] : llvm::enumerate(program.rowValues)) {
    piece = makeElementPiece(name + "_" + "of_row" + std::to_string(index), value, folded, layout.shape);
    if (failed(piece))
      return failure();
    ofRow.push_back(std::move(*piece));
  }
  SmallVector<Value> pickedValues;
  for (auto [index, pick] : llvm::enumerate(program.picks)) {
    piece = makeElementPiece(name + "_picked" + std::to_string(index), pick.from, folded, layout.shape);
    if (failed(piece))
      return failure();
    picked.push_back(std::move(*piece));
    pickedValues.push_back(pick.op->getResult(0));
    ElementPiece where;
    where.root = pick.position;
    where.name = name + "_position" + std::to_string(index);
    where.identity = isa<BlockArgument>(pick.position);
    if (!where.identity) {
      FailureOr<PointwiseFunction> function =
          emitPointwiseFunction(where.name, sliceBetween(pick.position, {}), pick.position, {}, "long long");
      if (failed(function))
        return failure();
      where.function = std::move(*function);
    }
    position.push_back(std::move(where));
  }
  for (const RowOutput &output : program.outputs) {
    if (!output.perRow || program.picks.empty())
      continue;
    piece = makeElementPiece(name + "_of_row" + std::to_string(output.result), stripOrderKeeping(output.value),
                             pickedValues, layout.shape);
    if (failed(piece))
      return failure();
    ofPicks.push_back({output.result, std::move(*piece)});
  }
  SmallVector<Value> stops = {program.held, program.source};
  llvm::append_range(stops, program.normalizes ? folded : llvm::to_vector(program.rowValues));
  for (const RowOutput &output : program.outputs) {
    if (output.perRow)
      continue;
    piece = makeElementPiece(name + "_" + "behind" + std::to_string(output.result), output.value, stops, layout.shape,
                             {.approximates = schedule.approximates});
    if (failed(piece))
      return failure();
    behind.push_back({output.result, std::move(*piece)});
  }
  return success();
}

/// Coordinates of a row value's only element of `row`, in the value's own shape.
SmallVector<std::string> RowEmitter::rowCoordinates(Value value) const {
  SmallVector<std::string> all = layout.coordinates("0"), own;
  int64_t rank = shapeOf(value).size();
  bool dropped = rank < static_cast<int64_t>(layout.shape.size());
  for (auto [dim, text] : llvm::enumerate(all))
    if (!layout.isFolded(dim))
      own.push_back(text);
    else if (!dropped)
      own.push_back("0");
  while (static_cast<int64_t>(own.size()) > rank)
    own.pop_back();
  return own;
}

/// The call of PIECE's function for the element at (row, COLUMN); SCALAR spells the accN.
std::string RowEmitter::call(const ElementPiece &piece, llvm::function_ref<std::string(Value)> scalar,
                             StringRef column) {
  return callElementPiece(piece, scalar,
                          llvm::is_contained(program.rowValues, piece.root) ? rowCoordinates(piece.root)
                                                                            : layout.coordinates(column));
}

//===----------------------------------------------------------------------===//
// The functions that the templates call
//===----------------------------------------------------------------------===//

std::string RowEmitter::statisticHelpers() {
  std::string text;
  if (program.statistic == RowStatistic::Softmax)
    text += llvm::formatv("\n__device__ __forceinline__ float exponential(float x) {{ return {0}(x); }\n",
                          schedule.fastMath ? "__expf" : "expf");
  Operation *op = program.statisticOp;
  if (program.statistic == RowStatistic::Sum) {
    for (auto [index, sum] : llvm::enumerate(program.statisticOps())) {
      StringRef term = "x";
      if (auto norm = dyn_cast<aten::LinalgVectorNormOp>(sum))
        term = norm.getOrd() == 1 ? "fabsf(x)" : "x * x";
      text += llvm::formatv("\n/// What the sum adds for an element.\n"
                            "__device__ __forceinline__ float term{1}(float x) {{ return {0}; }\n",
                            term, program.furtherSums.empty() ? "" : std::to_string(index));
    }
  }
  if (program.statistic == RowStatistic::Extreme) {
    bool smallest = isa<aten::MinOp, aten::AminOp, aten::MinDimOp, aten::ArgminOp>(op);
    if (auto norm = dyn_cast<aten::LinalgVectorNormOp>(op))
      smallest = norm.getOrd() < 0;
    text += llvm::formatv("\n__device__ __forceinline__ bool better(float a, float b) {{ return a {0} b; }\n"
                          "__device__ __forceinline__ float worst() {{ return {1}__int_as_float(0x7f800000); }\n",
                          smallest ? "<" : ">", smallest ? "" : "-");
  }
  return text;
}

std::string RowEmitter::offsetFunction() {
  std::string text = std::string("\n__device__ __forceinline__ long long offset_of(long long row, int column) {\n") +
                     (layout.inner == 1 ? "  return row * kColumns + column;\n}\n"
                                        : "  return (row / kInner * kColumns + column) * kInner + row % kInner;\n}\n");
  for (BlockArgument input : block->getArguments())
    if (const RowPlace *place = program.placeOf(input))
      text += llvm::formatv("\n/// The same in {0}, whose rows lie apart.\n"
                            "__device__ __forceinline__ long long offset_of_{0}(long long row, int column) {{\n"
                            "  return {1} + column;\n}\n",
                            inputName(input), printSpans("row", place->rows, place->base));
  return text;
}

std::string RowEmitter::offsetOf(Value input) const {
  return program.placeOf(input) ? "offset_of_" + inputName(input) + "(row, column)" : "offset";
}

std::string RowEmitter::loadPacksOfRow(ArrayRef<Value> packs) const {
  bool plain = llvm::any_of(packs, [&](Value value) { return !program.placeOf(value); });
  std::string text = plain ? "  const long long offset = offset_of(row, column);\n" : "";
  for (Value value : packs)
    text += loadPacks(value, offsetOf(value));
  return text;
}

std::string RowEmitter::loadFunctions() {
  std::string text;
  auto ofLane = [&](Value value) { return toFloat(inputName(value) + ".lane[lane]", elementTypeOf(value)); };
  SmallVector<Value> packs = packsOf({&before}, {}, layout.shape);
  std::string assign = "#pragma unroll\n  for (int lane = 0; lane < kVector; ++lane)\n    value[lane] = " +
                       call(before, ofLane, "column + lane") + ";\n}\n";
  if (!holdsPacks()) {
    text += "\n/// Elements [column, column + kVector) of a row";
    text += before.identity ? ".\n" : ", after the ops fused in front.\n";
    text += "__device__ __forceinline__ void load(const Operands &operands, long long row, int column,\n"
            "                                     float (&value)[kVector]) {\n";
    return text + loadPacksOfRow(packs) + assign;
  }
  Value first = packs.front();
  std::string type = getStorageType(elementTypeOf(first)).str(), input = inputName(first);
  text += llvm::formatv(
      "\n/// What stays on chip of an element.\nusing Held = Pack<{0}>;\n"
      "__device__ __forceinline__ const {0} *held_address(const Operands &operands, long long row, int column) {{\n"
      "  return operands.{1} + offset_of(row, column);\n}\n"
      "__device__ __forceinline__ Held load_held(const Operands &operands, long long row, int column) {{\n"
      "  return load_pack(held_address(operands, row, column));\n}\n"
      "\n/// The values of a pack{2}.\n"
      "__device__ __forceinline__ void widen(const Held &{1}, const Operands &operands, long long row, int column,\n"
      "                                      float (&value)[kVector]) {{\n",
      type, input, before.identity ? "" : ", after the ops fused in front");
  return text + loadPacksOfRow(ArrayRef<Value>(packs).drop_front()) + assign;
}

/// The body of observe() where several sums are taken of the rows.
std::string RowEmitter::observeSums() {
  SmallVector<const ElementPiece *> pieces = {&inside};
  for (const ElementPiece &piece : insideFurther)
    pieces.push_back(&piece);
  auto scalar = [&](Value value) {
    return value == program.held ? std::string("value[lane]")
                                 : toFloat(inputName(value) + ".lane[lane]", elementTypeOf(value));
  };
  std::string text;
  text += loadPacksOfRow(packsOf(pieces, {program.held}, layout.shape));
  text += "  float sum[kSums] = {}; // of the pack first: shorter chains of additions lose fewer digits\n"
          "#pragma unroll\n  for (int lane = 0; lane < kVector; ++lane) {\n";
  for (auto [index, piece] : llvm::enumerate(pieces))
    text += llvm::formatv("    sum[{0}] += term{0}({1});\n", index, call(*piece, scalar, "column + lane"));
  return text + "  }\n#pragma unroll\n  for (int i = 0; i < kSums; ++i)\n    accumulator.sum[i] += sum[i];\n";
}

std::string RowEmitter::observeFunction() {
  std::string text = "\n/// Adds elements to what the thread has gathered.\n"
                     "__device__ __forceinline__ void observe(Accumulator &accumulator, const Operands &operands, "
                     "long long row, int column,\n"
                     "                                        const float (&value)[kVector]) {\n";
  if (!program.furtherSums.empty())
    return text + observeSums() + "}\n";
  auto norm = dyn_cast<aten::LinalgVectorNormOp>(program.statisticOp);
  bool absolute = norm && program.statistic == RowStatistic::Extreme;
  SmallVector<Value> packs = packsOf({&inside}, {program.held}, layout.shape);
  auto scalar = [&](Value value) {
    return value == program.held ? std::string("value[lane]")
                                 : toFloat(inputName(value) + ".lane[lane]", elementTypeOf(value));
  };
  if (inside.identity && !absolute)
    return text + "  accumulate(accumulator, value, column);\n}\n";
  std::string expression = call(inside, scalar, "column + lane");
  if (absolute)
    expression = "fabsf(" + expression + ")";
  text += loadPacksOfRow(packs);
  return text +
         "  float term_of[kVector];\n#pragma unroll\n  for (int lane = 0; lane < kVector; ++lane)\n"
         "    term_of[lane] = " +
         expression + ";\n  accumulate(accumulator, term_of, column);\n}\n";
}

/// What OP, a sum, gives where its terms make SUM.
std::string RowEmitter::foldedValue(Operation *op, StringRef sum) const {
  if (auto norm = dyn_cast<aten::LinalgVectorNormOp>(op); norm && norm.getOrd() == 2)
    return ("sqrtf(" + sum + ")").str();
  return isMean(op) ? (sum + " / static_cast<float>(kColumns)").str() : sum.str();
}

std::string RowEmitter::finishFunction() {
  Operation *op = program.statisticOp;
  std::string members, body;
  if (isLogSoftmax() && (program.normalizes || !program.picks.empty())) {
    // Two numbers: beside a large maximum their sum would lose the logarithm.
    members = "  float maximum, logarithm_of_sum;\n";
    body = "  return {state.maximum, logf(state.sum)};\n";
  } else if (program.normalizes && program.statistic == RowStatistic::Softmax) {
    members = "  float maximum, scale;\n";
    body = "  return {state.maximum, 1.0f / state.sum};\n";
  } else if (program.normalizes) {
    double eps = 0;
    llvm::TypeSwitch<Operation *>(op).Case<aten::LayerNormOp, aten::GroupNormOp, aten::InstanceNormOp>(
        [&](auto norm) { eps = norm.getEps(); });
    CudaHelpers helpers;
    std::string epsilon = printLiteral(FloatAttr::get(Float32Type::get(op->getContext()), eps), helpers);
    members = "  float mean, scale;\n";
    body = "  const float variance = state.deviation / static_cast<float>(kColumns);\n"
           "  return {state.mean, 1.0f / sqrtf(variance + " +
           epsilon + ")};\n";
  } else {
    // `folded` and `position` are the op's results.
    std::string folded = "state.value";
    if (program.statistic == RowStatistic::Softmax)
      folded = "state.maximum + logf(state.sum)";
    else if (program.statistic == RowStatistic::Sum)
      folded = foldedValue(op, "state.sum");
    else if (auto variance = dyn_cast<aten::VarCorrectionOp>(op))
      folded = llvm::formatv("state.deviation / static_cast<float>({0:f1})",
                             std::max(double(program.layout.columns) - variance.getCorrection(), 0.0));
    bool usesFolded = false;
    std::string stores;
    for (auto [index, piece] : llvm::enumerate(ofRow)) {
      bool integer = isa<IntegerType>(elementTypeOf(piece.root));
      members += llvm::formatv("  {0} value{1};\n", integer ? "long long" : "float", index);
      usesFolded |= !integer;
      auto scalar = [&](Value value) {
        if (auto sum = llvm::find(program.furtherSums, value.getDefiningOp()); sum != program.furtherSums.end())
          return "folded" + std::to_string(sum - program.furtherSums.begin() + 1);
        if (llvm::is_contained(program.means, value.getDefiningOp()))
          return std::string("state.mean");
        if (value.getDefiningOp() == op)
          return isa<IntegerType>(elementTypeOf(value)) ? std::string("state.index") : std::string("folded");
        return std::string("0");
      };
      stores += llvm::formatv("  of_row.value{0} = {1};\n", index, call(piece, scalar, "0"));
    }
    if (!program.furtherSums.empty()) {
      folded = foldedValue(op, "state.sum[0]");
      for (auto [index, sum] : llvm::enumerate(program.furtherSums)) {
        std::string number = std::to_string(index + 1);
        body += "  const float folded" + number + " = " + foldedValue(sum, "state.sum[" + number + "]") + ";\n";
      }
    }
    if (usesFolded)
      body += "  const float folded = " + folded + ";\n";
    body += "  RowValue of_row;\n" + stores + "  return of_row;\n";
  }
  return "\n/// What the elements of a row have in common.\nstruct RowValue {\n" + members +
         "};\n\n"
         "__device__ __forceinline__ RowValue finish(const Operands &operands, long long row, const State &state) {\n" +
         body + "}\n";
}

/// Coordinates in the shape of VALUE, which has one element for each row, of that of `row`.
static SmallVector<std::string> ofRowNumber(Value value) { return packCoordinates(shapeOf(value), 1, "row"); }

std::string RowEmitter::pickFunctions() {
  std::string text;
  for (auto [index, pick] : llvm::enumerate(program.picks)) {
    const ElementPiece &where = position[index];
    std::string named = where.identity ? "operands." + inputName(where.root) + "[row]"
                                       : callElementPiece(where, nullptr, ofRowNumber(where.root));
    auto atOffset = [&](Value value) {
      return toFloat("operands." + inputName(value) + "[" + offsetOf(value) + "]", elementTypeOf(value));
    };
    auto scalar = [&](Value value) {
      return value.getDefiningOp() == program.statisticOp ? std::string("normal") : atOffset(value);
    };
    text += llvm::formatv(
        "\n/// What a gather takes of a row. A position outside is taken to the nearest one inside.\n"
        "__device__ __forceinline__ float pick{0}(const Operands &operands, long long row, const RowValue &of_row) {{\n"
        "  const long long named = {1};\n"
        "  const int column = static_cast<int>(named < 0 ? 0 : named < kColumns ? named : kColumns - 1);\n"
        "  const long long offset = offset_of(row, column);\n"
        "  const float value = {2};\n"
        "  const float normal = {3};\n"
        "  return {4};\n}\n",
        index, named, call(before, atOffset, "column"),
        isLogSoftmax() ? "(value - of_row.maximum) - of_row.logarithm_of_sum"
                       : "exponential(value - of_row.maximum) * of_row.scale",
        call(picked[index], scalar, "column"));
  }
  return text;
}

std::string RowEmitter::storeRowFunction() {
  if (!storesRows())
    return "";
  if (!program.picks.empty()) {
    std::string text = pickFunctions() + "\n__device__ __forceinline__ void store_row(const Operands &operands, long "
                                         "long row, const RowValue &of_row) {\n";
    for (size_t i = 0; i < program.picks.size(); ++i)
      text += llvm::formatv("  const float taken{0} = pick{0}(operands, row, of_row);\n", i);
    for (auto &[result, piece] : ofPicks) {
      auto scalar = [&](Value value) {
        auto pick = llvm::find_if(program.picks, [&](const RowPick &p) { return p.op == value.getDefiningOp(); });
        return "taken" + std::to_string(pick - program.picks.begin());
      };
      text +=
          llvm::formatv("  operands.out{0}[row] = {1};\n", result,
                        fromFloat(callElementPiece(piece, scalar, ofRowNumber(piece.root)), elementTypeOf(piece.root)));
    }
    return text + "}\n";
  }
  std::string text =
      "\n__device__ __forceinline__ void store_row(const Operands &operands, long long row, const RowValue "
      "&of_row) {\n";
  for (const RowOutput &output : program.outputs)
    if (output.perRow)
      text += llvm::formatv("  operands.out{0}[row] = {1};\n", output.result,
                            fromFloat(rowValueMember(output.value), elementTypeOf(output.value)));
  return text + "}\n";
}

std::string RowEmitter::storeFunctions() {
  if (!storesElements())
    return "";
  std::string text;

  Operation *op = program.statisticOp;
  std::string columnLoads, laneLoads, normal, columnMembers;
  SmallVector<std::string> columnInits;
  if (program.statistic == RowStatistic::Softmax)
    normal = schedule.twoPass ? "value[lane] * of_row.scale" // the exponential is held
             : isLogSoftmax() ? "(value[lane] - of_row.maximum) - of_row.logarithm_of_sum"
                              : "exponential(value[lane] - of_row.maximum) * of_row.scale";
  else
    normal = "(value[lane] - of_row.mean) * of_row.scale";
  auto affine = [&](Value vector, StringRef word, StringRef sign) {
    if (!vector)
      return;
    Type type = elementTypeOf(vector);
    std::string input = inputName(vector);
    if (isa<aten::LayerNormOp>(op)) {
      std::string pack = word.str();
      if (schedule.peeled) { // a pack's columns begin anywhere
        normal += (sign + toFloat("operands." + input + "[column + lane]", type)).str();
        return;
      }
      if (sharesColumnValues()) {
        columnMembers += llvm::formatv("  Pack<{0}> {1};\n", getStorageType(type), word);
        columnInits.push_back((isRing() ? "load_kept(operands." : "load_pack(operands.") + input + " + column)");
        pack = "of_column." + pack;
      } else {
        columnLoads += llvm::formatv("  const Pack<{0}> {1} = load_pack(operands.{2} + column);\n",
                                     getStorageType(type), word, input);
      }
      normal += (sign + toFloat(pack + ".lane[lane]", type)).str();
      return;
    }
    // One channel for the whole pack, unless a pack may straddle two.
    int64_t spatial = 1;
    for (int64_t extent : ArrayRef<int64_t>(layout.shape).drop_front(2))
      spatial *= extent;
    bool wholePack = spatial % schedule.vector == 0;
    std::string channel = layout.coordinates(wholePack ? "column" : "column + lane")[1];
    std::string load =
        llvm::formatv("const float {0} = {1};\n", word, toFloat("operands." + input + "[" + channel + "]", type));
    (wholePack ? columnLoads : laneLoads) += (wholePack ? "  " : "    ") + load;
    normal += (sign + word).str();
  };
  llvm::TypeSwitch<Operation *>(op).Case<aten::LayerNormOp, aten::GroupNormOp, aten::InstanceNormOp>([&](auto norm) {
    affine(norm.getWeight(), "weight", " * ");
    affine(norm.getBias(), "bias", " + ");
  });

  SmallVector<const ElementPiece *> pieces;
  for (auto &[result, piece] : behind)
    pieces.push_back(&piece);
  SmallVector<Value> packs = packsOf(pieces, {program.held, program.source}, layout.shape);
  if (!columnInits.empty())
    text += "\n/// What the elements of a column have in common.\nstruct ColumnValues {\n" + columnMembers +
            "};\n\n"
            "__device__ __forceinline__ ColumnValues load_columns(const Operands &operands, int column) {\n"
            "  return {" +
            llvm::join(columnInits, ", ") + "};\n}\n";
  text += "\n/// Writes the results of elements [column, column + kVector) of a row.\n"
          "__device__ __forceinline__ void store(const Operands &operands, long long row, int column,\n"
          "                                      const float (&value)[kVector], const RowValue &of_row";
  text += columnInits.empty() ? ") {\n" : ",\n                                      const ColumnValues &of_column) {\n";
  text += "  const long long offset = offset_of(row, column);\n";
  for (Value value : packs)
    text += loadPacks(value, offsetOf(value));
  text += columnLoads;
  for (auto &[result, piece] : behind)
    text += llvm::formatv("  Pack<{0}> out{1};\n", getStorageType(elementTypeOf(piece.root)), result);
  text += "#pragma unroll\n  for (int lane = 0; lane < kVector; ++lane) {\n" + laneLoads;
  if (program.normalizes)
    text += "    const float normal = " + normal + ";\n";
  for (auto &[result, piece] : behind) {
    auto scalar = [&](Value value) -> std::string {
      if (value.getDefiningOp() == op && program.normalizes)
        return "normal";
      if (program.rowValues.contains(value))
        return rowValueMember(value);
      if (value == program.held)
        return "value[lane]";
      if (value == program.source) // held is the input before it: compute again
        return call(inside, [&](Value) { return std::string("value[lane]"); }, "column + lane");
      return toFloat(inputName(value) + ".lane[lane]", elementTypeOf(value));
    };
    text += llvm::formatv("    out{0}.lane[lane] = {1};\n", result,
                          fromFloat(call(piece, scalar, "column + lane"), elementTypeOf(piece.root)));
  }
  text += "  }\n";
  for (auto &[result, piece] : behind)
    text += llvm::formatv("  store_pack(operands.out{0} + offset, out{0});\n", result);
  return text + "}\n";
}

} // namespace kgen::kernels
