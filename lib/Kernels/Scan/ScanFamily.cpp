//===- ScanFamily.cpp - Running sums and products -------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kgen/Kernels/Emit/ElementPiece.h"
#include "kgen/Kernels/Row/RowProgram.h"

#include "kgen/Dialect/Aten/Aten.h"
#include "kgen/Dialect/KGen/ScanAccess.h"
#include "kgen/Kernels/CudaTemplate.h"
#include "kgen/Kernels/Emit/ScalarEmitter.h"
#include "kgen/Kernels/Family.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace kgen::kernels {

namespace {

class ScanFamily : public Family {
public:
  StringRef name() const override { return "scan"; }
  LogicalResult match(DispatchOp dispatch) const override;
  LogicalResult complete(DispatchOp dispatch, ScheduleParams &params, const Chip &chip) const override;
  FailureOr<DispatchCode> emit(DispatchOp dispatch, const ScheduleParams &params, const Chip &chip) const override;
};

constexpr int64_t runBytes = 40 << 10; ///< of static shared memory, for results that begin anywhere

/// One scan, element-wise ops in front of it and behind it.
struct ScanProgram {
  Operation *scan = nullptr;
  ScanAccess access;
  RowLayout source, result; ///< rows as they are read and as they are written; equal but for what access says

  bool isAlong() const { return source.inner == 1; }
};

RowLayout layoutOf(ArrayRef<int64_t> shape, int64_t dim) {
  RowLayout layout;
  layout.shape = layout.parts = llvm::to_vector(shape);
  layout.firstFolded = dim;
  layout.lastFolded = dim + 1;
  for (auto [i, extent] : llvm::enumerate(shape)) {
    (static_cast<int64_t>(i) == dim ? layout.columns : layout.rows) *= extent;
    if (static_cast<int64_t>(i) > dim)
      layout.inner *= extent;
  }
  return layout;
}

FailureOr<ScanProgram> analyze(DispatchOp dispatch) {
  ScanProgram program;
  YieldOp yield = dispatch.getYield();
  Block *body = yield->getBlock();
  for (Operation &op : body->without_terminator())
    if (isScan(&op)) {
      if (program.scan)
        return op.emitOpError("is a second scan; a scan dispatch holds one");
      program.scan = &op;
      program.access = readScan(&op, /*leaves=*/false);
    }
  const ScanAccess &access = program.access;
  for (Operation &op : body->without_terminator())
    if (!isPointwiseAten(&op) && &op != program.scan && !llvm::is_contained(access.views, &op))
      return op.emitOpError("has no place in a scan kernel: expected element-wise ops around one scan");
  if (!program.scan)
    return dispatch.emitOpError("holds no scan (cumsum or cumprod)");
  auto isRows = [](Value value) { return isPacked(value, shapeOf(value)) && !shapeOf(value).empty(); };
  for (Value value : {program.scan->getOperand(0), access.source})
    if (!isRows(value))
      return program.scan->emitOpError("works on ") << value.getType() << ", expected rows of f32, f16 or bf16";
  program.source = layoutOf(shapeOf(access.source), access.dim);
  program.result = layoutOf(shapeOf(access.result), access.dim);
  for (auto [index, value] : llvm::enumerate(yield.getValues())) {
    if (!isPacked(value, program.result.shape))
      return dispatch.emitOpError("result ")
             << index << " of type " << value.getType() << " is not one float for each element of the scan";
    if (access.writesTotal && (value != access.result || index > 0))
      return dispatch.emitOpError("result ")
             << index << " is not the scan's, whose results are one more than a row's elements";
  }
  return program;
}

/// The offset of `column` of a row of COLUMNS elements, and of what walks from its end.
std::string placeOf(int64_t columns, bool reversed) {
  return std::string(reversed ? "  column = kColumns - kVector - column; // from the row's end\n" : "") +
         llvm::formatv("  const long long offset = (row / kInner * {0} + column) * kInner + row % kInner;\n", columns)
             .str();
}

std::string loadFunction(const ScanProgram &program, const ElementPiece &before) {
  const bool reversed = program.access.readsReversed;
  auto ofLane = [&](Value value) { return toFloat(inputName(value) + ".lane[lane]", elementTypeOf(value)); };
  return "\n/// Elements [column, column + kVector) of a row, in the scan's order.\n"
         "__device__ __forceinline__ void load(const Operands &operands, long long row, int column,\n"
         "                                     float (&value)[kVector]) {\n" +
         placeOf(program.source.columns, reversed) + loadPacks(packsOf({&before}, {}, program.source.shape), "offset") +
         "#pragma unroll\n  for (int lane = 0; lane < kVector; ++lane)\n    value[" +
         (reversed ? "kVector - 1 - lane" : "lane") +
         "] = " + callElementPiece(before, ofLane, program.source.coordinates("column + lane")) + ";\n}\n";
}

std::string storeFunction(const ScanProgram &program, ArrayRef<ElementPiece> behind) {
  const ScanAccess &access = program.access;
  const bool reversed = access.writesReversed;
  SmallVector<std::string> coordinates = program.result.coordinates("column + lane");
  auto ofLane = [&](Value value) {
    if (value == access.result)
      return std::string(reversed ? "value[kVector - 1 - lane]" : "value[lane]");
    return toFloat(inputName(value) + ".lane[lane]", elementTypeOf(value));
  };
  std::string text = "\n/// Writes the results of elements [column, column + kVector) of a row, in the scan's order.\n"
                     "__device__ __forceinline__ void store(const Operands &operands, long long row, int column,\n"
                     "                                      const float (&value)[kVector]) {\n" +
                     placeOf(program.result.columns, reversed);
  SmallVector<const ElementPiece *> all;
  for (const ElementPiece &piece : behind)
    all.push_back(&piece);
  text += loadPacks(packsOf(all, {access.result}, program.result.shape), "offset");
  for (auto [index, piece] : llvm::enumerate(behind))
    text += llvm::formatv("  Pack<{0}> out{1};\n", getStorageType(elementTypeOf(piece.root)), index);
  text += "#pragma unroll\n  for (int lane = 0; lane < kVector; ++lane) {\n";
  for (auto [index, piece] : llvm::enumerate(behind))
    text += llvm::formatv("    out{0}.lane[lane] = {1};\n", index,
                          fromFloat(callElementPiece(piece, ofLane, coordinates), elementTypeOf(piece.root)));
  text += "  }\n";
  for (size_t index = 0; index < behind.size(); ++index)
    text += llvm::formatv("  store_pack(operands.out{0} + offset, out{0});\n", index);
  return text + "}\n";
}

/// Results of TYPE that begin anywhere: one of them, or an access of 16 bytes from shared memory.
std::string putFunctions(Type type) {
  return llvm::formatv(
      "constexpr int kPut = 16 / int(sizeof({0}));\n"
      "__device__ __forceinline__ void put(const Operands &operands, long long offset, float value) {{\n"
      "  operands.out0[offset] = {1};\n}\n"
      "__device__ __forceinline__ void put_pack(const Operands &operands, long long offset, const float "
      "*from) {{\n"
      "  struct alignas(16) Sixteen {{\n    {0} lane[kPut];\n  } pack;\n"
      "#pragma unroll\n  for (int lane = 0; lane < kPut; ++lane)\n    pack.lane[lane] = {2};\n"
      "  *reinterpret_cast<Sixteen *>(operands.out0 + offset) = pack;\n}\n",
      getStorageType(type), fromFloat("value", type), fromFloat("from[lane]", type));
}

} // namespace

LogicalResult ScanFamily::match(DispatchOp dispatch) const { return analyze(dispatch); }

LogicalResult ScanFamily::complete(DispatchOp dispatch, ScheduleParams &params, const Chip &chip) const {
  FailureOr<ScanProgram> program = analyze(dispatch);
  if (failed(program))
    return failure();
  MLIRContext *context = dispatch.getContext();
  const RowLayout &layout = program->source;
  auto reject = [&](const Twine &text) -> LogicalResult {
    return dispatch.emitError("scan schedule of @") << dispatch.getName() << ": " << text;
  };
  int64_t bytes =
      std::max(widestPackedElement(dispatch, layout.shape), widestPackedElement(dispatch, program->result.shape));
  int64_t fallback = layout.inner == 1 ? std::min(layout.columns & -layout.columns, 16 / bytes) : 1;
  int64_t vector = params.intOr(context, key::vec, fallback);
  if (layout.inner != 1 && vector != 1)
    return reject("vec = " + Twine(vector) + ", expected 1: the elements of a row lie " + Twine(layout.inner) +
                  " apart");
  if (vector * bytes > 16)
    return reject("vec = " + Twine(vector) + " of " + Twine(bytes) + "-byte elements is " + Twine(vector * bytes) +
                  " bytes, an access has at most 16");
  if (layout.columns % vector != 0)
    return reject("vec = " + Twine(vector) + " does not divide the row of " + Twine(layout.columns) + " elements");
  const bool passesRuns = program->access.writesTotal && program->isAlong();
  constexpr int64_t mostThreads = 512, bytesOfSum = 4;
  int64_t unroll = layout.inner == 1 ? 4 : 8;
  if (passesRuns)
    unroll = std::clamp<int64_t>(runBytes / (mostThreads * vector * bytesOfSum), 1, unroll);
  unroll = params.intOr(context, key::unroll, unroll);
  if (unroll * vector > 64)
    return reject("unroll * vec = " + Twine(unroll * vector) + " elements in a thread, at most 64 stay in registers");
  int64_t share = llvm::PowerOf2Ceil(llvm::divideCeil(layout.columns, unroll * vector));
  int64_t threads =
      params.intOr(context, key::block, layout.inner == 1 ? std::clamp<int64_t>(share, 32, mostThreads) : 128);
  if (passesRuns && threads * unroll * vector * bytesOfSum > runBytes)
    return reject("block = " + Twine(threads) + " threads hold " + Twine(threads * unroll * vector * bytesOfSum) +
                  " bytes of results that begin anywhere, at most " + Twine(runBytes) + " pass through shared memory");
  params.wordOr(context, key::cacheHint, schedule::CacheHint::Streaming);
  return success();
}

FailureOr<DispatchCode> ScanFamily::emit(DispatchOp dispatch, const ScheduleParams &params, const Chip &chip) const {
  FailureOr<ScanProgram> program = analyze(dispatch);
  if (failed(program))
    return failure();
  const RowLayout &source = program->source, &result = program->result;
  const ScanAccess &access = program->access;
  auto schedule = schedule::ScanBlocks::read(params);
  int64_t vector = schedule.vec, threads = schedule.block, unroll = schedule.unroll;
  std::string name = dispatch.getName().str();

  FailureOr<ElementPiece> before = makeElementPiece(name + "_before", access.source, {}, source.shape);
  if (failed(before))
    return failure();
  SmallVector<ElementPiece> behind;
  for (auto [index, value] : llvm::enumerate(dispatch.getYield().getValues())) {
    FailureOr<ElementPiece> piece =
        makeElementPiece(llvm::formatv("{0}_behind{1}", name, index), value, {access.result}, result.shape);
    if (failed(piece))
      return failure();
    behind.push_back(std::move(*piece));
  }

  bool sums = isa<aten::CumsumOp>(program->scan), along = program->isAlong();
  DispatchCode code;
  std::string &text = code.source;
  text = llvm::formatv("// {0}: {1} along {2} rows of {3} elements.\n", name, program->scan->getName().getStringRef(),
                       result.rows, source.columns)
             .str() +
         includeLines(dispatch) + "\n";
  if (!before->identity)
    text += before->function.text + "\n";
  for (const ElementPiece &piece : behind)
    if (!piece.identity)
      text += piece.function.text + "\n";
  text += llvm::formatv(
      "namespace {0} {{\nconstexpr long long kRows = {1};\nconstexpr int kColumns = {2};\n"
      "constexpr int kInner = {3}; // elements between neighbours of a row\nconstexpr int kVector = {4};\n"
      "constexpr int kWarp = 32;\nconstexpr int kThreads = {5};\nconstexpr int kWarps = kThreads / kWarp;\n"
      "constexpr int kUnroll = {6};\nconstexpr float kNeutral = {7};\n"
      "__device__ __forceinline__ float combine(float a, float b) {{ return a {8} b; }\n",
      name, result.rows, source.columns, source.inner, vector, threads, unroll, sums ? "0.0f" : "1.0f",
      sums ? "+" : "*");
  text += operandStruct(dispatch);
  TemplateFill fill;
  fill.name = name;
  if (along)
    fill.sections.insert("ALONG");
  if (access.writesTotal)
    fill.sections.insert("TOTAL");
  if (access.exclusive && !(access.writesTotal && along)) // there results are written one place further
    fill.sections.insert("EXCLUSIVE");
  if (schedule.cacheHint == schedule::CacheHint::Streaming)
    fill.sections.insert("STREAMING");
  fill.replacements["rows_signature"] = "    " + name + "_rows(" + kernelParameters(dispatch, true) + ") {\n";
  fill.replacements["operands"] = "  const Operands operands{" + kernelArguments(dispatch, true) + "};\n";
  text += "\n" + fillTemplate(templateBody("row_memory.cuh"), fill) + loadFunction(*program, *before) +
          (access.writesTotal && along ? putFunctions(elementTypeOf(access.result)) : storeFunction(*program, behind)) +
          "} // namespace " + name + "\n\n" + fillTemplate(templateBody("scan.cuh"), fill);

  int64_t blocks = along ? result.rows : llvm::divideCeil(result.rows, threads);
  code.launches = {LaunchSpec::ofWhole(dispatch, name + "_rows", blocks, threads)};
  code.launches.back().sizedBy = "scan.cuh";
  return code;
}

std::unique_ptr<Family> createScanFamily() { return std::make_unique<ScanFamily>(); }

} // namespace kgen::kernels
