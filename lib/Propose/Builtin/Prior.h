//===- Prior.h - What a plan may take, before anything runs ---------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Private to Propose.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Kernels/Ideas/Catalogue.h"
#include "kgen/Propose/SchedulePlan.h"

namespace kgen::propose {

/// Microseconds that DISPATCH may take by its family's model: tiles and their reuse, waves of blocks over
/// the multiprocessors, bytes over the bandwidth. Made to rank settings of one problem, not to predict.
/// BYTES is what its operands and results hold.
double estimateDispatch(const ideas::DispatchFacts &facts, const ScheduleSettings &settings, double bytes);

/// Microseconds for ops on the generic path that move BYTES.
double estimateGeneric(const ideas::DispatchFacts &facts, double bytes);

} // namespace kgen::propose
