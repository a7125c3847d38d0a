//===- Catalogue.cpp - Settings that can be tuned -------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Catalogue.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

#include <map>

using namespace llvm;

namespace kgen::propose {
namespace {

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
    {"lead", {"0", "1", "2", "3", "4", "5", "6", "7", "8"}},
    {"column_packs", {"0", "1", "2", "3", "4"}},
    {"split_rows", {"1", "2", "4", "8", "16", "32", "64", "128", "256"}},
    {"raster", {"1", "2", "4", "8", "16", "32"}},
    {"cluster", {"1", "2", "4"}},
    {"consumers", {"1", "2", "3"}},
    {"producer_warps", {"1", "2", "4"}},
    {"mma_inflight", {"0", "1"}},
    {"promote_k", {"64", "128", "256"}},
    {"coarsen", {"1", "2", "4", "8", "16", "32"}},
    {"unroll", {"1", "2", "4", "8", "16"}},
    {"block", {"32", "64", "128", "256", "512", "1024"}},
    {"min_blocks", {"1", "2", "3", "4", "6", "8"}},
    {"rows_per_block", {"1", "2", "4", "8", "16", "32", "64", "128"}},
    {"threads_per_row", {"1", "2", "4", "8", "16", "32", "64", "128", "256", "512", "768", "1024"}},
};

const std::vector<OpenKnob> openKnobs = {
    {"conv", "mma=wgmma", "producer_warps", {"2", "4"}},
    {"conv", "mma=wgmma", "mma_inflight", {"1"}},
    {"conv", "mma=wgmma", "stages", {"6", "5", "8"}},
    {"row", "resident=reg", "fast_math", {"on"}},
    {"row", "resident=reg", "cache_hint", {"none", "streaming"}},
    {"row", "resident=grid", "lead", {"3", "4", "2"}},
    {"row", "resident=cluster", "lead", {"2", "4"}},
};

/// Keys of warpgroup products; their other settings are those of warps.
const std::map<StringRef, std::vector<StringRef>> warpgroupKeys = {
    {"conv",
     {"blocks", "chunk", "consumers", "dtype", "im2col", "mma", "mma_inflight", "producer_warps", "stages", "tile"}},
    {"gemm",
     {"cluster", "consumers", "convert_at", "dtype", "mma", "mma_inflight", "persistent", "pipeline", "promote_k",
      "raster", "reg_split", "split_k", "split_precision", "stages", "store", "tile"}},
};
} // namespace

std::vector<const OpenKnob *> getOpenKnobs(const PlannedDispatch &dispatch) {
  std::vector<const OpenKnob *> open;
  for (const OpenKnob &knob : openKnobs) {
    auto holds = [&](const auto &setting) {
      auto it = dispatch.settings.find(setting.first);
      return it != dispatch.settings.end() && it->second == setting.second;
    };
    if (dispatch.family == knob.family && !dispatch.settings.count(knob.key) &&
        llvm::all_of(parseSettings(knob.settings), holds))
      open.push_back(&knob);
  }
  return open;
}

bool knowsSettings(const PlannedDispatch &dispatch) {
  auto mma = dispatch.settings.find("mma");
  auto keys = warpgroupKeys.find(dispatch.family);
  if (mma == dispatch.settings.end() || mma->second != "wgmma" || keys == warpgroupKeys.end())
    return true;
  // A convolution's tile is [64, n], without a k.
  auto tile = dispatch.settings.find("tile");
  if (dispatch.family == "conv" && tile != dispatch.settings.end() && StringRef(tile->second).count(',') != 1)
    return false;
  return llvm::all_of(dispatch.settings,
                      [&](const auto &setting) { return llvm::is_contained(keys->second, setting.first); });
}

ArrayRef<const char *> getNeighbours(StringRef key) {
  for (const NeighbourRow &row : neighbours)
    if (key == row.key)
      return row.values;
  return {};
}

} // namespace kgen::propose
