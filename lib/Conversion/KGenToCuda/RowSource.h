//===- RowSource.h - The CUDA-C of a row dispatch -------------------------===//
#pragma once

#include "RowProgram.h"

#include "kgen/Conversion/KGenToCuda/Family.h"

namespace kgen {

/// A completed row schedule in numbers.
struct RowSchedule {
  enum class Resident { None, Registers, Hybrid };
  Resident resident = Resident::None;
  int64_t vector = 1, threadsPerRow = 32, rowsPerBlock = 1, unroll = 4, minBlocks = 1;
  int64_t splitRows = 1; ///< grid parts of one row; above 1 the row kernel is row_split.cuh
  bool streaming = true, fastMath = false;

  int64_t threads() const { return threadsPerRow * (splitRows > 1 ? 1 : rowsPerBlock); }
};

/// Bytes of the widest element that travels in packs of `vector`.
int64_t widestPackedElement(DispatchOp dispatch, const RowProgram &program);

/// The packs of a thread that row_stream.cuh keeps in shared memory and in registers.
struct StreamPacks {
  int64_t shared, registers;
};
StreamPacks streamPacks(const RowProgram &program, const RowSchedule &schedule, const Chip &chip);

/// The text and the launches.
mlir::FailureOr<DispatchCode> emitRowSource(DispatchOp dispatch, const RowProgram &program, const RowSchedule &schedule,
                                            const Chip &chip);

} // namespace kgen
