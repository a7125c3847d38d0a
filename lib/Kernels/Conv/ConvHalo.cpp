//===- ConvHalo.cpp - Convolutions of shifted pixels ----------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles and stages of conv_halo.cuh.
//
//===----------------------------------------------------------------------===//

#include "ConvHaloPlan.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <limits>
#include <numeric>

using namespace mlir;

namespace kgen::kernels {
using schedule::Dtype;

/// Channels that a warpgroup folds, whose sums one thread has a part of.
static constexpr int64_t kMostFolded = 192;
/// Of a warpgroup's outputs that are about to be folded.
static constexpr int64_t kPatchBytes = 4 * 16 * 36 * 4;
/// Cycles of a multiprocessor for a sector of memory that it writes a part of, while all others do, as measured.
static constexpr double kPartOfSector = 10.5;
/// Two floats of a thread that its warpgroup's other warps read, twice, so that one barrier is enough.
static constexpr int64_t kShareBytes = 2 * 2 * 128 * 4;
/// Registers of a thread that adds pixels up, or pools outputs of several phases.
static constexpr int64_t kCombining = 8;
/// A matrix descriptor counts up to this many pixels from 16 bytes of channels to the next.
static constexpr int64_t kMostPixels = 16383;

/// Operands in 16 bytes.
static int64_t lanesOf(const Conv &conv, bool scaled) {
  return scaled ? 8 : 128 / conv.elementType.getIntOrFloatBitWidth();
}
/// Registers of a thread that loads for a step's pixels, of which it has two: more, with their addresses, spill.
static int64_t mostLoaded(const HaloPlan &plan, const Conv &conv) {
  const bool few = plan.consumers() > 3 || plan.producerWarps > 4; // registers of a thread
  return !few && (plan.run > 1 || !conv.elementType.isF32()) ? 48 : 32;
}

/// Inputs from the first to the last that some tap takes for an output of dimension D, in steps of a plane.
static int64_t reachOf(const Conv &conv, int d) {
  if (!conv.transposed)
    return (conv.kernel[d] - 1) * conv.dilation[d] / conv.stride[d];
  const Transposed &real = *conv.transposed;
  int64_t last = 0;
  for (int64_t phase = 0; phase < real.stride[d]; ++phase)
    for (int64_t k = 0; k < real.kernel[d]; ++k)
      if (int64_t place = phase + real.padding[d] - k * real.dilation[d]; place % real.stride[d] == 0)
        last = std::max(last, place / real.stride[d] + conv.padding[d]);
  return last;
}

StackedDepths stackDepths(const Conv &conv, int64_t depths) {
  if (hasPhases(conv)) {
    const int64_t advance = depths / conv.transposed->stride[0];
    return {depths, reachOf(conv, 0) + advance, advance};
  }
  const int64_t advance = depths * conv.stride[0];
  return {depths, (conv.wholeKernel()[0] - 1) * conv.dilation[0] + advance - conv.stride[0] + 1, advance};
}

StackedDepths stackFittingDepths(const Conv &conv, int64_t filters) {
  const int64_t own = conv.outChannels <= 16 ? 16 : 32, depths = filters / own;
  const bool fits = filters == 64 && conv.outChannels <= own && conv.wholeOut()[0] > 1 &&
                    (!hasPhases(conv) || depths % conv.transposed->stride[0] == 0);
  return fits ? stackDepths(conv, depths) : StackedDepths();
}

HaloPlan::HaloPlan(const Conv &conv, const std::array<int64_t, 3> &tile, int64_t stages, const HaloRoles &roles,
                   bool scaled, const Chip &chip)
    : n(tile[0]), filters(tile[1]), bk(tile[2]), stages(stages), depths(roles.depths), folds(conv.fold.has_value()),
      scaled(scaled), lanes(lanesOf(conv, scaled)), portion(bk), producerWarps(roles.producerWarps) {
  int64_t phasesH = 1;
  if (conv.transposed) {
    phasesD = isStacked() ? 1 : conv.transposed->stride[0];
    phasesH = conv.transposed->stride[1];
    sets = conv.transposed->stride[2];
  }
  // One warpgroup has all channels that are folded.
  if (conv.fold && conv.fold->overChannels) {
    blocks = filters / 64;
    shareBytes = kShareBytes;
  }
  parts = filters / 64 / blocks * phasesH;
  teams = roles.consumers ? std::max<int64_t>(1, *roles.consumers / parts) : ideas::haloTeams(parts);
  const Sizes &out = conv.wholeOut(), &kernel = conv.wholeKernel();
  lead = conv.padding;
  for (int d = 0; d < 3; ++d)
    reach[d] = reachOf(conv, d);
  if (!conv.transposed)
    planes = (kernel[1] == 1 ? 1 : conv.stride[1]) * (kernel[2] == 1 ? 1 : conv.stride[2]);
  if (conv.ops.window)
    window = conv.pooling.window;
  windowRows = window[1] == 1 ? 1 : window[1] / phasesH;
  span = {ceilDiv(out[0], phasesD * depths), ceilDiv(out[1], phasesH), ceilDiv(out[2], sets)};
  slabs = kernel[0];
  int64_t channels = conv.channels;
  if (isStacked()) {
    stack = stackDepths(conv, depths);
    slabs = 1;
    channels *= stack.slices;
  }

  // Rows whose pixels lie side by side in memory, and begin where a load may, are read by runs.
  constexpr int64_t kRun = 4;
  if ((conv.transposed || conv.stride[2] == 1) && conv.in[2] % kRun == 0) {
    run = kRun;
    before = roundUp(lead[2], kRun) - lead[2];
  }
  filterTiles = ceilDiv(conv.outChannels, own());
  stored = std::min(own(), conv.outChannels) * depths;
  steps = ceilDiv(channels, bk);
  // Whole rows, or parts of them: those that are multiplied, fetched and stored soonest.
  constexpr double multiplied = 0.084; // cycles of a pixel's tap in tf32, as measured
  const double multipliedChannels = double(steps * bk) * slabsOfTile();
  const double taps = multiplied * kernel[1] * kernel[2] * 4 / lanes * (filters / 64);
  int64_t bestHeight = 1, bestWidth = 1;
  double least = std::numeric_limits<double>::infinity();
  for (int64_t width = std::min(span[2], n); width >= 1; --width) {
    if (width != span[2] && width % 8)
      continue;
    int64_t height = std::min(span[1], (n - width) / pitchOf(width) + 1);
    // Windows lie inside of tiles.
    if (height < span[1])
      height -= height % std::max<int64_t>(1, windowRows);
    if (height == 0 || (width != span[2] && width * sets % window[2]))
      continue;
    take(conv, height, width);
    double cycles = ceilDiv(span[1], height) * ceilDiv(span[2], width) *
                    std::max({n * taps, fetchCycles(), partCycles() / multipliedChannels});
    if (cycles < least) {
      least = cycles;
      bestHeight = height;
      bestWidth = width;
    }
  }
  take(conv, bestHeight, bestWidth);
  boxes = conv.images * span[0] * phasesD * ceilDiv(span[1], th) * ceilDiv(span[2], tw);
  const int64_t chunks = bk / lanes;
  pixelBytes = chunks * pixels * 16;
  filterBytes = kernel[1] * kernel[2] * chunks * filters * 16;
  residentBytes = slabs * steps * filterBytes;
  // Filters that stay are worth more than many channels on their way.
  for (bool resident : {true, false})
    for (int64_t some : {8, 4, 2}) {
      isResident = resident;
      atOnce = some;
      if (sharedBytes() <= chip.sharedBytesPerBlock)
        return;
    }
}

/// A tile of so many pixels of a phase.
void HaloPlan::take(const Conv &conv, int64_t height, int64_t width) {
  th = height;
  tw = width;
  const int64_t pitch = pitchOf(tw), plane = (th + reach[1]) * pitch;
  loaded = planes * plane;
  pixels = loaded - plane + std::max(plane, reach[1] * pitch + before + reach[2] + n);
  // Scaled operands are narrower than what is loaded for them: as many channels as fit the registers, and 32 bits.
  portion = bk;
  if (scaled)
    while (portion % (2 * lanes) == 0 && (loadedRegisters(conv) > mostLoaded(*this, conv) ||
                                          (!isStacked() && portion * conv.in[0] * conv.in[1] * conv.in[2] >= 1 << 29)))
      portion /= 2;
  // Whole rows lie one behind the other, unless another warpgroup has every second one. Of the others those that begin
  // with a sector and end with one leave none in parts.
  const Sizes &out = conv.wholeOut();
  const int64_t sector = 32 * 8 / conv.resultType.getIntOrFloatBitWidth(), shared = std::gcd(out[2], sector);
  const bool whole = tw == span[2];
  const double unaligned = whole || tw * sets % sector == 0 ? 1 - double(shared) / sector : 1;
  parted = 2 * unaligned * (whole && span[1] == out[1] ? 1 : th);
  if (conv.ops.window || (folds && conv.fold->kind != OutputFold::Kind::Softmax))
    parted = 0;
}

int64_t HaloPlan::patchBytes() const {
  return folds ? blocks * kPatchBytes + shareBytes : 4 * atOnce * (roundUp(n * sets, 32) + 8 * sets) * 4;
}

double HaloPlan::partCycles() const { return kPartOfSector * parted * stored * parts * blocks / (filters / 64); }

/// Cycles in which one channel of a tile's pixels is fetched, as measured: f32 ones in rounds, by their latency.
double HaloPlan::fetchCycles() const {
  constexpr double ofRound = 1800, channelsOfLane = 8, ofPixel = 0.57;
  if (lanes == 8 && !scaled)
    return loaded * ofPixel;
  return rounds() * ofRound / (scaled ? double(portion) : channelsOfLane);
}

//===----------------------------------------------------------------------===//
// The schedule
//===----------------------------------------------------------------------===//

static LogicalResult checkShape(DispatchOp dispatch, const Conv &conv, const Chip &chip) {
  const char *variant = "family conv with im2col = halo ";
  if (!chip.isHopper())
    return dispatch.emitError("mma = wgmma needs sm_90a, the chip is ") << chip.arch;
  if (conv.groups != 1)
    return dispatch.emitError(variant) << "takes no groups, found " << conv.groups;
  if (conv.ops.window)
    for (int d = 0; d < 3; ++d)
      if (conv.pooling.padding[d] || conv.pooling.stride[d] != conv.pooling.window[d] ||
          conv.pooled[d] * conv.pooling.window[d] > conv.wholeOut()[d])
        return conv.ops.window->emitError(variant)
               << "pools windows that lie inside of the outputs side by side, found " << conv.ops.window->getName()
               << " with windows of " << conv.pooling.window[d] << ", stride " << conv.pooling.stride[d]
               << " and padding " << conv.pooling.padding[d];
  if (conv.fold && conv.fold->kind == OutputFold::Kind::Softmax && conv.outChannels > kMostFolded)
    return conv.ops.fold->emitError(variant)
           << "normalises up to " << kMostFolded << " channels, found " << conv.outChannels;
  if (conv.lastInput || conv.lastWeight || conv.lastResult)
    return dispatch.emitError(variant) << "reads and writes buffers with the channels first";
  if (conv.transposed)
    for (int d : {1, 2})
      if (conv.transposed->stride[d] > 2)
        return dispatch.emitError(variant) << "takes transposed convolutions of strides up to 2 along height and "
                                              "width, found "
                                           << conv.transposed->stride[d];
  constexpr int64_t most = std::numeric_limits<int32_t>::max();
  const Sizes &out = conv.wholeOut();
  if (conv.in[0] * conv.in[1] * conv.in[2] > most || out[1] * out[2] > most)
    return dispatch.emitError(variant) << "counts pixels of a channel up to " << most;
  return success();
}

/// Why PLAN is none, or an empty string.
static std::string findFault(const Conv &conv, const HaloPlan &plan, std::optional<int64_t> consumers,
                             const Chip &chip) {
  if (consumers && *consumers % plan.parts)
    return llvm::formatv("a tile of {0} filters takes {1} warpgroups, and {2} consumers are no whole number of tiles",
                         plan.filters, plan.parts, *consumers);
  if (plan.consumers() > ideas::mostHaloConsumers)
    return llvm::formatv("a tile of {0} filters takes {1} warpgroups, {2} at most are there", plan.filters, plan.parts,
                         ideas::mostHaloConsumers);
  if (plan.isStacked() && (plan.filters != 64 || plan.own() < conv.outChannels))
    return llvm::formatv("a tile of {0} depths has {1} filters for each, a convolution of {2} needs 64 in all and as "
                         "many for each",
                         plan.depths, plan.own(), conv.outChannels);
  if (plan.isStacked() && hasPhases(conv) && plan.depths % conv.transposed->stride[0])
    return llvm::formatv("a tile of {0} depths is no whole number of strides, which are {1}", plan.depths,
                         conv.transposed->stride[0]);
  if (plan.window[0] > 1 && plan.depths % plan.window[0])
    return llvm::formatv("a tile has outputs of {0} depths, and windows have {1}", plan.depths, plan.window[0]);
  const int64_t phasesH = conv.transposed ? conv.transposed->stride[1] : 1;
  if (plan.window[1] > 1 && plan.window[1] % phasesH)
    return llvm::formatv("windows of {0} rows are no whole number of strides, which are {1}", plan.window[1], phasesH);
  if (!plan.hasWindows())
    return llvm::formatv("a tile of {0} pixels has no window of {1} x {2} outputs", plan.n, plan.window[1],
                         plan.window[2]);
  if (plan.bk % (2 * plan.lanes))
    return llvm::formatv("a step takes a multiple of {0} channels, found {1}", 2 * plan.lanes, plan.bk);
  if (conv.fold && conv.fold->kind == OutputFold::Kind::Softmax && plan.filterTiles > 1)
    return llvm::formatv("a tile of {0} filters has not all of the {1} channels of a softmax", plan.filters,
                         conv.outChannels);
  const bool combines = conv.fold ? !conv.fold->overChannels : conv.ops.window && plan.sets > 1;
  const int64_t others = ideas::otherHaloRegisters + (combines ? kCombining : 0);
  // What threads give away later does not widen what the assembler counts on.
  const int64_t registers = plan.registers(chip);
  if (plan.accumulators() + others > registers)
    return llvm::formatv(
        "the tile needs {0} accumulators and about {1} other registers in a thread, {2} are left to it",
        plan.accumulators(), others, registers);
  if (plan.loadedRegisters(conv) > mostLoaded(plan, conv))
    return llvm::formatv("a step's pixels take {0} registers of a thread that loads them, {1} are left to it",
                         plan.loadedRegisters(conv), mostLoaded(plan, conv));
  if (plan.pixels > kMostPixels)
    return llvm::formatv("a tile has {0} pixels in shared memory, {1} at most can be addressed", plan.pixels,
                         kMostPixels);
  if (plan.sharedBytes() > chip.sharedBytesPerBlock)
    return llvm::formatv("the tiles of {0} stages take {1} bytes of shared memory, a block has {2}", plan.stages,
                         plan.sharedBytes(), chip.sharedBytesPerBlock);
  return "";
}

/// About the cycles that PLAN takes: a multiprocessor multiplies a tile, or fetches it from the second-level cache,
/// whatever takes longer; what a lone team stores it stores afterwards.
static double costOf(const Conv &conv, const HaloPlan &plan, const Chip &chip) {
  constexpr double fetched = 24, productsOf16Bit = 2048, sharedBytes = 128; // bytes, products and bytes a cycle
  constexpr double storedBeside = 6.5; // bytes a cycle, as measured, while another team's products read shared memory
  constexpr double meeting = 100;      // cycles of a step's barriers
  const double loadedBytes = conv.elementType.getIntOrFloatBitWidth() / 8;
  const Sizes &kernel = conv.wholeKernel();
  double depths = plan.slabsOfTile(), taps = depths * kernel[1] * kernel[2]; // of all phases of height and width
  double channels = double(plan.steps) * plan.bk;
  // The operands of a product of 64 filters pass through shared memory each time, where they meet what is loaded.
  double product = 64.0 * plan.n * 16 / productsOf16Bit + (64.0 + plan.n) * 32 / sharedBytes / 3;
  double compute = product * (plan.filters / 64) * taps * channels / (2 * plan.lanes);
  double bytes = plan.loaded * channels * loadedBytes * depths;
  if (!plan.isResident)
    bytes += double(plan.filterBytes) * plan.steps * depths;
  double storedBytes = double(plan.th * plan.tw) * plan.sets * plan.stored * plan.parts * plan.blocks /
                       (plan.filters / 64) * conv.resultType.getIntOrFloatBitWidth() / 8;
  if (conv.fold && conv.fold->kind != OutputFold::Kind::Softmax)
    storedBytes = 0;
  storedBytes /= plan.windowOutputs();
  const double stored = storedBytes / fetched;
  const double fetching = plan.scaled ? plan.fetchCycles() * channels * depths : bytes / fetched;
  const double both =
      plan.teams == 1 ? compute + stored : std::max(compute, (compute + storedBytes / storedBeside) / 2);
  double tile = std::max({both, fetching, plan.partCycles()}) + plan.steps * depths * meeting;
  int64_t blocks = plan.grid(chip) / plan.filterTiles;
  return ceilDiv(plan.boxes, blocks) * ceilDiv(plan.grid(chip), chip.multiprocessors) * tile + stored +
         fetching / std::max<int64_t>(plan.steps, 1);
}

LogicalResult completeConvHalo(DispatchOp dispatch, const Conv &conv, ScheduleParams &params, const Chip &chip) {
  MLIRContext *context = dispatch.getContext();
  params.wordOr(context, key::mma, schedule::Mma::Wgmma);
  params.wordOr(context, key::im2col, schedule::Im2col::Halo);
  if (failed(checkShape(dispatch, conv, chip)) ||
      failed(completeOperandType(dispatch, conv, params, "im2col = halo", /*scales=*/true)))
    return failure();
  const bool scaled = isScaled(conv, *params.getWord(key::dtype));

  std::optional<SmallVector<int64_t>> given = params.getInts(key::tile);
  if (given && given->size() != 3)
    return dispatch.emitError("a tile of im2col = halo is [pixels, filters, channels of a step]");
  std::optional<int64_t> wanted = params.getInt(key::stages), depths = params.getInt(key::depths);
  HaloRoles roles = {params.getInt(key::consumers),
                     params.getInt(key::producerWarps).value_or(ideas::haloProducerWarps)};
  double least = std::numeric_limits<double>::infinity();
  std::string fault = "no tile fits";
  std::array<int64_t, 3> best = {};
  int64_t stages = 0;
  int64_t bestDepths = 1;
  auto considerDepths = [&](const std::array<int64_t, 3> &tile, int64_t count, int64_t depths) {
    roles.depths = depths;
    HaloPlan plan(conv, tile, count, roles, scaled, chip);
    std::string found = findFault(conv, plan, roles.consumers, chip);
    if (!found.empty()) {
      fault = found;
      return;
    }
    // More stages hide more, a second is needed; more channels at once store in fewer rounds. With all of its registers
    // taken by sums of several phases a thread spills.
    double cost = costOf(conv, plan, chip) * (count == 2 || plan.atOnce == 2 ? 1.05 : 1) - count * 1e-6;
    if (plan.sets > 1 && plan.accumulators() + ideas::otherHaloRegisters == plan.registers(chip))
      cost *= 1.2;
    if (cost < least) {
      least = cost;
      best = tile;
      stages = count;
      bestDepths = depths;
    }
  };
  auto consider = [&](const std::array<int64_t, 3> &tile, int64_t count) {
    considerDepths(tile, count, depths.value_or(1));
    if (int64_t fitting = stackFittingDepths(conv, tile[1]).depths; !depths && fitting > 1)
      considerDepths(tile, count, fitting);
  };
  const int64_t unit = 2 * lanesOf(conv, scaled);
  for (int64_t count = wanted.value_or(4); count >= wanted.value_or(2); --count) {
    if (given) {
      consider({(*given)[0], (*given)[1], (*given)[2]}, count);
      continue;
    }
    for (int64_t n : {256, 224, 192, 160, 128, 96, 64, 48, 32}) {
      if (!roles.consumers && (n == 48 || (n == 32 && !conv.fold)))
        continue;
      for (int64_t filters : {64, 128, 192})
        for (int64_t bk : {2 * unit, unit})
          if (filters == 64 || filters <= roundUp(conv.outChannels, 64))
            consider({n, filters, bk}, count);
    }
  }
  if (!stages)
    return dispatch.emitError("im2col = halo: ") << fault;
  params.set(context, key::tile, best);
  params.set(context, key::stages, stages);
  if (bestDepths > 1)
    params.set(context, key::depths, bestDepths);
  params.intOr(context, key::mmaInflight, 1);
  return success();
}

} // namespace kgen::kernels
