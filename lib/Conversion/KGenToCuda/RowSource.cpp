//===- RowSource.cpp - The CUDA-C of a row dispatch -----------------------===//
//
// The kernels are templates/row_*.cuh. This file writes what they call: how an
// element is read, what is gathered, and what is stored.
//
//===----------------------------------------------------------------------===//

#include "RowSource.h"

#include "ConditionalText.h"

#include "kgen/Conversion/KGenToCuda/CudaTemplate.h"
#include "kgen/Conversion/KGenToCuda/PointwiseFunction.h"
#include "kgen/Conversion/KGenToCuda/ScalarEmitter.h"
#include "kgen/Dialect/Aten/Aten.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace kgen {

int64_t widestPackedElement(DispatchOp dispatch, const RowProgram &program) {
  int64_t bytes = 1;
  auto visit = [&](Value value) {
    if (isPacked(value, program.layout.shape))
      bytes = std::max<int64_t>(bytes, elementTypeOf(value).getIntOrFloatBitWidth() / 8);
  };
  for (Value argument : dispatch.getBody().front().getArguments())
    visit(argument);
  for (const RowOutput &output : program.outputs)
    visit(output.value);
  return bytes;
}

StreamPacks streamPacks(const RowProgram &program, const RowSchedule &schedule, const Chip &chip) {
  constexpr int64_t kPackBytes = 16;
  // What the kernel's static shared memory (two scratch arrays of at most 12-byte states) leaves.
  int64_t available = chip.sharedBytesPerBlock - 2 * (schedule.threads() / 32) * 12 - 1024;
  int64_t packs = llvm::divideCeil(program.layout.columns, schedule.threads() * schedule.vector);
  int64_t shared = std::min(packs, available / (schedule.threads() * kPackBytes));
  return {shared, packs - shared};
}

namespace {

/// Packs that a thread adds up in one chain: longer chains of fp32 additions lose digits.
constexpr int64_t kPacksOfSegment = 128;

bool isMean(Operation *op) {
  return isa<aten::MeanOp, aten::MeanDimOp, aten::AdaptiveAvgPool1dOp, aten::AdaptiveAvgPool2dOp,
             aten::AdaptiveAvgPool3dOp>(op);
}

class RowEmitter {
public:
  RowEmitter(DispatchOp dispatch, const RowProgram &program, const RowSchedule &schedule, const Chip &chip)
      : dispatch(dispatch), program(program), schedule(schedule), chip(chip), layout(program.layout),
        name(dispatch.getName().str()), block(&dispatch.getBody().front()) {}

  FailureOr<DispatchCode> emit();

private:
  LogicalResult makePieces();
  std::string call(const ElementPiece &piece, llvm::function_ref<std::string(Value)> scalar, StringRef column);
  SmallVector<std::string> rowCoordinates(Value value) const;

  std::string constants();
  std::string statisticHelpers();
  std::string loadFunctions();
  std::string observeFunction();
  std::string finishFunction();
  std::string storeFunctions();
  std::string comment();
  std::string part(StringRef file);
  DispatchCode launches();

  bool isLogSoftmax() const { return isa<aten::LogSoftmaxIntOp>(program.statisticOp); }
  bool storesRows() const {
    return llvm::any_of(program.outputs, [](const RowOutput &output) { return output.perRow; });
  }
  bool storesElements() const {
    return llvm::any_of(program.outputs, [](const RowOutput &output) { return !output.perRow; });
  }
  /// Whether a block of row_split.cuh reads weights and biases once for all its rows.
  bool sharesColumnValues() const {
    auto norm = dyn_cast<aten::LayerNormOp>(program.statisticOp);
    return norm && schedule.splitRows > 1 && (norm.getWeight() || norm.getBias());
  }
  bool isHybrid() const { return schedule.resident == RowSchedule::Resident::Hybrid; }
  int64_t packs() const { return llvm::divideCeil(layout.columns, schedule.threadsPerRow * schedule.vector); }
  int64_t chunkColumns() const {
    int64_t step = schedule.threads() * schedule.vector;
    return llvm::divideCeil(llvm::divideCeil(layout.columns, schedule.splitRows), step) * step;
  }
  int64_t chunks() const { return llvm::divideCeil(layout.columns, chunkColumns()); }
  std::string rowValueMember(Value value) const {
    return "of_row.value" +
           std::to_string(std::distance(program.rowValues.begin(), llvm::find(program.rowValues, value)));
  }

  DispatchOp dispatch;
  const RowProgram &program;
  const RowSchedule &schedule;
  const Chip &chip;
  const RowLayout &layout;
  std::string name;
  Block *block;

  ElementPiece before, inside;
  SmallVector<ElementPiece> ofRow;                       ///< one for each of program.rowValues
  SmallVector<std::pair<unsigned, ElementPiece>> behind; ///< result number and piece
};

} // namespace

//===----------------------------------------------------------------------===//
// Element-wise pieces
//===----------------------------------------------------------------------===//

LogicalResult RowEmitter::makePieces() {
  FailureOr<ElementPiece> piece = makeElementPiece(name + "_" + "before", program.held, {}, layout.shape);
  if (failed(piece))
    return failure();
  before = std::move(*piece);
  piece = makeElementPiece(name + "_" + "inside", program.source, {program.held}, layout.shape);
  if (failed(piece))
    return failure();
  inside = std::move(*piece);
  SmallVector<Value> folded = llvm::to_vector_of<Value>(program.statisticOp->getResults());
  for (auto [index, value] : llvm::enumerate(program.rowValues)) {
    piece = makeElementPiece(name + "_" + "of_row" + std::to_string(index), value, folded, layout.shape);
    if (failed(piece))
      return failure();
    ofRow.push_back(std::move(*piece));
  }
  SmallVector<Value> stops = {program.held, program.source};
  llvm::append_range(stops, program.normalizes ? folded : llvm::to_vector(program.rowValues));
  for (const RowOutput &output : program.outputs) {
    if (output.perRow)
      continue;
    piece = makeElementPiece(name + "_" + "behind" + std::to_string(output.result), output.value, stops, layout.shape);
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

std::string RowEmitter::constants() {
  std::string text;
  auto constant = [&](StringRef type, StringRef constantName, int64_t value) {
    text += llvm::formatv("constexpr {0} {1} = {2};\n", type, constantName, value);
  };
  auto derived = [&](StringRef constantName, StringRef value) {
    text += llvm::formatv("constexpr int {0} = {1};\n", constantName, value);
  };
  if (isHybrid() || schedule.splitRows > 1 || layout.rows % schedule.rowsPerBlock != 0)
    constant("long long", "kRows", layout.rows);
  constant("int", "kColumns", layout.columns);
  if (layout.inner != 1)
    text += llvm::formatv("constexpr int kInner = {0}; // elements between neighbours of a row\n", layout.inner);
  constant("int", "kVector", schedule.vector);
  if (schedule.splitRows > 1 || (layout.inner == 1 && schedule.threadsPerRow > 32))
    constant("int", "kWarp", 32);
  if (schedule.splitRows > 1) {
    constant("int", "kThreads", schedule.threads());
    constant("int", "kMinBlocks", schedule.minBlocks);
    derived("kWarpsPerRow", "kThreads / kWarp");
    constant("int", "kUnroll", schedule.unroll);
    text += llvm::formatv("constexpr int kChunkColumns = {0}; // of one block in step 1\n", chunkColumns());
    constant("int", "kChunks", chunks());
    text += llvm::formatv("constexpr int kRowGroup = {0}; // rows of one block in step 2\n", schedule.rowsPerBlock);
    if (storesElements()) {
      constant("int", "kRowUnroll", std::min<int64_t>(4, schedule.rowsPerBlock));
      text += "constexpr bool kFullSteps = kRows % kRowGroup == 0 && kRowGroup % kRowUnroll == 0;\n";
      derived("kTiles", "(kColumns + kThreads * kVector - 1) / (kThreads * kVector)");
      text += "constexpr bool kRagged = kColumns % (kThreads * kVector) != 0; // the last tile is not full\n";
    }
    return text;
  }
  constant("int", "kThreadsPerRow", schedule.threadsPerRow);
  if (!isHybrid())
    constant("int", "kRowsPerBlock", schedule.rowsPerBlock);
  derived("kThreads", isHybrid() ? "kThreadsPerRow" : "kThreadsPerRow * kRowsPerBlock");
  if (!isHybrid())
    constant("int", "kMinBlocks", schedule.minBlocks);
  if (layout.inner != 1 && schedule.threadsPerRow > 1)
    derived("kScratchStates", "kThreads");
  else if (schedule.threadsPerRow > 32) {
    derived("kWarpsPerRow", "kThreadsPerRow / kWarp");
    if (!isHybrid())
      derived("kScratchStates", "kThreads / kWarp");
  }
  if (storesElements() || schedule.resident != RowSchedule::Resident::None)
    text += "constexpr bool kRagged = kColumns % (kThreadsPerRow * kVector) != 0; // the last step is not full\n";
  switch (schedule.resident) {
  case RowSchedule::Resident::None:
    constant("int", "kUnroll", schedule.unroll);
    if (packs() > kPacksOfSegment)
      constant("int", "kSegmentSteps", kPacksOfSegment);
    break;
  case RowSchedule::Resident::Registers:
    text += llvm::formatv("constexpr int kPacks = {0}; // of one thread\n", packs());
    break;
  case RowSchedule::Resident::Hybrid: {
    StreamPacks split = streamPacks(program, schedule, chip);
    text += llvm::formatv("constexpr int kSharedPacks = {0}; // of one thread, in shared memory\n", split.shared);
    if (split.registers)
      text += llvm::formatv("constexpr int kRegisterPacks = {0}; // and in registers\n", split.registers);
    break;
  }
  }
  return text;
}

std::string RowEmitter::statisticHelpers() {
  std::string text;
  if (program.statistic == RowStatistic::Softmax)
    text += llvm::formatv("\n__device__ __forceinline__ float exponential(float x) {{ return {0}(x); }\n",
                          schedule.fastMath ? "__expf" : "expf");
  Operation *op = program.statisticOp;
  if (program.statistic == RowStatistic::Sum) {
    StringRef term = "x";
    if (auto norm = dyn_cast<aten::LinalgVectorNormOp>(op))
      term = norm.getOrd() == 1 ? "fabsf(x)" : "x * x";
    text += llvm::formatv("\n/// What the sum adds for an element.\n"
                          "__device__ __forceinline__ float term(float x) {{ return {0}; }\n",
                          term);
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

std::string RowEmitter::loadFunctions() {
  std::string text = "\n__device__ __forceinline__ long long offset_of(long long row, int column) {\n";
  text += layout.inner == 1 ? "  return row * kColumns + column;\n}\n"
                            : "  return (row / kInner * kColumns + column) * kInner + row % kInner;\n}\n";
  auto ofLane = [&](Value value) { return toFloat(inputName(value) + ".lane[lane]", elementTypeOf(value)); };
  SmallVector<Value> packs = packsOf({&before}, {}, layout.shape);
  std::string assign = "#pragma unroll\n  for (int lane = 0; lane < kVector; ++lane)\n    value[lane] = " +
                       call(before, ofLane, "column + lane") + ";\n}\n";
  if (!isHybrid()) {
    text += "\n/// Elements [column, column + kVector) of a row";
    text += before.identity ? ".\n" : ", after the ops fused in front.\n";
    text += "__device__ __forceinline__ void load(const Operands &operands, long long row, int column,\n"
            "                                     float (&value)[kVector]) {\n";
    if (!packs.empty())
      text += "  const long long offset = offset_of(row, column);\n" + loadPacks(packs, "offset");
    return text + assign;
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
  if (packs.size() > 1)
    text += "  const long long offset = offset_of(row, column);\n" +
            loadPacks(ArrayRef<Value>(packs).drop_front(), "offset");
  return text + assign;
}

std::string RowEmitter::observeFunction() {
  std::string text = "\n/// Adds elements to what the thread has gathered.\n"
                     "__device__ __forceinline__ void observe(Accumulator &accumulator, const Operands &operands, "
                     "long long row, int column,\n"
                     "                                        const float (&value)[kVector]) {\n";
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
  if (!packs.empty())
    text += "  const long long offset = offset_of(row, column);\n" + loadPacks(packs, "offset");
  return text +
         "  float term_of[kVector];\n#pragma unroll\n  for (int lane = 0; lane < kVector; ++lane)\n"
         "    term_of[lane] = " +
         expression + ";\n  accumulate(accumulator, term_of, column);\n}\n";
}

std::string RowEmitter::finishFunction() {
  Operation *op = program.statisticOp;
  std::string members, body;
  if (program.normalizes && isLogSoftmax()) {
    members = "  float logarithm; // of the sum of exponentials\n";
    body = "  return {state.maximum + logf(state.sum)};\n";
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
      folded = isMean(op) ? "state.sum / static_cast<float>(kColumns)" : "state.sum";
    if (auto norm = dyn_cast<aten::LinalgVectorNormOp>(op);
        norm && program.statistic == RowStatistic::Sum && norm.getOrd() == 2)
      folded = "sqrtf(state.sum)";
    bool usesFolded = false;
    std::string stores;
    for (auto [index, piece] : llvm::enumerate(ofRow)) {
      bool integer = isa<IntegerType>(elementTypeOf(piece.root));
      members += llvm::formatv("  {0} value{1};\n", integer ? "long long" : "float", index);
      usesFolded |= !integer;
      auto scalar = [&](Value value) {
        if (value.getDefiningOp() == op)
          return isa<IntegerType>(elementTypeOf(value)) ? std::string("state.index") : std::string("folded");
        return std::string("0");
      };
      stores += llvm::formatv("  of_row.value{0} = {1};\n", index, call(piece, scalar, "0"));
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

std::string RowEmitter::storeFunctions() {
  std::string text;
  if (storesRows()) {
    text += "\n__device__ __forceinline__ void store_row(const Operands &operands, long long row, const RowValue "
            "&of_row) {\n";
    for (const RowOutput &output : program.outputs)
      if (output.perRow)
        text += llvm::formatv("  operands.out{0}[row] = {1};\n", output.result,
                              fromFloat(rowValueMember(output.value), elementTypeOf(output.value)));
    text += "}\n";
  }
  if (!storesElements())
    return text;

  Operation *op = program.statisticOp;
  std::string columnLoads, laneLoads, normal, columnMembers;
  SmallVector<std::string> columnInits;
  if (program.statistic == RowStatistic::Softmax)
    normal =
        isLogSoftmax() ? "value[lane] - of_row.logarithm" : "exponential(value[lane] - of_row.maximum) * of_row.scale";
  else
    normal = "(value[lane] - of_row.mean) * of_row.scale";
  auto affine = [&](Value vector, StringRef word, StringRef sign) {
    if (!vector)
      return;
    Type type = elementTypeOf(vector);
    std::string input = inputName(vector);
    if (isa<aten::LayerNormOp>(op)) {
      std::string pack = word.str();
      if (sharesColumnValues()) {
        columnMembers += llvm::formatv("  Pack<{0}> {1};\n", getStorageType(type), word);
        columnInits.push_back("load_pack(operands." + input + " + column)");
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
  text += loadPacks(packs, "offset") + columnLoads;
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

//===----------------------------------------------------------------------===//
// The translation unit
//===----------------------------------------------------------------------===//

std::string RowEmitter::comment() {
  std::string shape =
      llvm::join(llvm::map_range(layout.shape, [](int64_t extent) { return std::to_string(extent); }), "x");
  return llvm::formatv("// {0}: {1} over {2} rows of {3} elements, {4}.\n", name,
                       program.statisticOp->getName().getStringRef(), layout.rows, layout.columns, shape);
}

std::string RowEmitter::part(StringRef file) {
  llvm::StringSet<> truths;
  switch (program.statistic) {
  case RowStatistic::Softmax:
    truths.insert("STATE_SOFTMAX");
    break;
  case RowStatistic::Moments:
    truths.insert("STATE_MOMENTS");
    break;
  case RowStatistic::Sum:
    truths.insert("STATE_SUM");
    break;
  case RowStatistic::Extreme:
    truths.insert("STATE_EXTREME");
    break;
  }
  auto hold = [&](StringRef condition, bool holds) {
    if (holds)
      truths.insert(condition);
  };
  bool across = layout.inner != 1 && schedule.threadsPerRow > 1;
  // row_split.cuh has one kernel for any number of warps, also for one.
  bool many = !across && (schedule.threadsPerRow > 32 || schedule.splitRows > 1);
  hold("ONE_THREAD", schedule.threadsPerRow == 1);
  hold("ONE_WARP", !across && !many && schedule.threadsPerRow > 1);
  hold("MANY_WARPS", many);
  hold("ACROSS_WARPS", across);
  hold("NEEDS_SCRATCH", many || across);
  hold("STREAMING", schedule.streaming);
  hold("STORES_ROWS", storesRows());
  hold("STORES_ELEMENTS", storesElements());
  hold("GUARD_ROWS", layout.rows % schedule.rowsPerBlock != 0);
  hold("GUARD_CHUNKS", schedule.splitRows > 1 && layout.columns % chunkColumns() != 0);
  hold("HAS_COLUMN_VALUES", sharesColumnValues());
  hold("SEGMENTED", schedule.resident == RowSchedule::Resident::None && packs() > kPacksOfSegment);
  hold("HAS_REGISTER_PACKS", isHybrid() && streamPacks(program, schedule, chip).registers > 0);

  TemplateFill fill;
  fill.name = name;
  std::string partial = kernelParameters(dispatch, false, "float *__restrict__ partials");
  std::string finish = kernelParameters(dispatch, true, "const float *__restrict__ partials");
  fill.replacements["rows_signature"] = "    " + name + "_rows(" + kernelParameters(dispatch, true) + ") {\n";
  fill.replacements["partial_signature"] = "    " + name + "_partial(" + partial + ") {\n";
  fill.replacements["finish_signature"] = "    " + name + "_finish(" + finish + ") {\n";
  fill.replacements["operands"] = "  const Operands operands{" + kernelArguments(dispatch, true) + "};\n";
  fill.replacements["read_operands"] = "  const Operands operands{" + kernelArguments(dispatch, false) + "};\n";
  return fillTemplate(chooseVariant(templateBody(file), truths), fill);
}

DispatchCode RowEmitter::launches() {
  DispatchCode code;
  SmallVector<DispatchBuffer> inputs, results;
  for (unsigned i = 0; i < block->getNumArguments(); ++i)
    inputs.push_back(DispatchBuffer::operand(i));
  for (unsigned i = 0; i < dispatch.getNumResults(); ++i)
    results.push_back(DispatchBuffer::result(i));
  int64_t threads = schedule.threads();
  if (schedule.splitRows > 1) {
    constexpr int64_t kStateFields = 3; // of the largest State
    int64_t fields = program.statistic == RowStatistic::Moments ? kStateFields : 2;
    code.workspaces.push_back(
        RankedTensorType::get({layout.rows, chunks(), fields}, Float32Type::get(dispatch.getContext())));
    DispatchBuffer partials = DispatchBuffer::workspace(0);
    LaunchSpec partial{name + "_partial", {layout.rows * chunks(), 1, 1}, {threads, 1, 1}, 0, inputs, {partials}};
    int64_t groups = llvm::divideCeil(layout.rows, schedule.rowsPerBlock);
    int64_t tiles = storesElements() ? llvm::divideCeil(layout.columns, threads * schedule.vector) : 1;
    // Enough blocks to fill the chip; each walks several tiles, so that the partial states are merged rarely.
    int64_t resident = chip.multiprocessors * std::max<int64_t>(1, 2048 / threads);
    int64_t columnsOfBlocks = std::min(tiles, std::max<int64_t>(1, llvm::divideCeil(resident, groups)));
    LaunchSpec finish{name + "_finish", {columnsOfBlocks, groups, 1}, {threads, 1, 1}, 0, inputs, results};
    finish.reads.push_back(partials);
    code.launches = {partial, finish};
    return code;
  }
  int64_t blocks = llvm::divideCeil(layout.rows, schedule.rowsPerBlock);
  LaunchSpec rows{name + "_rows", {blocks, 1, 1}, {threads, 1, 1}, 0, inputs, results};
  if (isHybrid()) {
    rows.grid[0] = std::min(layout.rows, chip.multiprocessors);
    rows.sharedBytes = streamPacks(program, schedule, chip).shared * threads * 16;
  }
  code.launches = {rows};
  return code;
}

FailureOr<DispatchCode> RowEmitter::emit() {
  if (failed(makePieces()))
    return failure();
  DispatchCode code = launches();
  std::string &text = code.source;
  text += comment();
  if (isHybrid())
    text += "#include \"kgen_device.cuh\"\n";
  text += includeLines(dispatch);
  text += "\n";
  SmallVector<const ElementPiece *> pieces = {&before, &inside};
  for (const ElementPiece &piece : ofRow)
    pieces.push_back(&piece);
  for (auto &[result, piece] : behind)
    pieces.push_back(&piece);
  for (const ElementPiece *piece : pieces)
    if (!piece->identity)
      text += piece->function.text + "\n";

  text += "namespace " + name + " {\n" + constants() + operandStruct(dispatch) + "\n" + part("row_memory.cuh") +
          statisticHelpers() + "\n" + part("row_states.cuh") + loadFunctions() + observeFunction() + finishFunction() +
          storeFunctions() + "\n" + part("row_reduce.cuh");
  if (isHybrid()) {
    // The stream template starts with functions of the namespace and ends with the kernel.
    std::string stream = part("row_stream.cuh");
    size_t kernel = stream.find("extern \"C\"");
    text += "\n" + stream.substr(0, kernel) + "} // namespace " + name + "\n\n" + stream.substr(kernel);
  } else {
    StringRef file = schedule.splitRows > 1                                  ? "row_split.cuh"
                     : schedule.resident == RowSchedule::Resident::Registers ? "row_registers.cuh"
                                                                             : "row_reread.cuh";
    text += "} // namespace " + name + "\n\n" + part(file);
  }
  return code;
}

FailureOr<DispatchCode> emitRowSource(DispatchOp dispatch, const RowProgram &program, const RowSchedule &schedule,
                                      const Chip &chip) {
  return RowEmitter(dispatch, program, schedule, chip).emit();
}

} // namespace kgen
