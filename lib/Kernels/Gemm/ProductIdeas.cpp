//===- ProductIdeas.cpp - Builtin ideas -----------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix products and convolutions alike. Catalogue.h explains the fields.
//
//===----------------------------------------------------------------------===//

#include "ProductIdeas.h"
#include "kgen/Kernels/Ideas/Predicates.h"

using namespace llvm;

namespace kgen::ideas {
using C = IdeaCategory;

std::vector<CatalogueEntry> getProductIdeas() {
  return {
      {"whole-width",
       C::Memory,
       "Let one block tile span the whole narrow side of the product, so that each row of the wide operand is fetched "
       "from memory once instead of once per column of tiles.",
       {"gemm", "conv"},
       80,
       75,
       narrowProduct,
       "memory|bandwidth|gather",
       {"mma=none; -dtype; -warp_tile; tile=[32, $N, 16]; thread_tile=[8, 8]",
        "mma=none; -dtype; -warp_tile; tile=[96, $N, 32]; thread_tile=[8, 8]"},
       {"tile=[128, $N, 32]; -thread_tile; -warp_tile", "tile=[256, $N, 32]; -thread_tile; -warp_tile",
        "tile=[64, $N, 32]; -thread_tile; -warp_tile"}},
      {"few-barriers",
       C::Control,
       "Take a deep slice of the reduction per step: more shared memory, fewer barriers and less loop overhead.",
       {"gemm", "conv"},
       80,
       35,
       isProduct,
       "barrier|synchron|latency|stall",
       {"mma=none; -dtype; -warp_tile; tile=[64, 64, 64]; thread_tile=[8, 8]; stages=2",
        "mma=none; -dtype; -warp_tile; tile=[32, 32, 128]; thread_tile=[8, 8]; stages=2",
        "mma=none; -dtype; -warp_tile; tile=[128, 64, 64]; thread_tile=[16, 8]; stages=2"},
       {"tile=[128, 128, 64]; -thread_tile; -warp_tile", "tile=[64, 64, 64]; -thread_tile; -warp_tile",
        "tile=[128, 64, 64]; -thread_tile; -warp_tile"}},
      {"small-block",
       C::Parallel,
       "Use small blocks with large thread tiles: hardly anyone waits at a barrier, and the tail of the grid is short.",
       {"gemm", "conv"},
       78,
       15,
       isProduct,
       "barrier|tail|occupancy",
       {"mma=none; -dtype; -warp_tile; tile=[32, 64, 16]; thread_tile=[8, 8]; stages=2",
        "mma=none; -dtype; -warp_tile; tile=[64, 64, 32]; thread_tile=[16, 8]; stages=2",
        "mma=none; -dtype; -warp_tile; tile=[32, 32, 32]; thread_tile=[8, 4]; stages=2"},
       {"mma=none; -dtype; -warp_tile; tile=[64, 64, 16]; thread_tile=[8, 8]"}},
      {"tensor-cores",
       C::Compute,
       "Compute the product by warp matrix instructions in TF32, each warp a large tile of its own.",
       {"gemm", "conv"},
       20,
       98,
       tf32Product,
       "compute|arithmetic|instruction|tensor",
       {"mma=mma_sync; dtype=tf32; -tile; -thread_tile"},
       {"mma=mma_sync; dtype=tf32; -tile; -thread_tile; -warp_tile",
        "mma=mma_sync; dtype=tf32; tile=[128, 128, 32]; warp_tile=[64, 64]; stages=3; -thread_tile",
        "mma=mma_sync; dtype=tf32; tile=[256, 128, 32]; warp_tile=[64, 64]; stages=3; -thread_tile",
        "mma=mma_sync; dtype=tf32; tile=[128, 96, 32]; warp_tile=[64, 48]; stages=3; -thread_tile"}},
      {"tensor-cores-16",
       C::Compute,
       "Multiply 16-bit operands by warp matrix instructions and accumulate in 32 bits.",
       {"gemm", "conv"},
       30,
       98,
       product16Bit,
       "compute|arithmetic|instruction|tensor",
       {"mma=mma_sync; -tile; -thread_tile"},
       {"mma=mma_sync; -tile; -thread_tile; -warp_tile",
        "mma=mma_sync; tile=[128, 128, 32]; warp_tile=[64, 64]; stages=4; -thread_tile",
        "mma=mma_sync; tile=[128, 256, 32]; warp_tile=[64, 64]; stages=3; -thread_tile",
        "mma=mma_sync; tile=[128, 128, 64]; warp_tile=[64, 64]; stages=3; -thread_tile"}},
      {"large-warp-tile",
       C::Compute,
       "Let each warp compute a larger tile: fragments that it loads from shared memory are used more often, for the "
       "price of registers.",
       {"gemm", "conv"},
       0,
       62,
       tensorCoreProduct,
       "shared memory|tensor|load",
       {},
       {"warp_tile=[64, 64]; -thread_tile", "warp_tile=[48, 48]; -thread_tile", "warp_tile=[64, 32]; -thread_tile",
        "warp_tile=[32, 64]; -thread_tile", "warp_tile=[96, 48]; -thread_tile"}},
      {"deeper-pipeline",
       C::Async,
       "Keep more tiles in flight: asynchronous copies fetch them while this one is multiplied, so that the latency of "
       "memory is hidden.",
       {"gemm", "conv"},
       20,
       75,
       isProduct,
       "latency|stall|memory|pipeline",
       {"stages=3", "stages=4"},
       {"stages=4", "stages=2", "stages=5", "stages=3"}},
      {"shallow-pipeline",
       C::Async,
       "Keep only two buffers in flight: the shared memory that is freed lets more blocks be resident, and there is "
       "less "
       "to fill before the first product.",
       {"gemm", "conv"},
       55,
       40,
       isProduct,
       "shared memory|occupancy",
       {"stages=2"},
       {"stages=2", "stages=2; min_blocks=2"}},
      {"fragment-padding",
       C::Memory,
       "Change the padding behind the rows of the shared-memory tiles so that the threads of a warp hit different "
       "banks.",
       {"gemm", "conv"},
       12,
       50,
       isProduct,
       "bank|shared memory",
       {"smem_pad=8", "smem_pad=0"},
       {"smem_pad=8", "smem_pad=0", "smem_pad=16"}},
      {"resident-blocks",
       C::Parallel,
       "Promise the compiler two resident blocks per multiprocessor: it spends fewer registers, and one block computes "
       "while the other waits; or only one, with all registers for itself.",
       {"gemm", "conv"},
       0,
       58,
       nullptr,
       "occupancy|latency|register|spill",
       {},
       {"min_blocks=2", "min_blocks=1", "min_blocks=3"}},
  };
}

} // namespace kgen::ideas
