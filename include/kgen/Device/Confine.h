//===- Confine.h - What a candidate may ask of the system -----------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <string>

namespace kgen::device {

/// For a process that is about to load the library in ARTIFACT for device host: no file but the library and the
/// system's, no program, no network, should anything in it run while it is loaded. Empty, or what failed.
std::string confineBeforeLoading(const std::string &artifact);

/// For a process that holds a loaded candidate of device host, of which it runs nothing itself: from here on it opens
/// no file, starts no program and no connection, and has EXTRABYTES of memory beyond what it has. So have the processes
/// that it forks. Cannot be undone. Empty, or what failed.
std::string confineHostCandidate(uint64_t extraBytes);

/// For the process of one run of such a candidate: from here on it computes on the memory that it has
/// (CallRules::Kernel), has no descriptor but the standard ones, and may write no file. 0 or errno; what the system
/// does not have is no failure.
int confineRun();

/// For a process with a context on a card, before it loads the machine code in ARTIFACT: the driver's devices and
/// libraries, no other file to write, no home to read, no programs, no network. Empty, or what failed.
std::string confineCardCandidate(const std::string &artifact);

} // namespace kgen::device
