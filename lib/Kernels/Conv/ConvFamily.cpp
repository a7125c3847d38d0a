//===- ConvFamily.cpp - Convolutions with element-wise tail and pooling ----===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fills conv.cuh in for conv1d, conv2d and conv3d, with groups and dilation. One- and
// two-dimensional convolutions are three-dimensional ones of depth (and height) 1.
//
//===----------------------------------------------------------------------===//

#include "ConvDepthwise.h"
#include "ConvDispatch.h"
#include "ConvHalo.h"
#include "ConvImplicit.h"
#include "ConvWgmma.h"

#include "kgen/Dialect/Aten/Aten.h"
#include "kgen/Dialect/KGen/Dispatch.h"
#include "kgen/Kernels/Emit/ScalarEmitter.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

#include <limits>

using namespace mlir;

namespace kgen::kernels {
using schedule::Dtype;
using schedule::Mma;

namespace {

/// What the template derives from its constants, for the launch and for the checks.
struct Plan {
  int64_t boxImages = 1;
  Sizes box, tile, slab; ///< (pooled) outputs, convolution outputs, input window
  int64_t pixels, bm, bn, threads, channelsPerSlab, piece, stages, accumulators;
  int64_t pitch; ///< of a slab's rows, elements
  int64_t pieces, pieceWeights, packedWeights, sharedBytes, blocks;
};

class ConvFamily : public Family {
public:
  StringRef name() const override { return "conv"; }
  LogicalResult match(DispatchOp dispatch) const override;
  LogicalResult complete(DispatchOp dispatch, ScheduleParams &params, const Chip &chip) const override;
  FailureOr<DispatchCode> emit(DispatchOp dispatch, const ScheduleParams &params, const Chip &chip) const override;
  graph::WorkFact getWork(DispatchOp dispatch) const override;
};

} // namespace

LogicalResult ConvFamily::match(DispatchOp dispatch) const { return success(succeeded(readConv(dispatch))); }

graph::WorkFact ConvFamily::getWork(DispatchOp dispatch) const {
  FailureOr<Conv> conv = readConv(dispatch);
  Operation *op = conv->ops.contraction;
  auto input = cast<RankedTensorType>(op->getOperand(0).getType()),
       weight = cast<RankedTensorType>(op->getOperand(1).getType()),
       result = cast<RankedTensorType>(op->getResult(0).getType());
  graph::WorkFact work;
  work.channels = input.getDimSize(1);
  // Permutes that a group takes in do not show in a dispatch of the convolution alone.
  Operation *source = dispatch.getInputs().empty() ? nullptr : dispatch.getInputs()[0].getDefiningOp();
  work.channelsLast = source && movesChannels(source, /*toLast=*/false);
  if (isDepthwisePlanes(*conv) || (isDepthwise(*conv) && work.channelsLast))
    return work; // no product
  work.n = result.getDimSize(1);
  work.m = work.n ? result.getNumElements() / work.n : 0;
  work.k = weight.getDimSize(0) ? weight.getNumElements() / weight.getDimSize(0) : 0;
  // An output of a transposed one meets the taps of its phase.
  if (conv->transposed && weight.getDimSize(1))
    work.k = ceilDiv(weight.getNumElements() / weight.getDimSize(1), conv->groups * conv->phases());
  work.plainConvolution = !conv->transposed && conv->rank <= 2 && conv->groups == 1 && conv->dilation == Sizes{1, 1, 1};
  work.denseConvolution = conv->groups == 1;
  work.slices = stackFittingDepths(*conv).slices;
  work.groups = conv->transposed || conv->rank > 2 ? 1 : conv->groups;
  if (conv->transposed) {
    work.phaseRows = conv->transposed->stride[1];
    work.phaseColumns = conv->transposed->stride[2];
  }
  return work;
}

//===----------------------------------------------------------------------===//
// The schedule
//===----------------------------------------------------------------------===//

/// COUNT cut into the fewest parts of at most LIMIT, all about equal.
static int64_t evenPart(int64_t count, int64_t limit) {
  limit = std::max<int64_t>(limit, 1);
  return ceilDiv(count, ceilDiv(count, limit));
}

/// The sizes of pool_tile, zeros where it leaves them open.
static Sizes poolTile(const ScheduleParams &params) {
  std::optional<SmallVector<int64_t>> sizes = params.getInts(key::poolTile);
  return sizes ? spatial(*sizes, 0) : Sizes{0, 0, 0};
}

/// The box of (pooled) outputs whose convolution outputs are at most PIXELS: whole rows first, then
/// rows, planes and images. `fixed` holds pool_tile's sizes, or zeros.
static void chooseBox(const Conv &conv, int64_t pixels, Sizes fixed, Plan &plan) {
  int64_t left = pixels;
  for (int d = 2; d >= 0; --d) {
    int64_t stride = conv.pooling.stride[d], window = conv.pooling.window[d];
    // A box of b outputs needs (b - 1) * stride + window of the convolution.
    int64_t most = left < window ? 1 : (left - window) / stride + 1;
    plan.box[d] = fixed[d] ? std::min(fixed[d], conv.pooled[d]) : evenPart(conv.pooled[d], most);
    // Several boxes along a row: even starts keep the loads of a row wide.
    if (d == 2 && !fixed[d] && plan.box[d] < conv.pooled[d])
      plan.box[d] = std::min(conv.pooled[d], most >= 4 ? std::min(roundUp(plan.box[d], 4), most / 4 * 4) : plan.box[d]);
    plan.tile[d] = (plan.box[d] - 1) * stride + window;
    left = std::max<int64_t>(left / plan.tile[d], 1);
  }
  plan.boxImages = std::min(conv.images, left);
  plan.pixels = plan.boxImages * plan.tile[0] * plan.tile[1] * plan.tile[2];
}

/// Repeats the template's arithmetic; the template asserts that it agrees.
template <typename Schedule>
static Plan derive(const Conv &conv, const Schedule &schedule) {
  Plan plan;
  const auto &tile = schedule.tile;
  chooseBox(conv, tile[0], schedule.poolTile ? spatial(*schedule.poolTile, 0) : Sizes{0, 0, 0}, plan);

  constexpr bool tensorCores = std::is_same_v<Schedule, schedule::ConvMmaSync>;
  Type compute = tensorCores ? elementTypeOf(schedule.dtype, conv.elementType.getContext()) : conv.elementType;
  int64_t inBytes = conv.elementType.getIntOrFloatBitWidth() / 8, bytes = compute.getIntOrFloatBitWidth() / 8;
  plan.bn = tile[1];
  if constexpr (tensorCores) {
    const auto &warp = schedule.warpTile;
    plan.bm = roundUp(plan.pixels, warp[0]);
    plan.threads = 32 * (plan.bm / warp[0]) * (plan.bn / warp[1]);
    plan.accumulators = warp[0] * warp[1] / 32;
  } else {
    const auto &thread = schedule.threadTile;
    plan.bm = roundUp(plan.pixels, 8 * thread[0]);
    plan.threads = plan.bm / thread[0] * (plan.bn / thread[1]);
    plan.accumulators = thread[0] * thread[1];
  }
  plan.channelsPerSlab = schedule.slabChannels;
  plan.stages = schedule.stages;

  Sizes boxes;
  for (int d = 0; d < 3; ++d) {
    plan.slab[d] = (plan.tile[d] - 1) * conv.stride[d] + (conv.kernel[d] - 1) * conv.dilation[d] + 1;
    boxes[d] = ceilDiv(conv.pooled[d], plan.box[d]);
  }
  if (conv.transposed)
    plan.slab[2] = plan.tile[2] - 1 + conv.transposed->columns;
  int64_t vector = conv.lastInput ? 1 : 16 / inBytes;
  while (conv.in[2] % vector || (boxes[2] > 1 && plan.box[2] * conv.pooling.stride[2] * conv.stride[2] % vector))
    vector /= 2;
  int64_t left = conv.pooling.padding[2] * conv.stride[2] + conv.padding[2];
  int64_t lead = roundUp(left, vector) - left;
  plan.pitch = roundUp(lead + plan.slab[2], 8) + schedule.smemPad.value_or(0);
  int64_t banks = 128 / bytes;
  int64_t plane =
      roundUp(std::max<int64_t>(plan.slab[0] * plan.slab[1] * plan.pitch - banks / 4, 0), banks) + banks / 4;
  int64_t slab = plan.boxImages * plan.channelsPerSlab * plane;

  int64_t mmaK = 32 / bytes;
  bool paired = tensorCores && bytes == 2 && conv.dilation[2] == 1 && conv.stride[2] % 2 == 0 && lead % 2 == 0 &&
                conv.kernel[2] > 1;
  int64_t taps = conv.kernel[0] * conv.kernel[1] * (paired ? roundUp(conv.kernel[2], 2) : conv.kernel[2]);
  int64_t chunks = ceilDiv(conv.channels, plan.channelsPerSlab), k = plan.channelsPerSlab * taps;
  int64_t steps = tensorCores ? ceilDiv(k, mmaK) : k;
  plan.piece = std::max<int64_t>(tensorCores ? tile[2] / mmaK : tile[2], 1);
  plan.pieceWeights = roundUp(plan.piece * (tensorCores ? plan.bn * mmaK : plan.bn), 16 / bytes);
  int64_t parts = ceilDiv(steps, plan.piece);
  plan.pieces = chunks * parts;
  int64_t fewestParts = parts;
  if (conv.transposed) {
    int64_t fewest = plan.channelsPerSlab * conv.transposed->fewestTaps;
    fewestParts = ceilDiv(tensorCores ? ceilDiv(fewest, mmaK) : fewest, plan.piece);
  }
  int64_t slabs = std::min(ceilDiv(plan.stages - 1, fewestParts) + 1, chunks);
  int64_t nTiles = conv.phases() * ceilDiv(conv.outChannels, plan.bn);
  plan.packedWeights = conv.groups * nTiles * plan.pieces * plan.pieceWeights;

  int64_t tapsPerLane = bytes == 4 || paired ? 2 : 4;
  int64_t table = roundUp(tensorCores ? steps * 4 * tapsPerLane : steps, 4);
  plan.sharedBytes = table * 4 + std::max((slabs * slab + plan.stages * plan.pieceWeights) * bytes,
                                          plan.bn * (roundUp(plan.bm, 16) + 4) * 4);
  plan.blocks = boxes[0] * boxes[1] * boxes[2] * ceilDiv(conv.images, plan.boxImages) * conv.groups * nTiles;
  return plan;
}

/// The same of a schedule that is being completed.
static Plan derive(const Conv &conv, const ScheduleParams &params) {
  if (params.getWord(key::mma) == Mma::None)
    return derive(conv, schedule::ConvSimt::read(params, /*isOpen=*/true));
  return derive(conv, schedule::ConvMmaSync::read(params, /*isOpen=*/true));
}

/// Completes `smem_pad`: three or four taps of neighbouring rows hit other banks than eight pixels of one.
static LogicalResult completePadding(DispatchOp dispatch, const Conv &conv, ScheduleParams &params) {
  std::optional<Dtype> dtype = params.getWord(key::dtype);
  bool narrow = dtype == Dtype::Fp16 || dtype == Dtype::Bf16 || !conv.elementType.isF32();
  int64_t unit = narrow ? 8 : 4;
  if (std::optional<int64_t> pad = params.getInt(key::smemPad)) {
    if (*pad % unit == 0)
      return success();
    return dispatch.emitError("smem_pad keeps slabs 16-byte aligned: a multiple of ") << unit << ", found " << *pad;
  }
  int64_t pad = 0;
  if (!narrow && conv.stride[2] == 1 && conv.kernel[2] > 1 && conv.kernel[2] <= 4) {
    ScheduleParams probe = params;
    probe.set(dispatch.getContext(), key::slabChannels, int64_t(1));
    int64_t pitch = derive(conv, probe).pitch;
    while ((pitch + pad) % 32 < 12 || (pitch + pad) % 32 > 24)
      pad += unit;
  }
  params.set(dispatch.getContext(), key::smemPad, pad);
  return success();
}

/// Whether two blocks' accumulators, and about 90 other registers of each thread, fit a multiprocessor.
static bool registersForTwo(const Plan &plan, const Chip &chip) {
  return 2 * plan.threads * (plan.accumulators + 90) <= chip.registersPerMultiprocessor;
}

/// The most shared memory of a block beside which a second one fits.
static int64_t sharedBytesForTwo(const Chip &chip) { return (chip.sharedBytesPerBlock + 1024) / 2 - 1024; }

/// Channels of one slab: all, if three blocks' worth of slabs fit the chip beside the weights, else as
/// many as make k at least 64 and fit. A phase of a transposed convolution has few results for each of its loads: two
/// blocks where registers are no obstacle. Completes `slab_channels`.
static void completeSlab(const Conv &conv, ScheduleParams &params, const Chip &chip, MLIRContext *context) {
  if (params.has(key::slabChannels))
    return;
  int64_t enough = std::min(conv.channels, std::max<int64_t>(ceilDiv(64, conv.taps()), 1));
  SmallVector<int64_t> candidates = {conv.channels};
  for (int64_t channels = llvm::PowerOf2Ceil(enough); channels >= 1; channels /= 2)
    candidates.push_back(std::min(channels, conv.channels));
  for (bool half : {true, false})
    for (int64_t channels : candidates) {
      params.set(context, key::slabChannels, channels);
      Plan plan = derive(conv, params);
      int64_t limit = channels == conv.channels ? chip.sharedBytesPerBlock / 2 : chip.sharedBytesPerBlock;
      if (half && conv.transposed && registersForTwo(plan, chip))
        limit = sharedBytesForTwo(chip);
      if (channels * conv.taps() <= 1024 && plan.sharedBytes <= limit)
        return;
    }
  params.set(context, key::slabChannels, int64_t(1));
}

/// Whether conv_depthwise.cuh computes CONV.
static bool isDepthwiseLast(const Conv &conv) { return isDepthwise(conv) && conv.lastInput && conv.lastResult; }

/// Whether PARAMS have nothing that only tiles of products take.
static bool isWithoutTiles(const ScheduleParams &params) {
  return params.getWord(key::mma).value_or(Mma::None) == Mma::None && !params.has(key::tile) &&
         !params.has(key::slabChannels) && !params.has(key::stages) && !params.has(key::warpTile) &&
         !params.has(key::dtype) && !params.has(key::pipeline) && !params.has(key::im2col);
}

LogicalResult ConvFamily::complete(DispatchOp dispatch, ScheduleParams &params, const Chip &chip) const {
  FailureOr<Conv> read = readConv(dispatch);
  if (failed(read))
    return failure();
  const Conv &conv = *read;
  if (conv.shiftsOnly()) {
    if (params.getWord(key::mma).value_or(Mma::Wgmma) != Mma::Wgmma || params.has(key::pipeline) ||
        params.getWord(key::im2col).value_or(schedule::Im2col::Halo) != schedule::Im2col::Halo) {
      Operation *fused = conv.fold ? conv.ops.fold : conv.ops.window;
      return fused->emitError("family conv fuses ")
             << fused->getName() << (conv.fold ? "" : " behind a transposed convolution")
             << " with mma = wgmma, im2col = halo only";
    }
    return completeConvHalo(dispatch, conv, params, chip);
  }
  if (isDepthwiseLast(conv) && !params.has(key::tile) && !params.has(key::slabChannels))
    return completeConvDepthwise(dispatch, conv, params, chip);
  if (isDepthwisePlanes(conv) && isWithoutTiles(params))
    return completeConvPlanes(dispatch, conv, params, chip);
  if (params.getWord(key::im2col) == schedule::Im2col::Halo)
    return completeConvHalo(dispatch, conv, params, chip);
  // Its tiles have a third size, that of a step.
  std::optional<SmallVector<int64_t>> given = params.getInts(key::tile);
  if (params.getWord(key::pipeline) == schedule::Pipeline::Tma ||
      (params.getWord(key::mma) == Mma::Wgmma && given && given->size() == 3))
    return completeConvImplicit(dispatch, conv, params, chip);
  if (params.getWord(key::mma) == Mma::Wgmma) {
    if (conv.lastInput || conv.lastWeight)
      return dispatch.emitError("mma = wgmma reads buffers with the channels last with pipeline = tma only");
    return completeConvWgmma(dispatch, conv, params, chip);
  }
  MLIRContext *context = dispatch.getContext();
  // A tensor core computes 8 channels at a time; with a filter per channel there is one.
  bool worthwhile = conv.outChannels >= 8 && conv.channels * conv.taps() >= 8;
  if (failed(completeArithmetic(dispatch, params, conv.elementType, worthwhile)))
    return failure();
  bool simt = params.getWord(key::mma) == Mma::None;
  params.wordOr(context, key::pipeline, schedule::Pipeline::CpAsync);
  params.wordOr(context, key::im2col, schedule::Im2col::RawSmem);
  if (params.has(key::poolTile) && conv.pooling.kind == Pooling::Kind::None)
    return dispatch.emitError("pool_tile needs a pooling in the dispatch");
  if (params.has(key::poolTile) && int64_t(params.getInts(key::poolTile)->size()) > conv.rank)
    return dispatch.emitError("pool_tile has ")
           << params.getInts(key::poolTile)->size() << " sizes, the pooling has " << conv.rank << " dimensions";

  // Block tile: enough blocks for the chip, else as many pixels as amortise the weights' way.
  int64_t mmaK = params.getWord(key::dtype) == Dtype::Tf32 ? 8 : 16;
  int64_t bn = simt ? (conv.outChannels < 8 ? conv.outChannels : roundUp(evenPart(conv.outChannels, 64), 8))
               : conv.outChannels <= 128 ? roundUp(conv.outChannels, 16)
                                         : 128;
  // A given inner tile wants a block tile of its multiples, and at least a warp of them.
  std::optional<SmallVector<int64_t>> inner = params.getInts(simt ? key::threadTile : key::warpTile);
  if (inner)
    bn = roundUp(bn, (*inner)[1]);
  int64_t pixels = simt && bn < 16 ? 1024 : 288;
  int64_t tiles = conv.groups * conv.phases() * ceilDiv(conv.outChannels, bn);
  int64_t all = conv.images * conv.out[0] * conv.out[1] * conv.out[2] * tiles;
  while (pixels > 64 && all / pixels < chip.multiprocessors)
    pixels /= 2;
  if (simt && inner)
    pixels = std::max(pixels, 32 * (*inner)[0] / (bn / (*inner)[1]));
  if (params.has(key::poolTile)) {
    Plan plan;
    chooseBox(conv, pixels, poolTile(params), plan);
    pixels = plan.pixels;
  }
  SmallVector<int64_t> tile = params.intsOr(context, key::tile, {roundUp(pixels, 4), bn, simt ? 16 : 4 * mmaK});
  params.intOr(context, key::stages, 3);

  if (simt) {
    int64_t tn = std::min<int64_t>(tile[1], 8), tm = 8;
    while (tile[1] % tn)
      --tn;
    // At least 128 threads, where the tile has so many results.
    while (tm > 1 && tile[0] / tm * (tile[1] / tn) < 128)
      tm /= 2;
    // At least a warp of them, where the whole problem has fewer results than the tile.
    Plan plan;
    chooseBox(conv, tile[0], poolTile(params), plan);
    while (tn > 1 && (tile[1] % tn || roundUp(plan.pixels, 8 * tm) / tm * (tile[1] / tn) < 32))
      --tn;
    SmallVector<int64_t> thread = params.intsOr(context, key::threadTile, {tm, tn});
    if (tile[1] % thread[1])
      return dispatch.emitError("thread_tile = [pixels, channels] has to divide the tile's ") << tile[1] << " channels";
  } else {
    // Where mma is open, the table knows only that some variant has such a tile.
    if (tile[1] % 16)
      return dispatch.emitError("the tile's channels are a multiple of 16 on tensor cores, found ") << tile[1];
    if (tile[2] % mmaK)
      return dispatch.emitError("the tile's k is a multiple of ")
             << mmaK << " for " << wordOf(*params.getWord(key::dtype)) << ", found " << tile[2];
    int64_t wn = tile[1] > 64 && tile[1] % 32 == 0 ? tile[1] / 2 : tile[1];
    // The largest of the warp tiles that round the block's pixels up the least. For phases, whose slabs leave few
    // pixels to choose from, that with the fewest reads of pixels and weights, and products, for each pixel of a k
    // step: a low tile spends most of its time on reading weights.
    auto weighed = [&](int64_t pixels, int64_t height) {
      return conv.transposed ? pixels * (32 * height + 32 * wn + height * wn) / height : pixels;
    };
    int64_t wm = 16, best = std::numeric_limits<int64_t>::max();
    Plan plan;
    chooseBox(conv, tile[0], poolTile(params), plan);
    for (int64_t candidate : {64, 48, 32, 16}) {
      bool fits = candidate * wn <= 64 * 64 && (candidate == 16 || plan.pixels >= 2 * candidate);
      fits &= 32 * ceilDiv(plan.pixels, candidate) * (tile[1] / wn) <= chip.threadsPerBlock;
      int64_t cost = weighed(roundUp(plan.pixels, candidate), candidate);
      if (fits && cost < best) {
        best = cost;
        wm = candidate;
      }
    }
    SmallVector<int64_t> warp = params.intsOr(context, key::warpTile, {wm, wn});
    if (warp[0] % 16 || warp[1] % 16)
      return dispatch.emitError("a warp tile on tensor cores is a multiple of 16 x 16, found ")
             << warp[0] << " x " << warp[1];
    if (tile[1] % warp[1])
      return dispatch.emitError("the warp tile's ") << warp[1] << " channels do not divide the tile's " << tile[1];
  }
  if (failed(completePadding(dispatch, conv, params)))
    return failure();
  completeSlab(conv, params, chip, context);
  if (*params.getInt(key::slabChannels) > conv.channels)
    return dispatch.emitError("slab_channels is at most the ")
           << conv.channels << " channels of a group, found " << *params.getInt(key::slabChannels);

  Plan plan = derive(conv, params);
  if (plan.accumulators > 160)
    return dispatch.emitError("the tile of a warp or thread needs ")
           << plan.accumulators << " accumulators in a thread, the limit is 160";
  if (plan.threads < 32)
    return dispatch.emitError("the tiles make ") << plan.threads << " threads, at least 32 are expected";
  if (plan.threads > chip.threadsPerBlock)
    return dispatch.emitError("the tiles make ") << plan.threads << " threads, the limit is " << chip.threadsPerBlock;
  if (plan.sharedBytes > chip.sharedBytesPerBlock)
    return dispatch.emitError("a block takes ")
           << plan.sharedBytes << " bytes of shared memory, " << chip.arch << " has " << chip.sharedBytesPerBlock
           << "; smaller tile, slab_channels or stages need less";
  bool two = registersForTwo(plan, chip) && plan.sharedBytes <= sharedBytesForTwo(chip);
  params.intOr(context, key::minBlocks, two ? 2 : 1);
  return success();
}

//===----------------------------------------------------------------------===//
// Emission
//===----------------------------------------------------------------------===//

template <typename Schedule>
static std::string printConstants(StringRef name, const Conv &conv, const Schedule &schedule, const Plan &plan,
                                  Type compute) {
  std::string text;
  llvm::raw_string_ostream os(text);
  constexpr bool tensorCores = std::is_same_v<Schedule, schedule::ConvMmaSync>;
  auto three = [&](const char *format, const Sizes &sizes) {
    os << llvm::formatv(format, sizes[0], sizes[1], sizes[2]);
  };
  os << "namespace " << name << " {\n";
  os << "// The problem: images of C x D x H x W per group, filters of KD x KH x KW, outputs of OD x OH x OW.\n";
  os << "using In = " << getStorageType(conv.elementType) << "; // element type of the input and the weights\n";
  os << "using Compute = " << getStorageType(compute) << "; // element type in shared memory\n";
  os << "using Out = " << getStorageType(conv.resultType) << "; // element type of the result\n";
  os << "constexpr int IMAGES = " << conv.images << ", GROUPS = " << conv.groups << ";\n";
  os << "constexpr int C = " << conv.channels;
  three(", D = {0}, H = {1}, W = {2};\n", conv.in);
  os << "constexpr int OC = " << conv.outChannels;
  three(", OD = {0}, OH = {1}, OW = {2};\n", conv.out);
  three("constexpr int KD = {0}, KH = {1}, KW = {2};\n", conv.kernel);
  three("constexpr int STRIDE_D = {0}, STRIDE_H = {1}, STRIDE_W = {2};\n", conv.stride);
  three("constexpr int PAD_D = {0}, PAD_H = {1}, PAD_W = {2};\n", conv.padding);
  three("constexpr int DILATION_D = {0}, DILATION_H = {1}, DILATION_W = {2};\n", conv.dilation);
  if (const std::optional<Transposed> &real = conv.transposed) {
    os << "// That is one phase of a transposed convolution, of at most KD x KH x KW taps of FULL_KD x FULL_KH x "
          "FULL_KW.\n";
    three("constexpr int PHASE_D = {0}, PHASE_H = {1}, PHASE_W = {2}, PHASES = PHASE_D * PHASE_H * PHASE_W;\n",
          real->stride);
    three("constexpr int FULL_D = {0}, FULL_H = {1}, FULL_W = {2};\n", real->out);
    three("constexpr int FULL_KD = {0}, FULL_KH = {1}, FULL_KW = {2};\n", real->kernel);
    three("constexpr int FULL_PAD_D = {0}, FULL_PAD_H = {1}, FULL_PAD_W = {2};\n", real->padding);
    three("constexpr int FULL_DILATION_D = {0}, FULL_DILATION_H = {1}, FULL_DILATION_W = {2};\n", real->dilation);
    three("constexpr int APART_D = {0}, APART_H = {1}, APART_W = {2}; // from one tap of a phase to its next\n",
          real->apart);
    os << "constexpr int SPAN_W = " << real->columns << "; // from the first column that any phase takes to the last\n";
    os << "constexpr int FEWEST_TAPS = " << real->fewestTaps << "; // of a phase that has any\n";
  }
  os << "// Pooling of the outputs; windows of 1 when there is none.\n";
  three("constexpr int PD = {0}, PH = {1}, PW = {2}; // pooled outputs\n", conv.pooled);
  three("constexpr int POOL_D = {0}, POOL_H = {1}, POOL_W = {2};\n", conv.pooling.window);
  three("constexpr int POOL_STRIDE_D = {0}, POOL_STRIDE_H = {1}, POOL_STRIDE_W = {2};\n", conv.pooling.stride);
  three("constexpr int POOL_PAD_D = {0}, POOL_PAD_H = {1}, POOL_PAD_W = {2};\n", conv.pooling.padding);
  os << "// The schedule.\n";
  os << "constexpr bool TENSOR_CORES = " << (tensorCores ? "true" : "false") << ";\n";
  os << "constexpr int BOX_I = " << plan.boxImages;
  three(", BOX_D = {0}, BOX_H = {1}, BOX_W = {2}; // images and (pooled) outputs of a block\n", plan.box);
  os << "constexpr int BN = " << plan.bn << "; // output channels of a block\n";
  os << "constexpr int CB = " << plan.channelsPerSlab << "; // input channels of one slab\n";
  os << "constexpr int PIECE = " << plan.piece << "; // k steps of one stage of weights\n";
  os << "constexpr int STAGES = " << plan.stages << ";\n";
  std::array<int64_t, 2> warp = {16, 16}, thread = {1, 1};
  if constexpr (tensorCores)
    warp = schedule.warpTile;
  else
    thread = schedule.threadTile;
  os << llvm::formatv("constexpr int WM = {0}, WN = {1}; // warp tile on tensor cores\n", warp[0], warp[1]);
  os << llvm::formatv("constexpr int TM = {0}, TN = {1}; // thread tile without\n", thread[0], thread[1]);
  os << "constexpr int PAD = " << schedule.smemPad.value_or(0) << "; // elements after each row of a slab\n";
  os << "constexpr int MIN_BLOCKS = " << schedule.minBlocks << "; // resident blocks per multiprocessor\n";
  os << "constexpr int SHARED_BYTES = " << plan.sharedBytes << "; // dynamic shared memory of the launch\n";
  os << "} // namespace " << name << "\n";
  return text;
}

/// The code of ConvSimt or ConvMmaSync, which share a template.
template <typename Schedule>
static FailureOr<DispatchCode> emitBlocks(DispatchOp dispatch, const Conv &conv, const Schedule &schedule) {
  Plan plan = derive(conv, schedule);
  std::string name = dispatch.getName().str();
  constexpr bool tensorCores = std::is_same_v<Schedule, schedule::ConvMmaSync>;
  Type compute = tensorCores ? elementTypeOf(schedule.dtype, dispatch.getContext()) : conv.elementType;

  FailureOr<ConvTail> made = makeConvTail(conv, name, /*addBias=*/true);
  if (failed(made))
    return failure();
  const Epilogue &tail = made->tail;
  std::string parameters = tail.parameters(), arguments = tail.arguments();

  TemplateFill fill;
  fill.name = name;
  fill.replacements["constants"] = tail.functions + printConstants(name, conv, schedule, plan, compute);
  auto function = [&](StringRef functionName, StringRef comment, StringRef body) {
    return ("// " + comment + "\n__device__ __forceinline__ float " + functionName +
            "(float value, int image, int channel, int z, int y, int x" + parameters + ") {\n  return " + body + ";\n}")
        .str();
  };
  fill.replacements["epilogue"] = function(
      "epilogue", conv.ops.window ? "One output of the convolution, before pooling." : "One output.", made->epilogue);
  fill.replacements["finish"] = function("finish", "One pooled output.", made->finish);
  fill.replacements["mma"] = "  kgen::" +
                             std::string(schedule.dtype == Dtype::Tf32   ? "mma_m16n8k8_tf32"
                                         : schedule.dtype == Dtype::Fp16 ? "mma_m16n8k16_f16"
                                                                         : "mma_m16n8k16_bf16") +
                             "(c, a, b);";
  fill.replacements["kernel"] = "extern \"C\" __global__ void __launch_bounds__(" + name + "::THREADS, " + name +
                                "::MIN_BLOCKS)\n    " + name + "_main(const " + name +
                                "::In *__restrict__ input, const " + name + "::Compute *__restrict__ weights" +
                                parameters + ",\n         " + name + "::Out *__restrict__ output) {";
  fill.replacements["finish_pixel"] =
      "    if (inside)\n      value = epilogue(value, image, group * OC + channel, z, y, x" + arguments + ");";
  if (conv.pooling.kind == Pooling::Kind::Average) {
    fill.replacements["pool_start"] =
        conv.pooling.divisor ? "    float pooled = 0.0f;" : "    float pooled = 0.0f;\n    int count = 0;";
    fill.replacements["pool_step"] =
        conv.pooling.divisor ? "          pooled += tap;" : "          pooled += tap, ++count;";
    fill.replacements["pool_end"] = "    pooled = finish(pooled / " +
                                    (conv.pooling.divisor ? std::to_string(conv.pooling.divisor) + ".0f" : "count") +
                                    ", image, group * OC + channel, z, y, x" + arguments + ");";
  } else {
    fill.replacements["pool_end"] =
        "    pooled = finish(pooled, image, group * OC + channel, z, y, x" + arguments + ");";
  }
  if (conv.lastInput) {
    // Neighbours along a row lie a pixel apart.
    fill.replacements["vector"] = "  int v = 1;";
    fill.replacements["source"] =
        "    const In *source = input + (((long long)image * D + d) * H + h) * W * GROUPS * C + group * C + c;";
    fill.replacements["copy"] = "        kgen::cp_async_zfill<sizeof(In)>(&destination[column], &source[w * (GROUPS * "
                                "C)], valid);";
    fill.replacements["load"] = "        if (valid)\n          loaded.value[0] = source[w * (GROUPS * C)];";
  }
  if (conv.lastWeight)
    fill.replacements["weight"] =
        "    value = weights[(((tile / N_TILES * OC + n) * KD * KH + dh) * KW + kw) * C + c];";
  std::string place = conv.lastResult ? "(((long long)image * PD + z) * PH * PW + (long long)y * PW + x) * GROUPS * OC "
                                        "+ group * OC + channel"
                                      : "((((long long)image * GROUPS + group) * OC + channel) * PD + z) * PH * PW + "
                                        "(long long)y * PW + x";
  fill.replacements["store"] = "    output[" + place + "] =\n        static_cast<Out>(" +
                               std::string(conv.ops.window ? "pooled" : "result") + ");";
  fill.sections.insert(tensorCores ? "mma" : "simt");
  if (plan.threads % 32)
    fill.sections.insert("ragged");
  if (!tensorCores && compute.getIntOrFloatBitWidth() == 16)
    fill.replacements["paired"] = "constexpr bool PAIRED = false; // an operand is one element here";
  fill.sections.insert(conv.ops.window ? "pool" : "direct");
  if (conv.transposed) {
    fill.sections.insert("transposed");
    fill.replacements["finish_pixel"] =
        "    const int oz = z * PHASE_D + phase.z, oy = y * PHASE_H + phase.y, ox = x * PHASE_W + phase.x;\n"
        "    if (inside && oz < FULL_D && oy < FULL_H && ox < FULL_W)\n"
        "      value = epilogue(value, image, group * OC + channel, oz, oy, ox" +
        arguments + ");";
  }

  DispatchCode code;
  code.source = fillTemplate(findCudaTemplate("conv.cuh"), fill);
  code.workspaces.push_back(RankedTensorType::get({plan.packedWeights}, compute));
  DispatchBuffer packed = DispatchBuffer::workspace(0);
  code.launches.push_back(
      {name + "_weights", {ceilDiv(plan.packedWeights, 256), 1, 1}, {256, 1, 1}, 0, {conv.weight}, {packed}});
  LaunchSpec main{name + "_main",   {plan.blocks, 1, 1},  {plan.threads, 1, 1},
                  plan.sharedBytes, {conv.input, packed}, {DispatchBuffer::result(0)}};
  for (const EpilogueOperand &operand : tail.operands)
    main.reads.push_back(operand.buffer);
  main.sizedBy = "conv.cuh";
  code.launches.push_back(main);
  return code;
}

FailureOr<DispatchCode> ConvFamily::emit(DispatchOp dispatch, const ScheduleParams &params, const Chip &chip) const {
  FailureOr<Conv> conv = readConv(dispatch);
  if (failed(conv))
    return failure();
  if (conv->shiftsOnly())
    return emitConvHalo(dispatch, *conv, schedule::ConvHalo::read(params), chip);
  if (isDepthwiseLast(*conv) && !params.has(key::tile))
    return emitConvDepthwise(dispatch, *conv, schedule::ConvDepthwise::read(params));
  if (isDepthwisePlanes(*conv) && !params.has(key::tile))
    return emitConvPlanes(dispatch, *conv, schedule::ConvDepthwise::read(params));
  std::optional<Mma> mma = params.getWord(key::mma);
  if (params.getWord(key::im2col) == schedule::Im2col::Halo)
    return emitConvHalo(dispatch, *conv, schedule::ConvHalo::read(params), chip);
  if (params.getWord(key::pipeline) == schedule::Pipeline::Tma)
    return emitConvImplicit(dispatch, *conv, schedule::ConvImplicit::read(params));
  if (mma == Mma::Wgmma)
    return emitConvWgmma(dispatch, *conv, schedule::ConvWgmma::read(params), chip);
  if (mma == Mma::MmaSync)
    return emitBlocks(dispatch, *conv, schedule::ConvMmaSync::read(params));
  return emitBlocks(dispatch, *conv, schedule::ConvSimt::read(params));
}

std::unique_ptr<Family> createConvFamily() { return std::make_unique<ConvFamily>(); }

} // namespace kgen::kernels
