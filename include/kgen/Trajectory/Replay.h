//===- Replay.h - Derive every snapshot again -----------------------------===//
#pragma once

#include "kgen/Trajectory/RunFolder.h"

namespace kgen {

struct ReplaySummary {
  int branches = 0; ///< derived again
  int files = 0;    ///< compared byte for byte
  int leftOut = 0;  ///< PTX that the folder no longer holds
};

/// Lowers every branch of RUN again from the recorded replies and compares bytes; files that no
/// compiler of ours writes (machine code, logs) are compared with the hash in the journal, and
/// measurement.json with the text there. Needs no device. The Error names the first file that
/// differs and the byte offset.
/// JOBS branches are derived at the same time; what comes out does not depend on it.
llvm::Expected<ReplaySummary> replayRun(FileSystem &fs, const RunFolder &run, GraphCompiler &compiler, int jobs = 1);

} // namespace kgen
