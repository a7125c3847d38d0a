//===- RowFamily.cpp - Softmax, norms and reductions over rows ------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowChoice.h"
#include "RowViews.h"

#include "kgen/Dialect/KGen/Precision.h"

using namespace mlir;

namespace kgen::kernels {

namespace {

class RowFamily : public Family {
public:
  StringRef name() const override { return "row"; }
  LogicalResult match(DispatchOp dispatch) const override { return success(succeeded(openRowDispatch(dispatch))); }
  LogicalResult complete(DispatchOp dispatch, ScheduleParams &params, const Chip &chip) const override;
  FailureOr<DispatchCode> emit(DispatchOp dispatch, const ScheduleParams &params, const Chip &chip) const override;
  SmallVector<Operation *> findStridedViews(DispatchOp dispatch) const override {
    SmallVector<Operation *> views;
    FailureOr<RowDispatch> rows = openRowDispatch(dispatch);
    for (unsigned number = 0; succeeded(rows) && number < dispatch.getInputs().size(); ++number)
      llvm::append_range(views, stridedViews(dispatch, rows->program.layout, number));
    return views;
  }
  graph::WorkFact getWork(DispatchOp dispatch) const override {
    FailureOr<RowDispatch> rows = openRowDispatch(dispatch);
    const RowLayout &layout = rows->program.layout;
    graph::WorkFact work;
    work.rows = layout.rows;
    work.columns = layout.columns;
    work.apart = layout.inner;
    return work;
  }
};

} // namespace

LogicalResult RowFamily::complete(DispatchOp dispatch, ScheduleParams &params, const Chip &chip) const {
  FailureOr<RowDispatch> rows = openRowDispatch(dispatch);
  if (failed(rows))
    return failure();
  const RowProgram &program = rows->program;
  RowChoice choice{rows->plain, params, chip, program, program.layout, dispatch.getContext()};
  if (choice.isRing())
    return success(succeeded(choice.chooseVector()) && succeeded(choice.chooseRing()) &&
                   succeeded(choice.chooseWords()));
  return success(succeeded(choice.chooseVector()) && succeeded(choice.chooseSplit()) &&
                 succeeded(choice.chooseThreads()) && succeeded(choice.chooseResidence()) &&
                 succeeded(choice.chooseWords()));
}

/// What all variants have; the rings' own beside it.
template <typename Schedule>
static RowSchedule readRow(const Schedule &read, RowSchedule::Resident resident) {
  RowSchedule schedule;
  schedule.resident = resident;
  schedule.vector = read.vec;
  schedule.threadsPerRow = read.threadsPerRow;
  schedule.rowsPerBlock = read.rowsPerBlock;
  schedule.splitRows = read.splitRows;
  schedule.unroll = read.unroll;
  schedule.minBlocks = read.minBlocks;
  schedule.twoPass = read.reduce == schedule::Reduce::TwoPass;
  schedule.streaming = read.cacheHint == schedule::CacheHint::Streaming;
  schedule.fastMath = read.fastMath;
  if constexpr (std::is_same_v<Schedule, schedule::RowCluster> || std::is_same_v<Schedule, schedule::RowGrid>) {
    schedule.lead = read.lead;
    schedule.columnPacks = read.columnPacks;
  }
  return schedule;
}

static RowSchedule readRow(const ScheduleParams &params) {
  using Resident = RowSchedule::Resident;
  switch (*params.getWord(key::resident)) {
  case schedule::Resident::Reg:
    return readRow(schedule::RowRegisters::read(params), Resident::Registers);
  case schedule::Resident::Cluster:
    return readRow(schedule::RowCluster::read(params), Resident::Cluster);
  case schedule::Resident::Grid:
    return readRow(schedule::RowGrid::read(params), Resident::Grid);
  case schedule::Resident::Smem:
  case schedule::Resident::Hybrid:
    return readRow(schedule::RowStream::read(params), Resident::Hybrid);
  case schedule::Resident::None:
    break;
  }
  if (*params.getInt(key::splitRows) > 1)
    return readRow(schedule::RowSplit::read(params), Resident::None);
  return readRow(schedule::RowReread::read(params), Resident::None);
}

FailureOr<DispatchCode> RowFamily::emit(DispatchOp dispatch, const ScheduleParams &params, const Chip &chip) const {
  FailureOr<RowDispatch> rows = openRowDispatch(dispatch);
  if (failed(rows))
    return failure();
  RowSchedule schedule = readRow(params);
  schedule.approximates =
      schedule.fastMath && precisionOf(dispatch->getParentOfType<ModuleOp>()) != Precision::StrictFP32;
  schedule.peeled = rows->program.layout.columns % schedule.vector != 0;
  return emitRowSource(rows->plain, rows->program, schedule, chip);
}

std::unique_ptr<Family> createRowFamily() { return std::make_unique<RowFamily>(); }

} // namespace kgen::kernels
