//===- ConditionalText.h - Variants of a kernel template ------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Row, pool and pointwise templates choose between code with real `#if NAME`
// lines, so that each variant compiles alone. The emitted text holds the chosen
// lines only.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"

#include <string>

namespace kgen::kernels {

/// TEXT with every `#if NAME`, `#else`, `#endif` decided: NAME holds when it is among TRUTHS.
std::string chooseVariant(llvm::StringRef text, const llvm::StringSet<> &truths);

/// The template FILE without its opening comment, which is for the template's reader.
llvm::StringRef templateBody(llvm::StringRef file);

} // namespace kgen::kernels
