//===- Streams.h - Standard input and output of a program -----------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

namespace kgen::toolchain {

/// First thing in a program: standard descriptors that its caller closed are /dev/null from here on, so that no file
/// gets their numbers (a journal that is descriptor 1 would hold the table). Writing past the limit of files fails and
/// ends nobody.
void claimStandardStreams();

/// Last thing in PROGRAM: flushes what it printed. CODE, or FAILURE and a sentence on stderr where not all of it could
/// be written. A reader that has seen enough, as `head`, is no failure.
int finishStandardStreams(const char *program, int code, int failure);

} // namespace kgen::toolchain
