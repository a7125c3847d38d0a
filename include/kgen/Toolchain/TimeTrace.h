//===- TimeTrace.h - What a process spends its time on ----------*- C++ -*-===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM's time profiler, for a process that goes on by itself. What takes time opens an llvm::TimeTraceScope.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/StringRef.h"

#include <string>

namespace kgen::toolchain {

/// While it lives this thread's scopes are recorded, and those of threads with a ThreadTrace. At the end they are
/// written to $KGEN_TIME_TRACE/PROGRAM-PID.json, in Chrome's trace event format. Without the variable nothing happens.
/// One for each process.
class TimeTrace {
public:
  explicit TimeTrace(llvm::StringRef program);
  ~TimeTrace();
  TimeTrace(const TimeTrace &) = delete;

  /// Writes what is recorded so far, where the last time is a second ago or NOW: a process that is killed leaves that.
  /// None of this thread's scopes may be open.
  void save(bool now = false);

private:
  void write();

  std::string file;   ///< empty: nothing is recorded
  double written = 0; ///< when, by the monotonic clock
};

/// A thread's part of its process's trace.
class ThreadTrace {
public:
  ThreadTrace();
  ~ThreadTrace();
  ThreadTrace(const ThreadTrace &) = delete;
};

} // namespace kgen::toolchain
