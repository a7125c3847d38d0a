//===- PoolFamily.cpp - Max and average over sliding windows --------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kgen/Kernels/Emit/ElementPiece.h"

#include "kgen/Dialect/Aten/Aten.h"
#include "kgen/Dialect/KGen/Dispatch.h"
#include "kgen/Kernels/CudaTemplate.h"
#include "kgen/Kernels/Emit/ScalarEmitter.h"
#include "kgen/Kernels/Family.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;

namespace kgen::kernels {
using schedule::Resident;

namespace {

/// A pool's windows along its spatial dimensions, outermost first.
struct PoolProgram {
  Operation *pool = nullptr;
  Value source; ///< the pool's operand
  bool maximum = false, adaptive = false, countsPadding = true;
  std::optional<int64_t> divisor; ///< divisor_override
  SmallVector<int64_t> window, stride, padding, dilation, input, output;
  int64_t planes = 1;
  Value lastInput;         ///< what the pool's operand is a permutation of, with its channels last; or null
  bool lastResult = false; ///< results are permuted such that channels are last
  int64_t channels = 1;    ///< with either

  unsigned rank() const { return input.size(); }
  /// Inputs from the first to the last of a window along dimension I.
  int64_t span(unsigned i) const { return (window[i] - 1) * dilation[i] + 1; }
  bool overlap(unsigned i) const { return stride[i] < span(i); }
  /// Whether a block can fold stretches of rows.
  bool hasRows() const { return rank() == 1 && !adaptive && !lastInput && !lastResult && output[0] > 0; }
  /// Of rows: outputs between two windows whose taps are the same elements, but for the TAPS that are only of one.
  int64_t apart() const { return dilation[0] / std::gcd(dilation[0], stride[0]); }
  int64_t taps() const { return stride[0] / std::gcd(dilation[0], stride[0]); }
  /// Whether a window of ITEMS outputs along dimension I can leave the input.
  bool leavesInput(unsigned i, int64_t outputs) const {
    return padding[i] > 0 || (outputs - 1) * stride[i] + (window[i] - 1) * dilation[i] - padding[i] >= input[i];
  }
};

class PoolFamily : public Family {
public:
  StringRef name() const override { return "pool"; }
  LogicalResult match(DispatchOp dispatch) const override { return analyze(dispatch); }
  LogicalResult complete(DispatchOp dispatch, ScheduleParams &params, const Chip &chip) const override;
  FailureOr<DispatchCode> emit(DispatchOp dispatch, const ScheduleParams &params, const Chip &chip) const override;
  graph::WorkFact getWork(DispatchOp dispatch) const override;
  bool readsOnce(Operation *anchor) const override;

private:
  static FailureOr<PoolProgram> analyze(DispatchOp dispatch);
  static LogicalResult completeRows(DispatchOp dispatch, const PoolProgram &program, ScheduleParams &params);
};

bool movesChannelsInFront(Value value) {
  return value.getDefiningOp() && movesChannels(value.getDefiningOp(), /*toLast=*/false);
}

/// What YIELDED is, in the order that the pool knows.
Value beforeLayout(Value yielded) {
  Operation *op = yielded.getDefiningOp();
  return op && movesChannels(op, /*toLast=*/true) ? op->getOperand(0) : yielded;
}

constexpr char kAxes[] = {'Z', 'Y', 'X'};
constexpr int64_t kMostSpan = 64;  // floats of an input row in a thread's registers
constexpr int64_t kShortRow = 512; // outputs, for which a block per stretch has too little to do

/// Threads of a block, outputs of one.
template <typename Schedule>
std::pair<int64_t, int64_t> extentsOf(const Schedule &schedule) {
  return {schedule.block, schedule.coarsen};
}

/// How blocks fold rows: outputs of a block, those of a line of 128 bytes, floats in shared memory, blocks of a row.
struct Stretches {
  int64_t line, length, held, ofRow;

  Stretches(const PoolProgram &program, Type result, int64_t threads, int64_t coarsen) {
    const int64_t all = threads / program.apart() * program.apart() * coarsen; // outputs
    line = 1024 / result.getIntOrFloatBitWidth();
    length = all / line * line;
    held = (all - 1) * program.stride[0] + program.span(0) + 16;
    ofRow = length ? llvm::divideCeil(program.output[0] + line - 1, length) : 0;
  }
};

void describe(Operation *op, PoolProgram &program) {
  auto common = [&](auto pool) {
    program.pool = op;
    program.source = pool.getSelf();
    program.window = llvm::to_vector(pool.getKernelSize());
    program.stride = llvm::to_vector(pool.getEffectiveStride());
    program.padding = llvm::to_vector(pool.getPadding());
    program.dilation.assign(program.window.size(), 1);
  };
  llvm::TypeSwitch<Operation *>(op)
      .Case<aten::MaxPool1dOp, aten::MaxPool2dOp, aten::MaxPool3dOp>([&](auto pool) {
        common(pool);
        program.dilation = llvm::to_vector(pool.getDilation());
        program.maximum = true;
      })
      .Case<aten::AvgPool1dOp>([&](auto pool) {
        common(pool);
        program.countsPadding = pool.getCountIncludePad();
      })
      .Case<aten::AvgPool2dOp, aten::AvgPool3dOp>([&](auto pool) {
        common(pool);
        program.countsPadding = pool.getCountIncludePad();
        if (pool.getDivisorOverride())
          program.divisor = static_cast<int64_t>(*pool.getDivisorOverride());
      })
      .Case<aten::AdaptiveAvgPool1dOp, aten::AdaptiveAvgPool2dOp, aten::AdaptiveAvgPool3dOp>([&](auto pool) {
        program.pool = op;
        program.source = pool.getSelf();
        program.adaptive = true;
        program.window.assign(pool.getOutputSize().size(), 1); // for the rank alone
      });
}

} // namespace

FailureOr<PoolProgram> PoolFamily::analyze(DispatchOp dispatch) {
  PoolProgram program;
  YieldOp yield = dispatch.getYield();
  for (Operation &op : yield->getBlock()->without_terminator()) {
    if (isPointwiseAten(&op))
      continue;
    if (!program.pool && movesChannels(&op, /*toLast=*/false) && isa<BlockArgument>(op.getOperand(0))) {
      program.lastInput = op.getOperand(0);
      continue;
    }
    if (program.pool && movesChannels(&op, /*toLast=*/true) && op.hasOneUse() && *op.getUsers().begin() == yield) {
      program.lastResult = true;
      continue;
    }
    if (program.pool) {
      InFlightDiagnostic diag = op.emitOpError("has no place beside a pool: expected element-wise ops around it");
      diag.attachNote(program.pool->getLoc()) << "the pool";
      return failure();
    }
    describe(&op, program);
    if (!program.pool)
      return op.emitOpError("has no place in a pool kernel: expected element-wise ops around one pool");
  }
  if (!program.pool)
    return dispatch.emitOpError("holds no pool");
  ArrayRef<int64_t> shape = shapeOf(program.source), result = shapeOf(program.pool->getResult(0));
  size_t rank = program.window.size();
  program.input = llvm::to_vector(shape.take_back(rank));
  program.output = llvm::to_vector(result.take_back(rank));
  for (int64_t extent : shape.drop_back(rank))
    program.planes *= extent;
  if (program.lastInput || program.lastResult) {
    auto readsPlaces = [&](Value value) {
      return isa<BlockArgument>(value) && value != program.source && value != program.lastInput &&
             shapeOf(value) == result;
    };
    if (shape.size() != rank + 2 || (program.lastInput && !movesChannelsInFront(program.source)) ||
        llvm::any_of(yield->getBlock()->getArguments(), readsPlaces))
      return program.pool->emitOpError("has its channels last where images are all that is read");
    program.channels = shape[1];
  }
  for (auto [index, yielded] : llvm::enumerate(yield.getValues())) {
    Value value = beforeLayout(yielded);
    if (program.lastResult && value == yielded)
      return dispatch.emitOpError("has its channels last in all results or in none");
    if (!isPacked(value, result))
      return dispatch.emitOpError("result ")
             << index << " of type " << value.getType() << " is not of the pooled shape and f32, f16 or bf16";
    // A second path from the input to a result would need the input at the pooled position.
    for (Operation *op : sliceBetween(value, {program.pool->getResult(0)}))
      for (Value operand : op->getOperands())
        if (operand == program.source)
          return op->emitOpError("uses the pool's operand behind the pool");
  }
  if (!isPacked(program.source, shape))
    return program.pool->emitOpError("works on ") << elementTypeOf(program.source) << ", expected f32, f16 or bf16";
  if (!program.adaptive && program.span(program.rank() - 1) > kMostSpan)
    return program.pool->emitOpError("has windows that span ")
           << program.span(program.rank() - 1) << " elements of a row, at most " << kMostSpan
           << " fit in a thread's registers";
  return program;
}

/// Where windows do not overlap.
bool PoolFamily::readsOnce(Operation *anchor) const {
  PoolProgram program;
  describe(anchor, program);
  if (!program.pool || program.adaptive)
    return false;
  return llvm::none_of(llvm::seq<unsigned>(0, program.window.size()), [&](unsigned i) { return program.overlap(i); });
}

graph::WorkFact PoolFamily::getWork(DispatchOp dispatch) const {
  FailureOr<PoolProgram> program = analyze(dispatch);
  graph::WorkFact work;
  const unsigned rank = program->rank();
  work.windowDepths = rank == 3 ? program->window[0] : 1;
  work.separateWindows = !program->adaptive && llvm::all_of(llvm::seq(0u, rank), [&](unsigned i) {
    return program->stride[i] == program->span(i) && program->dilation[i] == 1 &&
           !program->leavesInput(i, program->output[i]);
  });
  if (!program->maximum || program->rank() > 2 || program->window.back() > 32)
    return work;
  work.runningMaximum = llvm::all_of(program->dilation, [](int64_t dilation) { return dilation == 1; }) &&
                        (program->rank() == 1 || program->window[0] == program->stride[0] ||
                         program->window[0] == program->stride[0] + 1);
  return work;
}

static LogicalResult rejectSchedule(DispatchOp dispatch, const Twine &text) {
  return dispatch.emitError("pool schedule of @") << dispatch.getName() << ": " << text;
}

LogicalResult PoolFamily::complete(DispatchOp dispatch, ScheduleParams &params, const Chip &chip) const {
  FailureOr<PoolProgram> program = analyze(dispatch);
  if (failed(program))
    return failure();
  MLIRContext *context = dispatch.getContext();
  auto reject = [&](const Twine &text) { return rejectSchedule(dispatch, text); };
  // Windows that share what they read: 16 bytes of it travel at a time.
  const bool longRows = program->hasRows() && program->overlap(0) && program->output[0] >= kShortRow;
  const Resident resident = params.wordOr(context, key::resident, longRows ? Resident::Smem : Resident::None);
  if (resident == Resident::Smem)
    return completeRows(dispatch, *program, params);
  params.intOr(context, key::block, 256);
  if (program->adaptive) {
    int64_t coarsen = params.intOr(context, key::coarsen, 1);
    return coarsen == 1 ? success() : reject("coarsen = " + Twine(coarsen) + ", expected 1 for an adaptive pool");
  }
  // Windows that overlap share what they read; windows apart gain nothing from one thread.
  const bool overlap = program->overlap(program->rank() - 1);
  const int64_t span = program->span(program->rank() - 1);
  int64_t fallback = overlap && span + program->stride.back() <= kMostSpan && program->output.back() >= 2 ? 2 : 1;
  int64_t coarsen = params.intOr(context, key::coarsen, fallback);
  if (coarsen > program->output.back())
    return reject("coarsen = " + Twine(coarsen) + " outputs in a thread, a row has " + Twine(program->output.back()));
  int64_t covered = (coarsen - 1) * program->stride.back() + span;
  if (covered > kMostSpan)
    return reject("coarsen = " + Twine(coarsen) + " covers " + Twine(covered) + " elements of an input row, at most " +
                  Twine(kMostSpan) + " fit in a thread's registers");
  return success();
}

LogicalResult PoolFamily::completeRows(DispatchOp dispatch, const PoolProgram &program, ScheduleParams &params) {
  MLIRContext *context = dispatch.getContext();
  auto reject = [&](const Twine &text) { return rejectSchedule(dispatch, text); };
  if (!program.hasRows())
    return reject("resident = smem folds windows of fixed size along one dimension that lies innermost");
  const int64_t threads = params.intOr(context, key::block, 96), window = program.window[0], taps = program.taps();
  // An odd number: neighbours' elements lie in different banks.
  const int64_t most = window < kMostSpan ? (kMostSpan - window) / taps + 1 : 1;
  const int64_t coarsen = params.intOr(context, key::coarsen, std::min<int64_t>(11, (most - 1) / 2 * 2 + 1));
  if (coarsen > most)
    return reject("coarsen = " + Twine(coarsen) + " takes " + Twine((coarsen - 1) * taps + window) +
                  " elements of an input row, at most " + Twine(kMostSpan) + " fit in a thread's registers");
  if (program.apart() > threads)
    return reject("windows that share elements are " + Twine(program.apart()) + " outputs apart, a block has " +
                  Twine(threads) + " threads");
  const Stretches stretches(program, getElementTypeOrSelf(dispatch.getResult(0).getType()), threads, coarsen);
  if (stretches.length == 0)
    return reject("a block of " + Twine(threads) + " threads with coarsen = " + Twine(coarsen) +
                  " has less than a line of 128 bytes of results");
  if (stretches.held * 4 > Chip::staticSharedBytes)
    return reject("a block's windows span " + Twine(stretches.held * 4) + " bytes of shared memory, at most " +
                  Twine(Chip::staticSharedBytes) + " are there");
  return success();
}

FailureOr<DispatchCode> PoolFamily::emit(DispatchOp dispatch, const ScheduleParams &params, const Chip &chip) const {
  FailureOr<PoolProgram> analyzed = analyze(dispatch);
  if (failed(analyzed))
    return failure();
  PoolProgram &program = *analyzed;
  const bool inRows = params.getWord(key::resident) == Resident::Smem;
  auto [threads, coarsen] =
      inRows ? extentsOf(schedule::PoolRows::read(params)) : extentsOf(schedule::PoolWindows::read(params));
  std::string name = dispatch.getName().str();
  Value pooled = program.pool->getResult(0);
  ArrayRef<int64_t> inputShape = shapeOf(program.source), outputShape = shapeOf(pooled);

  SmallVector<Value> stops;
  if (program.lastInput)
    stops.push_back(program.source);
  FailureOr<ElementPiece> before = makeElementPiece(name + "_before", program.source, stops, inputShape);
  if (failed(before))
    return failure();
  SmallVector<ElementPiece> behind;
  for (auto [index, value] : llvm::enumerate(dispatch.getYield().getValues())) {
    FailureOr<ElementPiece> piece =
        makeElementPiece(llvm::formatv("{0}_behind{1}", name, index), beforeLayout(value), {pooled}, outputShape);
    if (failed(piece))
      return failure();
    behind.push_back(std::move(*piece));
  }

  DispatchCode code;
  std::string &text = code.source;
  text = "// " + name + ": " + program.pool->getName().getStringRef().str() + " over " +
         std::to_string(program.planes) + " planes.\n" + includeLines(dispatch) +
         (program.maximum ? "#include \"kgen_device.cuh\"\n\n" : "\n");
  if (!before->identity)
    text += before->function.text + "\n";
  for (const ElementPiece &piece : behind)
    if (!piece.identity)
      text += piece.function.text + "\n";

  // Constants, one set for each axis.
  text += llvm::formatv("namespace {0} {{\nconstexpr long long kPlanes = {1};\nconstexpr int kThreads = {2};\n", name,
                        program.planes, threads);
  if (program.lastInput || program.lastResult)
    text += llvm::formatv("constexpr int kChannels = {0};\n", std::max<int64_t>(program.channels, 1));
  unsigned rank = program.rank();
  auto constant = [&](StringRef what, char axis, int64_t value) {
    text += llvm::formatv("constexpr int k{0}{1} = {2};\n", what, axis, value);
  };
  int64_t windowVolume = 1;
  for (unsigned i = 0; i < 3; ++i) {
    bool present = i + rank >= 3;
    unsigned dim = present ? i + rank - 3 : 0;
    if (!present && !program.adaptive)
      continue;
    constant("Input", kAxes[i], present ? program.input[dim] : 1);
    constant("Output", kAxes[i], present ? program.output[dim] : 1);
    if (program.adaptive)
      continue;
    constant("Window", kAxes[i], program.window[dim]);
    constant("Stride", kAxes[i], program.stride[dim]);
    constant("Padding", kAxes[i], program.padding[dim]);
    constant("Dilation", kAxes[i], program.dilation[dim]);
    int64_t outputs = program.output[dim];
    if (kAxes[i] == 'X')
      outputs = llvm::alignTo(outputs, coarsen);
    text += llvm::formatv("constexpr bool kGuard{0} = {1}; // windows leave the input\n", kAxes[i],
                          program.leavesInput(dim, outputs) ? "true" : "false");
    windowVolume *= program.window[dim];
  }
  if (!program.adaptive) {
    constexpr int64_t kUnrolledWindow = 64;
    text += llvm::formatv("constexpr int kCoarsen = {0}; // outputs of one thread\n", coarsen);
    if (rank > 1)
      text += llvm::formatv("constexpr int kUnroll = {0};\n",
                            windowVolume <= kUnrolledWindow ? *llvm::max_element(program.window) : 1);
    if (!inRows)
      text += "constexpr int kItemsX = (kOutputX + kCoarsen - 1) / kCoarsen;\n"
              "constexpr int kSpan = (kCoarsen - 1) * kStrideX + (kWindowX - 1) * kDilationX + 1;\n";
  }
  std::optional<Stretches> stretches;
  if (inRows) {
    stretches.emplace(program, elementTypeOf(dispatch.getYield().getValues().front()), threads, coarsen);
    text +=
        llvm::formatv("constexpr int kApart = {0}, kTaps = {1}; // outputs, and elements, between a thread's windows\n"
                      "constexpr int kLine = {2}, kStretch = {3}; // outputs of 128 bytes, of a block\n",
                      program.apart(), program.taps(), stretches->line, stretches->length);
  }
  text += operandStruct(dispatch);
  if (!program.adaptive)
    text += program.maximum
                ? "\n__device__ __forceinline__ float neutral() { return -__int_as_float(0x7f800000); }\n"
                  "// NaN wins, as in PyTorch.\n"
                  "__device__ __forceinline__ float fold(float a, float b) { return kgen::max_nan(a, b); }\n"
                : "\n__device__ __forceinline__ float neutral() { return 0.0f; }\n"
                  "__device__ __forceinline__ float fold(float a, float b) { return a + b; }\n";

  // The element before and behind the pool, at (plane, z, y, x).
  SmallVector<std::string> dims;
  SmallVector<int64_t> leading = llvm::to_vector(inputShape.drop_back(rank));
  if (leading.size() == 1)
    dims.push_back("plane");
  else if (leading.size() == 2) {
    dims.push_back("plane / " + std::to_string(leading[1]));
    dims.push_back("plane % " + std::to_string(leading[1]));
  }
  for (unsigned i = 3 - rank; i < 3; ++i)
    dims.push_back(std::string(1, static_cast<char>(kAxes[i] - 'A' + 'a')));
  auto element = [&](Value value) {
    Value read = program.lastInput && value == program.source ? program.lastInput : value;
    return toFloat("operands." + inputName(read) + "[offset]", elementTypeOf(value));
  };
  // The place of (plane, z, y, x) in a tensor with channels last, of the extents WHAT.
  auto lastPlace = [&](StringRef what) {
    std::string place = "static_cast<long long>(plane / kChannels)";
    for (unsigned i = 3 - rank; i < 3; ++i)
      place = llvm::formatv("({0} * k{1}{2} + {3})", place, what, kAxes[i], static_cast<char>(kAxes[i] - 'A' + 'a'));
    return "  const long long offset = " + place + " * kChannels + plane % kChannels;\n";
  };
  text += "\n/// The pool's input element";
  text += before->identity ? ".\n" : ", after the ops fused in front.\n";
  text +=
      program.lastInput
          ? "__device__ __forceinline__ float load(const Operands &operands, long long, int plane, int z, int y, int "
            "x) "
            "{\n" +
                lastPlace("Input")
          : "__device__ __forceinline__ float load(const Operands &operands, long long offset, int plane, int z, int "
            "y, int x) {\n";
  text += "  return " + callElementPiece(*before, element, dims) + ";\n}\n";

  const bool packs = inRows && before->identity;
  if (packs) {
    const Type element = elementTypeOf(program.source);
    const std::string type(getStorageType(element));
    text += llvm::formatv(
        "\n/// Neighbouring elements of the input, 16 bytes.\n"
        "constexpr int kPack = {0};\nstruct Source {{\n  {1} lane[kPack];\n};\n"
        "__device__ __forceinline__ const {1} *source(const Operands &operands) {{ return operands.{2}; }\n"
        "__device__ __forceinline__ float widened({1} value) {{ return {3}; }\n",
        128 / element.getIntOrFloatBitWidth(), type, inputName(program.source), toFloat("value", element));
  }

  std::string average;
  if (!program.maximum && !program.adaptive) {
    int64_t divisor = program.divisor.value_or(windowVolume);
    bool overruns = false;
    for (unsigned i = 0; i < rank; ++i) {
      int64_t end = (program.output[i] - 1) * program.stride[i] - program.padding[i] + program.window[i];
      overruns |= program.countsPadding ? end > program.input[i] + program.padding[i]
                                        : program.padding[i] > 0 || end > program.input[i];
    }
    if (program.divisor || !overruns) {
      average = llvm::formatv("folded / {0}.0f", divisor);
    } else {
      text += "\n/// Elements of the window at START that the average counts.\n"
              "__device__ __forceinline__ int counted(int start, int window, int low, int high) {\n"
              "  return (start + window < high ? start + window : high) - (start > low ? start : low);\n}\n";
      SmallVector<std::string> factors;
      for (unsigned i = 3 - rank; i < 3; ++i) {
        char axis = kAxes[i], lower = static_cast<char>(axis - 'A' + 'a');
        factors.push_back(llvm::formatv("counted({1} * kStride{0} - kPadding{0}, kWindow{0}, {2}, kInput{0}{3})", axis,
                                        lower,
                                        program.countsPadding ? std::string("-kPadding") + axis : std::string("0"),
                                        program.countsPadding ? std::string(" + kPadding") + axis : std::string("")));
      }
      average =
          "folded / static_cast<float>(" + llvm::join(factors, " *\n                                           ") + ")";
    }
  }
  text += std::string("\n__device__ __forceinline__ void store(const Operands &operands, long long") +
          (program.lastResult ? "" : " offset") +
          ", int plane, int z, int "
          "y, int x,\n"
          "                                      float folded) {\n";
  if (program.lastResult)
    text += lastPlace("Output");
  if (!average.empty())
    text += "  const float average = " + average + ";\n";
  auto result = [&](Value value) -> std::string {
    if (value == pooled)
      return average.empty() ? "folded" : "average";
    return element(value);
  };
  for (auto [index, piece] : llvm::enumerate(behind))
    text += llvm::formatv("  operands.out{0}[offset] = {1};\n", index,
                          fromFloat(callElementPiece(piece, result, dims), elementTypeOf(piece.root)));
  text += "}\n} // namespace " + name + "\n\n";

  TemplateFill fill;
  fill.name = name;
  if (program.lastInput)
    fill.sections.insert("CHANNELS_LAST");
  if (rank > 1)
    fill.sections.insert("HAS_Y");
  if (rank > 2)
    fill.sections.insert("HAS_Z");
  if (packs)
    fill.sections.insert("PACKS");
  const std::string kernel = name + (inRows ? "_rows" : "_windows");
  fill.replacements["signature"] = "    " + kernel + "(" + kernelParameters(dispatch, true) + ") {\n";
  fill.replacements["operands"] = "  const Operands operands{" + kernelArguments(dispatch, true) + "};\n";
  const StringRef file = program.adaptive ? "pool_adaptive.cuh" : inRows ? "pool_rows.cuh" : "pool.cuh";
  text += fillTemplate(templateBody(file), fill);

  int64_t items = program.planes;
  for (unsigned i = 0; i < rank; ++i)
    items *= i + 1 == rank && !program.adaptive ? llvm::divideCeil(program.output[i], coarsen) : program.output[i];
  const int64_t blocks = inRows ? program.planes * stretches->ofRow : llvm::divideCeil(items, threads);
  code.launches = {LaunchSpec::ofWhole(dispatch, kernel, blocks, threads)};
  code.launches.back().sizedBy = file;
  return code;
}

std::unique_ptr<Family> createPoolFamily() { return std::make_unique<PoolFamily>(); }

} // namespace kgen::kernels
