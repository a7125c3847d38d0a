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

private:
  std::string file; ///< empty: nothing is recorded
};

/// A thread's part of its process's trace.
class ThreadTrace {
public:
  ThreadTrace();
  ~ThreadTrace();
  ThreadTrace(const ThreadTrace &) = delete;
};

} // namespace kgen::toolchain
