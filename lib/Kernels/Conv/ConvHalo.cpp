//===- ConvHalo.cpp - Convolutions of shifted pixels ----------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fills conv_halo.cuh in.
//
//===----------------------------------------------------------------------===//

#include "ConvHalo.h"

#include "kgen/Kernels/Emit/ScalarEmitter.h"
#include "kgen/Kernels/Ideas/HaloTiles.h"

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
/// Sums of a thread over the pixels of a tile: one for each of its channels in a patch.
static constexpr int64_t kPixelSums = 16;
/// A matrix descriptor counts up to this many pixels from 16 bytes of channels to the next.
static constexpr int64_t kMostPixels = 16383;

namespace {

/// What a schedule leaves open or gives beside its tile and its stages.
struct Roles {
  std::optional<int64_t> consumers;
  int64_t producerWarps = ideas::haloProducerWarps, depths = 1;
};

/// What the template derives from its constants.
struct Plan {
  int64_t n, filters, bk, stages;
  int64_t depths;                 ///< outputs of a tile along the depth, whose filters are rows of one product
  bool folds;                     ///< outputs before they leave
  bool scaled;                    ///< f32 data is multiplied as fp16
  int64_t lanes;                  ///< operands in 16 bytes
  int64_t portion;                ///< channels of a step that are loaded at a time
  int64_t blocks = 1;             ///< of 64 filters that one warpgroup has
  int64_t sets = 1, parts, teams; ///< sums of a thread for each; warpgroups that share a tile, and tiles at a time
  Sizes lead, reach, span;        ///< of the input before the first tap, between its taps; outputs of a phase
  int64_t phasesD = 1, planes = 1;
  StackedDepths stack;
  int64_t slabs = 1;           ///< depths of filters that steps tell apart
  int64_t run = 1, before = 0; ///< pixels that one load has, and of a row before the first that is needed
  int64_t th = 1, tw = 1, boxes = 0, loaded = 0, pixels = 0;
  int64_t filterTiles, steps; ///< of channels
  int64_t pixelBytes, filterBytes, residentBytes;
  bool isResident = false;
  int64_t shareBytes = 0; ///< of a warpgroup, whose warps fold channels together
  int64_t atOnce = 8;     ///< channels that a warp has on their way to memory, where nothing is folded
  double parted = 0;      ///< sectors of a channel that a tile writes a part of
  int64_t stored = 0;     ///< channels of a tile, at most

  int64_t producerWarps;

  Plan(const Conv &conv, const std::array<int64_t, 3> &tile, int64_t stages, const Roles &roles, bool scaled,
       const Chip &chip);
  bool isStacked() const { return depths > 1; }
  /// Filters of one output depth in a tile.
  int64_t own() const { return filters / depths; }
  /// Depths of filters that one tile meets, on average over the phases.
  double slabsOfTile() const { return double(slabs) / phasesD; }
  int64_t pitchOf(int64_t width) const { return roundUp(before + width + reach[2], run); }
  int64_t consumers() const { return parts * teams; }
  int64_t threads() const { return ideas::haloThreads(consumers(), producerWarps); }
  int64_t producers() const { return 32 * producerWarps; }
  /// Registers that the assembler counts on in each thread.
  int64_t registers(const Chip &chip) const { return ideas::haloRegisters(consumers(), chip, producerWarps); }
  int64_t accumulators() const { return blocks * sets * n / 2; }
  int64_t sharedBytes(bool resident, int64_t count) const {
    int64_t stage = pixelBytes + (resident ? 0 : filterBytes);
    int64_t before = (resident ? residentBytes : 0) + count * (stage + 16) + 8 * (1 + teams) +
                     (scaled ? 4 * count + 8 * producerWarps : 0);
    return roundUp(before, 128) + consumers() * patchBytes();
  }
  /// Of a warpgroup's outputs on their way.
  int64_t patchBytes() const {
    return folds ? blocks * kPatchBytes + shareBytes : 4 * atOnce * (roundUp(n * sets, 32) + 8 * sets) * 4;
  }
  int64_t sharedBytes() const { return sharedBytes(isResident, stages); }
  int64_t pool(const Chip &chip) const { return registers(chip) * threads(); }
  int64_t producerRegisters() const { return consumers() <= 2 && producerWarps <= 4 ? 120 : 96; }
  int64_t consumerRegisters(const Chip &chip) const {
    return std::min<int64_t>(240, (pool(chip) - producerRegisters() * producers()) / (128 * consumers()) / 8 * 8);
  }
  int64_t grid(const Chip &chip) const {
    return std::max<int64_t>(1, std::min(chip.multiprocessors / filterTiles, boxes)) * filterTiles;
  }
  /// Rounds in which the loading threads have a portion of a step, each a run of pixels in some channels.
  int64_t rounds() const { return ceilDiv(loaded / run * (scaled ? portion / lanes : 1), producers()); }
  /// Steps, or portions, that the second-level cache is asked for: not by threads whose registers are full of runs.
  int64_t ahead() const { return rounds() <= 2 ? 2 : 0; }
  /// Registers of pixels that a loading thread has in flight.
  int64_t loadedRegisters(const Conv &conv) const {
    return rounds() * (scaled ? lanes : bk) * ceilDiv(run * conv.elementType.getIntOrFloatBitWidth(), 32);
  }
  void take(const Conv &conv, int64_t height, int64_t width);
  double fetchCycles() const;
  double partCycles() const { return kPartOfSector * parted * stored * parts * blocks / (filters / 64); }
};

} // namespace

/// Whether f32 data is multiplied as fp16 under powers of two.
static bool isScaled(const Conv &conv, Dtype dtype) { return conv.elementType.isF32() && dtype == Dtype::Fp16; }
/// Operands in 16 bytes.
static int64_t lanesOf(const Conv &conv, bool scaled) {
  return scaled ? 8 : 128 / conv.elementType.getIntOrFloatBitWidth();
}
/// Registers of a thread that loads for a step's pixels, of which it has two: more, with their addresses, spill.
static int64_t mostLoaded(const Plan &plan, const Conv &conv) {
  const bool few = plan.consumers() > 3 || plan.producerWarps > 4; // registers of a thread
  return !few && (plan.run > 1 || !conv.elementType.isF32()) ? 48 : 32;
}

/// Of stride 1, a transposed convolution is a plain one with mirrored filters.
static bool hasPhases(const Conv &conv) { return conv.phases() > 1; }

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

Plan::Plan(const Conv &conv, const std::array<int64_t, 3> &tile, int64_t stages, const Roles &roles, bool scaled,
           const Chip &chip)
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
    const int64_t height = std::min(span[1], (n - width) / pitchOf(width) + 1);
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
void Plan::take(const Conv &conv, int64_t height, int64_t width) {
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
  if (folds && conv.fold->kind != OutputFold::Kind::Softmax)
    parted = 0;
}

/// Cycles in which one channel of a tile's pixels is fetched, as measured: f32 ones in rounds, by their latency.
double Plan::fetchCycles() const {
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
    return dispatch.emitError(variant) << "fuses no pooling, found " << conv.ops.window->getName();
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
static std::string findFault(const Conv &conv, const Plan &plan, std::optional<int64_t> consumers, const Chip &chip) {
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
  if (plan.bk % (2 * plan.lanes))
    return llvm::formatv("a step takes a multiple of {0} channels, found {1}", 2 * plan.lanes, plan.bk);
  if (conv.fold && conv.fold->kind == OutputFold::Kind::Softmax && plan.filterTiles > 1)
    return llvm::formatv("a tile of {0} filters has not all of the {1} channels of a softmax", plan.filters,
                         conv.outChannels);
  const int64_t others = ideas::otherHaloRegisters + (conv.fold && !conv.fold->overChannels ? kPixelSums : 0);
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
static double costOf(const Conv &conv, const Plan &plan, const Chip &chip) {
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
  Roles roles = {params.getInt(key::consumers), params.getInt(key::producerWarps).value_or(ideas::haloProducerWarps)};
  double least = std::numeric_limits<double>::infinity();
  std::string fault = "no tile fits";
  std::array<int64_t, 3> best = {};
  int64_t stages = 0;
  int64_t bestDepths = 1;
  auto considerDepths = [&](const std::array<int64_t, 3> &tile, int64_t count, int64_t depths) {
    roles.depths = depths;
    Plan plan(conv, tile, count, roles, scaled, chip);
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

//===----------------------------------------------------------------------===//
// Emission
//===----------------------------------------------------------------------===//

static std::string printConstants(StringRef name, const Conv &conv, const schedule::ConvHalo &schedule,
                                  const Plan &plan, const Chip &chip) {
  std::string text;
  llvm::raw_string_ostream os(text);
  auto line = [&](const char *format, auto... values) { os << llvm::formatv(format, values...) << "\n"; };
  auto three = [&](const char *format, const Sizes &sizes) { line(format, sizes[0], sizes[1], sizes[2]); };
  os << "namespace " << name << " {\n";
  line("// The problem: images of C x D x H x W, filters of KD x KH x KW taps, outputs of OD x OH x OW.");
  if (plan.scaled) {
    line("using In = {0}; // element type of the input and the weights", getStorageType(conv.elementType));
    line("using Compute = {0}; // element type of the products", computeTypeOf(schedule.dtype));
  } else {
    line("using In = {0}; // element type of the input and the products", getStorageType(conv.elementType));
  }
  line("using Out = {0}; // element type of the result", getStorageType(conv.resultType));
  line("constexpr int IMAGES = {0}, C = {1}, OC = {2};", conv.images, conv.channels, conv.outChannels);
  three("constexpr int D = {0}, H = {1}, W = {2};", conv.in);
  three("constexpr int OD = {0}, OH = {1}, OW = {2};", conv.wholeOut());
  three("constexpr int KD = {0}, KH = {1}, KW = {2};", conv.wholeKernel());
  const std::optional<Transposed> real = hasPhases(conv) ? conv.transposed : std::nullopt;
  three("constexpr int STRIDE_D = {0}, STRIDE_H = {1}, STRIDE_W = {2};", real ? real->stride : conv.stride);
  three("constexpr int PAD_D = {0}, PAD_H = {1}, PAD_W = {2};", real ? real->padding : conv.padding);
  three("constexpr int DILATION_D = {0}, DILATION_H = {1}, DILATION_W = {2};", real ? real->dilation : conv.dilation);
  if (real) {
    line("// Of one phase of the stride: from one of its taps to the next, and between the inputs of these.");
    three("constexpr int APART_D = {0}, APART_H = {1}, APART_W = {2};", real->apart);
    three("constexpr int NEARER_D = {0}, NEARER_H = {1}, NEARER_W = {2};", conv.dilation);
  }
  line("// Inputs before the first of an output that some tap takes, and how far apart the first and the last are.");
  three("constexpr int LEAD_D = {0}, LEAD_H = {1}, LEAD_W = {2};", plan.lead);
  line("constexpr int REACH_H = {0}, REACH_W = {1};", plan.reach[1], plan.reach[2]);
  line("// The schedule.");
  line("constexpr int TH = {0}, TW = {1}; // pixels of a tile", plan.th, plan.tw);
  line("constexpr int N = {0}; // of a product", plan.n);
  line("constexpr int RUN = {0}, BEFORE_W = {1}; // pixels that one load has, and of a row before the first that is "
       "needed",
       plan.run, plan.before);
  line("constexpr int F = {0}, BK = {1}; // filters of a tile, channels of a step", plan.filters, plan.bk);
  if (plan.scaled)
    line("constexpr int PORTION = {0}; // channels of a step that are loaded at a time", plan.portion);
  if (plan.isStacked())
    line("constexpr int DEPTHS = {0}, SLICES = {1}, ADVANCE_D = {2}; // outputs of a tile, inputs that they need, to "
         "the "
         "next tile's",
         plan.depths, plan.stack.slices, plan.stack.advance);
  line("constexpr int PARTS = {0}, TEAMS = {1}; // warpgroups that multiply a tile, and how many tiles at a time",
       plan.parts, plan.teams);
  line("constexpr int PRODUCER_WARPS = {0};", plan.producerWarps);
  line("constexpr int PRODUCER_REGISTERS = {0}, CONSUMER_REGISTERS = {1}; // of a thread", plan.producerRegisters(),
       plan.consumerRegisters(chip));
  line("constexpr int STAGES = {0};", plan.stages);
  line("constexpr int INFLIGHT = {0}; // steps whose products run while the next one is waited for",
       schedule.mmaInflight);
  if (!plan.folds)
    line("constexpr int AT_ONCE = {0}; // channels of a warp on their way to memory", plan.atOnce);
  line("constexpr bool RESIDENT = {0}; // whether a block's filters stay", plan.isResident ? "true" : "false");
  line("constexpr int AHEAD = {0}; // steps, or portions, that the second-level cache is asked for", plan.ahead());
  line("constexpr int GRID = {0}; // blocks", plan.grid(chip));
  line("constexpr int SHARED_BYTES = {0}; // dynamic shared memory of the launch", plan.sharedBytes());
  os << "} // namespace " << name << "\n";
  return text;
}

/// Fills in how outputs are folded before they leave, in so many PIECES for tiles of filters.
static void fillFold(TemplateFill &fill, const Conv &conv, const ConvTail &made, int64_t pieces) {
  using Kind = OutputFold::Kind;
  const Kind kind = conv.fold->kind;
  const std::string parameters = made.tail.parameters(), arguments = made.tail.arguments();
  const Sizes &out = conv.wholeOut();
  const int64_t folded = conv.fold->overChannels ? conv.outChannels : out[0] * out[1] * out[2];
  fill.sections.insert("folds");
  fill.replacements["finish_function"] = "// What is stored of outputs that were folded.\n__device__ __forceinline__ "
                                         "float finish(float value, int image, int channel, int z, int y, int x" +
                                         parameters + ") {\n  return " + made.finish + ";\n}";
  const std::string value = kind == Kind::Mean ? "value / " + std::to_string(folded) + ".0f" : "value";
  auto output = [&](StringRef call) {
    return ("epilogue(patch[row * PATCH_PITCH + lane], tile.i, channel, z, y, x" + arguments + ")" + call).str();
  };
  if (!conv.fold->overChannels) {
    fill.sections.insert("pixels");
    fill.replacements["add_output"] = "            totals[row] += " + output(";");
    fill.replacements["total_kernel"] = "extern \"C\" __global__ void __launch_bounds__(256)\n    " + fill.name +
                                        "_total(const float *__restrict__ shares" + parameters + ",\n         " +
                                        fill.name + "::Out *__restrict__ output) {";
    fill.replacements["store_total"] = "    output[index] = static_cast<Out>(finish(" + value +
                                       ", index / OC, index % OC, 0, 0, 0" + arguments + "));";
    return;
  }
  fill.sections.insert("channels");
  if (kind == Kind::Softmax || kind == Kind::LogSumExp) {
    fill.sections.insert("exponentials");
    fill.replacements["largest_output"] = "              const float value = " + output(";");
  } else {
    fill.sections.insert("plain_fold");
    fill.replacements["fold_output"] = "              own = fold(own, " + output(");");
    const char *nothing = kind == Kind::Max   ? "-__int_as_float(0x7f800000)"
                          : kind == Kind::Min ? "__int_as_float(0x7f800000)"
                                              : "0.0f";
    const char *both = kind == Kind::Max   ? "kgen::max_nan(a, b)"
                       : kind == Kind::Min ? "-kgen::max_nan(-a, -b)"
                                           : "a + b";
    fill.replacements["fold"] =
        llvm::formatv("__device__ __forceinline__ float nothing() {{ return {0}; }\n__device__ __forceinline__ float "
                      "fold(float a, float b) {{ return {1}; }",
                      nothing, both);
  }
  if (kind == Kind::Softmax) {
    fill.sections.insert("softmax");
    fill.replacements["store_softmax"] =
        "            to[(long long)channel * (OD * OH * OW)] =\n                static_cast<Out>(finish(value, tile.i, "
        "channel, z, y, x" +
        arguments + "));";
  } else {
    fill.sections.insert(pieces > 1 ? "pieces" : "whole");
    fill.replacements["piece_kernel"] = "extern \"C\" __global__ void __launch_bounds__(256)\n    " + fill.name +
                                        "_total(const float *__restrict__ pieces" + parameters + ",\n         " +
                                        fill.name + "::Out *__restrict__ output) {";
    fill.replacements["store_piece"] =
        "  output[index] = static_cast<Out>(finish(" + value + ", image, 0, z, y, x" + arguments + "));";
    fill.replacements["store_fold"] =
        "          output[((long long)tile.i * OD + z) * (OH * OW) + y * OW + x] =\n              "
        "static_cast<Out>(finish(" +
        value + ", tile.i, 0, z, y, x" + arguments + "));";
  }
}

FailureOr<DispatchCode> emitConvHalo(DispatchOp dispatch, const Conv &conv, const schedule::ConvHalo &schedule,
                                     const Chip &chip) {
  const bool scaled = isScaled(conv, schedule.dtype);
  const Roles roles = {schedule.consumers, schedule.producerWarps.value_or(ideas::haloProducerWarps),
                       schedule.depths.value_or(1)};
  Plan plan(conv, schedule.tile, schedule.stages, roles, scaled, chip);
  std::string name = dispatch.getName().str();
  FailureOr<ConvTail> made = makeConvTail(conv, name, /*addBias=*/true);
  if (failed(made))
    return failure();
  const Epilogue &tail = made->tail;
  std::string parameters = tail.parameters(), arguments = tail.arguments();
  const bool overPixels = conv.fold && !conv.fold->overChannels,
             inParts = overPixels || (conv.fold && plan.filterTiles > 1);

  TemplateFill fill;
  fill.name = name;
  if (hasPhases(conv))
    fill.sections.insert("transposed");
  else if (conv.transposed)
    for (const char *value : {"weight", "raw_weight"})
      fill.replacements[value] =
          (value == StringRef("weight") ? "    value" : "            weight") +
          std::string(
              " = weights[(((long long)channel * OC + filter) * KD + KD - 1 - depth) * TAPS + TAPS - 1 - tap];");
  if (plan.isStacked()) {
    fill.sections.insert("stacked");
    fill.replacements["stacked_functions"] = fillTemplate(templateBody("conv_halo_stacked.cuh"), fill);
  } else if (hasPhases(conv)) {
    fill.sections.insert("depth_phases");
  }
  fill.replacements["constants"] = tail.functions + printConstants(name, conv, schedule, plan, chip);
  fill.replacements["epilogue"] = "// One output.\n__device__ __forceinline__ float epilogue(float value, int image, "
                                  "int channel, int z, int y, int "
                                  "x" +
                                  parameters + ") {\n  return " + made->epilogue + ";\n}";
  fill.replacements["mma"] =
      "__device__ __forceinline__ void mma(float (&c)[N / 2], uint64_t a, uint64_t b) {\n  kgen::wgmma_" +
      std::string(scaled                      ? "f16"
                  : conv.elementType.isF32()  ? "tf32"
                  : conv.elementType.isBF16() ? "bf16"
                                              : "f16") +
      "<N>(c, a, b, true);\n}";
  fill.replacements["kernel"] =
      "extern \"C\" __global__ void __launch_bounds__(" + name + "::THREADS, 1)\n    " + name + "_main(const " + name +
      "::In *__restrict__ input, const " + name +
      (scaled ? "::Compute *__restrict__ weights, const float *__restrict__ scales" : "::In *__restrict__ weights") +
      (plan.isStacked() ? ", const " + name + "::In *__restrict__ raw_weights" : "") + parameters + ",\n         " +
      (inParts ? "float" : name + "::Out") + " *__restrict__ output) {";
  if (conv.fold)
    fillFold(fill, conv, *made, plan.filterTiles);
  fill.replacements["finish"] =
      "              values[row][sweep] =\n                  static_cast<Out>(epilogue(value, "
      "tile.i, channel, z, place / OW, place % OW" +
      arguments + "));";

  if (conv.fold) {
    fill.sections.insert("functions");
    fill.replacements["fold_functions"] = fillTemplate(templateBody("conv_halo_fold.cuh"), fill);
    fill.sections.erase("functions");
    if (inParts) {
      fill.sections.insert("launches_behind");
      fill.replacements["fold_launches"] = fillTemplate(templateBody("conv_halo_fold.cuh"), fill);
    }
    fill.sections.insert("in_tile");
    fill.replacements["fold_outputs"] = fillTemplate(templateBody("conv_halo_fold.cuh"), fill);
  } else {
    fill.replacements["store_outputs"] = fillTemplate(templateBody("conv_halo_store.cuh"), fill);
  }

  if (scaled) {
    fill.sections.insert("scaled");
    fill.replacements["filters"] = fillTemplate(templateBody("conv_halo_scaled.cuh"), fill);
  }
  fill.replacements["visit_steps"] = fillTemplate(templateBody("conv_halo_visit.cuh"), fill);
  DispatchCode code;
  code.source = fillTemplate(findCudaTemplate("conv_halo.cuh"), fill);
  const int64_t packed = plan.filterTiles * plan.slabs * plan.steps * conv.wholeKernel()[1] * conv.wholeKernel()[2] *
                         plan.bk * plan.filters;
  MLIRContext *context = dispatch.getContext();
  code.workspaces.push_back(RankedTensorType::get({packed}, elementTypeOf(schedule.dtype, context)));
  DispatchBuffer weights = DispatchBuffer::workspace(0), scales = DispatchBuffer::workspace(1);
  if (scaled) {
    const int64_t filters = plan.filterTiles * plan.filters;
    code.workspaces.push_back(RankedTensorType::get({filters}, Float32Type::get(context)));
    code.launches.push_back({name + "_weights", {filters, 1, 1}, {128, 1, 1}, 0, {conv.weight}, {weights, scales}});
  } else {
    code.launches.push_back(
        {name + "_weights", {ceilDiv(packed, 256), 1, 1}, {256, 1, 1}, 0, {conv.weight}, {weights}});
  }
  LaunchSpec main{name + "_main",     {plan.grid(chip), 1, 1}, {plan.threads(), 1, 1},
                  plan.sharedBytes(), {conv.input, weights},   {DispatchBuffer::result(0)}};
  if (scaled)
    main.reads.push_back(scales);
  if (plan.isStacked())
    main.reads.push_back(conv.weight);
  for (const EpilogueOperand &operand : tail.operands)
    main.reads.push_back(operand.buffer);
  main.sizedBy = "conv_halo.cuh";
  if (!inParts) {
    code.launches.push_back(main);
    return code;
  }
  const Sizes &out = conv.wholeOut();
  const int64_t pixels = conv.images * out[0] * out[1] * out[2],
                phases = plan.parts * plan.blocks / (plan.filters / 64);
  const int64_t totals = overPixels ? conv.images * conv.outChannels : pixels;
  const int64_t each = overPixels ? plan.boxes / conv.images * phases * plan.depths
                                  : plan.filterTiles * (conv.fold->kind == OutputFold::Kind::LogSumExp ? 2 : 1);
  code.workspaces.push_back(RankedTensorType::get({totals * each}, Float32Type::get(dispatch.getContext())));
  DispatchBuffer shares = DispatchBuffer::workspace(code.workspaces.size() - 1);
  main.writes = {shares};
  code.launches.push_back(main);
  LaunchSpec total{name + "_total", {ceilDiv(totals, overPixels ? 8 : 256), 1, 1},
                   {256, 1, 1},     0,
                   {shares},        {DispatchBuffer::result(0)}};
  for (const EpilogueOperand &operand : tail.operands)
    total.reads.push_back(operand.buffer);
  code.launches.push_back(total);
  return code;
}

} // namespace kgen::kernels
