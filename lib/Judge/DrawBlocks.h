//===- DrawBlocks.h - Elements of inputs, a block at a time ---------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "DrawnElement.h"

#include "kgen/Judge/Inputs.h"

#include <array>

namespace kgen::judge {

/// How argument ARG's elements are drawn for SET. Fails only on a malformed `init`.
llvm::Expected<kgen_drawing> drawingOf(const candidate::BufferSpec &spec, unsigned arg, const InputSet &set);

/// DRAWING as words for another process or a kernel, doubles by their bits, and back.
constexpr size_t drawingWords = 11;
std::array<uint64_t, drawingWords> wordsOf(const kgen_drawing &drawing);
kgen_drawing drawingOfWords(llvm::ArrayRef<uint64_t> words);

/// The vector units that blocks are drawn by; the bits are the same by all.
enum class DrawUnits { Plain, Avx2, Avx512 };
/// The best that this processor has.
DrawUnits availableDrawUnits();

/// Writes elements [BEGIN, END) of DRAWING as TYPE stores them to OUT, where element 0 is: those of kgen_draw_element.
/// This processor has UNITS.
void drawElements(const kgen_drawing &drawing, candidate::DType type, void *out, int64_t begin, int64_t end,
                  DrawUnits units = availableDrawUnits());

} // namespace kgen::judge
