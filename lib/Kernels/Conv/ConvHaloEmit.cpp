//===- ConvHaloEmit.cpp - Text of convolutions of shifted pixels ----------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fills conv_halo.cuh in.
//
//===----------------------------------------------------------------------===//

#include "ConvHaloPlan.h"

#include "kgen/Kernels/Emit/ScalarEmitter.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace kgen::kernels {
using schedule::Dtype;

static std::string printConstants(StringRef name, const Conv &conv, const schedule::ConvHalo &schedule,
                                  const HaloPlan &plan, const Chip &chip) {
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
  if (conv.ops.window) {
    line("// Windows of outputs, side by side, and how many there are.");
    three("constexpr int POOL_D = {0}, POOL_H = {1}, POOL_W = {2};", conv.pooling.window);
    three("constexpr int POD = {0}, POH = {1}, POW = {2};", conv.pooled);
  }
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

/// What is stored of WHAT.
static std::string finishFunction(const ConvTail &made, StringRef what) {
  return "// What is stored of " + what.str() +
         ".\n__device__ __forceinline__ float finish(float value, int image, int channel, int z, int y, int x" +
         made.tail.parameters() + ") {\n  return " + made.finish + ";\n}";
}

/// The value that changes none, and what two of them come to.
static std::string combineFunctions(StringRef combine, StringRef nothing, StringRef both) {
  return llvm::formatv("__device__ __forceinline__ float nothing() {{ return {0}; }\n__device__ __forceinline__ float "
                       "{1}(float a, float b) {{ return {2}; }",
                       nothing, combine, both);
}

/// Fills in how windows of outputs are pooled before they leave.
static void fillPool(TemplateFill &fill, const Conv &conv, const ConvTail &made) {
  const std::string arguments = made.tail.arguments();
  const bool isMax = conv.pooling.kind == Pooling::Kind::Max;
  const Sizes &window = conv.pooling.window;
  const int64_t divisor = conv.pooling.divisor ? conv.pooling.divisor : window[0] * window[1] * window[2];
  fill.sections.insert("pools");
  fill.replacements["finish_function"] = finishFunction(made, "a window");
  fill.replacements["pool"] = isMax ? combineFunctions("pool", "-__int_as_float(0x7f800000)", "kgen::max_nan(a, b)")
                                    : combineFunctions("pool", "0.0f", "a + b");
  fill.replacements["pool_output"] = "                pooled = pool(pooled, epilogue(value, tile.i, some_channel, "
                                     "window_z * POOL_D + d, some_y * POOL_H + "
                                     "y,\n                                               some_x * POOL_W + x" +
                                     arguments + "));";
  fill.replacements["store_window"] = "          const float value = finish(" +
                                      (isMax ? std::string("pooled") : "pooled / " + std::to_string(divisor) + ".0f") +
                                      ", tile.i, some_channel, window_z, some_y, some_x" + arguments + ");";
}

/// Fills in how outputs are folded before they leave, in so many PIECES for tiles of filters.
static void fillFold(TemplateFill &fill, const Conv &conv, const ConvTail &made, int64_t pieces) {
  using Kind = OutputFold::Kind;
  const Kind kind = conv.fold->kind;
  const std::string parameters = made.tail.parameters(), arguments = made.tail.arguments();
  const Sizes &out = conv.wholeOut();
  const int64_t folded = conv.fold->overChannels ? conv.outChannels : out[0] * out[1] * out[2];
  fill.sections.insert("folds");
  fill.replacements["finish_function"] = finishFunction(made, "outputs that were folded");
  const std::string value = kind == Kind::Mean ? "value / " + std::to_string(folded) + ".0f" : "value";
  auto output = [&](StringRef call) {
    return ("epilogue(patch[row * PATCH_PITCH + lane], tile.i, channel, z, y, x" + arguments + ")" + call).str();
  };
  if (!conv.fold->overChannels) {
    fill.sections.insert("pixels");
    fill.replacements["add_output"] =
        "              const float added = epilogue(value, tile.i, channel, some_z, some_y, some_x" + arguments + ");";
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
    fill.replacements["fold"] = combineFunctions("fold", nothing, both);
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
  const HaloRoles roles = {schedule.consumers, schedule.producerWarps.value_or(ideas::haloProducerWarps),
                           schedule.depths.value_or(1)};
  HaloPlan plan(conv, schedule.tile, schedule.stages, roles, scaled, chip);
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

  const char *outputs = conv.fold         ? "conv_halo_fold.cuh"
                        : conv.ops.window ? "conv_halo_pool.cuh"
                                          : "conv_halo_store.cuh";
  if (conv.ops.window)
    fillPool(fill, conv, *made);
  fill.sections.insert("functions");
  std::string functions = fillTemplate(templateBody(outputs), fill);
  if (conv.ops.window)
    functions = fillTemplate(templateBody("conv_halo_store.cuh"), fill) + functions;
  fill.replacements["output_functions"] = functions;
  fill.sections.erase("functions");
  if (inParts) {
    fill.sections.insert("launches_behind");
    fill.replacements["fold_launches"] = fillTemplate(templateBody(outputs), fill);
  }
  fill.sections.insert("in_tile");
  fill.replacements[conv.fold ? "fold_outputs" : "store_outputs"] = fillTemplate(templateBody(outputs), fill);

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
