//===- PointwiseFamily.cpp - Element-wise chains --------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kgen/Kernels/Emit/ElementPiece.h"

#include "kgen/Kernels/CudaTemplate.h"
#include "kgen/Kernels/Emit/ScalarEmitter.h"
#include "kgen/Kernels/Family.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace kgen::kernels {

namespace {

class PointwiseFamily : public Family {
public:
  StringRef name() const override { return "pointwise"; }
  LogicalResult match(DispatchOp dispatch) const override;
  LogicalResult complete(DispatchOp dispatch, ScheduleParams &params, const Chip &chip) const override;
  FailureOr<DispatchCode> emit(DispatchOp dispatch, const ScheduleParams &params, const Chip &chip) const override;
};

int64_t elementCount(ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  return count;
}

/// Bytes of the widest element that travels in packs.
int64_t widestElement(DispatchOp dispatch, ArrayRef<int64_t> shape) {
  int64_t bytes = 1;
  auto visit = [&](Value value) {
    if (shapeOf(value) == shape)
      bytes = std::max<int64_t>(bytes, llvm::divideCeil(elementTypeOf(value).getIntOrFloatBitWidth(), 8));
  };
  for (Value argument : dispatch.getBody().front().getArguments())
    visit(argument);
  for (Value value : dispatch.getYield().getValues())
    visit(value);
  return bytes;
}

} // namespace

LogicalResult PointwiseFamily::match(DispatchOp dispatch) const {
  YieldOp yield = dispatch.getYield();
  for (Operation &op : yield->getBlock()->without_terminator())
    if (!isPointwiseAten(&op))
      return op.emitOpError("is not element-wise, which family pointwise requires of every op");
  ArrayRef<int64_t> shape = shapeOf(yield.getValues().front());
  for (auto [index, value] : llvm::enumerate(yield.getValues())) {
    if (shapeOf(value) != shape)
      return dispatch.emitOpError("result ") << index << " of type " << value.getType()
                                             << " has another shape than result 0; one kernel covers one shape";
    if (!isPacked(value, shape))
      return dispatch.emitOpError("result ")
             << index << " of type " << value.getType() << " is not of f32, f16 or bf16";
  }
  return success();
}

LogicalResult PointwiseFamily::complete(DispatchOp dispatch, ScheduleParams &params, const Chip &chip) const {
  MLIRContext *context = dispatch.getContext();
  ArrayRef<int64_t> shape = shapeOf(dispatch.getYield().getValues().front());
  int64_t elements = elementCount(shape), bytes = widestElement(dispatch, shape);
  auto reject = [&](const Twine &text) -> LogicalResult {
    return dispatch.emitError("pointwise schedule of @") << dispatch.getName() << ": " << text;
  };
  int64_t vector = params.intOr(context, key::vec, std::min(elements & -elements, 16 / bytes));
  if (vector * bytes > 16)
    return reject("vec = " + Twine(vector) + " of " + Twine(bytes) + "-byte elements is " + Twine(vector * bytes) +
                  " bytes, an access has at most 16");
  if (elements % vector != 0)
    return reject("vec = " + Twine(vector) + " does not divide the " + Twine(elements) + " elements");
  int64_t threads = params.intOr(context, key::block, 256);
  // A second pack for each thread once there are enough blocks for several waves without it.
  int64_t blocks = llvm::divideCeil(elements, threads * vector);
  int64_t coarsen = params.intOr(context, key::coarsen, blocks >= 32 * chip.multiprocessors ? 2 : 1);
  constexpr int64_t kMostInFlight = 64; // elements of one thread, times its operands in registers
  if (coarsen * vector > kMostInFlight)
    return reject("coarsen * vec = " + Twine(coarsen * vector) + " elements in a thread, at most " +
                  Twine(kMostInFlight) + " keep their loads in registers");
  params.wordOr(context, key::cacheHint, schedule::CacheHint::None);
  return success();
}

FailureOr<DispatchCode> PointwiseFamily::emit(DispatchOp dispatch, const ScheduleParams &params,
                                              const Chip &chip) const {
  ArrayRef<int64_t> shape = shapeOf(dispatch.getYield().getValues().front());
  auto schedule = schedule::PointwisePacks::read(params);
  int64_t vector = schedule.vec, threads = schedule.block, coarsen = schedule.coarsen;
  int64_t elements = elementCount(shape);
  std::string name = dispatch.getName().str();
  SmallVector<ElementPiece> pieces;
  for (auto [index, value] : llvm::enumerate(dispatch.getYield().getValues())) {
    FailureOr<ElementPiece> piece = makeElementPiece(llvm::formatv("{0}_result{1}", name, index), value, {}, shape);
    if (failed(piece))
      return failure();
    pieces.push_back(std::move(*piece));
  }

  DispatchCode code;
  std::string &text = code.source;
  text =
      "// " + name + ": " + std::to_string(elements) + " elements, each by itself.\n" + includeLines(dispatch) + "\n";
  for (const ElementPiece &piece : pieces)
    if (!piece.identity)
      text += piece.function.text + "\n";
  text += llvm::formatv("namespace {0} {{\nconstexpr long long kElements = {1};\nconstexpr int kVector = {2};\n"
                        "constexpr int kThreads = {3};\nconstexpr int kCoarsen = {4}; // packs of one thread\n"
                        "constexpr bool kRagged = kElements % (kThreads * kCoarsen * kVector) != 0;\n",
                        name, elements, vector, threads, coarsen);
  text += operandStruct(dispatch);
  TemplateFill fill;
  fill.name = name;
  if (schedule.cacheHint == schedule::CacheHint::Streaming)
    fill.sections.insert("STREAMING");
  fill.replacements["signature"] = "    " + name + "_elements(" + kernelParameters(dispatch, true) + ") {\n";
  fill.replacements["operands"] = "  const Operands operands{" + kernelArguments(dispatch, true) + "};\n";
  text += "\n" + fillTemplate(templateBody("row_memory.cuh"), fill);

  SmallVector<const ElementPiece *> all;
  for (const ElementPiece &piece : pieces)
    all.push_back(&piece);
  text += "\n/// Computes elements [element, element + kVector).\n"
          "__device__ __forceinline__ void compute(const Operands &operands, long long element) {\n";
  text += loadPacks(packsOf(all, {}, shape), "element");
  for (auto [index, piece] : llvm::enumerate(pieces))
    text += llvm::formatv("  Pack<{0}> out{1};\n", getStorageType(elementTypeOf(piece.root)), index);
  text += "#pragma unroll\n  for (int lane = 0; lane < kVector; ++lane) {\n";
  SmallVector<std::string> dims = packCoordinates(shape, vector, "element");
  auto scalar = [&](Value value) { return toFloat(inputName(value) + ".lane[lane]", elementTypeOf(value)); };
  for (auto [index, piece] : llvm::enumerate(pieces))
    text += llvm::formatv("    out{0}.lane[lane] = {1};\n", index,
                          fromFloat(callElementPiece(piece, scalar, dims), elementTypeOf(piece.root)));
  text += "  }\n";
  for (size_t index = 0; index < pieces.size(); ++index)
    text += llvm::formatv("  store_pack(operands.out{0} + element, out{0});\n", index);
  text += "}\n} // namespace " + name + "\n\n" + fillTemplate(templateBody("pointwise.cuh"), fill);

  int64_t blocks = llvm::divideCeil(elements, threads * vector * coarsen);
  code.launches = {LaunchSpec::ofWhole(dispatch, name + "_elements", blocks, threads)};
  code.launches.back().sizedBy = "pointwise.cuh";
  return code;
}

std::unique_ptr<Family> createPointwiseFamily() { return std::make_unique<PointwiseFamily>(); }

} // namespace kgen::kernels
