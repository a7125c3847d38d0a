//===- AttentionMma.cpp - Attention by warp matrix instructions -----------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionProgram.h"

#include "kgen/Kernels/CudaTemplate.h"
#include "kgen/Kernels/Emit/ScalarEmitter.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace kgen::kernels {
namespace {

/// Bytes of the key and value tiles in flight; rows carry 16 bytes of padding.
int64_t sharedBytes(const AttentionProgram &program, int64_t keys, int64_t stages) {
  return stages * 2 * keys * (program.depth + 8) * 2;
}

class AttentionMma : public AttentionKernel {
public:
  schedule::Mma mma() const override { return schedule::Mma::MmaSync; }
  std::string fault(const AttentionProgram &program, const Chip &chip) const override { return narrowFault(program); }
  LogicalResult complete(DispatchOp dispatch, const AttentionProgram &program, ScheduleParams &params,
                         const Chip &chip) const override;
  DispatchCode emit(DispatchOp dispatch, const AttentionProgram &program, const ScheduleParams &params,
                    const Chip &chip) const override;
};

} // namespace

LogicalResult AttentionMma::complete(DispatchOp dispatch, const AttentionProgram &program, ScheduleParams &params,
                                     const Chip &chip) const {
  MLIRContext *context = dispatch.getContext();
  auto reject = [&](const Twine &text) { return rejectAttention(dispatch, text); };
  SmallVector<int64_t> tile = params.intsOr(context, key::tile, {program.queries > 64 ? 128 : 64, 64});
  if (tile[0] / 16 * 32 > chip.threadsPerBlock)
    return reject("a tile of " + Twine(tile[0]) + " queries, expected one warp for each 16, at most " +
                  Twine(chip.threadsPerBlock / 2));
  // Scores, results and queries of 16 rows by 32 lanes, in 32-bit registers; the rest is for addresses.
  int64_t held = tile[1] / 2 + program.depth / 2 + program.depth / 4;
  int64_t threads = tile[0] * 2, most = std::min<int64_t>(255, chip.registersPerMultiprocessor / threads) - 40;
  if (held > most)
    return reject("tile [" + Twine(tile[0]) + ", " + Twine(tile[1]) + "] holds " + Twine(held) +
                  " registers of operands in a thread, at most " + Twine(most) + " fit");
  int64_t stages = params.intOr(context, key::stages, 2);
  if (stages < 2 || sharedBytes(program, tile[1], stages) > chip.sharedBytesPerBlock)
    return reject("stages = " + Twine(stages) + " of " + Twine(tile[1]) + " keys need " +
                  Twine(sharedBytes(program, tile[1], stages)) +
                  " bytes of shared memory, expected 2 or more stages in " + Twine(chip.sharedBytesPerBlock));
  return completeNarrow(dispatch, program, params);
}

DispatchCode AttentionMma::emit(DispatchOp dispatch, const AttentionProgram &program, const ScheduleParams &params,
                                const Chip &chip) const {
  auto schedule = schedule::AttentionMmaSync::read(params);
  const auto &tile = schedule.tile;
  int64_t warps = tile[0] / 16;
  std::string name = dispatch.getName().str();
  bool half = program.element.isF16();
  CudaHelpers helpers;
  std::string scale = printLiteral(FloatAttr::get(Float32Type::get(dispatch.getContext()), program.scale), helpers);

  DispatchCode code;
  code.source = attentionSizes(name, program);
  code.source +=
      llvm::formatv("#include \"kgen_device.cuh\"\n\n"
                    "namespace {0} {{\nusing Element = {1};\nconstexpr int kQueries = {2}, kKeys = {3}, kDepth = {4};\n"
                    "constexpr int kWarps = {5}, kTileQueries = 16 * kWarps, kTileKeys = {6};\n"
                    "constexpr int kStages = {7}; // tiles of keys and values in shared memory\n",
                    name, getStorageType(program.element), program.queries, program.keys, program.depth, warps, tile[1],
                    schedule.stages);
  code.source += llvm::formatv(
      "constexpr int kQueryTiles = (kQueries + kTileQueries - 1) / kTileQueries;\nconstexpr float kScale = {0};\n\n"
      "/// Two neighbouring elements in a register.\n"
      "__device__ __forceinline__ unsigned pack(float low, float high) {{\n"
      "  const {1} pair = {2}(low, high);\n  unsigned bits;\n  memcpy(&bits, &pair, sizeof(bits));\n  return "
      "bits;\n}\n\n"
      "__device__ __forceinline__ void multiply(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {{\n"
      "  kgen::mma_m16n8k16_{3}(d, a, b);\n}\n} // namespace {4}\n\n",
      scale, half ? "__half2" : "__nv_bfloat162", half ? "__floats2half2_rn" : "__floats2bfloat162_rn",
      half ? "f16" : "bf16", name);
  TemplateFill fill;
  fill.name = name;
  if (program.causal)
    fill.sections.insert("CAUSAL");
  code.source += fillTemplate(templateBody("attention_mma.cuh"), fill);

  int64_t blocks = program.heads * llvm::divideCeil(program.queries, tile[0]);
  code.launches.push_back({name + "_attention",
                           {blocks, 1, 1},
                           {32 * warps, 1, 1},
                           sharedBytes(program, tile[1], schedule.stages),
                           program.inputs,
                           {DispatchBuffer::result(0)}});
  code.launches.back().sizedBy = "attention_mma.cuh";
  return code;
}

std::unique_ptr<AttentionKernel> createAttentionMma() { return std::make_unique<AttentionMma>(); }

} // namespace kgen::kernels
