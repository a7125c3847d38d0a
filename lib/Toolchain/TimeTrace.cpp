//===- TimeTrace.cpp - What a process spends its time on -------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Toolchain/TimeTrace.h"

#include "kgen/Toolchain/Cache.h"
#include "kgen/Toolchain/Process.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/TimeProfiler.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

#include <atomic>
#include <cstdlib>
#include <unistd.h>

using namespace kgen::toolchain;

/// Shorter ones are left out, microseconds.
static constexpr unsigned granularity = 200;

static std::atomic<bool> isRecording = false;

TimeTrace::TimeTrace(llvm::StringRef program) {
  const char *folder = getenv("KGEN_TIME_TRACE");
  if (!folder || !*folder)
    return;
  file = std::string(folder) + "/" + program.str() + "-" + std::to_string(getpid()) + ".json";
  llvm::timeTraceProfilerInitialize(granularity, program);
  isRecording = true;
}

TimeTrace::~TimeTrace() {
  if (file.empty())
    return;
  isRecording = false;
  write();
  llvm::timeTraceProfilerCleanup();
}

void TimeTrace::save(bool now) {
  constexpr double interval = 1;
  if (!file.empty() && (now || monotonicSeconds() - written >= interval))
    write();
}

void TimeTrace::write() {
  llvm::SmallString<0> text;
  llvm::raw_svector_ostream stream(text);
  llvm::timeTraceProfilerWrite(stream);
  llvm::Error error = llvm::errorCodeToError(llvm::sys::fs::create_directories(llvm::sys::path::parent_path(file)));
  if (!error)
    error = writeFileAtomically(file, text);
  if (error)
    llvm::WithColor::warning() << "no time trace: " << llvm::toString(std::move(error)) << '\n';
  written = monotonicSeconds();
}

ThreadTrace::ThreadTrace() {
  if (isRecording)
    llvm::timeTraceProfilerInitialize(granularity, "");
}

ThreadTrace::~ThreadTrace() {
  if (llvm::timeTraceProfilerEnabled())
    llvm::timeTraceProfilerFinishThread();
}
