//===- ConvImplicit.cpp - Convolutions as implicit products ---------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fills conv_implicit.cuh in. What is not channels-last yet becomes so in launches in front.
//
//===----------------------------------------------------------------------===//

#include "ConvImplicit.h"

#include "kgen/Kernels/Emit/ScalarEmitter.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <limits>
#include <set>

using namespace mlir;

namespace kgen::kernels {

/// Tensor maps of the image that a kernel takes: one for each residue of a tap's coordinates by the stride.
static constexpr int64_t kMaps = 8;
static constexpr int64_t kBarrierBytes = 16;
/// Registers of a thread that multiplies, besides its sums.
static constexpr int64_t kOtherRegisters = 48;
/// Each block's shared memory, of which the driver keeps a part for itself.
static constexpr int64_t kReservedBytes = 1024;

namespace {

/// Output pixels as tiles see them: images, then depth, height and width.
using Box = std::array<int64_t, 4>;

/// What the template derives from its constants.
struct Plan {
  Box span, box;
  int64_t bm, bn, bk, consumers, stages, split;
  int64_t boxes, filters, phases; ///< a tile is of one group, and one phase of a transposed convolution's stride
  int64_t steps;                  ///< of a tile; of the phase with the most taps
  double meanSteps;               ///< of all phases

  Plan(const Conv &conv, const schedule::ConvImplicit &schedule);
  int64_t tiles() const { return boxes * filters * phases; }
  int64_t slabs(const Conv &conv) const { return bk * conv.elementType.getIntOrFloatBitWidth() / 1024; }
  int64_t stageBytes(const Conv &conv) const { return slabs(conv) * (bm + bn) * 128; }
  int64_t sharedBytes(const Conv &conv, int64_t count) const { return count * (stageBytes(conv) + kBarrierBytes); }
  int64_t threads() const { return 128 * consumers + 32; }
  int64_t accumulators() const { return bm / consumers * bn / 128; }
};

} // namespace

static int64_t bytesOf(const Conv &conv) { return conv.elementType.getIntOrFloatBitWidth() / 8; }

/// Elements of 128 bytes.
static int64_t slabOf(const Conv &conv) { return 1024 / conv.elementType.getIntOrFloatBitWidth(); }

static int64_t allTaps(const Conv &conv) {
  const Sizes &kernel = conv.wholeKernel();
  return kernel[0] * kernel[1] * kernel[2];
}

/// Elements from one group's channels of a pixel, or one tap's of a filter, to the next: tensor maps need strides of 16
/// bytes.
static int64_t pitchOf(const Conv &conv) {
  return roundUp(conv.channels, 128 / conv.elementType.getIntOrFloatBitWidth());
}

/// Whether channels of one group, which are not at that pitch, lie beside those of another, or of another tap.
static bool isUneven(const Conv &conv) { return conv.groups > 1 && pitchOf(conv) != conv.channels; }

/// Output pixels of all images; without taps, strides and padding they are one row. Of a transposed convolution those
/// of a phase.
static Box spanOf(const Conv &conv) {
  bool isPlain =
      !conv.transposed && conv.taps() == 1 && conv.stride == Sizes{1, 1, 1} && conv.padding == Sizes{0, 0, 0};
  if (isPlain)
    return {1, 1, 1, conv.images * conv.out[0] * conv.out[1] * conv.out[2]};
  return {conv.images, conv.out[0], conv.out[1], conv.out[2]};
}

static int64_t boxesOf(const Box &span, const Box &box) {
  int64_t count = 1;
  for (int d = 0; d < 4; ++d)
    count *= ceilDiv(span[d], box[d]);
  return count;
}

/// The box of at most PIXELS, and LEAST or all of a row, that covers SPAN with the fewest; of these the widest one.
static Box chooseBox(const Box &span, int64_t pixels, int64_t least) {
  Box best = {1, 1, 1, 1};
  int64_t fewest = std::numeric_limits<int64_t>::max();
  for (int64_t w = std::min(span[3], pixels); w >= std::min(span[3], least); --w)
    for (int64_t h = std::min(span[2], pixels / w); h >= 1; --h)
      for (int64_t d = std::min(span[1], pixels / (w * h)); d >= 1; --d) {
        Box box = {std::min(span[0], pixels / (w * h * d)), d, h, w};
        if (int64_t count = boxesOf(span, box); count < fewest) {
          fewest = count;
          best = box;
        }
      }
  return best;
}

/// Pixels of a row that a box has at least: what a transposed convolution writes channels first lies in pieces.
static int64_t leastWidth(const Conv &conv) { return conv.transposed && !conv.lastResult ? 32 : 1; }

Plan::Plan(const Conv &conv, const schedule::ConvImplicit &schedule)
    : span(spanOf(conv)), box(chooseBox(span, schedule.tile[0], leastWidth(conv))), bm(schedule.tile[0]),
      bn(schedule.tile[1]), bk(schedule.tile[2]), consumers(schedule.consumers), stages(schedule.stages),
      split(schedule.splitK), boxes(boxesOf(span, box)), filters(conv.groups * ceilDiv(conv.outChannels, bn)),
      phases(conv.phases()), steps(conv.taps() * ceilDiv(conv.channels, bk)),
      meanSteps(double(allTaps(conv)) / phases * ceilDiv(conv.channels, bk)) {}

/// Which residues by the stride the taps of dimension D have.
static std::set<int64_t> residuesOf(const Conv &conv, int d) {
  std::set<int64_t> residues;
  for (int64_t tap = 0; tap < conv.kernel[d]; ++tap)
    residues.insert(((tap * conv.dilation[d] - conv.padding[d]) % conv.stride[d] + conv.stride[d]) % conv.stride[d]);
  return residues;
}

//===----------------------------------------------------------------------===//
// The schedule
//===----------------------------------------------------------------------===//

static LogicalResult checkShape(DispatchOp dispatch, const Conv &conv, const Chip &chip) {
  const char *variant = "family conv with pipeline = tma ";
  if (!chip.isHopper())
    return dispatch.emitError("mma = wgmma needs sm_90a, the chip is ") << chip.arch;
  if (conv.groups != 1 && (conv.transposed || conv.rank > 2))
    return dispatch.emitError(variant) << "takes groups of plain convolutions in one and two dimensions only, found "
                                       << conv.groups;
  if (conv.ops.window)
    return dispatch.emitError(variant) << "fuses no pooling, found " << conv.ops.window->getName();
  int64_t unit = 128 / conv.elementType.getIntOrFloatBitWidth();
  if (conv.channels % unit && conv.groups == 1)
    return dispatch.emitError(variant) << "takes a multiple of " << unit << " channels of " << conv.elementType
                                       << ", since tensor maps need strides of 16 bytes, found " << conv.channels;
  int64_t maps = 1;
  for (int d = 0; d < 3; ++d) {
    std::set<int64_t> residues = residuesOf(conv, d);
    maps *= residues.size();
    if (*residues.rbegin() >= conv.in[d])
      return dispatch.emitError(variant) << "takes images of at least " << *residues.rbegin() + 1
                                         << " pixels along a dimension with stride " << conv.stride[d] << ", found "
                                         << conv.in[d];
  }
  if (maps > kMaps)
    return dispatch.emitError(variant) << "takes at most " << kMaps << " phases of a stride, found " << maps;
  constexpr int64_t most = std::numeric_limits<int32_t>::max();
  const Sizes &out = conv.wholeOut();
  int64_t pixels = out[0] * out[1] * out[2];
  if (conv.images * pixels > most || pixels * conv.groups * conv.outChannels > most)
    return dispatch.emitError(variant) << "counts output pixels, and an image's results, up to " << most;
  return success();
}

/// Of a group's few channels, a tile's steps are soon over.
static bool isShort(const Conv &conv, const Plan &plan) { return conv.groups > 1 && plan.steps <= 4; }
/// Stages that a block has at least; other blocks fetch while one with few waits.
static int64_t fewestStages(const Conv &conv, const Plan &plan) { return isShort(conv, plan) ? 2 : 3; }

/// What a block of RESIDENT ones to a multiprocessor has.
static int64_t registersFor(int64_t resident, const Plan &plan, const Chip &chip) {
  return std::min<int64_t>(248, chip.registersPerMultiprocessor / (resident * plan.threads()) / 8 * 8);
}
static int64_t bytesFor(int64_t resident, const Chip &chip) {
  return (chip.sharedBytesPerBlock + kReservedBytes) / resident - kReservedBytes;
}

/// As many blocks as can work on a multiprocessor, each with STAGES stages: two at most, or four where a tile has so
/// few steps that its begin and its end take most of its time.
static int64_t residentBlocks(const Conv &conv, const Plan &plan, int64_t stages, const Chip &chip) {
  int64_t blocks = isShort(conv, plan) ? 4 : 2;
  while (blocks > 1 && (plan.tiles() * plan.split <= (blocks - 1) * chip.multiprocessors ||
                        plan.accumulators() + kOtherRegisters > registersFor(blocks, plan, chip) ||
                        plan.sharedBytes(conv, stages) > bytesFor(blocks, chip)))
    --blocks;
  return blocks;
}

/// About the cycles that PLAN takes. A multiprocessor multiplies a step, or fetches its tiles from the second-level
/// cache, whatever takes longer; the begin and the end of a tile are hidden behind another resident one. Slices pass
/// through memory once more.
static double costOf(const Conv &conv, const Plan &plan, const Chip &chip) {
  constexpr double fetched = 30, productsOf16Bit = 2048, begin = 1200, launch = 5000; // bytes, products and cycles
  double bytes = double(plan.slabs(conv)) * (plan.bm + plan.bn) * 128;
  double products = productsOf16Bit * 16 / conv.elementType.getIntOrFloatBitWidth();
  double step = std::max(double(plan.bm) * plan.bn * plan.bk / products, bytes / fetched);
  double work = (conv.transposed ? plan.meanSteps / plan.split : ceilDiv(plan.steps, plan.split)) * step;
  double once = begin + double(plan.bm) * plan.bn * 8 / fetched;
  if (conv.groups > 1) {
    // With few channels for each pixel that is read and written, memory is the limit. A group's pixels come once.
    constexpr double fromMemory = 13; // bytes a cycle and multiprocessor
    const int64_t tilesOfGroup = plan.filters / conv.groups;
    const double pixels =
        double(plan.bm) * plan.bk * ceilDiv(plan.steps, conv.taps() * plan.split) * bytesOf(conv) / tilesOfGroup;
    work = std::max(work, (pixels + double(plan.bm) * plan.bn * 8) / fromMemory);
  }
  int64_t resident = residentBlocks(conv, plan, fewestStages(conv, plan), chip), count = plan.tiles() * plan.split;
  int64_t wave = resident * chip.multiprocessors, rest = count % wave;
  double cycles = double(count / wave) * (resident * work + once);
  if (rest)
    cycles += ceilDiv(rest, chip.multiprocessors) * work + once;
  const Sizes &out = conv.wholeOut();
  double results = double(conv.images) * out[0] * out[1] * out[2] * conv.groups * conv.outChannels;
  return plan.split == 1 ? cycles : cycles + launch + results * 4 * 2 * plan.split / (fetched * chip.multiprocessors);
}

/// Completes `tile`, `consumers` and `split_k` together.
static LogicalResult completeTile(DispatchOp dispatch, const Conv &conv, ScheduleParams &params, const Chip &chip) {
  MLIRContext *context = dispatch.getContext();
  bool openTile = !params.has(key::tile), openSplit = !params.has(key::splitK);
  auto consumersOf = [](int64_t pixels) -> int64_t { return pixels % 128 == 0 ? 2 : pixels % 192 == 0 ? 3 : 1; };
  const int64_t slab = slabOf(conv);
  int64_t widest = roundUp(conv.outChannels, 64);
  SmallVector<int64_t> widths = {128, 64, 256, 32, 16};
  if (conv.groups > 1)
    widths.append({192, 160, 96, 80, 48, 24, 8});
  ScheduleParams probe = params, chosen;
  double least = std::numeric_limits<double>::infinity();
  for (int64_t bm : {128, 64, 192, 256})
    for (int64_t bn : widths)
      for (int64_t split : {1, 2, 3, 4, 6, 8, 12, 16}) {
        // Phases are short; those of few filters are the last layers of decoders.
        if (openTile && (bn > widest || bm * bn > 128 * 256 || (bn < 64 && !conv.transposed && conv.groups == 1)))
          continue;
        // Two slabs to a step save barriers, where tiles are small.
        bool two = conv.channels > slab && bm + bn <= 128;
        if (openTile)
          probe.set(context, key::tile, {bm, bn, two ? 2 * slab : slab});
        if (!params.has(key::consumers))
          probe.set(context, key::consumers, consumersOf((*probe.getInts(key::tile))[0]));
        if (openSplit)
          probe.set(context, key::splitK, split);
        Plan plan(conv, schedule::ConvImplicit::read(probe, /*isOpen=*/true));
        if (openSplit && (split > 1 && ((plan.split - 1) * ceilDiv(plan.steps, plan.split) >= plan.steps ||
                                        plan.steps / plan.split < 4)))
          continue;
        if (double cost = costOf(conv, plan, chip); cost < least) {
          least = cost;
          chosen = probe;
        }
      }
  params = chosen;
  Plan plan(conv, schedule::ConvImplicit::read(params, /*isOpen=*/true));
  if (plan.bm % (64 * plan.consumers))
    return dispatch.emitError("a tile of ")
           << plan.consumers << " consumers has a multiple of " << 64 * plan.consumers << " pixels, found " << plan.bm;
  if (plan.bk % slabOf(conv))
    return dispatch.emitError("a step takes whole slabs of ")
           << slabOf(conv) << " channels of " << conv.elementType << ", found " << plan.bk;
  if ((plan.split - 1) * ceilDiv(plan.steps, plan.split) >= plan.steps)
    return dispatch.emitError("split_k = ")
           << plan.split << " leaves a slice empty: the taps and channels make " << plan.steps << " steps";
  return success();
}

/// Completes `min_blocks` and `stages`: what has to fit the chip.
static LogicalResult completeResources(DispatchOp dispatch, const Conv &conv, ScheduleParams &params,
                                       const Chip &chip) {
  MLIRContext *context = dispatch.getContext();
  Plan plan(conv, schedule::ConvImplicit::read(params, /*isOpen=*/true));
  int64_t wanted = params.getInt(key::stages).value_or(fewestStages(conv, plan));
  int64_t blocks = params.intOr(context, key::minBlocks, residentBlocks(conv, plan, wanted, chip));
  int64_t registers = registersFor(blocks, plan, chip), bytes = bytesFor(blocks, chip);
  if (plan.accumulators() + kOtherRegisters > registers)
    return dispatch.emitError("the tile needs ")
           << plan.accumulators() << " accumulators and about " << kOtherRegisters
           << " other registers in a thread, min_blocks = " << blocks << " leaves " << registers;
  int64_t fits = bytes / (plan.stageBytes(conv) + kBarrierBytes);
  int64_t stages = params.intOr(
      context, key::stages, std::clamp<int64_t>(fits, 2, isShort(conv, plan) ? std::max<int64_t>(plan.steps, 2) : 8));
  if (plan.sharedBytes(conv, stages) > bytes)
    return dispatch.emitError("the tiles of ")
           << stages << " stages take " << plan.sharedBytes(conv, stages) << " bytes of shared memory, " << bytes
           << " are left to a block with min_blocks = " << blocks;
  return success();
}

LogicalResult completeConvImplicit(DispatchOp dispatch, const Conv &conv, ScheduleParams &params, const Chip &chip) {
  MLIRContext *context = dispatch.getContext();
  params.wordOr(context, key::mma, schedule::Mma::Wgmma);
  params.wordOr(context, key::pipeline, schedule::Pipeline::Tma);
  if (failed(checkShape(dispatch, conv, chip)) ||
      failed(completeOperandType(dispatch, conv, params, "pipeline = tma")) ||
      failed(completeTile(dispatch, conv, params, chip)) || failed(completeResources(dispatch, conv, params, chip)))
    return failure();
  params.intOr(context, key::mmaInflight, 1);
  return success();
}

//===----------------------------------------------------------------------===//
// Emission
//===----------------------------------------------------------------------===//

static std::string printConstants(StringRef name, const Conv &conv, const schedule::ConvImplicit &schedule,
                                  const Plan &plan) {
  std::string text;
  llvm::raw_string_ostream os(text);
  auto line = [&](const char *format, auto... values) { os << llvm::formatv(format, values...) << "\n"; };
  auto three = [&](const char *format, const Sizes &sizes) { line(format, sizes[0], sizes[1], sizes[2]); };
  os << "namespace " << name << " {\n";
  line("// The problem: images of C channels, filters of KD x KH x KW taps, outputs of OD x OH x OW.");
  line("using In = {0}; // element type of the products", getStorageType(conv.elementType));
  line("using Out = {0}; // element type of the result", getStorageType(conv.resultType));
  line("using Stored = {0}; // what the main kernel writes",
       plan.split > 1 ? "float" : getStorageType(conv.resultType).str());
  line("constexpr int IMAGES = {0}, C = {1}, OC = {2};", conv.images, conv.channels, conv.groups * conv.outChannels);
  if (conv.groups > 1) {
    line("// A group has C channels, and GROUP_OC of the OC filters.");
    line("constexpr int GROUPS = {0}, GROUP_OC = {1};", conv.groups, conv.outChannels);
    line("constexpr int PITCH = {0}; // elements from the channels of one group, or tap, to those of the next",
         pitchOf(conv));
  }
  three("constexpr int OD = {0}, OH = {1}, OW = {2};", conv.wholeOut());
  three("constexpr int KD = {0}, KH = {1}, KW = {2};", conv.wholeKernel());
  const std::optional<Transposed> &real = conv.transposed;
  three("constexpr int STRIDE_D = {0}, STRIDE_H = {1}, STRIDE_W = {2};", real ? real->stride : conv.stride);
  three("constexpr int PAD_D = {0}, PAD_H = {1}, PAD_W = {2};", real ? real->padding : conv.padding);
  three("constexpr int DILATION_D = {0}, DILATION_H = {1}, DILATION_W = {2};", real ? real->dilation : conv.dilation);
  if (real) {
    line("// Of one phase of the stride: taps at most, from one of its taps to the next, and between the inputs of "
         "these.");
    line("constexpr int MOST_TAPS = {0};", conv.taps());
    three("constexpr int APART_D = {0}, APART_H = {1}, APART_W = {2};", real->apart);
    three("constexpr int NEARER_D = {0}, NEARER_H = {1}, NEARER_W = {2};", conv.dilation);
  }
  if (!conv.lastInput || isUneven(conv))
    line("constexpr int PLANE = {0}; // input pixels of an image", conv.in[0] * conv.in[1] * conv.in[2]);
  line("constexpr bool CHANNELS_LAST = {0}; // the result; else [image][channel][pixel]",
       conv.lastResult ? "true" : "false");
  line(real ? "// Output pixels as tiles see them: those of one phase."
            : "// Output pixels as tiles see them: without taps, strides and padding, all of them are one row.");
  line("constexpr int SPAN_I = {0}, SPAN_D = {1}, SPAN_H = {2}, SPAN_W = {3};", plan.span[0], plan.span[1],
       plan.span[2], plan.span[3]);
  line("// The schedule.");
  line("constexpr int BOX_I = {0}, BOX_D = {1}, BOX_H = {2}, BOX_W = {3}; // output pixels of a tile", plan.box[0],
       plan.box[1], plan.box[2], plan.box[3]);
  line("constexpr int BM = {0}, BN = {1}, BK = {2}; // block tile: pixels at most, filters, channels of a step",
       plan.bm, plan.bn, plan.bk);
  line("constexpr int CONSUMERS = {0}; // warpgroups that multiply", plan.consumers);
  line("constexpr int STAGES = {0};", plan.stages);
  line("constexpr int INFLIGHT = {0}; // stages whose products run while the next one is waited for",
       schedule.mmaInflight);
  line("constexpr int SPLIT_K = {0}; // slices of the steps, whose sums another kernel adds", plan.split);
  line("constexpr int MIN_BLOCKS = {0}; // resident blocks per multiprocessor", schedule.minBlocks);
  line("constexpr int SHARED_BYTES = {0}; // dynamic shared memory of the launch", plan.sharedBytes(conv, plan.stages));
  os << "} // namespace " << name << "\n";
  return text;
}

/// The element type of maps: copies round f32 operands to tf32, where tensor cores alone would cut.
static Type copiedType(const Conv &conv) {
  return conv.elementType.isF32() ? Type(FloatTF32Type::get(conv.elementType.getContext())) : conv.elementType;
}

/// The maps of the channels-last image in IMAGE, residue by residue.
static SmallVector<TensorMap, 0> imageMaps(const Conv &conv, const schedule::ConvImplicit &schedule, const Plan &plan,
                                           DispatchBuffer image) {
  const int64_t element = conv.elementType.getIntOrFloatBitWidth() / 8, group = pitchOf(conv) * element;
  const int64_t pixel = conv.groups * group;
  Sizes in = conv.in, stride = conv.stride;
  int64_t images = conv.images;
  if (plan.span[0] == 1 && plan.span != Box{conv.images, conv.out[0], conv.out[1], conv.out[2]}) {
    in = {1, 1, plan.span[3]};
    images = 1;
  }
  SmallVector<TensorMap, 0> maps;
  for (int64_t d : residuesOf(conv, 0))
    for (int64_t h : residuesOf(conv, 1))
      for (int64_t w : residuesOf(conv, 2)) {
        TensorMap map{image, copiedType(conv), {conv.channels, ceilDiv(in[2] - w, stride[2])}, {}, {}};
        map.dims.push_back(ceilDiv(in[1] - h, stride[1]));
        map.strides = {stride[2] * pixel, stride[1] * in[2] * pixel};
        map.box = {slabOf(conv), plan.box[3], plan.box[2]};
        if (conv.groups > 1) {
          // What is missing to a slab is zeros, not the next group.
          map.dims.insert(map.dims.begin() + 1, conv.groups);
          map.strides.insert(map.strides.begin(), group);
          map.box.insert(map.box.begin() + 1, 1);
        }
        if (conv.rank == 3) {
          map.dims.push_back(ceilDiv(in[0] - d, stride[0]));
          map.strides.push_back(stride[0] * in[1] * in[2] * pixel);
          map.box.push_back(plan.box[1]);
        }
        map.dims.push_back(images);
        map.strides.push_back(in[0] * in[1] * in[2] * pixel);
        map.box.push_back(plan.box[0]);
        map.offset = ((d * in[1] + h) * in[2] + w) * pixel;
        map.swizzle = 128;
        map.l2 = schedule.l2Promotion.value_or(256);
        maps.push_back(map);
      }
  return maps;
}

FailureOr<DispatchCode> emitConvImplicit(DispatchOp dispatch, const Conv &conv,
                                         const schedule::ConvImplicit &schedule) {
  Plan plan(conv, schedule);
  std::string name = dispatch.getName().str();
  FailureOr<ConvTail> made = makeConvTail(conv, name, /*addBias=*/true);
  if (failed(made))
    return failure();
  const Epilogue &tail = made->tail;
  std::string parameters = tail.parameters(), arguments = tail.arguments();
  const bool split = plan.split > 1, isFp32 = conv.elementType.isF32();

  DispatchCode code;
  MLIRContext *context = dispatch.getContext();
  auto workspace = [&](ArrayRef<int64_t> shape, Type type) {
    code.workspaces.push_back(RankedTensorType::get(shape, type));
    return DispatchBuffer::workspace(code.workspaces.size() - 1);
  };
  TemplateFill fill;
  fill.name = name;

  // Operands that are not channels-last yet. Those of a single element along the others are.
  DispatchBuffer image = conv.input, weights = conv.weight;
  const int64_t plane = conv.in[0] * conv.in[1] * conv.in[2];
  const int64_t channels = conv.groups * conv.channels;
  const bool isFirst = !conv.lastInput && plane > 1;
  if (isFirst || isUneven(conv)) {
    image = workspace({conv.images * plane * conv.groups * pitchOf(conv)}, conv.elementType);
    fill.sections.insert("image");
    if (!isFirst)
      fill.sections.insert("image_rows");
    int64_t blocks = isFirst ? conv.images * ceilDiv(plane, 32) * ceilDiv(channels, 32)
                             : ceilDiv(conv.images * plane * channels, 256);
    code.launches.push_back({name + "_image", {blocks, 1, 1}, {256, 1, 1}, 0, {conv.input}, {image}});
  }
  if (conv.groups > 1)
    fill.sections.insert("groups");
  if (conv.transposed)
    fill.sections.insert("transposed");
  const int64_t filters = conv.groups * conv.outChannels;
  if ((!conv.lastWeight && (conv.transposed || conv.taps() > 1)) || isUneven(conv)) {
    int64_t count = filters * allTaps(conv) * conv.channels;
    weights = workspace({filters * allTaps(conv) * pitchOf(conv)}, conv.elementType);
    fill.sections.insert("weights");
    if (isUneven(conv) && (conv.lastWeight || conv.taps() == 1))
      fill.sections.insert("weight_rows");
    code.launches.push_back({name + "_weights", {ceilDiv(count, 256), 1, 1}, {256, 1, 1}, 0, {conv.weight}, {weights}});
  }
  SmallVector<TensorMap, 0> maps = imageMaps(conv, schedule, plan, image);
  fill.replacements["constants"] = tail.functions + printConstants(name, conv, schedule, plan);
  fill.replacements["epilogue"] = "// One output.\n__device__ __forceinline__ float epilogue(float value, int image, "
                                  "int channel, int z, int y, int "
                                  "x" +
                                  parameters + ") {\n  return " + made->epilogue + ";\n}";
  fill.replacements["mma"] =
      "__device__ __forceinline__ void mma(float (&c)[BN / 2], uint64_t a, uint64_t b, bool accumulate) {\n"
      "  kgen::wgmma_" +
      std::string(isFp32                      ? "tf32"
                  : conv.elementType.isBF16() ? "bf16"
                                              : "f16") +
      "<BN>(c, a, b, accumulate);\n}";
  std::string map = "        const kgen::tensor_map *map = ";
  for (size_t i = 0; i + 1 < maps.size(); ++i)
    map += "number == " + std::to_string(i) + " ? &map_" + std::to_string(i) + " : ";
  fill.replacements["map"] = map + "&map_" + std::to_string(maps.size() - 1) + ";";
  if (conv.rank == 3)
    fill.replacements["load"] =
        "          kgen::tma_load_5d(a + s * BM * 128, map, &full[stage], c0 + s * SLAB, x, y, z, tile.i);";
  if (conv.groups > 1)
    fill.replacements["load"] = "          kgen::tma_load_5d(a + s * BM * 128, map, &full[stage], c0 + s * SLAB, "
                                "tile.n / GROUP_OC, x, y, tile.i);";
  std::string finishing = split ? "" : arguments;
  const std::string count = conv.groups > 1 ? "GROUP_OC" : "OC", end = conv.groups > 1 ? "end" : "OC";
  fill.replacements["finish"] = "          if (" + count + " % BN == 0 || channel < " + end +
                                ")\n"
                                "            pair.first = finish(sum[0], pixel, channel" +
                                finishing +
                                ");\n"
                                "          if (" +
                                count + " % BN == 0 || channel + 1 < " + end +
                                ")\n"
                                "            pair.second = finish(sum[1], pixel, channel + 1" +
                                finishing + ");";
  std::string kernel = "extern \"C\" __global__ void __launch_bounds__(" + name + "::THREADS, " + name +
                       "::MIN_BLOCKS)\n    " + name + "_main(const " + name + "::In *__restrict__ image, const " +
                       name + "::In *__restrict__ weights" + (split ? "" : parameters) + ",\n         " + name +
                       "::Stored *__restrict__ output, const __grid_constant__ kgen::tensor_map map_w";
  for (size_t i = 0; i < maps.size(); ++i)
    kernel += ",\n         const __grid_constant__ kgen::tensor_map map_" + std::to_string(i);
  fill.replacements["kernel"] = kernel + ") {";
  if (split) {
    fill.sections.insert("split_k");
    fill.replacements["reduce"] = "extern \"C\" __global__ void __launch_bounds__(256)\n    " + name +
                                  "_reduce(const float *__restrict__ partial" + parameters + ", " + name +
                                  "::Out *__restrict__ output) {";
    fill.replacements["reduce_call"] =
        "    results.value[i] = static_cast<Out>(epilogue(sums.value[i], image, channel, z, y, x" + arguments + "));";
  }
  code.source = fillTemplate(findCudaTemplate("conv_implicit.cuh"), fill);

  const Sizes &out = conv.wholeOut();
  const int64_t pixels = out[0] * out[1] * out[2];
  const int64_t results = conv.images * pixels * filters;
  DispatchBuffer stored = DispatchBuffer::result(0);
  if (split)
    stored = workspace({plan.split, results}, Float32Type::get(context));
  SmallVector<DispatchBuffer> extra;
  for (const EpilogueOperand &operand : tail.operands)
    extra.push_back(operand.buffer);
  LaunchSpec main{name + "_main",         {plan.tiles() * plan.split, 1, 1},
                  {plan.threads(), 1, 1}, plan.sharedBytes(conv, plan.stages),
                  {image, weights},       {stored}};
  if (!split)
    main.reads.append(extra);
  const int64_t element = conv.elementType.getIntOrFloatBitWidth() / 8;
  TensorMap filterMap{weights,
                      copiedType(conv),
                      {conv.channels, allTaps(conv), filters},
                      {pitchOf(conv) * element, allTaps(conv) * pitchOf(conv) * element},
                      {slabOf(conv), 1, plan.bn}};
  filterMap.swizzle = 128;
  filterMap.l2 = schedule.l2Promotion.value_or(256);
  main.maps.push_back(filterMap);
  main.maps.append(maps);
  main.sizedBy = "conv_implicit.cuh";
  code.launches.push_back(main);
  if (split) {
    int64_t each = (conv.lastResult ? filters : pixels) % 4 == 0 ? 4 : 1;
    LaunchSpec reduce{name + "_reduce", {ceilDiv(results, each * 256), 1, 1}, {256, 1, 1}, 0,
                      {stored},         {DispatchBuffer::result(0)}};
    reduce.reads.append(extra);
    code.launches.push_back(reduce);
  }
  return code;
}

} // namespace kgen::kernels
