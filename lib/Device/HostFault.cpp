//===- HostFault.cpp - Where a kernel was when a signal ended it ----------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "HostFault.h"

#include "host/kgen_host_abi.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <dlfcn.h>
#include <ucontext.h>
#include <unistd.h>

using namespace kgen;
using namespace kgen::device;

static FaultRecord *recordOfThisProcess = nullptr;

static void writeDown(int signal, siginfo_t *info, void *context) {
  const auto &registers = static_cast<ucontext_t *>(context)->uc_mcontext.gregs;
  FaultRecord &record = *recordOfThisProcess;
  record.code = info->si_code;
  record.address = reinterpret_cast<uint64_t>(info->si_addr);
  record.instruction = uint64_t(registers[REG_RIP]);
  record.stackPointer = uint64_t(registers[REG_RSP]);
  record.writes = registers[REG_ERR] & 2; // of a page fault's error code
  record.signal = signal;
  // From here on a second fault only ends the process earlier: the handler is gone, and the signal is not blocked.
  memcpy(&record.caller, reinterpret_cast<const void *>(record.stackPointer), sizeof record.caller);
  constexpr uint64_t page = 4096;
  const auto bytes = unsigned(std::min(page - record.instruction % page, uint64_t(sizeof record.text)));
  memcpy(record.text, reinterpret_cast<const void *>(record.instruction), bytes);
  record.bytes = bytes;
  // It may neither return from here nor send itself a signal: both are system calls, which it must not make.
  if (signal == SIGILL)
    __builtin_trap();
  if (signal == SIGTRAP)
    __asm__ volatile("int3");
  if (signal == SIGFPE)
    __asm__ volatile("xorl %%eax, %%eax; cltd; divl %%eax" ::: "eax", "edx", "cc");
  *static_cast<volatile char *>(nullptr) = 0;
  _exit(1);
}

bool kgen::device::endedBy(const FaultRecord &record, int signal) {
  return record.signal != 0 && (record.signal == signal || (record.signal == SIGBUS && signal == SIGSEGV));
}

void kgen::device::recordFaults(FaultRecord *record) {
  // Threads that overflow theirs have no stack left. AMX alone makes a signal's frame 11 kB.
  static char stack[1 << 16];
  recordOfThisProcess = record;
  stack_t other = {};
  other.ss_sp = stack;
  other.ss_size = sizeof stack;
  sigaltstack(&other, nullptr);
  struct sigaction action = {};
  action.sa_sigaction = writeDown;
  action.sa_flags = int(SA_SIGINFO | SA_ONSTACK | SA_RESETHAND | SA_NODEFER);
  for (int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP})
    sigaction(signal, &action, nullptr);
}

/// "kernel.so+0x1c6f"; empty where no file is loaded.
static std::string placeInFile(uint64_t at) {
  Dl_info where = {};
  if (dladdr(reinterpret_cast<void *>(at), &where) == 0 || !where.dli_fname)
    return "";
  std::string text;
  llvm::raw_string_ostream(text) << llvm::StringRef(where.dli_fname).rsplit('/').second << "+0x"
                                 << llvm::utohexstr(at - reinterpret_cast<uint64_t>(where.dli_fbase), true);
  return text;
}

RunFault kgen::device::explainFault(const FaultRecord &record, const runtime::HostStacks &stacks) {
  RunFault fault;
  const bool isAccess = record.signal == SIGSEGV || record.signal == SIGBUS;
  fault.isAccess = isAccess && record.code > 0; // otherwise a process sent it
  // SI_KERNEL: a general protection fault, of which the processor tells no address.
  fault.hasAddress = fault.isAccess && record.code != SI_KERNEL;
  fault.address = record.address;
  fault.writes = record.writes;
  fault.isMissing = record.signal == SIGBUS && record.code == BUS_ADRERR;
  bool onOwnStack = false; // of the block's threads
  for (unsigned i = 0; i < stacks.count(); ++i) {
    const auto end = reinterpret_cast<uint64_t>(stacks.endOf(i)), guard = end - KGEN_HOST_STACK_BYTES;
    fault.overflows |= record.address >= guard && record.address < guard + runtime::HostStacks::guardBytes;
    onOwnStack |= record.stackPointer >= guard && record.stackPointer < end;
  }
  constexpr uint64_t near = 1 << 16;
  if (!onOwnStack && record.address + near > record.stackPointer && record.address < record.stackPointer + near)
    fault.overflows = true;
  fault.overflows &= fault.hasAddress;
  std::string place = placeInFile(record.instruction);
  if (place.empty())
    return fault;
  llvm::raw_string_ostream text(fault.instruction);
  text << place;
  if (record.bytes) {
    text << " (";
    for (unsigned i = 0; i < std::min(record.bytes, unsigned(sizeof record.text)); ++i)
      text << (i ? " " : "") << llvm::format_hex_no_prefix(record.text[i], 2);
    text << ")";
  }
  // A copy that the C library makes for a kernel.
  if (llvm::StringRef(place).starts_with("libc."))
    if (std::string caller = placeInFile(record.caller); !caller.empty())
      text << ", called from " << caller;
  return fault;
}
