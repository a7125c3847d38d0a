//===- Replay.h - Derive every snapshot again -----------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Trajectory/RunFolder.h"

namespace kgen::trajectory {

struct ReplayOptions {
  int jobs = 1; ///< branches derived at the same time; what comes out does not depend on it
  /// Where another version of the code generator wrote the snapshot, and this one writes other text, hold the
  /// files to the journal's digests instead.
  bool recorded = false;
  /// Lowers what was given by hand, of which the compiler need not be wary. Null: the compiler does.
  graph::GraphCompiler *foreign = nullptr;
};

struct ReplaySummary {
  int branches = 0; ///< derived again, the same to the byte
  int files = 0;    ///< compared byte for byte
  int leftOut = 0;  ///< PTX that the folder no longer holds
  /// With ReplayOptions::recorded: ids of branches whose text this code generator writes differently. Their files
  /// are those that were recorded.
  std::vector<std::string> recordedOnly;
};

/// Lowers every branch of RUN again from the recorded replies and compares bytes; files that no
/// compiler of ours writes (machine code, logs) are compared with the hash in the journal, and
/// measurement.json with the text there. Needs no device. The Error is a CorruptRun where a file is not what
/// was recorded; else it names the first file that is derived differently, the byte, and the code generators.
llvm::Expected<ReplaySummary> replayRun(FileSystem &fs, const RunFolder &run, graph::GraphCompiler &compiler,
                                        const ReplayOptions &options = {});

} // namespace kgen::trajectory
