//===- Predicates.h - When an idea applies --------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Kernels/Ideas/Catalogue.h"

#include <algorithm>
#include <cstdlib>

namespace kgen::ideas {

inline bool allowsTf32(const DispatchFacts &f) { return f.f32 && f.precision != "strict-fp32"; }
inline bool allowsFp16(const DispatchFacts &f) { return f.f32 && f.precision == "fp16"; }
inline bool is16Bit(const DispatchFacts &f) { return !f.f32; }
inline bool isF32(const DispatchFacts &f) { return f.f32; }
inline bool tensorCoresAllowed(const DispatchFacts &f) { return !f.f32 || f.precision != "strict-fp32"; }
inline bool longRows(const DispatchFacts &f) { return f.columns > 4096; }
inline bool shortRows(const DispatchFacts &f) { return f.columns > 0 && f.columns <= 4096; }
/// Rows over the channels of images that have them first, and the like: neighbouring elements are in different rows.
inline bool stridedRows(const DispatchFacts &f) { return f.columns > 0 && f.apart > 1; }
inline bool fewRows(const DispatchFacts &f) {
  return f.rows > 0 && f.rows < 2 * f.multiprocessors && f.columns >= 8192;
}
/// Rows that a cluster's blocks hold, in registers or shared memory, and are too long for one block's registers.
inline bool clusterRows(const DispatchFacts &f) { return f.hopper && f.columns >= 16384 && f.columns <= 262144; }
inline bool longSoftmax(const DispatchFacts &f) { return clusterRows(f) && f.op == "aten.softmax.int"; }
/// Few rows, each longer than the shared memory of a cluster.
inline bool gridRows(const DispatchFacts &f) { return f.hopper && f.rows > 0 && f.rows <= 1024 && f.columns >= 262144; }
inline bool ringRows(const DispatchFacts &f) { return f.hopper && f.columns >= 4096 && f.columns <= 50000; }
inline bool rowsFitShared(const DispatchFacts &f) { return f.columns > 0 && f.columns <= 56000; }
inline bool tallReduction(const DispatchFacts &f) { return f.k >= 1024 && f.m * f.n <= 1024 * 1024; }
inline bool manyTiles(const DispatchFacts &f) { return f.m * f.n >= 2048 * 2048; }
inline bool narrowProduct(const DispatchFacts &f) { return f.n > 0 && f.n <= 128 && f.n % 64 != 0; }
inline bool fewChannels(const DispatchFacts &f) { return f.channels > 0 && f.channels <= 8; }
inline bool poolInside(const DispatchFacts &f) { return f.poolFollows; }
inline bool large(const DispatchFacts &f) { return f.elements >= 1 << 16; }

/// Rows in groups, each of which meets the matrix of its group.
inline bool productOfRowGroups(const DispatchFacts &f) { return f.op == "aten._grouped_mm"; }
/// The same on clusters of one tile: tensor maps need rows of 16 bytes.
inline bool groupTiles(const DispatchFacts &f) {
  return productOfRowGroups(f) && f.hopper && tensorCoresAllowed(f) && f.n >= 16 && f.k >= 64 &&
         f.n % (f.f32 ? 4 : 8) == 0 && f.k % (f.f32 ? 4 : 8) == 0;
}
inline bool wmmaProduct(const DispatchFacts &f) { return tensorCoresAllowed(f) && !productOfRowGroups(f); }
inline bool onHopper(const DispatchFacts &f) { return f.hopper; }
/// Tensor maps need rows of 16 bytes, which the preparation of f32 operands makes; a warpgroup has 64 rows, and a
/// smaller product would leave most of a tile empty.
inline bool fillsWarpgroups(const DispatchFacts &f) {
  return f.hopper && !productOfRowGroups(f) && f.m >= 64 && f.n >= 32 && f.k >= 32 &&
         (f.f32 || (f.k % 8 == 0 && f.n % 8 == 0));
}
inline bool fitsWarpgroups(const DispatchFacts &f) { return fillsWarpgroups(f) && tensorCoresAllowed(f); }
inline bool fitsSplitWarpgroups(const DispatchFacts &f) { return fillsWarpgroups(f) && !tensorCoresAllowed(f); }
/// Products of which tiles are all zeros.
inline bool emptyTiles(const DispatchFacts &f) {
  return f.triangleFollows && f.m > 64 && f.n > 64 && (f.device == "host" || fitsWarpgroups(f));
}
/// Operands that are copied as they are: both contiguous along k, rows of a multiple of 16 bytes.
inline bool plainLinear(const DispatchFacts &f) {
  return f.hopper && tensorCoresAllowed(f) && f.op == "aten.linear" && f.n >= 16 && f.k >= 64 &&
         f.k % (f.f32 ? 4 : 8) == 0;
}
/// Products that memory bounds, where scaled halves would be read three times and more before: the other operands' rows
/// are laid out along k, or read by registers.
inline bool boundByMemory(const DispatchFacts &f) {
  const double m = double(f.m), n = double(f.n), k = double(f.k);
  return m * n * k < 286 * (m * k + n * k + m * n) || m * n < 700 * (m + n);
}
inline bool roundedOperands(const DispatchFacts &f) {
  return f.f32 && f.m >= 64 &&
         (plainLinear(f) || (f.family == "gemm" && f.hopper && tensorCoresAllowed(f) && f.n >= 32 && f.k >= 16 &&
                             f.channels == 0 && !productOfRowGroups(f) && boundByMemory(f)));
}
/// Products of two f32 operands of which to rewrite the larger one takes longer than to round it each time that a tile
/// is multiplied: the smaller dimension says how often, and what lies across k is read twice for the former
/// (docs/gemm.md).
inline bool halvesInRegisters(const DispatchFacts &f) {
  const bool linear = f.op == "aten.linear", rightIsLarger = f.n > f.m, across = !linear && rightIsLarger;
  const int64_t least = std::min(f.m, f.n), most = std::max(f.m, f.n);
  return f.f32 && f.family == "gemm" && fitsWarpgroups(f) && f.channels == 0 && f.elements < 2 * f.m * f.n &&
         (across ? f.n : f.k) % 4 == 0 && least >= 128 && least <= (across ? 2560 : 1536) && most >= 2 * least;
}
/// Convolutions of one tap, channels first, that are products for each image.
inline bool productOfPlanes(const DispatchFacts &f) {
  return f.family == "gemm" && llvm::StringRef(f.op).starts_with("aten.conv");
}
inline bool passingColumns(const DispatchFacts &f) { return productOfPlanes(f) && tensorCoresAllowed(f); }
/// The same where the right operand lies across k, as a rule: of f32 it goes through registers.
inline bool plainProduct(const DispatchFacts &f) {
  return f.hopper && tensorCoresAllowed(f) && f.op == "aten.mm" && f.n >= 16 && f.k >= 64 &&
         f.n % (f.f32 ? 4 : 8) == 0 && f.k % (f.f32 ? 4 : 8) == 0;
}
/// Less than a wave of large tiles.
inline bool fewTiles(const DispatchFacts &f) {
  return (plainLinear(f) || plainProduct(f)) && (f.m + 127) / 128 * ((f.n + 255) / 256) <= f.multiprocessors;
}
/// The same of products that clusters do not copy as they are, or by few sizes of tiles.
inline bool fewOtherTiles(const DispatchFacts &f) {
  return f.family == "gemm" && fitsWarpgroups(f) && !productOfPlanes(f) && !plainLinear(f) &&
         (f.m + 127) / 128 * ((f.n + 255) / 256) <= f.multiprocessors / 2;
}
/// Images with their channels first, as what shifts over pixels.
inline bool warpgroupConvolution(const DispatchFacts &f) {
  return f.hopper && tensorCoresAllowed(f) && f.plainConvolution && !f.channelsLast && f.channels > 0 &&
         f.channels <= 64 && f.n >= 8;
}
/// Convolutions as implicit products of channels-last images: tensor maps need pixels of a multiple of 16 bytes. A
/// transposed one has no other schedule on warpgroups, so half a slab of channels is enough.
inline bool implicitProduct(const DispatchFacts &f) {
  const int64_t fewest = llvm::StringRef(f.op).starts_with("aten.conv_transpose") ? 16 : 32;
  return f.hopper && tensorCoresAllowed(f) && f.denseConvolution && !f.poolFollows && f.channels >= fewest &&
         f.channels % (f.f32 ? 4 : 8) == 0 && f.n >= 16 && f.m >= 16;
}
/// The same with groups, each a product of its own: rows of 128 bytes of a few channels, and tiles of a few filters,
/// are mostly empty.
inline bool groupedProduct(const DispatchFacts &f) {
  return f.hopper && tensorCoresAllowed(f) && f.groups > 1 && f.channels >= 8 * f.groups && f.n >= 8 * f.groups &&
         f.m >= 64 && !f.poolFollows;
}
/// Convolutions whose taps shift over a box of pixels, whatever follows them: any number of channels but the few of an
/// image's colours, unless input depths stand beside them.
inline bool shiftedTaps(const DispatchFacts &f) {
  return f.hopper && tensorCoresAllowed(f) && f.denseConvolution && !f.channelsLast && f.channels * f.slices >= 8 &&
         f.n >= (f.slices > 1 ? 8 : 16) && f.m >= 1024;
}
/// Of those, f32 ones as fp16: a step has 16 channels then.
inline bool halvedTaps(const DispatchFacts &f) {
  return f.f32 && (f.channels >= 16 || (f.slices > 1 && f.channels * f.slices > 8));
}
inline bool shiftedPixels(const DispatchFacts &f) { return shiftedTaps(f) && !f.poolFollows; }
/// Whose outputs are pooled in windows that a tile has whole: of several depths only if it has these.
inline bool pooledPixels(const DispatchFacts &f) {
  return f.poolFollows && f.separateWindows && (f.windowDepths == 1 || f.slices > 1) && shiftedTaps(f);
}
/// And what is left of their outputs is folded over channels, or over pixels. A softmax wants all channels in one tile:
/// beyond 64 its filters travel with each step, which took longer than another pass over the outputs (2889 us instead
/// of 2595 for problem 91 of level 2 on an H200).
inline bool foldedPixels(const DispatchFacts &f) {
  return f.foldFollows && (!f.softmaxFollows || f.n <= 64) && shiftedPixels(f);
}
inline bool shiftedHalves(const DispatchFacts &f) { return shiftedPixels(f) && halvedTaps(f); }
/// And folded; a softmax of many takes longer than another pass over the outputs.
inline bool foldedHalves(const DispatchFacts &f) {
  return f.foldFollows && (!f.softmaxFollows || f.slices > 1) && shiftedHalves(f);
}
/// Convolutions of which tiles of 64 pixels by 64 filters leave multiprocessors idle, where no tensor cores are
/// allowed.
inline bool fewPixels(const DispatchFacts &f) {
  return !tensorCoresAllowed(f) && f.channels > 0 && f.n > 0 && (f.m + 63) / 64 * ((f.n + 63) / 64) < f.multiprocessors;
}
/// Convolutions that are no products: a filter for each channel.
inline bool filterPerChannel(const DispatchFacts &f) { return f.channels > 1 && f.n == 0 && !f.denseConvolution; }
/// Matrix products, and convolutions that are; what has tiles, stages and fragments.
inline bool isProduct(const DispatchFacts &f) { return !filterPerChannel(f); }
/// Products with a vector, or a few, of which each element is read for hardly anything.
inline bool withVectors(const DispatchFacts &f) {
  return f.family == "gemm" && f.channels == 0 && !productOfRowGroups(f) && f.m > 0 && f.n > 0 && (f.m < 8 || f.n < 8);
}
inline bool tensorCoreProduct(const DispatchFacts &f) {
  return isProduct(f) && !withVectors(f) && tensorCoresAllowed(f);
}
inline bool tf32Product(const DispatchFacts &f) { return isProduct(f) && !withVectors(f) && allowsTf32(f); }
inline bool fp16Product(const DispatchFacts &f) { return isProduct(f) && allowsFp16(f); }
inline bool product16Bit(const DispatchFacts &f) { return isProduct(f) && !withVectors(f) && is16Bit(f); }
/// One chain of sums in a tensor core is cut at each step: 32768 of them cost 2^-12 of a result.
inline bool shortSlices(const DispatchFacts &f, const std::map<std::string, std::string> &settings) {
  auto split = settings.find("split_k");
  const int64_t slices = split == settings.end() ? 1 : std::max(1, std::atoi(split->second.c_str()));
  return f.k / slices <= 32768;
}
inline bool warpgroupPooling(const DispatchFacts &f) { return warpgroupConvolution(f) && f.runningMaximum; }

} // namespace kgen::ideas
