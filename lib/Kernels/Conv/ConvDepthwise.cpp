//===- ConvDepthwise.cpp - A filter for each channel ----------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ConvDepthwise.h"

#include "kgen/Kernels/Emit/ScalarEmitter.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace kgen::kernels {
using schedule::Mma;

namespace {

constexpr int64_t kPackBytes = 16;
constexpr int64_t kMostLanes = 8;       // threads along channels: a line of memory for one access
constexpr int64_t kOtherRegisters = 32; // beside sums and a row of pixels
constexpr int64_t kWarp = 32;
constexpr int64_t kMostTaps = 64;                 // of a filter in registers
constexpr int64_t kMostPixels = int64_t(1) << 31; // of a plane, counted in int
constexpr StringLiteral planesTemplate = "conv_planes.cuh";

/// What the template derives from its constants.
struct Plan {
  int64_t vec, rows, columns, threads, lanes, runs, tiles, blocks, filterBytes;

  Plan(const Conv &conv, const schedule::ConvDepthwise &schedule)
      : vec(schedule.vec), rows(schedule.threadTile[0]), columns(schedule.threadTile[1]), threads(schedule.block),
        lanes(1) {
    while (lanes < kMostLanes && lanes * vec < conv.groups)
      lanes *= 2;
    runs = threads / lanes;
    tiles = ceilDiv(conv.groups, lanes * vec);
    blocks = ceilDiv(conv.images * ceilDiv(conv.out[1], rows) * ceilDiv(conv.out[2], columns), runs) * tiles;
    filterBytes = conv.taps() * (lanes * vec + 4) * 4;
  }
};

/// What conv_planes.cuh derives from its constants.
struct PlanesPlan {
  int64_t rows, columns, lanes, allRuns, blocks;

  PlanesPlan(const Conv &conv, ArrayRef<int64_t> tile, int64_t threads)
      : rows(tile[0]), columns(tile[1]), lanes(kWarp) {
    while (lanes > 1 && lanes / 2 >= conv.out[2])
      lanes /= 2;
    allRuns = conv.images * conv.groups * ceilDiv(conv.out[1], rows) * ceilDiv(conv.out[2], lanes * columns);
    blocks = ceilDiv(allRuns, threads / lanes);
  }
};

/// Columns of the input that COLUMNS neighbouring outputs need.
int64_t spanOf(const Conv &conv, int64_t columns) {
  return (columns - 1) * conv.stride[2] + (conv.kernel[2] - 1) * conv.dilation[2] + 1;
}

/// Registers of a thread for its sums and a row of pixels.
int64_t registersOf(const Conv &conv, int64_t vec, int64_t rows, int64_t columns) {
  return rows * columns * vec + ceilDiv(spanOf(conv, columns) * vec * conv.elementType.getIntOrFloatBitWidth(), 32);
}

} // namespace

bool isDepthwise(const Conv &conv) {
  return !conv.transposed && conv.groups > 1 && conv.channels == 1 && conv.outChannels == 1 && conv.rank <= 2 &&
         conv.pooling.kind == Pooling::Kind::None;
}

LogicalResult completeConvDepthwise(DispatchOp dispatch, const Conv &conv, ScheduleParams &params, const Chip &chip) {
  MLIRContext *context = dispatch.getContext();
  constexpr int64_t mostRegisters = 200;
  if (params.wordOr(context, key::mma, Mma::None) != Mma::None)
    return dispatch.emitError("a convolution with a filter for each channel has no products for tensor cores, found "
                              "mma = ")
           << wordOf(*params.getWord(key::mma));
  int64_t bytes = std::max(conv.elementType.getIntOrFloatBitWidth(), conv.resultType.getIntOrFloatBitWidth()) / 8;
  int64_t vec = 4;
  while (conv.groups % vec || registersOf(conv, vec, 1, 1) > mostRegisters)
    if (vec > 1)
      vec /= 2;
    else
      break;
  vec = params.intOr(context, key::vec, vec);
  if (conv.groups % vec)
    return dispatch.emitError("vec = ") << vec << " does not divide the " << conv.groups << " channels";
  if (vec * bytes > kPackBytes)
    return dispatch.emitError("vec = ") << vec << " of " << bytes << "-byte elements is " << vec * bytes
                                        << " bytes, an access has at most " << kPackBytes;
  // Wide enough to share pixels, as long as the chip has eight warps on each multiprocessor.
  int64_t columns = std::min<int64_t>(conv.out[2], 8);
  auto threadsWith = [&](int64_t columns) {
    return conv.images * conv.out[1] * ceilDiv(conv.out[2], columns) * (conv.groups / vec);
  };
  while (columns > 1 && (registersOf(conv, vec, 1, columns) > 96 ||
                         (columns > 2 && threadsWith(columns) < chip.multiprocessors * 8 * 32)))
    --columns;
  columns = ceilDiv(conv.out[2], ceilDiv(conv.out[2], columns)); // all about equal
  SmallVector<int64_t> tile = params.intsOr(context, key::threadTile, {1, columns});
  int64_t registers = registersOf(conv, vec, tile[0], tile[1]);
  if (registers > mostRegisters)
    return dispatch.emitError("a thread tile of ")
           << tile[0] << " x " << tile[1] << " outputs of " << vec << " channels takes " << registers
           << " registers for sums and a row of pixels, the limit is " << mostRegisters;
  int64_t threads = params.intOr(context, key::block, 128);
  int64_t fits = chip.registersPerMultiprocessor / ((registers + kOtherRegisters) * threads);
  params.intOr(context, key::minBlocks, std::clamp<int64_t>(fits, 1, std::min<int64_t>(2048 / threads, 8)));
  Plan plan(conv, schedule::ConvDepthwise::read(params));
  if (plan.filterBytes > Chip::staticSharedBytes)
    return dispatch.emitError("the filters of ") << plan.lanes * vec << " channels take " << plan.filterBytes
                                                 << " bytes of shared memory, the limit is " << Chip::staticSharedBytes;
  return success();
}

namespace {

/// What both templates have in common, around LAYOUT, a sentence of the problem, and SCHEDULE, the constants of one.
FailureOr<DispatchCode> emitFilterPerChannel(DispatchOp dispatch, const Conv &conv, StringRef file, StringRef layout,
                                             StringRef schedule, StringRef sum, StringRef channel, int64_t blocks,
                                             int64_t threads) {
  std::string name = dispatch.getName().str();
  FailureOr<ConvTail> made = makeConvTail(conv, name, /*addBias=*/true);
  if (failed(made))
    return failure();
  const Epilogue &tail = made->tail;

  std::string text;
  llvm::raw_string_ostream os(text);
  auto line = [&](const char *format, auto... values) { os << llvm::formatv(format, values...) << "\n"; };
  os << tail.functions << "namespace " << name << " {\n";
  line("// The problem: {0}.", layout);
  line("using In = {0}; // element type of the input and the weights", getStorageType(conv.elementType));
  line("using Out = {0}; // element type of the result", getStorageType(conv.resultType));
  line("constexpr int IMAGES = {0}, C = {1}, H = {2}, W = {3};", conv.images, conv.groups, conv.in[1], conv.in[2]);
  line("constexpr int OH = {0}, OW = {1}, KH = {2}, KW = {3};", conv.out[1], conv.out[2], conv.kernel[1],
       conv.kernel[2]);
  line("constexpr int STRIDE_H = {0}, STRIDE_W = {1}, PAD_H = {2}, PAD_W = {3}, DILATION_H = {4}, DILATION_W = {5};",
       conv.stride[1], conv.stride[2], conv.padding[1], conv.padding[2], conv.dilation[1], conv.dilation[2]);
  line("// The schedule.");
  os << schedule << "} // namespace " << name << "\n";

  TemplateFill fill;
  fill.name = name;
  fill.replacements["constants"] = text;
  fill.replacements["epilogue"] = "// One output.\n__device__ __forceinline__ float epilogue(float value, int image, "
                                  "int channel, int z, int y, int x" +
                                  tail.parameters() + ") {\n  return " + made->epilogue + ";\n}";
  fill.replacements["finish"] =
      llvm::formatv("{0}const float value = epilogue({1}, image, {2}, 0, y, x{3});",
                    file == planesTemplate ? "      " : "        ", sum, channel, tail.arguments());
  fill.replacements["kernel"] = "extern \"C\" __global__ void __launch_bounds__(" + name + "::THREADS, " + name +
                                "::MIN_BLOCKS)\n    " + name + "_main(const " + name +
                                "::In *__restrict__ input, const " + name + "::In *__restrict__ weights" +
                                tail.parameters() + ",\n         " + name + "::Out *__restrict__ output) {";
  DispatchCode code;
  code.source = fillTemplate(findCudaTemplate(file), fill);
  LaunchSpec main{
      name + "_main", {blocks, 1, 1}, {threads, 1, 1}, 0, {conv.input, conv.weight}, {DispatchBuffer::result(0)}};
  for (const EpilogueOperand &operand : tail.operands)
    main.reads.push_back(operand.buffer);
  main.sizedBy = file.str();
  code.launches.push_back(main);
  return code;
}

} // namespace

FailureOr<DispatchCode> emitConvDepthwise(DispatchOp dispatch, const Conv &conv,
                                          const schedule::ConvDepthwise &schedule) {
  Plan plan(conv, schedule);
  std::string constants =
      llvm::formatv("constexpr int VEC = {0}; // channels of a thread\n"
                    "constexpr int TY = {1}, TX = {2}; // outputs of a thread\n"
                    "constexpr int THREADS = {3};\n"
                    "constexpr int LANES = {4}; // threads along channels\n"
                    "constexpr int MIN_BLOCKS = {5}; // resident blocks per multiprocessor\n",
                    plan.vec, plan.rows, plan.columns, plan.threads, plan.lanes, schedule.minBlocks);
  return emitFilterPerChannel(dispatch, conv, "conv_depthwise.cuh",
                              "images of H x W x C, filters of KH x KW, outputs of OH x OW x C", constants,
                              "sum[ty][tx][v]", "channel + v", plan.blocks, plan.threads);
}

bool isDepthwisePlanes(const Conv &conv) {
  auto sizeOf = [](const Sizes &sizes) { return sizes[0] * sizes[1] * sizes[2]; };
  return isDepthwise(conv) && !conv.lastInput && !conv.lastWeight && !conv.lastResult && conv.taps() <= kMostTaps &&
         std::max(sizeOf(conv.in), sizeOf(conv.out)) < kMostPixels;
}

LogicalResult completeConvPlanes(DispatchOp dispatch, const Conv &conv, ScheduleParams &params, const Chip &chip) {
  MLIRContext *context = dispatch.getContext();
  params.wordOr(context, key::mma, Mma::None);
  if (int64_t vec = params.intOr(context, key::vec, 1); vec != 1)
    return dispatch.emitError("vec = ") << vec << " channels of a thread want the channels last";
  // Rows share what they read; many loads on their way hide memory's latency, as long as the chip has work.
  auto linesOf = [&](int64_t rows, int64_t columns) { return PlanesPlan(conv, {rows, columns}, kWarp).allRuns; };
  int64_t rows = std::min<int64_t>(conv.out[1], 8), columns = 4;
  while (columns > 1 && (linesOf(rows, columns) * columns * 10 > linesOf(rows, 1) * 11 || // lanes without an output
                         columns * conv.kernel[2] > 16 || linesOf(rows, columns) < chip.multiprocessors * 16))
    columns /= 2;
  while (rows > 1 && (rows * conv.taps() * columns > 1024 || linesOf(rows, columns) < chip.multiprocessors * 16))
    rows = ceilDiv(rows, 2);
  rows = ceilDiv(conv.out[1], ceilDiv(conv.out[1], rows)); // all about equal
  SmallVector<int64_t> tile = params.intsOr(context, key::threadTile, {rows, columns});
  constexpr int64_t mostProducts = 4096; // a thread's, each an instruction
  if (tile[0] * tile[1] * conv.taps() > mostProducts)
    return dispatch.emitError("a thread tile of ")
           << tile[0] << " x " << tile[1] << " outputs with " << conv.taps() << " taps is "
           << tile[0] * tile[1] * conv.taps() << " products, the limit is " << mostProducts;
  int64_t threads = params.intOr(context, key::block, 128);
  int64_t registers = tile[0] * tile[1] + conv.taps() + 2 * tile[1] * conv.kernel[2] + kOtherRegisters;
  int64_t fits = chip.registersPerMultiprocessor / (registers * threads);
  params.intOr(context, key::minBlocks, std::clamp<int64_t>(fits, 1, std::min<int64_t>(2048 / threads, 8)));
  return success();
}

FailureOr<DispatchCode> emitConvPlanes(DispatchOp dispatch, const Conv &conv, const schedule::ConvDepthwise &schedule) {
  PlanesPlan plan(conv, schedule.threadTile, schedule.block);
  std::string constants = llvm::formatv("constexpr int TY = {0}, TX = {1}; // outputs of a thread\n"
                                        "constexpr int THREADS = {2};\n"
                                        "constexpr int LANES = {3}; // threads along a row\n"
                                        "constexpr int MIN_BLOCKS = {4}; // resident blocks per multiprocessor\n",
                                        plan.rows, plan.columns, schedule.block, plan.lanes, schedule.minBlocks);
  return emitFilterPerChannel(dispatch, conv, planesTemplate,
                              "images of C planes of H x W, filters of KH x KW, outputs of C planes of OH x OW",
                              constants, "sum[ty][tx]", "channel", plan.blocks, schedule.block);
}

} // namespace kgen::kernels
