//===- RowSource.h - The CUDA-C of a row dispatch -------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Kernels/Row/RowProgram.h"

#include "kgen/Kernels/Family.h"

namespace kgen::kernels {

/// A completed row schedule in numbers.
struct RowSchedule {
  enum class Resident { None, Registers, Hybrid, Cluster, Grid };
  Resident resident = Resident::None;
  int64_t vector = 1, threadsPerRow = 32, rowsPerBlock = 1, unroll = 4, minBlocks = 1;
  int64_t splitRows = 1;   ///< parts of one row, each of one block
  int64_t lead = 0;        ///< row_ring.cuh: batches of `unroll` packs written before the next row's statistic
  int64_t columnPacks = 0; ///< row_ring.cuh: packs of each batch whose weights and biases a thread keeps in registers
  bool streaming = true, fastMath = false;
  bool approximates = false; ///< what follows the statistic, too: with fastMath, in classes that admit it
  bool peeled = false;  ///< packs begin at a row's first boundary of 16 bytes: its length is no multiple of `vector`
  bool twoPass = false; ///< softmax: the maximum before the exponentials, which stay in registers

  bool isRing() const { return resident == Resident::Cluster || resident == Resident::Grid; }
  /// Whether two kernels share the work on a row, row_split.cuh.
  bool isSplit() const { return splitRows > 1 && resident == Resident::None; }
  /// Whether the blocks of a cluster share a row.
  bool byCluster() const { return splitRows > 1 && (resident == Resident::Cluster || resident == Resident::Registers); }
  int64_t threads() const { return threadsPerRow * (isSplit() ? 1 : rowsPerBlock); }
};

/// The packs of a thread that row_stream.cuh keeps in shared memory and in registers.
struct StreamPacks {
  int64_t shared, registers;
};
StreamPacks streamPacks(const RowProgram &program, const RowSchedule &schedule, const Chip &chip);

/// How row_ring.cuh lays rows over blocks.
struct RingLayout {
  int64_t batches; ///< of `unroll` packs, of one thread in one row
  int64_t slots;   ///< batches of one thread that shared memory holds
  int64_t groups;  ///< rows that are worked on at a time, each by splitRows blocks
};
RingLayout ringLayout(const RowProgram &program, const RowSchedule &schedule, const Chip &chip);

/// The input that stays on chip as it was read, or null: the held value, or the first input of elements before it.
mlir::Value heldInput(const RowProgram &program);

/// Registers of a thread for the weights and biases of one pack of columns, 0 when rows share none.
int64_t columnRegisters(const RowProgram &program, int64_t vector);

/// The text and the launches.
mlir::FailureOr<DispatchCode> emitRowSource(DispatchOp dispatch, const RowProgram &program, const RowSchedule &schedule,
                                            const Chip &chip);

} // namespace kgen::kernels
