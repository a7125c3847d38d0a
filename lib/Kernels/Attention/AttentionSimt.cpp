//===- AttentionSimt.cpp - Attention by ordinary arithmetic ---------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Round 0 of every attention, and its fp64 answer on a card: any float type
// and depth, and no score matrix in memory.
//
//===----------------------------------------------------------------------===//

#include "AttentionProgram.h"
#include "kgen/Kernels/CudaTemplate.h"
#include "kgen/Kernels/Emit/ElementPiece.h"

#include "kgen/Kernels/Emit/ScalarEmitter.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace kgen::kernels {
namespace {

constexpr int64_t side = 16; ///< threads along either side of a tile

/// Bytes of the tiles of queries, keys or values, and weights; rows carry one element of padding.
int64_t sharedBytes(const AttentionProgram &program, ArrayRef<int64_t> tile) {
  int64_t wide = std::max<int64_t>(program.depth, llvm::alignTo(program.valueDepth, side)) + 1;
  int64_t elements = tile[0] * (program.depth + 1) + tile[1] * wide + tile[0] * (tile[1] + 1);
  return elements * (program.element.isF64() ? 8 : 4);
}

/// 32-bit registers of a thread for scores and results.
int64_t heldRegisters(const AttentionProgram &program, ArrayRef<int64_t> tile) {
  int64_t outs = llvm::divideCeil(program.valueDepth, side);
  return tile[0] / side * (tile[1] / side + outs) * (program.element.isF64() ? 2 : 1);
}
constexpr int64_t mostHeld = 160;

class AttentionSimt : public AttentionKernel {
public:
  schedule::Mma mma() const override { return schedule::Mma::None; }
  std::string fault(const AttentionProgram &program, const Chip &chip) const override;
  LogicalResult complete(DispatchOp dispatch, const AttentionProgram &program, ScheduleParams &params,
                         const Chip &chip) const override;
  DispatchCode emit(DispatchOp dispatch, const AttentionProgram &program, const ScheduleParams &params,
                    const Chip &chip) const override;
};

} // namespace

std::string AttentionSimt::fault(const AttentionProgram &program, const Chip &chip) const {
  SmallVector<int64_t> least = {side, side};
  if (sharedBytes(program, least) > chip.sharedBytesPerBlock || heldRegisters(program, least) > mostHeld)
    return ("has heads of " + Twine(program.depth) + " and values of " + Twine(program.valueDepth) +
            " elements, more than one block holds")
        .str();
  return "";
}

LogicalResult AttentionSimt::complete(DispatchOp dispatch, const AttentionProgram &program, ScheduleParams &params,
                                      const Chip &chip) const {
  MLIRContext *context = dispatch.getContext();
  auto reject = [&](const Twine &text) { return rejectAttention(dispatch, text); };
  SmallVector<int64_t> fitting = {4 * side, 4 * side};
  while (fitting[0] > side && (sharedBytes(program, fitting) > chip.sharedBytesPerBlock ||
                               heldRegisters(program, fitting) > mostHeld || fitting[0] >= 2 * program.queries))
    fitting = {fitting[0] / 2, fitting[1] / 2};
  SmallVector<int64_t> tile = params.intsOr(context, key::tile, fitting);
  if (heldRegisters(program, tile) > mostHeld)
    return reject("tile [" + Twine(tile[0]) + ", " + Twine(tile[1]) + "] holds " + Twine(heldRegisters(program, tile)) +
                  " registers of scores and results in a thread, at most " + Twine(mostHeld) + " fit");
  if (sharedBytes(program, tile) > chip.sharedBytesPerBlock)
    return reject("tile [" + Twine(tile[0]) + ", " + Twine(tile[1]) + "] needs " + Twine(sharedBytes(program, tile)) +
                  " bytes of shared memory, expected at most " + Twine(chip.sharedBytesPerBlock));
  params.wordOr(context, key::reduce, schedule::Reduce::Online);
  return success();
}

DispatchCode AttentionSimt::emit(DispatchOp dispatch, const AttentionProgram &program, const ScheduleParams &params,
                                 const Chip &chip) const {
  auto schedule = schedule::AttentionSimt::read(params);
  const auto &tile = schedule.tile;
  std::string name = dispatch.getName().str();
  bool wide = program.element.isF64();
  MLIRContext *context = dispatch.getContext();
  CudaHelpers helpers;
  helpers.need("KGEN_INFINITY");
  helpers.needType(program.element);
  Type real = wide ? Type(Float64Type::get(context)) : Type(Float32Type::get(context));
  std::string scale = printLiteral(FloatAttr::get(real, program.scale), helpers);

  DispatchCode code;
  code.source = attentionSizes(name, program) + helpers.text();
  code.source += llvm::formatv("\nnamespace {0} {{\nusing Element = {1};\nusing Real = {2};\n"
                               "constexpr int kQueries = {3}, kKeys = {4}, kDepth = {5}, kValueDepth = {6};\n"
                               "constexpr int kTileQueries = {7}, kTileKeys = {8};\nconstexpr Real kScale = {9};\n",
                               name, getStorageType(program.element), wide ? "double" : "float", program.queries,
                               program.keys, program.depth, program.valueDepth, tile[0], tile[1], scale);
  code.source +=
      llvm::formatv("__device__ __forceinline__ Real widen(Element x) {{ return {0}; }\n"
                    "__device__ __forceinline__ Element narrow(Real x) {{ return {1}; }\n"
                    "__device__ __forceinline__ Real power(Real x) {{ return {2}(x); }\n} // namespace {3}\n\n",
                    wide ? "x" : toFloat("x", program.element), wide ? "x" : fromFloat("x", program.element),
                    wide ? "exp" : "expf", name);
  if (std::string starts = printStarts(program); !starts.empty()) {
    code.source += "namespace " + name + " {\n" + starts;
    if (program.mask && program.mask->element.isInteger(1))
      code.source += "__device__ __forceinline__ Real masked(Real score, Mask seen) { return seen ? score : "
                     "Real(-KGEN_INFINITY); }\n";
    else if (program.mask)
      code.source +=
          "__device__ __forceinline__ Real masked(Real score, Mask added) { return score + widen(added); }\n";
    code.source += "} // namespace " + name + "\n\n";
  }
  TemplateFill fill;
  fill.name = name;
  if (program.causal)
    fill.sections.insert("CAUSAL");
  if (program.mask)
    fill.sections.insert("MASKED");
  if (program.strided())
    fill.sections.insert("STRIDED");
  if (!program.out.plain)
    fill.sections.insert("SCATTERED");
  code.source += fillTemplate(templateBody("attention_simt.cuh"), fill);
  int64_t blocks = program.heads * llvm::divideCeil(program.queries, tile[0]);
  code.launches.push_back({name + "_attention",
                           {blocks, 1, 1},
                           {side * side, 1, 1},
                           sharedBytes(program, tile),
                           program.inputs,
                           {DispatchBuffer::result(0)}});
  code.launches.back().sizedBy = "attention_simt.cuh";
  return code;
}

std::unique_ptr<AttentionKernel> createAttentionSimt() { return std::make_unique<AttentionSimt>(); }

} // namespace kgen::kernels
