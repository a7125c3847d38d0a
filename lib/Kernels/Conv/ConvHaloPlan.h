//===- ConvHaloPlan.h - Tiles of shifted pixels -----------------*- C++ -*-===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What conv_halo.cuh derives from its constants: the schedule (ConvHalo.cpp) weighs it, the text (ConvHaloEmit.cpp)
// says it.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "ConvHalo.h"

#include "kgen/Kernels/Ideas/HaloTiles.h"

namespace kgen::kernels {

/// Whether f32 data is multiplied as fp16 under powers of two.
inline bool isScaled(const Conv &conv, schedule::Dtype dtype) {
  return conv.elementType.isF32() && dtype == schedule::Dtype::Fp16;
}
/// Of stride 1, a transposed convolution is a plain one with mirrored filters.
inline bool hasPhases(const Conv &conv) { return conv.phases() > 1; }

/// What a schedule leaves open or gives beside its tile and its stages.
struct HaloRoles {
  std::optional<int64_t> consumers;
  int64_t producerWarps = ideas::haloProducerWarps, depths = 1;
};

/// What the template derives from its constants.
struct HaloPlan {
  int64_t n, filters, bk, stages;
  int64_t depths;                 ///< outputs of a tile along the depth, whose filters are rows of one product
  bool folds;                     ///< outputs before they leave
  bool scaled;                    ///< f32 data is multiplied as fp16
  int64_t lanes;                  ///< operands in 16 bytes
  int64_t portion;                ///< channels of a step that are loaded at a time
  int64_t blocks = 1;             ///< of 64 filters that one warpgroup has
  int64_t sets = 1, parts, teams; ///< sums of a thread for each; warpgroups that share a tile, and tiles at a time
  Sizes lead, reach, span;        ///< of the input before the first tap, between its taps; outputs of a phase
  int64_t phasesD = 1, planes = 1;
  StackedDepths stack;
  Sizes window = {1, 1, 1};    ///< of outputs that are pooled before they leave
  int64_t windowRows = 1;      ///< of one phase
  int64_t slabs = 1;           ///< depths of filters that steps tell apart
  int64_t run = 1, before = 0; ///< pixels that one load has, and of a row before the first that is needed
  int64_t th = 1, tw = 1, boxes = 0, loaded = 0, pixels = 0;
  int64_t filterTiles, steps; ///< of channels
  int64_t pixelBytes, filterBytes, residentBytes;
  bool isResident = false;
  int64_t shareBytes = 0; ///< of a warpgroup, whose warps fold channels together
  int64_t atOnce = 8;     ///< channels that a warp has on their way to memory, where nothing is folded
  double parted = 0;      ///< sectors of a channel that a tile writes a part of
  int64_t stored = 0;     ///< channels of a tile, at most

  int64_t producerWarps;

  HaloPlan(const Conv &conv, const std::array<int64_t, 3> &tile, int64_t stages, const HaloRoles &roles, bool scaled,
           const Chip &chip);
  int64_t windowOutputs() const { return window[0] * window[1] * window[2]; }
  /// Whether a tile has whole windows of its warpgroups' outputs.
  bool hasWindows() const { return th >= windowRows && tw * sets >= window[2]; }
  bool isStacked() const { return depths > 1; }
  /// Filters of one output depth in a tile.
  int64_t own() const { return filters / depths; }
  /// Depths of filters that one tile meets, on average over the phases.
  double slabsOfTile() const { return double(slabs) / phasesD; }
  int64_t pitchOf(int64_t width) const { return roundUp(before + width + reach[2], run); }
  int64_t consumers() const { return parts * teams; }
  int64_t threads() const { return ideas::haloThreads(consumers(), producerWarps); }
  int64_t producers() const { return 32 * producerWarps; }
  /// Registers that the assembler counts on in each thread.
  int64_t registers(const Chip &chip) const { return ideas::haloRegisters(consumers(), chip, producerWarps); }
  int64_t accumulators() const { return blocks * sets * n / 2; }
  int64_t sharedBytes(bool resident, int64_t count) const {
    int64_t stage = pixelBytes + (resident ? 0 : filterBytes);
    int64_t before = (resident ? residentBytes : 0) + count * (stage + 16) + 8 * (1 + teams) +
                     (scaled ? 4 * count + 8 * producerWarps : 0);
    return roundUp(before, 128) + consumers() * patchBytes();
  }
  /// Of a warpgroup's outputs on their way.
  int64_t patchBytes() const;
  int64_t sharedBytes() const { return sharedBytes(isResident, stages); }
  int64_t pool(const Chip &chip) const { return registers(chip) * threads(); }
  int64_t producerRegisters() const { return consumers() <= 2 && producerWarps <= 4 ? 120 : 96; }
  int64_t consumerRegisters(const Chip &chip) const {
    return std::min<int64_t>(240, (pool(chip) - producerRegisters() * producers()) / (128 * consumers()) / 8 * 8);
  }
  int64_t grid(const Chip &chip) const {
    return std::max<int64_t>(1, std::min(chip.multiprocessors / filterTiles, boxes)) * filterTiles;
  }
  /// Rounds in which the loading threads have a portion of a step, each a run of pixels in some channels.
  int64_t rounds() const { return ceilDiv(loaded / run * (scaled ? portion / lanes : 1), producers()); }
  /// Steps, or portions, that the second-level cache is asked for: not by threads whose registers are full of runs.
  int64_t ahead() const { return rounds() <= 2 ? 2 : 0; }
  /// Registers of pixels that a loading thread has in flight.
  int64_t loadedRegisters(const Conv &conv) const {
    return rounds() * (scaled ? lanes : bk) * ceilDiv(run * conv.elementType.getIntOrFloatBitWidth(), 32);
  }
  void take(const Conv &conv, int64_t height, int64_t width);
  double fetchCycles() const;
  double partCycles() const;
};

} // namespace kgen::kernels
