//===- PoolWriter.cpp - The CUDA-C of pools -------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The constants and device functions that pool.cuh, pool_rows.cuh and pool_adaptive.cuh ask for, and one of them.
//
//===----------------------------------------------------------------------===//

#include "PoolProgram.h"

#include "kgen/Dialect/KGen/Dispatch.h"
#include "kgen/Kernels/CudaTemplate.h"
#include "kgen/Kernels/Emit/ElementPiece.h"
#include "kgen/Kernels/Emit/ScalarEmitter.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

#include <optional>
#include <string>
#include <tuple>

using namespace mlir;

namespace kgen::kernels {
namespace {

constexpr char kAxes[] = {'Z', 'Y', 'X'};

/// Threads of a block, outputs of one.
template <typename Schedule>
std::pair<int64_t, int64_t> extentsOf(const Schedule &schedule) {
  return {schedule.block, schedule.coarsen};
}

class PoolWriter {
public:
  PoolWriter(DispatchOp dispatch, const PoolProgram &program, const ScheduleParams &params)
      : dispatch(dispatch), program(program), name(dispatch.getName().str()), rank(program.rank()),
        inRows(params.getWord(key::resident) == schedule::Resident::Smem) {
    std::tie(threads, coarsen) =
        inRows ? extentsOf(schedule::PoolRows::read(params)) : extentsOf(schedule::PoolWindows::read(params));
    if (inRows)
      stretches.emplace(program, elementTypeOf(dispatch.getYield().getValues().front()), threads, coarsen);
  }

  FailureOr<DispatchCode> write();

private:
  /// The ops in front of the pool and behind it.
  LogicalResult makePieces();
  void writeConstants();
  /// The constants of AXIS; DIM is its spatial dimension, or none where the pool has fewer.
  void writeAxis(char axis, std::optional<unsigned> dim);
  void writeFold();
  void writeLoad();
  void writePack();
  /// What the folded sum of a window becomes, an expression of CUDA-C; "" for a maximum. Writes what that calls.
  std::string writeAverage();
  void writeStore();
  std::string fillBody();

  StringRef templateFile() const {
    return program.adaptive ? "pool_adaptive.cuh" : inRows ? "pool_rows.cuh" : "pool.cuh";
  }
  std::string kernel() const { return name + (inRows ? "_rows" : "_windows"); }
  int64_t blocks() const;
  bool packs() const { return inRows && before.identity; }
  int64_t windowVolume() const { return ShapedType::getNumElements(program.window); }
  /// The pool's axes, outermost first.
  ArrayRef<char> axes() const { return ArrayRef(kAxes).take_back(rank); }
  /// An element's coordinates, expressions of CUDA-C.
  SmallVector<std::string> coordinates() const;
  std::string elementOf(Value value) const;
  /// `const long long offset` of (plane, z, y, x) in a tensor with channels last, of the extents WHAT.
  std::string lastPlace(StringRef what) const;

  DispatchOp dispatch;
  const PoolProgram &program;
  std::string name;
  unsigned rank;
  bool inRows;
  int64_t threads = 0, coarsen = 0;
  std::optional<Stretches> stretches; ///< of rows
  ElementPiece before;
  SmallVector<ElementPiece> behind;
  std::string text;
};

LogicalResult PoolWriter::makePieces() {
  SmallVector<Value> stops;
  if (program.lastInput)
    stops.push_back(program.source);
  FailureOr<ElementPiece> front = makeElementPiece(name + "_before", program.source, stops, shapeOf(program.source));
  if (failed(front))
    return failure();
  before = std::move(*front);
  Value pooled = program.pool->getResult(0);
  for (auto [index, value] : llvm::enumerate(dispatch.getYield().getValues())) {
    FailureOr<ElementPiece> piece =
        makeElementPiece(llvm::formatv("{0}_behind{1}", name, index), beforeLayout(value), {pooled}, shapeOf(pooled));
    if (failed(piece))
      return failure();
    behind.push_back(std::move(*piece));
  }
  return success();
}

void PoolWriter::writeConstants() {
  text += llvm::formatv("namespace {0} {{\nconstexpr long long kPlanes = {1};\nconstexpr int kThreads = {2};\n", name,
                        program.planes, threads);
  if (program.lastInput || program.lastResult)
    text += llvm::formatv("constexpr int kChannels = {0};\n", std::max<int64_t>(program.channels, 1));
  for (unsigned i = 0; i < 3; ++i)
    writeAxis(kAxes[i], i + rank >= 3 ? std::optional(i + rank - 3) : std::nullopt);
  if (program.adaptive)
    return;
  constexpr int64_t kUnrolledWindow = 64;
  text += llvm::formatv("constexpr int kCoarsen = {0}; // outputs of one thread\n", coarsen);
  if (rank > 1)
    text += llvm::formatv("constexpr int kUnroll = {0};\n",
                          windowVolume() <= kUnrolledWindow ? *llvm::max_element(program.window) : 1);
  if (inRows)
    text +=
        llvm::formatv("constexpr int kApart = {0}, kTaps = {1}; // outputs, and elements, between a thread's windows\n"
                      "constexpr int kLine = {2}, kStretch = {3}; // outputs of 128 bytes, of a block\n",
                      program.apart(), program.taps(), stretches->line, stretches->length);
  else
    text += "constexpr int kItemsX = (kOutputX + kCoarsen - 1) / kCoarsen;\n"
            "constexpr int kSpan = (kCoarsen - 1) * kStrideX + (kWindowX - 1) * kDilationX + 1;\n";
}

void PoolWriter::writeAxis(char axis, std::optional<unsigned> dim) {
  if (!dim && !program.adaptive)
    return;
  auto constant = [&](StringRef what, int64_t value) {
    text += llvm::formatv("constexpr int k{0}{1} = {2};\n", what, axis, value);
  };
  constant("Input", dim ? program.input[*dim] : 1);
  constant("Output", dim ? program.output[*dim] : 1);
  if (program.adaptive)
    return;
  constant("Window", program.window[*dim]);
  constant("Stride", program.stride[*dim]);
  constant("Padding", program.padding[*dim]);
  constant("Dilation", program.dilation[*dim]);
  int64_t outputs = program.output[*dim];
  if (axis == 'X')
    outputs = llvm::alignTo(outputs, coarsen);
  text += llvm::formatv("constexpr bool kGuard{0} = {1}; // windows leave the input\n", axis,
                        program.leavesInput(*dim, outputs) ? "true" : "false");
}

void PoolWriter::writeFold() {
  text += program.maximum ? "\n__device__ __forceinline__ float neutral() { return -__int_as_float(0x7f800000); }\n"
                            "// NaN wins, as in PyTorch.\n"
                            "__device__ __forceinline__ float fold(float a, float b) { return kgen::max_nan(a, b); }\n"
                          : "\n__device__ __forceinline__ float neutral() { return 0.0f; }\n"
                            "__device__ __forceinline__ float fold(float a, float b) { return a + b; }\n";
}

SmallVector<std::string> PoolWriter::coordinates() const {
  SmallVector<std::string> dims;
  ArrayRef<int64_t> leading = shapeOf(program.source).drop_back(rank);
  if (leading.size() == 1)
    dims.push_back("plane");
  else if (leading.size() == 2) {
    dims.push_back("plane / " + std::to_string(leading[1]));
    dims.push_back("plane % " + std::to_string(leading[1]));
  }
  for (char axis : axes())
    dims.push_back(std::string(1, llvm::toLower(axis)));
  return dims;
}

std::string PoolWriter::elementOf(Value value) const {
  Value read = program.lastInput && value == program.source ? program.lastInput : value;
  return toFloat("operands." + inputName(read) + "[offset]", elementTypeOf(value));
}

std::string PoolWriter::lastPlace(StringRef what) const {
  std::string place = "static_cast<long long>(plane / kChannels)";
  for (char axis : axes())
    place = llvm::formatv("({0} * k{1}{2} + {3})", place, what, axis, llvm::toLower(axis));
  return "  const long long offset = " + place + " * kChannels + plane % kChannels;\n";
}

void PoolWriter::writeLoad() {
  text += "\n/// The pool's input element";
  text += before.identity ? ".\n" : ", after the ops fused in front.\n";
  text += llvm::formatv("__device__ __forceinline__ float load(const Operands &operands, long long{0}, int plane, int "
                        "z, int y, int x) {{\n",
                        program.lastInput ? "" : " offset");
  if (program.lastInput)
    text += lastPlace("Input");
  text +=
      "  return " + callElementPiece(before, [&](Value value) { return elementOf(value); }, coordinates()) + ";\n}\n";
}

void PoolWriter::writePack() {
  const Type element = elementTypeOf(program.source);
  const std::string type(getStorageType(element));
  text +=
      llvm::formatv("\n/// Neighbouring elements of the input, 16 bytes.\n"
                    "constexpr int kPack = {0};\nstruct Source {{\n  {1} lane[kPack];\n};\n"
                    "__device__ __forceinline__ const {1} *source(const Operands &operands) {{ return operands.{2}; }\n"
                    "__device__ __forceinline__ float widened({1} value) {{ return {3}; }\n",
                    128 / element.getIntOrFloatBitWidth(), type, inputName(program.source), toFloat("value", element));
}

std::string PoolWriter::writeAverage() {
  if (program.maximum || program.adaptive)
    return "";
  const bool overruns = llvm::any_of(llvm::seq(0u, rank), [&](unsigned i) {
    int64_t end = (program.output[i] - 1) * program.stride[i] - program.padding[i] + program.window[i];
    return program.countsPadding ? end > program.input[i] + program.padding[i]
                                 : program.padding[i] > 0 || end > program.input[i];
  });
  if (program.divisor || !overruns)
    return llvm::formatv("folded / {0}.0f", program.divisor.value_or(windowVolume()));
  text += "\n/// Elements of the window at START that the average counts.\n"
          "__device__ __forceinline__ int counted(int start, int window, int low, int high) {\n"
          "  return (start + window < high ? start + window : high) - (start > low ? start : low);\n}\n";
  SmallVector<std::string> factors;
  for (char axis : axes())
    factors.push_back(llvm::formatv("counted({1} * kStride{0} - kPadding{0}, kWindow{0}, {2}, kInput{0}{3})", axis,
                                    llvm::toLower(axis),
                                    program.countsPadding ? std::string("-kPadding") + axis : std::string("0"),
                                    program.countsPadding ? std::string(" + kPadding") + axis : std::string("")));
  return "folded / static_cast<float>(" + llvm::join(factors, " *\n                                           ") + ")";
}

void PoolWriter::writeStore() {
  const std::string average = writeAverage();
  text += llvm::formatv("\n__device__ __forceinline__ void store(const Operands &operands, long long{0}, int plane, "
                        "int z, int y, int x,\n"
                        "                                      float folded) {{\n",
                        program.lastResult ? "" : " offset");
  if (program.lastResult)
    text += lastPlace("Output");
  if (!average.empty())
    text += "  const float average = " + average + ";\n";
  auto result = [&](Value value) -> std::string {
    if (value == program.pool->getResult(0))
      return average.empty() ? "folded" : "average";
    return elementOf(value);
  };
  for (auto [index, piece] : llvm::enumerate(behind))
    text += llvm::formatv("  operands.out{0}[offset] = {1};\n", index,
                          fromFloat(callElementPiece(piece, result, coordinates()), elementTypeOf(piece.root)));
  text += "}\n";
}

std::string PoolWriter::fillBody() {
  TemplateFill fill;
  fill.name = name;
  if (program.lastInput)
    fill.sections.insert("CHANNELS_LAST");
  if (rank > 1)
    fill.sections.insert("HAS_Y");
  if (rank > 2)
    fill.sections.insert("HAS_Z");
  if (packs())
    fill.sections.insert("PACKS");
  fill.replacements["signature"] = "    " + kernel() + "(" + kernelParameters(dispatch, true) + ") {\n";
  fill.replacements["operands"] = "  const Operands operands{" + kernelArguments(dispatch, true) + "};\n";
  return fillTemplate(templateBody(templateFile()), fill);
}

int64_t PoolWriter::blocks() const {
  if (inRows)
    return program.planes * stretches->ofRow;
  ArrayRef<int64_t> output = program.output;
  const int64_t ofRow = program.adaptive ? output.back() : llvm::divideCeil(output.back(), coarsen);
  return llvm::divideCeil(program.planes * ShapedType::getNumElements(output.drop_back()) * ofRow, threads);
}

FailureOr<DispatchCode> PoolWriter::write() {
  if (failed(makePieces()))
    return failure();
  text = "// " + name + ": " + program.pool->getName().getStringRef().str() + " over " +
         std::to_string(program.planes) + " planes.\n" + includeLines(dispatch) +
         (program.maximum ? "#include \"kgen_device.cuh\"\n\n" : "\n");
  if (!before.identity)
    text += before.function.text + "\n";
  for (const ElementPiece &piece : behind)
    if (!piece.identity)
      text += piece.function.text + "\n";
  writeConstants();
  text += operandStruct(dispatch);
  if (!program.adaptive)
    writeFold();
  writeLoad();
  if (packs())
    writePack();
  writeStore();
  text += "} // namespace " + name + "\n\n" + fillBody();

  DispatchCode code;
  code.source = std::move(text);
  code.launches = {LaunchSpec::ofWhole(dispatch, kernel(), blocks(), threads)};
  code.launches.back().sizedBy = templateFile();
  return code;
}

} // namespace

FailureOr<DispatchCode> emitPool(DispatchOp dispatch, const PoolProgram &program, const ScheduleParams &params) {
  return PoolWriter(dispatch, program, params).write();
}

} // namespace kgen::kernels
