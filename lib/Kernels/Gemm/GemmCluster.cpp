//===- GemmCluster.cpp - Matrix products, a cluster for a tile (sm_90a) ---===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fills gemm_cluster.cuh in: products of less than a wave of tiles, whose
// operands are copied as they are: contiguous along k, 16-bit ones in either
// order. An operand of f32 across k is the left one and goes through registers;
// where it is the right one, the kernel computes the transposed result.
//
//===----------------------------------------------------------------------===//

#include "GemmDispatch.h"

#include "kgen/Dialect/KGen/Precision.h"
#include "kgen/Kernels/Emit/ScalarEmitter.h"
#include "kgen/Kernels/Ideas/ClusterTiles.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace kgen::kernels {
using schedule::Dtype;

namespace {

constexpr int64_t barrierBytes = 16;
constexpr int64_t otherRegisters = 40; ///< of a thread beside its sums: descriptors, addresses, the epilogue

/// A product as the kernel sees it.
struct Seen {
  bool registers, swapped; ///< the left operand goes through registers; the result is the transposed one
  Gemm gemm;

  explicit Seen(const Gemm &product)
      : registers(product.elementType.isF32() && canPassRegisters(product, Dtype::Tf32)),
        swapped(registers && registersTakeRight(product, Dtype::Tf32)),
        gemm(swapped ? transposeProduct(product) : product) {}
};

/// What the schedule makes of a product.
struct Plan {
  bool registers;
  int64_t groupBytes;
  int64_t element; ///< bytes, of what is multiplied
  int64_t bm, bn, bk, consumers, stages, cluster, split;

  Plan(const schedule::GemmCluster &schedule, const Seen &seen)
      : registers(seen.registers), groupBytes(seen.gemm.groupBytes()), element(schedule.dtype == Dtype::Tf32 ? 4 : 2),
        bm(schedule.tile[0]), bn(schedule.tile[1]), bk(schedule.tile[2]), consumers(schedule.consumers),
        stages(schedule.stages), cluster(schedule.cluster), split(schedule.splitK) {}
  int64_t ranks() const { return cluster * split; }
  int64_t threads() const { return 128 * (consumers + 1); }
  int64_t accumulators() const { return bm / consumers * bn / 128; }
  int64_t fragments() const { return registers ? bm / consumers * bk / 128 : 0; } ///< registers
  /// Of a tile of A: where there are fewer rows, no others are copied.
  int64_t rowsOfA(const Gemm &gemm) const {
    return gemm.a.kContiguous ? std::min(bm, int64_t(llvm::alignTo(gemm.m, 8))) : bm;
  }
  int64_t stageBytes() const { return (bm + bn) * bk * element; }
  int64_t sharedBytes(int64_t count) const {
    return std::max(count * stageBytes(), split > 1 ? bm * bn * 4 : 0) + count * barrierBytes + groupBytes;
  }
};

} // namespace

/// Whether the operands of GEMM, as the kernel sees it, can be copied as they are and multiplied as DTYPE.
static LogicalResult checkOperands(DispatchOp dispatch, const Gemm &gemm, Dtype dtype) {
  Dtype own = gemm.elementType.isF32() ? Dtype::Tf32 : dtypeOf(gemm.elementType);
  if (dtype != own)
    return dispatch.emitError("split_at = cluster multiplies operands of ")
           << wordOf(dtypeOf(gemm.elementType)) << " as " << wordOf(own) << ", found dtype = " << wordOf(dtype);
  Precision precision = precisionOf(dispatch->getParentOfType<ModuleOp>());
  if (dtype == Dtype::Tf32 && !admitsOperandType(precision, dtype))
    return dispatch.emitError("precision class ") << stringifyPrecision(precision) << " does not admit dtype = tf32";
  const int64_t element = dtype == Dtype::Tf32 ? 4 : 2;
  auto checkRows = [&](StringRef side, const GemmOperand &operand, int64_t across) -> LogicalResult {
    if (int64_t bytes = (operand.kContiguous ? gemm.k : across) * element; bytes % 16)
      return dispatch.emitError("tensor maps need rows of a multiple of 16 bytes: the ")
             << side << " operand has rows of " << bytes;
    return success();
  };
  if (failed(checkRows("left", gemm.a, gemm.m)) || failed(checkRows("right", gemm.b, gemm.n)))
    return failure();
  if (dtype == Dtype::Tf32 && !gemm.b.kContiguous)
    return dispatch.emitError("split_at = cluster takes one f32 operand whose rows lie across k, through registers: "
                              "found two");
  return success();
}

LogicalResult completeCluster(DispatchOp dispatch, const Gemm &product, ScheduleParams &params, const Chip &chip) {
  const Seen seen(product);
  const Gemm &gemm = seen.gemm;
  MLIRContext *context = dispatch.getContext();
  if (!chip.isHopper())
    return dispatch.emitError("split_at = cluster needs sm_90a, the chip is ") << chip.arch;
  params.wordOr(context, key::mma, schedule::Mma::Wgmma);
  params.wordOr(context, key::pipeline, schedule::Pipeline::Tma);
  Dtype dtype = params.wordOr(context, key::dtype, gemm.elementType.isF32() ? Dtype::Tf32 : dtypeOf(gemm.elementType));
  if (failed(checkOperands(dispatch, gemm, dtype)))
    return failure();

  if (gemm.groups && seen.registers)
    return dispatch.emitError("split_at = cluster takes f32 matrices of groups along k, found them across");

  // What is open follows the best tile that has all that is set.
  const int64_t slab = dtype == Dtype::Tf32 ? 32 : 64; // elements of 128 bytes
  const int64_t piece = gemm.b.kContiguous ? 8 : slab; // columns of B that are copied together
  std::optional<SmallVector<int64_t>> setTile = params.getInts(key::tile);
  auto fits = [&](const ideas::ClusterTile &tile) {
    return (!gemm.groups || tile.cluster == 1) && (!setTile || ((*setTile)[0] == tile.m && (*setTile)[1] == tile.n)) &&
           params.getInt(key::cluster).value_or(tile.cluster) == tile.cluster &&
           params.getInt(key::splitK).value_or(tile.split) == tile.split;
  };
  // Groups of about equal size, as well as one can say.
  const int64_t groups = gemm.groups ? gemm.groups->count : 1;
  std::vector<ideas::ClusterTile> ranked = ideas::rankClusterTiles(
      {gemm.batch * groups, ceilDiv(gemm.m, groups), gemm.n, gemm.k, 128 / slab, piece}, chip.multiprocessors);
  auto best = llvm::find_if(ranked, fits);
  ideas::ClusterTile chosen = best == ranked.end() ? ideas::ClusterTile{64, 64, slab, 1, 1} : *best;
  SmallVector<int64_t> tile = params.intsOr(context, key::tile, {chosen.m, chosen.n, chosen.k});
  int64_t cluster = params.intOr(context, key::cluster, chosen.cluster);
  int64_t split = params.intOr(context, key::splitK, chosen.split);
  int64_t consumers = params.intOr(context, key::consumers, tile[0] % 128 == 0 ? 2 : 1);
  if (tile[2] % slab)
    return dispatch.emitError("a tile's rows along k are whole pieces of 128 bytes: expected a multiple of ")
           << slab << " elements, found " << tile[2];
  if (tile[0] > 256 || tile[0] % (64 * consumers))
    return dispatch.emitError("a tile of ")
           << consumers << " consumers has a multiple of " << 64 * consumers << " rows, at most 256, found " << tile[0];
  if (cluster * split > ideas::mostRanks)
    return dispatch.emitError("a cluster has at most ")
           << ideas::mostRanks << " blocks, found cluster = " << cluster << " times split_k = " << split;
  if (gemm.groups && cluster > 1)
    return dispatch.emitError("tiles of a cluster share a matrix, and rows of groups may have different ones: expected "
                              "cluster = 1, found ")
           << cluster;
  if (ceilDiv(gemm.m, tile[0]) < cluster)
    return dispatch.emitError("a cluster of ")
           << cluster << " tiles needs as many along m, found " << ceilDiv(gemm.m, tile[0]);
  if (tile[1] % (piece * cluster))
    return dispatch.emitError("each block of a cluster copies pieces of ")
           << piece << " columns of the right operand: with cluster = " << cluster
           << " expected a tile of a multiple of " << piece * cluster << " columns, found " << tile[1];
  int64_t depth = ceilDiv(gemm.k, tile[2]);
  if ((split - 1) * ceilDiv(depth, split) >= depth)
    return dispatch.emitError("split_k = ")
           << split << " leaves a slice empty: k has " << depth << " tiles of " << tile[2];

  Plan plan(schedule::GemmCluster::read(params, /*isOpen=*/true), seen);
  int64_t most = 8; // stages; no more than there are steps
  while (most > 2 && (plan.sharedBytes(most) > chip.sharedBytesPerBlock || most > ceilDiv(depth, split)))
    --most;
  int64_t stages = params.intOr(context, key::stages, most);
  if (plan.sharedBytes(stages) > chip.sharedBytesPerBlock)
    return dispatch.emitError("the tiles of ")
           << stages << " stages take " << plan.sharedBytes(stages) << " bytes of shared memory, " << chip.arch
           << " has " << chip.sharedBytesPerBlock;
  int64_t registers = std::min<int64_t>(255, chip.registersPerMultiprocessor / plan.threads() / 8 * 8);
  const int64_t others = otherRegisters + plan.fragments();
  if (plan.accumulators() + others > registers)
    return dispatch.emitError("the tile needs ") << plan.accumulators() << " accumulators and about " << others
                                                 << " other registers in a thread, there are " << registers;
  return success();
}

FailureOr<DispatchCode> emitCluster(DispatchOp dispatch, const Gemm &product, const schedule::GemmCluster &schedule) {
  const Seen seen(product);
  const Gemm &gemm = seen.gemm;
  auto epilogueOr = emitGemmEpilogue(dispatch, product, seen.swapped ? "N" : "M");
  if (failed(epilogueOr))
    return failure();
  auto &[epilogue, epilogueText] = *epilogueOr;
  MLIRContext *context = dispatch.getContext();
  std::string name = dispatch.getName().str();
  Plan plan(schedule, seen);
  Type inType = elementTypeOf(schedule.dtype, context);

  std::string constants = epilogue.functions;
  llvm::raw_string_ostream os(constants);
  os << printProblem(name, gemm, inType, "the products");
  os << llvm::formatv("constexpr int BATCHES_OF_A = {0}, BATCHES_OF_B = {1}; // 1: the same matrix for every batch\n",
                      gemm.a.batches, gemm.b.batches);
  os << "// The schedule.\n";
  os << llvm::formatv("constexpr int BM = {0}, BN = {1}, BK = {2}; // block tile\n", plan.bm, plan.bn, plan.bk);
  os << "constexpr int CONSUMERS = " << plan.consumers << "; // warpgroups that multiply\n";
  os << "constexpr int STAGES = " << plan.stages << ";\n";
  os << "constexpr int CLUSTER = " << plan.cluster
     << "; // tiles of a cluster, one below the other, that share their tiles of B\n";
  os << "constexpr int SPLIT_K = " << plan.split << "; // slices of K, a block each\n";
  os << "constexpr int ROWS_OF_A = " << plan.rowsOfA(gemm)
     << "; // of a tile that are copied: all, or those that there are\n";
  os << "constexpr int SHARED_BYTES = " << plan.sharedBytes(plan.stages)
     << "; // dynamic shared memory of the launch\n";
  os << "} // namespace " << name << "\n";

  TemplateFill fill;
  fill.name = name;
  fill.replacements["constants"] = constants;
  fill.replacements["epilogue"] = epilogueText;
  const bool leftAcross = !gemm.a.kContiguous, rightAcross = !gemm.b.kContiguous;
  std::string instruction = plan.element == 4 ? "tf32" : inType.isBF16() ? "bf16" : "f16";
  instruction += plan.registers ? "_ra<BN" : "<BN";
  if (plan.element == 2 && (leftAcross || rightAcross)) {
    instruction += std::string(leftAcross ? ", true" : ", false") + (rightAcross ? ", true" : ", false");
    fill.sections.insert("across");
    fill.replacements["products"] =
        llvm::formatv("      mma(c[i], a + ({0}) / 16, b + {1} / 16, accumulate || step > 0);",
                      leftAcross ? "step_bytes_across(step) + i * BK * 128" : "step_bytes(step, BM) + i * 64 * 128",
                      rightAcross ? "step_bytes_across(step)" : "step_bytes(step, BN)");
  }
  for (auto [section, isThere] : {std::pair("left_across", leftAcross),
                                  {"right_across", rightAcross},
                                  {"both_across", leftAcross && rightAcross},
                                  {"swapped", seen.swapped}})
    if (isThere)
      fill.sections.insert(section);
  if (plan.split == 1 && !gemm.resultType.isF32())
    fill.sections.insert("guarded");
  if (plan.registers)
    useRegisters(fill, Dtype::Tf32);
  useGroups(gemm, fill);
  fill.replacements["mma"] = "__device__ __forceinline__ void mma(float (&c)[BN / 2], " +
                             std::string(plan.registers ? "const unsigned (&a)[4]" : "uint64_t a") +
                             ", uint64_t b, bool accumulate) {\n  kgen::wgmma_" + instruction +
                             ">(c, a, b, accumulate);\n}";
  std::string in = "const " + getStorageType(gemm.elementType).str() + " *__restrict__ ";
  auto map = [](StringRef name) { return ", const __grid_constant__ kgen::tensor_map map_" + name.str(); };
  fill.replacements["kernel"] = "extern \"C\" __global__ void __launch_bounds__(" + name + "::THREADS, 1)\n    " +
                                name + "_main(" + in + "a_matrix, " + in + "b_matrix" + printGroupParameter(gemm) +
                                epilogue.parameters() + ", " + name + "::Out *__restrict__ c" + map("a") + map("b") +
                                ") {";
  std::string call = std::string("store(c, four, ") + (gemm.groups ? "rows.end" : "batch") + ", row, column" +
                     epilogue.arguments() + ");";
  fill.replacements["store"] = "          " + call;
  fill.replacements["store_sum"] = "        " + call;

  DispatchCode code;
  code.source = fillTemplate(findCudaTemplate("gemm_cluster.cuh"), fill);
  int64_t tiles = gemm.rowTiles(plan.bm * plan.cluster) * ceilDiv(gemm.n, plan.bn) * gemm.batch;
  LaunchSpec main{name + "_main",
                  {tiles * plan.ranks(), 1, 1},
                  {plan.threads(), 1, 1},
                  plan.sharedBytes(plan.stages),
                  {gemm.a.buffer, gemm.b.buffer},
                  {DispatchBuffer::result(0)}};
  if (gemm.groups)
    main.reads.push_back(gemm.groups->ends);
  for (const EpilogueOperand &operand : epilogue.operands)
    main.reads.push_back(operand.buffer);
  main.cluster = {plan.ranks(), 1, 1};
  main.sizedBy = "gemm_cluster.cuh";
  // A copy by a map of tf32 rounds to nearest; tensor cores alone would cut.
  Type copied = plan.element == 4 ? Type(FloatTF32Type::get(context)) : inType;
  auto addMap = [&](const GemmOperand &operand, int64_t across, int64_t rows) {
    const int64_t inner = operand.kContiguous ? gemm.k : across, outer = operand.kContiguous ? across : gemm.k;
    const int64_t bytes = plan.element * inner;
    TensorMap map{operand.buffer, copied, {inner, outer, operand.batches}, {bytes, bytes * outer}, {}};
    map.box = {128 / plan.element, operand.kContiguous ? rows : plan.bk, 1};
    map.swizzle = 128;
    map.l2 = schedule.l2Promotion.value_or(256);
    main.maps.push_back(map);
  };
  addMap(gemm.a, gemm.m, plan.rowsOfA(gemm));
  addMap(gemm.b, gemm.n, plan.bn / plan.cluster);
  code.launches.push_back(main);
  return code;
}

} // namespace kgen::kernels
