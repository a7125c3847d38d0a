//===- ConvDepthwise.cpp - A filter for each channel, channels last -------===//
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
constexpr int64_t kStaticBytes = 48 * 1024; // of shared memory without asking
constexpr int64_t kMostLanes = 8;           // threads along channels: a line of memory for one access
constexpr int64_t kOtherRegisters = 32;     // beside sums and a row of pixels

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
  if (plan.filterBytes > kStaticBytes)
    return dispatch.emitError("the filters of ") << plan.lanes * vec << " channels take " << plan.filterBytes
                                                 << " bytes of shared memory, the limit is " << kStaticBytes;
  return success();
}

FailureOr<DispatchCode> emitConvDepthwise(DispatchOp dispatch, const Conv &conv,
                                          const schedule::ConvDepthwise &schedule) {
  Plan plan(conv, schedule);
  std::string name = dispatch.getName().str();
  FailureOr<ConvTail> made = makeConvTail(conv, name, /*addBias=*/true);
  if (failed(made))
    return failure();
  const Epilogue &tail = made->tail;

  std::string text;
  llvm::raw_string_ostream os(text);
  auto line = [&](const char *format, auto... values) { os << llvm::formatv(format, values...) << "\n"; };
  os << tail.functions << "namespace " << name << " {\n";
  line("// The problem: images of H x W x C, filters of KH x KW, outputs of OH x OW x C.");
  line("using In = {0}; // element type of the input and the weights", getStorageType(conv.elementType));
  line("using Out = {0}; // element type of the result", getStorageType(conv.resultType));
  line("constexpr int IMAGES = {0}, C = {1}, H = {2}, W = {3};", conv.images, conv.groups, conv.in[1], conv.in[2]);
  line("constexpr int OH = {0}, OW = {1}, KH = {2}, KW = {3};", conv.out[1], conv.out[2], conv.kernel[1],
       conv.kernel[2]);
  line("constexpr int STRIDE_H = {0}, STRIDE_W = {1}, PAD_H = {2}, PAD_W = {3}, DILATION_H = {4}, DILATION_W = {5};",
       conv.stride[1], conv.stride[2], conv.padding[1], conv.padding[2], conv.dilation[1], conv.dilation[2]);
  line("// The schedule.");
  line("constexpr int VEC = {0}; // channels of a thread", plan.vec);
  line("constexpr int TY = {0}, TX = {1}; // outputs of a thread", plan.rows, plan.columns);
  line("constexpr int THREADS = {0};", plan.threads);
  line("constexpr int LANES = {0}; // threads along channels", plan.lanes);
  line("constexpr int MIN_BLOCKS = {0}; // resident blocks per multiprocessor", schedule.minBlocks);
  os << "} // namespace " << name << "\n";

  TemplateFill fill;
  fill.name = name;
  fill.replacements["constants"] = text;
  fill.replacements["epilogue"] = "// One output.\n__device__ __forceinline__ float epilogue(float value, int image, "
                                  "int channel, int z, int y, int x" +
                                  tail.parameters() + ") {\n  return " + made->epilogue + ";\n}";
  fill.replacements["finish"] =
      "        const float value = epilogue(sum[ty][tx][v], image, channel + v, 0, y, x" + tail.arguments() + ");";
  fill.replacements["kernel"] = "extern \"C\" __global__ void __launch_bounds__(" + name + "::THREADS, " + name +
                                "::MIN_BLOCKS)\n    " + name + "_main(const " + name +
                                "::In *__restrict__ input, const " + name + "::In *__restrict__ weights" +
                                tail.parameters() + ",\n         " + name + "::Out *__restrict__ output) {";
  DispatchCode code;
  code.source = fillTemplate(findCudaTemplate("conv_depthwise.cuh"), fill);
  LaunchSpec main{name + "_main",
                  {plan.blocks, 1, 1},
                  {plan.threads, 1, 1},
                  0,
                  {conv.input, conv.weight},
                  {DispatchBuffer::result(0)}};
  for (const EpilogueOperand &operand : tail.operands)
    main.reads.push_back(operand.buffer);
  main.sizedBy = "conv_depthwise.cuh";
  code.launches.push_back(main);
  return code;
}

} // namespace kgen::kernels
