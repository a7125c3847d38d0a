//===- HostFault.h - Where a kernel was when a signal ended it ------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Device/Device.h"
#include "kgen/Runtime/LaunchForms.h"

namespace kgen::device {

/// What a signal's handler writes down, in memory that outlives the process: numbers and nothing else, because the
/// candidate has been there before it.
struct FaultRecord {
  int signal; ///< 0: none came
  int code;   ///< si_code
  uint64_t address, instruction, stackPointer;
  bool writes;
  uint64_t caller; ///< what lies on top of the stack: where a function of the C library returns to
  unsigned bytes;  ///< of TEXT
  unsigned char text[15];
};

/// Has this process write into RECORD which signal ends it and where; then it ends as it would have, but of SIGSEGV
/// instead of SIGBUS. Nothing that such a signal interrupts goes on.
void recordFaults(FaultRecord *record);

/// Whether RECORD tells of the end of a process that SIGNAL ended.
bool endedBy(const FaultRecord &record, int signal);

/// RECORD as far as it makes sense, by a process whose memory is laid out as that one's was.
RunFault explainFault(const FaultRecord &record, const runtime::HostStacks &stacks);

} // namespace kgen::device
