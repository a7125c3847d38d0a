//===- BuiltinIdeas.h - The catalogue by a person's words -----------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Propose/Idea.h"

#include "llvm/Support/Error.h"

namespace kgen::propose {

/// The catalogue's idea that WORDS mean: its key, or words that only its text has together. The
/// builtin proposer cannot read anything else; the Error says so and names the nearest keys.
llvm::Expected<Idea> matchBuiltinIdea(llvm::StringRef words);

} // namespace kgen::propose
