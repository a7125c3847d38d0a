//===- AttentionSplit.cpp - Attention of few queries, split along keys ----===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A block has 16 rows, the queries of all heads that share their keys, and a
// part of these keys. Parts are joined in the shared memory of a cluster, or
// by a second launch.
//
//===----------------------------------------------------------------------===//

#include "AttentionProgram.h"

#include "kgen/Kernels/CudaTemplate.h"
#include "kgen/Kernels/Emit/ElementPiece.h"
#include "kgen/Kernels/Emit/ScalarEmitter.h"
#include "kgen/Kernels/Ideas/ClusterTiles.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;

namespace kgen::kernels {
namespace {

constexpr int64_t blockRows = 16;

/// What follows from a schedule, as the template derives it.
struct Split {
  int64_t group;    ///< heads of queries that share keys
  int64_t rowTiles; ///< of the rows that share keys
  int64_t held;     ///< rows of a block
  int64_t warps, parts, tileKeys, stages;
  bool byCluster, byLaunch; ///< who joins the parts, where there are several

  Split(const AttentionProgram &program, int64_t warps, int64_t parts, int64_t tileKeys, bool byCluster)
      : warps(warps), parts(parts), tileKeys(tileKeys), byCluster(byCluster), byLaunch(parts > 1 && !byCluster) {
    group = std::gcd(repeats(program.key), repeats(program.value));
    const int64_t rows = group * program.queries;
    rowTiles = llvm::divideCeil(rows, blockRows);
    held = std::min(rows, blockRows);
  }

  /// Takes as many stages as there are tiles, or as BYTES hold; none where they hold not one.
  void chooseStages(const AttentionProgram &program, int64_t bytes) {
    const int64_t tiles = llvm::divideCeil(llvm::divideCeil(llvm::divideCeil(program.keys, tileKeys), parts), warps);
    for (stages = std::min<int64_t>(tiles, 8); stages > 0 && sharedBytes(program) > bytes;)
      --stages;
  }

  int64_t pairs(const AttentionProgram &program) const { return held * program.depth / 2; }
  int64_t sharedBytes(const AttentionProgram &program) const {
    const int64_t received = byCluster ? parts * (llvm::divideCeil(pairs(program), parts) + held) : 0;
    return warps * stages * 2 * tileKeys * (program.depth + 8) * 2 + llvm::alignTo(received, 2) * 8;
  }

private:
  /// Neighbouring heads for which INPUT has the same rows.
  static int64_t repeats(const AttentionInput &input) {
    return !input.heads.empty() && input.heads.back().stride == 0 ? input.heads.back().extent : 1;
  }
};

class AttentionSplit : public AttentionKernel {
public:
  schedule::Mma mma() const override { return schedule::Mma::MmaSync; }
  std::string fault(const AttentionProgram &program, const Chip &chip) const override;
  LogicalResult complete(DispatchOp dispatch, const AttentionProgram &program, ScheduleParams &params,
                         const Chip &chip) const override;
  DispatchCode emit(DispatchOp dispatch, const AttentionProgram &program, const ScheduleParams &params,
                    const Chip &chip) const override;
};

} // namespace

std::string AttentionSplit::fault(const AttentionProgram &program, const Chip &chip) const {
  if (std::string fault = narrowFault(program); !fault.empty())
    return fault;
  return alignmentFault(program, 8);
}

LogicalResult AttentionSplit::complete(DispatchOp dispatch, const AttentionProgram &program, ScheduleParams &params,
                                       const Chip &chip) const {
  MLIRContext *context = dispatch.getContext();
  auto reject = [&](const Twine &text) { return rejectAttention(dispatch, text); };
  const int64_t parts = *params.getInt(key::splitKeys);
  const bool byCluster = params.has(key::splitAt);
  if (byCluster && (!chip.isHopper() || parts < 2 || parts > ideas::mostRanks))
    return reject("split_at = cluster needs sm_90a and 2 to " + Twine(ideas::mostRanks) + " parts, found " +
                  Twine(parts) + " on " + chip.arch);
  const SmallVector<int64_t> tile = params.intsOr(context, key::warpTile, {blockRows, program.keys > 64 ? 32 : 16});
  const int64_t tiles = llvm::divideCeil(program.keys, tile[1]);
  if (parts > tiles)
    return reject("split_keys = " + Twine(parts) + ", expected at most " + Twine(tiles) + ", the tiles of " +
                  Twine(tile[1]) + " keys");
  const int64_t threads =
      params.intOr(context, key::block, 32 * std::clamp<int64_t>(llvm::divideCeil(tiles, parts), 1, 8));
  Split split(program, threads / 32, parts, tile[1], byCluster);
  split.chooseStages(program, chip.sharedBytesPerBlock);
  if (split.stages == 0) {
    split.stages = 1;
    return reject("block = " + Twine(threads) + " needs " + Twine(split.sharedBytes(program)) +
                  " bytes of shared memory for a tile of each warp, expected at most " +
                  Twine(chip.sharedBytesPerBlock));
  }
  // Scores, what hides keys, results and queries of 16 rows by 32 lanes, in 32-bit registers; the rest is for
  // addresses.
  const int64_t held = tile[1] + program.depth / 2 + program.depth / 4;
  const int64_t most = std::min<int64_t>(255, chip.registersPerMultiprocessor / threads) - 40;
  if (held > most)
    return reject("block = " + Twine(threads) + " with tiles of " + Twine(tile[1]) + " keys holds " + Twine(held) +
                  " registers of operands in a thread, at most " + Twine(most) + " fit");
  return completeOperands(dispatch, dtypeOf(program.element), params);
}

DispatchCode AttentionSplit::emit(DispatchOp dispatch, const AttentionProgram &program, const ScheduleParams &params,
                                  const Chip &chip) const {
  auto schedule = schedule::AttentionSplit::read(params);
  Split split(program, schedule.block / 32, schedule.splitKeys, schedule.warpTile[1], schedule.splitAt.has_value());
  split.chooseStages(program, chip.sharedBytesPerBlock);
  const int64_t keyHeads = program.heads / split.group;
  const int64_t finishThreads = std::clamp<int64_t>(llvm::alignTo(split.pairs(program), 32), 32, 256);
  std::string name = dispatch.getName().str();
  MLIRContext *context = dispatch.getContext();
  CudaHelpers helpers;
  std::string scale = printLiteral(FloatAttr::get(Float32Type::get(context), program.scale), helpers);

  DispatchCode code;
  code.source = attentionSizes(name, program);
  code.source += llvm::formatv(
      "#include \"{0}\"\n\n"
      "namespace {1} {{\nusing Element = {2};\n"
      "constexpr int kGroup = {3}; // heads of queries that share keys\n"
      "constexpr int kQueries = {4}, kKeys = {5}, kDepth = {6};\n"
      "constexpr int kWarps = {7}, kTileKeys = {8};\nconstexpr int kParts = {9}; // blocks that share the keys\n",
      split.byCluster ? "kgen_hopper.cuh" : "kgen_device.cuh", name, getStorageType(program.element), split.group,
      program.queries, program.keys, program.depth, split.warps, split.tileKeys, split.parts);
  code.source += llvm::formatv("constexpr int kStages = {0}; // tiles of keys and values that a warp has\n"
                               "constexpr float kScale = {1};\n",
                               split.stages, scale);
  if (split.byLaunch)
    code.source += llvm::formatv("constexpr int kFinishThreads = {0};\n", finishThreads);
  code.source += "\n" + printNarrowProducts(program) + "\n" + printStarts(program, /*wanted=*/true);
  code.source += program.mask ? printMask(program)
                              : "__device__ __forceinline__ float hidden() { return __int_as_float(0xff800000); } // "
                                "minus infinity\n";
  code.source += "} // namespace " + name + "\n\n";

  TemplateFill fill;
  fill.name = name;
  if (program.causal)
    fill.sections.insert("CAUSAL");
  if (program.mask)
    fill.sections.insert("MASKED");
  if (split.byCluster)
    fill.sections.insert("BY_CLUSTER");
  if (split.byLaunch)
    fill.sections.insert("BY_LAUNCH");
  fill.replacements["signature"] = llvm::formatv(
      "extern \"C\" __global__ void __launch_bounds__({0}::kThreads, 1)\n"
      "    {0}_attention(const {0}::Element *__restrict__ queries, const {0}::Element *__restrict__ keys,\n"
      "                  const {0}::Element *__restrict__ values,{1} {2}) {{",
      name, program.mask ? llvm::formatv(" const {0}::Mask *__restrict__ mask,", name).str() : std::string(),
      split.byLaunch ? std::string("float *__restrict__ partials")
                     : llvm::formatv("{0}::Element *__restrict__ out", name).str());
  code.source += fillTemplate(templateBody("attention_split.cuh"), fill);

  const DispatchBuffer result = DispatchBuffer::result(0), partials = DispatchBuffer::workspace(0);
  LaunchSpec main = {name + "_attention",      {keyHeads * split.rowTiles * split.parts, 1, 1},
                     {32 * split.warps, 1, 1}, split.sharedBytes(program),
                     program.inputs,           {split.byLaunch ? partials : result}};
  main.sizedBy = "attention_split.cuh";
  if (split.byCluster)
    main.cluster = {split.parts, 1, 1};
  code.launches.push_back(std::move(main));
  if (split.byLaunch) {
    code.workspaces.push_back(RankedTensorType::get(
        {keyHeads * split.rowTiles * split.parts, split.pairs(program) + split.held, 2}, Float32Type::get(context)));
    code.launches.push_back(
        {name + "_finish", {keyHeads * split.rowTiles, 1, 1}, {finishThreads, 1, 1}, 0, {partials}, {result}});
  }
  return code;
}

std::unique_ptr<AttentionKernel> createAttentionSplit() { return std::make_unique<AttentionSplit>(); }

} // namespace kgen::kernels
