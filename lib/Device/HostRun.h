//===- HostRun.h - A process for each run on device host ------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels are native code here, so whatever a process can keep, they can:
// variables of any section, thread-locals, the C library's, stacks, mappings,
// what lies behind a page's last byte. So the process that holds the loaded
// candidate, the worker, runs nothing of it. Before its first run it forks a
// master copy of itself, which does nothing but fork in turn: a process for
// each run, which may compute and nothing else, and which ends with the run.
// What the worker learns of a run never reaches the master, so each run begins
// in the same memory. Shared with it are its buffers, which the worker fills
// anew, and what is said here.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "HostLibrary.h"
#include "host/kgen_host_abi.h"
#include "kgen/Runtime/LaunchForms.h"

#include <sys/types.h>

namespace kgen::device {

class HostRun {
public:
  HostRun() = default;
  ~HostRun();
  HostRun(const HostRun &) = delete;
  HostRun &operator=(const HostRun &) = delete;

  /// Stacks for blocks of THREADS threads that wait for each other, and what else a run needs of memory.
  llvm::Error prepare(unsigned threads);
  /// New contents of shared memory before each block.
  void scrub(uint32_t seed);
  const unsigned char *sharedPoison() const { return poison; }
  /// Puts stacks and memory for queues into CALL.
  void lend(KGenHostLaunch &call) const;
  /// The run that is announced uses BYTES at AT.
  void expect(char *at, size_t bytes) { used.push_back({at, bytes}); }

  /// A run of SCRIPT in a process of its own, in which those of BUFFERS (address, bytes) are not mapped that were not
  /// announced. Times: the process's own word, and the processor time that the system says it took. CandidateError,
  /// RunKilled, or what keeps this machine from making a process. All calls have the same arguments but for ORDER.
  llvm::Expected<RunTimes> run(const RunOrder &order, const RunScript &script, const HostLibrary &library,
                               const std::vector<std::pair<char *, size_t>> &buffers);

private:
  struct Page;
  struct Ended;
  using Buffers = std::vector<std::pair<char *, size_t>>;
  llvm::Error startMaster(const RunScript &script, const HostLibrary &library, const Buffers &buffers);
  [[noreturn]] void serve(int orders, int answers, const RunScript &script, const HostLibrary &library,
                          const Buffers &buffers);
  [[noreturn]] void runInChild(pid_t parent, const RunScript &script, const HostLibrary &library,
                               const Buffers &buffers);
  void makeReady(const HostLibrary &library) const;
  llvm::Expected<Ended> await();

  Page *page = nullptr; ///< the order, and what the run says; shared
  runtime::HostStacks stacks;
  unsigned char *poison = nullptr; ///< shared
  Buffers used;
  pid_t master = -1;
  int orders = -1, answers = -1; ///< the worker's ends of pipes
};

} // namespace kgen::device
