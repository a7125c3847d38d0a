//===- RowChoice.cpp - The rules of row schedules, each beside its default ---===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowChoice.h"

#include "kgen/Dialect/Aten/Aten.h"
#include "kgen/Support/Architectures.h"

using namespace mlir;

namespace kgen::kernels {
using schedule::Reduce;
using schedule::Resident;

/// Most floats of a row that a thread may hold; beyond it ptxas spills at the block size that uses them.
constexpr int64_t kHeldPerThread = 64, kHeldPerThreadOfFullBlock = 32;

static int64_t largestPowerOfTwoIn(int64_t value) { return value & -value; }

static int64_t mostHeld(int64_t threads) { return threads > 512 ? kHeldPerThreadOfFullBlock : kHeldPerThread; }

LogicalResult RowChoice::chooseVector() {
  int64_t bytes = widestPackedElement(dispatch, program.layout.shape);
  // Rows of any length go in wide packs where one block, or a cluster's registers, serve a whole row.
  constexpr int64_t kLeastPeeled = 2048, kLeastPacks = 16;
  std::optional<Resident> resident = params.getWord(key::resident);
  bool whole = resident == Resident::Reg || params.getInt(key::splitRows).value_or(defaultSplit()) == 1;
  bool canPeel = contiguous() && whole && !program.hasPlaces() &&
                 (!resident || resident == Resident::Reg || resident == Resident::None);
  int64_t most = contiguous() ? std::min(largestPowerOfTwoIn(layout.columns), 16 / bytes) : 1;
  if (canPeel && layout.columns >= kLeastPeeled)
    most = 16 / bytes;
  int64_t vector = params.intOr(context, key::vec, std::min(most, program.alignment()));
  if (!contiguous() && vector != 1)
    return reject("vec = " + Twine(vector) + ", expected 1: the elements of a row lie " + Twine(layout.inner) +
                  " apart");
  if (program.hasPlaces() && program.alignment() % vector != 0)
    return reject("vec = " + Twine(vector) + ", expected at most " + Twine(program.alignment()) +
                  ": an input is read through views, and its rows begin at multiples of so many elements");
  if (vector * bytes > 16)
    return reject("vec = " + Twine(vector) + " of " + Twine(bytes) + "-byte elements is " + Twine(vector * bytes) +
                  " bytes, an access has at most 16");
  if (layout.columns % vector != 0 && (!canPeel || layout.columns < kLeastPacks * vector))
    return reject("vec = " + Twine(vector) + " does not divide the row of " + Twine(layout.columns) +
                  " elements; resident = reg and none take such rows from " + Twine(kLeastPacks * vector) +
                  " elements on");
  if (!llvm::isPowerOf2_64(vector))
    return reject("vec = " + Twine(vector) + ", expected a power of two");
  return success();
}

int64_t RowChoice::defaultSplit() const {
  constexpr int64_t kLongRow = 16384, kPartOfRow = 8192;
  // Few long rows leave most of the chip idle; parts of at least kPartOfRow elements amortise the second kernel.
  bool free = !params.has(key::rowsPerBlock) && !params.has(key::resident);
  if (!contiguous() || !free || layout.columns < kLongRow || layout.rows >= chip.multiprocessors)
    return 1;
  return std::max<int64_t>(1, std::min<int64_t>({(8 * chip.multiprocessors + layout.rows - 1) / layout.rows,
                                                 layout.columns / kPartOfRow, 1024}));
}

LogicalResult RowChoice::chooseSplit() {
  int64_t split = params.intOr(context, key::splitRows, defaultSplit());
  if (split > 1 && !contiguous())
    return reject("split_rows = " + Twine(split) + ", expected 1: the elements of a row lie " + Twine(layout.inner) +
                  " apart");
  int64_t vector = *params.getInt(key::vec);
  if (split > 1 && split * 32 * vector > layout.columns)
    return reject("split_rows = " + Twine(split) + " leaves parts of less than " + Twine(32 * vector) +
                  " elements in a row of " + Twine(layout.columns));
  return success();
}

LogicalResult RowChoice::chooseThreads() {
  int64_t vector = *params.getInt(key::vec), split = *params.getInt(key::splitRows);
  int64_t packs = layout.columns / vector;
  int64_t threads, rows;
  if (byCluster()) {
    if (!hasClusters(chip.arch))
      return reject("split_rows = " + Twine(split) + " with resident = reg shares a row in a cluster, which " +
                    chip.arch + " has not");
    if (split > 8 || !llvm::isPowerOf2_64(split))
      return reject("split_rows = " + Twine(split) + " with resident = reg, a cluster has 2, 4 or 8 blocks");
    threads = params.intOr(context, key::threadsPerRow, 256);
    rows = params.intOr(context, key::rowsPerBlock, 1);
    if (rows != 1 || threads < 64)
      return reject("split_rows = " + Twine(split) + " with resident = reg, " + Twine(rows) + " rows_per_block and " +
                    Twine(threads) + " threads_per_row, expected 1 row and at least 64 threads");
  } else if (split > 1) {
    threads = params.intOr(context, key::threadsPerRow, 512);
    // One block of step 2 serves a group of rows, so that weights of columns are read once for it.
    rows = params.intOr(context, key::rowsPerBlock, std::min<int64_t>(layout.rows, 16));
    if (threads < 32)
      return reject("threads_per_row = " + Twine(threads) + ", expected 32 or more with split_rows");
    return success();
  } else if (contiguous()) {
    // A few packs for each thread; a warp for short rows, since its reduction needs no barrier.
    constexpr int64_t kPacksOfWarp = 256, kElementsPerThread = 16;
    int64_t packsPerThread = std::max<int64_t>(4, kElementsPerThread / vector);
    int64_t fallback = packs <= kPacksOfWarp ? std::min<int64_t>(32, llvm::PowerOf2Ceil(packs))
                                             : llvm::PowerOf2Ceil(llvm::divideCeil(packs, packsPerThread));
    // One persistent block for each multiprocessor: with the row in shared memory, two do not fit.
    std::optional<Resident> resident = params.getWord(key::resident);
    bool persistent = resident == Resident::Hybrid || resident == Resident::Smem;
    if (persistent)
      fallback = std::max<int64_t>(64, fallback);
    threads = params.intOr(context, key::threadsPerRow, std::clamp<int64_t>(fallback, 1, 1024));
    if (persistent)
      params.intOr(context, key::rowsPerBlock, 1);
    rows = params.intOr(context, key::rowsPerBlock, std::max<int64_t>(1, 128 / threads));
  } else {
    // Neighbouring threads take neighbouring rows; a column of threads shares a row.
    int64_t fallback = std::clamp<int64_t>(llvm::bit_floor<uint64_t>(std::max<int64_t>(1, layout.columns / 8)), 1, 16);
    threads = params.intOr(context, key::threadsPerRow, fallback);
    rows = params.intOr(context, key::rowsPerBlock, std::max<int64_t>(1, std::max<int64_t>(32, 256 / threads)));
  }
  if (isPeeled() && threads < 2 * vector)
    return reject("threads_per_row = " + Twine(threads) + ", expected " + Twine(2 * vector) +
                  " or more: each takes one element in front of a row's packs or behind them");
  if (threads * rows > chip.threadsPerBlock)
    return reject("threads_per_row * rows_per_block = " + Twine(threads * rows) + ", a block has at most " +
                  Twine(chip.threadsPerBlock) + " threads");
  if (threads > 1 && threads * rows % 32 != 0)
    return reject("threads_per_row * rows_per_block = " + Twine(threads * rows) +
                  ", expected a multiple of 32: lanes exchange within whole warps");
  return success();
}

LogicalResult RowChoice::chooseResidence() {
  int64_t vector = *params.getInt(key::vec), split = *params.getInt(key::splitRows);
  int64_t threads = *params.getInt(key::threadsPerRow), rows = *params.getInt(key::rowsPerBlock);
  bool storesElements = llvm::any_of(program.outputs, [](const RowOutput &output) { return !output.perRow; });
  bool packed = isa<BlockArgument>(program.held) || storesElements;
  RowSchedule schedule;
  schedule.vector = vector;
  schedule.threadsPerRow = threads;
  schedule.rowsPerBlock = rows;
  StreamPacks stream = streamPacks(program, schedule, chip);
  bool fitsRegisters = floats(threads, vector) <= mostHeld(threads * rows);
  bool canStream = contiguous() && !program.hasPlaces() && !isPeeled() && vector * 4 == 16 &&
                   widestPackedElement(dispatch, program.layout.shape) == 4;
  bool fitsStream = canStream && packed && rows == 1 && threads >= 64 && stream.shared >= 1 &&
                    stream.registers * vector <= mostHeld(threads) - 16;

  Resident fallback = Resident::None;
  if (split == 1 && storesElements) {
    if (fitsRegisters)
      fallback = Resident::Reg;
    else if (fitsStream && layout.rows >= chip.multiprocessors)
      fallback = Resident::Hybrid;
  }
  Resident resident = params.wordOr(context, key::resident, fallback);
  if (resident == Resident::Smem)
    resident = Resident::Hybrid; // shared memory first, registers for what does not fit
  if (resident == Resident::Reg && !fitsRegisters)
    return reject("resident = reg keeps " + Twine(floats(threads, vector)) + " floats in each of " +
                  Twine(threads * rows) + " threads, at most " + Twine(mostHeld(threads * rows)) + " fit");
  if (resident == Resident::Hybrid && !program.furtherSums.empty())
    return reject("resident = hybrid keeps what is read of a row on chip, which several sums do not read again");
  if (resident == Resident::Hybrid && program.hasPlaces())
    return reject("resident = hybrid copies rows that lie one behind the other, found an input behind views");
  if (resident == Resident::Hybrid) {
    if (!canStream)
      return reject("resident = hybrid moves 16 bytes of f32 at a time, found vec = " + Twine(vector) + " of " +
                    Twine(widestPackedElement(dispatch, program.layout.shape)) + "-byte elements");
    if (!packed)
      return reject("resident = hybrid keeps an input of all elements on chip for what is written of them, found none");
    if (rows != 1 || threads < 64)
      return reject("resident = hybrid has " + Twine(rows) + " rows_per_block and " + Twine(threads) +
                    " threads_per_row, expected 1 row and at least 64 threads");
    if (!fitsStream)
      return reject("resident = hybrid needs " + Twine(stream.registers * vector) + " floats in registers beside " +
                    Twine(stream.shared) + " packs in shared memory, at most " + Twine(mostHeld(threads) - 16) +
                    " fit");
  }
  return success();
}

LogicalResult RowChoice::chooseWords() {
  params.intOr(context, key::unroll, 4);
  bool split = *params.getInt(key::splitRows) > 1 && params.getWord(key::resident) == Resident::None;
  int64_t threads = *params.getInt(key::threadsPerRow) * (split ? 1 : *params.getInt(key::rowsPerBlock));
  // Without a promise ptxas trades the residency of a split row's second kernel for unrolling, or spills.
  constexpr int64_t kResidentThreads = 768; // of a multiprocessor; leaves each 80 registers
  int64_t residentBlocks = llvm::divideCeil(kResidentThreads, threads);
  int64_t minBlocks = params.intOr(context, key::minBlocks, split ? std::clamp<int64_t>(residentBlocks, 1, 16) : 1);
  constexpr int64_t kThreadsPerMultiprocessor = 2048;
  if (minBlocks * threads > kThreadsPerMultiprocessor)
    return reject("min_blocks = " + Twine(minBlocks) + " blocks of " + Twine(threads) +
                  " threads, a multiprocessor holds " + Twine(kThreadsPerMultiprocessor) + " threads");
  params.wordOr(context, key::cacheHint, schedule::CacheHint::Streaming);
  params.wordOr(context, key::fastMath, false);
  Reduce natural = program.statistic == RowStatistic::Softmax   ? Reduce::Online
                   : program.statistic == RowStatistic::Moments ? Reduce::Welford
                                                                : Reduce::Shfl;
  Reduce reduce = params.wordOr(context, key::reduce, natural);
  if (reduce == Reduce::TwoPass) {
    // The output has to be a function of the exponential alone.
    bool scales = isa<aten::SoftmaxIntOp>(program.statisticOp) && program.held == program.source;
    for (Operation *op : program.statisticOp->getResult(0).getUsers())
      scales &= !llvm::is_contained(op->getOperands(), program.held);
    scales &= program.picks.empty(); // the maximum of the row is of no use where each thread has its own
    if (!scales || params.getWord(key::resident) != Resident::Reg)
      return reject("reduce = two_pass keeps exponentials in registers: expected a softmax with resident = reg");
  } else if (reduce != natural && reduce != Reduce::Shfl)
    return reject("reduce = " + Twine(wordOf(reduce)) + ", expected " + wordOf(natural) + " for " +
                  program.statisticOp->getName().getStringRef());
  return success();
}

} // namespace kgen::kernels
