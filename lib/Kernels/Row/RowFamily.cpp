//===- RowFamily.cpp - Softmax, norms and reductions over rows ------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowChoice.h"

using namespace mlir;

namespace kgen::kernels {

namespace {

class RowFamily : public Family {
public:
  StringRef name() const override { return "row"; }
  LogicalResult match(DispatchOp dispatch) const override { return analyzeRowProgram(dispatch); }
  LogicalResult complete(DispatchOp dispatch, ScheduleParams &params, const Chip &chip) const override;
  FailureOr<DispatchCode> emit(DispatchOp dispatch, const ScheduleParams &params, const Chip &chip) const override;
};

} // namespace

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
  schedule.peeled = program->layout.columns % schedule.vector != 0;
  schedule.twoPass = params.getWord("reduce") == "two_pass";
  schedule.lead = params.getInt("lead").value_or(0);
  schedule.columnPacks = params.getInt("column_packs").value_or(0);
  schedule.streaming = *params.getWord("cache_hint") == "streaming";
  schedule.fastMath = *params.getWord("fast_math") == "on";
  return emitRowSource(dispatch, *program, schedule, chip);
}

std::unique_ptr<Family> createRowFamily() { return std::make_unique<RowFamily>(); }

} // namespace kgen::kernels
