//===- AttentionFamily.cpp - Scaled dot product attention -----------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionProgram.h"
#include "kgen/Kernels/Emit/ElementPiece.h"

#include "kgen/Dialect/Aten/Aten.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace mlir;

namespace kgen::kernels {

FailureOr<AttentionProgram> readAttention(DispatchOp dispatch) {
  AttentionProgram program;
  aten::ScaledDotProductAttentionOp attention;
  Operation *store = nullptr;
  for (Operation &op : dispatch.getYield()->getBlock()->without_terminator()) {
    if (!attention && isStridedView(&op))
      continue;
    if (attention && !store && isAttentionStore(&op) && op.getOperand(0).getDefiningOp() == attention) {
      store = &op;
      continue;
    }
    auto found = dyn_cast<aten::ScaledDotProductAttentionOp>(op);
    if (!found || attention)
      return op.emitOpError("has no place in an attention kernel: expected one scaled_dot_product_attention alone");
    attention = found;
  }
  if (!attention)
    return dispatch.emitOpError("holds no scaled_dot_product_attention");
  program.op = attention;
  program.element = elementTypeOf(attention.getQuery());
  if (!program.element.isF16() && !program.element.isBF16() && !program.element.isF32() && !program.element.isF64())
    return attention.emitOpError("works on ") << program.element << ", expected f64, f32, f16 or bf16";
  ArrayRef<int64_t> query = shapeOf(attention.getQuery()), key = shapeOf(attention.getKey());
  for (int64_t extent : query.drop_back(2))
    program.heads *= extent;
  program.queries = query[query.size() - 2];
  program.keys = key[key.size() - 2];
  program.depth = query.back();
  program.valueDepth = shapeOf(attention.getValue()).back();
  program.causal = attention.getIsCausal();
  program.scale = 1 / std::sqrt(static_cast<double>(program.depth));
  if (attention.getScaleAttr())
    program.scale = attention.getScaleAttr().getValueAsDouble();
  if (!(program.scale > 0))
    return attention.emitOpError("has a scale of ") << program.scale << ", expected a positive one";
  program.precision = precisionOf(dispatch->getParentOfType<ModuleOp>());
  for (auto [input, layout] :
       {std::pair(attention.getQuery(), &program.query), std::pair(attention.getKey(), &program.key),
        std::pair(attention.getValue(), &program.value)}) {
    std::optional<AttentionInput> found = readInput(input, shapeOf(input));
    if (!found || found->column != 1)
      return attention.emitOpError("reads rows that are not an input's, one stride apart");
    *layout = *found;
    program.inputs.push_back(found->buffer);
  }
  if (Value mask = attention.getAttnMask()) {
    SmallVector<int64_t> scores(query.drop_back());
    scores.push_back(program.keys);
    if (!(program.mask = readInput(mask, scores)))
      return attention.emitOpError("has a mask that is not an input's, under strides");
    program.inputs.push_back(program.mask->buffer);
  }
  for (Value result : dispatch.getYield().getValues())
    if (result.getDefiningOp() != (store ? store : attention.getOperation()))
      return dispatch.emitOpError("yields a view, expected the result of scaled_dot_product_attention");
  std::optional<AttentionInput> out = readOutput(attention.getResult(), store);
  if (!out || out->column != 1)
    return store->emitOpError("leaves no rows of a head one stride apart");
  program.out = *out;
  return program;
}

LogicalResult rejectAttention(DispatchOp dispatch, const Twine &text) {
  return dispatch.emitError("attention schedule of @") << dispatch.getName() << ": " << text;
}

std::string attentionSizes(StringRef name, const AttentionProgram &program) {
  return llvm::formatv("// {0}: {1}attention of {2} heads, {3} queries by {4} keys of {5} elements.\n", name,
                       program.causal ? "causal " : "", program.heads, program.queries, program.keys, program.depth);
}

std::string depthFault(const AttentionProgram &program, int64_t step, int64_t most) {
  if (program.valueDepth != program.depth || program.depth % step != 0 || program.depth > most)
    return ("has heads of " + Twine(program.depth) + " and values of " + Twine(program.valueDepth) +
            " elements, expected the same multiple of " + Twine(step) + ", at most " + Twine(most))
        .str();
  return "";
}

std::string narrowFault(const AttentionProgram &program, int64_t most) {
  if (!program.element.isF16() && !program.element.isBF16()) {
    std::string type;
    llvm::raw_string_ostream(type) << program.element;
    return "works on '" + type + "', expected f16 or bf16";
  }
  return depthFault(program, 16, most);
}

LogicalResult completeOperands(DispatchOp dispatch, schedule::Dtype dtype, ScheduleParams &params) {
  MLIRContext *context = dispatch.getContext();
  if (schedule::Dtype wanted = params.wordOr(context, key::dtype, dtype); wanted != dtype)
    return rejectAttention(dispatch, "dtype = " + Twine(wordOf(wanted)) + ", expected " + wordOf(dtype) +
                                         ", the type of the queries");
  params.wordOr(context, key::reduce, schedule::Reduce::Online);
  return success();
}

namespace {

class AttentionFamily : public Family {
public:
  AttentionFamily() {
    // The best first: a schedule that leaves mma open gets the first kernel that can.
    kernels.push_back(createAttentionWgmma());
    kernels.push_back(createAttentionMma());
    kernels.push_back(createAttentionSimt());
    split = createAttentionSplit();
  }
  StringRef name() const override { return "attention"; }
  LogicalResult match(DispatchOp dispatch) const override { return readAttention(dispatch); }

  /// Views in front, in the dispatch or before it, say how many heads share their keys.
  graph::WorkFact getWork(DispatchOp dispatch) const override {
    graph::WorkFact work;
    for (auto op : dispatch.getBody().front().getOps<aten::ScaledDotProductAttentionOp>()) {
      ArrayRef<int64_t> shape = shapeOf(op.getKey());
      const int64_t head = shape.back() * shape[shape.size() - 2];
      int64_t least = llvm::product_of(shape);
      Value value = op.getKey();
      while (true) {
        if (auto argument = dyn_cast<BlockArgument>(value);
            argument && argument.getOwner() == &dispatch.getBody().front())
          value = dispatch.getInputs()[argument.getArgNumber()];
        least = std::min(least, llvm::product_of(shapeOf(value)));
        Operation *view = value.getDefiningOp();
        if (!view || !isStridedView(view))
          break;
        value = view->getOperand(0);
      }
      work.keyHeads = std::max<int64_t>(1, least / head);
    }
    return work;
  }

  LogicalResult complete(DispatchOp dispatch, ScheduleParams &params, const Chip &chip) const override {
    FailureOr<AttentionProgram> program = readAttention(dispatch);
    if (failed(program))
      return failure();
    auto able = [&](const auto &kernel) { return kernel->fault(*program, chip).empty(); };
    // Where none can, the last one says why.
    const auto *first = llvm::find_if(kernels, able);
    const AttentionKernel &best = params.has(key::splitKeys) ? *split
                                  : first == kernels.end()   ? *kernels.back()
                                                             : **first;
    schedule::Mma mma = params.wordOr(dispatch.getContext(), key::mma, best.mma());
    const AttentionKernel *kernel = find(params);
    if (!kernel)
      return rejectAttention(dispatch, "mma = " + Twine(wordOf(mma)) + ", expected " + words());
    if (std::string fault = kernel->fault(*program, chip); !fault.empty())
      return program->op->emitOpError(fault);
    return kernel->complete(dispatch, *program, params, chip);
  }

  FailureOr<DispatchCode> emit(DispatchOp dispatch, const ScheduleParams &params, const Chip &chip) const override {
    FailureOr<AttentionProgram> program = readAttention(dispatch);
    if (failed(program))
      return failure();
    return find(params)->emit(dispatch, *program, params, chip);
  }

private:
  const AttentionKernel *find(const ScheduleParams &params) const {
    if (params.has(key::splitKeys))
      return split.get();
    const schedule::Mma mma = *params.getWord(key::mma);
    for (const auto &kernel : kernels)
      if (kernel->mma() == mma)
        return kernel.get();
    return nullptr;
  }
  std::string words() const {
    std::string text;
    for (const auto &kernel : kernels)
      text += (text.empty() ? "" : &kernel == &kernels.back() ? " or " : ", ") + std::string(wordOf(kernel->mma()));
    return text;
  }

  SmallVector<std::unique_ptr<AttentionKernel>> kernels; ///< by `mma`
  std::unique_ptr<AttentionKernel> split;                ///< with `split_keys`
};

} // namespace

std::unique_ptr<Family> createAttentionFamily() { return std::make_unique<AttentionFamily>(); }

} // namespace kgen::kernels
