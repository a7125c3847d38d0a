//===- ScanFamily.cpp - Running sums and products -------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kgen/Kernels/Emit/ElementPiece.h"
#include "kgen/Kernels/Row/RowProgram.h"

#include "kgen/Dialect/Aten/Aten.h"
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

/// One scan, element-wise ops in front of it and behind it.
struct ScanProgram {
  Operation *scan = nullptr;
  RowLayout layout;
};

FailureOr<ScanProgram> analyze(DispatchOp dispatch) {
  ScanProgram program;
  YieldOp yield = dispatch.getYield();
  for (Operation &op : yield->getBlock()->without_terminator()) {
    if (isPointwiseAten(&op))
      continue;
    if (!isa<aten::CumsumOp, aten::CumprodOp>(op))
      return op.emitOpError("has no place in a scan kernel: expected element-wise ops around one scan");
    if (program.scan)
      return op.emitOpError("is a second scan; a scan dispatch holds one");
    program.scan = &op;
  }
  if (!program.scan)
    return dispatch.emitOpError("holds no scan (cumsum or cumprod)");
  Value self = program.scan->getOperand(0);
  RowLayout &layout = program.layout;
  layout.shape = layout.parts = llvm::to_vector(shapeOf(self));
  if (!isPacked(self, layout.shape) || layout.shape.empty())
    return program.scan->emitOpError("works on ") << self.getType() << ", expected rows of f32, f16 or bf16";
  int64_t dim = isa<aten::CumsumOp>(program.scan) ? cast<aten::CumsumOp>(program.scan).getDim()
                                                  : cast<aten::CumprodOp>(program.scan).getDim();
  dim += dim < 0 ? layout.shape.size() : 0;
  layout.firstFolded = dim;
  layout.lastFolded = dim + 1;
  for (auto [i, extent] : llvm::enumerate(layout.shape)) {
    (static_cast<int64_t>(i) == dim ? layout.columns : layout.rows) *= extent;
    if (static_cast<int64_t>(i) > dim)
      layout.inner *= extent;
  }
  for (auto [index, value] : llvm::enumerate(yield.getValues()))
    if (!isPacked(value, layout.shape))
      return dispatch.emitOpError("result ")
             << index << " of type " << value.getType() << " is not one float for each element of the scan";
  return program;
}

} // namespace

LogicalResult ScanFamily::match(DispatchOp dispatch) const { return analyze(dispatch); }

LogicalResult ScanFamily::complete(DispatchOp dispatch, ScheduleParams &params, const Chip &chip) const {
  FailureOr<ScanProgram> program = analyze(dispatch);
  if (failed(program))
    return failure();
  MLIRContext *context = dispatch.getContext();
  const RowLayout &layout = program->layout;
  auto reject = [&](const Twine &text) -> LogicalResult {
    return dispatch.emitError("scan schedule of @") << dispatch.getName() << ": " << text;
  };
  int64_t bytes = widestPackedElement(dispatch, layout.shape);
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
  int64_t unroll = params.intOr(context, key::unroll, layout.inner == 1 ? 4 : 8);
  if (unroll * vector > 64)
    return reject("unroll * vec = " + Twine(unroll * vector) + " elements in a thread, at most 64 stay in registers");
  int64_t share = llvm::PowerOf2Ceil(llvm::divideCeil(layout.columns, unroll * vector));
  params.intOr(context, key::block, layout.inner == 1 ? std::clamp<int64_t>(share, 32, 512) : 128);
  params.wordOr(context, key::cacheHint, schedule::CacheHint::Streaming);
  return success();
}

FailureOr<DispatchCode> ScanFamily::emit(DispatchOp dispatch, const ScheduleParams &params, const Chip &chip) const {
  FailureOr<ScanProgram> program = analyze(dispatch);
  if (failed(program))
    return failure();
  const RowLayout &layout = program->layout;
  auto schedule = schedule::ScanBlocks::read(params);
  int64_t vector = schedule.vec, threads = schedule.block, unroll = schedule.unroll;
  std::string name = dispatch.getName().str();
  Value self = program->scan->getOperand(0), scanned = program->scan->getResult(0);

  FailureOr<ElementPiece> before = makeElementPiece(name + "_before", self, {}, layout.shape);
  if (failed(before))
    return failure();
  SmallVector<ElementPiece> behind;
  for (auto [index, value] : llvm::enumerate(dispatch.getYield().getValues())) {
    FailureOr<ElementPiece> piece =
        makeElementPiece(llvm::formatv("{0}_behind{1}", name, index), value, {scanned}, layout.shape);
    if (failed(piece))
      return failure();
    behind.push_back(std::move(*piece));
  }

  bool sums = isa<aten::CumsumOp>(program->scan), along = layout.inner == 1;
  DispatchCode code;
  std::string &text = code.source;
  text = llvm::formatv("// {0}: {1} along {2} rows of {3} elements.\n", name, program->scan->getName().getStringRef(),
                       layout.rows, layout.columns)
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
      name, layout.rows, layout.columns, layout.inner, vector, threads, unroll, sums ? "0.0f" : "1.0f",
      sums ? "+" : "*");
  text += operandStruct(dispatch);
  TemplateFill fill;
  fill.name = name;
  if (along)
    fill.sections.insert("ALONG");
  if (schedule.cacheHint == schedule::CacheHint::Streaming)
    fill.sections.insert("STREAMING");
  fill.replacements["rows_signature"] = "    " + name + "_rows(" + kernelParameters(dispatch, true) + ") {\n";
  fill.replacements["operands"] = "  const Operands operands{" + kernelArguments(dispatch, true) + "};\n";
  text += "\n" + fillTemplate(templateBody("row_memory.cuh"), fill);

  SmallVector<std::string> coordinates = layout.coordinates("column + lane");
  std::string offset = "  const long long offset = (row / kInner * kColumns + column) * kInner + row % kInner;\n";
  text += "\n/// Elements [column, column + kVector) of a row.\n"
          "__device__ __forceinline__ void load(const Operands &operands, long long row, int column,\n"
          "                                     float (&value)[kVector]) {\n" +
          offset;
  auto ofLane = [&](Value value) {
    return value == scanned ? std::string("value[lane]")
                            : toFloat(inputName(value) + ".lane[lane]", elementTypeOf(value));
  };
  text += loadPacks(packsOf({&*before}, {}, layout.shape), "offset");
  text += "#pragma unroll\n  for (int lane = 0; lane < kVector; ++lane)\n    value[lane] = " +
          callElementPiece(*before, ofLane, coordinates) + ";\n}\n";
  text += "\n/// Writes the results of elements [column, column + kVector) of a row.\n"
          "__device__ __forceinline__ void store(const Operands &operands, long long row, int column,\n"
          "                                      const float (&value)[kVector]) {\n" +
          offset;
  SmallVector<const ElementPiece *> all;
  for (const ElementPiece &piece : behind)
    all.push_back(&piece);
  text += loadPacks(packsOf(all, {scanned}, layout.shape), "offset");
  for (auto [index, piece] : llvm::enumerate(behind))
    text += llvm::formatv("  Pack<{0}> out{1};\n", getStorageType(elementTypeOf(piece.root)), index);
  text += "#pragma unroll\n  for (int lane = 0; lane < kVector; ++lane) {\n";
  for (auto [index, piece] : llvm::enumerate(behind))
    text += llvm::formatv("    out{0}.lane[lane] = {1};\n", index,
                          fromFloat(callElementPiece(piece, ofLane, coordinates), elementTypeOf(piece.root)));
  text += "  }\n";
  for (size_t index = 0; index < behind.size(); ++index)
    text += llvm::formatv("  store_pack(operands.out{0} + offset, out{0});\n", index);
  text += "}\n} // namespace " + name + "\n\n" + fillTemplate(templateBody("scan.cuh"), fill);

  int64_t blocks = along ? layout.rows : llvm::divideCeil(layout.rows, threads);
  code.launches = {LaunchSpec::ofWhole(dispatch, name + "_rows", blocks, threads)};
  code.launches.back().sizedBy = "scan.cuh";
  return code;
}

std::unique_ptr<Family> createScanFamily() { return std::make_unique<ScanFamily>(); }

} // namespace kgen::kernels
