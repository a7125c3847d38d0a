//===- GatherFamily.cpp - Rows and elements at positions read at run time -===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// embedding and index_select copy rows: what lies behind the indexed dimension is one run of memory. gather, and an
// index into the last dimension, take single elements. Element-wise ops behind run on what was read.
//
//===----------------------------------------------------------------------===//

#include "kgen/Kernels/CudaTemplate.h"
#include "kgen/Kernels/Emit/ElementPiece.h"
#include "kgen/Kernels/Emit/ScalarEmitter.h"
#include "kgen/Kernels/Family.h"

#include "kgen/Dialect/Aten/Aten.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace kgen::kernels {

namespace {

/// One op that reads SOURCE at INDEX along dimension DIM.
struct GatherProgram {
  Operation *op = nullptr;
  Value source, index;
  int64_t dim = 0;
  bool perElement = false; ///< `index` has a position for each element of the result, else for each position of `dim`
  /// The result is [outer, positions, inner], the source [outer, extent, inner].
  int64_t outer = 1, positions = 1, inner = 1, extent = 1;

  bool copiesRows() const { return !perElement && inner > 1; }
  int64_t rows() const { return outer * positions; }
};

class GatherFamily : public Family {
public:
  StringRef name() const override { return "gather"; }
  LogicalResult match(DispatchOp dispatch) const override { return analyze(dispatch); }
  LogicalResult complete(DispatchOp dispatch, ScheduleParams &params, const Chip &chip) const override;
  FailureOr<DispatchCode> emit(DispatchOp dispatch, const ScheduleParams &params, const Chip &chip) const override;
  graph::WorkFact getWork(DispatchOp dispatch) const override;

private:
  static FailureOr<GatherProgram> analyze(DispatchOp dispatch);
};

int64_t product(ArrayRef<int64_t> values) {
  int64_t result = 1;
  for (int64_t value : values)
    result *= value;
  return result;
}

void describe(Operation *op, GatherProgram &program) {
  auto along = [&](int64_t dim) {
    program.op = op;
    program.source = op->getOperand(0);
    program.index = op->getOperand(1);
    program.dim = dim;
  };
  llvm::TypeSwitch<Operation *>(op)
      .Case<aten::EmbeddingOp>([&](aten::EmbeddingOp) { along(0); })
      .Case<aten::IndexSelectOp>([&](auto select) { along(select.getDim()); })
      .Case<aten::GatherOp>([&](auto gather) {
        along(gather.getDim());
        program.perElement = true;
      });
}

/// Bytes of the widest element that travels in packs, those of the table included.
int64_t widestElement(DispatchOp dispatch, const GatherProgram &program) {
  return std::max<int64_t>(elementTypeOf(program.source).getIntOrFloatBitWidth() / 8,
                           widestPackedElement(dispatch, shapeOf(program.op->getResult(0))));
}

} // namespace

FailureOr<GatherProgram> GatherFamily::analyze(DispatchOp dispatch) {
  GatherProgram program;
  YieldOp yield = dispatch.getYield();
  for (Operation &op : yield->getBlock()->without_terminator()) {
    if (program.op && isPointwiseAten(&op))
      continue;
    if (program.op)
      return op.emitOpError("has no place behind a gather: expected element-wise ops");
    describe(&op, program);
    if (!program.op)
      return op.emitOpError("has no place in a gather kernel: expected embedding, index_select or gather, and "
                            "element-wise ops behind it");
  }
  if (!program.op)
    return dispatch.emitOpError("holds no embedding, index_select or gather");
  ArrayRef<int64_t> source = shapeOf(program.source), result = shapeOf(program.op->getResult(0));
  if (!isPacked(program.source, source))
    return program.op->emitOpError("works on ") << elementTypeOf(program.source) << ", expected f32, f16 or bf16";
  if (source.empty() || product(result) == 0 || product(source) == 0)
    return program.op->emitOpError("reads ") << program.source.getType() << ", expected at least one element of a row";
  program.dim += program.dim < 0 ? source.size() : 0;
  program.outer = product(source.take_front(program.dim));
  program.extent = source[program.dim];
  program.inner = product(source.drop_front(program.dim + 1));
  program.positions = product(shapeOf(program.index));
  for (auto [index, value] : llvm::enumerate(yield.getValues()))
    if (!isPacked(value, result))
      return dispatch.emitOpError("result ")
             << index << " of type " << value.getType() << " is not one float for each element that is gathered";
  return program;
}

graph::WorkFact GatherFamily::getWork(DispatchOp dispatch) const {
  FailureOr<GatherProgram> program = analyze(dispatch);
  graph::WorkFact work;
  if (program->copiesRows()) {
    work.rows = program->rows();
    work.columns = program->inner;
  }
  return work;
}

LogicalResult GatherFamily::complete(DispatchOp dispatch, ScheduleParams &params, const Chip &chip) const {
  FailureOr<GatherProgram> program = analyze(dispatch);
  if (failed(program))
    return failure();
  MLIRContext *context = dispatch.getContext();
  auto reject = [&](const Twine &text) -> LogicalResult {
    return dispatch.emitError("gather schedule of @") << dispatch.getName() << ": " << text;
  };
  bool rows = program->copiesRows();
  if (std::string fault = schedule::findFault(name(), params.getSettings(), rows ? "rows" : "elements"); !fault.empty())
    return reject(fault);
  int64_t run = rows ? program->inner : product(shapeOf(program->op->getResult(0)));
  int64_t bytes = widestElement(dispatch, *program);
  int64_t vector = params.intOr(context, key::vec, std::min(run & -run, 16 / bytes));
  if (vector * bytes > 16)
    return reject("vec = " + Twine(vector) + " of " + Twine(bytes) + "-byte elements is " + Twine(vector * bytes) +
                  " bytes, an access has at most 16");
  if (run % vector != 0)
    return reject("vec = " + Twine(vector) + " does not divide the " + Twine(run) + " elements" +
                  (rows ? " of a row" : ""));
  int64_t threads = params.intOr(context, key::block, 256);
  params.wordOr(context, key::cacheHint, schedule::CacheHint::None);
  if (!rows) {
    params.intOr(context, key::coarsen, 2);
    return success();
  }
  // Some four packs for each thread: their loads hide behind each other, and short rows share a warp.
  int64_t packs = run / vector;
  int64_t share =
      std::clamp<int64_t>(llvm::PowerOf2Ceil(llvm::divideCeil(packs, 4)), 1, std::min<int64_t>(threads, 256));
  int64_t perRow = params.intOr(context, key::threadsPerRow, threads % share == 0 ? share : 32);
  if (threads % perRow != 0)
    return reject("threads_per_row = " + Twine(perRow) + " does not divide the block of " + Twine(threads) +
                  " threads");
  int64_t unroll = params.intOr(context, key::unroll, std::clamp<int64_t>(llvm::divideCeil(packs, perRow), 1, 4));
  constexpr int64_t kMostInFlight = 64; // elements of one thread
  if (unroll * vector > kMostInFlight)
    return reject("unroll * vec = " + Twine(unroll * vector) + " elements in a thread, at most " +
                  Twine(kMostInFlight) + " stay in registers");
  return success();
}

FailureOr<DispatchCode> GatherFamily::emit(DispatchOp dispatch, const ScheduleParams &params, const Chip &chip) const {
  FailureOr<GatherProgram> analyzed = analyze(dispatch);
  if (failed(analyzed))
    return failure();
  const GatherProgram &program = *analyzed;
  bool rows = program.copiesRows();
  int64_t vector = *params.getInt(key::vec), threads = *params.getInt(key::block);
  std::string name = dispatch.getName().str();
  Value gathered = program.op->getResult(0);
  ArrayRef<int64_t> shape = shapeOf(gathered), source = shapeOf(program.source);
  StringRef element = getStorageType(elementTypeOf(program.source));

  SmallVector<ElementPiece> behind;
  for (auto [index, value] : llvm::enumerate(dispatch.getYield().getValues())) {
    FailureOr<ElementPiece> piece =
        makeElementPiece(llvm::formatv("{0}_behind{1}", name, index), value, {gathered}, shape);
    if (failed(piece))
      return failure();
    behind.push_back(std::move(*piece));
  }

  DispatchCode code;
  std::string &text = code.source;
  text = llvm::formatv("// {0}: {1}, {2} {3} of {4} positions.\n", name, program.op->getName().getStringRef(),
                       rows ? program.rows() : product(shape), rows ? "rows" : "elements", program.extent)
             .str() +
         includeLines(dispatch) + "\n";
  for (const ElementPiece &piece : behind)
    if (!piece.identity)
      text += piece.function.text + "\n";
  text += llvm::formatv("namespace {0} {{\nconstexpr int kVector = {1};\nconstexpr int kThreads = {2};\n"
                        "constexpr long long kExtent = {3}; // positions that there are\n"
                        "constexpr long long kInner = {4};  // elements from one position to the next\n",
                        name, vector, threads, program.extent, program.inner);
  int64_t items;
  if (rows) {
    auto schedule = schedule::GatherRows::read(params);
    int64_t perRow = schedule.threadsPerRow;
    text += llvm::formatv("constexpr long long kRows = {0};\nconstexpr int kColumns = {1};\n"
                          "constexpr int kPacksOfRow = kColumns / kVector;\nconstexpr int kThreadsPerRow = {2};\n"
                          "constexpr int kUnroll = {3};\n",
                          program.rows(), program.inner, perRow, schedule.unroll);
    items = llvm::divideCeil(program.rows(), threads / perRow);
  } else {
    int64_t coarsen = schedule::GatherElements::read(params).coarsen;
    text +=
        llvm::formatv("constexpr long long kElements = {0};\nconstexpr int kCoarsen = {1}; // packs of one thread\n",
                      product(shape), coarsen);
    items = llvm::divideCeil(product(shape), vector * threads * coarsen);
  }
  text += operandStruct(dispatch);
  TemplateFill fill;
  fill.name = name;
  if (rows)
    fill.sections.insert("ROWS");
  if (params.getWord(key::cacheHint) == schedule::CacheHint::Streaming)
    fill.sections.insert("STREAMING");
  std::string parameters = kernelParameters(dispatch, true);
  fill.replacements["rows_signature"] = "    " + name + "_rows(" + parameters + ") {\n";
  fill.replacements["elements_signature"] = "    " + name + "_elements(" + parameters + ") {\n";
  fill.replacements["operands"] = "  const Operands operands{" + kernelArguments(dispatch, true) + "};\n";
  text += "\n" + fillTemplate(templateBody("row_memory.cuh"), fill);

  // Reading. A position outside is taken to the nearest one inside: nothing else is ever touched.
  std::string from = "operands." + inputName(program.source), at = "operands." + inputName(program.index);
  text += llvm::formatv("\nusing Moved = Pack<{0}>;\n"
                        "__device__ __forceinline__ long long within(long long position) {{\n"
                        "  return position < 0 ? 0 : position < kExtent ? position : kExtent - 1;\n}\n",
                        element);
  if (rows) {
    std::string position = program.outer == 1 ? "row" : "row % " + std::to_string(program.positions);
    std::string before = program.outer == 1 ? "" : llvm::formatv("row / {0} * kExtent + ", program.positions).str();
    text +=
        llvm::formatv("\n__device__ __forceinline__ long long source_row(const Operands &operands, long long row) {{\n"
                      "  return {0}within({1}[{2}]);\n}\n"
                      "__device__ __forceinline__ Moved load_row(const Operands &operands, long long from, int "
                      "column) {{\n"
                      "  return load_pack({3} + from * kColumns + column);\n}\n",
                      before, at, position, from);
  } else {
    std::string position = program.perElement ? "element" : "element % " + std::to_string(program.positions);
    std::string address = "within(" + at + "[" + position + "]) * kInner";
    if (!program.perElement && program.outer > 1)
      address += " + element / " + std::to_string(program.positions) + " * kExtent";
    // The coordinates of the result but for `dim` are those of the source, which may be larger.
    for (unsigned i = 0; program.perElement && i < shape.size(); ++i) {
      int64_t stride = product(source.drop_front(i + 1)), below = product(shape.drop_front(i + 1));
      if (int64_t(i) == program.dim || shape[i] == 1)
        continue;
      std::string digit = "element";
      if (below != 1)
        digit += " / " + std::to_string(below);
      if (i != 0)
        digit += " % " + std::to_string(shape[i]);
      address += " + " + digit + (stride == 1 ? "" : " * " + std::to_string(stride));
    }
    text +=
        llvm::formatv("\n__device__ __forceinline__ Moved load_elements(const Operands &operands, long long first) {{\n"
                      "  Moved moved;\n#pragma unroll\n  for (int lane = 0; lane < kVector; ++lane) {{\n"
                      "    const long long element = first + lane;\n    moved.lane[lane] = {0}[{1}];\n  }\n"
                      "  return moved;\n}\n",
                      from, address);
  }

  // Writing, after the ops fused behind.
  text +=
      "\n/// Writes the results of elements [first, first + kVector).\n"
      "__device__ __forceinline__ void store_moved(const Operands &operands, long long first, const Moved &moved) {\n";
  SmallVector<const ElementPiece *> all;
  for (const ElementPiece &piece : behind)
    all.push_back(&piece);
  text += loadPacks(packsOf(all, {gathered}, shape), "first");
  auto ofLane = [&](Value value) {
    return toFloat(value == gathered ? std::string("moved.lane[lane]") : inputName(value) + ".lane[lane]",
                   elementTypeOf(value));
  };
  SmallVector<std::string> coordinates = packCoordinates(shape, vector, "first");
  for (auto [index, piece] : llvm::enumerate(behind)) {
    if (piece.identity && piece.root == gathered) {
      text += llvm::formatv("  store_pack(operands.out{0} + first, moved);\n", index);
      continue;
    }
    text += llvm::formatv("  Pack<{0}> out{1};\n#pragma unroll\n  for (int lane = 0; lane < kVector; ++lane)\n"
                          "    out{1}.lane[lane] = {2};\n  store_pack(operands.out{1} + first, out{1});\n",
                          getStorageType(elementTypeOf(piece.root)), index,
                          fromFloat(callElementPiece(piece, ofLane, coordinates), elementTypeOf(piece.root)));
  }
  text += "}\n} // namespace " + name + "\n\n" + fillTemplate(templateBody("gather.cuh"), fill);

  code.launches = {LaunchSpec::ofWhole(dispatch, name + (rows ? "_rows" : "_elements"), items, threads)};
  code.launches.back().sizedBy = "gather.cuh";
  return code;
}

std::unique_ptr<Family> createGatherFamily() { return std::make_unique<GatherFamily>(); }

} // namespace kgen::kernels
