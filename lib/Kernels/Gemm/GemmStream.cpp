//===- GemmStream.cpp - Products of a small matrix with passing columns ---===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fills gemm_stream.cuh in: memory-bound products whose left operand stays in
// shared memory, as those of convolutions of one tap.
//
//===----------------------------------------------------------------------===//

#include "GemmDispatch.h"

#include "kgen/Dialect/KGen/Dispatch.h"
#include "kgen/Dialect/KGen/Precision.h"
#include "kgen/Kernels/Emit/ScalarEmitter.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace kgen::kernels {
using schedule::Dtype;

namespace {

constexpr int64_t packBytes = 16;
constexpr int64_t otherRegisters = 48;       ///< of a thread beside its sums: fragments and addresses
constexpr int64_t reservedBytes = 1024;      ///< of shared memory, of each block
constexpr int64_t inFlightBytes = 48 * 1024; ///< of a multiprocessor's loads, that keep the memory busy

/// What the schedule makes of a product.
struct Plan {
  int64_t element; ///< bytes, of what is multiplied
  int64_t bm, bn, bk, wm, wn, tilesM, walk, paddedK;

  Plan(const Gemm &gemm, ArrayRef<int64_t> tile, ArrayRef<int64_t> warp)
      : element(gemm.elementType.getIntOrFloatBitWidth() / 8), bm(tile[0]), bn(tile[1]), bk(tile[2]), wm(warp[0]),
        wn(warp[1]), tilesM(ceilDiv(gemm.m, bm)), walk(gemm.batch * ceilDiv(gemm.n, bn)),
        paddedK(ceilDiv(gemm.k, bk) * bk) {}
  int64_t threads() const { return bm / wm * (bn / wn) * 32; }
  int64_t accumulators() const { return wm * wn / 32; }
  int64_t slabBytes() const { return bk * (bn * element + packBytes); }
  int64_t sharedBytes(int64_t stages) const { return bm * (paddedK * element + packBytes) + stages * slabBytes(); }
  int64_t walkers(int64_t minBlocks, const Chip &chip) const {
    return std::clamp<int64_t>(chip.multiprocessors * minBlocks / tilesM, 1, walk);
  }
};

} // namespace

/// The operand type in which PRODUCT is streamed.
static Dtype streamedType(const Gemm &gemm) {
  return gemm.elementType.isF32() ? Dtype::Tf32 : dtypeOf(gemm.elementType);
}

/// Rows of A that a block keeps: all, or about equal parts of at most 128 that leave room for columns.
static int64_t defaultRows(const Gemm &gemm, const Chip &chip) {
  const int64_t mostBytes = chip.sharedBytesPerBlock * 5 / 8;
  const int64_t rowBytes = gemm.k * gemm.elementType.getIntOrFloatBitWidth() / 8 + packBytes;
  for (int64_t parts = ceilDiv(gemm.m, 128);; ++parts) {
    const int64_t even = ceilDiv(gemm.m, parts), rows = even <= 16 ? 16 : llvm::alignTo(even, 32);
    if (rows == 16 || rows * rowBytes <= mostBytes)
      return rows;
  }
}

bool prefersStream(DispatchOp dispatch, const Gemm &gemm, const ScheduleParams &params, const Chip &chip) {
  if (!isOneTap(gemm.ops.contraction) || gemm.b.kContiguous || gemm.a.batches != 1)
    return false;
  if (params.has(key::mma) || params.has(key::dtype) || params.has(key::tile) || params.has(key::warpTile) ||
      params.has(key::threadTile) || params.has(key::splitK) || params.has(key::vec) || params.has(key::raster) ||
      params.has(key::smemPad))
    return false;
  if (gemm.elementType.isF32() &&
      !admitsOperandType(precisionOf(dispatch->getParentOfType<ModuleOp>()), streamedType(gemm)))
    return false;
  const int64_t element = gemm.elementType.getIntOrFloatBitWidth() / 8, bm = defaultRows(gemm, chip);
  Plan least(gemm, {bm, 64, 64 / element}, {std::min<int64_t>(bm, 32), 64});
  return least.sharedBytes(4) <= chip.sharedBytesPerBlock;
}

LogicalResult completeStream(DispatchOp dispatch, const Gemm &gemm, ScheduleParams &params, const Chip &chip) {
  MLIRContext *context = dispatch.getContext();
  params.set(context, key::mma, schedule::Mma::MmaSync);
  params.wordOr(context, key::persistent, schedule::Persistent::Static);
  params.wordOr(context, key::pipeline, schedule::Pipeline::CpAsync);
  const Dtype own = streamedType(gemm), dtype = params.wordOr(context, key::dtype, own);
  if (dtype != own)
    return dispatch.emitError("persistent = static on warps multiplies operands of ")
           << wordOf(dtypeOf(gemm.elementType)) << " as " << wordOf(own) << ", found dtype = " << wordOf(dtype);
  Precision precision = precisionOf(dispatch->getParentOfType<ModuleOp>());
  if (dtype == Dtype::Tf32 && !admitsOperandType(precision, dtype))
    return dispatch.emitError("precision class ") << stringifyPrecision(precision) << " does not admit dtype = tf32";
  if (gemm.b.kContiguous)
    return dispatch.emitError("persistent = static on warps streams a right operand whose rows, along n, are "
                              "contiguous, found one that is contiguous along k");
  if (gemm.a.batches != 1)
    return dispatch.emitError("persistent = static on warps keeps one left operand for all batches, found ")
           << gemm.a.batches;

  const int64_t element = gemm.elementType.getIntOrFloatBitWidth() / 8, mmaK = 32 / element;
  std::optional<SmallVector<int64_t>> setWarp = params.getInts(key::warpTile);
  int64_t bm = defaultRows(gemm, chip), bn = bm > 64 ? 128 : 256;
  if (setWarp) {
    bm = llvm::alignTo(bm, (*setWarp)[0]);
    bn = llvm::alignTo(bn, (*setWarp)[1]);
  } else {
    // Columns that are there, and enough tiles for the chip.
    while (bn > 64 &&
           (bn / 2 >= gemm.n || gemm.batch * ceilDiv(gemm.n, bn) * ceilDiv(gemm.m, bm) < 2 * chip.multiprocessors))
      bn /= 2;
  }
  int64_t bk = std::clamp<int64_t>(llvm::PowerOf2Ceil(gemm.k), mmaK, 4 * mmaK);
  SmallVector<int64_t> tile = params.intsOr(context, key::tile, {bm, bn, bk});
  SmallVector<int64_t> warp = params.intsOr(context, key::warpTile, {tile[0] % 32 ? 16 : 32, tile[1] % 64 ? 32 : 64});
  if (tile[0] % warp[0] || tile[1] % warp[1])
    return dispatch.emitError("the warp tile ")
           << warp[0] << " x " << warp[1] << " does not divide the block tile " << tile[0] << " x " << tile[1];
  if (tile[2] % mmaK)
    return dispatch.emitError("the block tile's k is a multiple of ")
           << mmaK << " for " << wordOf(dtype) << ", found " << tile[2];
  Plan plan(gemm, tile, warp);
  if (plan.threads() > chip.threadsPerBlock)
    return dispatch.emitError("the tiles make ") << plan.threads() << " threads, the limit is " << chip.threadsPerBlock;

  // Two blocks or more that store in turns where their rows of A leave room for loads on their way; else one that has
  // all the room.
  auto fits = [&](int64_t stages, int64_t blocks) {
    return plan.sharedBytes(stages) <= (chip.sharedBytesPerBlock + reservedBytes) / blocks - reservedBytes;
  };
  auto registersOf = [&](int64_t blocks) {
    return std::min<int64_t>(255, chip.registersPerMultiprocessor / (plan.threads() * blocks) / 8 * 8);
  };
  const std::optional<int64_t> setStages = params.getInt(key::stages);
  auto stagesFor = [&](int64_t blocks) {
    int64_t stages = setStages.value_or(blocks > 1 ? 4 : 8);
    while (!setStages && stages > 2 && !fits(stages, blocks))
      --stages;
    return stages;
  };
  auto isRoomy = [&](int64_t blocks) {
    const int64_t stages = stagesFor(blocks);
    return plan.threads() * blocks <= 512 && plan.accumulators() + otherRegisters <= registersOf(blocks) &&
           fits(stages, blocks) && blocks * (stages - 1) * plan.slabBytes() >= inFlightBytes;
  };
  int64_t blocks = 4;
  while (blocks > 1 && !isRoomy(blocks))
    --blocks;
  blocks = params.intOr(context, key::minBlocks, blocks);
  const int64_t stages = params.intOr(context, key::stages, stagesFor(blocks));
  if (!fits(stages, 1))
    return dispatch.emitError("the rows that stay and the slabs of ")
           << stages << " stages take " << plan.sharedBytes(stages) << " bytes of shared memory, " << chip.arch
           << " has " << chip.sharedBytesPerBlock;
  if (plan.accumulators() + otherRegisters > registersOf(blocks))
    return dispatch.emitError("the warp tile needs ")
           << plan.accumulators() << " accumulators and about " << otherRegisters
           << " other registers in a thread, there are " << registersOf(blocks);
  return success();
}

FailureOr<DispatchCode> emitStream(DispatchOp dispatch, const Gemm &gemm, const schedule::GemmStream &schedule,
                                   const Chip &chip) {
  auto epilogueOr = emitGemmEpilogue(dispatch, gemm);
  if (failed(epilogueOr))
    return failure();
  auto &[epilogue, epilogueText] = *epilogueOr;
  std::string name = dispatch.getName().str();
  Plan plan(gemm, schedule.tile, schedule.warpTile);
  const int64_t walkers = plan.walkers(schedule.minBlocks, chip), sharedBytes = plan.sharedBytes(schedule.stages);

  std::string constants = epilogue.functions;
  llvm::raw_string_ostream os(constants);
  os << printProblem(name, gemm, gemm.elementType, "A and B");
  os << "constexpr bool SHARED_B = " << (gemm.b.batches == 1 ? "true" : "false") << "; // the same B for every batch\n";
  os << "constexpr bool A_K_CONTIGUOUS = "
     << (gemm.a.kContiguous ? "true; // A is [M, K]\n" : "false; // A is [K, M]\n");
  os << "// The schedule.\n";
  os << llvm::formatv("constexpr int BM = {0}, BN = {1}, BK = {2}; // rows that stay, columns of a tile, k of a slab\n",
                      plan.bm, plan.bn, plan.bk);
  os << llvm::formatv("constexpr int WM = {0}, WN = {1}; // warp tile\n", plan.wm, plan.wn);
  os << "constexpr int STAGES = " << schedule.stages << ";\n";
  os << "constexpr int MIN_BLOCKS = " << schedule.minBlocks << "; // resident blocks per multiprocessor\n";
  os << "constexpr int WALKERS = " << walkers << "; // blocks that share the columns, for each BM rows of A\n";
  os << "constexpr int SHARED_BYTES = " << sharedBytes << "; // dynamic shared memory of the launch\n";
  os << "} // namespace " << name << "\n";

  TemplateFill fill;
  fill.name = name;
  if (outgrowsCache(gemm))
    fill.sections.insert("streaming");
  fill.replacements["constants"] = constants;
  fill.replacements["epilogue"] = epilogueText;
  fill.replacements["mma"] = printWarpProduct(schedule.dtype);
  fill.replacements["kernel"] = "extern \"C\" __global__ void __launch_bounds__(" + name + "::THREADS, " + name +
                                "::MIN_BLOCKS)\n    " + name + "_main(const " + name + "::In *__restrict__ a, const " +
                                name + "::In *__restrict__ b" + epilogue.parameters() + ",\n         " + name +
                                "::Out *__restrict__ c) {";
  const std::string call = "store_run(c, run, batch, row, column" + epilogue.arguments() + ");";
  fill.replacements["store4"] = "              " + call;
  fill.replacements["store8"] = "            " + call;

  DispatchCode code;
  code.source = fillTemplate(findCudaTemplate("gemm_stream.cuh"), fill);
  LaunchSpec main{name + "_main", {plan.tilesM * walkers, 1, 1},  {plan.threads(), 1, 1},
                  sharedBytes,    {gemm.a.buffer, gemm.b.buffer}, {DispatchBuffer::result(0)}};
  for (const EpilogueOperand &operand : epilogue.operands)
    main.reads.push_back(operand.buffer);
  main.sizedBy = "gemm_stream.cuh";
  code.launches.push_back(main);
  return code;
}

} // namespace kgen::kernels
