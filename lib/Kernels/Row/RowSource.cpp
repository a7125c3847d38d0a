//===- RowSource.cpp - The CUDA-C of a row dispatch -----------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernels are row_*.cuh. This file writes what they call: how an
// element is read, what is gathered, and what is stored (RowFunctions.cpp).
//
//===----------------------------------------------------------------------===//

#include "RowEmitter.h"

#include "kgen/Kernels/CudaTemplate.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace kgen::kernels {

StreamPacks streamPacks(const RowProgram &program, const RowSchedule &schedule, const Chip &chip) {
  constexpr int64_t kPackBytes = 16;
  // What the kernel's static shared memory (two scratch arrays of at most 12-byte states) leaves.
  int64_t available = chip.sharedBytesPerBlock - 2 * (schedule.threads() / 32) * 12 - 1024;
  int64_t packs = llvm::divideCeil(program.layout.columns, schedule.threads() * schedule.vector);
  int64_t shared = std::min(packs, available / (schedule.threads() * kPackBytes));
  return {shared, packs - shared};
}

/// Packs that a thread adds up in one chain: longer chains of fp32 additions lose digits. Squares lose more: they are
/// of differences from a chain's first element, and one far off weighs as much as the chain is long.
static int64_t packsOfSegment(const RowProgram &program) {
  return program.statistic == RowStatistic::Moments ? 16 : 128;
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

std::string RowEmitter::constants() {
  if (isRing())
    return ringConstants();
  std::string text;
  auto constant = [&](StringRef type, StringRef constantName, int64_t value) {
    text += llvm::formatv("constexpr {0} {1} = {2};\n", type, constantName, value);
  };
  auto derived = [&](StringRef constantName, StringRef value) {
    text += llvm::formatv("constexpr int {0} = {1};\n", constantName, value);
  };
  if (isHybrid() || schedule.isSplit() || layout.rows % schedule.rowsPerBlock != 0)
    constant("long long", "kRows", layout.rows);
  constant("int", "kColumns", layout.columns);
  if (!program.furtherSums.empty())
    constant("int", "kSums", 1 + program.furtherSums.size());
  if (layout.inner != 1)
    text += llvm::formatv("constexpr int kInner = {0}; // elements between neighbours of a row\n", layout.inner);
  constant("int", "kVector", schedule.vector);
  if (schedule.isSplit() || (layout.inner == 1 && schedule.threadsPerRow > 32))
    constant("int", "kWarp", 32);
  if (schedule.isSplit()) {
    constant("int", "kThreads", schedule.threads());
    constant("int", "kMinBlocks", schedule.minBlocks);
    derived("kWarpsPerRow", "kThreads / kWarp");
    constant("int", "kUnroll", schedule.unroll);
    text += llvm::formatv("constexpr int kChunkColumns = {0}; // of one block in step 1\n", chunkColumns());
    constant("int", "kChunks", chunks());
    text += llvm::formatv("constexpr int kRowGroup = {0}; // rows of one block in step 2\n", schedule.rowsPerBlock);
    if (storesElements()) {
      constant("int", "kRowUnroll", std::min<int64_t>(4, schedule.rowsPerBlock));
      text += "constexpr bool kFullSteps = kRows % kRowGroup == 0 && kRowGroup % kRowUnroll == 0;\n";
      derived("kTiles", "(kColumns + kThreads * kVector - 1) / (kThreads * kVector)");
      text += "constexpr bool kRagged = kColumns % (kThreads * kVector) != 0; // the last tile is not full\n";
    }
    return text;
  }
  constant("int", "kThreadsPerRow", schedule.threadsPerRow);
  if (!isHybrid())
    constant("int", "kRowsPerBlock", schedule.rowsPerBlock);
  derived("kThreads", isHybrid() ? "kThreadsPerRow" : "kThreadsPerRow * kRowsPerBlock");
  if (!isHybrid())
    constant("int", "kMinBlocks", schedule.minBlocks);
  if (layout.inner != 1 && schedule.threadsPerRow > 1)
    derived("kScratchStates", "kThreads");
  else if (schedule.threadsPerRow > 32) {
    derived("kWarpsPerRow", "kThreadsPerRow / kWarp");
    if (!isHybrid())
      derived("kScratchStates", "kThreads / kWarp");
  }
  if (schedule.byCluster()) {
    text += llvm::formatv("constexpr int kParts = {0}; // blocks that share a row\n", schedule.splitRows);
    text +=
        "constexpr bool kRagged = kColumns % (kParts * kThreadsPerRow * kVector) != 0; // the last step is not full\n";
  } else if (storesElements() || schedule.resident != RowSchedule::Resident::None)
    text += "constexpr bool kRagged = kColumns % (kThreadsPerRow * kVector) != 0; // the last step is not full\n";
  switch (schedule.resident) {
  case RowSchedule::Resident::None:
    constant("int", "kUnroll", schedule.unroll);
    if (packs() > packsOfSegment(program))
      constant("int", "kSegmentSteps", packsOfSegment(program));
    break;
  case RowSchedule::Resident::Registers:
    text += llvm::formatv("constexpr int kPacks = {0}; // of one thread\n", packs());
    break;
  case RowSchedule::Resident::Cluster:
  case RowSchedule::Resident::Grid:
    break;
  case RowSchedule::Resident::Hybrid: {
    StreamPacks split = streamPacks(program, schedule, chip);
    text += llvm::formatv("constexpr int kSharedPacks = {0}; // of one thread, in shared memory\n", split.shared);
    if (split.registers)
      text += llvm::formatv("constexpr int kRegisterPacks = {0}; // and in registers\n", split.registers);
    break;
  }
  }
  return text;
}

//===----------------------------------------------------------------------===//
// The translation unit
//===----------------------------------------------------------------------===//

std::string RowEmitter::comment() {
  std::string shape =
      llvm::join(llvm::map_range(layout.shape, [](int64_t extent) { return std::to_string(extent); }), "x");
  return llvm::formatv("// {0}: {1} over {2} rows of {3} elements, {4}.\n", name,
                       program.statisticOp->getName().getStringRef(), layout.rows, layout.columns, shape);
}

std::string RowEmitter::part(StringRef file) {
  TemplateFill fill;
  fill.name = name;
  switch (program.statistic) {
  case RowStatistic::Softmax:
    fill.sections.insert("STATE_SOFTMAX");
    if (isa<aten::LogsumexpOp>(program.statisticOp)) // a softmax of infinity is NaN all the same
      fill.sections.insert("KEEPS_INFINITY");
    break;
  case RowStatistic::Moments:
    fill.sections.insert("STATE_MOMENTS");
    break;
  case RowStatistic::Sum:
    fill.sections.insert(program.furtherSums.empty() ? "STATE_SUM" : "STATE_SUMS");
    break;
  case RowStatistic::Extreme:
    fill.sections.insert("STATE_EXTREME");
    break;
  }
  auto hold = [&](StringRef condition, bool holds) {
    if (holds)
      fill.sections.insert(condition);
  };
  bool across = layout.inner != 1 && schedule.threadsPerRow > 1;
  // row_split.cuh has one kernel for any number of warps, also for one.
  bool many = !across && (schedule.threadsPerRow > 32 || schedule.isSplit());
  hold("ONE_THREAD", schedule.threadsPerRow == 1);
  hold("ONE_WARP", !across && !many && schedule.threadsPerRow > 1);
  hold("MANY_WARPS", many);
  hold("ACROSS_WARPS", across);
  hold("NEEDS_SCRATCH", many || across);
  hold("STREAMING", schedule.streaming);
  hold("STORES_ROWS", storesRows());
  hold("STORES_ELEMENTS", storesElements());
  hold("GUARD_ROWS", layout.rows % schedule.rowsPerBlock != 0);
  hold("GUARD_CHUNKS", schedule.isSplit() && layout.columns % chunkColumns() != 0);
  hold("HAS_COLUMN_VALUES", sharesColumnValues());
  hold("BY_CLUSTER", schedule.byCluster());
  hold("PEELED", schedule.peeled);
  hold("HELD", schedule.resident == RowSchedule::Resident::Registers);
  hold("HOLDS_EXPONENTIALS", schedule.twoPass);
  hold("HAS_KEPT_VALUES", isRing() && sharesColumnValues());
  hold("BY_GRID", schedule.resident == RowSchedule::Resident::Grid);
  hold("SEGMENTED", schedule.resident == RowSchedule::Resident::None && packs() > packsOfSegment(program));
  hold("HAS_REGISTER_PACKS", isHybrid() && streamPacks(program, schedule, chip).registers > 0);

  std::string partial = kernelParameters(dispatch, false, "float *__restrict__ partials");
  std::string finish = kernelParameters(dispatch, true, "const float *__restrict__ partials");
  fill.replacements["rows_signature"] = "    " + name + "_rows(" + kernelParameters(dispatch, true) + ") {\n";
  fill.replacements["partial_signature"] = "    " + name + "_partial(" + partial + ") {\n";
  fill.replacements["finish_signature"] = "    " + name + "_finish(" + finish + ") {\n";
  bool byGrid = schedule.resident == RowSchedule::Resident::Grid;
  std::string ring = kernelParameters(dispatch, true, byGrid ? "long long *__restrict__ board" : "");
  fill.replacements["ring_signature"] = "    " + name + "_rows(" + ring + ") {\n";
  fill.replacements["init_signature"] = "    " + name + "_init(long long *__restrict__ board) {\n";
  fill.replacements["operands"] = "  const Operands operands{" + kernelArguments(dispatch, true) + "};\n";
  fill.replacements["read_operands"] = "  const Operands operands{" + kernelArguments(dispatch, false) + "};\n";
  return fillTemplate(templateBody(file), fill);
}

const char *RowEmitter::mainTemplate() const {
  if (holdsPacks())
    return isRing() ? "row_ring.cuh" : "row_stream.cuh";
  if (schedule.isSplit())
    return "row_split.cuh";
  if (schedule.peeled)
    return "row_peeled.cuh";
  return schedule.resident == RowSchedule::Resident::Registers ? "row_registers.cuh" : "row_reread.cuh";
}

DispatchCode RowEmitter::launches() {
  DispatchCode code;
  LaunchSpec whole = LaunchSpec::ofWhole(dispatch, name + "_rows", 1, schedule.threads());
  ArrayRef<DispatchBuffer> inputs = whole.reads, results = whole.writes;
  if (isRing())
    return ringLaunches(inputs, results);
  int64_t threads = schedule.threads();
  if (schedule.isSplit()) {
    constexpr int64_t kStateFields = 3; // of the largest State
    int64_t fields = program.statistic == RowStatistic::Moments ? kStateFields
                                                                : std::max<int64_t>(2, 1 + program.furtherSums.size());
    code.workspaces.push_back(
        RankedTensorType::get({layout.rows, chunks(), fields}, Float32Type::get(dispatch.getContext())));
    DispatchBuffer partials = DispatchBuffer::workspace(0);
    LaunchSpec partial{name + "_partial", {layout.rows * chunks(), 1, 1}, {threads, 1, 1}, 0, llvm::to_vector(inputs),
                       {partials}};
    int64_t groups = llvm::divideCeil(layout.rows, schedule.rowsPerBlock);
    int64_t tiles = storesElements() ? llvm::divideCeil(layout.columns, threads * schedule.vector) : 1;
    // Enough blocks to fill the chip; each walks several tiles, so that the partial states are merged rarely.
    int64_t resident = chip.multiprocessors * std::max<int64_t>(1, 2048 / threads);
    int64_t columnsOfBlocks = std::min(tiles, std::max<int64_t>(1, llvm::divideCeil(resident, groups)));
    LaunchSpec finish = LaunchSpec::ofWhole(dispatch, name + "_finish", columnsOfBlocks, threads);
    finish.grid[1] = groups;
    finish.reads.push_back(partials);
    partial.sizedBy = finish.sizedBy = mainTemplate();
    code.launches = {partial, finish};
    return code;
  }
  int64_t blocks = llvm::divideCeil(layout.rows, schedule.rowsPerBlock);
  LaunchSpec rows = LaunchSpec::ofWhole(dispatch, name + "_rows", blocks, threads);
  if (schedule.byCluster()) {
    rows.grid[0] *= schedule.splitRows;
    rows.cluster = {schedule.splitRows, 1, 1};
  }
  if (isHybrid()) {
    rows.grid[0] = std::min(layout.rows, chip.multiprocessors);
    rows.sharedBytes = streamPacks(program, schedule, chip).shared * threads * 16;
  }
  rows.sizedBy = mainTemplate();
  code.launches = {rows};
  return code;
}

FailureOr<DispatchCode> RowEmitter::emit() {
  if (failed(makePieces()))
    return failure();
  DispatchCode code = launches();
  std::string &text = code.source;
  text += comment();
  if (holdsPacks() || schedule.byCluster())
    text += "#include \"kgen_device.cuh\"\n";
  if (schedule.byCluster())
    text += "#include \"kgen_hopper.cuh\"\n";
  text += includeLines(dispatch);
  text += "\n";
  SmallVector<const ElementPiece *> pieces = {&before, &inside};
  for (const ElementPiece &piece : ofRow)
    pieces.push_back(&piece);
  for (auto &[result, piece] : behind)
    pieces.push_back(&piece);
  for (const ElementPiece &piece : llvm::concat<const ElementPiece>(insideFurther, position, picked))
    pieces.push_back(&piece);
  for (auto &[result, piece] : ofPicks)
    pieces.push_back(&piece);
  for (const ElementPiece *piece : pieces)
    if (!piece->identity)
      text += piece->function.text + "\n";

  text += "namespace " + name + " {\n" + constants() + operandStruct(dispatch) + "\n" + part("row_memory.cuh") +
          statisticHelpers() + "\n" + part("row_states.cuh") + offsetFunction() + loadFunctions() + observeFunction() +
          finishFunction() + storeRowFunction() + storeFunctions() + "\n" + part("row_reduce.cuh");
  if (schedule.peeled)
    text +=
        "\n/// The same for one element: those in front of a row's first pack and behind its last.\nnamespace edge {\n"
        "constexpr int kVector = 1;\n" +
        part("row_memory.cuh") + loadFunctions() + observeFunction() + storeFunctions() + "} // namespace edge\n";
  if (holdsPacks()) {
    // These templates start with functions of the namespace and end with the kernels.
    std::string stream = part(mainTemplate());
    size_t kernel = stream.find("extern \"C\"");
    text += "\n" + stream.substr(0, kernel) + "} // namespace " + name + "\n\n" + stream.substr(kernel);
  } else {
    text += "} // namespace " + name + "\n\n" + part(mainTemplate());
  }
  return code;
}

FailureOr<DispatchCode> emitRowSource(DispatchOp dispatch, const RowProgram &program, const RowSchedule &schedule,
                                      const Chip &chip) {
  return RowEmitter(dispatch, program, schedule, chip).emit();
}

} // namespace kgen::kernels
