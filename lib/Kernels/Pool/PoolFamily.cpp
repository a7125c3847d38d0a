//===- PoolFamily.cpp - Max and average over sliding windows --------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PoolProgram.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace kgen::kernels {
using schedule::Resident;

namespace {

constexpr int64_t kShortRow = 512; // outputs, for which a block per stretch has too little to do

class PoolFamily : public Family {
public:
  StringRef name() const override { return "pool"; }
  LogicalResult match(DispatchOp dispatch) const override { return analyzePool(dispatch); }
  LogicalResult complete(DispatchOp dispatch, ScheduleParams &params, const Chip &chip) const override;
  FailureOr<DispatchCode> emit(DispatchOp dispatch, const ScheduleParams &params, const Chip &) const override {
    FailureOr<PoolProgram> program = analyzePool(dispatch);
    if (failed(program))
      return failure();
    return emitPool(dispatch, *program, params);
  }
  graph::WorkFact getWork(DispatchOp dispatch) const override;
  bool readsOnce(Operation *anchor) const override;

private:
  static LogicalResult completeRows(DispatchOp dispatch, const PoolProgram &program, ScheduleParams &params);
};

} // namespace

/// Where windows do not overlap.
bool PoolFamily::readsOnce(Operation *anchor) const {
  const PoolProgram program = describePool(anchor);
  if (!program.pool || program.adaptive)
    return false;
  return llvm::none_of(llvm::seq<unsigned>(0, program.window.size()), [&](unsigned i) { return program.overlap(i); });
}

graph::WorkFact PoolFamily::getWork(DispatchOp dispatch) const {
  FailureOr<PoolProgram> program = analyzePool(dispatch);
  graph::WorkFact work;
  const unsigned rank = program->rank();
  work.windowDepths = rank == 3 ? program->window[0] : 1;
  work.separateWindows = !program->adaptive && llvm::all_of(llvm::seq(0u, rank), [&](unsigned i) {
    return program->stride[i] == program->span(i) && program->dilation[i] == 1 &&
           !program->leavesInput(i, program->output[i]);
  });
  if (!program->maximum || program->rank() > 2 || program->window.back() > 32)
    return work;
  work.runningMaximum = llvm::all_of(program->dilation, [](int64_t dilation) { return dilation == 1; }) &&
                        (program->rank() == 1 || program->window[0] == program->stride[0] ||
                         program->window[0] == program->stride[0] + 1);
  return work;
}

static LogicalResult rejectSchedule(DispatchOp dispatch, const Twine &text) {
  return dispatch.emitError("pool schedule of @") << dispatch.getName() << ": " << text;
}

LogicalResult PoolFamily::complete(DispatchOp dispatch, ScheduleParams &params, const Chip &chip) const {
  FailureOr<PoolProgram> program = analyzePool(dispatch);
  if (failed(program))
    return failure();
  MLIRContext *context = dispatch.getContext();
  auto reject = [&](const Twine &text) { return rejectSchedule(dispatch, text); };
  // Windows that share what they read: 16 bytes of it travel at a time.
  const bool longRows = program->hasRows() && program->overlap(0) && program->output[0] >= kShortRow;
  const Resident resident = params.wordOr(context, key::resident, longRows ? Resident::Smem : Resident::None);
  if (resident == Resident::Smem)
    return completeRows(dispatch, *program, params);
  params.intOr(context, key::block, 256);
  if (program->adaptive) {
    int64_t coarsen = params.intOr(context, key::coarsen, 1);
    return coarsen == 1 ? success() : reject("coarsen = " + Twine(coarsen) + ", expected 1 for an adaptive pool");
  }
  // Windows that overlap share what they read; windows apart gain nothing from one thread.
  const bool overlap = program->overlap(program->rank() - 1);
  const int64_t span = program->span(program->rank() - 1);
  int64_t fallback = overlap && span + program->stride.back() <= mostSpan && program->output.back() >= 2 ? 2 : 1;
  int64_t coarsen = params.intOr(context, key::coarsen, fallback);
  if (coarsen > program->output.back())
    return reject("coarsen = " + Twine(coarsen) + " outputs in a thread, a row has " + Twine(program->output.back()));
  int64_t covered = (coarsen - 1) * program->stride.back() + span;
  if (covered > mostSpan)
    return reject("coarsen = " + Twine(coarsen) + " covers " + Twine(covered) + " elements of an input row, at most " +
                  Twine(mostSpan) + " fit in a thread's registers");
  return success();
}

LogicalResult PoolFamily::completeRows(DispatchOp dispatch, const PoolProgram &program, ScheduleParams &params) {
  MLIRContext *context = dispatch.getContext();
  auto reject = [&](const Twine &text) { return rejectSchedule(dispatch, text); };
  if (!program.hasRows())
    return reject("resident = smem folds windows of fixed size along one dimension that lies innermost");
  const int64_t threads = params.intOr(context, key::block, 96), window = program.window[0], taps = program.taps();
  // An odd number: neighbours' elements lie in different banks.
  const int64_t most = window < mostSpan ? (mostSpan - window) / taps + 1 : 1;
  const int64_t coarsen = params.intOr(context, key::coarsen, std::min<int64_t>(11, (most - 1) / 2 * 2 + 1));
  if (coarsen > most)
    return reject("coarsen = " + Twine(coarsen) + " takes " + Twine((coarsen - 1) * taps + window) +
                  " elements of an input row, at most " + Twine(mostSpan) + " fit in a thread's registers");
  if (program.apart() > threads)
    return reject("windows that share elements are " + Twine(program.apart()) + " outputs apart, a block has " +
                  Twine(threads) + " threads");
  const Stretches stretches(program, getElementTypeOrSelf(dispatch.getResult(0).getType()), threads, coarsen);
  if (stretches.length == 0)
    return reject("a block of " + Twine(threads) + " threads with coarsen = " + Twine(coarsen) +
                  " has less than a line of 128 bytes of results");
  if (stretches.held * 4 > Chip::staticSharedBytes)
    return reject("a block's windows span " + Twine(stretches.held * 4) + " bytes of shared memory, at most " +
                  Twine(Chip::staticSharedBytes) + " are there");
  return success();
}

std::unique_ptr<Family> createPoolFamily() { return std::make_unique<PoolFamily>(); }

} // namespace kgen::kernels
