//===- CudaTemplate.h - Kernel templates and how they are filled in -------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A template is a .cuh file in a family's folder under lib/Kernels that
// compiles on its own. Lines that start with `//@` mark what the emitter does
// with it:
//
//   //@ replace NAME ... //@ end   the lines between give way to the emitter's text
//   //@ section NAME ... //@ end   the lines between stay only when asked for
//
//   //@ sizes THREADS | BYTES | BLOCKS   the threads, the dynamic shared memory and, where given, the blocks of a
//                                  launch, as the template derives them
//   //@ asserts CONDITION          what the template counts on of its constants: tiles that divide each other
//
// kgen-lower-dispatches=assert-sizes asserts the conditions, and that the sizes are what C++ derived. Nothing of
// either is in the text otherwise.
//
// Where variants of a text exclude each other, real `#if NAME`, `#else` and
// `#endif` lines choose by the same names, so that each compiles alone. What an
// emitter replaces is one of three things: constants, element functions
// (epilogues, reads, writes), or operands (the kernel's parameters and their
// use). All of it nests. The word `example`, alone or at the start of an identifier,
// stands for the dispatch's name. The templates are part of the binary.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"

#include <string>

namespace kgen::kernels {

/// The text of template FILE ("gemm_mma.cuh"); empty when there is none.
llvm::StringRef findCudaTemplate(llvm::StringRef file);

/// The template FILE without its opening comment, which is for the template's reader.
llvm::StringRef templateBody(llvm::StringRef file);

/// What the `//@ sizes` and `//@ asserts` lines of a template say, expressions of its namespace.
struct TemplateSizes {
  llvm::StringRef threads, bytes; ///< empty where there is no such line
  llvm::StringRef blocks;         ///< empty where it does not say
  llvm::SmallVector<llvm::StringRef> conditions;
};
TemplateSizes findTemplateSizes(llvm::StringRef file);

/// The device header that kernel texts include as "kgen_device.cuh". Whoever writes a
/// self-contained translation unit puts it once in the place of the include lines.
llvm::StringRef deviceHeader();

/// The header of sm_90 instructions that kernel texts include as "kgen_hopper.cuh", without its own
/// inclusion of the device header, which stands before it.
std::string hopperHeader();

/// How one template is filled in.
struct TemplateFill {
  std::string name;                          ///< replaces `example`
  llvm::StringMap<std::string> replacements; ///< text of each `replace` block; others keep their lines
  llvm::StringSet<> sections;                ///< what is kept: names of sections and of #if
};

/// TEXT filled in. Marker lines are gone, runs of blank lines are one.
std::string fillTemplate(llvm::StringRef text, const TemplateFill &fill);

} // namespace kgen::kernels
