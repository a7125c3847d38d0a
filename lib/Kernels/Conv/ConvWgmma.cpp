//===- ConvWgmma.cpp - Convolutions on warpgroup products -----------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fills conv_wgmma.cuh in for one- and two-dimensional convolutions, with a maximum pooling whose windows share
// at most one row.
//
//===----------------------------------------------------------------------===//

#include "ConvWgmma.h"

#include "kgen/Dialect/Aten/Aten.h"
#include "kgen/Dialect/KGen/Precision.h"
#include "kgen/Kernels/Emit/ScalarEmitter.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace kgen::kernels {
using schedule::Dtype;

/// The widths n of a warpgroup product that the device header has.
static constexpr int64_t kWidths[] = {8, 16, 24, 32, 48, 64, 80, 96, 112, 128, 160, 192, 224, 256};
/// Outputs of one row that a product computes.
static constexpr int64_t kRow = 64;
/// Inputs that a producer's thread may hold in registers.
static constexpr int64_t kHeldInputs = 64;
/// Products for one row of outputs, which the kernel's text unrolls.
static constexpr int64_t kProducts = 192;
/// Registers of a thread that multiplies, besides its sums.
static constexpr int64_t kOtherRegisters = 56;

namespace {
/// What the template derives from its constants.
struct Plan {
  int64_t bn, nTiles, streams, producerWarps, slots, inflight;
  int64_t groups, steps; ///< of input rows that an output needs; products for each
  int64_t slotBytes, heldInputs, threads, sums, sharedBytes, weights, blocks;
  int64_t producerRegisters = 0, consumerRegisters; ///< of a thread; 0: the producers' are not split off
};
} // namespace

static bool isPooled(const Conv &conv) { return conv.pooling.kind != Pooling::Kind::None; }

/// Repeats the template's arithmetic; the template asserts that the shared memory agrees.
static Plan derive(const Conv &conv, const schedule::ConvWgmma &schedule, const Chip &chip) {
  Plan plan;
  const auto &chunk = schedule.chunk;
  const Pooling &pool = conv.pooling;
  plan.bn = schedule.tile[1];
  plan.nTiles = ceilDiv(conv.outChannels, plan.bn);
  plan.streams = schedule.consumers;
  plan.producerWarps = schedule.producerWarps;
  plan.slots = schedule.stages;
  plan.inflight = schedule.mmaInflight;

  int64_t strip = conv.out[2] + pool.padding[2] <= kRow ? conv.pooled[2] : (kRow - pool.window[2]) / pool.stride[2] + 1;
  int64_t strips = ceilDiv(conv.pooled[2], strip);
  int64_t stripColumns = std::min(kRow, (strip - 1) * pool.stride[2] + pool.window[2]);
  int64_t step = std::max(conv.stride[2], chunk[2]);
  int64_t planes = ceilDiv(conv.channels, chunk[0]) * (conv.stride[1] / chunk[1]) * (step / chunk[2]);
  int64_t rowChunks = ceilDiv(conv.kernel[2], step);
  int64_t columns = stripColumns + (rowChunks - 1) * (step / conv.stride[2]);
  plan.slotBytes = planes * columns * 16;
  plan.groups = ceilDiv(conv.kernel[1], conv.stride[1]);
  plan.steps = ceilDiv(planes * rowChunks, 2);
  plan.weights = plan.groups * plan.steps * plan.bn * 16;
  // By plane where that leaves at most a fifth of the turns idle.
  int64_t producers = 32 * plan.producerWarps, flat = ceilDiv(planes * columns * 2, producers);
  int64_t byPlane = planes * ceilDiv(columns * 2, producers);
  plan.heldInputs = (byPlane * 4 <= flat * 5 ? byPlane : flat) * 4;
  plan.threads = plan.streams * (128 + 32 * plan.producerWarps);
  plan.sums = plan.bn / 2 * (1 + plan.inflight + (isPooled(conv) ? 1 : 0));
  // Where an equal share is not enough, whole warpgroups of producers give registers away.
  plan.consumerRegisters = std::min<int64_t>(chip.registersPerMultiprocessor / plan.threads / 8 * 8, 248);
  int64_t loading = plan.threads - 128 * plan.streams, producer = roundUp(2 * plan.heldInputs + 48, 8);
  if (plan.sums + kOtherRegisters > plan.consumerRegisters && loading % 128 == 0 && producer < plan.consumerRegisters) {
    plan.producerRegisters = producer;
    int64_t left = chip.registersPerMultiprocessor / plan.threads / 8 * 8 * plan.threads - loading * producer;
    plan.consumerRegisters = std::min<int64_t>(left / (128 * plan.streams) / 8 * 8, 240);
  }
  int64_t scales = plan.weights * 2 + plan.streams * (plan.slots * plan.slotBytes + plan.bn * 68 * 4) +
                   (2 * plan.bn + plan.streams * (plan.slots + 2 * plan.producerWarps)) * 4;
  plan.sharedBytes = roundUp(scales, 8) + plan.streams * plan.slots * 16;
  int64_t units = conv.images * strips * conv.pooled[1];
  int64_t resident = schedule.blocks / plan.nTiles;
  plan.blocks = plan.nTiles * std::max<int64_t>(std::min(resident, ceilDiv(units, plan.streams)), 1);
  return plan;
}

/// Whether CHUNK = [channels, rows, columns] is one that the strides allow.
static bool fitsStrides(const Conv &conv, ArrayRef<int64_t> chunk) {
  return chunk[0] * chunk[1] * chunk[2] == 8 && conv.stride[1] % chunk[1] == 0 &&
         (conv.stride[2] % chunk[2] == 0 || chunk[2] % conv.stride[2] == 0);
}

static LogicalResult checkShape(DispatchOp dispatch, const Conv &conv, const Chip &chip) {
  const Pooling &pool = conv.pooling;
  if (!chip.isHopper())
    return dispatch.emitError("mma = wgmma needs sm_90a, found ") << chip.arch;
  if (conv.transposed)
    return dispatch.emitError("family conv has mma = wgmma for plain convolutions, found a transposed one");
  if (conv.rank > 2)
    return dispatch.emitError("family conv has mma = wgmma for one and two dimensions, found ") << conv.rank;
  if (conv.groups != 1)
    return dispatch.emitError("family conv has mma = wgmma without groups, found ") << conv.groups;
  for (int d = 1; d < 3; ++d)
    if (conv.kernel[d] > 1 && conv.dilation[d] != 1)
      return dispatch.emitError("family conv has mma = wgmma without dilation, found ") << conv.dilation[d];
  if (pool.kind == Pooling::Kind::Average)
    return dispatch.emitError("family conv fuses maximum pooling only with mma = wgmma");
  if (isPooled(conv) && (pool.window[1] < pool.stride[1] || pool.window[1] > pool.stride[1] + 1))
    return dispatch.emitError(
               "mma = wgmma pools windows that meet or share one row: of stride to stride + 1 rows, found ")
           << pool.window[1] << " rows and stride " << pool.stride[1];
  if (pool.window[2] > kRow / 2)
    return dispatch.emitError("mma = wgmma pools windows of at most 32 columns, found ") << pool.window[2];
  return success();
}

/// Completes `dtype`: f32 data becomes fp16, whose mantissa is tf32's; the scales make up for its range.
static LogicalResult completeType(DispatchOp dispatch, const Conv &conv, ScheduleParams &params) {
  Dtype own = dtypeOf(conv.elementType), expected = own == Dtype::Fp32 ? Dtype::Fp16 : own;
  Dtype dtype = params.wordOr(dispatch.getContext(), key::dtype, expected);
  if (dtype != expected)
    return dispatch.emitError("family conv multiplies ")
           << wordOf(own) << " as " << wordOf(expected) << " with mma = wgmma, found dtype = " << wordOf(dtype);
  Precision precision = precisionOf(dispatch->getParentOfType<ModuleOp>());
  if (own == Dtype::Fp32 && !admitsScaledHalf(precision, schedule::SplitPrecision::None))
    return dispatch.emitError("expected an operand type within precision class ")
           << stringifyPrecision(precision) << ", found dtype = " << wordOf(dtype);
  return success();
}

/// Completes `chunk`: the fewest products, then the smallest slots.
static LogicalResult completeChunk(DispatchOp dispatch, const Conv &conv, ScheduleParams &params, const Chip &chip) {
  MLIRContext *context = dispatch.getContext();
  if (std::optional<SmallVector<int64_t>> given = params.getInts(key::chunk)) {
    if (fitsStrides(conv, *given))
      return success();
    return dispatch.emitError("chunk = [channels, rows, columns] has 8 elements, rows divide the stride of ")
           << conv.stride[1] << ", and columns divide the stride of " << conv.stride[2] << " or are its multiple";
  }
  ScheduleParams probe = params;
  std::pair<int64_t, int64_t> least = {INT64_MAX, INT64_MAX};
  for (int64_t rows : {1, 2, 4, 8})
    for (int64_t columns : {1, 2, 4, 8}) {
      SmallVector<int64_t> chunk = {8 / (rows * columns), rows, columns};
      if (!fitsStrides(conv, chunk))
        continue;
      probe.set(context, key::chunk, chunk);
      Plan plan = derive(conv, schedule::ConvWgmma::read(probe, /*isOpen=*/true), chip);
      if (auto cost = std::make_pair(plan.groups * plan.steps, plan.slotBytes); cost < least) {
        least = cost;
        params.set(context, key::chunk, chunk);
      }
    }
  return success(); // [8, 1, 1] fits every stride
}

LogicalResult completeConvWgmma(DispatchOp dispatch, const Conv &conv, ScheduleParams &params, const Chip &chip) {
  MLIRContext *context = dispatch.getContext();
  if (failed(checkShape(dispatch, conv, chip)) || failed(completeType(dispatch, conv, params)))
    return failure();
  params.wordOr(context, key::im2col, schedule::Im2col::RawSmem);

  // What is open starts small; then it grows as far as it fits.
  bool openTile = !params.has(key::tile), openWarps = !params.has(key::producerWarps),
       openStages = !params.has(key::stages);
  params.intsOr(context, key::tile, {kRow, kWidths[0]});
  params.intOr(context, key::blocks, chip.multiprocessors);
  params.intOr(context, key::consumers, 2);
  params.intOr(context, key::mmaInflight, 0);
  params.intOr(context, key::producerWarps, 4);
  params.intOr(context, key::stages, 2);
  if (failed(completeChunk(dispatch, conv, params, chip)))
    return failure();
  int64_t groups = derive(conv, schedule::ConvWgmma::read(params, /*isOpen=*/true), chip).groups;
  if (openStages)
    params.set(context, key::stages, std::min<int64_t>(groups + 1, 8));
  auto fits = [&](const Plan &plan) {
    return plan.sharedBytes <= chip.sharedBytesPerBlock && plan.sums + kOtherRegisters <= plan.consumerRegisters;
  };
  if (openWarps)
    for (int64_t warps : {4, 2}) {
      params.set(context, key::producerWarps, warps);
      ScheduleParams probe = params;
      if (openTile)
        probe.set(context, key::tile, {kRow, *llvm::lower_bound(kWidths, std::min<int64_t>(conv.outChannels, 128))});
      Plan plan = derive(conv, schedule::ConvWgmma::read(probe, /*isOpen=*/true), chip);
      if (plan.sums + kOtherRegisters <= plan.consumerRegisters && plan.heldInputs <= kHeldInputs)
        break;
    }
  if (openTile) // the fewest blocks' worth of filters, then the least that fills up
    for (int64_t tiles = ceilDiv(conv.outChannels, 256); tiles <= ceilDiv(conv.outChannels, 8); ++tiles) {
      int64_t width = *llvm::lower_bound(kWidths, ceilDiv(conv.outChannels, tiles));
      params.set(context, key::tile, ArrayRef<int64_t>{kRow, width});
      if (fits(derive(conv, schedule::ConvWgmma::read(params, /*isOpen=*/true), chip)))
        break;
    }
  if (openStages)
    for (int64_t stages = *params.getInt(key::stages) + 1; stages <= 8; ++stages) {
      ScheduleParams probe = params;
      probe.set(context, key::stages, stages);
      if (!fits(derive(conv, schedule::ConvWgmma::read(probe, /*isOpen=*/true), chip)))
        break;
      params = probe;
    }

  Plan plan = derive(conv, schedule::ConvWgmma::read(params, /*isOpen=*/true), chip);
  if (plan.groups * plan.steps > kProducts)
    return dispatch.emitError("a row of outputs takes ")
           << plan.groups * plan.steps << " products, the limit with mma = wgmma is " << kProducts;
  if (plan.slots <= plan.groups)
    return dispatch.emitError("a row of outputs reads ")
           << plan.groups << " groups of input rows: at least one more stage is expected, found " << plan.slots;
  if (plan.inflight && isPooled(conv) && plan.groups == 1) // ptxas runs these products one after the other
    return dispatch.emitError("mma_inflight = 1 before a pooling expects rows of outputs that share input rows, found ")
           << conv.kernel[1] << " rows of the filter and a stride of " << conv.stride[1];
  if (plan.threads > chip.threadsPerBlock)
    return dispatch.emitError("consumers and producer_warps make ")
           << plan.threads << " threads, the limit is " << chip.threadsPerBlock;
  if (plan.heldInputs > kHeldInputs)
    return dispatch.emitError("a producer's thread holds ") << plan.heldInputs << " inputs of a group, the limit is "
                                                            << kHeldInputs << "; more producer_warps hold less";
  if (plan.sums + kOtherRegisters > plan.consumerRegisters)
    return dispatch.emitError("a thread needs ")
           << plan.sums << " registers for its sums and " << kOtherRegisters << " others, " << plan.threads
           << " threads leave it " << plan.consumerRegisters << "; a narrower tile or fewer consumers need less";
  if (plan.sharedBytes > chip.sharedBytesPerBlock)
    return dispatch.emitError("a block takes ")
           << plan.sharedBytes << " bytes of shared memory, " << chip.arch << " has " << chip.sharedBytesPerBlock
           << "; a narrower tile, fewer stages or consumers need less";
  return success();
}

//===----------------------------------------------------------------------===//
// Emission
//===----------------------------------------------------------------------===//

static std::string printConstants(StringRef name, const Conv &conv, const schedule::ConvWgmma &schedule,
                                  const Plan &plan) {
  std::string text;
  llvm::raw_string_ostream os(text);
  auto line = [&](const char *format, auto... values) { os << llvm::formatv(format, values...) << "\n"; };
  const Pooling &pool = conv.pooling;
  const auto &chunk = schedule.chunk;
  os << "namespace " << name << " {\n";
  line("// The problem: images of C x H x W, filters of KH x KW, outputs of OH x OW.");
  line("using In = {0}; // element type of the input and the weights", getStorageType(conv.elementType));
  line("using Compute = {0}; // element type of the operands", computeTypeOf(schedule.dtype));
  line("using Out = {0}; // element type of the result", getStorageType(conv.resultType));
  line("constexpr int IMAGES = {0}, C = {1}, H = {2}, W = {3};", conv.images, conv.channels, conv.in[1], conv.in[2]);
  line("constexpr int OC = {0}, OH = {1}, OW = {2}, KH = {3}, KW = {4};", conv.outChannels, conv.out[1], conv.out[2],
       conv.kernel[1], conv.kernel[2]);
  line("constexpr int STRIDE_H = {0}, STRIDE_W = {1}, PAD_H = {2}, PAD_W = {3};", conv.stride[1], conv.stride[2],
       conv.padding[1], conv.padding[2]);
  line("// Maximum pooling of the outputs; windows of 1 when there is none.");
  line("constexpr int PH = {0}, PW = {1}; // pooled outputs", conv.pooled[1], conv.pooled[2]);
  line("constexpr int POOL_H = {0}, POOL_W = {1}, POOL_STRIDE_H = {2}, POOL_STRIDE_W = {3}, POOL_PAD_H = {4}, "
       "POOL_PAD_W = {5};",
       pool.window[1], pool.window[2], pool.stride[1], pool.stride[2], pool.padding[1], pool.padding[2]);
  line("// The schedule.");
  line("constexpr int BN = {0}; // filters of a block", plan.bn);
  line("constexpr int BC = {0}, BH = {1}, BW = {2}; // channels, rows and columns of a chunk", chunk[0], chunk[1],
       chunk[2]);
  line("constexpr int STREAMS = {0}; // warpgroups that multiply", plan.streams);
  line("constexpr int PRODUCER_WARPS = {0}; // warps that load, of each stream", plan.producerWarps);
  line("constexpr int SLOTS = {0}; // groups of input rows that a stream holds", plan.slots);
  line("constexpr int GRID = {0}; // blocks", plan.blocks);
  line("constexpr int PRODUCER_REGISTERS = {0}, CONSUMER_REGISTERS = {1}; // of a thread; 0: both the same",
       plan.producerRegisters, plan.consumerRegisters);
  line("constexpr int SHARED_BYTES = {0}; // dynamic shared memory of the launch", plan.sharedBytes);
  line("constexpr int MMA_INFLIGHT = {0}; // rows whose products run while the row before is finished", plan.inflight);
  os << "} // namespace " << name << "\n";
  return text;
}

/// Whether the epilogue may follow the maximum: a bias of the channel and relu never reverse an order.
static bool commutesWithMaximum(const Conv &conv) {
  return llvm::all_of(conv.ops.epilogue, [](Operation *op) { return isa<aten::ReluOp>(op); });
}

FailureOr<DispatchCode> emitConvWgmma(DispatchOp dispatch, const Conv &conv, const schedule::ConvWgmma &schedule,
                                      const Chip &chip) {
  Plan plan = derive(conv, schedule, chip);
  std::string name = dispatch.getName().str();
  FailureOr<ConvTail> read = makeConvTail(conv, name, /*addBias=*/false);
  if (failed(read))
    return failure();
  const Epilogue &tail = read->tail;
  std::string parameters = tail.parameters(), arguments = tail.arguments();

  TemplateFill fill;
  fill.name = name;
  fill.sections.insert(isPooled(conv) ? "pool" : "direct");
  fill.sections.insert(conv.lastResult ? "pixels" : "planes");
  fill.replacements["constants"] = tail.functions + printConstants(name, conv, schedule, plan);
  auto function = [&](StringRef functionName, StringRef comment, StringRef body) {
    return ("// " + comment + "\n__device__ __forceinline__ float " + functionName +
            "(float value, int image, int channel, int y, int x" + parameters + ") {\n  return " + body + ";\n}")
        .str();
  };
  bool first = isPooled(conv) && !commutesWithMaximum(conv);
  fill.replacements["epilogue"] = function("epilogue", "One output.", read->epilogue);
  if (isPooled(conv))
    fill.replacements["epilogue"] =
        "constexpr bool EPILOGUE_FIRST = " +
        std::string(first ? "true; // before the maximum, because it does not commute with it\n"
                          : "false; // after the maximum, with which it commutes\n") +
        fill.replacements["epilogue"];
  fill.replacements["finish"] = isPooled(conv) ? function("finish", "One pooled output.", read->finish) : "";
  fill.replacements["mma"] = "      kgen::wgmma_" + std::string(conv.elementType.isBF16() ? "bf16" : "f16") +
                             "<BN>(sum, a, b, group + step > 0);";
  fill.replacements["bias"] =
      conv.bias ? "      added = static_cast<float>(bias[n_tile * BN + n]);" : "      added = 0.0f;";
  fill.replacements["early"] =
      "            sum[i] = epilogue(sum[i], run.image, n_tile * BN + n, y, x" + arguments + ");";
  std::string settled = "fmaf(value, power == SETTLED ? 1.0f : power * filter.x, filter.y)";
  if (isPooled(conv)) {
    fill.replacements["last"] = "              if (!EPILOGUE_FIRST)\n                value = epilogue(" + settled +
                                ", run.image, channel, py, px" + arguments +
                                ");\n              value = finish(value, run.image, channel, py, px" + arguments + ");";
  } else {
    fill.replacements["stage"] = "          stage[n * STAGE_PITCH + stage_column(m)] = sum[i];";
    fill.replacements["last"] =
        "              value = epilogue(" + settled + ", run.image, channel, py, px" + arguments + ");";
  }
  fill.replacements["kernel"] = "extern \"C\" __global__ void __launch_bounds__(" + name + "::THREADS, 1)\n    " +
                                name + "_main(const " + name + "::In *__restrict__ input, const " + name +
                                "::In *__restrict__ weights,\n         const " + name +
                                "::Compute *__restrict__ packed, const float *__restrict__ scales" + parameters +
                                ",\n         " + name + "::Out *__restrict__ output) {";

  DispatchCode code;
  code.source = fillTemplate(findCudaTemplate("conv_wgmma.cuh"), fill);
  MLIRContext *context = dispatch.getContext();
  int64_t filters = plan.nTiles * plan.bn;
  code.workspaces.push_back(
      RankedTensorType::get({plan.nTiles * plan.weights}, elementTypeOf(schedule.dtype, context)));
  code.workspaces.push_back(RankedTensorType::get({filters}, Float32Type::get(context)));
  DispatchBuffer packed = DispatchBuffer::workspace(0), scales = DispatchBuffer::workspace(1);
  code.launches.push_back({name + "_weights", {filters, 1, 1}, {128, 1, 1}, 0, {conv.weight}, {packed, scales}});
  LaunchSpec main{name + "_main",
                  {plan.blocks, 1, 1},
                  {plan.threads, 1, 1},
                  plan.sharedBytes,
                  {conv.input, conv.weight, packed, scales},
                  {DispatchBuffer::result(0)}};
  for (const EpilogueOperand &operand : tail.operands)
    main.reads.push_back(operand.buffer);
  main.sizedBy = "conv_wgmma.cuh";
  code.launches.push_back(main);
  return code;
}

} // namespace kgen::kernels
