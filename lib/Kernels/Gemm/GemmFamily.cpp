//===- GemmFamily.cpp - Matrix products with an element-wise epilogue ------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fills gemm_mma.cuh, gemm_wmma.cuh (tensor cores) or gemm_simt.cuh (fp32) in for mm, bmm, matmul
// and linear, and for convolutions of one tap. Transposes of the last two dimensions before the product become
// operand layouts; batches that one operand lacks are shared.
//
//===----------------------------------------------------------------------===//

#include "GemmDispatch.h"

#include "kgen/Dialect/Aten/Aten.h"
#include "kgen/Dialect/KGen/Dispatch.h"
#include "kgen/Kernels/Emit/ScalarEmitter.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace kgen::kernels {
using schedule::Dtype;
using schedule::Mma;

namespace {

class GemmFamily : public Family {
public:
  StringRef name() const override { return "gemm"; }
  LogicalResult match(DispatchOp dispatch) const override;
  LogicalResult complete(DispatchOp dispatch, ScheduleParams &params, const Chip &chip) const override;
  FailureOr<DispatchCode> emit(DispatchOp dispatch, const ScheduleParams &params, const Chip &chip) const override;
  graph::WorkFact getWork(DispatchOp dispatch) const override;
};

} // namespace

LogicalResult GemmFamily::match(DispatchOp dispatch) const { return success(succeeded(readGemm(dispatch))); }

graph::WorkFact GemmFamily::getWork(DispatchOp dispatch) const {
  FailureOr<Gemm> gemm = readGemm(dispatch);
  Operation *op = gemm->ops.contraction;
  auto result = cast<RankedTensorType>(op->getResult(0).getType());
  graph::WorkFact work;
  if (isOneTap(op)) {
    work.m = result.getDimSize(1);
    work.n = work.m ? result.getNumElements() / work.m : 0; // the pixels of all images
    work.k = cast<RankedTensorType>(op->getOperand(0).getType()).getDimSize(1);
    return work;
  }
  work.k = cast<RankedTensorType>(op->getOperand(0).getType()).getShape().back();
  int64_t rank = result.getRank();
  work.m = work.n = 1;
  if (rank > 0)
    work.n = result.getDimSize(rank - 1);
  if (rank > 1)
    work.m = result.getDimSize(rank - 2);
  if (isa<aten::LinearOp>(op) && work.n)
    work.m = result.getNumElements() / work.n; // all leading dimensions are rows
  if (gemm->batch == 1 && rank > 2)
    work.m = gemm->m; // so they are where every row meets the same matrix
  if (gemm->groups)
    work.groups = gemm->groups->count;
  return work;
}

//===----------------------------------------------------------------------===//
// The schedule
//===----------------------------------------------------------------------===//

/// The smallest power of two that is at least SIZE, within [LOW, HIGH].
static int64_t fit(int64_t size, int64_t low, int64_t high) {
  return std::clamp<int64_t>(llvm::PowerOf2Ceil(size), low, high);
}

/// Grows BM and BN to multiples of the warp or thread tile KEY, where the schedule gives one of two sizes.
static void followTile(const ScheduleParams &params, schedule::IntsKey key, int64_t &bm, int64_t &bn) {
  std::optional<SmallVector<int64_t>> inner = params.getInts(key);
  if (!inner)
    return;
  bm = ceilDiv(bm, (*inner)[0]) * (*inner)[0];
  bn = ceilDiv(bn, (*inner)[1]) * (*inner)[1];
}

/// Bytes of one operand's tile: SIDE rows or columns of it by TILEK of k, padded.
static int64_t tileBytes(bool kContiguous, int64_t side, int64_t tileK, int64_t pad, int64_t crossPad,
                         int64_t elementBytes) {
  return (kContiguous ? side * (tileK + pad) : tileK * (side + crossPad)) * elementBytes;
}

/// Operand tiles of all stages; with WMMA, at least the finished tile that takes their place.
static int64_t sharedBytesOf(const Gemm &gemm, ArrayRef<int64_t> tile, int64_t elementBytes, int64_t stages,
                             int64_t pad, int64_t crossPad, bool wmma) {
  auto bytes = [&](bool kContiguous, int64_t side) {
    return tileBytes(kContiguous, side, tile[2], pad, crossPad, elementBytes);
  };
  int64_t operands =
      stages * (bytes(gemm.a.kContiguous, tile[0]) + bytes(gemm.b.kContiguous, tile[1])) + gemm.groupBytes();
  return wmma ? std::max(operands, tile[0] * (tile[1] + 4) * 4) : operands;
}

/// Enough slices of k to give every multiprocessor a block, each at least 8 tiles deep.
static int64_t defaultSplit(const Gemm &gemm, ArrayRef<int64_t> tile, const Chip &chip) {
  int64_t blocks = gemm.batch * gemm.rowTiles(tile[0]) * ceilDiv(gemm.n, tile[1]);
  int64_t depth = ceilDiv(gemm.k, tile[2]);
  return std::clamp<int64_t>(std::min(chip.multiprocessors / std::max<int64_t>(blocks, 1), depth / 8), 1, 64);
}

static LogicalResult completeTensorCores(DispatchOp dispatch, const Gemm &gemm, ScheduleParams &params,
                                         const Chip &chip) {
  MLIRContext *context = dispatch.getContext();
  bool tf32 = params.getWord(key::dtype) == Dtype::Tf32, wmma = params.getWord(key::mma) == Mma::Wmma;
  int64_t elementBytes = tf32 ? 4 : 2, mmaK = tf32 ? 8 : 16, mmaN = wmma ? 16 : 8;

  int64_t bm = fit(gemm.m, 16, 128), bn = fit(gemm.n, 16, 128);
  // A grid that leaves most multiprocessors idle is worse than a smaller tile.
  while (gemm.batch * ceilDiv(gemm.m, bm) * ceilDiv(gemm.n, bn) < chip.multiprocessors && std::max(bm, bn) > 64 &&
         gemm.k < 16 * std::max(gemm.m, gemm.n))
    (bm >= bn ? bm : bn) /= 2;
  followTile(params, key::warpTile, bm, bn);
  int64_t bk = fit(gemm.k, 2 * mmaK, 4 * mmaK);
  SmallVector<int64_t> tile = params.intsOr(context, key::tile, {bm, bn, bk});
  int64_t wm = std::min<int64_t>(tile[0], 64), wn = std::min<int64_t>(tile[1], 64);
  while (tile[0] / wm * (tile[1] / wn) < 4 && wm * wn > 32 * 32)
    (wn >= wm ? wn : wm) /= 2;
  SmallVector<int64_t> warp = params.intsOr(context, key::warpTile, {wm, wn});
  if (warp[0] % 16 || warp[1] % mmaN)
    return dispatch.emitError("a warp tile is a multiple of 16 x ")
           << mmaN << " with mma = " << wordOf(*params.getWord(key::mma)) << ", found " << warp[0] << " x " << warp[1];
  if (tile[0] % warp[0] || tile[1] % warp[1])
    return dispatch.emitError("the warp tile ")
           << warp[0] << " x " << warp[1] << " does not divide the block tile " << tile[0] << " x " << tile[1];
  if (tile[2] % (2 * mmaK))
    return dispatch.emitError("the block tile's k is a multiple of ")
           << 2 * mmaK << " for " << wordOf(*params.getWord(key::dtype)) << ", found " << tile[2];
  // Accumulators, two sets of fragments and addresses have to fit a thread's 255 registers.
  int64_t accumulators = warp[0] * warp[1] / 32;
  if (accumulators > 128)
    return dispatch.emitError("a warp tile of ")
           << warp[0] << " x " << warp[1] << " needs " << accumulators << " accumulators in a thread, the limit is 128";
  int64_t threads = tile[0] / warp[0] * (tile[1] / warp[1]) * 32;
  if (threads > chip.threadsPerBlock)
    return dispatch.emitError("the tiles make ") << threads << " threads, the limit is " << chip.threadsPerBlock;

  int64_t pad = params.intOr(context, key::smemPad, 16 / elementBytes);
  if (pad % (16 / elementBytes))
    return dispatch.emitError("smem_pad keeps rows 16-byte aligned: a multiple of ")
           << 16 / elementBytes << ", found " << pad;
  auto bytes = [&](int64_t stages) {
    return sharedBytesOf(gemm, tile, elementBytes, stages, pad, tf32 ? 8 : 16 / elementBytes, wmma);
  };
  int64_t stages = 3;
  while (stages > 2 && bytes(stages) > chip.sharedBytesPerBlock)
    --stages;
  stages = params.intOr(context, key::stages, stages);
  if (bytes(stages) > chip.sharedBytesPerBlock)
    return dispatch.emitError("the tiles of ")
           << stages << " stages take " << bytes(stages) << " bytes of shared memory, " << chip.arch << " has "
           << chip.sharedBytesPerBlock;
  params.intOr(context, key::minBlocks, 1);
  params.intOr(context, key::vec, 16 / elementBytes);
  params.intOr(context, key::splitK, defaultSplit(gemm, tile, chip));
  return success();
}

static LogicalResult completeSimt(DispatchOp dispatch, const Gemm &gemm, ScheduleParams &params, const Chip &chip) {
  MLIRContext *context = dispatch.getContext();
  int64_t elementBytes = gemm.elementType.getIntOrFloatBitWidth() / 8;
  bool thin = std::min(gemm.m, gemm.n) < 8;
  int64_t bm = fit(gemm.m, 1, 128), bn = fit(gemm.n, 1, 128);
  while (!thin && gemm.batch * ceilDiv(gemm.m, bm) * ceilDiv(gemm.n, bn) < chip.multiprocessors &&
         std::max(bm, bn) > 64)
    (bm >= bn ? bm : bn) /= 2;
  followTile(params, key::threadTile, bm, bn);
  // B's tiles begin behind those of A, and loads of 16 bytes go there.
  const int64_t vector = 16 / elementBytes, stagesOfA = params.getInt(key::stages).value_or(3);
  auto bytesOfA = [&](int64_t side, int64_t tileK) {
    return stagesOfA * tileBytes(gemm.a.kContiguous, side, tileK, vector, vector, elementBytes);
  };
  int64_t bk = thin ? fit(gemm.k, 4, 64) : fit(gemm.k, 4, 16);
  if (bytesOfA(bm, bk) % 16)
    bk = std::max(bk, vector);
  SmallVector<int64_t> tile = params.intsOr(context, key::tile, {bm, bn, bk});
  // 64 results in a thread where the tile is large; where it is small, rather more threads.
  int64_t tm = std::min<int64_t>(tile[0] >= 64 ? 8 : 4, tile[0]),
          tn = std::min<int64_t>(tile[1] >= 64 ? 8 : 4, tile[1]);
  while (tile[0] / tm * (tile[1] / tn) < 128 && tm * tn > 1)
    (tm >= tn ? tm : tn) /= 2;
  SmallVector<int64_t> thread = params.intsOr(context, key::threadTile, {tm, tn});
  if (tile[0] % thread[0] || tile[1] % thread[1])
    return dispatch.emitError("the thread tile ")
           << thread[0] << " x " << thread[1] << " does not divide the block tile " << tile[0] << " x " << tile[1];
  if (tile[2] % 4)
    return dispatch.emitError("the block tile's k is a multiple of 4, found ") << tile[2];
  if (bytesOfA(tile[0], tile[2]) % 16)
    return dispatch.emitError("the tiles of the left operand take ")
           << bytesOfA(tile[0], tile[2]) << " bytes, expected a multiple of 16, since those of the right one follow";
  if (thread[0] * thread[1] > 160)
    return dispatch.emitError("a thread tile of ") << thread[0] << " x " << thread[1] << " needs "
                                                   << thread[0] * thread[1] << " accumulators, the limit is 160";
  int64_t threads = tile[0] / thread[0] * (tile[1] / thread[1]);
  if (threads > chip.threadsPerBlock)
    return dispatch.emitError("the tiles make ") << threads << " threads, the limit is " << chip.threadsPerBlock;

  auto bytes = [&](int64_t stages) {
    return sharedBytesOf(gemm, tile, elementBytes, stages, 16 / elementBytes, 16 / elementBytes, false);
  };
  int64_t stages = params.intOr(context, key::stages, 3);
  if (bytes(stages) > chip.sharedBytesPerBlock)
    return dispatch.emitError("the tiles of ")
           << stages << " stages take " << bytes(stages) << " bytes of shared memory, " << chip.arch << " has "
           << chip.sharedBytesPerBlock;
  // 64 accumulators, fragments and addresses: two blocks of 256 threads share the registers, unless
  // both operands are read along k, which takes more of them.
  params.intOr(context, key::minBlocks, threads == 256 && !(gemm.a.kContiguous && gemm.b.kContiguous) ? 2 : 1);
  params.intOr(context, key::vec, 16 / elementBytes);
  params.intOr(context, key::splitK, defaultSplit(gemm, tile, chip));
  return success();
}

/// Refuses groups of rows in a schedule that is NAMED so.
static LogicalResult refuseGroups(DispatchOp dispatch, const Gemm &gemm, StringRef named) {
  if (gemm.groups)
    return dispatch.emitError("expected mma = none, mma = mma_sync or split_at = cluster for a product of groups of "
                              "rows, found ")
           << named;
  return success();
}

/// Refuses operands behind views in a schedule that is NAMED so.
static LogicalResult refusePlaces(DispatchOp dispatch, const Gemm &gemm, StringRef named) {
  if (liesApart(gemm))
    return dispatch.emitError(
               "expected mma = none, mma = mma_sync or mma = wmma, in the operands' own type or tf32, for "
               "matrices behind views, found ")
           << named;
  return success();
}

LogicalResult GemmFamily::complete(DispatchOp dispatch, ScheduleParams &params, const Chip &chip) const {
  FailureOr<Gemm> gemm = readGemm(dispatch);
  if (failed(gemm))
    return failure();
  MLIRContext *context = dispatch.getContext();
  // A product with a vector reads each element once: tensor cores have nothing to add.
  bool thin = std::min(gemm->m, gemm->n) < 8;
  const bool warpgroups =
      params.getWord(key::mma) == Mma::Wgmma || params.getWord(key::pipeline) == schedule::Pipeline::Tma;
  for (auto [isSet, named] : {std::pair(params.has(key::rowsPerBlock), "rows_per_block"),
                              {warpgroups && !params.has(key::splitAt), "mma = wgmma without it"},
                              {params.has(key::persistent), "persistent"},
                              {params.getWord(key::mma) == Mma::Wmma, "mma = wmma"}})
    if (isSet && (failed(refuseGroups(dispatch, *gemm, named)) ||
                  (StringRef(named) != "mma = wmma" && failed(refusePlaces(dispatch, *gemm, named)))))
      return failure();
  if (params.has(key::splitAt) && failed(refusePlaces(dispatch, *gemm, "split_at")))
    return failure();
  if (params.has(key::rowsPerBlock))
    return completeVector(dispatch, *gemm, params, chip);
  if (params.has(key::splitAt))
    return completeCluster(dispatch, *gemm, params, chip);
  if (warpgroups)
    return completeWgmma(dispatch, *gemm, params, chip);
  if ((params.has(key::persistent) && params.getWord(key::mma).value_or(Mma::MmaSync) == Mma::MmaSync) ||
      (!params.has(key::persistent) && prefersStream(dispatch, *gemm, params, chip)))
    return completeStream(dispatch, *gemm, params, chip);
  if (failed(completeArithmetic(dispatch, params, gemm->elementType, /*preferTensorCores=*/!thin)))
    return failure();
  bool simt = params.getWord(key::mma) == Mma::None;
  if (!simt && gemm->elementType.isF32() && params.getWord(key::dtype) != Dtype::Tf32 &&
      failed(refusePlaces(dispatch, *gemm, wordOf(*params.getWord(key::dtype)))))
    return failure();
  params.wordOr(context, key::pipeline, schedule::Pipeline::CpAsync);
  params.intOr(context, key::raster, 8);
  return simt ? completeSimt(dispatch, *gemm, params, chip) : completeTensorCores(dispatch, *gemm, params, chip);
}

//===----------------------------------------------------------------------===//
// Emission
//===----------------------------------------------------------------------===//

std::string printWarpProduct(Dtype dtype) {
  StringRef product = dtype == Dtype::Tf32   ? "mma_m16n8k8_tf32"
                      : dtype == Dtype::Fp16 ? "mma_m16n8k16_f16"
                                             : "mma_m16n8k16_bf16";
  return ("__device__ __forceinline__ void mma(float (&c)[4], const unsigned (&a)[4], const unsigned "
          "(&b)[2]) {\n  kgen::" +
          product + "(c, a, b);\n}")
      .str();
}

static StringRef boolText(bool value) { return value ? "true" : "false"; }

/// The code of a variant whose blocks have one tile each: GemmSimt, GemmWmma or GemmMmaSync.
template <typename Schedule>
static FailureOr<DispatchCode> emitBlocks(DispatchOp dispatch, const Gemm &gemm, const Schedule &schedule) {
  auto epilogueOr = emitGemmEpilogue(dispatch, gemm);
  if (failed(epilogueOr))
    return failure();
  auto &[epilogue, epilogueText] = *epilogueOr;

  MLIRContext *context = dispatch.getContext();
  std::string name = dispatch.getName().str();
  constexpr bool simt = std::is_same_v<Schedule, schedule::GemmSimt>;
  constexpr bool wmma = std::is_same_v<Schedule, schedule::GemmWmma>;
  Dtype dtype = schedule.dtype;
  // Shared memory holds what is multiplied; f32 operands of a 16-bit product are converted first.
  bool convert = !simt && gemm.elementType.isF32() && dtype != Dtype::Tf32;
  Type inType = convert ? elementTypeOf(dtype, context) : gemm.elementType;
  int64_t elementBytes = inType.getIntOrFloatBitWidth() / 8;
  const auto &tile = schedule.tile;
  int64_t split = schedule.splitK;

  std::string constants = epilogue.functions;
  llvm::raw_string_ostream os(constants);
  os << printProblem(name, gemm, inType, "A and B", split);
  os << llvm::formatv("constexpr int BATCHES_OF_A = {0}, BATCHES_OF_B = {1}; // 1: the same matrix for every batch\n",
                      gemm.a.batches, gemm.b.batches);
  os << "constexpr bool A_K_CONTIGUOUS = " << boolText(gemm.a.kContiguous) << "; // A is "
     << (gemm.a.kContiguous ? "[M, K]\n" : "[K, M]\n");
  os << "constexpr bool B_K_CONTIGUOUS = " << boolText(gemm.b.kContiguous) << "; // B is "
     << (gemm.b.kContiguous ? "[N, K]\n" : "[K, N]\n");
  os << "// The schedule.\n";
  os << llvm::formatv("constexpr int BM = {0}, BN = {1}, BK = {2}; // block tile\n", tile[0], tile[1], tile[2]);
  int64_t threads, pad = 16 / elementBytes;
  if constexpr (simt) {
    const auto &thread = schedule.threadTile;
    os << llvm::formatv("constexpr int TM = {0}, TN = {1}; // thread tile\n", thread[0], thread[1]);
    threads = tile[0] / thread[0] * (tile[1] / thread[1]);
  } else {
    const auto &warp = schedule.warpTile;
    pad = schedule.smemPad;
    os << llvm::formatv("constexpr int WM = {0}, WN = {1}; // warp tile\n", warp[0], warp[1]);
    os << "constexpr int PAD = " << pad << "; // elements after each row along k\n";
    threads = tile[0] / warp[0] * (tile[1] / warp[1]) * 32;
  }
  os << "constexpr int STAGES = " << schedule.stages << ";\n";
  os << "constexpr int RASTER = " << schedule.raster << "; // tile rows of one group in the block order\n";
  os << "constexpr int SPLIT_K = " << split << "; // blocks that share one tile of C, each a slice of K\n";
  os << "constexpr int VEC = " << schedule.vec << "; // elements of one global load, at most\n";
  os << "constexpr int MIN_BLOCKS = " << schedule.minBlocks << "; // resident blocks per multiprocessor\n";
  int64_t crossPad = !simt && elementBytes == 4 ? 8 : 16 / elementBytes;
  int64_t sharedBytes = sharedBytesOf(gemm, tile, elementBytes, schedule.stages, pad, crossPad, wmma);
  os << "constexpr int SHARED_BYTES = " << sharedBytes << "; // dynamic shared memory of the launch\n";
  os << gemm.printTriangle() << printPlaces(gemm);
  os << "} // namespace " << name << "\n";

  TemplateFill fill;
  fill.name = name;
  fill.replacements["constants"] = constants;
  fill.replacements["epilogue"] = epilogueText;
  fill.replacements["mma"] = printWarpProduct(dtype);
  fill.replacements["element"] = std::string("using Element = ") +
                                 (dtype == Dtype::Tf32 ? "wmma::precision::tf32" : "In") + "; // what is multiplied";
  // Column major is the order of a tile that is contiguous across, not along, its rows.
  auto layout = [](bool rowMajor) { return rowMajor ? "wmma::row_major;\n" : "wmma::col_major;\n"; };
  fill.replacements["layouts"] =
      std::string("using LayoutA = ") + layout(gemm.a.kContiguous) + "using LayoutB = " + layout(!gemm.b.kContiguous);
  // With split_k the epilogue is the second kernel's.
  std::string parameters = split > 1 ? "" : epilogue.parameters(), arguments = split > 1 ? "" : epilogue.arguments();
  fill.replacements["kernel"] = "extern \"C\" __global__ void __launch_bounds__(" + name + "::THREADS, " + name +
                                "::MIN_BLOCKS)\n    " + name + "_main(const " + name + "::In *__restrict__ a, const " +
                                name + "::In *__restrict__ b" + printGroupParameter(gemm) + parameters +
                                ",\n         " + name + "::Stored *__restrict__ c) {";
  fill.replacements["store4"] = "            store_run(c, run, batch, row, column + 4 * side" + arguments + ");";
  fill.replacements["store2"] = "          store_run(c, run, batch, row, column" + arguments + ");";
  fill.replacements["call"] = split > 1 ? "          run.value[r] = accumulator[i][j + r];"
                                        : "          run.value[r] = epilogue(accumulator[i][j + r], batch, row, "
                                          "column + r" +
                                              arguments + ");";
  if (wmma)
    fill.replacements["call"] = "    c[(long long)row * N + column] = " +
                                (split > 1 ? "value;" : "epilogue(value, batch, row, column" + arguments + ");");
  fill.replacements["reduce"] = "extern \"C\" __global__ void __launch_bounds__(256)\n    " + name +
                                "_reduce(const float *__restrict__ partial" + epilogue.parameters() + ", " + name +
                                "::Out *__restrict__ c) {";
  fill.replacements["reduce_call"] = "  c[index] = epilogue(sum, batch, row, column" + epilogue.arguments() + ");";
  fill.sections.insert(gemm.a.kContiguous ? "a_k_contiguous" : "a_m_contiguous");
  fill.sections.insert(gemm.b.kContiguous ? "b_k_contiguous" : "b_n_contiguous");
  if (split > 1)
    fill.sections.insert("split_k");
  if (convert)
    fill.sections.insert("convert");
  if (split == 1 && outgrowsCache(gemm))
    fill.sections.insert("streaming");
  if (gemm.triangle) {
    fill.sections.insert("skip");
    fill.replacements["k_tiles"] =
        "  const int k_tiles = is_empty(m0, n0) ? 0 : min(K_TILES_PER_SPLIT, K_TILES - first);";
  }

  useGroups(gemm, fill);
  usePlaces(gemm, fill);

  const char *file = simt ? "gemm_simt.cuh" : wmma ? "gemm_wmma.cuh" : "gemm_mma.cuh";
  DispatchCode code;
  code.source = fillTemplate(findCudaTemplate(file), fill);

  // Launches: conversions, the product, the sum of the slices.
  DispatchBuffer a = gemm.a.buffer, b = gemm.b.buffer;
  auto addConversion = [&](StringRef suffix, DispatchBuffer &buffer, int64_t count) {
    int64_t each = count % 4 == 0 ? 4 : 1;
    code.workspaces.push_back(RankedTensorType::get({count}, inType));
    DispatchBuffer converted = DispatchBuffer::workspace(code.workspaces.size() - 1);
    code.launches.push_back(
        {name + suffix.str(), {ceilDiv(count, each * 256), 1, 1}, {256, 1, 1}, 0, {buffer}, {converted}});
    buffer = converted;
  };
  if (convert) {
    addConversion("_convert_a", a, gemm.a.batches * gemm.m * gemm.k);
    addConversion("_convert_b", b, gemm.b.batches * gemm.k * gemm.n);
  }
  LaunchSpec main{name + "_main",  {gemm.rowTiles(tile[0]) * ceilDiv(gemm.n, tile[1]) * gemm.batch * split, 1, 1},
                  {threads, 1, 1}, sharedBytes,
                  {a, b},          {}};
  if (gemm.groups)
    main.reads.push_back(gemm.groups->ends);
  main.sizedBy = file;
  SmallVector<DispatchBuffer> extras =
      llvm::map_to_vector(epilogue.operands, [](const EpilogueOperand &operand) { return operand.buffer; });
  if (split == 1) {
    main.reads.append(extras);
    main.writes.push_back(DispatchBuffer::result(0));
    code.launches.push_back(main);
    return code;
  }
  int64_t results = gemm.batch * gemm.m * gemm.n;
  code.workspaces.push_back(RankedTensorType::get({split * results}, Float32Type::get(context)));
  DispatchBuffer partial = DispatchBuffer::workspace(code.workspaces.size() - 1);
  main.writes.push_back(partial);
  code.launches.push_back(main);
  LaunchSpec reduce{name + "_reduce", {ceilDiv(results, 256), 1, 1}, {256, 1, 1}, 0,
                    {partial},        {DispatchBuffer::result(0)}};
  reduce.reads.append(extras);
  code.launches.push_back(reduce);
  return code;
}

FailureOr<DispatchCode> GemmFamily::emit(DispatchOp dispatch, const ScheduleParams &params, const Chip &chip) const {
  FailureOr<Gemm> gemm = readGemm(dispatch);
  if (failed(gemm))
    return failure();
  std::optional<Mma> mma = params.getWord(key::mma);
  if (params.has(key::rowsPerBlock))
    return emitVector(dispatch, *gemm, schedule::GemmVector::read(params));
  if (params.has(key::splitAt))
    return emitCluster(dispatch, *gemm, schedule::GemmCluster::read(params));
  if (mma == Mma::Wgmma)
    return emitWgmma(dispatch, *gemm, schedule::GemmWgmma::read(params), chip);
  if (mma == Mma::MmaSync && params.has(key::persistent))
    return emitStream(dispatch, *gemm, schedule::GemmStream::read(params), chip);
  if (mma == Mma::MmaSync)
    return emitBlocks(dispatch, *gemm, schedule::GemmMmaSync::read(params));
  if (mma == Mma::Wmma)
    return emitBlocks(dispatch, *gemm, schedule::GemmWmma::read(params));
  return emitBlocks(dispatch, *gemm, schedule::GemmSimt::read(params));
}

std::unique_ptr<Family> createGemmFamily() { return std::make_unique<GemmFamily>(); }

} // namespace kgen::kernels
