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

/// An idea of the catalogue and what it can change.
struct ListedIdea {
  Idea idea;
  std::vector<std::string> families;
  bool onHost = false, onCuda = false; ///< where the builtin proposer has it
};
/// The whole catalogue, in the families' order; ideas that follow from a run's history are no part of it.
std::vector<ListedIdea> listBuiltinIdeas();

} // namespace kgen::propose
