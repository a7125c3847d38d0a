//===- Catalogue.cpp - The builtin ideas ----------------------------------===//
//
// Read it as a table. Each entry: key, category, the idea in words, families,
// promise on host and on a card, applicability, diagnosis, settings for the
// host, settings for a card.
//
// The two devices want different things. A block's threads are fibres of one
// core on the host: a barrier costs each of them a switch (some 30 ns), there
// is one cache hierarchy and no tensor core, so much work per thread and few
// barriers win. A card wants many threads, wide loads and tensor cores.
//
//===----------------------------------------------------------------------===//

#include "Catalogue.h"

#include "llvm/ADT/StringMap.h"

using namespace llvm;

namespace kgen {

namespace {
bool allowsTf32(const DispatchFacts &f) { return f.f32 && f.precision != "strict-fp32"; }
bool allowsFp16(const DispatchFacts &f) { return f.f32 && f.precision == "fp16"; }
bool is16Bit(const DispatchFacts &f) { return !f.f32; }
bool isF32(const DispatchFacts &f) { return f.f32; }
bool tensorCoresAllowed(const DispatchFacts &f) { return !f.f32 || f.precision != "strict-fp32"; }
bool longRows(const DispatchFacts &f) { return f.columns > 4096; }
bool shortRows(const DispatchFacts &f) { return f.columns > 0 && f.columns <= 4096; }
bool fewRows(const DispatchFacts &f) { return f.rows > 0 && f.rows < 2 * f.multiprocessors && f.columns >= 8192; }
bool rowsFitShared(const DispatchFacts &f) { return f.columns > 0 && f.columns <= 56000; }
bool tallReduction(const DispatchFacts &f) { return f.k >= 1024 && f.m * f.n <= 1024 * 1024; }
bool manyTiles(const DispatchFacts &f) { return f.m * f.n >= 2048 * 2048; }
bool narrowProduct(const DispatchFacts &f) { return f.n > 0 && f.n <= 128 && f.n % 64 != 0; }
bool fewChannels(const DispatchFacts &f) { return f.channels > 0 && f.channels <= 8; }
bool poolInside(const DispatchFacts &f) { return f.poolFollows; }
bool large(const DispatchFacts &f) { return f.elements >= 1 << 16; }

using C = IdeaCategory;

const std::vector<CatalogueEntry> catalogue = {
    //===----------------------------------------------------------------===//
    // Products and convolutions
    //===----------------------------------------------------------------===//
    {"register-tile", C::Compute,
     "Give each thread a tile of the product in registers, so that every value it reads from shared memory is used "
     "several times and the loop is bound by multiplies instead of loads.",
     {"gemm"}, 95, 60, nullptr, "shared memory|latency|instruction|load",
     {"mma=none; -dtype; -warp_tile; tile=[64, 64, 16]; thread_tile=[8, 8]; stages=2",
      "mma=none; -dtype; -warp_tile; tile=[64, 64, 32]; thread_tile=[8, 16]; stages=2",
      "mma=none; -dtype; -warp_tile; tile=[32, 64, 32]; thread_tile=[8, 8]; stages=2",
      "mma=none; -dtype; -warp_tile; tile=[128, 64, 16]; thread_tile=[16, 8]; stages=2"},
     {"mma=none; -dtype; -warp_tile; tile=[128, 128, 16]; thread_tile=[8, 8]",
      "mma=none; -dtype; -warp_tile; tile=[128, 64, 16]; thread_tile=[8, 8]",
      "mma=none; -dtype; -warp_tile; tile=[256, 128, 16]; thread_tile=[16, 8]",
      "mma=none; -dtype; -warp_tile; tile=[64, 64, 16]; thread_tile=[4, 4]"}},
    {"pixel-tile", C::Compute,
     "Give each thread several pixels and several filters: a pixel in a register meets all of the thread's filters, "
     "and a filter in a register meets all of its pixels.",
     {"conv"}, 95, 55, nullptr, "shared memory|latency|instruction|load",
     {"mma=none; -dtype; -warp_tile; tile=[64, $N, 16]; thread_tile=[8, 8]; stages=2",
      "mma=none; -dtype; -warp_tile; tile=[128, $N, 16]; thread_tile=[16, 8]; stages=2",
      "mma=none; -dtype; -warp_tile; tile=[64, $N, 32]; thread_tile=[8, 16]; stages=2"},
     {"mma=none; -dtype; -warp_tile; tile=[288, 48, 16]; thread_tile=[8, 8]",
      "mma=none; -dtype; -warp_tile; tile=[128, 96, 16]; thread_tile=[8, 8]",
      "mma=none; -dtype; -warp_tile; tile=[256, 96, 16]; thread_tile=[8, 12]"}},
    {"whole-width", C::Memory,
     "Let one block tile span the whole narrow side of the product, so that each row of the wide operand is fetched "
     "from memory once instead of once per column of tiles.",
     {"gemm", "conv"}, 80, 75, narrowProduct, "memory|bandwidth|gather",
     {"mma=none; -dtype; -warp_tile; tile=[32, $N, 16]; thread_tile=[8, 8]",
      "mma=none; -dtype; -warp_tile; tile=[96, $N, 32]; thread_tile=[8, 8]"},
     {"tile=[128, $N, 32]; -thread_tile; -warp_tile", "tile=[256, $N, 32]; -thread_tile; -warp_tile",
      "tile=[64, $N, 32]; -thread_tile; -warp_tile"}},
    {"few-barriers", C::Control,
     "Take a deep slice of the reduction per step: more shared memory, fewer barriers and less loop overhead.",
     {"gemm", "conv"}, 80, 35, nullptr, "barrier|synchron|latency|stall",
     {"mma=none; -dtype; -warp_tile; tile=[64, 64, 64]; thread_tile=[8, 8]; stages=2",
      "mma=none; -dtype; -warp_tile; tile=[32, 32, 128]; thread_tile=[8, 8]; stages=2",
      "mma=none; -dtype; -warp_tile; tile=[128, 64, 64]; thread_tile=[16, 8]; stages=2"},
     {"tile=[128, 128, 64]; -thread_tile; -warp_tile", "tile=[64, 64, 64]; -thread_tile; -warp_tile",
      "tile=[128, 64, 64]; -thread_tile; -warp_tile"}},
    {"small-block", C::Parallel,
     "Use small blocks with large thread tiles: hardly anyone waits at a barrier, and the tail of the grid is short.",
     {"gemm", "conv"}, 78, 15, nullptr, "barrier|tail|occupancy",
     {"mma=none; -dtype; -warp_tile; tile=[32, 64, 16]; thread_tile=[8, 8]; stages=2",
      "mma=none; -dtype; -warp_tile; tile=[64, 64, 32]; thread_tile=[16, 8]; stages=2",
      "mma=none; -dtype; -warp_tile; tile=[32, 32, 32]; thread_tile=[8, 4]; stages=2"},
     {"mma=none; -dtype; -warp_tile; tile=[64, 64, 16]; thread_tile=[8, 8]"}},
    {"tensor-cores", C::Compute,
     "Compute the product by warp matrix instructions in TF32, each warp a large tile of its own.",
     {"gemm", "conv"}, 20, 98, allowsTf32, "compute|arithmetic|instruction|tensor",
     {"mma=mma_sync; dtype=tf32; -tile; -thread_tile"},
     {"mma=mma_sync; dtype=tf32; -tile; -thread_tile; -warp_tile",
      "mma=mma_sync; dtype=tf32; tile=[128, 128, 32]; warp_tile=[64, 64]; stages=3; -thread_tile",
      "mma=mma_sync; dtype=tf32; tile=[256, 128, 32]; warp_tile=[64, 64]; stages=3; -thread_tile",
      "mma=mma_sync; dtype=tf32; tile=[128, 96, 32]; warp_tile=[64, 48]; stages=3; -thread_tile"}},
    {"tensor-cores-16", C::Compute,
     "Multiply 16-bit operands by warp matrix instructions and accumulate in 32 bits.",
     {"gemm", "conv"}, 30, 98, is16Bit, "compute|arithmetic|instruction|tensor",
     {"mma=mma_sync; -tile; -thread_tile"},
     {"mma=mma_sync; -tile; -thread_tile; -warp_tile",
      "mma=mma_sync; tile=[128, 128, 32]; warp_tile=[64, 64]; stages=4; -thread_tile",
      "mma=mma_sync; tile=[128, 256, 32]; warp_tile=[64, 64]; stages=3; -thread_tile",
      "mma=mma_sync; tile=[128, 128, 64]; warp_tile=[64, 64]; stages=3; -thread_tile"}},
    {"fp16-operands", C::DType,
     "Round the operands to fp16 on their way to the tensor cores: it keeps the ten mantissa bits that TF32 keeps, at "
     "half the bytes and twice the rate; sums stay in fp32.",
     {"conv"}, 10, 88, allowsFp16, "compute|arithmetic|tensor|shared memory",
     {"mma=mma_sync; dtype=fp16; -tile; -thread_tile"},
     {"mma=mma_sync; dtype=fp16; -tile; -thread_tile; -warp_tile",
      "mma=mma_sync; dtype=fp16; tile=[288, 96, 64]; warp_tile=[48, 48]; -thread_tile"}},
    {"wmma", C::Compute,
     "Use the portable warp matrix API, which lets the compiler choose how fragments lie in registers.",
     {"gemm"}, 8, 40, tensorCoresAllowed, "tensor|register|spill",
     {"mma=wmma; -tile; -thread_tile"}, {"mma=wmma; -tile; -thread_tile; -warp_tile", "mma=wmma; -thread_tile"}},
    {"large-warp-tile", C::Compute,
     "Let each warp compute a larger tile: fragments that it loads from shared memory are used more often, for the "
     "price of registers.",
     {"gemm", "conv"}, 0, 62, tensorCoresAllowed, "shared memory|tensor|load",
     {}, {"warp_tile=[64, 64]; -thread_tile", "warp_tile=[48, 48]; -thread_tile", "warp_tile=[64, 32]; -thread_tile",
          "warp_tile=[32, 64]; -thread_tile", "warp_tile=[96, 48]; -thread_tile"}},
    {"deeper-pipeline", C::Async,
     "Keep more tiles in flight: asynchronous copies fetch them while this one is multiplied, so that the latency of "
     "memory is hidden.",
     {"gemm", "conv"}, 20, 75, nullptr, "latency|stall|memory|pipeline",
     {"stages=3", "stages=4"}, {"stages=4", "stages=2", "stages=5", "stages=3"}},
    {"shallow-pipeline", C::Async,
     "Keep only two buffers in flight: the shared memory that is freed lets more blocks be resident, and there is less "
     "to fill before the first product.",
     {"gemm", "conv"}, 55, 40, nullptr, "shared memory|occupancy",
     {"stages=2"}, {"stages=2", "stages=2; min_blocks=2"}},
    {"fragment-padding", C::Memory,
     "Change the padding behind the rows of the shared-memory tiles so that the threads of a warp hit different banks.",
     {"gemm", "conv"}, 12, 50, nullptr, "bank|shared memory",
     {"smem_pad=8", "smem_pad=0"}, {"smem_pad=8", "smem_pad=0", "smem_pad=16"}},
    {"pool-tiles", C::Parallel,
     "Choose the pooled outputs of one block so that little of the convolution is computed twice at the borders.",
     {"conv"}, 75, 80, poolInside, "recompute|halo|compute",
     {"pool_tile=[9, 9]", "pool_tile=[4, 9]", "pool_tile=[3, 27]", "pool_tile=[2, 4]"},
     {"pool_tile=[4, 9]; -tile; -warp_tile", "pool_tile=[3, 27]; -tile; -warp_tile", "pool_tile=[2, 9]; -tile; -warp_tile",
      "pool_tile=[9, 9]; -tile; -warp_tile", "pool_tile=[1, 27]; -tile; -warp_tile"}},
    {"slab", C::Memory,
     "Choose how many input channels of the image patch lie in shared memory at a time: all of them save copies, fewer "
     "leave room for another resident block.",
     {"conv"}, 40, 60, nullptr, "memory|shared memory|occupancy|gather",
     {"slab_channels=1", "slab_channels=3", "slab_channels=4"},
     {"slab_channels=1", "slab_channels=3", "slab_channels=8", "slab_channels=16"}},
    {"raster-groups", C::Parallel,
     "Walk through the tiles in groups, so that blocks which run at the same time share rows and columns in the L2 "
     "cache.",
     {"gemm"}, 8, 60, manyTiles, "memory|bandwidth|l2|cache",
     {"raster=4"}, {"raster=4", "raster=16", "raster=2", "raster=32"}},
    {"split-reduction", C::Parallel,
     "Split the long reduction over several blocks and add their partial sums, so that every multiprocessor has work.",
     {"gemm"}, 5, 70, tallReduction, "occupancy|tail|waves|parallel",
     {"split_k=2"}, {"split_k=4", "split_k=8", "split_k=2", "split_k=16"}},
    {"one-pass", C::Parallel,
     "Do not split the reduction: the partial sums' way through memory costs more than idle multiprocessors.",
     {"gemm"}, 60, 45, nullptr, "memory|workspace|launches",
     {"split_k=1"}, {"split_k=1"}},
    {"resident-blocks", C::Parallel,
     "Promise the compiler two resident blocks per multiprocessor: it spends fewer registers, and one block computes "
     "while the other waits; or only one, with all registers for itself.",
     {"gemm", "conv"}, 0, 58, nullptr, "occupancy|latency|register|spill",
     {}, {"min_blocks=2", "min_blocks=1", "min_blocks=3"}},
    {"narrow-loads", C::Memory,
     "Change the width of the loads from global memory: narrower ones need less alignment and spread over more "
     "threads.",
     {"gemm"}, 10, 30, nullptr, "memory|bandwidth|load",
     {"vec=2", "vec=1"}, {"vec=2", "vec=8", "vec=4"}},

    //===----------------------------------------------------------------===//
    // Rows: softmax, norms, reductions
    //===----------------------------------------------------------------===//
    {"thread-per-row", C::Parallel,
     "Let one thread reduce a whole row: no shuffles and no barriers at all.",
     {"row"}, 97, 12, nullptr, "barrier|synchron|latency",
     {"threads_per_row=1; rows_per_block=32; resident=none; split_rows=1",
      "threads_per_row=1; rows_per_block=8; resident=none; split_rows=1",
      "threads_per_row=1; rows_per_block=1; resident=none; split_rows=1",
      "threads_per_row=1; rows_per_block=128; resident=none; split_rows=1"},
     {"threads_per_row=1; rows_per_block=128; resident=none"}},
    {"warp-per-row", C::Parallel,
     "Give each row to one warp, which reduces it by shuffles alone; several rows share a block.",
     {"row"}, 55, 75, shortRows, "barrier|synchron|occupancy",
     {"threads_per_row=32; rows_per_block=1; resident=none", "threads_per_row=32; rows_per_block=4"},
     {"threads_per_row=32; rows_per_block=8; resident=reg", "threads_per_row=32; rows_per_block=4; resident=reg",
      "threads_per_row=16; rows_per_block=16; resident=reg"}},
    {"few-threads", C::Control,
     "Use few threads per row, each with a long run of elements: less of the time goes to the reduction's tree.",
     {"row"}, 82, 20, nullptr, "barrier|synchron|latency|reduction",
     {"threads_per_row=2; rows_per_block=16; resident=none", "threads_per_row=4; rows_per_block=8; resident=none",
      "threads_per_row=8; rows_per_block=4; resident=none"},
     {"threads_per_row=64; rows_per_block=4", "threads_per_row=128; rows_per_block=2"}},
    {"row-in-registers", C::Memory,
     "Keep the row in registers between the reduction and the output, so that memory is read once.",
     {"row"}, 50, 85, rowsFitShared, "memory|bandwidth|read twice",
     {"resident=reg; threads_per_row=64; rows_per_block=1", "resident=reg; threads_per_row=128; rows_per_block=1"},
     {"resident=reg; threads_per_row=512; rows_per_block=1", "resident=reg; threads_per_row=1024; rows_per_block=1",
      "resident=reg; threads_per_row=256; rows_per_block=1", "resident=reg; threads_per_row=128; rows_per_block=1"}},
    {"row-on-chip", C::Memory,
     "Keep the row on chip between the passes, in shared memory and what does not fit there in registers, and fetch the "
     "next row while this one is written: each element crosses the memory bus once in each direction.",
     {"row"}, 30, 93, longRows, "memory|bandwidth|read twice|spill",
     {"resident=smem; threads_per_row=64; rows_per_block=1"},
     {"resident=smem; threads_per_row=1024; rows_per_block=1", "resident=smem; threads_per_row=512; rows_per_block=1",
      "resident=hybrid; threads_per_row=1024; rows_per_block=1; unroll=2", "resident=smem; threads_per_row=256; rows_per_block=1"}},
    {"split-rows", C::Parallel,
     "Split each long row over several blocks and combine their partial results in a second kernel, so that the whole "
     "card works on few rows.",
     {"row"}, 8, 92, fewRows, "occupancy|parallel|waves|few blocks",
     {"split_rows=2; -rows_per_block; -threads_per_row; resident=none"},
     {"split_rows=64; -rows_per_block; -threads_per_row; resident=none",
      "split_rows=32; -rows_per_block; -threads_per_row; resident=none",
      "split_rows=128; -rows_per_block; -threads_per_row; resident=none",
      "split_rows=256; -rows_per_block; -threads_per_row; resident=none",
      "split_rows=512; -rows_per_block; -threads_per_row; resident=none"}},
    {"second-read", C::Control,
     "Read the row a second time instead of keeping it: the second read hits the cache, and without the buffer more "
     "blocks are resident.",
     {"row"}, 62, 40, nullptr, "occupancy|register|spill",
     {"resident=none", "resident=none; threads_per_row=1; rows_per_block=16"},
     {"resident=none; threads_per_row=512; rows_per_block=1", "resident=none; threads_per_row=256; rows_per_block=1",
      "resident=none; threads_per_row=1024; rows_per_block=1"}},
    {"row-vectors", C::Memory,
     "Load and store 16 bytes at a time, so that a row needs a quarter of the instructions; or fewer, for more even "
     "work.",
     {"row"}, 40, 55, nullptr, "memory|bandwidth|load",
     {"vec=1", "vec=2", "vec=4"}, {"vec=4", "vec=8", "vec=2"}},
    {"row-caching", C::Memory,
     "Let loads and stores go through the cache in the ordinary way: what one pass fetched is there for the next.",
     {"row"}, 25, 45, nullptr, "cache|l2|memory",
     {"cache_hint=none"}, {"cache_hint=none", "cache_hint=streaming"}},
    {"row-fast-math", C::DType,
     "Use the hardware's approximate exponential and reciprocal; the error stays far below the tolerance of the "
     "precision class.",
     {"row"}, 20, 45, isF32, "compute|special function|instruction",
     {"fast_math=on"}, {"fast_math=on"}},
    {"row-unroll", C::Control,
     "Unroll the loop over a row, so that several loads are in flight per thread.",
     {"row"}, 45, 55, nullptr, "latency|stall|load",
     {"unroll=8", "unroll=1", "unroll=2", "unroll=16"}, {"unroll=8", "unroll=2", "unroll=16"}},
    {"row-occupancy", C::Parallel,
     "Ask for more resident blocks, so that one row's reduction hides behind another row's loads.",
     {"row"}, 0, 38, nullptr, "occupancy|latency|stall",
     {}, {"min_blocks=2", "min_blocks=4", "min_blocks=1"}},
    {"row-tree", C::Compute,
     "Combine the partial results of a row through shared memory instead of shuffles, or the other way round.",
     {"row"}, 30, 30, nullptr, "reduction|barrier|shuffle",
     {"reduce=smem", "reduce=shfl"}, {"reduce=smem", "reduce=shfl"}},

    //===----------------------------------------------------------------===//
    // Windows
    //===----------------------------------------------------------------===//
    {"pool-coarsen", C::Parallel,
     "Let each thread compute several neighbouring windows, which share most of what they read.",
     {"pool"}, 70, 60, nullptr, "load|latency|instruction",
     {"coarsen=4", "coarsen=8", "coarsen=2"}, {"coarsen=2", "coarsen=4", "coarsen=8"}},
    {"pool-block", C::Parallel,
     "Change the number of threads of a block, to balance the tail of the grid against the cost of a block.",
     {"pool"}, 50, 40, nullptr, "occupancy|tail",
     {"block=64", "block=32", "block=128"}, {"block=128", "block=256", "block=512"}},

    //===----------------------------------------------------------------===//
    // Element-wise chains
    //===----------------------------------------------------------------===//
    {"wide-access", C::Memory,
     "Move 16 bytes per load and store: fewer instructions for the same bytes.",
     {"pointwise"}, 60, 80, large, "memory|bandwidth|load",
     {"vec=4", "vec=8", "vec=2"}, {"vec=4", "vec=8", "vec=2"}},
    {"coarsen", C::Parallel,
     "Let each thread compute several elements a stride apart: more loads in flight, fewer blocks to start.",
     {"pointwise"}, 70, 60, nullptr, "latency|memory|tail",
     {"coarsen=8", "coarsen=16", "coarsen=4"}, {"coarsen=4", "coarsen=2", "coarsen=8"}},
    {"block-size", C::Parallel,
     "Change the number of threads of a block, to balance the tail of the grid against the cost of a block.",
     {"pointwise"}, 45, 45, nullptr, "occupancy|tail",
     {"block=64", "block=32", "block=128"}, {"block=128", "block=512", "block=256", "block=1024"}},
    {"streaming", C::Memory,
     "Mark loads and stores that are used once as streaming, so that they leave the cache to others.",
     {"pointwise"}, 0, 45, large, "cache|l2|memory",
     {}, {"cache_hint=streaming"}},
};

/// Walked by refinement. Lists are tiles: each number of the value moves on its own.
struct NeighbourRow {
  const char *key;
  std::vector<const char *> values;
};

const std::vector<NeighbourRow> neighbours = {
    {"tile", {"4", "8", "16", "32", "48", "64", "96", "128", "192", "256"}},
    {"warp_tile", {"16", "32", "48", "64", "96", "128"}},
    {"thread_tile", {"1", "2", "4", "8", "16"}},
    {"pool_tile", {"1", "2", "3", "4", "6", "9", "13", "18", "27"}},
    {"stages", {"1", "2", "3", "4", "5", "6"}},
    {"vec", {"1", "2", "4", "8"}},
    {"smem_pad", {"0", "4", "8", "16"}},
    {"split_k", {"1", "2", "4", "8", "16"}},
    {"split_rows", {"1", "2", "4", "8", "16", "32", "64", "128", "256"}},
    {"raster", {"1", "2", "4", "8", "16", "32"}},
    {"coarsen", {"1", "2", "4", "8", "16", "32"}},
    {"unroll", {"1", "2", "4", "8", "16"}},
    {"block", {"32", "64", "128", "256", "512", "1024"}},
    {"min_blocks", {"1", "2", "3", "4", "6", "8"}},
    {"rows_per_block", {"1", "2", "4", "8", "16", "32", "64", "128"}},
    {"threads_per_row", {"1", "2", "4", "8", "16", "32", "64", "128", "256", "512", "1024"}},
};
} // namespace

ArrayRef<CatalogueEntry> getCatalogue() { return catalogue; }

ArrayRef<const char *> getNeighbours(StringRef key) {
  for (const NeighbourRow &row : neighbours)
    if (key == row.key)
      return row.values;
  return {};
}

} // namespace kgen
