//===- RowRing.cpp - Rows that stay in the shared memory of several blocks --===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// templates/row_ring.cuh: its schedules, constants and launches. A row lies in the shared
// memories of a cluster of blocks, which exchange their parts of the statistic
// there, or of the blocks of the grid, which exchange them through a board in
// global memory.
//
//===----------------------------------------------------------------------===//

#include "RowChoice.h"
#include "RowEmitter.h"

#include "kgen/Support/Architectures.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace kgen::kernels {

/// A row in the shared memories of the blocks of a cluster, or of the grid.
LogicalResult RowChoice::chooseRing() {
  bool byGrid = params.getWord(key::resident) == schedule::Resident::Grid;
  std::string what = byGrid ? "resident = grid" : "resident = cluster";
  if (!byGrid && !hasClusters(chip.arch))
    return reject(what + " shares a row in a cluster, which " + chip.arch + " has not");
  if (!program.furtherSums.empty())
    return reject(what + " keeps what is read of a row on chip, which several sums do not read again");
  if (program.hasPlaces())
    return reject(what + " copies rows that lie one behind the other, found an input behind views");
  int64_t vector = *params.getInt(key::vec);
  Value held = heldInput(program);
  if (!contiguous())
    return reject(what + " needs rows whose elements are neighbours, these lie " + Twine(layout.inner) + " apart");
  if (!held)
    return reject(what + " keeps an input of all elements on chip, found none");
  int64_t bytes = elementTypeOf(held).getIntOrFloatBitWidth() / 8;
  if (int64_t pack = vector * bytes; pack != 4 && pack != 8 && pack != 16)
    return reject(what + " moves 4, 8 or 16 bytes at a time, found vec = " + Twine(vector) + " of " + Twine(bytes) +
                  "-byte elements");

  int64_t weights = columnRegisters(program, vector);
  int64_t total = layout.columns / vector; // packs of a row
  constexpr int64_t kFewPacks = 4;         // of a thread, so that copies overlap
  int64_t fallback = std::clamp<int64_t>(llvm::bit_floor<uint64_t>(std::max<int64_t>(1, total / kFewPacks)), 64,
                                         byGrid && weights ? 256 : 512);
  int64_t threads = params.intOr(context, key::threadsPerRow, fallback);
  params.intOr(context, key::rowsPerBlock, 1);

  RowSchedule schedule;
  schedule.resident = byGrid ? RowSchedule::Resident::Grid : RowSchedule::Resident::Cluster;
  schedule.vector = vector;
  schedule.threadsPerRow = threads;
  constexpr int64_t kMostBlocksOfCluster = 8, kMostPacks = 64;
  int64_t blockPacks = llvm::divideCeil(total, threads);
  schedule.unroll = params.intOr(context, key::unroll, std::clamp<int64_t>(blockPacks, 1, 4));
  // Blocks enough to hold a row and a quarter of the next one; of the grid all that the row's batches divide among.
  int64_t parts = 1;
  if (byGrid) {
    int64_t blockBatches = llvm::divideCeil(blockPacks, schedule.unroll);
    parts = llvm::divideCeil(blockBatches, llvm::divideCeil(blockBatches, chip.multiprocessors));
  } else {
    for (; parts < kMostBlocksOfCluster; parts *= 2) {
      schedule.splitRows = parts;
      RingLayout ring = ringLayout(program, schedule, chip);
      if (ring.slots * 4 >= ring.batches * 5)
        break;
    }
  }
  parts = params.intOr(context, key::splitRows, parts);
  if (!byGrid && (parts > kMostBlocksOfCluster || !llvm::isPowerOf2_64(parts)))
    return reject("split_rows = " + Twine(parts) + " with resident = cluster, a cluster has 1, 2, 4 or 8 blocks");
  if (byGrid && parts > chip.multiprocessors)
    return reject("split_rows = " + Twine(parts) + " with resident = grid, " + Twine(chip.multiprocessors) +
                  " blocks run at a time");
  schedule.splitRows = parts;
  RingLayout ring = ringLayout(program, schedule, chip);
  std::string sizes = " batches of unroll = " + std::to_string(schedule.unroll) + " packs";
  if (ring.slots < ring.batches || ring.batches * schedule.unroll > kMostPacks)
    return reject(what + " needs " + Twine(ring.batches) + sizes + " of each of " + Twine(threads) + " threads, " +
                  Twine(std::min(ring.slots, kMostPacks / schedule.unroll)) + " fit with split_rows = " + Twine(parts));

  // The next row is on chip when this many batches have made room for its last ones.
  int64_t room = 2 * ring.batches - ring.slots;
  int64_t lead =
      params.intOr(context, key::lead, std::min(ring.batches, room + std::max<int64_t>(1, ring.batches / 4)));
  if (lead < room || lead > ring.batches)
    return reject("lead = " + Twine(lead) + ", expected " + Twine(room) + " to " + Twine(ring.batches) +
                  ": the ring of " + Twine(ring.slots) + " slots holds " + Twine(ring.batches) + sizes + " of a row");
  constexpr int64_t kWorkRegisters = 63;
  int64_t registers = std::min<int64_t>(255, chip.registersPerMultiprocessor / threads);
  int64_t most = 0;
  if (weights)
    most = std::clamp<int64_t>((registers - kWorkRegisters) / (weights * ring.batches), 0, schedule.unroll);
  int64_t columns = params.intOr(context, key::columnPacks, most);
  if (columns > most)
    return reject("column_packs = " + Twine(columns) + " of " + Twine(ring.batches) + sizes + " with " +
                  Twine(weights) + " registers each, at most " + Twine(most) + " fit in " + Twine(threads) +
                  " threads");
  return success();
}

/// Bytes of one pack of the input that stays on chip.
static int64_t packBytes(const RowProgram &program, const RowSchedule &schedule) {
  return schedule.vector * elementTypeOf(heldInput(program)).getIntOrFloatBitWidth() / 8;
}

RingLayout ringLayout(const RowProgram &program, const RowSchedule &schedule, const Chip &chip) {
  // What the kernel's static shared memory leaves: two scratch arrays of states of at most 12 bytes, and a few more.
  int64_t available = chip.sharedBytesPerBlock - 2 * (schedule.threads() / 32) * 12 - 1024;
  int64_t step = schedule.splitRows * schedule.threads() * schedule.vector;
  RingLayout ring;
  ring.batches = llvm::divideCeil(program.layout.columns, step * schedule.unroll);
  // More than two rows ahead would bring nothing: a block waits for the others at each row.
  int64_t batchBytes = schedule.threads() * packBytes(program, schedule) * schedule.unroll;
  ring.slots = std::min(2 * ring.batches, available / batchBytes);
  // As many rows at a time as blocks fit on the chip, spread so that the last round is as full as the others.
  int64_t most = std::clamp<int64_t>(chip.multiprocessors / schedule.splitRows, 1, program.layout.rows);
  ring.groups = llvm::divideCeil(program.layout.rows, llvm::divideCeil(program.layout.rows, most));
  return ring;
}

Value heldInput(const RowProgram &program) {
  auto isElements = [&](Value value) { return isa<BlockArgument>(value) && isPacked(value, program.layout.shape); };
  if (isElements(program.held))
    return program.held;
  // The order in which makeElementPiece meets them.
  for (Operation *op : sliceBetween(program.held, {}))
    for (Value operand : op->getOperands())
      if (isElements(operand))
        return operand;
  return {};
}

int64_t columnRegisters(const RowProgram &program, int64_t vector) {
  auto norm = dyn_cast<aten::LayerNormOp>(program.statisticOp);
  if (!norm)
    return 0;
  int64_t bytes = 0;
  for (Value value : {norm.getWeight(), norm.getBias()})
    if (value)
      bytes += vector * elementTypeOf(value).getIntOrFloatBitWidth() / 8;
  return bytes / 4;
}

std::string RowEmitter::ringConstants() {
  RingLayout ring = ringLayout(program, schedule, chip);
  std::string text;
  auto constant = [&](StringRef type, StringRef constantName, auto value, StringRef comment = "") {
    text += llvm::formatv("constexpr {0} {1} = {2};{3}{4}\n", type, constantName, value, comment.empty() ? "" : " // ",
                          comment);
  };
  constant("long long", "kRows", layout.rows);
  constant("int", "kColumns", layout.columns);
  constant("int", "kVector", schedule.vector);
  constant("int", "kWarp", 32);
  constant("int", "kThreads", schedule.threads());
  constant("int", "kWarpsPerRow", "kThreads / kWarp");
  constant("int", "kParts", schedule.splitRows, "blocks that share a row");
  if (schedule.resident == RowSchedule::Resident::Grid)
    constant("int", "kBlocks", schedule.splitRows * ring.groups);
  constant("int", "kBatch", schedule.unroll, "packs of one thread that travel together");
  constant("int", "kBatches", ring.batches, "of one thread in one row");
  constant("int", "kPacks", "kBatches * kBatch");
  constant("int", "kSlots", ring.slots, "batches of one thread in shared memory");
  constant("int", "kLead", schedule.lead, "batches that are written before the next row's statistic");
  if (sharesColumnValues())
    constant("int", "kHeldColumns", schedule.columnPacks,
             "packs of a batch whose weights and biases stay in registers");
  constant("bool", "kRagged", "kColumns != kParts * kPacks * kThreads * kVector", "the last packs are not full");
  return text;
}

DispatchCode RowEmitter::ringLaunches(ArrayRef<DispatchBuffer> inputs, ArrayRef<DispatchBuffer> results) {
  RingLayout ring = ringLayout(program, schedule, chip);
  int64_t threads = schedule.threads(), blocks = schedule.splitRows * ring.groups;
  DispatchCode code;
  LaunchSpec rows{name + "_rows",
                  {blocks, 1, 1},
                  {threads, 1, 1},
                  ring.slots * schedule.unroll * threads * packBytes(program, schedule)};
  rows.reads.assign(inputs.begin(), inputs.end());
  if (schedule.resident == RowSchedule::Resident::Grid) {
    int64_t words = program.statistic == RowStatistic::Moments ? 3 : program.statistic == RowStatistic::Sum ? 1 : 2;
    code.workspaces.push_back(RankedTensorType::get({2, blocks, words}, IntegerType::get(dispatch.getContext(), 64)));
    DispatchBuffer board = DispatchBuffer::workspace(0);
    code.launches.push_back({name + "_init", {1, 1, 1}, {threads, 1, 1}, 0, {}, {board}});
    rows.writes.push_back(board);
    rows.cooperative = schedule.splitRows > 1; // blocks of one row wait for each other
  } else if (schedule.byCluster()) {
    rows.cluster = {schedule.splitRows, 1, 1};
  }
  rows.writes.append(results.begin(), results.end());
  rows.sizedBy = mainTemplate();
  code.launches.push_back(rows);
  return code;
}

} // namespace kgen::kernels
