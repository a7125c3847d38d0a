//===- GemmWgmma.cpp - Matrix products on warpgroups (sm_90a) -------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fills gemm_wgmma.cuh in. 16-bit operands are copied by tensor map as they are,
// f32 operands that are contiguous along k so too where they are multiplied as
// tf32: others of those are laid out so, or one goes through registers. Else they first become one or two fp16 matrices
// under exact powers of two (gemm_prepare.cuh), or one of them does in registers (gemm_halves.cuh); the epilogue takes
// the powers back: docs/precision.md.
//
//===----------------------------------------------------------------------===//

#include "GemmDispatch.h"

#include "kgen/Dialect/KGen/Precision.h"
#include "kgen/Kernels/Emit/ScalarEmitter.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace kgen::kernels {
using schedule::ConvertAt;
using schedule::Dtype;
using schedule::SplitPrecision;
using schedule::Store;

namespace {

/// How f32 operands come to tensor cores. For tf32 those that are contiguous along k, in rows of 16 bytes, are copied
/// as they are, and the left one goes through registers where it is [k, m]; for fp16 either.
struct Reading {
  bool registers = false, swapped = false;          ///< of the left operand; the kernel computes the transposed result
  bool arrangesLeft = false, arrangesRight = false; ///< of the kernel's operands, laid out along k by a launch
  Gemm given, gemm;                                 ///< in the kernel's order; and as the kernel sees it

  Reading(const Gemm &product, std::optional<Dtype> dtype, std::optional<ConvertAt> convertAt) : gemm(product) {
    if (convertAt == ConvertAt::Registers) {
      registers = true;
      swapped = registersTakeRight(product, *dtype);
      if (swapped)
        gemm = transposeProduct(gemm);
    }
    given = gemm;
    if (dtype != Dtype::Tf32)
      return;
    arrangesLeft = !registers && !isPlain(gemm.a);
    arrangesRight = !isPlain(gemm.b);
    gemm.a.kContiguous |= arrangesLeft;
    gemm.b.kContiguous = true;
  }
  static bool arePlain(const Gemm &gemm) { return gemm.a.kContiguous && gemm.b.kContiguous && gemm.k % 4 == 0; }

private:
  bool isPlain(const GemmOperand &operand) const { return operand.kContiguous && gemm.k % 4 == 0; }
};

constexpr int64_t storeBuffers = 2; ///< for each consumer, 8 KiB each
constexpr int64_t barrierBytes = 16;
constexpr int64_t otherRegisters = 40; ///< of a thread beside its sums: descriptors, addresses, the epilogue

/// What the schedule makes of a product.
struct Plan {
  bool tf32;                    ///< f32 operands that are copied and multiplied as they are, rounded
  bool prepared;                ///< other f32 operands
  int64_t element, leftElement; ///< bytes, of what is multiplied; of what is copied of the left operand
  int64_t parts;
  int64_t bm, bn, bk, consumers, stages, cluster, split, promote; ///< promote: k tiles
  bool storeTma, registers; ///< registers: of the left operand, on their way to tensor cores

  Plan(const Gemm &gemm, const schedule::GemmWgmma &schedule)
      : tf32(schedule.dtype == Dtype::Tf32), prepared(gemm.elementType.isF32() && !tf32), element(tf32 ? 4 : 2),
        leftElement(schedule.convertAt == ConvertAt::Registers ? 4 : element),
        parts(schedule.splitPrecision == schedule::SplitPrecision::Fp16x3 ? 2 : 1), bm(schedule.tile[0]),
        bn(schedule.tile[1]), bk(schedule.tile[2]), consumers(schedule.consumers), stages(schedule.stages),
        cluster(schedule.cluster), split(schedule.splitK), promote(ceilDiv(schedule.promoteK, bk)),
        storeTma(schedule.store == schedule::Store::Tma), registers(schedule.convertAt == ConvertAt::Registers) {}
  bool halves() const { return registers && !tf32; } ///< which become fp16 there, out of a ring of their own
  int64_t leftBytes() const { return bm * bk * leftElement; }
  int64_t stageBytes() const { return parts * (leftBytes() + bn * bk * element); }
  int64_t storeBytes() const { return storeTma ? consumers * storeBuffers * 64 * 128 : 0; }
  int64_t sharedBytes(int64_t count) const {
    return count * (stageBytes() + barriers()) + storeBytes() - (halves() ? leftBytes() : 0);
  }
  int64_t barriers() const { return (halves() ? 2 : 1) * barrierBytes; } ///< bytes, of a stage
  int64_t threads() const { return 128 * (consumers + 1); }
  int64_t accumulators() const { return bm / consumers * bn / 128 * (promote ? 2 : 1); }
  /// Registers; of fp16 those of the next step and the values that they are made of, too.
  int64_t fragments() const { return registers ? bm / consumers * bk / 128 * (tf32 ? 1 : 2) : 0; }
  int64_t tiles(const Gemm &gemm) const {
    return ceilDiv(gemm.m, bm * cluster) * ceilDiv(gemm.n, bn) * gemm.batch * split;
  }
  /// Persistent: as many clusters as the longest chain of tiles needs, so that a wave covers whole groups of the
  /// raster.
  int64_t blocks(const Gemm &gemm, const schedule::GemmWgmma &schedule, const Chip &chip) const {
    int64_t count = tiles(gemm), clusters = std::max<int64_t>(chip.multiprocessors / cluster, 1);
    return cluster *
           (schedule.persistent == schedule::Persistent::Static ? ceilDiv(count, ceilDiv(count, clusters)) : count);
  }
  /// Whether results are finished in a loop, of pieces of 128 bytes of columns: the text of LONGSTEPS for each of a
  /// thread's 128 results would not fit in the instruction cache.
  bool loops(int64_t longSteps) const { return storeTma && split == 1 && longSteps >= 3; }
  /// Stores of a consumer that wait for the next tile's first steps: 64 rows of 128 bytes, 16 registers of a thread.
  int64_t kept(const Gemm &gemm, const schedule::GemmWgmma &schedule, const Chip &chip, int64_t longSteps) const {
    if (!storeTma || split > 1 || gemm.triangle || // a tile of zeros has no steps
        loops(longSteps) ||                        // which registers to keep would be known at run time alone
        !schedule.overlap || tiles(gemm) * cluster <= blocks(gemm, schedule, chip))
      return 0;
    int64_t stores = bm / consumers / 64 * bn * gemm.resultType.getIntOrFloatBitWidth() / 1024;
    int64_t room = (schedule.regSplit[1] - otherRegisters - accumulators() - fragments()) / 16;
    return std::max<int64_t>(0, std::min({stores, room, ceilDiv(gemm.k, bk) - 1}));
  }
};

} // namespace

/// Bytes of an element that the main kernel stores: a result, or a partial sum.
static int64_t storedBytes(const Gemm &gemm, int64_t split) {
  return split > 1 ? 4 : gemm.resultType.getIntOrFloatBitWidth() / 8;
}

/// Completes convert_at of products of tf32, where an operand needs it.
static LogicalResult completeReading(DispatchOp dispatch, const Gemm &gemm, ScheduleParams &params) {
  if (Reading::arePlain(gemm)) {
    if (params.has(key::convertAt))
      return dispatch.emitError(
          "convert_at is for f32 operands that become fp16 or lie across k, found dtype = tf32 and "
          "rows along k");
    return success();
  }
  // A launch reads and writes an operand once more: what is small beside the rest does not mind.
  const int64_t lines = registersTakeRight(gemm, Dtype::Tf32) ? gemm.b.batches * gemm.n : gemm.a.batches * gemm.m;
  const int64_t all =
      gemm.a.batches * gemm.m * gemm.k + gemm.b.batches * gemm.n * gemm.k + gemm.batch * gemm.m * gemm.n;
  ConvertAt word = params.wordOr(dispatch.getContext(), key::convertAt,
                                 canPassRegisters(gemm, Dtype::Tf32) && 8 * lines * gemm.k > all ? ConvertAt::Registers
                                                                                                 : ConvertAt::Prepass);
  if (word == ConvertAt::Registers && !canPassRegisters(gemm, Dtype::Tf32))
    return dispatch.emitError("convert_at = registers needs an operand with rows across k, of a multiple of 16 bytes");
  return success();
}

/// Completes dtype, split_precision, promote_k and convert_at.
static LogicalResult completePrecision(DispatchOp dispatch, const Gemm &gemm, ScheduleParams &params) {
  MLIRContext *context = dispatch.getContext();
  Dtype own = dtypeOf(gemm.elementType);
  if (own != Dtype::Fp32) {
    if (Dtype dtype = params.wordOr(context, key::dtype, own); dtype != own)
      return dispatch.emitError("operands of ")
             << wordOf(own) << " are multiplied as " << wordOf(own) << ", found dtype = " << wordOf(dtype);
    bool splits = params.getWord(key::splitPrecision).value_or(SplitPrecision::None) != SplitPrecision::None;
    if (splits || params.has(key::convertAt))
      return dispatch.emitError(splits ? key::splitPrecision.name : key::convertAt.name)
             << " is for f32 operands, found " << wordOf(own);
    params.intOr(context, key::promoteK, 0);
    return success();
  }
  Precision precision = precisionOf(dispatch->getParentOfType<ModuleOp>());
  Dtype dtype = params.wordOr(context, key::dtype, Dtype::Fp16);
  if (dtype == Dtype::Bf16)
    return dispatch.emitError("mma = wgmma multiplies f32 operands as tf32, or as fp16 under powers of two, found "
                              "dtype = ")
           << wordOf(dtype);
  if (dtype == Dtype::Tf32) {
    if (!admitsOperandType(precision, dtype))
      return dispatch.emitError("precision class ") << stringifyPrecision(precision) << " does not admit dtype = tf32";
    if (params.getWord(key::splitPrecision).value_or(SplitPrecision::None) != SplitPrecision::None)
      return dispatch.emitError(key::splitPrecision.name)
             << " is for f32 operands that become fp16, found dtype = tf32";
    params.intOr(context, key::promoteK, 0);
    return completeReading(dispatch, gemm, params);
  }
  const bool registers = params.wordOr(context, key::convertAt, ConvertAt::Prepass) == ConvertAt::Registers;
  if (registers && !canPassRegisters(gemm, dtype))
    return dispatch.emitError("convert_at = registers with dtype = fp16 needs an operand with rows of a multiple of 16 "
                              "bytes");
  bool split = precision == Precision::StrictFP32;
  SplitPrecision word =
      params.wordOr(context, key::splitPrecision, split ? SplitPrecision::Fp16x3 : SplitPrecision::None);
  if (!admitsScaledHalf(precision, word))
    return dispatch.emitError("expected split_precision = fp16x3 within precision class ")
           << stringifyPrecision(precision) << ", found " << wordOf(word);
  if (registers && word != SplitPrecision::None)
    return dispatch.emitError("convert_at = registers rounds an operand to one fp16 matrix, found split_precision = ")
           << wordOf(word);
  // Tensor cores cut what an fp32 addition would round: short chains keep the sum's error below fp32's.
  int64_t promote = params.intOr(context, key::promoteK, word == SplitPrecision::None ? 0 : 128);
  if (registers && promote)
    return dispatch.emitError("convert_at = registers with dtype = fp16 keeps all sums under one power of two of their "
                              "row: expected promote_k = 0, found ")
           << promote;
  return success();
}

/// Tensor maps need 16-byte rows; f32 operands get them.
static LogicalResult checkOperands(DispatchOp dispatch, const Gemm &gemm) {
  if (gemm.elementType.isF32())
    return success();
  auto check = [&](StringRef side, const GemmOperand &operand, int64_t across) -> LogicalResult {
    int64_t length = operand.kContiguous ? gemm.k : across;
    if (length % 8)
      return dispatch.emitError("tensor maps need rows of a multiple of 16 bytes: the ")
             << side << " operand has rows of " << length << " 16-bit elements; mma = mma_sync takes any length";
    return success();
  };
  if (failed(check("left", gemm.a, gemm.m)) || failed(check("right", gemm.b, gemm.n)))
    return failure();
  return success();
}

static LogicalResult completeTile(DispatchOp dispatch, const Gemm &gemm, bool swapped, ScheduleParams &params,
                                  const Chip &chip) {
  MLIRContext *context = dispatch.getContext();
  bool halves = params.getWord(key::splitPrecision) == SplitPrecision::Fp16x3;
  bool tf32 = params.getWord(key::dtype) == Dtype::Tf32;
  const int64_t slab = tf32 ? 32 : 64; // elements of 128 bytes
  int64_t bm = gemm.m > 64 ? 128 : 64;
  int64_t bn = std::clamp<int64_t>(llvm::PowerOf2Ceil(gemm.n), 64, halves ? 128 : 256);
  // A long K gives every multiprocessor work by slices, a short one by smaller tiles.
  int64_t slices = std::clamp<int64_t>(gemm.k / 1024, 1, 64);
  while (bn > 64 && gemm.batch * ceilDiv(gemm.m, bm) * ceilDiv(gemm.n, bn) * slices < chip.multiprocessors)
    bn /= 2;
  SmallVector<int64_t> tile = params.intsOr(context, key::tile, {bm, bn, slab});
  if (tile[2] % slab)
    return dispatch.emitError("a tile's rows along k are whole pieces of 128 bytes: expected a multiple of ")
           << slab << " elements, found " << tile[2];
  int64_t consumers = params.intOr(context, key::consumers, tile[0] % 128 == 0 ? 2 : 1);
  if (tile[0] > 256 || tile[0] % (64 * consumers))
    return dispatch.emitError("a tile of ")
           << consumers << " consumers has a multiple of " << 64 * consumers << " rows, at most 256, found " << tile[0];
  int64_t cluster = params.intOr(context, key::cluster, 1);
  if (ceilDiv(gemm.m, tile[0]) < cluster)
    return dispatch.emitError("a cluster of ")
           << cluster << " blocks needs as many tiles along m, found " << ceilDiv(gemm.m, tile[0]);
  int64_t step = (gemm.b.kContiguous ? 8 : slab) * cluster;
  if (tile[1] % step)
    return dispatch.emitError("each block of a cluster copies pieces of ")
           << step / cluster << " columns of the right operand: with cluster = " << cluster
           << " expected a tile of a multiple of " << step << " columns, found " << tile[1];

  int64_t tiles = gemm.batch * ceilDiv(gemm.m, tile[0]) * ceilDiv(gemm.n, tile[1]), depth = ceilDiv(gemm.k, tile[2]);
  int64_t split = std::clamp<int64_t>(std::min(chip.multiprocessors / tiles, depth / 8), 1, 64);
  while (split > 1 && (split - 1) * ceilDiv(depth, split) >= depth)
    --split;
  const bool powers = !tf32 && params.getWord(key::convertAt) == ConvertAt::Registers;
  split = params.intOr(context, key::splitK, powers ? 1 : split);
  if (powers && split > 1)
    return dispatch.emitError("convert_at = registers with dtype = fp16 keeps the powers of two of a tile's rows with "
                              "its sums: expected split_k = 1, found ")
           << split;
  if ((split - 1) * ceilDiv(depth, split) >= depth)
    return dispatch.emitError("split_k = ")
           << split << " leaves a slice empty: k has " << depth << " tiles of " << tile[2];

  // The transposed result leaves by tensor map in pieces of 32 columns, of 32 rows each.
  const bool turns = swapped && split == 1;
  int64_t stored = storedBytes(gemm, split), columns = 128 / stored;
  if (turns && (tf32 || stored != 4) && params.getWord(key::store) == Store::Tma)
    return dispatch.emitError(
        "convert_at = registers of the right operand computes the transposed result, which leaves "
        "directly or in slices: expected store = direct, found tma");
  bool canStore =
      (turns ? !tf32 && stored == 4 && gemm.m * stored % 16 == 0 : gemm.n * stored % 16 == 0) && tile[1] % columns == 0;
  if (params.wordOr(context, key::store, canStore ? Store::Tma : Store::Direct) == Store::Tma && !canStore)
    return dispatch.emitError("store = tma needs result rows of a multiple of 16 bytes and tiles of whole ")
           << columns << " columns, found rows of " << (turns ? gemm.m : gemm.n) * stored << " bytes and " << tile[1]
           << " columns";
  return success();
}

/// Stages and registers: what has to fit the chip.
static LogicalResult completeResources(DispatchOp dispatch, const Gemm &gemm, ScheduleParams &params,
                                       const Chip &chip) {
  MLIRContext *context = dispatch.getContext();
  Plan plan(gemm, schedule::GemmWgmma::read(params, /*isOpen=*/true));
  int64_t fits =
      std::min<int64_t>(8, (chip.sharedBytesPerBlock - plan.sharedBytes(0)) / (plan.stageBytes() + plan.barriers()));
  if (!params.has(key::stages) && fits < 2)
    return dispatch.emitError("two stages of the tile take ")
           << plan.sharedBytes(2) << " bytes of shared memory, " << chip.arch << " has " << chip.sharedBytesPerBlock;
  int64_t stages = params.intOr(context, key::stages, fits);
  if (plan.sharedBytes(stages) > chip.sharedBytesPerBlock)
    return dispatch.emitError("the tiles of ")
           << stages << " stages take " << plan.sharedBytes(stages) << " bytes of shared memory, " << chip.arch
           << " has " << chip.sharedBytesPerBlock;

  SmallVector<int64_t> registers = params.intsOr(
      context, key::regSplit, plan.consumers == 3 ? ArrayRef<int64_t>{32, 160} : ArrayRef<int64_t>{40, 232});
  // What the launch bound gives every thread before warpgroups exchange registers.
  int64_t atEntry = std::min<int64_t>(248, chip.registersPerMultiprocessor / plan.threads() / 8 * 8);
  int64_t sum = registers[0] + plan.consumers * registers[1], bound = (plan.consumers + 1) * atEntry;
  if (sum > bound)
    return dispatch.emitError("reg_split asks for ")
           << sum << " registers (" << registers[0] << " + " << plan.consumers << " * " << registers[1] << "), "
           << plan.consumers + 1 << " warpgroups have " << bound;
  const int64_t others = otherRegisters + plan.fragments();
  if (plan.accumulators() + others > registers[1])
    return dispatch.emitError("the tile needs ") << plan.accumulators() << " accumulators and about " << others
                                                 << " other registers in a thread, reg_split gives " << registers[1];
  return success();
}

LogicalResult completeWgmma(DispatchOp dispatch, const Gemm &product, ScheduleParams &params, const Chip &chip) {
  MLIRContext *context = dispatch.getContext();
  if (!chip.isHopper())
    return dispatch.emitError("mma = wgmma needs sm_90a, the chip is ") << chip.arch;
  params.wordOr(context, key::mma, schedule::Mma::Wgmma);
  params.wordOr(context, key::pipeline, schedule::Pipeline::Tma);
  if (failed(completePrecision(dispatch, product, params)) || failed(checkOperands(dispatch, product)))
    return failure();
  const Reading reading(product, params.getWord(key::dtype), params.getWord(key::convertAt));
  const Gemm &gemm = reading.gemm;
  if (failed(completeTile(dispatch, gemm, reading.swapped, params, chip)) ||
      failed(completeResources(dispatch, gemm, params, chip)))
    return failure();
  params.intOr(context, key::raster, 8);
  // Where tiles differ in what they take, the next one is for whoever is free.
  params.wordOr(context, key::persistent, gemm.triangle ? schedule::Persistent::None : schedule::Persistent::Static);
  bool overlaps = params.wordOr(context, key::overlap, params.getWord(key::store) == Store::Tma);
  if (overlaps && params.getWord(key::store) != Store::Tma)
    return dispatch.emitError("overlap = on keeps results that leave by store = tma, found store = direct");
  // ptxas serialises products in flight when 16-bit results are rounded right behind them.
  bool narrowDirect =
      params.getWord(key::store) == Store::Direct && params.getInt(key::splitK) == 1 && !gemm.resultType.isF32();
  const bool registers = params.getWord(key::convertAt) == ConvertAt::Registers;
  if (registers && params.intOr(context, key::mmaInflight, 0) > 0)
    return dispatch.emitError(
        "convert_at = registers fills them while no products are in flight: expected mma_inflight = "
        "0, found 1");
  if (int64_t inflight = params.intOr(context, key::mmaInflight, narrowDirect ? 0 : 1); inflight > !narrowDirect)
    return dispatch.emitError("family gemm keeps at most ")
           << int(!narrowDirect) << " stages of products in flight"
           << (narrowDirect ? " with 16-bit results stored directly" : "") << ", found " << inflight;
  return success();
}

//===----------------------------------------------------------------------===//
// Emission
//===----------------------------------------------------------------------===//

namespace {

/// Builds the launches, and the text of the preparation's kernels.
class Emitter {
public:
  Emitter(DispatchOp dispatch, const Gemm &product, const schedule::GemmWgmma &schedule, const Chip &chip)
      : dispatch(dispatch), product(product), schedule(schedule), chip(chip),
        reading(product, schedule.dtype, schedule.convertAt), gemm(reading.gemm), plan(gemm, schedule),
        name(dispatch.getName().str()), context(dispatch.getContext()), inType(elementTypeOf(schedule.dtype, context)) {
  }

  FailureOr<DispatchCode> emit();

private:
  TensorMap mapOf(const GemmOperand &operand, DispatchBuffer buffer, int64_t across, int64_t boxRows,
                  bool halves) const;
  DispatchBuffer workspace(ArrayRef<int64_t> shape, Type type) {
    code.workspaces.push_back(RankedTensorType::get(shape, type));
    return DispatchBuffer::workspace(code.workspaces.size() - 1);
  }
  std::string constants(const Epilogue &epilogue) const;

  DispatchOp dispatch;
  const Gemm &product;
  const schedule::GemmWgmma &schedule;
  const Chip &chip;
  Reading reading;
  const Gemm &gemm; ///< as the kernel sees it
  Plan plan;
  std::string name;
  MLIRContext *context;
  Type inType;
  DispatchCode code;
};

} // namespace

/// Boxes of 128 bytes of the contiguous dimension by BOXROWS (along K: a tile's depth) of the other one.
/// HALVES: its f32 elements become fp16 in registers.
TensorMap Emitter::mapOf(const GemmOperand &operand, DispatchBuffer buffer, int64_t across, int64_t boxRows,
                         bool halves) const {
  int64_t inner = operand.kContiguous ? gemm.k : across, outer = operand.kContiguous ? across : gemm.k;
  const bool pitched = (plan.prepared && !halves) || buffer.kind == DispatchBuffer::Kind::Workspace;
  const int64_t element = halves ? plan.leftElement : plan.element;
  int64_t bytes = element * (pitched ? preparedPitch(inner) : inner);
  // A copy by a map of tf32 rounds to nearest; tensor cores alone would cut.
  Type copied = halves ? Type(Float32Type::get(context)) : plan.tf32 ? Type(FloatTF32Type::get(context)) : inType;
  TensorMap map{buffer, copied, {inner, outer, operand.batches * plan.parts}, {bytes, bytes * outer}, {}};
  map.box = {128 / element, operand.kContiguous ? boxRows : plan.bk, 1};
  map.swizzle = 128;
  map.l2 = schedule.l2Promotion.value_or(256);
  return map;
}

std::string Emitter::constants(const Epilogue &epilogue) const {
  auto boolText = [](bool value) { return value ? "true" : "false"; };
  std::string text = epilogue.functions;
  llvm::raw_string_ostream os(text);
  os << printProblem(name, gemm, inType, "the products", plan.split);
  const bool halves = plan.halves();
  os << "using InA = " << (halves ? "float; // element type of A's tiles\n" : "In; // element type of A's tiles\n");
  os << llvm::formatv("constexpr int BATCHES_OF_A = {0}, BATCHES_OF_B = {1}; // 1: the same matrix for every batch\n",
                      gemm.a.batches, gemm.b.batches);
  os << "constexpr bool A_K_CONTIGUOUS = " << boolText(gemm.a.kContiguous) << "; // A is "
     << (gemm.a.kContiguous ? "[M, K]\n" : "[K, M]\n");
  os << "constexpr bool B_K_CONTIGUOUS = " << boolText(gemm.b.kContiguous) << "; // B is "
     << (gemm.b.kContiguous ? "[N, K]\n" : "[K, N]\n");
  os << "constexpr int PARTS = " << plan.parts << "; // matrices whose sum is an operand\n// The schedule.\n";
  os << llvm::formatv("constexpr int BM = {0}, BN = {1}, BK = {2}; // block tile\n", plan.bm, plan.bn, plan.bk);
  os << "constexpr int CONSUMERS = " << plan.consumers << "; // warpgroups that multiply\n";
  os << "constexpr int STAGES = " << plan.stages << ";\n";
  os << "constexpr int CLUSTER = " << plan.cluster << "; // blocks, one below the other, that share their tiles of B\n";
  os << "constexpr int RASTER = " << schedule.raster << "; // tile rows of one group in the block order\n";
  os << "constexpr int INFLIGHT = " << schedule.mmaInflight
     << "; // stages whose products run while the next one is waited for\n";
  os << "constexpr int PROMOTE = " << plan.promote
     << "; // k tiles that are summed in the tensor cores before an fp32 addition; 0: all\n";
  os << "constexpr int SPLIT_K = " << plan.split << "; // slices of K, whose sums a second kernel adds\n";
  os << "constexpr int BLOCKS = " << plan.blocks(gemm, schedule, chip) << "; // of the grid\n";
  os << "constexpr bool STORE_TMA = " << boolText(plan.storeTma)
     << "; // results leave through shared memory and a tensor map\n";
  os << "constexpr int KEPT = " << plan.kept(gemm, schedule, chip, epilogue.longSteps)
     << "; // stores that wait in registers for the first steps of the next tile\n";
  os << "constexpr bool LOOPS = " << boolText(plan.loops(epilogue.longSteps))
     << "; // results are finished in a loop: their steps are long\n";
  os << "constexpr int STORE_BUFFERS = " << storeBuffers << "; // 64 rows of 128 bytes each, for each consumer\n";
  os << llvm::formatv("constexpr int PRODUCER_REGISTERS = {0}, CONSUMER_REGISTERS = {1};\n", schedule.regSplit[0],
                      schedule.regSplit[1]);
  os << "constexpr int SHARED_BYTES = " << plan.sharedBytes(plan.stages)
     << "; // dynamic shared memory of the launch\n";
  os << gemm.printTriangle();
  os << "} // namespace " << name << "\n";
  return text;
}

FailureOr<DispatchCode> Emitter::emit() {
  const bool swapped = reading.swapped, halves = plan.halves();
  auto epilogueOr = emitGemmEpilogue(dispatch, product, swapped ? "N" : "M");
  if (failed(epilogueOr))
    return failure();
  auto &[epilogue, epilogueText] = *epilogueOr;

  PreparedOperand a{gemm.a.buffer, gemm.a.buffer}, b{gemm.b.buffer, gemm.b.buffer};
  std::string preparation;
  if (plan.prepared)
    preparation = emitPreparation(gemm, name, plan.parts, inType, code, halves ? nullptr : &a, b);
  else if (plan.tf32 && (reading.arrangesLeft || reading.arrangesRight))
    preparation =
        emitArrangement(reading.given, name, reading.arrangesLeft, reading.arrangesRight, code, a.buffer, b.buffer);
  TemplateFill fill;
  fill.name = name;
  fill.replacements["constants"] = constants(epilogue);
  fill.replacements["epilogue"] = epilogueText;
  std::string instruction =
      plan.tf32 ? plan.registers ? "tf32_ra<BN>" : "tf32<BN>"
      : halves  ? "f16_ra<BN, !B_K_CONTIGUOUS>"
                : std::string(inType.isBF16() ? "bf16" : "f16") + "<BN, !A_K_CONTIGUOUS, !B_K_CONTIGUOUS>";
  const std::string left = plan.registers ? "const unsigned (&a)[4]" : "uint64_t a";
  fill.replacements["mma"] = "__device__ __forceinline__ void mma(float (&c)[BN / 2], " + left +
                             ", uint64_t b, bool accumulate) {\n  kgen::wgmma_" + instruction +
                             "(c, a, b, accumulate);\n}";
  if (plan.tf32)
    fill.sections.insert("tf32");
  if (plan.registers)
    useRegisters(fill, schedule.dtype);
  const bool turned = swapped && plan.split == 1 && plan.storeTma;
  if (swapped)
    fill.sections.insert("swapped");
  if (turned)
    fill.sections.insert("turned");
  std::string arguments = plan.split > 1 ? "" : epilogue.arguments();
  std::string in = "const " + name + "::In *__restrict__ ", exponents;
  if (plan.prepared)
    exponents =
        std::string(halves ? "" : ", const int *__restrict__ a_exponents") + ", const int *__restrict__ b_exponents";
  auto map = [](StringRef name) { return ", const __grid_constant__ kgen::tensor_map map_" + name.str(); };
  // With split_k the scale and the epilogue are the second kernel's.
  bool split = plan.split > 1;
  std::string scales = plan.prepared && !split ? exponents : "", parameters = split ? "" : epilogue.parameters();
  fill.replacements["kernel"] = "extern \"C\" __global__ void __launch_bounds__(" + name + "::THREADS, 1)\n    " +
                                name + "_main(" + (halves ? "const float *__restrict__ " : in) + "a_matrix, " + in +
                                "b_matrix" + scales + parameters + ", " + name + "::Stored *__restrict__ c" + map("a") +
                                map("b") + (plan.storeTma ? map("c") : "") + ") {";
  if (halves)
    fill.replacements["scale"] =
        "        const int *b_scale = b_exponents + (BATCHES_OF_B == 1 ? 0 : tile.batch) * N;\n"
        "        auto scale = [&](float value, int half, int column) {\n"
        "          return scaled(value, powers.exponent[i][half] + b_scale[column]);\n"
        "        };";
  else if (plan.prepared && !split)
    fill.replacements["scale"] =
        "        const int *a_scale = a_exponents + (BATCHES_OF_A == 1 ? 0 : tile.batch) * M;\n"
        "        const int *b_scale = b_exponents + (BATCHES_OF_B == 1 ? 0 : tile.batch) * N;\n"
        "        const int row_exponent[2] = {row < M ? a_scale[row] : 0, row + 8 < M ? a_scale[row + 8] : 0};\n"
        "        auto scale = [&](float value, int half, int column) {\n"
        "          return scaled(value, row_exponent[half] + b_scale[column]);\n"
        "        };";
  fill.replacements["finish"] =
      "              finish(out, &sums[i][((LOOPS ? 0 : chunk * CHUNK) + j) / 2], tile.batch, row, "
      "tile.n0 + chunk * CHUNK + j + pair,\n                     scale" +
      arguments + ");";
  fill.replacements["finish_direct"] =
      "            finish(out, &sums[i][j / 2], tile.batch, row, tile.n0 + j + pair, scale" + arguments + ");";
  if (split) {
    fill.sections.insert("split_k");
    fill.replacements["reduce"] = "extern \"C\" __global__ void __launch_bounds__(256)\n    " + name +
                                  "_reduce(const float *__restrict__ partial" + exponents + epilogue.parameters() +
                                  ", " + name + "::Out *__restrict__ c) {";
    fill.replacements["reduce_call"] = "    results.value[i] = epilogue(scale(sums.value[i], column + i), batch, row, "
                                       "column + i" +
                                       epilogue.arguments() + ");";
    fill.replacements["reduce_swapped"] =
        "    c[((long long)batch * N + column + i) * M + row] = epilogue(sums.value[i], batch, column + i, row" +
        epilogue.arguments() + ");";
    if (plan.prepared)
      fill.replacements["reduce_scale"] =
          "  const int *a_scale = a_exponents + (BATCHES_OF_A == 1 ? 0 : batch) * M;\n"
          "  const int *b_scale = b_exponents + (BATCHES_OF_B == 1 ? 0 : batch) * N;\n"
          "  auto scale = [&](float value, int at) { return scaled(value, a_scale[row] + b_scale[at]); };";
  }
  fill.sections.insert(plan.storeTma ? "store_tma" : "store_direct");
  if (plan.prepared)
    fill.sections.insert("scaled");
  if (gemm.triangle) {
    fill.sections.insert("skip");
    fill.replacements["store_zero"] =
        "            const Stored zero = " +
        (split ? "0.0f;" : "epilogue(0.0f, tile.batch, row, column" + epilogue.arguments() + ");");
  }
  fill.replacements["stores"] = fillTemplate(templateBody("gemm_stores.cuh"), fill);
  code.source = fillTemplate(findCudaTemplate("gemm_wgmma.cuh"), fill);
  if (!preparation.empty())
    code.source = preparation + "\n" + code.source;

  int64_t results = gemm.batch * gemm.m * gemm.n;
  DispatchBuffer stored = DispatchBuffer::result(0);
  if (split)
    stored = workspace({plan.split, results}, Float32Type::get(context));
  LaunchSpec main{name + "_main",         {plan.blocks(gemm, schedule, chip), 1, 1},
                  {plan.threads(), 1, 1}, plan.sharedBytes(plan.stages),
                  {a.buffer, b.buffer},   {stored}};
  SmallVector<DispatchBuffer> finishing;
  if (plan.prepared && !halves)
    finishing.push_back(a.exponents);
  if (plan.prepared)
    finishing.push_back(b.exponents);
  for (const EpilogueOperand &operand : epilogue.operands)
    finishing.push_back(operand.buffer);
  if (!split)
    main.reads.append(finishing);
  main.cluster = {plan.cluster, 1, 1};
  main.sizedBy = "gemm_wgmma.cuh";
  main.maps.push_back(mapOf(gemm.a, a.buffer, gemm.m, plan.bm, halves));
  main.maps.push_back(mapOf(gemm.b, b.buffer, gemm.n, plan.bn / plan.cluster, false));
  if (plan.storeTma) {
    const int64_t columns = turned ? gemm.m : gemm.n, rows = turned ? gemm.n : gemm.m;
    int64_t bytes = storedBytes(gemm, plan.split), row = columns * bytes;
    TensorMap out{stored,
                  split ? Type(Float32Type::get(context)) : gemm.resultType,
                  {columns, rows, gemm.batch * plan.split},
                  {row, row * rows},
                  {128 / bytes, turned ? 32 : 64, 1}};
    out.swizzle = 128;
    main.maps.push_back(out);
  }
  code.launches.push_back(main);
  if (split) {
    int64_t each = gemm.n % 4 == 0 && results >= 1 << 18 ? 4 : 1;
    LaunchSpec reduce{name + "_reduce", {ceilDiv(results, each * 256), 1, 1}, {256, 1, 1}, 0,
                      {stored},         {DispatchBuffer::result(0)}};
    reduce.reads.append(finishing);
    code.launches.push_back(reduce);
  }
  return code;
}

FailureOr<DispatchCode> emitWgmma(DispatchOp dispatch, const Gemm &gemm, const schedule::GemmWgmma &schedule,
                                  const Chip &chip) {
  return Emitter(dispatch, gemm, schedule, chip).emit();
}

} // namespace kgen::kernels
