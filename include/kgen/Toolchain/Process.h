//===- Process.h - Child processes with limits ----------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every program that kgen starts runs through here: exec'd, its environment
// an allow-list, no inherited descriptors but the ones named, dead with its
// parent, killed as a group, in a jail when one is given.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Toolchain/Jail.h"

#include "llvm/Support/Error.h"

#include <cstdint>
#include <optional>
#include <string>
#include <sys/types.h>
#include <utility>
#include <vector>

namespace kgen::toolchain {

/// What a child may use; 0 means no limit.
struct ProcessLimits {
  double wallSeconds = 0;
  uint64_t memoryBytes = 0;       ///< address space
  size_t outputBytes = 64 * 1024; ///< of stdout and stderr together; the rest is read and dropped
  uint64_t fileBytes = 0;         ///< largest file it may write
  unsigned cpuSeconds = 0;        ///< of processor time: ends what outlives everyone that could kill it
};

struct ProcessRequest {
  std::vector<std::string> arguments;        ///< [0] is the program: a path, or a name to find on PATH
  std::vector<std::string> extraEnvironment; ///< "NAME=value", beside the allow-list
  std::string directory;                     ///< where it runs; empty: here
  /// Descriptors to hand over: (ours, the child's number).
  std::vector<std::pair<int, int>> descriptors;
  const Jail *jail = nullptr; ///< entered before the program starts; null: none
};

struct ProcessResult {
  enum class End { Exited, Signalled, TimedOut } end = End::Exited;
  int code = 0;       ///< exit status or signal number
  std::string output; ///< stdout and stderr in the order they came, capped
  double seconds = 0;
};

/// COMMAND cut at SEPARATORS; single and double quotes keep a word together and make empty ones. Nothing when a quote
/// does not close.
std::optional<std::vector<std::string>> splitWords(llvm::StringRef command, llvm::StringRef separators);

/// Runs a program to its end. Fails only when it cannot be started.
llvm::Expected<ProcessResult> runProcess(const ProcessRequest &request, const ProcessLimits &limits);

/// A child that is talked to while it runs. Killed and reaped by the destructor.
class ChildProcess {
public:
  ChildProcess() = default;
  /// Takes over a child that this process forked.
  explicit ChildProcess(pid_t started);
  ChildProcess(ChildProcess &&other) noexcept
      : pid(std::exchange(other.pid, -1)), handle(std::exchange(other.handle, -1)) {}
  ChildProcess &operator=(ChildProcess &&other) noexcept;
  ~ChildProcess();

  /// Starts it; STDOUT and STDERR are the descriptors in the request or /dev/null.
  static llvm::Expected<ChildProcess> start(const ProcessRequest &request, const ProcessLimits &limits = {});

  bool running() const { return pid > 0; }
  /// Waits up to SECONDS (negative: for ever) for the end. False: still running.
  bool waitFor(double seconds, ProcessResult &result);
  /// Whether somebody stopped it (SIGSTOP), so that it cannot answer.
  bool stopped() const;
  /// SIGKILL to it and its process group, then reaps it.
  void kill();
  pid_t id() const { return pid; }

private:
  int reap();

  pid_t pid = -1;
  int handle = -1; ///< a pidfd: names this process and no later one of the same number
};

/// The running binary, which is also the worker binary; KGEN_WORKER overrides it (tests).
std::string workerBinary();

/// Seconds since some fixed point, monotonic.
double monotonicSeconds();

/// A limit for somebody else's work. Time in which this process stood still (a job that a scheduler stopped, a
/// debugger) does not count: the other one may have stood still as well.
class Deadline {
public:
  explicit Deadline(double seconds) : end(monotonicSeconds() + seconds) {}
  double left() const { return end - monotonicSeconds(); }
  bool passed() const { return left() <= 0; }
  /// Waits for input on DESCRIPTOR, for a second at most. True: there is some, or the other end is closed.
  bool waitFor(int descriptor);

private:
  double end;
};

/// Whether a signal is none that a program brings on itself (a bad access, a trap, an abort, a limit): somebody else
/// killed it, or the system, which had no more memory.
bool isForeignSignal(int signal);

/// A process of ours was killed or stopped from outside, through no fault of what it worked on: once more is worth
/// a try.
class ProcessLost : public llvm::ErrorInfo<ProcessLost> {
public:
  static char ID;
  explicit ProcessLost(std::string why, bool holdsCandidate = false)
      : holdsCandidate(holdsCandidate), why(std::move(why)) {}
  const bool holdsCandidate; ///< it ran a candidate, whose memory may be why the system killed it
  void log(llvm::raw_ostream &os) const override { os << why; }
  std::error_code convertToErrorCode() const override { return llvm::inconvertibleErrorCode(); }
  const std::string &reason() const { return why; }

private:
  std::string why;
};

} // namespace kgen::toolchain
