//===- RowFamily.cpp - Softmax, norms and reductions over rows ------------===//

#include "RowSource.h"

#include "kgen/Conversion/KGenToCuda/Family.h"
#include "kgen/Dialect/Aten/Aten.h"
#include "kgen/Dialect/KGen/KGen.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace kgen {

namespace {

/// Most floats of a row that a thread may hold; beyond it ptxas spills at the block size that uses them.
constexpr int64_t kHeldPerThread = 64, kHeldPerThreadOfFullBlock = 32;

class RowFamily : public Family {
public:
  StringRef name() const override { return "row"; }
  LogicalResult match(DispatchOp dispatch) const override { return analyzeRowProgram(dispatch); }
  LogicalResult complete(DispatchOp dispatch, ScheduleParams &params, const Chip &chip) const override;
  FailureOr<DispatchCode> emit(DispatchOp dispatch, const ScheduleParams &params, const Chip &chip) const override;
};

int64_t largestPowerOfTwoIn(int64_t value) { return value & -value; }

int64_t mostHeld(int64_t threads) { return threads > 512 ? kHeldPerThreadOfFullBlock : kHeldPerThread; }

/// The parameters of a schedule, one function for each so that a rule stands beside its default.
struct RowChoice {
  DispatchOp dispatch;
  ScheduleParams &params;
  const Chip &chip;
  const RowProgram &program;
  const RowLayout &layout;
  MLIRContext *context;

  LogicalResult reject(const Twine &text) {
    return dispatch.emitError("row schedule of @") << dispatch.getName() << ": " << text;
  }
  bool contiguous() const { return layout.inner == 1; }
  bool isRing() const {
    std::optional<StringRef> resident = params.getWord("resident");
    return resident == "cluster" || resident == "grid";
  }
  /// Whether the blocks of a cluster hold a row in their registers.
  bool byCluster() const { return params.getWord("resident") == "reg" && params.getInt("split_rows").value_or(1) > 1; }
  int64_t floats(int64_t threadsPerRow, int64_t vector) const {
    int64_t parts = byCluster() ? *params.getInt("split_rows") : 1;
    return llvm::divideCeil(layout.columns, parts * threadsPerRow * vector) * vector;
  }

  LogicalResult chooseVector();
  LogicalResult chooseSplit();
  LogicalResult chooseThreads();
  LogicalResult chooseResidence();
  LogicalResult chooseRing();
  LogicalResult chooseWords();
};

} // namespace

LogicalResult RowChoice::chooseVector() {
  int64_t bytes = widestPackedElement(dispatch, program);
  int64_t most = contiguous() ? std::min(largestPowerOfTwoIn(layout.columns), 16 / bytes) : 1;
  int64_t vector = params.intOr(context, "vec", most);
  if (!contiguous() && vector != 1)
    return reject("vec = " + Twine(vector) + ", expected 1: the elements of a row lie " + Twine(layout.inner) +
                  " apart");
  if (vector * bytes > 16)
    return reject("vec = " + Twine(vector) + " of " + Twine(bytes) + "-byte elements is " + Twine(vector * bytes) +
                  " bytes, an access has at most 16");
  if (layout.columns % vector != 0)
    return reject("vec = " + Twine(vector) + " does not divide the row of " + Twine(layout.columns) + " elements");
  return success();
}

LogicalResult RowChoice::chooseSplit() {
  constexpr int64_t kLongRow = 16384, kPartOfRow = 8192;
  int64_t fallback = 1;
  // Few long rows leave most of the chip idle; parts of at least kPartOfRow elements amortise the second kernel.
  bool free = !params.has("rows_per_block") && !params.has("resident");
  if (contiguous() && free && layout.columns >= kLongRow && layout.rows < chip.multiprocessors)
    fallback = std::min<int64_t>(
        {(8 * chip.multiprocessors + layout.rows - 1) / layout.rows, layout.columns / kPartOfRow, 1024});
  int64_t split = params.intOr(context, "split_rows", std::max<int64_t>(1, fallback));
  if (split > 1 && !contiguous())
    return reject("split_rows = " + Twine(split) + ", expected 1: the elements of a row lie " + Twine(layout.inner) +
                  " apart");
  int64_t vector = *params.getInt("vec");
  if (split > 1 && split * 32 * vector > layout.columns)
    return reject("split_rows = " + Twine(split) + " leaves parts of less than " + Twine(32 * vector) +
                  " elements in a row of " + Twine(layout.columns));
  return success();
}

LogicalResult RowChoice::chooseThreads() {
  int64_t vector = *params.getInt("vec"), split = *params.getInt("split_rows");
  int64_t packs = layout.columns / vector;
  int64_t threads, rows;
  if (byCluster()) {
    if (split > 8 || !llvm::isPowerOf2_64(split))
      return reject("split_rows = " + Twine(split) + " with resident = reg, a cluster has 2, 4 or 8 blocks");
    threads = params.intOr(context, "threads_per_row", 256);
    rows = params.intOr(context, "rows_per_block", 1);
    if (rows != 1 || threads < 64)
      return reject("split_rows = " + Twine(split) + " with resident = reg, " + Twine(rows) + " rows_per_block and " +
                    Twine(threads) + " threads_per_row, expected 1 row and at least 64 threads");
  } else if (split > 1) {
    threads = params.intOr(context, "threads_per_row", 512);
    // One block of step 2 serves a group of rows, so that weights of columns are read once for it.
    rows = params.intOr(context, "rows_per_block", std::min<int64_t>(layout.rows, 16));
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
    bool persistent = params.getWord("resident") == "hybrid" || params.getWord("resident") == "smem";
    if (persistent)
      fallback = std::max<int64_t>(64, fallback);
    threads = params.intOr(context, "threads_per_row", std::clamp<int64_t>(fallback, 1, 1024));
    if (persistent)
      params.intOr(context, "rows_per_block", 1);
    rows = params.intOr(context, "rows_per_block", std::max<int64_t>(1, 128 / threads));
  } else {
    // Neighbouring threads take neighbouring rows; a column of threads shares a row.
    int64_t fallback = std::clamp<int64_t>(llvm::bit_floor<uint64_t>(std::max<int64_t>(1, layout.columns / 8)), 1, 16);
    threads = params.intOr(context, "threads_per_row", fallback);
    rows = params.intOr(context, "rows_per_block", std::max<int64_t>(1, std::max<int64_t>(32, 256 / threads)));
  }
  if (threads * rows > chip.threadsPerBlock)
    return reject("threads_per_row * rows_per_block = " + Twine(threads * rows) + ", a block has at most " +
                  Twine(chip.threadsPerBlock) + " threads");
  if (threads > 1 && threads * rows % 32 != 0)
    return reject("threads_per_row * rows_per_block = " + Twine(threads * rows) +
                  ", expected a multiple of 32: lanes exchange within whole warps");
  return success();
}

LogicalResult RowChoice::chooseResidence() {
  int64_t vector = *params.getInt("vec"), split = *params.getInt("split_rows");
  int64_t threads = *params.getInt("threads_per_row"), rows = *params.getInt("rows_per_block");
  bool storesElements = llvm::any_of(program.outputs, [](const RowOutput &output) { return !output.perRow; });
  bool packed = isa<BlockArgument>(program.held) || storesElements;
  RowSchedule schedule;
  schedule.vector = vector;
  schedule.threadsPerRow = threads;
  schedule.rowsPerBlock = rows;
  StreamPacks stream = streamPacks(program, schedule, chip);
  bool fitsRegisters = floats(threads, vector) <= mostHeld(threads * rows);
  bool canStream = contiguous() && vector * 4 == 16 && widestPackedElement(dispatch, program) == 4;
  bool fitsStream = canStream && packed && rows == 1 && threads >= 64 && stream.shared >= 1 &&
                    stream.registers * vector <= mostHeld(threads) - 16;

  std::string fallback = "none";
  if (split == 1 && storesElements) {
    if (fitsRegisters)
      fallback = "reg";
    else if (fitsStream && layout.rows >= chip.multiprocessors)
      fallback = "hybrid";
  }
  std::string resident = params.wordOr(context, "resident", fallback);
  if (resident == "smem")
    resident = "hybrid"; // shared memory first, registers for what does not fit
  if (split > 1 && resident != "none" && resident != "reg")
    return reject("resident = " + resident + ", expected none, reg, cluster or grid with split_rows = " + Twine(split));
  if (resident == "reg" && !fitsRegisters)
    return reject("resident = reg keeps " + Twine(floats(threads, vector)) + " floats in each of " +
                  Twine(threads * rows) + " threads, at most " + Twine(mostHeld(threads * rows)) + " fit");
  if (resident == "hybrid") {
    if (rows != 1 || threads < 64)
      return reject("resident = hybrid with " + Twine(rows) + " rows_per_block and " + Twine(threads) +
                    " threads_per_row, expected 1 row and at least 64 threads");
    if (!canStream)
      return reject("resident = hybrid moves 16 bytes of f32 at a time, found vec = " + Twine(vector) + " of " +
                    Twine(widestPackedElement(dispatch, program)) + "-byte elements");
    if (!fitsStream)
      return reject("resident = hybrid needs " + Twine(stream.registers * vector) + " floats in registers beside " +
                    Twine(stream.shared) + " packs in shared memory, at most " + Twine(mostHeld(threads) - 16) +
                    " fit");
  }
  return success();
}

/// A row in the shared memories of the blocks of a cluster, or of the grid.
LogicalResult RowChoice::chooseRing() {
  bool byGrid = params.getWord("resident") == "grid";
  std::string what = byGrid ? "resident = grid" : "resident = cluster";
  int64_t vector = *params.getInt("vec");
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
  int64_t threads = params.intOr(context, "threads_per_row", fallback);
  if (threads < 64)
    return reject("threads_per_row = " + Twine(threads) + " with " + what + ", expected 64 or more");
  if (int64_t rows = params.intOr(context, "rows_per_block", 1); rows != 1)
    return reject("rows_per_block = " + Twine(rows) + ", expected 1 with " + what);

  RowSchedule schedule;
  schedule.resident = byGrid ? RowSchedule::Resident::Grid : RowSchedule::Resident::Cluster;
  schedule.vector = vector;
  schedule.threadsPerRow = threads;
  constexpr int64_t kMostBlocksOfCluster = 8, kMostPacks = 64;
  int64_t blockPacks = llvm::divideCeil(total, threads);
  schedule.unroll = params.intOr(context, "unroll", std::clamp<int64_t>(blockPacks, 1, 4));
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
  parts = params.intOr(context, "split_rows", parts);
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
  int64_t lead = params.intOr(context, "lead", std::min(ring.batches, room + std::max<int64_t>(1, ring.batches / 4)));
  if (lead < room || lead > ring.batches)
    return reject("lead = " + Twine(lead) + ", expected " + Twine(room) + " to " + Twine(ring.batches) +
                  ": the ring of " + Twine(ring.slots) + " slots holds " + Twine(ring.batches) + sizes + " of a row");
  constexpr int64_t kWorkRegisters = 63;
  int64_t registers = std::min<int64_t>(255, chip.registersPerMultiprocessor / threads);
  int64_t most = 0;
  if (weights)
    most = std::clamp<int64_t>((registers - kWorkRegisters) / (weights * ring.batches), 0, schedule.unroll);
  int64_t columns = params.intOr(context, "column_packs", most);
  if (columns > most)
    return reject("column_packs = " + Twine(columns) + " of " + Twine(ring.batches) + sizes + " with " +
                  Twine(weights) + " registers each, at most " + Twine(most) + " fit in " + Twine(threads) +
                  " threads");
  return success();
}

LogicalResult RowChoice::chooseWords() {
  params.intOr(context, "unroll", 4);
  bool split = *params.getInt("split_rows") > 1 && params.getWord("resident") == "none";
  int64_t threads = *params.getInt("threads_per_row") * (split ? 1 : *params.getInt("rows_per_block"));
  // Without a promise ptxas trades the residency of a split row's second kernel for unrolling, or spills.
  constexpr int64_t kResidentThreads = 768; // of a multiprocessor; leaves each 80 registers
  int64_t residentBlocks = llvm::divideCeil(kResidentThreads, threads);
  int64_t minBlocks = params.intOr(context, "min_blocks", split ? std::clamp<int64_t>(residentBlocks, 1, 16) : 1);
  constexpr int64_t kThreadsPerMultiprocessor = 2048;
  if (minBlocks * threads > kThreadsPerMultiprocessor)
    return reject("min_blocks = " + Twine(minBlocks) + " blocks of " + Twine(threads) +
                  " threads, a multiprocessor holds " + Twine(kThreadsPerMultiprocessor) + " threads");
  params.wordOr(context, "cache_hint", "streaming");
  params.wordOr(context, "fast_math", "off");
  StringRef natural = program.statistic == RowStatistic::Softmax   ? "online"
                      : program.statistic == RowStatistic::Moments ? "welford"
                                                                   : "shfl";
  std::string reduce = params.wordOr(context, "reduce", natural);
  if (reduce == "two_pass") {
    // The output has to be a function of the exponential alone.
    bool scales = isa<aten::SoftmaxIntOp>(program.statisticOp) && program.held == program.source;
    for (Operation *op : program.statisticOp->getResult(0).getUsers())
      scales &= !llvm::is_contained(op->getOperands(), program.held);
    if (!scales || params.getWord("resident") != "reg")
      return reject("reduce = two_pass keeps exponentials in registers: expected a softmax with resident = reg");
  } else if (reduce != natural && reduce != "shfl" && reduce != "smem")
    return reject("reduce = " + reduce + ", expected " + natural + " for " +
                  program.statisticOp->getName().getStringRef());
  return success();
}

LogicalResult RowFamily::complete(DispatchOp dispatch, ScheduleParams &params, const Chip &chip) const {
  FailureOr<RowProgram> program = analyzeRowProgram(dispatch);
  if (failed(program))
    return failure();
  RowChoice choice{dispatch, params, chip, *program, program->layout, dispatch.getContext()};
  if (choice.isRing())
    return success(succeeded(choice.chooseVector()) && succeeded(choice.chooseRing()) &&
                   succeeded(choice.chooseWords()));
  return success(succeeded(choice.chooseVector()) && succeeded(choice.chooseSplit()) &&
                 succeeded(choice.chooseThreads()) && succeeded(choice.chooseResidence()) &&
                 succeeded(choice.chooseWords()));
}

FailureOr<DispatchCode> RowFamily::emit(DispatchOp dispatch, const ScheduleParams &params, const Chip &chip) const {
  FailureOr<RowProgram> program = analyzeRowProgram(dispatch);
  if (failed(program))
    return failure();
  RowSchedule schedule;
  schedule.vector = *params.getInt("vec");
  schedule.threadsPerRow = *params.getInt("threads_per_row");
  schedule.rowsPerBlock = *params.getInt("rows_per_block");
  schedule.splitRows = *params.getInt("split_rows");
  schedule.unroll = *params.getInt("unroll");
  schedule.minBlocks = *params.getInt("min_blocks");
  StringRef resident = *params.getWord("resident");
  schedule.resident = resident == "reg"       ? RowSchedule::Resident::Registers
                      : resident == "none"    ? RowSchedule::Resident::None
                      : resident == "cluster" ? RowSchedule::Resident::Cluster
                      : resident == "grid"    ? RowSchedule::Resident::Grid
                                              : RowSchedule::Resident::Hybrid;
  schedule.twoPass = params.getWord("reduce") == "two_pass";
  schedule.lead = params.getInt("lead").value_or(0);
  schedule.columnPacks = params.getInt("column_packs").value_or(0);
  schedule.streaming = *params.getWord("cache_hint") == "streaming";
  schedule.fastMath = *params.getWord("fast_math") == "on";
  return emitRowSource(dispatch, *program, schedule, chip);
}

std::unique_ptr<Family> createRowFamily() { return std::make_unique<RowFamily>(); }

} // namespace kgen
