//===- AttentionMma.cpp - Attention by warp matrix instructions -----------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionProgram.h"

#include "kgen/Dialect/Aten/Algebra.h"
#include "kgen/Kernels/CudaTemplate.h"
#include "kgen/Kernels/Emit/ElementPiece.h"
#include "kgen/Kernels/Emit/ScalarEmitter.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace kgen::kernels {
namespace {

bool isTf32(const AttentionProgram &program) { return program.element.isF32(); }

/// Bytes of the key and value tiles in flight; rows carry 16 bytes of padding.
int64_t sharedBytes(const AttentionProgram &program, int64_t keys, int64_t stages) {
  return stages * 2 * keys * (program.depth * (isTf32(program) ? 4 : 2) + 16);
}

class AttentionMma : public AttentionKernel {
public:
  schedule::Mma mma() const override { return schedule::Mma::MmaSync; }
  std::string fault(const AttentionProgram &program, const Chip &chip) const override;
  LogicalResult complete(DispatchOp dispatch, const AttentionProgram &program, ScheduleParams &params,
                         const Chip &chip) const override;
  DispatchCode emit(DispatchOp dispatch, const AttentionProgram &program, const ScheduleParams &params,
                    const Chip &chip) const override;
};

} // namespace

std::string printMask(const AttentionProgram &program) {
  std::string text =
      "__device__ __forceinline__ float hidden() { return __int_as_float(0xff800000); } // minus infinity\n";
  if (program.mask->element.isInteger(1))
    return text +
           "__device__ __forceinline__ float masked(float score, Mask seen) { return seen ? score : hidden(); }\n";
  return text + llvm::formatv("__device__ __forceinline__ float masked(float score, Mask added) {{\n"
                              "  const float sum = score + {0} / kScale;\n"
                              "  return sum < -1.0e30f && {0} != hidden() ? -1.0e30f : sum;\n}\n",
                              toFloat("added", program.mask->element))
                    .str();
}

std::string printNarrowProducts(const AttentionProgram &program) {
  const bool half = program.element.isF16();
  return llvm::formatv(
      "/// Two neighbouring elements in a register.\n"
      "__device__ __forceinline__ unsigned pack(float low, float high) {{\n"
      "  const {0} pair = {1}(low, high);\n  unsigned bits;\n  memcpy(&bits, &pair, sizeof(bits));\n  return "
      "bits;\n}\n\n"
      "__device__ __forceinline__ void multiply(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {{\n"
      "  kgen::mma_m16n8k16_{2}(d, a, b);\n}\n",
      half ? "__half2" : "__nv_bfloat162", half ? "__floats2half2_rn" : "__floats2bfloat162_rn", half ? "f16" : "bf16");
}

std::string alignmentFault(const AttentionProgram &program, int64_t pack) {
  for (const AttentionInput *input : {&program.query, &program.key, &program.value})
    if (input->row % pack || input->base % pack ||
        llvm::any_of(input->heads, [&](Span span) { return span.stride % pack != 0; }))
      return "reads rows that do not begin at multiples of 16 bytes";
  // Stores are of two elements.
  if (program.out.row % 2 || llvm::any_of(program.out.heads, [](Span span) { return span.stride % 2 != 0; }))
    return "writes rows that do not begin at an even element";
  return "";
}

std::string AttentionMma::fault(const AttentionProgram &program, const Chip &chip) const {
  const int64_t deepest = aten::deepestHead(program.element);
  if (isTf32(program)) {
    if (!admitsOperandType(program.precision, schedule::Dtype::Tf32))
      return "works on 'f32' in precision class " + stringifyPrecision(program.precision).str() +
             ", which tensor cores round";
    if (std::string fault = depthFault(program, 8, deepest); !fault.empty())
      return fault;
  } else if (std::string fault = narrowFault(program, deepest); !fault.empty()) {
    return fault;
  }
  return alignmentFault(program, isTf32(program) ? 4 : 8);
}

LogicalResult AttentionMma::complete(DispatchOp dispatch, const AttentionProgram &program, ScheduleParams &params,
                                     const Chip &chip) const {
  MLIRContext *context = dispatch.getContext();
  auto reject = [&](const Twine &text) { return rejectAttention(dispatch, text); };
  int64_t queries = program.queries > 64 ? 128 : 64;
  // Where a network asks, batches are small: half a tile keeps more multiprocessors busy.
  if ((isTf32(program) || program.mask || program.strided()) &&
      program.heads * int64_t(llvm::divideCeil(program.queries, 128)) < 2 * chip.multiprocessors)
    queries = 64;
  // Deep heads leave registers for half as many scores.
  SmallVector<int64_t> tile = params.intsOr(context, key::tile, {queries, program.depth > 128 ? 32 : 64});
  if (tile[0] / 16 * 32 > chip.threadsPerBlock)
    return reject("a tile of " + Twine(tile[0]) + " queries, expected one warp for each 16, at most " +
                  Twine(chip.threadsPerBlock / 2));
  // Scores, results and queries of 16 rows by 32 lanes, in 32-bit registers; the rest is for addresses.
  int64_t held = tile[1] / 2 + program.depth / 2 + program.depth / (isTf32(program) ? 2 : 4);
  int64_t threads = tile[0] * 2, most = std::min<int64_t>(255, chip.registersPerMultiprocessor / threads) - 40;
  if (held > most)
    return reject("tile [" + Twine(tile[0]) + ", " + Twine(tile[1]) + "] holds " + Twine(held) +
                  " registers of operands in a thread, at most " + Twine(most) + " fit");
  int64_t stages = params.intOr(context, key::stages, 2);
  if (stages < 2 || sharedBytes(program, tile[1], stages) > chip.sharedBytesPerBlock)
    return reject("stages = " + Twine(stages) + " of " + Twine(tile[1]) + " keys need " +
                  Twine(sharedBytes(program, tile[1], stages)) +
                  " bytes of shared memory, expected 2 or more stages in " + Twine(chip.sharedBytesPerBlock));
  return completeOperands(dispatch, isTf32(program) ? schedule::Dtype::Tf32 : dtypeOf(program.element), params);
}

DispatchCode AttentionMma::emit(DispatchOp dispatch, const AttentionProgram &program, const ScheduleParams &params,
                                const Chip &chip) const {
  auto schedule = schedule::AttentionMmaSync::read(params);
  const auto &tile = schedule.tile;
  int64_t warps = tile[0] / 16;
  std::string name = dispatch.getName().str();
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
      "constexpr int kQueryTiles = (kQueries + kTileQueries - 1) / kTileQueries;\nconstexpr float kScale = {0};\n\n",
      scale);
  if (isTf32(program))
    code.source += llvm::formatv(
        "/// What tensor cores read of an element.\n"
        "__device__ __forceinline__ unsigned rounded(float x) {{ return __float_as_uint(kgen::round_tf32(x)); }\n\n"
        "__device__ __forceinline__ void multiply(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {{\n"
        "  kgen::mma_m16n8k8_tf32(d, a, b);\n}\n} // namespace {0}\n\n",
        name);
  else
    code.source += printNarrowProducts(program) + "} // namespace " + name + "\n\n";
  if (std::string starts = printStarts(program); !starts.empty())
    code.source += "namespace " + name + " {\n" + starts + (program.mask ? printMask(program) : "") +
                   "} // namespace " + name + "\n\n";
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
  if (isTf32(program))
    fill.sections.insert("TF32");
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
