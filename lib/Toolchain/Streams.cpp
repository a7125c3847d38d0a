//===- Streams.cpp --------------------------------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Toolchain/Streams.h"

#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

#include <csignal>

void kgen::toolchain::claimStandardStreams() {
  // Without /dev/null there is nothing that could be done about it.
  (void)llvm::sys::Process::FixupStandardFileDescriptors();
  // A file that may not get longer (`ulimit -f`) is a failed write, which has its sentence, and not a death.
  signal(SIGXFSZ, SIG_IGN);
}

int kgen::toolchain::finishStandardStreams(const char *program, int code, int failure) {
  llvm::raw_fd_ostream &out = llvm::outs();
  out.flush();
  std::error_code error = out.error();
  out.clear_error(); // LLVM ends a program that leaves one behind
  if (error && error != std::errc::broken_pipe) {
    llvm::errs() << program << ": cannot write to standard output: " << error.message() << '\n';
    code = code ? code : failure;
  }
  static_cast<llvm::raw_fd_ostream &>(llvm::errs()).clear_error();
  return code;
}
