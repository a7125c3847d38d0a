//===- LaunchForms.h - What a plan's launches become ------------*- C++ -*-===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The form in which the CUDA driver and kernels of the host compiler take what
// a launch plan says: attributes, tensor maps, and what a block on the host runs
// on. Shared by who measures candidates and by the runtime of bundles.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Runtime/CudaDriver.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

struct KGenHostLaunch;

namespace kgen::runtime {

/// No code of CUDA's: this driver is too old for what was asked of it.
constexpr cuda::Result driverLacksIt = -1;

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

struct LaunchShape {
  std::array<unsigned, 3> grid, block, cluster;
  unsigned sharedBytes;
  bool cooperative;

  /// Of a LAUNCH with members of these names.
  template <typename Launch>
  static LaunchShape of(const Launch &launch) {
    auto three = [](const auto &sizes) {
      return std::array<unsigned, 3>{unsigned(sizes[0]), unsigned(sizes[1]), unsigned(sizes[2])};
    };
    return {three(launch.grid), three(launch.block), three(launch.cluster), unsigned(launch.sharedBytes),
            launch.cooperative};
  }
  unsigned clusterBlocks() const { return cluster[0] * cluster[1] * cluster[2]; }
};

/// Asks for what launches of SHAPE need beyond the usual: more than 48 KiB of shared memory, of which FUNCTION has
/// STATICBYTES of its own, and clusters of more than 8 blocks.
cuda::Result allowLaunch(const cuda::Driver &driver, cuda::Function function, const LaunchShape &shape,
                         unsigned staticBytes);
/// Queues FUNCTION on STREAM; driverLacksIt where clusters and cooperation cannot be asked for. With OVERLAPS it may be
/// brought to the card while the kernel before it in STREAM still runs (programmatic stream serialization of the CUDA
/// programming guide, "Programmatic Dependent Launch"), for which it must wait by itself: see waitsForLaunches().
cuda::Result launchKernel(const cuda::Driver &driver, cuda::Function function, const LaunchShape &shape,
                          cuda::Stream stream, void **arguments, bool overlaps);

/// Whether KERNEL of CUBIN, BYTES of machine code, waits for the launches before it ahead of anything that could see
/// whether they are over: memory, barriers, branches. False for what is not understood, and below compute
/// capability 9.0.
bool waitsForLaunches(const void *cubin, size_t bytes, const char *kernel);
/// The same of the kernel's instructions, COUNT of 16 bytes each at TEXT.
bool waitsForLaunches(const void *text, size_t count);
/// Whether CUBIN has variables in the card's memory that its kernels can reach, and so may pass on from launch to
/// launch; constants that the compiler put into the instructions are none. True for what is not understood.
bool keepsVariables(const void *cubin, size_t bytes);

//===----------------------------------------------------------------------===//
// Tensor maps
//===----------------------------------------------------------------------===//

constexpr size_t tensorMapBytes = 128;

struct TensorMapShape {
  const char *dtype; ///< "f16" or "tf32", as plans say it
  unsigned rank;
  uint64_t dims[5] = {}, strides[5] = {};
  uint32_t box[5] = {};
  int swizzle, l2;

  /// Of a MAP with members of these names.
  template <typename Map>
  static TensorMapShape of(const char *dtype, const Map &map) {
    TensorMapShape shape{dtype, unsigned(map.dims.size())};
    std::copy(map.dims.begin(), map.dims.end(), shape.dims);
    std::copy(map.strides.begin(), map.strides.end(), shape.strides);
    std::copy(map.box.begin(), map.box.end(), shape.box);
    shape.swizzle = map.swizzle;
    shape.l2 = map.l2;
    return shape;
  }
};

/// The map of a buffer at BASE into the tensorMapBytes at TO, which are aligned to 64 bytes; driverLacksIt where the
/// driver has no tensor maps.
cuda::Result encodeForCard(const cuda::Driver &driver, const TensorMapShape &shape, void *base, void *to);
/// The same as kgen_host_hopper.h reads it.
void encodeForHost(const TensorMapShape &shape, void *base, void *to);

//===----------------------------------------------------------------------===//
// The host
//===----------------------------------------------------------------------===//

/// What a block's threads run on: a stack for each, with a page that is not there below it, so that unbounded recursion
/// is a fault, and memory for what is under way. Pages are taken as they are used.
class HostStacks {
public:
  static constexpr size_t queueBytes = size_t(1) << 30, guardBytes = 4096;

  HostStacks() = default;
  HostStacks(const HostStacks &) = delete;
  ~HostStacks();
  /// For blocks of up to THREADS threads. False, and errno, when there is no memory.
  bool allocate(unsigned threads);
  void lend(KGenHostLaunch &call) const;
  unsigned count() const { return threads; }
  /// Where the stack of thread I ends, from which it grows down.
  char *endOf(unsigned i) const;

private:
  char *stacks = nullptr, *queues = nullptr;
  unsigned threads = 0;
};

} // namespace kgen::runtime
